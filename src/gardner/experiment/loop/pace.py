"""Whether a task can come to an end in its time, seen from its first rounds.

A strategy that refits for every row of a large pool takes its whole time for a few of a hundred
rounds. When even rounds as quick as its quickest so far would take twice the limit, the rest is not
waited for: it would end the same way, and a sweep of many strategies spends most of its time on
such tasks.
"""

from __future__ import annotations

import math
import time

from gardner.errors import GardnerError
from gardner.experiment.question.task import Task
from gardner.strategies import Choice, Strategy, View

# Rounds after which one may judge: the first has imports and whatever is prepared once.
_ROUNDS = 2
# Times the limit that the task would take: a pool gets smaller, so later rounds may be quicker.
_TIMES = 2.0


class TooSlowError(GardnerError):
    """A task will not come to an end in its time."""


class Paced:
    """A strategy that is stopped when it is clear that its time does not suffice."""

    def __init__(self, strategy: Strategy, rounds: int, limit: float) -> None:
        """``rounds`` are those to come, ``limit`` is in seconds of the processor from now on."""
        self.strategy, self.left, self.limit = strategy, rounds, limit
        self.informed = strategy.informed
        self.name = getattr(strategy, "name", type(strategy).__name__)
        self.begin = self.last = time.process_time()
        self.quickest, self.asked = math.inf, 0

    def query(self, view: View) -> Choice:
        """What the strategy says."""
        if self.asked >= _ROUNDS and self.last - self.begin + self.left * self.quickest > _TIMES * self.limit:
            hint = "it is too slow for its size, or the limit is too short"
            what = f"not finished after {self.limit:g} s of the processor, as its first rounds showed"
            raise TooSlowError(what, hint=hint)
        choice = self.strategy.query(view)
        now = time.process_time()
        self.quickest, self.last = min(self.quickest, now - self.last), now
        self.left, self.asked = self.left - 1, self.asked + 1
        return choice


def paced(strategy: Strategy, task: Task, limit: float) -> Strategy:
    """The strategy of a task, with an eye on its time if that is limited."""
    if not math.isfinite(limit):
        return strategy
    total = task.labels if task.data else round(task.budget * task.features)
    return Paced(strategy, math.ceil(total / max(task.batch_size, 1)) - 1, limit)
