"""The stability ratios against quadratures of another kind, and against the 1RSB free entropy they
stand for.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import log_ndtr, logsumexp, ndtr

from gardner import complexity_at
from gardner.model import PERCEPTRON
from gardner.theory.curve.point import Point
from gardner.theory.formula.taylor import Floats

ALPHA, BUDGET = 3.0, 0.6
_HERMITE = np.polynomial.hermite_e.hermegauss(70)
ZETA, ZETA_LOG_WEIGHTS = _HERMITE[0], np.log(_HERMITE[1]) - 0.5 * np.log(2 * np.pi)
_GRID = np.linspace(-8.5, 8.5, 501)
ETA, ETA_WEIGHTS = _GRID, np.gradient(_GRID) * np.exp(-0.5 * _GRID**2) / np.sqrt(2 * np.pi)


def log_inner(h: Floats, D: float, V: float, beta: float) -> Floats:
    fields = (h[..., None] + np.sqrt(D) * ZETA) / np.sqrt(V)
    result: Floats = logsumexp(beta * log_ndtr(fields) + ZETA_LOG_WEIGHTS, axis=-1)
    return result


def parts(point: Point) -> tuple[float, float, float, float]:
    return point.q - point.m**2, point.Q - point.q, point.r - point.Q, point.beta


def teacher(point: Point) -> Floats:
    weights: Floats = 2.0 * ETA_WEIGHTS * ndtr(point.m * ETA / np.sqrt(point.q - point.m**2))
    return weights


@pytest.mark.parametrize("volume", [-0.7, -0.5, -0.3, -0.2])
def test_ratios_by_finite_differences(volume: float) -> None:
    point = complexity_at(PERCEPTRON, pool_ratio=ALPHA, budget=BUDGET, log_volume=volume)
    t, D, V, beta = parts(point)
    step = 1e-3
    h = np.sqrt(point.q) * ETA
    f = [np.logaddexp(0.0, point.phi + log_inner(h + k * step, D, V, beta)) for k in (-1, 0, 1)]
    curvature = (f[2] - 2 * f[1] + f[0]) / step**2
    outer = ALPHA * ((V + beta * D) / beta) ** 2 * np.sum(teacher(point) * curvature**2)
    assert point.stability == pytest.approx(outer, rel=2e-4)

    fields = (h[:, None] + np.sqrt(D) * ZETA) / np.sqrt(V)
    mills = np.exp(-0.5 * fields**2 - log_ndtr(fields)) / np.sqrt(2 * np.pi)
    log_density = beta * log_ndtr(fields) + ZETA_LOG_WEIGHTS
    tilt = np.exp(log_density - logsumexp(log_density, axis=1, keepdims=True))
    chosen = 1.0 / (1.0 + np.exp(-point.phi - log_inner(h, D, V, beta)))
    inner = ALPHA * np.sum(teacher(point) * chosen * np.sum(tilt * (mills * (mills + fields)) ** 2, axis=1))
    assert point.inner_stability == pytest.approx(inner, rel=1e-6)
    assert t > 0.0


def one_step_free_entropy(point: Point, x: float, d: float) -> float:
    """Φ₁ of docs/theory.md, section 7, at given (x, d), the rest held at the replica-symmetric
    point.
    """
    t, D, V, beta = parts(point)
    D, W = D - d, V + beta * (D - d)
    wide = W + beta * x * d
    entropic = 0.5 * (
        (beta - 1) * np.log(V)
        + (1 - 1 / x) * np.log(W)
        + np.log(wide) / x
        + beta * t / wide
        + beta * (1 - (point.q + d + D + V))
    )
    h = np.sqrt(point.q) * ETA[:, None] + np.sqrt(d) * ZETA
    field = x * np.logaddexp(0.0, point.phi + log_inner(h, D, V, beta))
    outer = logsumexp(field + ZETA_LOG_WEIGHTS, axis=1) / x
    return float(entropic + ALPHA * np.sum(teacher(point) * outer))


@pytest.mark.parametrize("volume", [-0.6, -0.25, -0.185])
def test_ratio_is_the_curvature_of_the_broken_free_entropy(volume: float) -> None:
    """Near x = 1, Φ₁ − Φ = ¼(x−1)(β/W)²(R−1) d² + O(d³): R = 1 is where a broken solution leaves
    (docs/theory.md §7).
    """
    point = complexity_at(PERCEPTRON, pool_ratio=ALPHA, budget=BUDGET, log_volume=volume)
    t, D, V, beta = parts(point)
    g, x, d = beta / (V + beta * D), 1.0 + 1e-3, 0.02 * D
    base = one_step_free_entropy(point, x, 0.0)
    values = np.array([one_step_free_entropy(point, x, k * d) - base for k in (1, 2, 3)])
    # fit a d + b d² + c d³ through the three values
    _, quadratic, _ = np.linalg.solve(np.vander([d, 2 * d, 3 * d], 4, increasing=True)[:, 1:], values)
    ratio = 1.0 + 4.0 * quadratic / ((x - 1.0) * g * g)
    assert t > 0.0
    assert point.stability == pytest.approx(ratio, rel=0.02, abs=0.02)


@pytest.mark.parametrize(
    ("budget", "inside", "outside", "complexity"),
    [(0.6, -0.25, -0.1756, 0.4395), (0.6, -0.8, -0.962, 0.1151), (0.3, -0.4, -0.5095, 0.1739)],
)
def test_where_symmetry_breaks_at_alpha_3(budget: float, inside: float, outside: float, complexity: float) -> None:
    """R passes 1 before the ends (physics.md §7 has Σ ≈ 0.42 for the first; the ratio is checked
    above, so this stands).
    """

    def excess(volume: float) -> float:
        return complexity_at(PERCEPTRON, pool_ratio=ALPHA, budget=budget, log_volume=volume).stability - 1.0

    crossing = complexity_at(
        PERCEPTRON, pool_ratio=ALPHA, budget=budget, log_volume=float(brentq(excess, inside, outside, xtol=1e-7))
    )
    assert crossing.complexity == pytest.approx(complexity, abs=2e-4)
    assert crossing.inner_stability < 1.0
