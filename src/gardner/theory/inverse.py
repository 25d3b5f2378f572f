"""The questions people ask backwards: how many labels does a given volume or accuracy cost?

Three answers to each: for the *best* subset of the pool (the lower end of the complexity curve), for a
*label-agnostic* strategy, and for *random* choice. A label-agnostic strategy gains at most one bit a label, ln v ≥ −n
ln 2, and cannot have a volume that no subset has; its accuracy is read off the complexity curve at that volume. That
reading is an estimate (subsets of that volume which an agnostic strategy finds need not be typical among them); what
is certain is the rate–distortion floor: n labels carry at most n bits a weight, so Q ≤ 1 − 4^{−n} and accuracy ≤ 1 −
arccos(√Q)/π [cover2006, §10.3].
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy.optimize import brentq

from gardner.errors import ConvergenceError
from gardner.model import GLM, PERCEPTRON
from gardner.theory.bounds import LN2
from gardner.theory.branch import Side, Status
from gardner.theory.complexity import at_volume, branch
from gardner.theory.inputs import check_model, check_target
from gardner.theory.point import order_parameters
from gardner.theory.precision import double_precision
from gardner.theory.stationary import Control, Problem, State, at_complexity, at_log_volume, solve
from gardner.theory.typical import Typical, pool, typical

if TYPE_CHECKING:
    import pandas as pd

_RELATIVE = 1e-9  # accuracy of the budgets
_SMALLEST = 1e-4  # budgets below this fraction of a label per weight are not searched


@dataclass(frozen=True)
class BudgetAnswer:
    """Smallest budgets that reach a target; ``None`` where the pool does not reach it.

    ``agnostic_floor`` is the certain lower bound for a label-agnostic strategy, ``agnostic`` the budget at which its
    volume bound reaches the target. ``notes`` says why an answer is missing.
    """

    pool_ratio: float
    log_volume: float | None
    accuracy: float | None
    best: float | None
    agnostic: float | None
    agnostic_floor: float | None
    random: float | None
    pool: Typical
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """One row a kind of choice."""
        import pandas as pd  # here, so that the solver starts without it

        kinds = ("best", "agnostic", "agnostic_floor", "random")
        return pd.DataFrame({"choice": kinds, "budget": [getattr(self, kind) for kind in kinds]}).assign(
            alpha=self.pool_ratio, log_volume=self.log_volume, accuracy=self.accuracy
        )


@double_precision
def budget_for(
    model: GLM = PERCEPTRON,
    pool_ratio: float = 3.0,
    *,
    log_volume: float | None = None,
    accuracy: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> BudgetAnswer:
    """The smallest budgets that reach a log-volume (per weight, natural logarithm) or an accuracy.

    >>> answer = budget_for(pool_ratio=3.0, log_volume=-0.5)
    >>> round(answer.best, 3), round(answer.agnostic, 3), round(answer.random, 3)
    (0.295, 0.721, 0.815)
    """
    check_model(model)
    check_target(pool_ratio, log_volume, accuracy)
    alpha = float(pool_ratio)
    whole = pool(model, alpha)
    tell = progress or (lambda _: None)
    if log_volume is not None:
        return _for_volume(model, alpha, float(log_volume), whole, tell)
    if accuracy is not None:
        return _for_accuracy(model, alpha, float(accuracy), whole, tell)
    raise AssertionError("unreachable: a goal was checked to be given")


def _for_volume(model: GLM, alpha: float, target: float, whole: Typical, tell: Callable[[float], None]) -> BudgetAnswer:
    answer = functools.partial(BudgetAnswer, alpha, target, None, pool=whole)
    random = _typical_budget(model, lambda known: target - known.log_volume)
    if target < whole.log_volume:
        note = f"the whole pool has ln v = {whole.log_volume:.6g}: {_larger_pool(random)}"
        return answer(best=None, agnostic=None, agnostic_floor=None, random=None, notes=(note,))
    ends = _Ends(model, alpha, tell)
    best, notes = _smallest_budget(ends, lambda state: target - state.log_volume, alpha)
    floor = -target / LN2
    agnostic = max(floor, best) if best is not None else None
    return answer(best=best, agnostic=agnostic, agnostic_floor=floor, random=random, notes=notes)


def _for_accuracy(
    model: GLM, alpha: float, target: float, whole: Typical, tell: Callable[[float], None]
) -> BudgetAnswer:
    answer = functools.partial(BudgetAnswer, alpha, None, target, pool=whole)
    random = _typical_budget(model, lambda known: known.accuracy - target)
    if target > whole.accuracy:
        note = f"the whole pool gives accuracy {whole.accuracy:.6g}: {_larger_pool(random)}"
        return answer(best=None, agnostic=None, agnostic_floor=None, random=None, notes=(note,))
    ends = _Ends(model, alpha, tell)

    def excess(state: State) -> float:
        return order_parameters(state.theta)["accuracy"] - target

    def agnostic_excess(budget: float) -> float:
        return excess(ends.agnostic(budget))

    best, notes = _smallest_budget(ends, excess, alpha)
    floor = -0.5 * math.log2(math.sin(math.pi * (1.0 - target)) ** 2)
    agnostic = None
    if best is not None:
        try:
            agnostic = _root(agnostic_excess, best, alpha)
        except ConvergenceError as error:
            notes = (*notes, f"label-agnostic: {error.what}")
    return answer(best=best, agnostic=agnostic, agnostic_floor=floor, random=random, notes=notes)


def _larger_pool(random: float | None) -> str:
    return "no pool reaches it" if random is None else f"a pool of alpha >= {random:.6g} is needed"


def _typical_budget(model: GLM, excess: Callable[[Typical], float]) -> float | None:
    """The budget of random choice: ``excess`` grows with it."""
    low, high = 1e-8, 1.0
    while excess(typical(model, high)) < 0.0:
        low, high = high, 4.0 * high
        if high > 1e6:
            return None
    return float(brentq(lambda n: excess(typical(model, n)), low, high, rtol=_RELATIVE, xtol=1e-14))


class _Ends:
    """Points of the curve as functions of the budget, each solved from a neighbour where that works."""

    def __init__(self, model: GLM, alpha: float, tell: Callable[[float], None]) -> None:
        self._model, self._alpha, self._tell = model, alpha, tell
        self._minima: dict[float, State] = {}
        self._halvings: dict[float, State] = {}

    def minimum(self, budget: float) -> State:
        """The state at the smallest volume of a budget."""
        problem = Problem(self._model, self._alpha, budget)
        state = self._near(self._minima, problem, at_complexity(0.0))
        if state is None:
            followed = branch(problem, Side.MIN)
            if followed.end is None or followed.status is Status.UNRESOLVED:
                raise ConvergenceError(f"the lower end at budget {budget:.6g} is unresolved ({followed.reason})")
            state = followed.end
        return self._keep(self._minima, budget, state)

    def agnostic(self, budget: float) -> State:
        """The state at the label-agnostic volume bound of a budget, max(−n ln 2, smallest volume)."""
        problem, halving = Problem(self._model, self._alpha, budget), -budget * LN2
        lowest = self.minimum(budget)
        if lowest.log_volume >= halving:
            return lowest
        state = self._near(self._halvings, problem, at_log_volume(halving))
        if state is None:
            state = at_volume(problem, branch(problem, Side.MIN), halving)
        return self._keep(self._halvings, budget, state)

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
        self._tell(1.0 - 0.9 ** (len(self._minima) + len(self._halvings)))
        return state


def _smallest_budget(
    ends: _Ends, excess: Callable[[State], float], alpha: float
) -> tuple[float | None, tuple[str, ...]]:
    """Where ``excess`` of the lower end, which grows with the budget, crosses zero; with a note where it could not be
    found."""
    try:
        low = 0.3 * alpha
        while excess(ends.minimum(low)) > 0.0:
            low *= 0.4
            if low < _SMALLEST:
                return None, (f"fewer than {_SMALLEST:g} labels per weight are enough",)
        return _root(lambda n: excess(ends.minimum(n)), low, alpha), ()
    except ConvergenceError as error:
        return None, (f"best subset: {error.what}",)


def _root(excess: Callable[[float], float], low: float, alpha: float) -> float:
    """A root of an increasing function of the budget above ``low``; at the pool itself the target is known to be
    reached."""
    high = low
    while excess(high) < 0.0:
        low, high = high, min(1.5 * high, 0.5 * (high + alpha))
        if alpha - high < 1e-6 * alpha:
            return alpha
    return high if low == high else float(brentq(excess, low, high, rtol=_RELATIVE, xtol=1e-12))
