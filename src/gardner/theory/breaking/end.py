"""The end of a curve with one step of replica symmetry breaking: better where the symmetric one is
not exact.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.theory.breaking.free_entropy import evaluate
from gardner.theory.breaking.leaving import Departure, departure
from gardner.theory.breaking.points import Solved, at_zero, steps_at, walk
from gardner.theory.breaking.results import BreakingStatus, BrokenEnd, BrokenPoint
from gardner.theory.curve.ends import Branch
from gardner.theory.curve.equations import Problem
from gardner.theory.curve.point import Point, point_of
from gardner.theory.random_subset.typical import accuracies

# The widest bracket, in nats per weight, that is an answer: its middle is right to the 5·10⁻⁵ that
# is asked of ends.
_NARROW = 1e-4
_OVERLOOKED = "nothing was seen to break symmetry, but clusters of some sizes need too fine a grid to be looked at"


def check_breakable(problem: Problem) -> None:
    """Refuse what the formula is not for: it is that of Gaussian weights and labels without noise."""
    pair = problem.pair
    channel = pair.student.channel
    plain = channel.labels == (-1.0, 1.0) and channel.odd and channel.scale_free and channel.noiseless
    if not (plain and pair.matched and pair.conjugates_known and pair.student.prior.second_moment == 1.0):
        raise InvalidInputError(
            "rsb", 1, "replica symmetry breaking is computed for Gaussian weights and the sign of their field only",
            hint="leave rsb=1 out: the stability ratio of the symmetric answer says where it is exact",
        )  # fmt: skip


def unbroken_end(whole: Point) -> BrokenEnd:
    """The end where the whole pool is labelled: there is one subset, and nothing to break."""
    volume, error = whole.log_volume, whole.quadrature_error
    return BrokenEnd(BreakingStatus.SYMMETRIC, None, None, math.nan, True, "", volume, error)


@np.errstate(all="ignore")  # overflow and NaN are looked for where they matter
def broken_end(followed: Branch) -> BrokenEnd:
    """The end of a side with one step of breaking; never raises for numerical reasons, the status
    tells.
    """
    end = followed.end
    if end is None or not followed.status.known:
        reason = followed.reason or "the symmetric end is not known"
        return BrokenEnd(BreakingStatus.UNRESOLVED, None, None, math.nan, True, reason, math.nan, math.nan)
    error = point_of(end).quadrature_error
    if followed.bracket is not None:
        error += followed.bracket[1] - followed.bracket[0]
    known = BrokenEnd(BreakingStatus.UNRESOLVED, None, None, math.nan, True, "", end.log_volume, error)
    try:
        left, proven = departure(followed)
    except ConvergenceError as failure:
        return replace(known, reason=failure.what)
    if left is None and proven is end:
        return replace(known, status=BreakingStatus.SYMMETRIC)
    if left is None:
        known = replace(known, reason=_OVERLOOKED)
        return known if proven is None else _bracketed(proven.log_volume, proven.complexity, proven.theta.beta, known)
    return _followed(followed.problem, left, known)


def _followed(problem: Problem, left: Departure, known: BrokenEnd) -> BrokenEnd:
    known = replace(known, leaves_at=left.log_volume, continuous=left.continuous, reason=left.reason)
    if left.first is None:
        state = left.state
        return _bracketed(state.log_volume, state.complexity, state.theta.beta, known)
    path, reason = walk(problem, left.first, left.continuous)
    known = replace(known, reason=reason)
    inside = [one for one in path if one.at.complexity > 0.0]
    known = replace(known, path=tuple(_point(problem, one) for one in inside))
    if not reason:
        try:
            end = at_zero(problem, path[-1], steps_at(problem, path[-1].u))
            point = _point(problem, end)
            return replace(known, status=BreakingStatus.ZERO, point=point, path=(*known.path, point))
        except ConvergenceError as error:
            known = replace(known, reason=error.what)
    last = inside[-1].at if inside else left.first.at
    return _bracketed(last.log_volume, last.complexity, last.place.beta, known)


def _bracketed(volume: float, complexity: float, beta: float, known: BrokenEnd) -> BrokenEnd:
    """What is left to say from the last point of a branch that could not be followed to Σ = 0."""
    furthest = volume + complexity / beta
    symmetric = known.symmetric_log_volume
    furthest = max(furthest, symmetric) if beta < 0.0 else min(furthest, symmetric)
    low, high = sorted((volume, furthest))
    status = BreakingStatus.BRACKETED if high - low <= _NARROW else BreakingStatus.UNRESOLVED
    return replace(known, status=status, bracket=(low, high))


def _point(problem: Problem, solved: Solved) -> BrokenPoint:
    """A solved point, with the error of ln v from more nodes of every kind."""
    at, pair = solved.at, problem.pair
    place = at.place
    try:
        fine = evaluate(problem, solved.u, solved.steps, checking=True)
        error = abs(fine.log_volume - at.log_volume) + abs(fine.complexity - at.complexity) / abs(place.beta)
    except ConvergenceError:  # too many nodes
        error = math.inf
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
        quadrature_error=error + solved.residual,
    )
