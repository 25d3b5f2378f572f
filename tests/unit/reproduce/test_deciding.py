"""What did not hold: a finding where the data are surely against it, an open question otherwise."""

from __future__ import annotations

import math

import pytest

from gardner.report.page import VerdictKind
from gardner.reproduce.deciding import against


@pytest.mark.parametrize(
    ("excesses", "seeds", "outcome"),
    [
        ([(0.10, 0.01)], 4, VerdictKind.FINDING),
        ([(0.02, 0.01)], 4, VerdictKind.OPEN),  # two errors of four seeds are chance once in fourteen, one-sided
        ([(0.02, 0.01)], 30, VerdictKind.FINDING),
        ([(0.02, 0.01), *[(-1.0, 0.01)] * 9], 30, VerdictKind.OPEN),  # the best of ten needs more
        ([(-0.10, 0.01)], 30, VerdictKind.OPEN),
        ([(0.10, math.nan)], 4, VerdictKind.OPEN),
        ([(0.10, 0.01)], 1, VerdictKind.OPEN),
        ([], 4, VerdictKind.OPEN),
    ],
)
def test_what_seeds_can_tell(excesses: list[tuple[float, float]], seeds: int, outcome: VerdictKind) -> None:
    assert against(excesses, seeds) is outcome
