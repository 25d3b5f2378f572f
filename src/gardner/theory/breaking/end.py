"""The end of a curve with one step of replica symmetry breaking: a better bound where the symmetric one is not exact."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.theory.breaking.branch import Solved, at_x_one, at_zero, first_point, leaving, spacing_at, walk
from gardner.theory.breaking.free_entropy import LN_X, evaluate
from gardner.theory.curve.branch import Branch, EndStatus
from gardner.theory.curve.stationary import Problem, State
from gardner.theory.random_subset.typical import accuracies

_NARROW = 1e-4  # of ln v: a bracket no wider than that is an answer to four decimals


class BreakingStatus(StrEnum):
    """How an end with one step of breaking is known.

    ``zero``: Σ = 0 was reached. ``bracketed``: ln v lies in the bracket. ``symmetric``: replica
    symmetry is stable up to the end, whose ln v stands. ``unresolved``: not known, for the reason
    given.
    """

    ZERO = "zero"
    BRACKETED = "bracketed"
    SYMMETRIC = "symmetric"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True)
class BrokenPoint:
    """A point of the branch of broken symmetry: order parameters, stability and proof.

    ``breaking_point`` is Parisi's x; ``q0`` and ``q1`` are the overlaps of students of different
    subsets, of different clusters and of the same. ``stability`` (within clusters) and
    ``cluster_stability`` (between them) are those of the broken solution: above 1 symmetry breaks
    further, and one step is an approximation too. ``quadrature_error`` is how far ln v may be off.
    """

    log_volume: float
    complexity: float
    beta: float
    phi: float
    m: float
    q0: float
    q1: float
    Q: float
    r: float
    breaking_point: float
    accuracy: float
    stability: float
    cluster_stability: float
    residual: float
    quadrature_error: float


@dataclass(frozen=True)
class BrokenEnd:
    """An end of a curve with one step of breaking.

    ``point`` is the end itself where it was reached. ``leaves_at`` is the ln v at which the branch
    leaves the symmetric one: where the stability ratio passes 1 if it does so continuously, and
    else where x = 1. ``path`` are the points in between. Where the branch could not be followed to
    Σ = 0, ``bracket`` holds the end: beyond the last point ln v moves by at most Σ/|β|, since
    dΣ/d ln v = −β and Σ is concave, and not beyond the symmetric end.
    """

    status: BreakingStatus
    point: BrokenPoint | None
    bracket: tuple[float, float] | None
    leaves_at: float
    continuous: bool
    reason: str
    symmetric_log_volume: float
    path: tuple[BrokenPoint, ...] = ()

    @property
    def log_volume(self) -> float:
        """Ln v at the end: reached, or the middle of its bracket, or that of the symmetric end; NaN if not known."""
        if self.status is BreakingStatus.UNRESOLVED:
            return math.nan
        if self.status is BreakingStatus.SYMMETRIC:
            return self.symmetric_log_volume
        if self.bracket is not None:
            return 0.5 * (self.bracket[0] + self.bracket[1])
        return math.nan if self.point is None else self.point.log_volume

    @property
    def error(self) -> float:
        """How far ln v may be off."""
        if self.bracket is not None:
            return 0.5 * (self.bracket[1] - self.bracket[0])
        return math.nan if self.point is None else self.point.quadrature_error


def check_breakable(problem: Problem) -> None:
    """Refuse what the formula is not for: it is that of Gaussian weights and labels without noise."""
    pair = problem.pair
    channel = pair.student.channel
    plain = channel.labels == (-1.0, 1.0) and channel.odd and channel.scale_free and channel.noiseless
    if not (plain and pair.matched and pair.gaussian and pair.student.prior.second_moment == 1.0):
        raise InvalidInputError(
            "rsb", 1, "replica symmetry breaking is computed for Gaussian weights and the sign of their field only",
            hint="leave it out: the stability ratio of the symmetric answer says where it is exact",
        )  # fmt: skip


@np.errstate(all="ignore")  # overflow and NaN are looked for where they matter
def broken_end(followed: Branch) -> BrokenEnd:
    """The end of a side with one step of breaking; never raises for numerical reasons, the status tells."""
    end = followed.end
    if end is None or followed.status is EndStatus.UNRESOLVED:
        reason = followed.reason or "the symmetric end is not known"
        return BrokenEnd(BreakingStatus.UNRESOLVED, None, None, math.nan, True, reason, math.nan)
    left: State | None = None
    try:
        left = leaving(followed)
        if left is None:
            return BrokenEnd(BreakingStatus.SYMMETRIC, None, None, math.nan, True, "", end.log_volume)
        return _followed(followed.problem, left, end.log_volume)
    except ConvergenceError as error:
        if left is None:
            return BrokenEnd(BreakingStatus.UNRESOLVED, None, None, math.nan, True, error.what, end.log_volume)
        last = left.log_volume, left.complexity, left.theta.beta
        return _bracketed(last, BrokenEnd(_OPEN, None, None, left.log_volume, True, error.what, end.log_volume))


_OPEN = BreakingStatus.UNRESOLVED


def _followed(problem: Problem, left: State, symmetric: float) -> BrokenEnd:
    first = first_point(problem, left.theta)
    continuous = bool(first.u[LN_X] < 0.0)
    path, reason = walk(problem, first)
    known = BrokenEnd(_OPEN, None, None, left.log_volume, continuous, reason, symmetric)
    if not continuous:
        beyond = next((one for one in path if one.u[LN_X] < 0.0), None)
        if beyond is None:
            return _bracketed((left.log_volume, left.complexity, left.theta.beta), known)
        known = replace(known, leaves_at=at_x_one(problem, beyond).at.log_volume)
    inside = [one for one in path if one.u[LN_X] <= 0.0 and one.at.complexity > 0.0]
    known = replace(known, path=tuple(_point(problem, one) for one in inside))
    last = inside[-1].at if inside else path[-1].at
    if not reason:
        try:
            end = at_zero(problem, path[-1], spacing_at(problem, path[-1].u))
            point = _point(problem, end, checked=True)
            return replace(known, status=BreakingStatus.ZERO, point=point, path=(*known.path, point))
        except ConvergenceError as error:
            known = replace(known, reason=error.what)
    return _bracketed((last.log_volume, last.complexity, last.place.beta), known)


def _bracketed(last: tuple[float, float, float], known: BrokenEnd) -> BrokenEnd:
    """What is left to say from the last point (ln v, Σ, β) of a branch that could not be followed to Σ = 0."""
    volume, complexity, beta = last
    furthest = volume + complexity / beta
    symmetric = known.symmetric_log_volume
    furthest = max(furthest, symmetric) if beta < 0.0 else min(furthest, symmetric)
    low, high = sorted((volume, furthest))
    status = BreakingStatus.BRACKETED if high - low <= _NARROW else BreakingStatus.UNRESOLVED
    return replace(known, status=status, bracket=(low, high))


def _point(problem: Problem, solved: Solved, checked: bool = False) -> BrokenPoint:
    """A solved point; ``checked`` estimates the error of ln v by a grid of half the spacing."""
    at = solved.at
    place, pair = at.place, problem.pair
    error = math.nan
    if checked:
        fine = evaluate(problem, solved.u, 0.5 * at.grid.spacing)
        error = abs(fine.log_volume - at.log_volume) + abs(fine.complexity - at.complexity) / abs(place.beta)
        error += solved.residual
    return BrokenPoint(
        log_volume=at.log_volume,
        complexity=at.complexity,
        beta=place.beta,
        phi=place.phi,
        m=place.m,
        q0=place.q0,
        q1=place.q0 + place.d,
        Q=place.Q,
        r=place.r,
        breaking_point=place.x,
        accuracy=accuracies(pair, place.m, place.t + place.d + place.D, place.V)[0],
        stability=at.stability,
        cluster_stability=at.cluster_stability,
        residual=solved.residual,
        quadrature_error=error,
    )
