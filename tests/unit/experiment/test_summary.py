"""From rows to the table: which round counts, means, errors, pairs, gaps."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from gardner import bounds
from gardner.errors import InvalidInputError
from gardner.experiment import summary
from gardner.experiment.spec import StrategySpec, Task
from gardner.experiment.summary import summarise
from gardner.records import failure_table, run_table

LN2 = math.log(2.0)


@pytest.fixture(autouse=True)
def _code_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "code_version", lambda _: "today")


def part(strategy: str, seed: int, volumes: list[float], *, code: str = "today", **options: Any) -> pd.DataFrame:
    """A run with a round for every ten labels of a hundred weights."""
    name = StrategySpec(strategy, options.pop("parameters", {}))
    task = Task(name, 100, 3.0, len(volumes) / 10, 10, seed, **options)
    columns = {**task.columns(code), "informed": strategy == "informed"}
    rounds = [
        {"labels": 10 * k, "budget": k / 10, "log_volume": volume, "accuracy": 0.5 - volume / 10, "status": "converged"}
        for k, volume in enumerate(volumes, 1)
    ]
    rounds[0]["status"] = "max-iterations" if seed == 1 else "converged"
    frame: pd.DataFrame = run_table(columns, rounds).to_pandas()
    return frame


def test_means_errors_and_gaps() -> None:
    frame = pd.concat([part("random", 0, [-0.06, -0.13]), part("random", 1, [-0.06, -0.15])])
    result = summarise(frame, [0.2])
    (row,) = result.rows
    known = bounds(pool_ratio=3.0, budget=0.2)
    keys = (
        "strategy features alpha batch budget seeds log_volume log_volume_stderr accuracy accuracy_stderr "
        "bits_per_label gap_to_halving gap_to_min converged informed"
    )
    assert list(row) == keys.split()
    assert (row["strategy"], row["features"], row["alpha"], row["batch"]) == ("random", 100, 3.0, 10)
    assert (row["budget"], row["seeds"], row["informed"]) == (0.2, 2, False)
    assert row["log_volume"] == pytest.approx(-0.14)
    assert row["log_volume_stderr"] == pytest.approx(0.01)
    assert row["accuracy_stderr"] == pytest.approx(0.001)
    assert row["bits_per_label"] == pytest.approx(0.14 / (0.2 * LN2))
    assert row["gap_to_halving"] == pytest.approx(-0.14 + 0.2 * LN2)
    assert row["gap_to_min"] == pytest.approx(-0.14 - known.minimum.log_volume)
    assert row["converged"] == pytest.approx(0.75)  # one of four rounds did not
    assert set(result.record()) == {"rows", "pairs", "failures"}


def test_the_first_round_that_reaches_the_budget_counts() -> None:
    frame = part("random", 0, [-0.06, -0.13, -0.2])
    assert [row["budget"] for row in summarise(frame, [0.11, 0.15, 0.3]).rows] == [0.2, 0.3]
    late = summarise(frame, [0.1, 0.5])
    assert [row["budget"] for row in late.rows] == [0.1]
    assert late.notes == ["no run reaches a budget of 0.5"]
    assert late.rows[0]["log_volume_stderr"] is None
    with pytest.raises(InvalidInputError):
        summarise(frame, [-1.0])


def test_pairs_are_taken_seed_by_seed() -> None:
    frame = pd.concat(
        [part("agnostic", seed, [-0.07 - seed]) for seed in (0, 1, 2)]
        + [part("informed", seed, [-0.08 - seed]) for seed in (0, 1)]
    )
    result = summarise(frame, [0.1])
    (pair,) = result.pairs
    assert (pair["strategy"], pair["versus"], pair["seeds"]) == ("agnostic", "informed", 2)
    assert pair["log_volume_difference"] == pytest.approx(0.01)
    assert pair["log_volume_difference_stderr"] == pytest.approx(0.0, abs=1e-12)  # though seeds differ by 1
    assert {row["strategy"]: row["informed"] for row in result.rows} == {"agnostic": False, "informed": True}


def test_labels_tell_parameters_and_unusual_options() -> None:
    frame = pd.concat(
        [
            part("committee", 0, [-0.06], parameters={"members": 15}),
            part("committee", 0, [-0.06]),
            part("random", 0, [-0.06], dtype="float64"),
        ]
    )
    names = sorted(row["strategy"] for row in summarise(frame, [0.1]).rows)
    assert names == ["committee", "committee(members=15)", "random(dtype=float64)"]


def test_one_run_a_seed() -> None:
    """Of today's code before yesterday's, the longest before others; and a note when it is yesterday's."""
    frame = pd.concat(
        [
            part("random", 0, [-0.5, -0.6, -0.7], code="yesterday"),
            part("random", 0, [-0.06]),
            part("random", 0, [-0.06, -0.13]),
        ]
    )
    (row,) = summarise(frame, [0.1]).rows
    assert (row["seeds"], row["log_volume"]) == (1, -0.06)
    assert summarise(frame, [0.1]).notes == []
    old = summarise(part("random", 0, [-0.5], code="yesterday"), [0.1])
    assert "other code" in old.notes[0]


def test_failures_have_their_reasons_until_they_are_done() -> None:
    task = Task(StrategySpec("mine.py:Mine"), 100, 3.0, 0.1, 10, seed=4)
    failed = failure_table(task.columns("today"), "KeyError: 'x'", "raised at mine.py:3").to_pandas()
    result = summarise(failed)
    assert (result.rows, result.pairs) == ([], [])
    (failure,) = result.failures
    assert failure == {
        "strategy": "mine.py:Mine", "features": 100, "alpha": 3.0, "batch": 10, "budget": 0.1, "seed": 4,
        "reason": "KeyError: 'x'", "hint": "raised at mine.py:3",
    }  # fmt: skip
    done = part("mine.py:Mine", 4, [-0.06], code="today")
    assert summarise(pd.concat([failed, done]), [0.1]).failures == []


def test_a_volume_that_is_not_known_is_not_left_out() -> None:
    frame = pd.concat([part("random", 0, [math.nan]), part("random", 1, [-0.06])])
    (row,) = summarise(frame, [0.1]).rows
    assert math.isnan(row["log_volume"])
