"""Damping that adapts by itself, on made-up residuals."""

from __future__ import annotations

import math

import pytest

from gardner.inference.damping import PATIENCE, RUNGS, Damper, NextStep


def test_none_where_residuals_fall() -> None:
    damper = Damper(tolerance=1e-6)
    steps = [damper.judge(0.8**k) for k in range(70)]
    assert damper.value == 0.0
    assert steps[-1] is NextStep.CONVERGED
    assert set(steps[:50]) == {NextStep.CONTINUE}


def test_more_where_they_stall() -> None:
    damper = Damper(tolerance=1e-6)
    for _ in range(PATIENCE + 1):
        assert damper.judge(0.5) is NextStep.CONTINUE
    assert damper.value == RUNGS[1]
    for _ in range(20 * PATIENCE):
        assert damper.judge(0.5) is NextStep.CONTINUE
    assert damper.value == RUNGS[-1]


@pytest.mark.parametrize("residual", [math.nan, math.inf, 1e9])
def test_a_fresh_start_where_they_run_away(residual: float) -> None:
    damper = Damper(tolerance=1e-6)
    steps = [damper.judge(residual) for _ in RUNGS]
    assert steps == [NextStep.RESTART] * (len(RUNGS) - 1) + [NextStep.GIVE_UP]


def test_begins_where_it_is_told() -> None:
    damper = Damper(tolerance=1e-6, value=0.4)
    damper.judge(math.nan)
    assert damper.value == 0.5
