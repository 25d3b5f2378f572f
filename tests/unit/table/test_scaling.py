"""Columns on scales of their own, on one, and rows of length one."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.model.arrays import Floats
from gardner.table import scaling as module
from gardner.table.scaling import SCALINGS, make_scaling, spread_of, standardised

TABLE = np.random.default_rng(0).standard_normal((50, 4)) * [1.0, 2.0, 3.0, 4.0] + 7.0


def scaled(name: str, table: Floats) -> Floats:
    return make_scaling(name, spread_of(table)).rows(table)


@pytest.mark.parametrize("name", SCALINGS)
def test_rows_have_mean_square_length_one(name: str) -> None:
    assert np.mean(np.sum(scaled(name, TABLE) ** 2, axis=1)) == pytest.approx(1.0)


def test_what_each_scaling_keeps() -> None:
    assert np.allclose(scaled("standardised", TABLE).std(axis=0), 0.5)
    assert np.allclose(
        scaled("common", TABLE).std(axis=0) / TABLE.std(axis=0), 1.0 / np.sqrt(np.sum(TABLE.var(axis=0)))
    )
    assert np.allclose(np.linalg.norm(scaled("unit", TABLE), axis=1), 1.0)


@pytest.mark.parametrize("size", [1e-320, 1e-30, 1e-13, 1e200, 1e308])
def test_units_of_any_size_are_standardised(size: float) -> None:
    """Columns in tiny or huge units count; those that differ by rounding only do not, whatever
    their size.
    """
    table = np.random.default_rng(0).uniform(-0.5, 0.5, (50, 2))
    odd = np.column_stack([table[:, 0], size * table[:, 1], np.full(50, size)])
    assert spread_of(odd).dropped == 1
    assert np.allclose(
        scaled("standardised", odd), scaled("standardised", table), atol=1e-3 if size < 1e-300 else 1e-12
    )
    assert spread_of(np.column_stack([table, size * (1.0 + 1e-15 * np.arange(50))])).dropped == 1
    assert np.isfinite(scaled("common", odd)).all()


def test_nothing_but_constants() -> None:
    for name in SCALINGS:
        assert scaled(name, np.ones((5, 3))).shape == (5, 0)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(0).standard_normal((1000, 3))
    whole = spread_of(table)
    monkeypatch.setattr(module, "_ENTRIES", 1)
    parts = spread_of(table)
    assert np.allclose(whole.mean, parts.mean)
    assert np.allclose(whole.deviation, parts.deviation)


def test_an_intercept_like_any_other_column() -> None:
    rows = standardised(TABLE)
    assert np.allclose(rows[:, :-1].std(axis=0), rows[:, -1].mean())
