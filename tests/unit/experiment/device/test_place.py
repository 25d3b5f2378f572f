"""Devices, precisions and memory: one clear line each."""

from __future__ import annotations

import importlib.util

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gardner.errors import GardnerError, InvalidInputError
from gardner.experiment.device.place import (
    bytes_needed,
    check_memory,
    check_precision,
    find_device,
    largest_features,
)

GPU = importlib.util.find_spec("torch") is not None and find_device("auto") == "cuda"


def test_a_device_is_found_or_refused() -> None:
    assert find_device("cpu") == "cpu"
    with pytest.raises(InvalidInputError, match="it must be auto, cpu or cuda"):
        find_device("gpu")


@pytest.mark.skipif(GPU, reason="there is a GPU here")
def test_without_a_gpu() -> None:
    assert find_device("auto") == "cpu"
    with pytest.raises(GardnerError, match="PyTorch"):
        find_device("cuda")


def test_precisions() -> None:
    check_precision("bfloat16")
    with pytest.raises(InvalidInputError, match="float32, bfloat16, float16"):
        check_precision("float64")


@given(st.floats(0.5, 100.0), st.sampled_from(["float32", "bfloat16"]), st.integers(2 * 10**9, 10**12))
def test_the_largest_that_fits_fits_and_the_next_does_not(ratio: float, precision: str, free: int) -> None:
    largest = largest_features(ratio, precision, free)
    if largest:
        check_memory(largest, ratio, precision, free)
    assert bytes_needed(largest + 8, ratio, precision) > free


def test_too_large_a_pool_says_what_would_fit() -> None:
    with pytest.raises(GardnerError, match="needs 121 GB, 80 are free") as caught:
        check_memory(100_000, 3.0, "float32", 80 * 10**9)
    assert "the largest N that fits is 80952" in str(caught.value.hint)
    assert "bfloat16 114472" in str(caught.value.hint)
