"""From the directions of rows to the variances they come from."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.model.arrays import Floats
from gardner.table.forecast.directions import directions_of, shape_of


@pytest.mark.parametrize(
    "c", [np.array([0.9, 0.1]), 1.0 / np.arange(1, 41), np.ones(7)], ids=["two", "falling", "flat"]
)
def test_directions_are_those_of_normal_rows(c: Floats) -> None:
    c = c / c.sum()
    rows = np.random.default_rng(0).standard_normal((40_000, c.size)) * np.sqrt(c)
    seen = np.mean(rows**2 / np.sum(rows**2, axis=1, keepdims=True), axis=0)
    assert directions_of(c) == pytest.approx(seen, abs=5e-3)
    assert directions_of(c).sum() == pytest.approx(1.0, abs=1e-6)
    assert shape_of(directions_of(c)) == pytest.approx(c, abs=1e-6)


def test_directions_are_flatter_than_variances() -> None:
    c = np.array([0.8, 0.15, 0.05])
    assert np.ptp(directions_of(c)) < np.ptp(c)


def test_what_does_not_vary_stays_at_zero() -> None:
    assert shape_of(np.array([0.0, 0.5, 0.5])).tolist() == pytest.approx([0.0, 0.5, 0.5])
