"""The recipe of learning curves: its verdicts can fail, and its runs stand next to its theory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gardner.experiment import StrategySpec
from gardner.reproduce import Scale, reproduce_results
from gardner.reproduce.pruning import error_verdicts
from gardner.reproduce.recipe import Workspace
from gardner.reproduce.rule_cases import Case, agreement, computed, measured

TINY = Scale("tiny", shrink=20, seeds=3, draws=100)


def test_theory_and_runs_of_a_rule_stand_side_by_side(tmp_path: Path) -> None:
    cases = [
        Case("agnostic", StrategySpec("agnostic"), 3.0, 0.8, 0.2, shown=(0.4, 0.8)),
        Case("with noise", StrategySpec("random"), 3.0, 0.4, 0.2, channel="flip:0.05", shown=(0.4,)),
    ]
    workspace = Workspace(tmp_path, TINY, workers=1)
    lines = computed(cases, workspace)
    frame, dots = measured(cases, 2000, workspace)
    assert list(dots["series"]) == ["agnostic", "agnostic", "with noise"]
    assert set(dots["features"]) == {100.0}
    assert set(dots["seeds"]) == {3.0}
    chosen = frame[(frame["strategy"] == "agnostic") & (frame["labels"] == 40)]
    assert dots["log_volume"].iloc[0] == pytest.approx(chosen["log_volume"].mean())
    table, verdict = agreement(lines, dots)
    assert len(table) == 3
    assert verdict.holds


def test_agreement_can_be_rejected() -> None:
    lines = pd.DataFrame({"series": ["a", "b"], "budget": [1.0, 1.0], "log_volume": [-0.7, -0.6]})
    dots = lines.assign(features=1000.0, seeds=10.0, log_volume_stderr=0.001)
    assert agreement(lines, dots)[1].holds
    off = dots.assign(log_volume=[-0.7, -0.62])
    table, verdict = agreement(lines, off)
    assert not verdict.holds
    assert "1 rejected; least likely b" in verdict.text
    assert table["p_value"].iloc[0] == pytest.approx(1.0)


def errors(random: float = -1.0, rate: float = 0.68, hard: float = 0.9) -> pd.DataFrame:
    """Lines of error with a power law, an exponential, and pruned pools."""
    n = np.logspace(-1.0, 3.0, 41)
    frames = [pd.DataFrame({"rule": "random", "alpha": np.inf, "budget": n, "error": 0.44 * n**random})]
    steps = np.arange(0.5, 8.0, 0.5)
    frames.append(pd.DataFrame({"rule": "agnostic", "alpha": 100.0, "budget": steps, "error": np.exp(-rate * steps)}))
    for alpha in (2.0, 10.0, 100.0):
        for keep, factor in (("hard", hard), ("easy", 1.1)):
            here = 0.5 * alpha
            one = {"rule": f"keep {keep}", "alpha": alpha, "budget": [here], "error": [factor * 0.44 * here**random]}
            frames.append(pd.DataFrame(one))
    return pd.concat(frames, ignore_index=True)


def test_verdicts_of_errors_can_fail() -> None:
    assert [one.holds for one in error_verdicts(errors())] == [True, True, True]
    assert [one.holds for one in error_verdicts(errors(random=-0.8))] == [False, True, True]
    assert [one.holds for one in error_verdicts(errors(rate=0.5))] == [True, False, True]
    assert [one.holds for one in error_verdicts(errors(hard=1.05))] == [True, True, False]


@pytest.mark.slow
def test_the_whole_recipe(tmp_path: Path) -> None:
    (section,) = reproduce_results(["learning-curves"], tmp_path, scale=TINY, figures="svg")
    assert len(section.figures) == 6
    assert len(list((tmp_path / "figures").glob("learning-curves-*.svg"))) == 6
    failed = [verdict.text for verdict in section.verdicts if not verdict.holds]
    assert not failed
