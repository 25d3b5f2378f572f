"""Ends with one step of breaking: inside the symmetric ones, and stationary points of the formula
as it is written.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import replace

import pytest
from tests.broken_formula import free_entropy, slope

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.model import GLM, PERCEPTRON, Flip, Gaussian, Laplace, Sign, Spectrum
from gardner.theory import BreakingStatus, BrokenEnd, EndStatus, Side
from gardner.theory.answers.problem import branch, checked_problem
from gardner.theory.breaking import end as module
from gardner.theory.breaking import leaving
from gardner.theory.breaking.end import broken_end, check_breakable
from gardner.theory.breaking.free_entropy import Place

ALPHA, BUDGET = 3.0, 0.6


@functools.cache
def end(side: Side) -> BrokenEnd:
    return broken_end(branch(checked_problem(PERCEPTRON, ALPHA, BUDGET), side))


@pytest.mark.parametrize(
    ("side", "volume", "x"),
    [pytest.param(Side.MIN, -0.9611449, 0.1559, marks=pytest.mark.slow), (Side.MAX, -0.1764296, 0.0983)],
    ids=str,
)
def test_ends_lie_inside_the_symmetric_ones(side: Side, volume: float, x: float) -> None:
    found = end(side)
    assert found.status is BreakingStatus.ZERO
    assert found.point is not None
    assert found.log_volume == pytest.approx(volume, abs=1e-7)
    assert found.point.breaking_point == pytest.approx(x, abs=1e-4)
    assert found.point.complexity == pytest.approx(0.0, abs=1e-7)
    assert found.error < 1e-7
    assert found.resolved
    assert side.sign * found.correction < 0.0
    assert found.point.r == pytest.approx(1.0, abs=1e-8)
    points = found.path
    assert [one.breaking_point for one in points] == sorted((one.breaking_point for one in points), reverse=True)
    assert all(one.quadrature_error < 1e-6 for one in points)
    assert found.point.stability > 1.0  # one step is not enough there


@pytest.mark.parametrize("side", [pytest.param(Side.MIN, marks=pytest.mark.slow), Side.MAX], ids=str)
def test_complexity_falls_along_the_path_with_slope_minus_beta(side: Side) -> None:
    """DΣ/d ln v = −β between neighbours, by the trapezoid rule in β."""
    points = [one for one in end(side).path if one.breaking_point < 0.9]
    for one, two in itertools.pairwise(points):
        rise = -0.5 * (one.beta + two.beta) * (two.log_volume - one.log_volume)
        assert two.complexity - one.complexity == pytest.approx(rise, rel=0.06)


@pytest.mark.parametrize("side", [pytest.param(Side.MIN, marks=pytest.mark.slow), Side.MAX], ids=str)
def test_a_second_computation_finds_the_same_end(side: Side) -> None:
    """Other quadrature, no equations by hand: all derivatives vanish there, and Σ does, to 5·10⁻⁵
    of ln v.
    """
    point = end(side).point
    assert point is not None
    q0, d = point.q0, point.q1 - point.q0
    place = Place(
        point.m, q0 - point.m**2, d, point.Q - point.q1, point.r - point.Q,
        point.breaking_point, point.phi, point.beta,
    )  # fmt: skip
    formula = functools.partial(free_entropy, ALPHA)
    size = abs(point.beta)
    for name in ("m", "t", "d", "D", "V", "x"):  # per unit of ln v, and of a relative change
        assert getattr(place, name) * slope(formula, place, name) / size == pytest.approx(0.0, abs=1e-6), name
    volume, labels = slope(formula, place, "beta", 5e-4), slope(formula, place, "phi")
    assert volume == pytest.approx(point.log_volume, abs=1e-6)
    assert labels == pytest.approx(BUDGET, abs=1e-5)  # of differences
    complexity = formula(place) - point.beta * volume - point.phi * labels
    assert complexity / size == pytest.approx(0.0, abs=5e-6)


@pytest.mark.slow
def test_where_the_branch_is_lost_a_bracket_says_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past a point ln v moves by at most Σ/|β|, and not beyond the symmetric end."""

    def lost(*_: object) -> None:
        raise ConvergenceError("lost")

    followed = branch(checked_problem(PERCEPTRON, ALPHA, 0.3), Side.MAX)
    whole = broken_end(followed)
    monkeypatch.setattr(module, "at_zero", lost)
    found = broken_end(followed)
    assert found.reason == "lost"
    assert found.bracket is not None
    low, high = found.bracket
    assert low <= whole.log_volume <= high <= followed.states[-1].log_volume
    assert found.status is (BreakingStatus.BRACKETED if high - low <= 1e-4 else BreakingStatus.UNRESOLVED)
    monkeypatch.setattr(module, "departure", lost)
    assert broken_end(followed).status is BreakingStatus.UNRESOLVED


def test_an_end_that_is_not_known_stays_unknown() -> None:
    followed = branch(checked_problem(PERCEPTRON, ALPHA, BUDGET), Side.MIN)
    found = broken_end(replace(followed, status=EndStatus.UNRESOLVED, reason="lost"))
    assert (found.status, found.reason) == (BreakingStatus.UNRESOLVED, "lost")
    assert found.log_volume != found.log_volume
    assert not found.resolved


def test_on_the_wall_symmetry_holds() -> None:
    followed = branch(checked_problem(PERCEPTRON, ALPHA, 2.7), Side.MIN)
    found = broken_end(followed)
    assert found.status is BreakingStatus.SYMMETRIC
    assert found.log_volume == followed.states[-1].log_volume
    assert found.symmetric_error < 1e-8


def test_the_end_is_bracketed_from_the_last_point_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where clusters of some sizes are out of reach, as on the wall without windows."""
    monkeypatch.setattr(leaving, "_split_by_windows", lambda *_: -math.inf)
    followed = branch(checked_problem(PERCEPTRON, ALPHA, 2.7), Side.MIN)
    found = broken_end(followed)
    assert found.status in (BreakingStatus.BRACKETED, BreakingStatus.UNRESOLVED)
    assert "too fine a grid" in found.reason
    assert found.bracket is not None
    assert found.bracket[0] >= followed.states[-1].log_volume
    assert not found.resolved


@pytest.mark.parametrize(
    ("student", "teacher"),
    [
        (GLM(Laplace(), Sign()), None),
        (GLM(Gaussian(), Flip(0.1)), None),
        (GLM(Spectrum((0.5, 1.5)), Sign()), None),
        (PERCEPTRON, GLM(Gaussian(), Flip(0.1))),
    ],
)
def test_other_models_are_refused_in_one_line(student: GLM, teacher: GLM | None) -> None:
    with pytest.raises(InvalidInputError, match="Gaussian weights and the sign"):
        check_breakable(checked_problem(student, ALPHA, BUDGET, teacher))
