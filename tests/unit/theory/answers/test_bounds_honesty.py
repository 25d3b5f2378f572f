"""What the theory says of its own numbers: errors that cover what is missed, and refusals instead
of garbage.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import gardner.theory.answers.extremes as extremes
import gardner.theory.curve.stationary as stationary
from gardner import ConvergenceError, GardnerError, InvalidInputError, bounds, typical
from gardner.model import (
    GLM,
    PERCEPTRON,
    Channel,
    Flip,
    GaussBernoulli,
    Gaussian,
    Laplace,
    Logistic,
    Prior,
    Probit,
    Sign,
)
from gardner.theory.answers.problem import branch, checked_problem
from gardner.theory.curve.branch import follow
from gardner.theory.curve.ends import EndStatus, Side
from gardner.theory.curve.equations import State
from gardner.theory.curve.point import Point, end_status, frozen_point, point_of, typical_point
from gardner.theory.curve.stationary import at_complexity, solve
from gardner.theory.formula.evaluation import Mesh
from gardner.theory.formula.pair import pair_of
from gardner.theory.formula.quadrature import stretched_grid
from gardner.theory.formula.taylor import Floats
from gardner.theory.roots import root_between, root_of_falling

REFERENCE = -0.96258255  # the lower end at alpha = 3, budget = 0.6


def _lower_end() -> State:
    end = branch(checked_problem(PERCEPTRON, 3.0, 0.6), Side.MIN).end
    assert end is not None
    return end


def _point(state: State) -> Point:
    return point_of(state)


@pytest.mark.parametrize("panels", [6, 12])
def test_the_error_covers_what_a_coarse_integral_misses(panels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The panels are made too wide on purpose: the estimate must be no smaller than the error, and
    of its size.
    """
    end = _lower_end()

    def coarse(_: object, __: Floats) -> Mesh:
        return Mesh(stretched_grid(2.0, 9.0, panels))

    monkeypatch.setattr(stationary, "make_mesh", coarse)
    found = _point(solve(end.problem, end.z, at_complexity(0.0)))
    missed = abs(found.log_volume - REFERENCE)
    assert missed > 1e-10
    assert 0.3 * missed < found.quadrature_error < 1e4 * missed + 1e-10


def test_a_good_end_is_known_to_six_decimals() -> None:
    point = _point(_lower_end())
    assert point.quadrature_error < 1e-9
    assert point.accuracy_error < 1e-9
    assert end_status(EndStatus.ZERO, point, "") == (EndStatus.ZERO, "")


def test_an_end_that_is_not_known_says_so() -> None:
    point = _point(_lower_end())
    status, reason = end_status(EndStatus.ZERO, replace(point, quadrature_error=1.1e-3), "")
    assert status is EndStatus.IMPRECISE
    assert "1e-03" in reason
    status, reason = end_status(EndStatus.BRACKETED, replace(point, resolved=False), "")
    assert status is EndStatus.IMPRECISE
    assert "panels" in reason
    assert end_status(EndStatus.UNRESOLVED, replace(point, quadrature_error=1.0), "why") == (
        EndStatus.UNRESOLVED,
        "why",
    )


@pytest.mark.parametrize(
    ("prior", "channel", "refused"),
    [
        (Gaussian(1e300), Sign(), InvalidInputError),
        (Gaussian(1e-300), Sign(), InvalidInputError),
        (Laplace(1e300), Sign(), InvalidInputError),
        (Laplace(1e-300), Sign(), InvalidInputError),
        (Gaussian(), Flip(0.4999999999), ConvergenceError),
    ],
)
def test_extreme_parameters_are_refused(prior: Prior, channel: Channel, refused: type[Exception]) -> None:
    with pytest.raises(refused):
        typical(GLM(prior, channel), budget=0.6)


def test_integrals_that_are_not_resolved_are_no_answer() -> None:
    """Version 0.1.0 said ln v = +0.89 here, for labels that can only take volume away."""
    with pytest.raises(ConvergenceError, match="not resolved"):
        typical(GLM(GaussBernoulli(1e-6), Sign()), budget=0.6)


@pytest.mark.parametrize("budget", [1e-8, 1e-9])
def test_a_tiny_budget_is_answered_or_refused(budget: float) -> None:
    try:
        found = bounds(pool_ratio=3.0, budget=budget)
    except GardnerError:
        return
    assert found.minimum.log_volume <= found.typical.log_volume <= found.maximum.log_volume or math.isnan(
        found.minimum.log_volume
    )


def test_nothing_learned_is_a_guess() -> None:
    """A teacher drowned in noise: the accuracy is one half, not one."""
    assert typical(GLM(Gaussian(), Probit(1e30)), budget=0.6).accuracy == pytest.approx(0.5, abs=1e-9)


def test_a_faint_channel_is_not_even() -> None:
    assert not pair_of(GLM(Gaussian(), Logistic(1e-6))).even
    assert not pair_of(GLM(Gaussian(), Probit(1e12))).even


def test_a_side_whose_numbers_overflow_is_unresolved(monkeypatch: pytest.MonkeyPatch) -> None:
    def overflow(*_: object) -> State:
        raise OverflowError("too large")

    monkeypatch.setattr("gardner.theory.curve.branch.solve", overflow)
    found = follow(checked_problem(PERCEPTRON, 3.0, 0.55), Side.MIN)
    assert found.status is EndStatus.UNRESOLVED
    assert "too large" in found.reason


def test_roots_fail_as_convergence_errors() -> None:
    with pytest.raises(ConvergenceError, match="no x was found"):
        root_between(lambda x: 1.0 + x * x, -1.0, 1.0, what="x")
    with pytest.raises(ConvergenceError, match="not a number"):
        root_between(lambda _: math.nan, -1.0, 1.0, what="x")
    with pytest.raises(ConvergenceError):
        root_of_falling(lambda _: 1.0, 0.0, what="x")
    assert root_of_falling(lambda x: -x, 0.0, what="x") == 0.0


def test_an_extreme_whose_neighbours_cannot_be_solved_for_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    state = _lower_end()

    def fail(*_: object) -> State:
        raise ConvergenceError("no")

    monkeypatch.setattr(extremes, "solve", fail)
    top = typical_point(state.problem)
    assert extremes._refined(state, None, state, top, "accuracy") is state


def test_whoever_knows_the_weights_is_always_right() -> None:
    state = _lower_end()
    doubting = _point(state)
    frozen = frozen_point(state.problem, doubting)
    assert (frozen.accuracy, frozen.m, frozen.Q, frozen.r) == (1.0, 1.0, 1.0, 1.0)
    assert frozen.log_volume == doubting.log_volume
    assert math.isnan(frozen.beta)
    assert doubting.accuracy < 1.0


def test_what_still_moves_on_a_wall_is_part_of_the_error() -> None:
    """Ln v stands still while accuracy goes on; an earlier version said 0.5005 and 0.5010, each to
    10⁻¹³.
    """
    end = bounds(GLM(Gaussian(), Probit(0.1)), pool_ratio=50.0, budget=5.0).minimum
    assert end.status is EndStatus.BRACKETED
    assert end.point is not None
    assert 1e-4 < end.point.accuracy_error < 1e-2
    assert abs(end.point.accuracy - 0.5) < 2.0 * end.point.accuracy_error
