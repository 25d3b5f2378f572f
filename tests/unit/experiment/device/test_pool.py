"""Pools on a device: brought there, or drawn there by PyTorch (`make test-torch`)."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.experiment import run
from gardner.experiment.device.loop import run_on_device
from gardner.experiment.device.pool import draw_pool, stored_pool
from gardner.model import GLM, Flip, Gaussian, Instance, draw_instance
from gardner.strategies import make_strategy

torch_needed = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")


def test_a_pool_that_is_there_keeps_its_rows() -> None:
    problem = draw_instance(21, 2.0, 0)
    pool = stored_pool(problem)
    np.testing.assert_array_equal(np.asarray(pool.rows.entries)[:, :21], problem.rows.astype(np.float32))
    assert not np.asarray(pool.rows.entries)[:, 21:].any()
    with pytest.raises(InvalidInputError, match="floating"):
        stored_pool(Instance(np.ones((2, 2), dtype=int), problem.teacher, problem.labels))


@torch_needed
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_drawn_pool_is_labelled_by_its_stored_rows(dtype: str) -> None:
    pool = draw_pool(100, 3.0, 0, device="cpu", dtype=dtype)
    entries: Any = pool.rows.entries
    rows = entries[:, :100].float().numpy()
    assert rows.std() == pytest.approx(0.1, rel=0.02)
    np.testing.assert_allclose(pool.rows.norms, (rows**2).sum(axis=1), rtol=1e-5)
    np.testing.assert_array_equal(pool.labels, np.where(rows @ np.asarray(pool.teacher) < 0.0, -1.0, 1.0))
    again: Any = draw_pool(100, 3.0, 0, device="cpu", dtype=dtype).rows.entries
    assert bool((again == entries).all())
    np.testing.assert_array_equal(pool.teacher, draw_instance(100, 3.0, 0).teacher.astype(np.float32))


@torch_needed
@pytest.mark.parametrize("name", ["agnostic", "informed", "swap"])
def test_a_run_on_pytorch_is_the_run_on_numpy(name: str) -> None:
    import torch

    parameters = {"steps": 30} if name == "swap" else {}
    problem = draw_instance(80, 3.0, 1, dtype=np.float32)
    curves = [
        run_on_device(stored_pool(problem, like), name, parameters, budget=0.4, batch_size=8, seed=1)
        for like in (None, torch.zeros(1))
    ]
    assert curves[0].rounds[-1].log_volume == pytest.approx(curves[1].rounds[-1].log_volume, abs=1e-3)


@torch_needed
def test_few_bits_change_little() -> None:
    model = GLM(Gaussian(), Flip(0.05))
    ends = {}
    for dtype in ("float32", "bfloat16"):
        pool = draw_pool(300, 3.0, 0, model, device="cpu", dtype=dtype)
        ends[dtype] = run_on_device(pool, "agnostic", budget=0.6, batch_size=15, seed=0, model=model).rounds[-1]
    assert ends["bfloat16"].status == "converged"
    assert ends["bfloat16"].log_volume == pytest.approx(ends["float32"].log_volume, abs=0.02)


@torch_needed
def test_stored_rows_can_be_taken_back_to_the_cpu() -> None:
    pool = draw_pool(100, 3.0, 0, device="cpu")
    parts: list[Any] = [pool.rows.entries, pool.teacher, pool.labels]
    entries, teacher, labels = (part.numpy() for part in parts)
    problem = Instance(np.ascontiguousarray(entries[:, :100]), teacher, labels)
    theirs = run(problem, make_strategy("agnostic"), budget=0.6, batch_size=6, seed=0, variances="scalar")
    mine = run_on_device(pool, "agnostic", budget=0.6, batch_size=6, seed=0)
    assert set(mine.queried.tolist()) == set(theirs.queried.tolist())


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(InvalidInputError, match="float32, bfloat16, float16"):
        draw_pool(100, 3.0, 0, device="cpu", dtype="float64")
