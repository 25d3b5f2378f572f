"""A question about a curve: checked, as plain data, and its two sides followed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

from gardner.errors import InvalidInputError
from gardner.model import GLM
from gardner.theory.as_json import Record, model_columns, model_from, model_record, section
from gardner.theory.breaking.results import BrokenEnd
from gardner.theory.curve import condensed, frozen
from gardner.theory.curve.branch import follow
from gardner.theory.curve.ends import Branch, EndStatus, Side
from gardner.theory.curve.equations import Problem, State
from gardner.theory.curve.point import whole_pool_point
from gardner.theory.inputs import check_budget, check_model, check_pool_ratio


def checked_problem(model: GLM, pool_ratio: float, budget: float, teacher: GLM | None = None) -> Problem:
    """A problem from checked inputs."""
    check_model(model, teacher)
    alpha = check_pool_ratio(pool_ratio)
    return Problem(model, alpha, check_budget(budget, alpha), None if teacher == model else teacher)


def problem_record(problem: Problem) -> Record:
    """A question as plain data: both models, α and n."""
    return {
        "model": model_record(problem.pair.student),
        "teacher": model_record(problem.pair.teacher),
        "pool_ratio": problem.pool_ratio,
        "budget": problem.budget,
    }


def problem_from(record: Record) -> Problem:
    """The question of a record, checked like any other."""
    found = section(record, "a result")
    student, teacher = model_from(found["model"]), model_from(found["teacher"])
    return checked_problem(student, float(str(found["pool_ratio"])), float(str(found["budget"])), teacher)


def problem_columns(problem: Problem) -> dict[str, object]:
    """The same as columns of a frame, so that rows of several questions can be told apart."""
    models = model_columns(problem.pair.student, problem.pair.teacher)
    return {**models, "pool_ratio": problem.pool_ratio, "budget": problem.budget}


@functools.lru_cache(maxsize=64)
def branch(problem: Problem, side: Side, precise: bool = False) -> Branch:
    """One side of a curve, as far as there are subsets of it, remembered."""
    followed = frozen.cut(follow(problem, side, stop_of(problem, side), precise=precise))
    if side is Side.MAX and condensed.condenses(problem):
        return replace(followed, status=EndStatus.CONDENSED, reason=condensed.REASON)
    return followed


def stop_of(problem: Problem, side: Side) -> Callable[[State], bool]:
    """Where a side need not be followed further: discrete weights are known, or weights condense."""
    if side is Side.MAX:
        return condensed.stop(problem)
    return frozen.stop(problem)


def check_steps(problem: Problem, rsb: int) -> None:
    """Refuse steps of replica symmetry breaking that are not computed."""
    if isinstance(rsb, bool) or rsb not in (0, 1):
        raise InvalidInputError("rsb", rsb, "it must be 0 (replica symmetry) or 1 (one step of breaking)")
    if rsb:
        from gardner.theory.breaking.end import check_breakable  # here, so that who asks for no more loads no more

        check_breakable(problem)


def one_step(problem: Problem, rsb: int) -> dict[str, BrokenEnd]:
    """Both ends with one step of breaking by side, if they are asked for."""
    if not rsb:
        return {}
    from gardner.theory.breaking.end import broken_end, unbroken_end

    if problem.budget == problem.pool_ratio:
        return {side.value: unbroken_end(whole_pool_point(problem)) for side in Side}
    return {side.value: broken_end(branch(problem, side)) for side in Side}
