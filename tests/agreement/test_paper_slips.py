"""Each slip of the paper's text (docs/theory.md, section 9), with the check that shows it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from gardner import bounds, complexity_at
from gardner.inference.message_passing import amp
from gardner.model import PERCEPTRON
from gardner.theory.curve.point import Point

ALPHA, BUDGET = 3.0, 0.6
ZETA, _W = np.polynomial.hermite_e.hermegauss(140)
ZETA_WEIGHTS = _W / np.sqrt(2 * np.pi)
ETA = np.linspace(-8.5, 8.5, 2401)
ETA_WEIGHTS = np.gradient(ETA) * np.exp(-0.5 * ETA**2) / np.sqrt(2 * np.pi)


def conjugates_as_printed(point: Point) -> dict[str, float]:
    """(m̂, q̂, Q̂, r̂) from the right-hand sides of the paper's (SP1)–(SP2), Q̂ and r̂ as printed,
    without e^φ.
    """
    V, D, t = point.r - point.Q, point.Q - point.q, point.q - point.m**2
    X = -(np.sqrt(D) * ZETA + np.sqrt(point.q) * ETA[:, None]) / np.sqrt(V)
    H = ndtr(-X)
    density = np.exp(-0.5 * X**2) / np.sqrt(2 * np.pi)
    e_phi, beta = np.exp(point.phi), point.beta
    one = 1.0 + e_phi * (H**beta @ ZETA_WEIGHTS)
    first = (H ** (beta - 1) * density) @ ZETA_WEIGHTS
    second = (H ** (beta - 2) * density**2) @ ZETA_WEIGHTS
    third = (H ** (beta - 1) * X * density) @ ZETA_WEIGHTS
    teacher = 2 * ALPHA * ETA_WEIGHTS * ndtr(point.m * ETA / np.sqrt(t))
    slope = 2 * ALPHA * ETA_WEIGHTS * np.exp(-0.5 * (point.m * ETA) ** 2 / t) / np.sqrt(2 * np.pi)
    return {
        "m": float(np.sum(slope * np.sqrt(point.q / t) * e_phi * first / one) / np.sqrt(V)),
        "q": float(np.sum(teacher * (e_phi * first / one) ** 2) / V),
        "Q": float(np.sum(teacher * second / one) / V),
        "r": float(-np.sum(teacher * third / one) / V),
    }


def overlaps(point: Point, m_hat: float, q_hat: float, Q_hat: float, r_hat: float) -> tuple[float, ...]:
    """(m, q, Q, r) from the conjugates, the paper's first four equations with Q̂ (not Q) in the last."""
    beta = point.beta
    X, Y = 1 + r_hat - (beta - 1) * Q_hat + beta * q_hat, 1 + r_hat + Q_hat
    q = (q_hat + m_hat**2) / X**2
    return m_hat / X, q, q + (1 / X - 1 / Y) / beta, q + 1 / (beta * X) + (beta - 1) / (beta * Y)


@pytest.mark.parametrize("volume", [-0.6, -0.3])
def test_saddle_point_equations_need_the_factor_e_phi(volume: float) -> None:
    point = complexity_at(PERCEPTRON, pool_ratio=ALPHA, budget=BUDGET, log_volume=volume)
    conjugates = conjugates_as_printed(point)
    e_phi = float(np.exp(point.phi))
    ours = (point.m, point.q, point.Q, point.r)
    corrected = overlaps(point, conjugates["m"], conjugates["q"], e_phi * conjugates["Q"], e_phi * conjugates["r"])
    assert corrected == pytest.approx(ours, rel=1e-6)
    printed = overlaps(point, conjugates["m"], conjugates["q"], conjugates["Q"], conjugates["r"])
    assert max(abs(a - b) for a, b in zip(printed, ours, strict=True)) > 0.05


def test_norm_equation_has_Q_hat_not_Q() -> None:
    point = complexity_at(PERCEPTRON, pool_ratio=ALPHA, budget=BUDGET, log_volume=-0.6)
    conjugates, e_phi, beta = conjugates_as_printed(point), float(np.exp(point.phi)), point.beta
    Q_hat, r_hat = e_phi * conjugates["Q"], e_phi * conjugates["r"]
    X = 1 + r_hat - (beta - 1) * Q_hat + beta * conjugates["q"]
    printed = point.q + 1 / (beta * X) + (beta - 1) / (beta * (1 + r_hat + point.Q))
    assert abs(printed - 1.0) > 0.05


def test_H_has_no_extra_factor() -> None:
    """∫Dt over the whole line is 1, so H(−∞) = 1; with the printed 1/√2π it would be 0.4."""
    integral = float(np.sum(ETA_WEIGHTS))
    assert integral == pytest.approx(1.0, abs=1e-6)
    assert integral / np.sqrt(2 * np.pi) == pytest.approx(0.3989, abs=1e-4)


def test_determinant_has_beta_s_m_squared() -> None:
    s, beta, m, q, Q, r = 3, 2, 0.3, 0.2, 0.4, 1.0
    size = s * beta
    same = np.kron(np.eye(s), np.ones((beta, beta)))
    matrix = np.ones((size + 1, size + 1))
    matrix[1:, 1:] = q + (Q - q) * same + (r - Q) * np.eye(size)
    matrix[0, 1:] = matrix[1:, 0] = m
    rest = (s - 1) * np.log(r + (beta - 1) * Q - beta * q) + (beta - 1) * s * np.log(r - Q)

    def log_det(last: float) -> float:
        return float(np.log(r + (beta - 1) * Q + (s - 1) * beta * q - last) + rest)

    exact = float(np.linalg.slogdet(matrix)[1])
    assert log_det(beta * s * m**2) == pytest.approx(exact, rel=1e-12)
    assert abs(log_det(beta * m**2) - exact) > 0.1


def test_replica_trick_needs_a_logarithm() -> None:
    """E ln Ξ = lim (1/s) ln E Ξ^s: for ln Ξ ~ N(2, 1) that is 2; (1/s) E Ξ^s diverges."""
    s = 1e-4
    moment = np.exp(2.0 * s + 0.5 * s * s)
    assert np.log(moment) / s == pytest.approx(2.0, abs=1e-3)
    assert moment / s > 1e3


def test_accuracy_of_a_student_is_arccos_m_over_root_Q() -> None:
    """App. D averages over subsets too: 0.170 at β = 0, α = 3, n = 0.6, where a student of one
    random subset errs 0.306.
    """
    point = bounds(PERCEPTRON, pool_ratio=ALPHA, budget=BUDGET).typical
    assert 1.0 - point.accuracy == pytest.approx(0.306, abs=1e-3)
    assert 1.0 - point.subset_averaged_accuracy == pytest.approx(0.170, abs=1e-3)
    errors = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        N = 1000
        teacher, F = rng.normal(size=N), rng.normal(size=(int(BUDGET * N), N)) / np.sqrt(N)
        mean = amp(F, np.sign(F @ teacher)).checked().mean
        cosine = mean @ teacher / np.linalg.norm(mean) / np.linalg.norm(teacher)
        errors.append(np.arccos(cosine) / np.pi)
    spread = np.std(errors, ddof=1) / np.sqrt(len(errors))
    assert np.mean(errors) == pytest.approx(1.0 - point.accuracy, abs=4 * spread + 1e-3)
    assert np.mean(errors) > 0.28  # nowhere near 0.170
