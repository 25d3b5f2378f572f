"""Averages over a spectrum, against sums over single weights and against integrals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.model import GLM, Gaussian, Linear, Rademacher, Spectrum
from gardner.theory import learning_curve, typical
from gardner.theory.formula.modes import Modes
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.taylor import Floats
from gardner.theory.random_subset.state_evolution import WeightConjugates, weight_moments

C = np.array([3.0, 1.0, 1.0, 0.2, 0.0])
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def log_uniform(count: int) -> Floats:
    return np.geomspace(0.02, 2.0, count)


def test_weights_answer_as_their_integrals_say() -> None:
    """∫Dx⁰ ∫Dξ over each weight's field b = m̂x⁰ + √Q̂ ξ, one weight after the other."""
    student, teacher = Spectrum(C), Spectrum(C, 0.7)
    pair = Pair(GLM(student), GLM(teacher))
    at = WeightConjugates(0.8, 1.3, 0.9)
    found = weight_moments(pair, at)
    density = np.outer(WEIGHTS, WEIGHTS) / (2.0 * math.pi)
    totals = np.zeros(4)
    for c, tau in zip(C, teacher.second_moments, strict=True):
        x0 = math.sqrt(tau) * NODES[:, None]
        b = at.m * x0 / pair.teacher_scale + math.sqrt(at.Q) * NODES
        v = c / (1.0 + c * at.A)
        terms = (0.5 * v * b * b - 0.5 * math.log1p(c * at.A), x0 / pair.teacher_scale * v * b, (v * b) ** 2, v + 0 * b)
        totals += [float(np.sum(density * term)) / len(C) for term in terms]
    assert [found.value, found.m, found.Q, found.V] == pytest.approx(totals, abs=1e-12)
    assert found.Q - found.m**2 == pytest.approx(totals[2] - totals[1] ** 2, abs=1e-12)


def test_equal_variances_are_counted() -> None:
    modes = Modes.of(C, np.array([2.0]))
    assert (modes.c.tolist(), modes.share.tolist()) == ([0.0, 0.2, 1.0, 3.0], [0.2, 0.2, 0.4, 0.2])
    assert modes.tau.tolist() == [1.0] * 4


def test_a_flat_spectrum_is_the_gaussian_prior() -> None:
    flat, plain = GLM(Spectrum([2.0] * 9)), GLM(Gaussian(2.0))
    for budget in (0.1, 1.0, 7.0):
        one, other = typical(flat, budget=budget), typical(plain, budget=budget)
        assert [one.log_volume, one.overlap, one.accuracy] == pytest.approx(
            [other.log_volume, other.overlap, other.accuracy], abs=1e-12
        )
    curves = [learning_curve("agnostic", model, pool_ratio=3.0, budget=0.6, batch_ratio=0.1) for model in (flat, plain)]
    volumes = [[point.log_volume for point in curve.points] for curve in curves]
    assert volumes[0] == pytest.approx(volumes[1], abs=1e-12)


def test_check_values_of_rows_with_a_covariance() -> None:
    """c log-uniform over two decades, N = 300: the numbers found when the theory was derived."""
    model = GLM(Spectrum(np.geomspace(0.01, 1.0, 300)))
    random = [typical(model, budget=n).log_volume for n in (0.3, 0.6, 1.2)]
    assert random == pytest.approx([-0.1887, -0.3469, -0.6037], abs=1e-4)
    curve = learning_curve("agnostic", model, pool_ratio=4.0, budget=1.2, batch_ratio=0.02)
    agnostic = [point.log_volume for point in curve.points if round(point.budget, 6) in (0.3, 0.6, 1.2)]
    assert agnostic == pytest.approx([-0.2065, -0.4131, -0.8264], abs=1e-4)


def test_the_unit_of_a_spectrum_does_not_matter_for_signs() -> None:
    one, other = (typical(GLM(Spectrum(scale * log_uniform(40))), budget=1.0) for scale in (1.0, 50.0))
    assert one.log_volume == pytest.approx(other.log_volume, abs=1e-10)
    assert one.accuracy == pytest.approx(other.accuracy, abs=1e-10)


def test_weights_without_effect_are_labels_per_weight_that_varies() -> None:
    """Half of the weights are zero: n labels per weight are 2n per weight that varies, and ln v is
    halved.
    """
    half = typical(GLM(Spectrum([1.0, 0.0])), budget=0.5)
    whole = typical(budget=1.0)
    assert half.log_volume == pytest.approx(0.5 * whole.log_volume, abs=1e-10)
    assert half.accuracy == pytest.approx(whole.accuracy, abs=1e-10)


def test_labels_along_large_directions_are_learned_faster() -> None:
    c = log_uniform(50)
    accuracies = [typical(GLM(Spectrum(c, s)), budget=0.5).accuracy for s in (-0.5, 0.0, 0.5)]
    assert accuracies == sorted(accuracies)
    student = GLM(Spectrum(c))
    for s in (-0.5, 0.5):  # who knows the alignment does better than who does not
        teacher = GLM(Spectrum(c, s))
        assert typical(student, budget=0.5, teacher=teacher).accuracy < typical(teacher, budget=0.5).accuracy


def test_a_student_of_one_variance_sees_the_mean_of_a_teachers_only() -> None:
    told = typical(GLM(), budget=1.0, teacher=GLM(Spectrum([1.5, 0.5])))
    assert told.log_volume == pytest.approx(typical(budget=1.0).log_volume, abs=1e-9)


def test_linear_labels_have_every_rule_alike() -> None:
    model = GLM(Spectrum(log_uniform(30)), Linear(0.1))
    curve = learning_curve("agnostic", model, pool_ratio=3.0, budget=0.6, batch_ratio=0.3)
    assert curve.points[-1].log_volume == pytest.approx(typical(model, budget=0.6).log_volume, abs=1e-12)


def test_directions_must_be_shared() -> None:
    with pytest.raises(InvalidInputError, match="share their directions"):
        typical(GLM(Spectrum([1.0, 2.0])), budget=1.0, teacher=GLM(Spectrum([1.0, 2.0, 3.0])))
    with pytest.raises(InvalidInputError, match="does not learn from a spectrum"):
        typical(GLM(Rademacher()), budget=1.0, teacher=GLM(Spectrum([1.0, 2.0])))
