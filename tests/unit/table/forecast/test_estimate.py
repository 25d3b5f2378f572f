"""The spectrum of a table, whatever its shape."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.table.forecast import estimate
from gardner.table.forecast.estimate import table_spectrum

RNG = np.random.default_rng(1)
C = 1.0 / np.arange(1, 31)


def rows(count: int, columns: int = 30) -> np.ndarray:
    return RNG.standard_normal((count, columns)) * np.sqrt(C[:columns])


def test_variances_are_those_of_the_rows() -> None:
    found = table_spectrum(rows(6000), scaling="common")
    assert np.sort(found.variances)[::-1] == pytest.approx(C / C.mean(), rel=0.12, abs=0.03)
    assert found.effective_rank == pytest.approx(C.sum() ** 2 / (C @ C), rel=0.05)


def test_the_lengths_of_rows_do_not_matter() -> None:
    table = rows(3000)
    stretched = table * np.exp(0.8 * RNG.standard_normal((3000, 1)))
    plain, heavy = (table_spectrum(one, scaling="common").variances for one in (table, stretched))
    assert heavy == pytest.approx(plain, rel=0.3, abs=0.05)
    sample = np.linalg.eigvalsh(np.cov(stretched.T))
    assert abs(heavy[-1] - plain[-1]) < abs(sample[-1] / sample.mean() - plain[-1])


def test_columns_that_never_vary_are_left_out() -> None:
    table = rows(400)
    found = table_spectrum(np.column_stack([table, np.full(400, 7.0)]))
    assert found.dropped == 1
    assert found.variances == pytest.approx(table_spectrum(table).variances)


def test_fewer_rows_than_columns() -> None:
    """The Gram matrix is used, and the mean of c/(1+c) is right where the sample's is far off."""
    table = RNG.standard_normal((60, 240))
    found = table_spectrum(table)
    assert found.columns == 240
    assert np.mean(found.variances / (1.0 + found.variances)) == pytest.approx(0.5, abs=0.02)


def test_coordinates_keep_lengths_and_angles() -> None:
    for table in (rows(200), RNG.standard_normal((20, 50))):
        keep = np.zeros(len(table), dtype=bool)
        keep[:5] = True
        found = table_spectrum(table, keep=keep)
        seen = found.coordinates(table)
        unit = estimate.unit_rows(found.scaling, table)
        assert seen @ seen.T == pytest.approx(unit @ unit.T, abs=1e-8)
    with pytest.raises(InvalidInputError, match="not asked for"):
        table_spectrum(rows(50)).coordinates(rows(2))


def test_large_tables_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    table = RNG.standard_normal((300, 120))
    whole = table_spectrum(table).variances
    monkeypatch.setattr(estimate, "LARGEST_MATRIX", 60)
    keep = np.zeros(300, dtype=bool)
    keep[-3:] = True
    found = table_spectrum(table, keep=keep)
    assert found.basis is not None
    assert found.basis.shape == (120, 59) or found.basis.shape == (120, 60)
    length = np.linalg.norm(found.coordinates(table[-3:]), axis=1)
    assert length == pytest.approx(np.ones(3), abs=1e-6)  # rows to keep are among those used
    assert np.mean(found.variances / (1.0 + found.variances)) == pytest.approx(np.mean(whole / (1.0 + whole)), abs=0.02)


def test_nothing_varies() -> None:
    with pytest.raises(InvalidInputError, match="nothing varies"):
        table_spectrum(np.ones((5, 3)))
