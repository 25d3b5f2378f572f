"""``label_value``: what the label of a row is worth in the end, for every field and every round of
a rule.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

import numpy as np

from gardner.errors import InvalidInputError
from gardner.model import GLM, PERCEPTRON
from gardner.model.arrays import Floats
from gardner.rules import Rule
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.regression import is_linear
from gardner.theory.learning_curves.adjoint import BackwardRound, Costate
from gardner.theory.learning_curves.curve import CELLS, TOLERANCE, Question
from gardner.theory.learning_curves.evolution import label_entropies, noise_entropies
from gardner.theory.learning_curves.grid import Grid
from gardner.theory.learning_curves.results import rule_name
from gardner.theory.learning_curves.rounds import Batch, State, evolve
from gardner.theory.learning_curves.value_results import LabelValues, RoundValues
from gardner.theory.random_subset.typical import accuracies
from gardner.units import LN2

Objective = Literal["information", "accuracy"]
# Relative, of differences in V.
_STEP = 1e-6
# Of the fullest cell: where there are fewer rows, nobody can choose.
_SEEN = 1e-9


def label_value(
    rule: Rule | str,
    model: GLM = PERCEPTRON,
    *,
    pool_ratio: float,
    budget: float,
    batch_ratio: float,
    objective: Objective = "information",
    cells: int = CELLS,
) -> LabelValues:
    """By how much the last round gains if a row of some field is asked for in an earlier round.

    A is the derivative of the final information (in bits; or of the final accuracy) by the labels
    that are asked for at field ω in one round, the rule going on as it does. Without noise
    information is −ln v. ``best_move`` is the most that taking one row in place of another gains, a
    label: 0 says that no small change of the rule, in any round, helps.

    >>> greedy = label_value("agnostic", pool_ratio=3.0, budget=1.0, batch_ratio=0.1)
    >>> greedy.best_move < 1e-9, greedy.monotone
    (True, True)
    >>> label_value("random", pool_ratio=3.0, budget=1.0, batch_ratio=0.1).best_move > 0.1
    True
    """
    if objective not in get_args(Objective):
        raise InvalidInputError("objective", objective, f"it must be one of {', '.join(get_args(Objective))}")
    asked = Question.checked(
        rule, model, pool_ratio=pool_ratio, budget=budget, batch_ratio=batch_ratio, tolerance=TOLERANCE, cells=cells
    )
    if is_linear(asked.pair):
        raise InvalidInputError("model", asked.pair.student.channel, "linear labels are worth the same for every row")
    plan = asked.plan(asked.batch_ratio) if asked.batch_ratio > 0.0 else []
    if len(plan) < 2:
        problem = "it must be positive, and leave at least two rounds: the first is random"
        raise InvalidInputError("batch_ratio", batch_ratio, problem)
    fine, coarse = (values_of(asked, plan, objective, count) for count in (cells, cells // 2))
    rounds = tuple(one.with_error(half) for one, half in zip(fine, coarse, strict=True))
    name = rule_name(asked.rule)
    return LabelValues(name, asked.pair.student, asked.pool_ratio, asked.budget, asked.batch_ratio, objective, rounds)


def values_of(asked: Question, plan: list[Batch], objective: Objective, cells: int) -> list[RoundValues]:
    """The values of every round of a plan but the first, on one grid; each batch may have its own
    rule.
    """
    pair = asked.pair
    grid = Grid(pair.student.prior.second_moment, cells)
    states = list(evolve(pair, asked.pool_ratio, plan, cells))
    if math.isinf(states[-1].solved.q_hat):
        raise InvalidInputError("budget", asked.budget, "the weights are known before it is spent")
    goal = _goal(pair, grid, states[-1], objective)
    costate, found = goal.costate, list[RoundValues]()
    for index in range(len(plan) - 1, 0, -1):
        here = BackwardRound(pair, grid, plan[index].rule, plan[index].size, states[index - 1], states[index])
        by_variance = here.by_variance(costate) if found else goal.by_variance
        worth = here.back(costate, by_variance)
        pool = states[index - 1].there.pool
        seen = pool > _SEEN * pool.max()
        found.append(
            RoundValues(
                budget=plan[index].budget,
                variance=states[index - 1].solved.V,
                threshold=worth.taken.threshold,
                marginal=goal.unit * worth.marginal,
                mean=grid.omega[seen],
                pool=pool[seen] / grid.width,
                share=worth.share[seen],
                value=goal.unit * worth.value[seen],
            )
        )
        costate = worth.before
    return found[::-1]


class _Goal(NamedTuple):
    """J when all labels are there: its costate, Λ of the last round, and the unit it is given in."""

    costate: Costate
    by_variance: float
    unit: float


def _goal(pair: Pair, grid: Grid, last: State, objective: Objective) -> _Goal:
    """Information is stationary in V [barbier2019], and a label adds I(y; h) to it; accuracy is a
    function of V.
    """
    V, none = last.solved.V, np.zeros_like(grid.omega)
    if objective == "accuracy":
        higher, lower = (_accuracy(pair, V * (1.0 + sign * _STEP)) for sign in (1.0, -1.0))
        return _Goal(Costate(none, none, 0.0), (higher - lower) / (2.0 * _STEP * V), 1.0)
    noise = noise_entropies(pair.student.channel, grid)
    information: Floats = label_entropies(pair, grid.omega, V) - grid.spread(grid.waves(noise), V)
    return _Goal(Costate(none, information, 0.0), 0.0, 1.0 / LN2)


def _accuracy(pair: Pair, V: float) -> float:
    r0 = pair.student.prior.second_moment
    return accuracies(pair, (r0 - V) / pair.teacher_scale, (r0 - V) * V / r0, V)[0]
