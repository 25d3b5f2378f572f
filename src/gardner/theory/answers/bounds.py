"""What any strategy can reach: the minimal, typical and maximal Gardner volume at budget n from a pool of ratio α."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gardner.model import GLM, PERCEPTRON
from gardner.theory.answers.complexity import branch, checked
from gardner.theory.answers.extremes import Extremes, extremes
from gardner.theory.curve.branch import Side, Status
from gardner.theory.curve.condensed import condensed_point
from gardner.theory.curve.frozen import is_frozen
from gardner.theory.curve.point import Point, frozen_point, judged, point_of, typical_point, whole_pool_point
from gardner.theory.curve.stationary import Problem
from gardner.theory.formula.information import capacity, label_entropy
from gardner.theory.parallel import answers
from gardner.theory.random_subset.typical import Typical, pool

if TYPE_CHECKING:
    import pandas as pd

LN2 = math.log(2.0)


@dataclass(frozen=True)
class End:
    """One end of a complexity curve: its last point and how it was reached.

    ``status`` is ``zero`` (Σ = 0 reached), ``bracketed`` (ln v known to the width of ``bracket``),
    ``frozen`` (discrete weights are known there: no smaller volume exists), ``condensed`` (one
    large weight decides all labels: no larger volume exists), ``imprecise`` (reached, but ln v is
    not known to six decimals) or ``unresolved`` (``reason`` says why; ``point``, if there is one,
    is a subset that exists, so the true end lies beyond it). Where the end is frozen ``point`` is
    the student who knows the weights, accuracy 1, and ``doubting`` the one of the same volume who
    does not: there the posterior jumps from one to the other. Where it is condensed ``doubting`` is
    the last point of the branch that leads there.
    """

    point: Point | None
    status: Status
    bracket: tuple[float, float] | None
    reason: str
    doubting: Point | None = None

    @property
    def log_volume(self) -> float:
        """Ln v at the end, NaN when nothing was found."""
        return math.nan if self.point is None else self.point.log_volume


@dataclass(frozen=True)
class Bounds:
    """The three volumes of a budget, the pool's, and what a label-agnostic strategy is held to.

    With noise, the subset of smallest evidence is the one rich in wrong labels: ``extremes`` holds
    the points of most and least information and accuracy. ``capacity`` is the most a label can
    tell, ``label_entropy`` the most entropy it can have (NaN where the student's model is not the
    teacher's: its evidence is no entropy), both in nats.
    """

    pool_ratio: float
    budget: float
    minimum: End
    typical: Point
    maximum: End
    pool: Typical
    extremes: Extremes | None = None
    capacity: float = LN2
    label_entropy: float = LN2
    discrete: bool = True

    @property
    def halving(self) -> float:
        """The label-agnostic bound max(−n ln 2, ln v(α)): one bit a label, and no more than the pool holds.

        Real labels have the entropy of their largest variance in place of ln 2, and no bound by the
        pool (densities).
        """
        least = -self.budget * self.label_entropy
        return max(least, self.pool.log_volume) if self.discrete else least

    @property
    def agnostic_information(self) -> float:
        """The most information a label-agnostic strategy can collect: n × capacity, and no more than the pool's.

        NaN for a student of another model than the teacher's: what its posterior says is no mutual
        information.
        """
        if math.isnan(self.capacity):
            return math.nan
        return min(self.budget * self.capacity, self.pool.information)

    @property
    def residual(self) -> float:
        """The worst residual of the three points."""
        return max(point.residual for point in self._points)

    @property
    def quadrature_error(self) -> float:
        """The worst quadrature error of the three points."""
        return max(point.quadrature_error for point in self._points)

    @property
    def _points(self) -> list[Point]:
        ends = (self.minimum.point, self.maximum.point)
        return [self.typical, *(point for point in ends if point is not None)]

    def to_frame(self) -> pd.DataFrame:
        """One row a bound (minimum, typical, maximum) with its order parameters and status."""
        import pandas as pd  # here, so that the solver starts without it

        rows: list[dict[str, Any]] = []
        for name, point, status in (
            ("min", self.minimum.point, self.minimum.status.value),
            ("typical", self.typical, Status.ZERO.value),
            ("max", self.maximum.point, self.maximum.status.value),
        ):
            rows.append({"alpha": self.pool_ratio, "budget": self.budget, "bound": name, "status": status})
            rows[-1].update(vars(point) if point is not None else {})
        return pd.DataFrame(rows).assign(
            halving=self.halving, pool=self.pool.log_volume, agnostic_information=self.agnostic_information
        )


@np.errstate(all="ignore")  # overflow and NaN are looked for where they matter
def bounds(model: GLM = PERCEPTRON, pool_ratio: float = 3.0, budget: float = 0.6, teacher: GLM | None = None) -> Bounds:
    """The minimal, typical and maximal volume any subset of ``budget``·N rows of the pool can have.

    ``teacher`` is the teacher's model if it is not the student's.

    >>> result = bounds(pool_ratio=3.0, budget=0.6)
    >>> round(result.minimum.log_volume, 5), round(result.maximum.log_volume, 5)
    (-0.96258, -0.1755)
    """
    problem = checked(model, pool_ratio, budget, teacher)
    whole, pair = pool(model, problem.pool_ratio, teacher), problem.pair
    most = capacity(pair.teacher.channel, pair.teacher.prior.second_moment) if pair.matched else math.nan
    limits = (most, label_entropy(pair))
    if problem.budget == problem.pool_ratio:
        only = whole_pool_point(problem)
        end, same = End(only, Status.ZERO, None, ""), Extremes(only, only, only, only)
        return Bounds(problem.pool_ratio, problem.budget, end, only, end, whole, same, *limits, not pair.regression)
    top, low, high = typical_point(problem), end_of(problem, Side.MIN), end_of(problem, Side.MAX)
    if is_frozen(problem):
        low = End(top, Status.FROZEN, None, low.reason)
    ends = {Side.MIN: low.point, Side.MAX: high.point}
    far = extremes(problem, {side: branch(problem, side) for side in Side}, ends)
    return Bounds(problem.pool_ratio, problem.budget, low, top, high, whole, far, *limits, not pair.regression)


def end_of(problem: Problem, side: Side) -> End:
    """One end, with its point and status."""
    followed = branch(problem, side)
    point = point_of(followed.end) if followed.end is not None else None
    status, reason = judged(followed.status, point, followed.reason)
    if point is not None and followed.status is Status.FROZEN:
        return End(frozen_point(problem, point), status, followed.bracket, reason, doubting=point)
    if followed.status is Status.CONDENSED:
        return End(condensed_point(problem), Status.CONDENSED, None, reason, doubting=point)
    return End(point, status, followed.bracket, reason)


def bounds_sweep(
    model: GLM,
    pool_ratio: float,
    budgets: Iterable[float],
    progress: Callable[[float], None] | None = None,
    teacher: GLM | None = None,
    workers: int | None = 1,
) -> list[Bounds]:
    """:func:`bounds` for several budgets; ``progress`` is called with the fraction done.

    ``workers`` processes share them (``None``: one for each core), with the same answers.
    """
    wanted = list(budgets)
    for budget in wanted:
        checked(model, pool_ratio, budget, teacher)
    ask = functools.partial(bounds, model, pool_ratio, teacher=teacher)
    return answers(ask, wanted, workers, progress)
