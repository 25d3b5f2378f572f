"""One end of a curve as an answer: its point, how it was reached, and what it is worth."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from gardner.theory.as_json import Plain, Record, from_record, or_nan, or_null, record_of, section
from gardner.theory.curve.condensed import condensed_point
from gardner.theory.curve.ends import Branch, EndStatus, Side
from gardner.theory.curve.frozen import is_frozen
from gardner.theory.curve.point import Point, end_status, frozen_point, order_parameters, point_of, typical_point

# Overlaps past the last point are taken to move by no more than ten times what they moved just
# before it (share 0.1).
_LONGEST_SHARE = 0.1


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
    status: EndStatus
    bracket: tuple[float, float] | None
    reason: str
    doubting: Point | None = None

    @property
    def found(self) -> Point | None:
        """The point where the end is known; what an unresolved end has is only a subset that
        exists.
        """
        return self.point if self.status.known else None

    @property
    def log_volume(self) -> float:
        """Ln v at the end, NaN where it is not known."""
        return math.nan if self.found is None else self.found.log_volume

    @property
    def stability(self) -> float:
        """The stability ratio at the end, NaN where it is not known."""
        return math.nan if self.found is None else self.found.stability

    @property
    def reached(self) -> float:
        """Ln v of the last point, known to be the end or not; NaN when nothing was found."""
        return math.nan if self.point is None else self.point.log_volume

    def to_json(self) -> Record:
        """Plain data for JSON, the points whole."""
        return {
            "status": self.status.value,
            "log_volume": or_null(self.log_volume),
            "bracket": None if self.bracket is None else list(self.bracket),
            "reached": or_null(self.reached),
            "reason": self.reason or None,
            "point": None if self.point is None else record_of(self.point),
            "doubting": None if self.doubting is None else record_of(self.doubting),
        }

    @staticmethod
    def from_json(record: Plain) -> End:
        """The inverse of :meth:`to_json`."""
        found = section(record, "an end")
        point, doubting = (None if x is None else from_record(Point, x) for x in (found["point"], found["doubting"]))
        status, reason = EndStatus(str(found["status"])), str(found["reason"] or "")
        return End(point, status, interval(found["bracket"]), reason, doubting)


def interval(record: Plain) -> tuple[float, float] | None:
    """The two numbers of a bracket, if there is one."""
    return (or_nan(record[0]), or_nan(record[1])) if isinstance(record, list) else None


def end_of(followed: Branch, last: Point | None = None) -> End:
    """The end of a side that was followed; ``last`` is its last point, if that is known already."""
    problem = followed.problem
    if followed.side is Side.MIN and is_frozen(problem):  # a random subset determines the weights
        return End(typical_point(problem), EndStatus.FROZEN, None, followed.reason)
    point = point_of(followed.end) if last is None and followed.end is not None else last
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
