"""What did not hold: a finding where the data are surely against it, an open question otherwise."""

from __future__ import annotations

import math

import pytest

from gardner.report.page import Outcome
from gardner.reproduce.deciding import against


@pytest.mark.parametrize(
    ("excesses", "seeds", "outcome"),
    [
        ([(0.10, 0.01)], 4, Outcome.FINDING),
        ([(0.02, 0.01)], 4, Outcome.OPEN),  # two errors of four seeds are chance once in fourteen, one-sided
        ([(0.02, 0.01)], 30, Outcome.FINDING),
        ([(0.02, 0.01), *[(-1.0, 0.01)] * 9], 30, Outcome.OPEN),  # the best of ten needs more
        ([(-0.10, 0.01)], 30, Outcome.OPEN),
        ([(0.10, math.nan)], 4, Outcome.OPEN),
        ([(0.10, 0.01)], 1, Outcome.OPEN),
        ([], 4, Outcome.OPEN),
    ],
)
def test_what_seeds_can_tell(excesses: list[tuple[float, float]], seeds: int, outcome: Outcome) -> None:
    assert against(excesses, seeds) is outcome
