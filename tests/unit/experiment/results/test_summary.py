"""From rows to the table: which round counts, means, errors, pairs, gaps."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pandas as pd
import pytest

from gardner import bounds
from gardner.errors import InvalidInputError
from gardner.experiment.question.task import StrategySpec, Task
from gardner.experiment.results import meaning, summary
from gardner.experiment.results.summary import summarise
from gardner.experiment.stored.rows import failure_table, run_table
from gardner.experiment.stored.sources import Name

LN2 = math.log(2.0)


@pytest.fixture(autouse=True)
def _code_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "stored_version", lambda _: "today")


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
        "strategy model features pool_ratio batch_size budget seeds log_volume log_volume_stderr accuracy "
        "accuracy_stderr test_accuracy test_accuracy_stderr bits_per_label gap_to_halving gap_to_minimum way_to_bound "
        "way_to_bound_stderr converged informed theory theory_accuracy theory_error gap_to_theory gap_to_theory_stderr"
    )
    assert list(row) == keys.split()
    assert (row["strategy"], row["features"], row["pool_ratio"], row["batch_size"]) == ("random", 100, 3.0, 10)
    assert (row["budget"], row["seeds"], row["informed"]) == (0.2, 2, False)
    assert row["log_volume"] == pytest.approx(-0.14)
    assert row["log_volume_stderr"] == pytest.approx(0.01)
    assert row["accuracy_stderr"] == pytest.approx(0.001)
    assert row["bits_per_label"] == pytest.approx(0.14 / (0.2 * LN2))
    assert row["gap_to_halving"] == pytest.approx(-0.14 + 0.2 * LN2)
    assert row["way_to_bound_stderr"] == pytest.approx(0.01 / (known.typical.log_volume - known.halving))
    assert row["gap_to_minimum"] == pytest.approx(-0.14 - known.minimum.log_volume)
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
    """Of today's code before yesterday's, the longest before others; and a note when it is
    yesterday's.
    """
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
        "strategy": "mine.py:Mine", "model": "", "features": 100, "pool_ratio": 3.0, "batch_size": 10,
        "budget": 0.1, "data": "", "seed": 4, "informed": None, "reason": "KeyError: 'x'",
        "hint": "raised at mine.py:3",
    }  # fmt: skip
    done = part("mine.py:Mine", 4, [-0.06], code="today")
    assert summarise(pd.concat([failed, done]), [0.1]).failures == []


def test_a_volume_that_is_not_known_is_not_left_out() -> None:
    frame = pd.concat([part("random", 0, [math.nan]), part("random", 1, [-0.06])])
    (row,) = summarise(frame, [0.1]).rows
    assert math.isnan(row["log_volume"])


def failure(code: str = "today", seed: int = 0, **columns: Any) -> pd.DataFrame:
    """A failed task that is otherwise that of ``part("random", seed, [-0.06])``."""
    task = Task(StrategySpec("random"), 100, 3.0, 0.1, 10, seed)
    frame: pd.DataFrame = failure_table({**task.columns(code), **columns}, "KeyError: 'x'").to_pandas()
    return frame


def test_a_failure_of_today_is_not_hidden_by_a_run_of_yesterday() -> None:
    frame = pd.concat([part("random", 0, [-0.06], code="yesterday"), failure("today")])
    result = summarise(frame, [0.1])
    assert len(result.failures) == len(result.rows) == 1
    assert result.notes == [
        "1 of 1 runs were made by other code than today's; under today's code 1 of their tasks failed"
    ]
    more = summarise(pd.concat([frame, part("random", 1, [-0.06], code="yesterday")]), [0.1])
    assert more.notes[0].startswith("2 of 2 runs were made by other code")
    assert more.notes[0].endswith("1 of their tasks failed; `gardner bench` would redo the others")
    for done, failed in (("today", "yesterday"), ("yesterday", "the day before")):
        assert summarise(pd.concat([part("random", 0, [-0.06], code=done), failure(failed)]), [0.1]).failures == []


def test_failures_say_whether_the_strategy_is_informed() -> None:
    found = summarise(pd.concat([failure(seed=0, informed=True), failure(seed=1, informed=False), failure(seed=2)]))
    assert [row["informed"] for row in found.failures] == [True, False, None]


def test_a_source_that_is_not_here_is_not_other_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(names: tuple[Name, ...]) -> str | None:
        return None if ("strategy", "mine.py:Mine") in names else "today"

    monkeypatch.setattr(meaning, "stored_version", version)
    frame = pd.concat([part("mine.py:Mine", 0, [-0.06]), part("random", 0, [-0.06])])
    (note,) = summarise(frame, [0.1]).notes
    assert note.startswith("the source of mine.py:Mine is not found from here")
    assert summarise(frame, [0.1], current={"mine.py:Mine": "today"}).notes == []
    assert "other code" in summarise(frame, [0.1], current={"mine.py:Mine": "newer"}).notes[0]


def test_pairs_do_not_drop_what_is_not_known() -> None:
    """Seeds are those both have; a NaN among them makes the difference NaN, and no key is missing."""
    theirs = [part("random", seed, [-0.06]) for seed in (0, 1)]
    frame = pd.concat([*theirs, *(part("agnostic", seed, [-0.07 if seed else math.nan]) for seed in (0, 1, 2))])
    (pair,) = summarise(frame, [0.1]).pairs
    assert pair["seeds"] == 2
    for name in ("log_volume_difference", "log_volume_difference_stderr", "accuracy_difference"):
        assert math.isnan(pair[name])
    frame.loc[frame["strategy"] == "agnostic", "log_volume"] = math.nan
    (pair,) = summarise(frame.assign(accuracy=0.5), [0.1]).pairs
    assert math.isnan(pair["log_volume_difference"])
    assert pair["accuracy_difference"] == 0.0


def test_an_exact_run_counts_before_a_longer_one() -> None:
    """Rounds of the longer run are at 0.2, 0.4, 0.6: at 0.3 and at 0.55 the runs that end there are
    nearer.
    """

    def run(seed: int, ends: list[int], code: str = "today") -> pd.DataFrame:
        task = Task(StrategySpec("random"), 100, 3.0, ends[-1] / 100, 20, seed)
        rounds = [
            {"labels": end, "budget": end / 100, "log_volume": -end / 100, "accuracy": 0.6, "status": "converged"}
            for end in ends
        ]
        frame: pd.DataFrame = run_table({**task.columns(code), "informed": False}, rounds).to_pandas()
        return frame

    both = pd.concat([part for seed in (0, 1) for part in (run(seed, [20, 40, 60]), run(seed, [20, 40, 55]))])
    rows = summarise(both, [0.4, 0.55, 0.6]).rows
    assert [(row["budget"], row["seeds"], row["log_volume"]) for row in rows] == [
        (0.4, 2, -0.4), (0.55, 2, -0.55), (0.6, 2, -0.6),
    ]  # fmt: skip
    old = pd.concat([run(0, [20, 40, 60]), run(0, [20, 40, 55], "yesterday")])
    assert [row["budget"] for row in summarise(old, [0.55, 0.6]).rows] == [0.6]
    late = pd.concat([run(0, [20, 40], "today"), run(0, [20, 40, 60], "yesterday")])
    found = summarise(late, [0.4, 0.6])
    assert [row["budget"] for row in found.rows] == [0.4, 0.6]
    assert found.notes[0].startswith("1 of 2 runs")


def test_accuracy_on_test_rows() -> None:
    frame = pd.concat([part("random", seed, [-0.06], test_rows=50) for seed in (0, 1)])
    assert summarise(frame, [0.1]).rows[0]["test_accuracy"] is None
    (row,) = summarise(frame.assign(test_accuracy=[0.6, 0.7]), [0.1]).rows
    assert row["test_accuracy"] == pytest.approx(0.65)
    assert row["test_accuracy_stderr"] == pytest.approx(0.05)
    (row,) = summarise(frame.assign(test_accuracy=[0.6, math.nan]), [0.1]).rows
    assert row["test_accuracy"] is None


def test_bits_are_not_told_where_student_and_teacher_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither capacity nor entropy of a label is known then (NaN), so ln v is not the information
    of the labels.
    """
    known = dataclasses.replace(bounds(pool_ratio=3.0, budget=0.1), capacity=math.nan, label_entropy=math.nan)
    monkeypatch.setattr(summary, "_bound", lambda *_: known)
    for strategy in ("random", "informed"):
        frame = part(strategy, 0, [-0.06], channel="flip:0.2", teacher_channel="flip:0.1")
        (row,) = summarise(frame, [0.1]).rows
        assert (row["bits_per_label"], row["way_to_bound"], row["gap_to_halving"]) == (None, None, None)
        assert row["model"] == "gaussian / flip:0.2 (teacher gaussian / flip:0.1)"


def test_strategies_that_end_before_the_first_budget_are_named() -> None:
    frame = pd.concat([part("random", 0, [-0.06]), part("agnostic", 0, [-0.06, -0.13])])
    assert summarise(frame, [0.1, 0.2]).notes == []
    assert summarise(frame, [0.2]).notes == [
        "left out, as it ends before the first budget here: random (N = 100, alpha = 3, batch 10)"
    ]


def test_failures_are_told_without_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.concat([part("random", 1, [-0.06]), failure(seed=0)])
    told = summarise(frame, [0.1]).failures
    monkeypatch.setattr(summary, "_bound", None)
    assert summary.failures(frame) == told
