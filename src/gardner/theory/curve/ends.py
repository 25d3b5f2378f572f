"""How one side of a complexity curve ended: which side, with which status, and the points on the
way.

:mod:`gardner.theory.curve.branch` follows a side and answers with a :class:`Branch`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

from gardner.theory.curve.equations import Problem, State
from gardner.theory.formula.taylor import Floats


class Side(StrEnum):
    """Which end of the curve: the smallest or the largest volume."""

    MIN = "minimum"
    MAX = "maximum"

    @property
    def sign(self) -> int:
        """The sign of β on this side."""
        return -1 if self is Side.MIN else 1


class EndStatus(StrEnum):
    """How a branch ended.

    ``frozen`` is for discrete weights only (:mod:`gardner.theory.curve.frozen`), ``condensed`` for
    weights of heavy tails (:mod:`gardner.theory.curve.condensed`). ``imprecise`` is said of an end
    that was reached, but whose ln v is not known to the six decimals that are printed of others
    (:func:`gardner.theory.curve.point.end_status`). ``solved`` is said of a random subset and of
    the pool, where nothing is followed to an end.
    """

    SOLVED = "solved"
    ZERO = "zero"
    BRACKETED = "bracketed"
    UNRESOLVED = "unresolved"
    FROZEN = "frozen"
    CONDENSED = "condensed"
    IMPRECISE = "imprecise"

    @property
    def known(self) -> bool:
        """Whether there is a number to give; the last point of an unresolved end is only a subset
        that exists.
        """
        return self is not EndStatus.UNRESOLVED


@dataclass(frozen=True)
class Branch:
    """The points of one side, from the first beyond β = 0 to the last, and how it ended.

    The last is solved to full precision. The others may lie on the branch to 10⁻⁶ only, which is
    enough to go on from.
    """

    problem: Problem
    side: Side
    start: Floats
    states: list[State] = field(repr=False)
    status: EndStatus
    reason: str = ""
    floor: float = -math.inf  # ln v is known to be no smaller

    @property
    def end(self) -> State | None:
        """The last point: at Σ = 0 if the status is ``zero``."""
        return self.states[-1] if self.states else None

    @property
    def known_end(self) -> State | None:
        """The last point where it may stand for the end: no further from it than 10⁻⁵ of ln v.

        An imprecise end is known by its bracket, which may be 10⁻³ wide. Who has no place for a
        bracket, as a search that goes from end to end of many budgets, would state an error that is
        too small. To a condensed end the last point only leads.
        """
        apart = {EndStatus.UNRESOLVED, EndStatus.IMPRECISE, EndStatus.CONDENSED}
        return None if self.status in apart else self.end

    @property
    def bracket(self) -> tuple[float, float] | None:
        """Interval of ln v that holds the end, when Σ = 0 itself was not reached (for the maximum
        it opens upwards).
        """
        if self.end is None or self.status not in {EndStatus.BRACKETED, EndStatus.IMPRECISE}:
            return None
        reach, here = reach_of(self.end, self.floor), self.end.log_volume
        return (here - reach, here) if self.side is Side.MIN else (here, here + reach)


def reach_of(state: State, floor: float) -> float:
    """How far ln v can still move: no further than Σ/|β|, and not below its floor."""
    return min(abs(state.complexity / float(state.theta.beta)), max(state.log_volume - floor, 0.0))
