"""Damping that adapts by itself: none where none is needed, more where an iteration stalls, a fresh
start where it runs away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

# Shares of the old state that are kept, tried in this order. Rows that need more than the last
# belong to EP.
RUNGS = (0.0, 0.3, 0.5, 0.7, 0.85, 0.95)
# Iterations without a smaller residual before more damping is tried: slow is no reason, going round
# is.
PATIENCE = 12
# The factor by which a residual must fall to count as smaller: less is rounding in single
# precision.
PROGRESS = 0.999
# A residual beyond this, in units of a prior weight, is running away: means of weights are of order
# one.
RUNAWAY = 1e3


class NextStep(Enum):
    """What the iteration should do next."""

    CONTINUE = "continue"
    RESTART = "restart"  # from its beginning, with the damping now in force
    CONVERGED = "converged"
    GIVE_UP = "give up"


@dataclass
class Damper:
    """Watches residuals and sets ``value``, the share of the old state that is kept in each update."""

    tolerance: float
    value: float = 0.0
    best: float = field(default=math.inf, init=False)
    _waited: int = field(default=0, init=False)

    def judge(self, residual: float) -> NextStep:
        """Look at one more residual."""
        if residual <= self.tolerance:
            return NextStep.CONVERGED
        if not residual < RUNAWAY:  # also NaN
            return NextStep.RESTART if self._climb() else NextStep.GIVE_UP
        if residual < PROGRESS * self.best:
            self.best, self._waited = residual, 0
            return NextStep.CONTINUE
        self._waited += 1
        if self._waited >= PATIENCE:
            self._climb()
        return NextStep.CONTINUE

    def _climb(self) -> bool:
        higher = [rung for rung in RUNGS if rung > self.value]
        self.best, self._waited = math.inf, 0
        if not higher:
            return False
        self.value = higher[0]
        return True
