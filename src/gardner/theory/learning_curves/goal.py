"""How many labels a rule needs to reach a goal: its learning curve, read backwards.

Rounds of κ are run until one passes the goal; the last round is then as large as it must be. In the
limit of small rounds a coarse run finds the place, and the extrapolated curve up to there has it.
Neither runs on to the end of the pool.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gardner.errors import ConvergenceError
from gardner.rules import Rule
from gardner.theory.formula.pair import Pair
from gardner.theory.learning_curves.curve import CELLS, MOST_CELLS, MOST_ROUNDS, TOLERANCE, Question, limit_points
from gardner.theory.learning_curves.results import LearningPoint, PointStatus
from gardner.theory.learning_curves.rounds import Batch, Position, State, advance, batches, evolve, start
from gardner.theory.random_subset.typical import accuracies
from gardner.theory.roots import root_between

# A share of the budget: a step of Newton's below it is the last, since the next would be its
# square.
_NEAR = 2e-3
# Steps of Newton's at most; two or three are taken.
_TURNS = 6
# Rounds of the run that finds the place, as a share of the fewest labels there can be.
_COARSE = 1.0 / 32.0
# Points through which the end of a curve is drawn, to know its slope: a cubic.
_PLACES = 4

Excess = Callable[[float, float], float]  # of ln v and accuracy: positive where the goal is reached


@dataclass(frozen=True)
class Reached:
    """Labels per weight at which a rule reaches a goal, by how much they may be off, and whether
    that is as asked.
    """

    budget: float
    error: float
    status: PointStatus


@dataclass(frozen=True)
class Goal:
    """What a rule is to reach in a pool, and what is known of the labels it takes: no fewer, no
    more than.
    """

    pair: Pair
    rule: Rule
    pool_ratio: float
    excess: Excess
    least: float
    most: float

    def missed(self, state: State) -> float:
        """How far beyond the goal a state is."""
        V, r0 = state.solved.V, self.pair.student.prior.second_moment
        accuracy, _ = accuracies(self.pair, (r0 - V) / self.pair.teacher_scale, (r0 - V) * V / r0, V)
        return self.excess(state.solved.log_volume, accuracy)


def labels_needed(goal: Goal, batch_ratio: float, progress: Callable[[float], None] = lambda _: None) -> Reached:
    """The fewest labels with which the rule reaches a goal that the pool itself reaches, in rounds
    of so many.
    """
    if batch_ratio == 0.0:
        return _in_the_limit(goal, progress)
    if goal.most / batch_ratio > MOST_ROUNDS:
        raise ConvergenceError(f"rounds of {batch_ratio:g} would be more than {MOST_ROUNDS}", hint="use larger ones")
    cells, before = CELLS, _in_rounds(goal, batch_ratio, CELLS // 2)
    while True:
        found = _in_rounds(goal, batch_ratio, cells)
        error = abs(found - before)
        good = error <= TOLERANCE * max(1.0, found)
        if good or cells >= MOST_CELLS:
            return Reached(found, error, PointStatus.SOLVED if good else PointStatus.IMPRECISE)
        before, cells = found, 2 * cells


def _in_rounds(goal: Goal, batch_ratio: float, cells: int) -> float:
    """The budget on a grid of so many cells."""
    here, spent = start(goal.pair, goal.pool_ratio, cells), 0.0
    plan = batches(goal.rule, goal.pool_ratio, batch_ratio)
    for batch in plan:
        state = advance(here, batch)
        if goal.missed(state) >= 0.0:
            return spent + _last(goal, here, batch)
        here, spent = state.there, batch.budget
    return goal.pool_ratio


def _last(goal: Goal, here: Position, batch: Batch) -> float:
    """The size of the last round: as large as it must be."""

    def excess(size: float) -> float:
        return goal.missed(advance(here, batch._replace(size=size)))

    least = 1e-6 * batch.size
    if excess(least) >= 0.0:
        return least
    return root_between(excess, least, batch.size, what="last round", absolute=1e-9 * batch.size, relative=0.0)


def _in_the_limit(goal: Goal, progress: Callable[[float], None]) -> Reached:
    """Newton's steps from what a coarse run says; each is a curve of small rounds."""
    budget, error = _roughly(goal), math.inf
    for turn in range(_TURNS):

        def part(done: float, turn: int = turn) -> None:
            progress(1.0 - 0.5**turn * (1.0 - 0.5 * done))

        asked = Question(goal.pair, goal.rule, goal.pool_ratio, budget, 0.0, TOLERANCE, None, part)
        points = limit_points(asked)
        off, slope = _end(goal, points)
        step = min(-off / slope, goal.pool_ratio - budget) if slope > 0.0 else math.nan
        if math.isnan(step):
            raise ConvergenceError("the learning curve does not rise where the goal is")
        error = points[-1].discretisation_error / slope + abs(step) * abs(step) / budget
        budget += max(step, -0.5 * budget)
        if abs(step) <= _NEAR * budget:
            good = points[-1].status == PointStatus.SOLVED
            return Reached(budget, error, PointStatus.SOLVED if good else PointStatus.IMPRECISE)
    raise ConvergenceError(f"the labels needed do not settle: {budget:.6g} to {error:.1g}")


def _end(goal: Goal, points: list[LearningPoint]) -> tuple[float, float]:
    """How far beyond the goal a curve ends, and how fast that grows with the budget there."""
    last = points[-_PLACES:]
    beyond = np.array([goal.excess(point.log_volume, point.accuracy) for point in last])
    budgets = np.array([point.budget for point in last])
    away = (budgets - budgets[-1]) / (budgets[-1] - budgets[0])
    slope = np.polyfit(away, beyond, _PLACES - 1)[-2] / (budgets[-1] - budgets[0])
    return float(beyond[-1]), float(slope)


def _roughly(goal: Goal) -> float:
    """A budget near the one that is looked for: where a coarse run on few cells passes the goal."""
    size = _COARSE * goal.least
    if goal.most / size > MOST_ROUNDS:
        raise ConvergenceError("the goal may take too many labels for small rounds", hint="ask for larger rounds")
    spent, short = 0.0, -math.inf
    plan = batches(goal.rule, goal.most, min(size, goal.most))
    for state in evolve(goal.pair, goal.pool_ratio, plan, CELLS // 2, gradual=True):
        beyond = goal.missed(state)
        if beyond >= 0.0:
            share = beyond / (beyond - short) if math.isfinite(short) else 0.0
            return state.budget - share * (state.budget - spent)
        spent, short = state.budget, beyond
    return goal.most
