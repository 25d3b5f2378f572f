"""Branches, curves and the identities that hold along them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gardner import InvalidInputError, complexity_at, complexity_curve, pool, typical
from gardner.model import PERCEPTRON
from gardner.theory.curve.branch import follow
from gardner.theory.curve.ends import EndStatus, Side
from gardner.theory.curve.equations import Problem
from gardner.theory.curve.stationary import at_beta, evaluate, solve
from gardner.theory.formula.free_entropy import Parameters, gap, to_coordinates, to_theta
from gardner.theory.formula.pair import pair_of

problems = st.tuples(st.floats(0.6, 60.0), st.floats(0.02, 0.95)).map(lambda pair: (pair[0], pair[0] * pair[1]))


@given(problem=problems, place=st.floats(0.05, 0.9), lower=st.booleans())
@settings(max_examples=4)
def test_identities_along_a_curve(problem: tuple[float, float], place: float, lower: bool) -> None:
    """DΣ/d ln v = −β at fixed n, ∂Σ/∂n = −φ at fixed ln v, and r = 1."""
    alpha, budget = problem
    curve = complexity_curve(pool_ratio=alpha, budget=budget, points=3)
    top = typical(budget=budget).log_volume
    end = curve.points[0 if lower else -1].log_volume
    volume = top + place * (end - top)
    here = complexity_at(pool_ratio=alpha, budget=budget, log_volume=volume)
    assert here.r == pytest.approx(1.0, abs=1e-9)
    assert here.residual < 1e-7
    assert here.quadrature_error < 1e-7
    step = 1e-4 * abs(end - top)
    up, down = (complexity_at(pool_ratio=alpha, budget=budget, log_volume=volume + s * step) for s in (1, -1))
    assert (up.complexity - down.complexity) / (2 * step) == pytest.approx(-here.beta, rel=1e-4, abs=1e-5)
    labels = 1e-5 * budget * min(1.0, (alpha - budget) / budget)
    more, fewer = (complexity_at(pool_ratio=alpha, budget=budget + s * labels, log_volume=volume) for s in (1, -1))
    assert (more.complexity - fewer.complexity) / (2 * labels) == pytest.approx(-here.phi, rel=1e-4, abs=1e-5)


@given(problem=problems)
@settings(max_examples=4)
def test_top_of_the_curve_counts_all_subsets(problem: tuple[float, float]) -> None:
    """Σ(β → 0) is binomial, and the curve passes smoothly through the typical point found by other
    equations.
    """
    alpha, n = problem
    binomial = alpha * math.log(alpha) - n * math.log(n) - (alpha - n) * math.log(alpha - n)
    curve = complexity_curve(pool_ratio=alpha, budget=n, points=9)
    (top,) = [point for point in curve.points if point.beta == 0.0]
    assert top.complexity == pytest.approx(binomial, rel=1e-9)
    assert max(point.complexity for point in curve.points) <= binomial * (1 + 1e-12)
    near = [complexity_at(pool_ratio=alpha, budget=n, log_volume=top.log_volume * (1 + s)) for s in (2e-4, -2e-4)]
    for name in ("m", "q", "Q", "accuracy", "stability"):
        middle = 0.5 * (getattr(near[0], name) + getattr(near[1], name))
        assert getattr(top, name) == pytest.approx(middle, rel=1e-2)


@pytest.mark.parametrize("distance", [0.0, 1e-13, 1e-10, -1e-7, 1e-6, -1e-5, 6e-5, -6e-5])
def test_next_to_the_typical_point(distance: float) -> None:
    """However close to β = 0: dΣ = −½β d ln v, and everything is continuous."""
    top = complexity_at(pool_ratio=3.0, budget=0.6, log_volume=typical(budget=0.6).log_volume)
    assert top.beta == 0.0
    here = complexity_at(pool_ratio=3.0, budget=0.6, log_volume=top.log_volume + distance)
    assert here.beta * distance >= 0.0
    assert here.complexity == pytest.approx(top.complexity - 0.5 * here.beta * distance, abs=1e-9)
    for name in ("m", "q", "Q", "accuracy", "phi", "stability"):
        assert getattr(here, name) == pytest.approx(getattr(top, name), rel=3e-3)


@pytest.mark.parametrize("distance", [0.0, 1e-11, -1e-9, 1e-7])
def test_across_beta_one(distance: float) -> None:
    """At β = 1 the ratio D/V drops out of Φ; Q must still be the limit from both sides (0.3055014,
    by interpolation).
    """
    here = complexity_at(pool_ratio=3.0, budget=0.6, log_volume=-0.3390677815434 + distance)
    assert here.beta == pytest.approx(1.0, abs=1e-5)
    sides = [complexity_at(pool_ratio=3.0, budget=0.6, log_volume=here.log_volume + s * 1e-4) for s in (1, -1)]
    assert pytest.approx(0.5 * (sides[0].Q + sides[1].Q), abs=2e-6) == here.Q
    assert abs(0.5 * (sides[0].Q + sides[1].Q) - here.Q) < 3.0 * here.relative_error * here.Q + 1e-8


def test_typical_overlap_between_subsets_is_the_limit_of_the_branch() -> None:
    """Q and ln v of the β = 0 equations against the branch at β = ±h, extrapolated to zero."""

    def on_branch(beta: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        start = to_coordinates(np.array([*_typical_theta(), beta]))
        return np.array(solve(Problem(PERCEPTRON, 3.0, 0.6), start, at_beta(beta)).theta[:4])

    def mean(h: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        result: np.ndarray[tuple[int], np.dtype[np.float64]] = 0.5 * (on_branch(h) + on_branch(-h))
        return result

    limit = (4 * mean(0.02) - mean(0.04)) / 3
    np.testing.assert_allclose(limit, _typical_theta()[:4], rtol=1e-7)


def _typical_theta() -> tuple[float, ...]:
    from gardner.theory.random_subset.typical import typical_theta

    return typical_theta(pair_of(PERCEPTRON), 3.0, 0.6)[:5]


def test_branch_folds_in_beta_where_complexity_is_convex() -> None:
    """α = 100, n = 0.5: a first-order transition in the β-ensemble near β = −2.145; the points
    beyond are kept and marked.
    """
    curve = complexity_curve(pool_ratio=100.0, budget=0.5, points=60)
    lower = [point for point in curve.points if point.beta < 0.0]
    fold = min(point.beta for point in lower if point.log_volume > -1.2)
    assert fold == pytest.approx(-2.145, abs=2e-3)
    assert any(point.convex for point in lower)
    assert not any(point.convex for point in curve.points if point.beta >= 0.0)
    volumes = [point.log_volume for point in curve.points]
    assert volumes == sorted(volumes)


def test_a_fold_in_the_volume_is_not_stepped_over() -> None:
    """α = 29.0847, n = 0.1524: ln v turns back just beyond the end, where Σ < 0; a long step would
    land past the fold, at Σ > 0 on another sheet that ends at a smaller volume (−0.0481633).
    """
    upper = [point for point in complexity_curve(pool_ratio=29.0847, budget=0.1524).points if point.beta > 0.0]
    volumes = [point.log_volume for point in upper]
    assert volumes == sorted(volumes)
    assert upper[-1].complexity == pytest.approx(0.0, abs=1e-8)
    assert upper[-1].log_volume == pytest.approx(-0.0481518, abs=2e-6)


@pytest.mark.parametrize(("budget", "least"), [(1.2, 200.0), (1.5, 1e3), (2.0, 1e4), (2.7, 1e5)])
def test_near_vertical_walls(budget: float, least: float) -> None:
    """At α = 3 the lower end is a wall: |β| grows by decades while ln v stands still, and the end
    is found all the same.
    """

    def lower() -> tuple[EndStatus, float, float]:
        branch = follow(Problem(PERCEPTRON, 3.0, budget), Side.MIN)
        assert branch.end is not None
        reach = branch.end.complexity / abs(branch.end.theta.beta)
        return branch.status, abs(branch.end.theta.beta), reach

    status, beta, reach = lower()
    assert status in {EndStatus.ZERO, EndStatus.BRACKETED}
    assert beta > least
    assert abs(reach) < 1e-8


def test_a_wall_is_not_coexistence() -> None:
    """α = 1000, n = 500: at |β| = 10⁹ ln v moves by rounding only, which must not be marked as
    convex.
    """
    assert not any(point.convex for point in complexity_curve(pool_ratio=1000.0, budget=500.0).points)


def test_points_are_solved_not_interpolated() -> None:
    curve = complexity_curve(pool_ratio=3.0, budget=0.6, points=17)
    assert len(curve.points) == 17
    assert all(point.residual < 1e-9 for point in curve.points)
    frame = curve.to_frame()
    assert frame["log_volume"].is_monotonic_increasing
    assert frame["complexity"].iloc[[0, -1]].abs().max() < 1e-8
    assert {end.status for end in curve.ends.values()} == {"zero"}


def test_whole_pool_is_one_subset() -> None:
    curve = complexity_curve(pool_ratio=2.0, budget=2.0)
    assert len(curve.points) == 1
    assert curve.points[0].log_volume == pool(pool_ratio=2.0).log_volume
    assert complexity_at(pool_ratio=2.0, budget=2.0, log_volume=curve.points[0].log_volume).complexity == 0.0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"pool_ratio": 0.0}, "alpha"),
        ({"pool_ratio": 1.0, "budget": 2.0}, "budget"),
        ({"points": 2}, "points"),
        ({"points": 5.0}, "points"),
        ({"points": 10**9}, "points"),
        ({"model": "perceptron"}, "model"),
    ],
)
def test_bad_input(arguments: dict[str, object], complaint: str) -> None:
    with pytest.raises(InvalidInputError, match=complaint):
        complexity_curve(**{"pool_ratio": 3.0, "budget": 0.6, **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize("volume", [-2.0, -0.1, math.nan])
def test_volumes_no_subset_has(volume: float) -> None:
    with pytest.raises(InvalidInputError, match="log_volume"):
        complexity_at(pool_ratio=3.0, budget=0.6, log_volume=volume)


@given(
    st.tuples(*[st.floats(-4.0, 1.0)] * 4, st.floats(-20.0, 20.0), st.floats(-20.0, 20.0)).map(np.array),
)
def test_coordinates_go_there_and_back(z: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    theta = to_theta(z)
    assert theta[3] + theta[5] * theta[2] > 0.0
    if theta[5] >= 0.0 or abs(theta[5]) * np.exp(z[2]) < 1e6:
        np.testing.assert_allclose(to_coordinates(theta), z, rtol=1e-6, atol=1e-6)
    at = Parameters(pair_of(PERCEPTRON), z)
    found = [part.value for part in (at.m, at.t, at.D, at.V, at.phi, at.beta)]
    np.testing.assert_allclose(found, theta, rtol=1e-12, atol=1e-300)
    assert at.W.value == pytest.approx(gap(z), rel=1e-12)
    assert gap(z) == pytest.approx(theta[3] + theta[5] * theta[2], rel=1e-6, abs=1e-9 * theta[3])


def test_newton_rows_are_the_derivatives_of_the_equations() -> None:
    """At a solution, where the derivative of an equation's own size (held fixed by the solver) does
    not enter.
    """
    problem = Problem(PERCEPTRON, 3.0, 0.6)
    z = solve(problem, to_coordinates(np.array([0.61, 0.085, 0.059, 0.483, -7.4, -6.4])), at_beta(-6.4)).z
    here = evaluate(problem, z)
    values, rows = here.equations
    assert values.shape == (5,)
    assert rows.shape == (5, 6)
    for index in range(6):
        step = np.eye(6)[index] * 1e-6
        up, down = (evaluate(problem, z + s * step, here.mesh) for s in (1, -1))
        np.testing.assert_allclose(rows[:, index], (up.equations[0] - down.equations[0]) / 2e-6, rtol=1e-4, atol=1e-5)
        numerical = (up.log_volume - down.log_volume) / 2e-6
        assert here.log_volume_slope[index] == pytest.approx(numerical, rel=1e-5, abs=1e-7)
        numerical = (up.complexity - down.complexity) / 2e-6
        assert here.complexity_slope[index] == pytest.approx(numerical, rel=1e-5, abs=1e-6)
