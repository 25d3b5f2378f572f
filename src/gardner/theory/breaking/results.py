"""What a question about one step of replica symmetry breaking is answered with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from gardner.theory.as_json import Plain, Record, from_record, or_nan, or_null, record_of, section

# How many times its own error a difference of ln v must be to count as resolved.
RESOLVED = 10.0


class BreakingStatus(StrEnum):
    """How an end with one step of breaking is known.

    ``zero``: Σ = 0 was reached. ``bracketed``: ln v lies in the bracket. ``symmetric``: replica
    symmetry holds up to the end, whose ln v stands. ``unresolved``: not known, for the reason
    given.
    """

    ZERO = "zero"
    BRACKETED = "bracketed"
    SYMMETRIC = "symmetric"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True)
class BrokenPoint:
    """A point of the branch of broken symmetry: order parameters, stability and proof.

    ``breaking_point`` is Parisi's x. ``q0`` and ``q1`` are the overlaps of students of different
    subsets: of different clusters, and of the same. ``stability`` (within clusters) and
    ``cluster_stability`` (between them) are those of the broken solution: above 1 symmetry breaks
    further, and one step is an approximation too. ``residual`` is the largest relative mismatch of
    the equations, ``quadrature_error`` how far ln v may be off at its Σ.
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

    ``point`` is the end itself where it was reached. ``leaves_at`` is the ln v at which symmetry
    breaks (NaN if it holds): where the stability ratio passes 1 if it breaks continuously, and
    before that if not. ``path`` are the points from there on. Where the branch could not be
    followed to Σ = 0, ``bracket`` holds the end: beyond the last point ln v moves by at most Σ/|β|,
    since dΣ/d ln v = −β and Σ is concave, and not beyond the symmetric end.
    ``symmetric_log_volume`` and ``symmetric_error`` are those of the symmetric end.
    """

    status: BreakingStatus
    point: BrokenPoint | None
    bracket: tuple[float, float] | None
    leaves_at: float
    continuous: bool
    reason: str
    symmetric_log_volume: float
    symmetric_error: float
    path: tuple[BrokenPoint, ...] = ()

    @property
    def log_volume(self) -> float:
        """Ln v at the end: reached, or the middle of its bracket, or that of the symmetric end; NaN
        if not known.
        """
        match self.status:
            case BreakingStatus.UNRESOLVED:
                return math.nan
            case BreakingStatus.SYMMETRIC:
                return self.symmetric_log_volume
        if self.bracket is not None:
            return 0.5 * (self.bracket[0] + self.bracket[1])
        return math.nan if self.point is None else self.point.log_volume

    @property
    def error(self) -> float:
        """How far ln v may be off, as a number of one step; NaN if it is not known."""
        match self.status:
            case BreakingStatus.UNRESOLVED:
                return math.nan
            case BreakingStatus.SYMMETRIC:
                return self.symmetric_error
        if self.bracket is not None:
            return 0.5 * (self.bracket[1] - self.bracket[0])
        return math.nan if self.point is None else self.point.quadrature_error

    @property
    def correction(self) -> float:
        """What one step adds to ln v of the symmetric end."""
        return self.log_volume - self.symmetric_log_volume

    @property
    def resolved(self) -> bool:
        """Whether the correction is at least ten times its numerical error."""
        return abs(self.correction) >= RESOLVED * (self.error + self.symmetric_error)

    def to_json(self) -> Record:
        """Plain data for JSON."""
        return {
            "status": self.status.value,
            "log_volume": or_null(self.log_volume),
            "error": or_null(self.error),
            "correction": or_null(self.correction),
            "resolved": self.resolved,
            "bracket": None if self.bracket is None else list(self.bracket),
            "leaves_at": or_null(self.leaves_at),
            "continuous": self.continuous,
            "reason": self.reason or None,
            "symmetric_log_volume": or_null(self.symmetric_log_volume),
            "symmetric_error": or_null(self.symmetric_error),
            "point": None if self.point is None else record_of(self.point),
            "path": [record_of(point) for point in self.path],
        }

    @staticmethod
    def from_json(record: Plain) -> BrokenEnd:
        """The inverse of :meth:`to_json`."""
        found = section(record, "an end with one step of breaking")
        bracket, listed = found["bracket"], found["path"]
        return BrokenEnd(
            status=BreakingStatus(str(found["status"])),
            point=None if found["point"] is None else from_record(BrokenPoint, found["point"]),
            bracket=(or_nan(bracket[0]), or_nan(bracket[1])) if isinstance(bracket, list) else None,
            leaves_at=or_nan(found["leaves_at"]),
            continuous=bool(found["continuous"]),
            reason=str(found["reason"] or ""),
            symmetric_log_volume=or_nan(found["symmetric_log_volume"]),
            symmetric_error=or_nan(found["symmetric_error"]),
            path=tuple(from_record(BrokenPoint, point) for point in listed) if isinstance(listed, list) else (),
        )
