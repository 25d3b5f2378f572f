"""Where symmetry breaks: continuously where R = 1, and before that where clusters come in at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from gardner import complexity_at
from gardner.model import PERCEPTRON
from gardner.theory import Side
from gardner.theory.answers.problem import branch, checked_problem
from gardner.theory.breaking import leaving
from gardner.theory.breaking.end import broken_end
from gardner.theory.breaking.leaving import departure, ratio, split_of
from gardner.theory.breaking.results import BreakingStatus
from gardner.theory.curve.point import Point


def at(alpha: float, budget: float, volume: float) -> Point:
    return complexity_at(PERCEPTRON, pool_ratio=alpha, budget=budget, log_volume=volume)


@pytest.mark.parametrize(
    ("alpha", "budget", "side"),
    [
        (3.0, 0.6, Side.MAX),
        (3.0, 0.3, Side.MAX),
        (3.0, 2.0, Side.MAX),
        (1.0, 0.3, Side.MIN),
        (1.0, 0.2, Side.MIN),
        (1.0, 0.3, Side.MAX),
        (10.0, 1.0, Side.MAX),
    ],
)
def test_a_continuous_branch_leaves_where_the_ratio_is_one(alpha: float, budget: float, side: Side) -> None:
    """The first point of the branch, which was solved for by the equations of broken symmetry, lies
    there.
    """
    followed = branch(checked_problem(PERCEPTRON, alpha, budget), side)
    found, _ = departure(followed)
    assert found is not None
    assert found.continuous
    assert found.first is not None
    end = followed.states[-1].log_volume
    top = next(state.log_volume for state in followed.states if ratio(state) > 0.3)
    crossing = float(
        brentq(lambda volume: at(alpha, budget, float(volume)).stability - 1.0, top, end - 1e-9 * side.sign, xtol=1e-7)
    )
    here = found.first.at
    assert here.log_volume == pytest.approx(crossing, abs=1e-3)
    assert found.log_volume == pytest.approx(crossing, abs=1e-5)
    assert here.place.x < 1.0
    assert here.place.d < 0.02 * here.place.W / abs(here.place.beta)
    assert here.complexity == pytest.approx(at(alpha, budget, here.log_volume).complexity, abs=1e-5)
    assert found.first.residual < 1e-7


@pytest.mark.parametrize(
    ("alpha", "budget", "leaves_at"), [pytest.param(3.0, 0.6, -0.951271, marks=pytest.mark.slow), (3.0, 0.1, -0.126005)]
)
@np.errstate(all="ignore")
def test_a_jump_is_located_where_both_free_entropies_agree(alpha: float, budget: float, leaves_at: float) -> None:
    """X = 1 at d > 0, R below 1; before it no clusters count, beyond it some do. At n = 0.1 R never
    reaches 1.
    """
    followed = branch(checked_problem(PERCEPTRON, alpha, budget), Side.MIN)
    found, _ = departure(followed)
    assert found is not None
    assert not found.continuous
    assert found.first is not None
    here = found.first.at
    symmetric = at(alpha, budget, here.log_volume)
    assert found.log_volume == pytest.approx(leaves_at, abs=1e-6)
    assert here.place.x == pytest.approx(1.0, abs=1e-9)
    assert here.complexity == pytest.approx(symmetric.complexity, abs=1e-7)
    assert here.place.beta == pytest.approx(symmetric.beta, rel=1e-6)
    assert here.place.d > 0.01 * (symmetric.Q - symmetric.q)
    assert symmetric.stability < 1.0
    before = [state for state in followed.states if state.log_volume > here.log_volume]
    assert all(split_of(state, share * state.theta.D) < 0.0 for state in before for share in (0.03, 0.1, 0.3, 0.7))
    assert split_of(followed.states[-1], here.place.d) > 0.0
    assert (ratio(followed.states[-1]) > 1.0) == (budget == 0.6)


@pytest.mark.parametrize(("alpha", "budget"), [(3.0, 2.7), pytest.param(10.0, 4.0, marks=pytest.mark.slow)])
def test_a_wall_where_no_clusters_count_is_symmetric(alpha: float, budget: float) -> None:
    """R stays below 1, and clusters of all sizes were looked at, up to the last state."""
    followed = branch(checked_problem(PERCEPTRON, alpha, budget), Side.MIN)
    left, proven = departure(followed)
    assert left is None
    assert max(ratio(state) for state in followed.states) < 1.0
    assert proven is followed.end
    end = broken_end(followed)
    assert end.status is BreakingStatus.SYMMETRIC
    assert end.symmetric_error < 5e-5


def test_what_could_not_be_looked_at_is_not_called_symmetric(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the wall large clusters are out of reach of sums: without windows the last state proven is
    not the end.
    """
    monkeypatch.setattr(leaving, "_split_by_windows", lambda *_: -math.inf)
    followed = branch(checked_problem(PERCEPTRON, 3.0, 2.7), Side.MIN)
    left, proven = departure(followed)
    assert left is None
    assert proven is not None
    assert proven is not followed.end
    assert proven.complexity > followed.states[-1].complexity
    assert broken_end(followed).status is not BreakingStatus.SYMMETRIC
