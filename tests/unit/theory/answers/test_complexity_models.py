"""Complexity curves beyond the perceptron: identities, edges, and where discrete weights freeze."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gardner import bounds, complexity_at, typical
from gardner.model import (
    GLM,
    PERCEPTRON,
    Flip,
    GaussBernoulli,
    Gaussian,
    Laplace,
    Linear,
    Logistic,
    Prior,
    Probit,
    Rademacher,
    Sign,
)
from gardner.theory.curve.ends import Branch, EndStatus, Side
from gardner.theory.curve.equations import Problem
from gardner.theory.curve.frozen import cut
from gardner.theory.formula.pair import pair_of

ALPHA, BUDGET = 3.0, 0.6
PAIRS: dict[str, tuple[GLM, GLM | None]] = {
    "linear": (GLM(Gaussian(), Linear(0.1)), None),
    "flip": (GLM(Gaussian(), Flip(0.05)), None),
    "ridge": (GLM(Gaussian(2.0), Linear(0.3)), GLM(Gaussian(), Linear(0.1))),
    "probit from flips": (GLM(Gaussian(1.5), Probit(0.2)), GLM(Laplace(), Flip(0.05))),
    "sparse regression": (GLM(GaussBernoulli(0.3), Linear(0.1)), None),
    "binary": (GLM(Rademacher(), Sign()), None),
}
SLOW: dict[str, tuple[GLM, GLM | None]] = {
    "binary flips": (GLM(Rademacher(), Flip(0.05)), None),
    "laplace": (GLM(Laplace(), Sign()), None),
    "logistic": (GLM(Gaussian(), Logistic(3.0)), None),
    "sparse": (GLM(GaussBernoulli(), Probit(0.1)), None),
    "laplace from sparse": (GLM(Laplace(), Linear(0.1)), GLM(GaussBernoulli(), Linear(0.1))),
}


@pytest.mark.parametrize("name", [*PAIRS, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_identities_along_any_curve(name: str) -> None:
    """DΣ/d ln v = −β at fixed n and ∂Σ/∂n = −φ at fixed ln v, on both sides; the top is the random
    subset.
    """
    student, teacher = (PAIRS | SLOW)[name]
    top = typical(student, budget=BUDGET, teacher=teacher).log_volume

    def at(volume: float, budget: float = BUDGET) -> Any:
        return complexity_at(student, pool_ratio=ALPHA, budget=budget, log_volume=volume, teacher=teacher)

    assert at(top).complexity == pytest.approx(1.5012073, abs=1e-6)
    for shift in (-0.05, 0.04):
        here = at(top + shift)
        assert here.beta * shift > 0.0
        assert here.residual < 1e-7
        assert here.quadrature_error < 1e-7
        step, labels = 1e-4, 1e-5
        slope = (at(top + shift + step).complexity - at(top + shift - step).complexity) / (2 * step)
        assert slope == pytest.approx(-here.beta, rel=1e-4, abs=1e-5)
        more, fewer = (at(top + shift, BUDGET + s * labels).complexity for s in (1, -1))
        assert (more - fewer) / (2 * labels) == pytest.approx(-here.phi, rel=1e-4, abs=1e-4)
    near = [at(top + s * 2e-4) for s in (1, -1)]
    for quantity in ("m", "q", "Q", "r", "accuracy", "information"):
        middle = 0.5 * (getattr(near[0], quantity) + getattr(near[1], quantity))
        assert getattr(at(top), quantity) == pytest.approx(middle, rel=1e-3)


def test_flips_make_the_smallest_evidence_a_bad_subset() -> None:
    """With label noise neither information nor accuracy is best at the smallest evidence; without,
    both are.
    """
    noisy, clean = (
        bounds(GLM(Gaussian(), Flip(0.05)), pool_ratio=ALPHA, budget=BUDGET),
        bounds(PERCEPTRON, pool_ratio=ALPHA, budget=BUDGET),
    )
    assert noisy.extremes is not None
    assert clean.extremes is not None
    assert noisy.minimum.point is not None
    assert noisy.extremes.most_accurate.accuracy > noisy.minimum.point.accuracy + 1e-3
    assert noisy.extremes.most_information.information > noisy.minimum.point.information + 1e-3
    for extreme in vars(noisy.extremes).values():
        assert extreme.complexity > -1e-8
        assert noisy.minimum.log_volume <= extreme.log_volume <= noisy.maximum.log_volume
    assert clean.extremes.most_information == clean.minimum.point
    assert clean.extremes.most_accurate == clean.minimum.point
    assert clean.extremes.least_information == clean.maximum.point
    assert noisy.agnostic_information == pytest.approx(BUDGET * noisy.capacity)
    assert clean.halving == -BUDGET * math.log(2.0)


@pytest.mark.slow
def test_binary_weights_freeze() -> None:
    """No subset of binary weights and noiseless labels has a volume below 2^−N; the curve ends
    there.
    """
    for budget in (0.6, 1.3):
        result = bounds(GLM(Rademacher(), Sign()), pool_ratio=ALPHA, budget=budget)
        assert result.minimum.status is EndStatus.FROZEN
        assert result.minimum.log_volume == pytest.approx(-math.log(2.0), abs=1e-8)
        assert result.minimum.point is not None
        assert result.minimum.point.accuracy == 1.0  # whoever knows the weights is always right
        assert result.extremes is not None
        assert result.extremes.most_accurate.accuracy == 1.0
        if result.minimum.doubting is not None:  # where the typical subset is frozen already nobody doubts
            assert result.minimum.doubting.accuracy < 0.9
        assert result.maximum.status is EndStatus.ZERO
        assert result.maximum.log_volume > -math.log(2.0)
        assert result.quadrature_error < 1e-7


def test_pairs_know_what_they_are() -> None:
    assert pair_of(PERCEPTRON).matched
    assert pair_of(GLM(Rademacher())).fixed_norm
    assert not pair_of(GLM(Laplace())).fixed_norm
    assert not pair_of(PERCEPTRON, GLM(Gaussian(2.0))).matched


@pytest.mark.parametrize(
    ("prior", "tails"), [(Laplace(), 0.0), (GaussBernoulli(0.3), 0.3), (Gaussian(2.0), 0.5), (Rademacher(), math.inf)]
)
def test_the_tails_of_a_prior_set_the_edge_of_the_conjugates(prior: Prior, tails: float) -> None:
    """Against ψ_X itself: b²/2(A+a) at large fields, linear for bounded weights."""
    assert pair_of(GLM(prior)).tail_precision == pytest.approx(tails, rel=1e-12, abs=1e-12)
    A, b = 0.7, 1e5
    grown = float(np.asarray(prior.log_partition(A, np.float64(b)))) / b**2
    assert grown == pytest.approx(0.5 / (A + tails), abs=1e-4)


@pytest.mark.slow
def test_binary_weights_freeze_within_the_first_step() -> None:
    """Just below the transition of random subsets the first point off β = 0 is past it."""
    lower = bounds(GLM(Rademacher(), Sign()), pool_ratio=3.0, budget=1.24).minimum
    assert lower.status is EndStatus.FROZEN
    assert lower.log_volume == pytest.approx(-math.log(2.0), abs=1e-9)


def test_a_teacher_of_another_prior_does_not_freeze_a_noisy_student() -> None:
    student, teacher = GLM(Rademacher(), Probit(0.3)), GLM(Gaussian(), Probit(0.3))
    state: Any = SimpleNamespace(information=0.9, log_volume=-0.9)
    whole = Branch(Problem(student, 3.0, 0.6, teacher), Side.MIN, np.zeros(6), [state], EndStatus.ZERO)
    assert cut(whole) is whole
