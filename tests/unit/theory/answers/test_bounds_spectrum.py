"""Bounds, curves and budgets of weights of different variances."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.model import GLM, PERCEPTRON, Gaussian, Linear, Sign, Spectrum
from gardner.theory import Bounds, bounds, budget_for, complexity_points, learning_curve
from gardner.theory.formula.taylor import Floats

NEARLY_FLAT = GLM(Spectrum([1.0 + 1e-7, 1.0 - 1e-7]))  # the general way; off by the square of 1e-7
HALF = GLM(Spectrum([1.0, 0.0]))
LOG_UNIFORM = Spectrum(np.geomspace(1.0, 0.01, 60))


def ends(found: Bounds) -> Floats:
    points = [end.point for end in (found.minimum, found.maximum)]
    assert all(point is not None for point in points)
    return np.array([[p.log_volume, p.accuracy, p.stability, p.inner_stability] for p in points if p is not None])


@pytest.mark.parametrize(("alpha", "budget"), [(3.0, 0.3), (3.0, 1.2)])
def test_a_flat_spectrum_has_todays_bounds(alpha: float, budget: float) -> None:
    flat = ends(bounds(GLM(Spectrum([1.0] * 5)), pool_ratio=alpha, budget=budget))
    known = ends(bounds(pool_ratio=alpha, budget=budget))
    assert (flat == known).all()
    general = ends(bounds(NEARLY_FLAT, pool_ratio=alpha, budget=budget))
    np.testing.assert_allclose(general[:, 0], known[:, 0], atol=1e-9)
    np.testing.assert_allclose(general[:, 1:], known[:, 1:], rtol=1e-6)


def test_weights_without_effect_only_count() -> None:
    """Half of the weights have no effect: all is per weight that varies, twice the rows and twice
    the labels.
    """
    half, whole = bounds(HALF, pool_ratio=1.5, budget=0.3), bounds(pool_ratio=3.0, budget=0.6)
    found, known = ends(half), ends(whole)
    np.testing.assert_allclose(2.0 * found[:, 0], known[:, 0], atol=1e-8)
    np.testing.assert_allclose(found[:, 1:], known[:, 1:], rtol=1e-6)
    assert half.minimum.point is not None
    assert half.minimum.point.quadrature_error < 1e-8


def test_the_slope_of_the_curve_is_minus_beta() -> None:
    step = 1e-3
    for place in (-0.7, -0.2):
        volumes = [place - step, place, place + step]
        curve = complexity_points(GLM(LOG_UNIFORM), pool_ratio=3.0, budget=0.6, log_volumes=volumes)
        low, here, high = curve.points
        assert (high.complexity - low.complexity) / (2.0 * step) == pytest.approx(-here.beta, rel=1e-4)


def test_bounds_hold_what_rules_reach() -> None:
    model = GLM(LOG_UNIFORM)
    found = bounds(model, pool_ratio=3.0, budget=0.6)
    greedy = learning_curve("agnostic", model, pool_ratio=3.0, budget=0.6, batch_ratio=0.05).points[-1].log_volume
    assert -0.6 * math.log(2.0) < greedy < found.typical.log_volume
    assert found.pool.log_volume < found.minimum.log_volume < greedy < found.maximum.log_volume


def test_a_mismatched_teacher_has_bounds() -> None:
    student, teacher = GLM(LOG_UNIFORM), GLM(Spectrum(LOG_UNIFORM.variances, 0.5))
    found = bounds(student, pool_ratio=3.0, budget=0.6, teacher=teacher)
    assert found.minimum.log_volume < found.typical.log_volume < found.maximum.log_volume
    # a teacher of one variance is one of equal variances, and gives the same numbers as its
    # spectrum
    plain = bounds(student, pool_ratio=3.0, budget=0.6, teacher=GLM(Gaussian()))
    listed = bounds(student, pool_ratio=3.0, budget=0.6, teacher=GLM(Spectrum([1.0] * 60)))
    np.testing.assert_allclose(ends(plain), ends(listed), rtol=1e-9)


def test_linear_labels_have_bounds() -> None:
    found = bounds(GLM(LOG_UNIFORM, Linear(0.1)), pool_ratio=3.0, budget=0.6)
    assert [end.status.value for end in (found.minimum, found.maximum)] == ["zero", "zero"]


@pytest.mark.slow
def test_budgets_and_their_floor() -> None:
    easy, hard = (budget_for(model, pool_ratio=3.0, accuracy=0.8) for model in (GLM(LOG_UNIFORM), PERCEPTRON))
    for answer in (easy, hard):
        assert answer.agnostic_floor is not None
        assert answer.best is not None
        assert answer.agnostic is not None
        assert answer.random is not None
        assert answer.best < answer.agnostic < answer.random
        assert answer.agnostic_floor < answer.agnostic
    assert easy.random is not None
    assert hard.random is not None
    assert easy.random < hard.random


def test_results_are_read_back_with_their_numbers() -> None:
    found = bounds(GLM(LOG_UNIFORM), pool_ratio=3.0, budget=0.6)
    again = Bounds.from_json(found.to_json())
    assert again.problem.model == GLM(LOG_UNIFORM, Sign())
    assert again.minimum.log_volume == found.minimum.log_volume
