"""The spectrum of a population from few rows."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.model.arrays import Floats
from gardner.table.forecast.deconvolution import population

N = 200
SPECTRA = {
    "flat": np.ones(N),
    "two": np.where(np.arange(N) < 20, 1.0, 0.05),
    "log": np.geomspace(0.01, 1.0, N),
}


def known(variances: Floats, q: float) -> float:
    """V(q̂), which is all that a learning curve asks of a spectrum."""
    return float(np.mean(variances / (1.0 + q * variances)))


@pytest.mark.parametrize("rows", [100, 200, 800])
@pytest.mark.parametrize("name", SPECTRA)
def test_what_learning_curves_ask_for(name: str, rows: int) -> None:
    c = SPECTRA[name] / SPECTRA[name].mean()
    table = np.random.default_rng(rows).standard_normal((rows, N)) * np.sqrt(c)
    sample = np.linalg.eigvalsh(table.T @ table / rows)
    found = population(sample, rows, N)
    assert found.size == N
    assert found.sum() == pytest.approx(sample.sum())
    for q in (0.1, 0.3, 1.0):
        wrong, right = abs(known(sample, q) - known(c, q)), abs(known(found, q) - known(c, q))
        assert right < 0.02 * known(c, q)
        assert right < wrong


def test_zeros_may_be_left_out() -> None:
    table = np.random.default_rng(0).standard_normal((50, 80))
    gram = np.asarray(np.linalg.eigvalsh(table @ table.T / 50), dtype=np.float64)
    assert population(gram, 50, 80) == pytest.approx(population(np.append(np.zeros(30), gram), 50, 80))
