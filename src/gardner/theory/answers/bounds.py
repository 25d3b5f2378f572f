"""What any strategy can reach: the minimal, typical and maximal Gardner volume at budget n from a
pool of ratio α.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from gardner.model import GLM, PERCEPTRON
from gardner.theory.answers.complexity import branch, check_steps, checked, one_step
from gardner.theory.answers.extremes import Extremes, extremes
from gardner.theory.answers.results import Bounds, End
from gardner.theory.breaking.results import BrokenEnd
from gardner.theory.curve.condensed import condensed_point
from gardner.theory.curve.ends import Branch, EndStatus, Side
from gardner.theory.curve.frozen import is_frozen
from gardner.theory.curve.point import (
    Point,
    end_status,
    frozen_point,
    order_parameters,
    point_of,
    typical_point,
    whole_pool_point,
)
from gardner.theory.curve.stationary import Problem
from gardner.theory.formula.information import capacity, label_entropy
from gardner.theory.parallel import answers
from gardner.theory.random_subset.typical import pool

# Overlaps past the last point are taken to move by no more than ten times what they moved just
# before it (share 0.1).
_LONGEST_SHARE = 0.1


@np.errstate(all="ignore")  # overflow and NaN are looked for where they matter
def bounds(
    model: GLM = PERCEPTRON, *, pool_ratio: float, budget: float, teacher: GLM | None = None, rsb: int = 0
) -> Bounds:
    """The minimal, typical and maximal volume any subset of ``budget``·N rows of the pool can have.

    ``teacher`` is the teacher's model if it is not the student's. ``rsb=1`` adds the two ends with
    one step of replica symmetry breaking (Gaussian weights, noiseless labels), in some ten seconds.

    >>> result = bounds(pool_ratio=3.0, budget=0.6)
    >>> round(result.minimum.log_volume, 5), round(result.maximum.log_volume, 5)
    (-0.96258, -0.1755)
    """
    problem = checked(model, pool_ratio, budget, teacher)
    check_steps(problem, rsb)
    whole, pair = pool(model, pool_ratio=problem.pool_ratio, teacher=teacher), problem.pair
    most = capacity(pair.teacher.channel, pair.teacher.prior.second_moment) if pair.matched else math.nan
    limits = (most, label_entropy(pair))
    if problem.budget == problem.pool_ratio:
        only = whole_pool_point(problem)
        end, same = End(only, EndStatus.ZERO, None, ""), Extremes(only, only, only, only)
        return Bounds(problem, end, only, end, whole, same, *limits, *_broken(problem, rsb))
    top, low, high = typical_point(problem), end_of(problem, Side.MIN), end_of(problem, Side.MAX)
    if is_frozen(problem):
        low = End(top, EndStatus.FROZEN, None, low.reason)
    ends = {Side.MIN: low.point, Side.MAX: high.point}
    far = extremes(problem, {side: branch(problem, side) for side in Side}, ends)
    return Bounds(problem, low, top, high, whole, far, *limits, *_broken(problem, rsb))


def _broken(problem: Problem, rsb: int) -> tuple[BrokenEnd | None, BrokenEnd | None]:
    """Both ends with one step of breaking, if they are asked for."""
    ends = one_step(problem, rsb)
    return ends.get(Side.MIN.value), ends.get(Side.MAX.value)


def end_of(problem: Problem, side: Side) -> End:
    """One end, with its point and status."""
    followed = branch(problem, side)
    point = point_of(followed.end) if followed.end is not None else None
    status, reason = end_status(followed.status, point, followed.reason)
    if point is not None and followed.status is EndStatus.FROZEN:
        return End(frozen_point(problem, point), status, followed.bracket, reason, doubting=point)
    if followed.status is EndStatus.CONDENSED:
        return End(condensed_point(problem), EndStatus.CONDENSED, None, reason, doubting=point)
    if point is not None and followed.bracket is not None:
        point = _with_drift(point, followed)
    return End(point, status, followed.bracket, reason)


def _with_drift(point: Point, followed: Branch) -> Point:
    """The last point of a branch whose end lies further on: what may still move is part of its
    errors.

    On a wall ln v stands still while the overlaps go on. They move on as fast, per ln v, as between
    the last two points, for no more than the width of the bracket.
    """
    if followed.bracket is None or len(followed.states) < 2:
        return point
    width = followed.bracket[1] - followed.bracket[0]
    before, last = (order_parameters(followed.problem.pair, state.theta) for state in followed.states[-2:])
    passed = abs(followed.states[-1].log_volume - followed.states[-2].log_volume)
    share = width / max(passed, _LONGEST_SHARE * width) if width > 0.0 else 0.0
    accuracy = share * abs(last["accuracy"] - before["accuracy"])
    relative = share * max(abs(last[name] - before[name]) / abs(last[name]) for name in ("m", "q", "Q", "r"))
    return replace(
        point,
        accuracy_error=point.accuracy_error + accuracy,
        relative_error=point.relative_error + relative,
    )


def bounds_sweep(
    model: GLM = PERCEPTRON,
    *,
    pool_ratio: float,
    budgets: Iterable[float],
    teacher: GLM | None = None,
    rsb: int = 0,
    workers: int | None = 1,
    progress: Callable[[float], None] | None = None,
) -> list[Bounds]:
    """:func:`bounds` for several budgets; ``progress`` is called with the fraction done.

    ``workers`` processes share them (``None``: one for each core), with the same answers.

    >>> [round(one.minimum.log_volume, 5) for one in bounds_sweep(pool_ratio=3.0, budgets=[0.3, 0.6])]
    [-0.51, -0.96258]
    """
    wanted = list(budgets)
    for budget in wanted:
        check_steps(checked(model, pool_ratio, budget, teacher), rsb)
    return answers(functools.partial(_at, model, pool_ratio, teacher, rsb), wanted, workers, progress)


def _at(model: GLM, pool_ratio: float, teacher: GLM | None, rsb: int, budget: float) -> Bounds:
    return bounds(model, pool_ratio=pool_ratio, budget=budget, teacher=teacher, rsb=rsb)
