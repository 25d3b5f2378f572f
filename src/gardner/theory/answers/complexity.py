"""The complexity Σ(n, ln v): how many subsets of a pool have a given Gardner volume, e^{NΣ}.

Σ = Φ − β ln v − nφ at n = ∂Φ/∂φ, ln v = ∂Φ/∂β [cui2020, eq. (7)]; along a curve of fixed n, dΣ/d ln
v = −β.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.model import GLM, PERCEPTRON
from gardner.theory.answers.end import End, end_of
from gardner.theory.answers.problem import (
    branch,
    check_steps,
    checked_problem,
    one_step,
    problem_columns,
    problem_from,
    problem_record,
)
from gardner.theory.as_json import Record, from_record, record_of, section
from gardner.theory.breaking.results import BrokenEnd
from gardner.theory.curve.ends import Branch, EndStatus, Side
from gardner.theory.curve.equations import Problem, State
from gardner.theory.curve.point import Point, between, next_to, point_of, typical_point, whole_pool_point
from gardner.theory.curve.stationary import at_beta, at_log_volume, solve
from gardner.theory.formula.free_entropy import BETA
from gardner.theory.formula.taylor import Floats
from gardner.theory.inputs import check_count, check_number
from gardner.theory.random_subset.typical import typical_of

if TYPE_CHECKING:
    import pandas as pd


SYMMETRIC, BROKEN = "symmetric", "one step"  # the branches of a curve
# Points of a curve that may be asked for: an hour of one core.
MOST_POINTS = 10_000
# How close to β = 1 the equation for D counts as a limit: it is divided by β − 1, which costs six
# digits there.
_NEAR_ONE = 1e-6
# How far from β = 1 the two neighbours are solved between which values are interpolated; the error
# is its square.
_BESIDE_ONE = 1e-4
# The share of a side's length next to the typical point where values are interpolated: equations
# are a limit there.
_NEAR_TOP = 1e-4


@dataclass(frozen=True)
class Curve:
    """A complexity curve at fixed pool ratio and budget, from the smallest volume to the largest.

    Its points are those of a student who still doubts. Where discrete weights become known (status
    ``frozen``) the last one is the point at which the posterior jumps onto the teacher. ``ends``
    says of both sides how their ends are known, as bounds do, and is empty of a curve that knows
    nothing of them. ``broken`` has the ends with one step of replica symmetry breaking, by side,
    where they were asked for.
    """

    problem: Problem
    points: tuple[Point, ...]
    ends: dict[str, End]
    broken: dict[str, BrokenEnd] = field(default_factory=dict)

    @property
    def pool_ratio(self) -> float:
        """α."""
        return self.problem.pool_ratio

    @property
    def budget(self) -> float:
        """n."""
        return self.problem.budget

    def to_frame(self) -> pd.DataFrame:
        """One row a point, the question repeated; with one step of breaking, ``branch`` says of
        which branch it is.
        """
        import pandas as pd  # here, so that the solver starts without it

        asked = problem_columns(self.problem)
        rows = [{**asked, **asdict(point)} for point in self.points]
        if self.broken:
            path = [point for end in self.broken.values() for point in end.path]
            rows = [{**row, "branch": SYMMETRIC} for row in rows]
            rows += [{**asked, **asdict(point), "branch": BROKEN} for point in path]
        return pd.DataFrame(rows)

    def to_json(self) -> Record:
        """Plain data for JSON: the question, how the ends were reached, and the points."""
        return {
            **problem_record(self.problem),
            "ends": {side: end.to_json() for side, end in self.ends.items()},
            "points": [record_of(point) for point in self.points],
            **({"one_step": {side: end.to_json() for side, end in self.broken.items()}} if self.broken else {}),
        }

    @staticmethod
    def from_json(record: Record) -> Curve:
        """The inverse of :meth:`to_json`."""
        found = section(record, "a curve")
        listed = found["points"]
        points = tuple(from_record(Point, point) for point in listed) if isinstance(listed, list) else ()
        return Curve(
            problem_from(record),
            points,
            {side: End.from_json(end) for side, end in section(found["ends"], "ends").items()},
            {side: BrokenEnd.from_json(end) for side, end in section(found.get("one_step", {}), "one_step").items()},
        )


@np.errstate(all="ignore")  # overflow and NaN are looked for where they matter
def complexity_curve(
    model: GLM = PERCEPTRON,
    *,
    pool_ratio: float,
    budget: float,
    points: int | None = None,
    teacher: GLM | None = None,
    rsb: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Curve:
    """Σ against ln v at fixed budget, both sides to their ends.

    ``points`` asks for that many (at least 3), equally spaced in ln v and solved each, the two ends
    and the typical point among them; without it, the points the branch follower chose come back.
    ``progress`` is called with the fraction done; ``teacher`` is the teacher's model if it is not
    the student's. ``rsb=1`` adds both ends with one step of replica symmetry breaking.

    >>> curve = complexity_curve(pool_ratio=3.0, budget=0.6, points=4)
    >>> [(round(point.log_volume, 3), round(abs(point.complexity), 3)) for point in curve.points]
    [(-0.963, 0.0), (-0.671, 1.096), (-0.38, 1.501), (-0.176, 0.0)]
    """
    problem = checked_problem(model, pool_ratio, budget, teacher)
    check_steps(problem, rsb)
    if points is not None:
        check_count("points", points, 3, MOST_POINTS)
    if problem.budget == problem.pool_ratio:
        only = whole_pool_point(problem)
        ends = {side.value: End(only, EndStatus.ZERO, None, "") for side in Side}
        return Curve(problem, (only,), ends, one_step(problem, rsb))
    sides = {side: branch(problem, side, precise=points is None) for side in Side}
    states = {side: list(sides[side].states) for side in Side}
    reasons = {side: sides[side].reason for side in Side}
    if points is not None:
        states = _spread(problem, sides, points, reasons)
    todo = [*reversed(states[Side.MIN]), None, *states[Side.MAX]]
    solved = []
    for index, state in enumerate(todo):
        solved.append(typical_point(problem) if state is None else point_of(state))
        if progress is not None:
            progress((index + 1) / len(todo))
    ends = {}
    for side, last in ((Side.MIN, solved[0]), (Side.MAX, solved[-1])):
        followed = replace(sides[side], reason=reasons[side])
        ends[side.value] = end_of(followed, last if followed.states else None)
    return Curve(problem, tuple(solved), ends, one_step(problem, rsb))


def _spread(
    problem: Problem, sides: dict[Side, Branch], points: int, reasons: dict[Side, str]
) -> dict[Side, list[State]]:
    """States at equal distances of ln v on both sides of the typical point, shared out by the
    length of the sides.

    Why a point cannot be solved is added to ``reasons``; the others stand.
    """
    top = typical_of(problem.pair, problem.budget).log_volume
    reach = {side: abs(sides[side].states[-1].log_volume - top) if sides[side].states else 0.0 for side in Side}
    share = round((points - 1) * reach[Side.MIN] / max(sum(reach.values()), 1e-300))
    share = min(max(share, 1), points - 2)
    result: dict[Side, list[State]] = {}
    for side, count in ((Side.MIN, share), (Side.MAX, points - 1 - share)):
        states = sides[side].states
        reached = states[-1].log_volume if states else top
        targets = top + np.linspace(0.0, 1.0, count + 1)[1:-1] * (reached - top) if states else np.array([])
        result[side] = []
        for target in targets:
            try:
                result[side].append(at_volume(problem, sides[side], float(target)))
            except ConvergenceError as error:
                reasons[side] = f"{reasons[side]}; {error.what}".lstrip("; ")
        result[side] += states[-1:]
    return result


def at_volume(problem: Problem, side: Branch, log_volume: float) -> State:
    """The state of given ln v on a side that has been followed beyond it."""
    if not side.states:
        raise ConvergenceError(f"no point of the {side.side} side is known ({side.reason})")
    top = typical_of(problem.pair, problem.budget).log_volume
    volumes = np.array([top, *(state.log_volume for state in side.states)])
    places = [side.start, *(state.z for state in side.states)]
    index = int(np.argmax(side.side.sign * (volumes - log_volume) >= 0.0))
    index = max(index, 1)
    before, after = volumes[index - 1], volumes[index]
    weight = (log_volume - before) / (after - before) if after != before else 1.0
    guesses = [places[index - 1] + weight * (places[index] - places[index - 1]), places[index]]
    if index > 1:
        guesses.append(places[index - 1])
    failure: ConvergenceError | None = None
    for guess in guesses:
        try:
            return solve(side.problem, _off_zero(guess, side.side), at_log_volume(log_volume))
        except ConvergenceError as error:
            failure = error
    raise ConvergenceError(f"ln v = {log_volume:g} could not be solved for ({failure.what if failure else ''})")


def _off_zero(z: Floats, side: Side) -> Floats:
    """The equations are divided by β; a start at exactly zero is moved off it."""
    if z[BETA] != 0.0:
        return z
    moved = z.copy()
    moved[BETA] = side.sign * 1e-3
    return moved


@np.errstate(all="ignore")  # overflow and NaN are looked for where they matter
def complexity_at(
    model: GLM = PERCEPTRON,
    *,
    pool_ratio: float,
    budget: float,
    log_volume: float,
    teacher: GLM | None = None,
) -> Point:
    """Σ and everything else at a given (n, ln v); beyond the curve, an error with its range.

    >>> point = complexity_at(pool_ratio=3.0, budget=0.6, log_volume=-0.9)
    >>> round(point.complexity, 5), round(point.accuracy, 4)
    (0.42102, 0.8098)
    """
    problem = checked_problem(model, pool_ratio, budget, teacher)
    target = check_number("log_volume", log_volume)
    if problem.budget == problem.pool_ratio:
        whole = whole_pool_point(problem)
        if abs(whole.log_volume - target) > 1e-9:
            raise InvalidInputError(
                "log_volume", target, f"at budget = alpha the only volume is {whole.log_volume:.8g}"
            )
        return whole
    top = typical_point(problem)
    side = branch(problem, Side.MIN if target < top.log_volume else Side.MAX)
    if target == top.log_volume:
        return top
    end = side.states[-1].log_volume if side.states else top.log_volume
    if side.side.sign * (target - end) > 1e-12:
        known = "the curve ends" if side.status.known else "the curve could be followed only"
        raise InvalidInputError(
            "log_volume",
            target,
            f"{known} at {end:.8g} for alpha = {problem.pool_ratio:g}, budget = {problem.budget:g}",
            hint="bounds gives the range",
        )
    near = _NEAR_TOP * (end - top.log_volume)
    if abs(target - top.log_volume) < abs(near):
        return next_to(top, point_of(at_volume(problem, side, top.log_volume + near)), target)
    state = at_volume(problem, side, target)
    if abs(state.theta.beta - 1.0) > _NEAR_ONE:
        return point_of(state)
    # at β = 1 the equation for D is a limit: from both sides
    neighbours = [solve(problem, state.z, at_beta(1.0 + sign * _BESIDE_ONE)) for sign in (-1.0, 1.0)]
    return between(point_of(state), *map(point_of, neighbours))


def complexity_points(
    model: GLM = PERCEPTRON,
    *,
    pool_ratio: float,
    budget: float,
    log_volumes: Sequence[float],
    teacher: GLM | None = None,
) -> Curve:
    """:func:`complexity_at` for several volumes; a curve that knows nothing of its ends.

    >>> found = complexity_points(pool_ratio=3.0, budget=0.6, log_volumes=[-0.9, -0.5])
    >>> [round(point.complexity, 5) for point in found.points]
    [0.42102, 1.40428]
    """
    problem = checked_problem(model, pool_ratio, budget, teacher)
    place = {"pool_ratio": problem.pool_ratio, "budget": problem.budget}
    found = [complexity_at(model, **place, log_volume=volume, teacher=teacher) for volume in log_volumes]
    return Curve(problem, tuple(found), {}, {})
