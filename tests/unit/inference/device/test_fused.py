"""What of the kernel can be held without a GPU: layouts, and the text. benchmarks/gpu.py holds the
rest.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gardner.inference.device import fused
from gardner.inference.device.fused import MOST_VECTORS, THREADS, part_columns, shape_of, shared_bytes, source
from gardner.model.special import MILLS

# Bytes of shared memory that a block may have at most on the chips the kernel is for.
LIMIT = 232_448


@given(st.integers(1, 20_000), st.sampled_from(["float32", "bfloat16", "float16"]))
def test_a_layout_holds_every_column_and_fits(eighths: int, precision: str) -> None:
    pitch, size = 8 * eighths, 4 if precision == "float32" else 2
    shape = shape_of(precision, pitch)
    widest = 8 * THREADS * MOST_VECTORS[size] * (16 // size)
    assert (shape is None) == (pitch > widest)
    if shape is None:
        return
    wide = part_columns(pitch, shape.parts, size)
    assert wide * shape.parts >= pitch
    assert shape.vectors * THREADS * (16 // size) >= wide
    assert shape.stages >= 2 + shape.lag
    assert shared_bytes(shape, pitch) <= LIMIT


def test_the_text_has_every_constant_it_asks_for() -> None:
    shape = shape_of("bfloat16", 20000)
    assert shape is not None
    text = source(shape, 1)
    for name in ("STORED", "VECTORS", "ROWS", "STAGES", "PARTS", "LAG", "FLIP", "SCALE", "TERMS", "MILLS"):
        assert len(re.findall(rf"^#define {name} ", text, re.MULTILINE)) == 1, name
    assert repr(MILLS[3]) in text
    assert "amp_pass" in text


def test_places_in_the_state_are_those_of_the_text() -> None:
    shape = shape_of("float32", 64)
    assert shape is not None
    names = re.search(r"enum \{(.*?)\};", source(shape, 0), re.DOTALL)
    assert names is not None
    for place, name in enumerate(part.strip() for part in names[1].split(",")):
        assert getattr(fused, name) == place


@pytest.mark.parametrize("kind", ["rows", "subsets"])
def test_without_a_gpu_it_serves_nothing(kind: str) -> None:
    import numpy as np

    from gardner.experiment.device.pool import stored_pool
    from gardner.model import PERCEPTRON, draw_instance

    problem = draw_instance(20, 2.0, 0)
    if kind == "rows":
        assert not fused.serves(stored_pool(problem).rows, PERCEPTRON)
    else:
        assert fused.serves_subsets(np.asarray(problem.rows), 4, PERCEPTRON) == 0
