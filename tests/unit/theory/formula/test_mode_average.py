"""The weights' part of the free entropy for several variances: against its integrals, and its
derivatives.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.model import GLM, Spectrum
from gardner.theory.formula.conjugates import to_k
from gardner.theory.formula.evaluation import derivatives, make_mesh
from gardner.theory.formula.free_entropy import Parameters, to_coordinates
from gardner.theory.formula.mode_average import mode_average, mode_responses
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.taylor import Floats

C = (3.0, 1.0, 0.2, 0.0)
PAIR = Pair(GLM(Spectrum(C)), GLM(Spectrum(C, 0.6)))
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
M_HAT, Q_HAT, APART = 0.7, 0.5, 0.4


def place(beta: float) -> Floats:
    z = to_coordinates(np.array([0.5, 0.2, 0.1 if beta > -5.0 else 0.01, 0.6, -0.7, beta]))
    return np.append(z, to_k(PAIR, beta, (M_HAT, Q_HAT, APART, 1.1 + max(beta, 0.0) * APART)))


def direct(at: Parameters) -> float:
    """∫Dx⁰Dξ ln ∫Dλ exp[β ψ(A, m̂x⁰ + √q̂ ξ + √Δ λ)], one weight after the other, the λ-integral by
    nodes too.
    """
    A, beta, total = at.precision.value, at.beta.value, 0.0
    for c, tau in zip(C, PAIR.teacher.prior.second_moments / PAIR.teacher.prior.second_moment, strict=True):
        field = M_HAT * math.sqrt(tau) * NODES[:, None] + math.sqrt(Q_HAT) * NODES  # x⁰ and ξ
        b = field[..., None] + math.sqrt(APART) * NODES
        psi = -0.5 * math.log1p(c * A) + 0.5 * c * b * b / (1.0 + c * A)
        inner = np.log(np.sum(WEIGHTS / math.sqrt(2.0 * math.pi) * np.exp(beta * psi), axis=-1))
        total += float(np.sum(np.outer(WEIGHTS, WEIGHTS) / (2.0 * math.pi) * inner)) / len(C)
    return total


@pytest.mark.parametrize("beta", [-1.7, -0.3, 0.4, 1.3])
def test_the_closed_form_is_the_integral(beta: float) -> None:
    at = Parameters(PAIR, place(beta))
    assert mode_average(at).value == pytest.approx(direct(at), abs=1e-9)


@pytest.mark.parametrize("beta", [-40.0, -1.7, 0.4, 6.0])
def test_gradient_and_hessian_of_the_free_entropy(beta: float) -> None:
    z, step = place(beta), 1e-5
    mesh = make_mesh(PAIR, z)
    here = derivatives(PAIR, 3.0, z, mesh)
    moved = [[derivatives(PAIR, 3.0, z + sign * step * axis, mesh) for sign in (1, -1)] for axis in np.eye(len(z))]
    slope = [(up.value - down.value) / (2.0 * step) for up, down in moved]
    curve = [(up.gradient - down.gradient) / (2.0 * step) for up, down in moved]
    np.testing.assert_allclose(here.gradient, slope, atol=2e-8 * (1.0 + abs(beta)))
    np.testing.assert_allclose(here.hessian, curve, atol=2e-8 * (1.0 + abs(beta)) ** 2)


def test_one_variance_is_the_eliminated_form() -> None:
    """Weights of one variance: at the conjugates that extremise it, the general form is the closed
    one.
    """
    beta, pair = -2.5, Pair(GLM(Spectrum([1.3, 1.3])), GLM(Spectrum([1.3, 1.3])))
    m, t, D, V = 0.6, 0.15, 0.08, 0.55
    W, c = V + beta * D, 1.3
    A, x = 1.0 / V - 1.0 / c, 1.0 / W - 1.0 / c  # c/(1 + cA) = V and c/(1 + cx) = W
    conjugates = (m / W, t / W**2, (A - x) / beta, A)
    z = to_coordinates(np.array([m, t, D, V, 0.3, beta]))
    plain, general = Parameters(pair, z), Parameters(pair, np.append(z, to_k(pair, beta, conjugates)))
    whole = general.coupling() + mode_average(general)
    assert whole.value == pytest.approx(plain.entropic().value, abs=1e-13)
    np.testing.assert_allclose(whole.slope[6:], 0.0, atol=1e-13)  # stationary in all four
    np.testing.assert_allclose(whole.slope[:6], plain.entropic().slope, atol=1e-13)
    assert mode_responses(general) == pytest.approx((W * W, V * V), rel=1e-12)
