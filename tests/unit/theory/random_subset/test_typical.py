from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import log_ndtr

from gardner import InvalidInputError, pool, typical

# computed independently of this code: budget, overlap, ε_Bayes, ε_Gibbs, ln v
REFERENCE = [
    (0.5, 0.28032573, 0.3223953, 0.4095575, -0.3216658),
    (1.0, 0.48626364, 0.2543730, 0.3383595, -0.5964413),
    (2.0, 0.72829817, 0.1745342, 0.2403116, -1.0310382),
    (5.0, 0.93206425, 0.0839352, 0.1180060, -1.8153660),
    (10.0, 0.98137809, 0.0435732, 0.0615253, -2.4837524),
]


@pytest.mark.parametrize(("budget", "overlap", "bayes", "gibbs", "log_volume"), REFERENCE)
def test_reference_values(budget: float, overlap: float, bayes: float, gibbs: float, log_volume: float) -> None:
    result = typical(budget=budget)
    assert result.overlap == pytest.approx(overlap, abs=1e-8)
    assert 1.0 - result.accuracy == pytest.approx(bayes, abs=1e-7)
    assert 1.0 - result.gibbs_accuracy == pytest.approx(gibbs, abs=1e-7)
    assert result.log_volume == pytest.approx(log_volume, abs=1e-7)
    assert result.residual < 1e-12
    assert result.quadrature_error < 1e-12


@given(st.floats(1e-3, 300.0))
def test_state_evolution_by_other_means(budget: float) -> None:
    """The overlap solves Q/(1−Q) = 2n ∫Dη φ(aη)²/Φ(aη)/(1−Q), a² = Q/(1−Q) (the usual, hand-written
    equation).
    """
    Q = typical(budget=budget).overlap
    a = math.sqrt(Q / (1.0 - Q))

    def integrand(x: float) -> float:  # in x = aη
        return float(np.exp(-0.5 * (x / a) ** 2 - x * x - log_ndtr(x)) / (2 * math.pi) ** 1.5 / a)

    edge = min(9.0 * a, 12.0)
    rate = quad(integrand, -edge, edge, points=[0.0], limit=400, epsabs=0, epsrel=1e-11)[0]
    assert 2.0 * budget * rate == pytest.approx(Q, rel=1e-7)


def test_one_label_is_one_bit_at_first() -> None:
    assert typical(budget=1e-4).log_volume == pytest.approx(-1e-4 * math.log(2.0), rel=1e-3)


def test_pool_is_the_typical_subset_of_all_rows() -> None:
    assert pool(pool_ratio=3.0) == typical(budget=3.0)


def test_volume_and_error_scale_as_one_over_alpha() -> None:
    values = [(alpha * math.exp(pool(pool_ratio=alpha).log_volume), alpha) for alpha in (1e3, 1e4)]
    assert values[0][0] == pytest.approx(values[1][0], rel=1e-3)
    errors = [alpha * (1.0 - pool(pool_ratio=alpha).accuracy) for alpha in (1e3, 1e4)]
    assert errors[0] == pytest.approx(errors[1], rel=1e-3)
    assert errors[1] == pytest.approx(0.442, abs=5e-4)  # the Bayes-optimal 0.44/α of [opper1991]


@pytest.mark.parametrize("budget", [0.0, -1.0, math.nan, math.inf, "much"])
def test_bad_budget(budget: float) -> None:
    with pytest.raises(InvalidInputError, match="budget"):
        typical(budget=budget)


def test_frame() -> None:
    frame = typical(budget=1.0).to_frame()
    assert list(frame["budget"]) == [1.0]
    assert np.isfinite(frame.select_dtypes("number").to_numpy()).all()
