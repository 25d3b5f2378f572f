"""What any strategy can reach: the minimal, typical and maximal Gardner volume at budget n from a
pool of ratio α.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable

import numpy as np

from gardner.model import GLM, PERCEPTRON
from gardner.theory.answers.end import End, end_of
from gardner.theory.answers.extremes import Extremes, extremes
from gardner.theory.answers.problem import branch, check_steps, checked_problem, one_step
from gardner.theory.answers.results import Bounds
from gardner.theory.breaking.results import BrokenEnd
from gardner.theory.curve.ends import EndStatus, Side
from gardner.theory.curve.equations import Problem
from gardner.theory.curve.point import typical_point, whole_pool_point
from gardner.theory.formula.information import capacity, label_entropy
from gardner.theory.parallel import answers
from gardner.theory.random_subset.typical import pool


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
    problem = checked_problem(model, pool_ratio, budget, teacher)
    check_steps(problem, rsb)
    whole, pair = pool(model, pool_ratio=problem.pool_ratio, teacher=teacher), problem.pair
    most = capacity(pair.teacher.channel, pair.teacher.prior.second_moment) if pair.matched else math.nan
    limits = (most, label_entropy(pair))
    if problem.budget == problem.pool_ratio:
        only = whole_pool_point(problem)
        end, same = End(only, EndStatus.ZERO, None, ""), Extremes(only, only, only, only)
        return Bounds(problem, end, only, end, whole, same, *limits, *_broken(problem, rsb))
    top, sides = typical_point(problem), {side: branch(problem, side) for side in Side}
    low, high = end_of(sides[Side.MIN]), end_of(sides[Side.MAX])
    far = extremes(problem, sides, {Side.MIN: low.point, Side.MAX: high.point})
    return Bounds(problem, low, top, high, whole, far, *limits, *_broken(problem, rsb))


def _broken(problem: Problem, rsb: int) -> tuple[BrokenEnd | None, BrokenEnd | None]:
    """Both ends with one step of breaking, if they are asked for."""
    ends = one_step(problem, rsb)
    return ends.get(Side.MIN.value), ends.get(Side.MAX.value)


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
        check_steps(checked_problem(model, pool_ratio, budget, teacher), rsb)
    return answers(functools.partial(_at, model, pool_ratio, teacher, rsb), wanted, workers, progress)


def _at(model: GLM, pool_ratio: float, teacher: GLM | None, rsb: int, budget: float) -> Bounds:
    return bounds(model, pool_ratio=pool_ratio, budget=budget, teacher=teacher, rsb=rsb)
