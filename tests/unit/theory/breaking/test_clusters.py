"""S(d) by windows: as by sums over rows and nodes where those are within reach, and right where
they are not.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

from gardner.errors import ConvergenceError
from gardner.model import PERCEPTRON
from gardner.theory import Side
from gardner.theory.answers.problem import branch, checked_problem
from gardner.theory.breaking.clusters import split_at_one, steepness
from gardner.theory.breaking.free_entropy import Place, evaluate, to_coordinates
from gardner.theory.breaking.leaving import ratio
from gardner.theory.breaking.points import steps_at
from gardner.theory.breaking.rows import tabulate, values
from gardner.theory.curve.equations import State
from gardner.theory.formula.taylor import Floats

CHANNEL = PERCEPTRON.channel


@functools.cache
def states(alpha: float, budget: float) -> tuple[State, ...]:
    with np.errstate(all="ignore"):
        return tuple(branch(checked_problem(PERCEPTRON, alpha, budget), Side.MIN).states)


def divided(state: State, d: float) -> Place:
    at = state.theta
    return Place(at.m, at.t, d, at.D - d, at.V, 1.0, at.phi, at.beta)


def by_sums(state: State, at: Place) -> float:
    u = to_coordinates(at)
    return evaluate(state.problem, u, steps_at(state.problem, u)).split * at.d**2


@pytest.mark.parametrize(("alpha", "budget"), [(3.0, 0.6), (3.0, 1.5), (3.0, 2.7), (30.0, 0.3)])
@np.errstate(all="ignore")
def test_windows_and_sums_agree(alpha: float, budget: float) -> None:
    """Two quadratures that share nothing but L agree to 1e-6 of S, before symmetry breaks and
    beyond.
    """
    compared, positive = 0, 0
    for state in states(alpha, budget)[::2]:
        for share in (0.01, 0.1, 0.6):
            at = divided(state, share * state.theta.D)
            try:
                expected = by_sums(state, at)
            except ConvergenceError:
                continue
            # sums lose digits where d is small: their S is a difference of terms of order α
            value = split_at_one(CHANNEL, alpha, at)
            assert value == pytest.approx(expected, rel=1e-6, abs=1e-11 * alpha)
            compared, positive = compared + 1, positive + (expected > 0.0)
    assert compared >= 6
    assert (positive > 0) == (budget in (0.6, 0.3))


@np.errstate(all="ignore")
def test_on_the_wall_windows_reach_where_sums_do_not() -> None:
    """At β of minus half a million: no clusters of any size count, and finer windows say nearly the
    same.
    """
    state = states(10.0, 2.8)[-1]
    assert state.theta.beta < -1e5
    for share in (0.7, 0.95):
        at = divided(state, share * state.theta.D)
        with pytest.raises(ConvergenceError, match="too fine a grid"):
            by_sums(state, at)
        value = split_at_one(CHANNEL, 10.0, at)
        assert value < -1e-5
        assert split_at_one(CHANNEL, 10.0, at, 1.5) == pytest.approx(value, rel=1e-2)


def test_rows_that_tell_nothing_may_be_likely() -> None:
    """φ > 0, as for more than half of a pool: f never passes zero, and p turns all the same."""
    D = 2e-7
    at = Place(m=0.999, t=1e-4, d=0.5 * D, D=0.5 * D, V=1.9e-4, x=1.0, phi=2.1, beta=-400.0)
    assert steepness(CHANNEL, at) > 100.0
    value = split_at_one(CHANNEL, 100.0, at)
    assert value < 0.0
    assert split_at_one(CHANNEL, 100.0, at, 2.0) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize("beta", [-3.0, 2.0])
@pytest.mark.parametrize("h", [np.linspace(-2.0, -0.1, 7), np.linspace(0.0, 2.0, 7), np.linspace(-2.0, 2.0, 7)])
def test_fields_alone_are_those_with_derivatives(beta: float, h: Floats) -> None:
    expected = tabulate(CHANNEL, h, 0.02, 0.2, beta).value
    assert values(CHANNEL, h, 0.02, 0.2, beta) == pytest.approx(expected, rel=1e-13, abs=1e-13)


@np.errstate(all="ignore")
def test_small_clusters_count_by_the_stability_ratio() -> None:
    """S → ¼(β/W)²(R − 1)d², from below 1 and from above: what is left out is smaller by about
    d·f'².
    """
    for state in (states(3.0, 1.5)[5], states(3.0, 1.5)[-1]):
        at = divided(state, 3e-3 * state.theta.D)
        first = 0.25 * (at.beta * at.d / state.theta.W) ** 2 * (ratio(state) - 1.0)
        small = at.d * steepness(CHANNEL, at) ** 2
        assert small < 0.05
        assert split_at_one(CHANNEL, 3.0, at) == pytest.approx(first, rel=small + 1e-3)
    assert ratio(states(3.0, 1.5)[5]) < 1.0 < ratio(states(3.0, 1.5)[-1])
