"""Rounds of no size: what they tend to, and how well that is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gardner.model import PERCEPTRON, Channel
from gardner.model.arrays import Floats
from gardner.rules import Rule
from gardner.rules.known import PartlyRandom, PosteriorCommittee, Pruning
from gardner.theory import learning_curve
from gardner.theory.formula.pair import pair_of
from gardner.theory.learning_curves.choice import take
from gardner.theory.learning_curves.grid import Grid
from gardner.theory.learning_curves.rounds import batches, evolve


def last(rule: Rule | str, batch_ratio: float, budget: float = 0.8) -> float:
    return learning_curve(rule, pool_ratio=3.0, budget=budget, batch_ratio=batch_ratio).points[-1].log_volume


@pytest.mark.parametrize("rule", ["agnostic", PartlyRandom(0.3), PosteriorCommittee(3)])
def test_small_rounds_tend_to_the_limit(rule: Rule | str) -> None:
    """The price of rounds is of order κ: half the rounds, half the price."""
    limit = last(rule, 0.0)
    price = [last(rule, kappa) - limit for kappa in (0.04, 0.02, 0.01)]
    assert all(1.8 < here / there < 2.2 for here, there in itertools.pairwise(price))


@pytest.mark.slow
def test_committees_tend_to_agnostic_in_the_limit() -> None:
    gaps = [last(PosteriorCommittee(members), 0.0, 0.5) - last("agnostic", 0.0, 0.5) for members in (1, 7, 49, 343)]
    assert all(here > 1.5 * there > 0.0 for here, there in itertools.pairwise(gaps))
    assert gaps[-1] < 1e-3


def test_a_committee_redrawn_without_end_takes_rows_by_their_chance_of_the_most_even_split() -> None:
    """Many rounds by levels, the pool not moving, take what one gradual round takes."""
    grid, rule, channel = Grid(1.0, 512), PosteriorCommittee(5), PERCEPTRON.channel
    start = 3.0 * grid.normal(0.4)
    at_once, _ = take(rule, start, grid, 0.6, channel, 0.5, gradual=True)
    for rounds, close in ((200, 2e-3), (800, 5e-4)):
        pool = start
        for _ in range(rounds):
            pool = pool - take(rule, pool, grid, 0.6, channel, 0.5 / rounds)[0]
        assert np.abs(start - pool - at_once).max() < close * at_once.max()
    assert at_once.sum() == pytest.approx(0.5)


def test_chances_that_are_no_double_still_count() -> None:
    """Of a pool of certain rows a committee of 100 takes the least certain, whatever the chance."""
    grid = Grid(1.0, 512)
    pool = np.where(np.abs(grid.omega) > 1.0, grid.normal(1.0), 0.0)
    taken, _ = take(PosteriorCommittee(100), pool, grid, 1e-4, PERCEPTRON.channel, 0.01, gradual=True)
    assert taken.sum() == pytest.approx(0.01)
    assert np.abs(grid.omega[taken > 1e-6]).max() < 1.1


class Never(Rule):
    """Rows on the left have no chance of the best level."""

    def levels(self, mean: Floats, variance: Floats, channel: Channel) -> Floats:
        del variance, channel
        right = np.where(mean > 0.0, 1.0, 0.0)
        return np.array([right, 1.0 - right])


def test_rows_without_a_chance_come_last() -> None:
    grid = Grid(1.0, 512)
    pool = grid.normal(0.5)
    some, _ = take(Never(), pool, grid, 0.5, PERCEPTRON.channel, 0.2, gradual=True)
    most, _ = take(Never(), pool, grid, 0.5, PERCEPTRON.channel, 0.8, gradual=True)
    assert some[grid.omega <= 0.0].sum() == 0.0
    np.testing.assert_allclose(most[grid.omega > 0.0], pool[grid.omega > 0.0])
    assert most.sum() == pytest.approx(0.8)


def test_runs_that_stand_for_small_rounds_are_of_second_order_before_the_bend() -> None:
    pair = pair_of(PERCEPTRON)
    found = []
    for rounds in (10, 20, 40, 80):
        plan = batches(PosteriorCommittee(3), 1.0, 1.0 / rounds)
        found.append([state.solved.log_volume for state in evolve(pair, 3.0, plan, 1024, gradual=True)][-1])
    changes = np.abs(np.diff(found))
    assert np.all(changes[:-1] / changes[1:] > 3.5)


def test_errors_of_the_limit_hold_the_truth() -> None:
    """One bit a label is exact before the bend."""
    curve = learning_curve("agnostic", pool_ratio=10.0, budget=1.5, batch_ratio=0.0)
    for point in curve.points:
        assert abs(point.log_volume + point.budget * np.log(2.0)) <= 2.0 * point.discretisation_error + 1e-9
        assert point.status == "solved"


def test_labels_that_are_there_are_the_first_point_of_the_limit() -> None:
    """Rounds are counted from the labels that are there, in every run that is extrapolated."""
    limit, *runs = (
        learning_curve("agnostic", pool_ratio=3.0, budget=0.8, batch_ratio=kappa, labelled=0.25)
        for kappa in (0.0, 0.02, 0.01)
    )
    assert limit.points[0].budget == 0.25
    assert {point.status.value for point in limit.points} == {"solved"}
    far, near = (run.points[-1].log_volume - limit.points[-1].log_volume for run in runs)
    assert far == pytest.approx(2.0 * near, rel=0.1)


def test_a_random_part_ends_at_the_same_budget_in_every_run_of_the_limit() -> None:
    """One choice after random labels has no small rounds: the limit is the run itself."""
    rule = Pruning(first=0.35)
    limit, run = (learning_curve(rule, pool_ratio=3.0, budget=1.0, batch_ratio=kappa) for kappa in (0.0, 0.05))
    assert limit.points[-2].budget == pytest.approx(0.35)
    for here, there in zip(limit.points[-2:], run.points[-2:], strict=True):
        assert here.log_volume == pytest.approx(there.log_volume, abs=1e-5)
