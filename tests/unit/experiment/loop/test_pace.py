"""Whether a task can come to an end in its time."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from gardner.experiment.loop.pace import TooSlowError, paced
from gardner.experiment.question.task import StrategySpec, Task
from gardner.strategies import Choice

TASK = Task(StrategySpec("random"), features=20, pool_ratio=3.0, budget=1.0, batch_size=1, seed=0)


class Costly:
    """Takes seconds of a clock that only it moves."""

    informed = True

    def __init__(self, clock: list[float], costs: list[float]) -> None:
        self.clock, self.costs = clock, costs

    def query(self, view: Any) -> Choice:  # noqa: ARG002
        self.clock[0] += self.costs.pop(0) if len(self.costs) > 1 else self.costs[0]
        return Choice(np.arange(1))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "process_time", lambda: now[0])
    return now


def asked(clock: list[float], costs: list[float], limit: float) -> int:
    strategy, count = paced(Costly(clock, costs), TASK, limit), 0
    while count < 19:
        strategy.query(None)  # type: ignore[arg-type]
        count += 1
    return count


def test_what_would_take_more_than_twice_its_time_stops_after_two_rounds(clock: list[float]) -> None:
    with pytest.raises(TooSlowError, match="not finished after 30 s of the processor, as its first rounds showed"):
        asked(clock, [4.0], 30.0)
    assert clock[0] == 108.0


def test_what_may_still_come_to_an_end_goes_on(clock: list[float]) -> None:
    assert asked(clock, [3.0], 30.0) == 19


def test_a_long_first_round_says_nothing_about_the_others(clock: list[float]) -> None:
    assert asked(clock, [25.0, 0.1], 30.0) == 19


def test_the_name_and_what_it_reads_are_those_of_the_strategy(clock: list[float]) -> None:
    watched: Any = paced(Costly(clock, [1.0]), TASK, 30.0)
    assert (watched.name, watched.informed) == ("Costly", True)
    plain = Costly(clock, [1.0])
    assert paced(plain, TASK, float("inf")) is plain
