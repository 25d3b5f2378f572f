"""The questions people ask backwards: how many labels does a given volume or accuracy cost?

Three answers to each: for the *best* subset of the pool (the lower end of the complexity curve),
for the best *label-agnostic* rule that is known (``agnostic``, by its exact learning curve), and
for *random* choice. Beside the second stands what no label-agnostic strategy can beat: n labels
carry at most n bits a weight, so ln v ≥ −n ln 2, Q ≤ 1 − 4^{−n} and accuracy ≤ 1 − arccos(√Q)/π
[cover2006, §10.3]. Weights of different variances share the bits by reverse water-filling.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.model import GLM, PERCEPTRON
from gardner.rules.known import Agnostic
from gardner.theory.answers.budget_answer import BudgetAnswer
from gardner.theory.answers.problem import branch
from gardner.theory.answers.results import LN2
from gardner.theory.curve.ends import Side
from gardner.theory.curve.equations import Problem, State
from gardner.theory.curve.point import Point, order_parameters, point_of
from gardner.theory.curve.stationary import Control, at_complexity, solve
from gardner.theory.formula.pair import Pair
from gardner.theory.inputs import LARGEST, SMALLEST, check_batch_ratio, check_model, check_target
from gardner.theory.learning_curves.curve import check_followed
from gardner.theory.learning_curves.goal import Goal, labels_needed
from gardner.theory.random_subset.typical import Typical, pool, typical
from gardner.theory.roots import root_between

# The accuracy of a budget as the root of an equation, relative; it is part of the stated error.
_RELATIVE = 1e-9
# Of ln v or accuracy: a goal this close to the pool's own value is the pool's own, given to as many
# digits.
_SAME = 1e-8
# The share of a budget over which a slope is taken, for the error; one digit of the slope is
# enough.
_BESIDE = 1e-3
# Budgets below this, in labels per weight, are not searched: one label of 10,000 weights.
_SMALLEST = 1e-4


@np.errstate(all="ignore")  # overflow and NaN are looked for where they matter
def budget_for(
    model: GLM = PERCEPTRON,
    *,
    pool_ratio: float,
    log_volume: float | None = None,
    accuracy: float | None = None,
    batch_ratio: float = 0.0,
    progress: Callable[[float], None] | None = None,
) -> BudgetAnswer:
    """The smallest budgets that reach a log-volume (per weight, natural logarithm) or an accuracy.

    ``batch_ratio`` is how many labels per weight the label-agnostic rule asks for in a round; 0 is
    the limit of small rounds.

    >>> answer = budget_for(pool_ratio=3.0, log_volume=-0.5)
    >>> round(answer.best, 3), round(answer.agnostic, 3), round(answer.random, 3)
    (0.295, 0.721, 0.815)
    """
    pair = check_model(model)
    if not (pair.gaussian and model.channel.noiseless and model.channel.labels):
        why = "volumes fall with the budget, and one label is one bit, only for a Gaussian prior and noiseless labels"
        raise InvalidInputError("model", model, why, hint="use bounds over a range of budgets")
    check_target(pool_ratio, log_volume, accuracy)
    alpha = float(pool_ratio)
    kappa = check_batch_ratio(batch_ratio, alpha, "the pool has")
    whole = pool(model, pool_ratio=alpha)
    answer = functools.partial(BudgetAnswer, model, alpha, log_volume, accuracy, pool=whole, batch_ratio=kappa)
    goal = _Goal(pair, *(None if value is None else float(value) for value in (log_volume, accuracy)))
    random = _typical_budget(model, goal.excess_of_typical)
    short = -goal.excess_of_typical(whole)
    if short > _SAME:
        note = f"the whole pool reaches only {goal.value_of(whole):.8g}: {_larger_pool(random)}"
        return answer(best=None, agnostic=None, agnostic_floor=None, random=None, notes=(note,))
    if short > -_SAME:
        note = "the goal is what the whole pool reaches"
        return answer(best=alpha, agnostic=alpha, agnostic_floor=goal.floor, random=alpha, notes=(note,))
    report = progress or (lambda _: None)
    found = _answer(answer, _Ends(model, alpha, lambda done: report(0.5 * done)), goal, alpha, random)
    return _with_agnostic(found, pair, goal, lambda done: report(0.5 + 0.5 * done))


@dataclass(frozen=True)
class _Goal:
    """What is to be reached: a log-volume or an accuracy; an excess is positive where it is
    reached.
    """

    pair: Pair
    log_volume: float | None
    accuracy: float | None

    def value_of(self, known: Typical) -> float:
        return known.log_volume if self.log_volume is not None else known.accuracy

    def excess_of_typical(self, known: Typical) -> float:
        return self.beyond(known.log_volume, known.accuracy)

    def excess(self, state: State) -> float:
        return self.beyond(state.log_volume, order_parameters(state.problem.pair, state.theta)["accuracy"])

    def beyond(self, log_volume: float, accuracy: float) -> float:
        return (
            (self.log_volume or 0.0) - log_volume if self.log_volume is not None else accuracy - (self.accuracy or 0.0)
        )

    @property
    def floor(self) -> float:
        """Labels that any label-agnostic strategy needs: −log₂ v, or the rate–distortion bound."""
        if self.log_volume is not None:
            return -self.log_volume / LN2
        return self.pair.modes.rate(math.sin(math.pi * (1.0 - (self.accuracy or 0.0))) ** 2)


def _answer(
    answer: Callable[..., BudgetAnswer], ends: _Ends, goal: _Goal, alpha: float, random: float | None
) -> BudgetAnswer:
    """The budgets of a goal within reach of the pool, but for the label-agnostic rule."""
    best, notes = _smallest_budget(ends, goal, alpha, random)
    point, errors = None, dict[str, float]()
    try:
        if best is not None:
            point = point_of(ends.minimum(best))
            errors["best"] = _budget_error(goal, point, best, lambda n: goal.excess(ends.minimum(n)))
    except ConvergenceError as error:
        notes = (*notes, error.what)
    capped = None if random is None else min(random, alpha)
    result = answer(best=best, agnostic=None, agnostic_floor=goal.floor, random=capped, best_point=point)
    return replace(result, notes=notes, errors=errors)


def _with_agnostic(found: BudgetAnswer, pair: Pair, goal: _Goal, progress: Callable[[float], None]) -> BudgetAnswer:
    """The answer with what the best known label-agnostic rule needs; a note where that is not
    known.
    """
    alpha, random = found.pool_ratio, found.random
    try:
        wanted = Goal(
            check_followed(pair), Agnostic(), alpha, goal.beyond, goal.floor, alpha if random is None else random
        )
        reached = labels_needed(wanted, found.batch_ratio, progress)
    except (ConvergenceError, InvalidInputError) as error:
        return replace(found, notes=(*found.notes, f"label-agnostic: {error.what}"))
    errors = {**found.errors, "agnostic": reached.error}
    below = 0.0 < goal.floor - reached.budget <= reached.error  # the floor is proven, and within the error
    return replace(
        found, agnostic=goal.floor if below else reached.budget, agnostic_status=reached.status, errors=errors
    )


def _budget_error(goal: _Goal, point: Point, budget: float, excess: Callable[[float], float]) -> float:
    """How far a budget may be off: the error of what the goal asks for, over its slope in the
    budget.
    """
    off = point.quadrature_error if goal.log_volume is not None else point.accuracy_error
    nearby = (1.0 - _BESIDE) * budget
    slope = (excess(budget) - excess(nearby)) / (budget - nearby)
    return off / slope + _RELATIVE * budget if slope > 0.0 else math.inf


def _larger_pool(random: float | None) -> str:
    return "no pool reaches it" if random is None else f"a pool of alpha >= {random:.6g} is needed"


def _typical_budget(model: GLM, excess: Callable[[Typical], float]) -> float | None:
    """The budget of random choice: ``excess`` grows with it."""
    low, high = SMALLEST, 1.0
    while excess(typical(model, budget=high)) < 0.0:
        low, high = high, 4.0 * high
        if high > LARGEST:
            return None
    return root_between(
        lambda n: excess(typical(model, budget=n)), low, high, what="budget of random choice", relative=_RELATIVE
    )


class _Ends:
    """Points of the curve as functions of the budget, each solved from a neighbour where that
    works.
    """

    def __init__(self, model: GLM, alpha: float, progress: Callable[[float], None]) -> None:
        self._model, self._alpha, self._progress = model, alpha, progress
        self._minima: dict[float, State] = {}

    def minimum(self, budget: float) -> State:
        """The state at the smallest volume of a budget."""
        if budget in self._minima:
            return self._minima[budget]
        problem = Problem(self._model, self._alpha, budget)
        state = self._near(self._minima, problem, at_complexity(0.0))
        if state is None:
            followed = branch(problem, Side.MIN)
            state = followed.known_end
            if state is None:
                raise ConvergenceError(f"the lower end at budget {budget:.6g} is unresolved ({followed.reason})")
        return self._keep(self._minima, budget, state)

    def _near(self, known: dict[float, State], problem: Problem, control: Control) -> State | None:
        near = min(known, key=lambda other: abs(math.log(other / problem.budget)), default=None)
        if near is None or abs(math.log(near / problem.budget)) > 0.1:
            return None
        try:
            state = solve(problem, known[near].z, control)
        except ConvergenceError:
            return None
        return state if state.theta.beta < 0.0 else None

    def _keep(self, known: dict[float, State], budget: float, state: State) -> State:
        known[budget] = state
        self._progress(1.0 - 0.9 ** len(self._minima))
        return state


def _smallest_budget(
    ends: _Ends, goal: _Goal, alpha: float, random: float | None
) -> tuple[float | None, tuple[str, ...]]:
    """The budget at which the lower end of the curve reaches the goal; a note says why it was not
    found.

    The search starts below what random choice needs, and at no more than a label a weight: the best
    subset needs less than the one, and hardly ever more than the other.
    """
    try:
        low = max(min(0.3 * (alpha if random is None else min(random, alpha)), 1.0), _SMALLEST)
        while goal.excess(ends.minimum(low)) > 0.0:
            low *= 0.4
            if low < _SMALLEST:
                return None, (f"the best subset needs fewer than {_SMALLEST:g} labels per weight",)
        return _root(lambda n: goal.excess(ends.minimum(n)), low, alpha), ()
    except ConvergenceError as error:
        return None, (f"best subset: {error.what}",)


def _root(excess: Callable[[float], float], low: float, alpha: float) -> float:
    """A root of an increasing function of the budget above ``low``; at the pool itself the target
    is known to be reached.
    """
    high = low
    while excess(high) < 0.0:
        low, high = high, min(1.5 * high, 0.5 * (high + alpha))
        if alpha - high < 1e-6 * alpha:
            return alpha
    if low == high:
        return high
    return root_between(excess, low, high, what="budget", absolute=1e-12, relative=_RELATIVE)
