"""The page of anybody's results: nothing is mixed, nothing vanishes, nothing is shown that was not
measured.
"""

from __future__ import annotations

import dataclasses
import math
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gardner.errors import InvalidInputError
from gardner.experiment.question.task import StrategySpec, Task
from gardner.experiment.results import meaning, summary
from gardner.experiment.stored.rows import failure_table, run_table
from gardner.model import GLM, PERCEPTRON
from gardner.records import Store
from gardner.report.figures import specification
from gardner.report.page import Page, Section
from gardner.report.strategies import strategies_chart
from gardner.reproduce import report_results
from gardner.reproduce.comparison import Comparison, board, bounds_frame, compare
from gardner.theory import Bounds

FEATURES = 60
RATES = {"agnostic": 0.69, "random": 0.6, "informed": 1.2, "logistic": 0.6}


@pytest.fixture(autouse=True)
def _code_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the perceptron's bounds for all models but for the capacity: those with noise take
    minutes.
    """
    monkeypatch.setattr(meaning, "stored_version", lambda _: "today")
    bound = summary._bound

    def cheap(student: GLM, teacher: GLM, alpha: float, budget: float) -> Bounds:
        known = bound(PERCEPTRON, PERCEPTRON, alpha, budget)
        return known if student == teacher == PERCEPTRON else dataclasses.replace(known, capacity=0.2)

    monkeypatch.setattr(summary, "_bound", cheap)


def run(
    strategy: str,
    seed: int = 0,
    *,
    budgets: Sequence[float] = (0.1, 0.2, 0.3),
    batch: int = 6,
    alpha: float = 3.0,
    unsettled: Sequence[int] = (),
    **options: Any,
) -> tuple[str, Any]:
    """Key and table of a run whose ln v falls at the strategy's rate, with a little luck of the
    seed.
    """
    task = Task(StrategySpec(strategy), FEATURES, alpha, budgets[-1], batch, seed, **options)
    rounds = [
        {
            "labels": round(budget * FEATURES),
            "budget": round(budget * FEATURES) / FEATURES,
            "log_volume": -(RATES[strategy] + 0.01 * seed) * budget - 0.001 * seed * (strategy == "agnostic"),
            "accuracy": 0.5 + 0.2 * RATES[strategy] * budget,
            "status": "max-iterations" if index in unsettled else "converged",
        }
        for index, budget in enumerate(budgets)
    ]
    columns = {**task.columns("today"), "informed": strategy == "informed"}
    return task.key("today"), run_table(columns, rounds)


def failure(**options: Any) -> tuple[str, Any]:
    task = Task(StrategySpec("random"), **{**options, "pool_ratio": options.get("pool_ratio", 3.0)})
    return task.key("today"), failure_table({**task.columns("today"), "informed": False}, "TimeLimit: gone", "wait")


def written(folder: Path, *runs: tuple[str, Any]) -> Path:
    store = Store(folder)
    with store.writing():
        for key, table in runs:
            store.write(key, table)
    return folder


def report(folder: Path, *runs: tuple[str, Any], at: Sequence[float] = ()) -> Page:
    return report_results(written(folder / "results", *runs), folder / "page.html", at)


def lines(section: Section) -> pd.DataFrame:
    """The points of a section's first chart."""
    data = specification(section.figures[0].chart)["datasets"]
    return pd.concat([pd.DataFrame(rows) for rows in data.values() if "series" in rows[0]])


def rows_of(page: Page) -> pd.DataFrame:
    assert page.board is not None
    return page.board.rows


def test_models_are_not_mixed(tmp_path: Path) -> None:
    both = [run(name, seed) for name in ("agnostic", "random") for seed in (0, 1)]
    noisy: dict[str, Any] = {"channel": "flip:0.2", "teacher_channel": "flip:0.2"}
    page = report(tmp_path, *both, *(run("agnostic", seed, **noisy) for seed in (0, 1)), at=[0.2, 0.3])
    plain, other = page.sections
    assert (plain.name, other.name) == ("alpha-3-features-60", "alpha-3-features-60-gaussian-flip-0.2")
    assert plain.title == "Pool ratio 3, 60 weights"
    assert other.title == "Pool ratio 3, 60 weights, gaussian / flip:0.2"
    assert "gaussian / flip:0.2" in other.figures[0].alternative
    for section in page.sections:
        assert not lines(section).duplicated(["series", "budget"]).any()
        (bounds,) = section.tables.values()
        assert set(bounds["model"]) == set(section.table["model"])
        assert len(bounds) == 10  # five kinds, two budgets
    assert sorted(zip(rows_of(page)["strategy"], rows_of(page)["model"], strict=True)) == [
        ("agnostic", ""), ("agnostic", "gaussian / flip:0.2"), ("random", ""),
    ]  # fmt: skip
    names = {path.name for path in (tmp_path / "tables").iterdir()}
    assert {"bounds-3-60.csv", "bounds-3-60-gaussian-flip-0.2.csv"} <= names
    # with noise ln v is no information, and there is no random run: nothing is said of who is ahead
    assert [verdict.text for verdict in other.verdicts] == ["AMP converged in every round measured"]
    assert "Beware: some means are over 2 seeds only" in other.text
    assert "model" not in rows_of(report(tmp_path / "plain", *both, at=[0.3]))


def test_batches_are_told_where_there_are_several(tmp_path: Path) -> None:
    runs = [run(name, seed, batch=size) for name in ("agnostic", "random") for seed in (0, 1) for size in (3, 6)]
    page = report(tmp_path, *runs, run("agnostic", alpha=4.0), at=[0.2, 0.3])
    section, alone = page.sections
    wanted = {f"{name}, batch {size}" for name in ("agnostic", "random") for size in (3, 6)}
    drawn = lines(section)
    assert set(drawn.loc[drawn["role"] == "strategy", "series"]) == wanted
    assert not drawn.duplicated(["series", "budget"]).any()
    assert "agnostic, batch 3: ln v" in section.figures[0].alternative
    assert set(section.table["strategy"]) == {"agnostic", "random"}  # with a column of its own for the batch
    assert set(alone.table["strategy"]) == {"agnostic"}
    assert set(rows_of(page)["strategy"]) == {*wanted, "agnostic"}
    ahead = [verdict.text.partition(" ahead")[0] for verdict in section.verdicts[1:]]
    assert ahead == ["agnostic, batch 3", "agnostic, batch 6"]


def test_a_comparison_has_one_setting() -> None:
    tables = [run("random")[1].to_pandas(), run("random", alpha=4.0)[1].to_pandas()]
    with pytest.raises(InvalidInputError, match="one model, pool ratio and size"):
        compare(pd.concat(tables), [0.3], lambda _: None)


def test_places_that_end_before_the_budget_are_a_note(gardner: Any, tmp_path: Path) -> None:
    long = run("random", budgets=(0.1, 0.5), alpha=4.0)
    page = report(tmp_path, run("random"), long, at=[0.5])
    assert [section.name for section in page.sections] == ["alpha-4-features-60"]
    assert page.notice.startswith("Seeds are few (1 a pool)")
    assert page.notice.endswith("Not shown is α = 3, N = 60: no run reaches a budget of 0.5.")
    assert page.notice in (tmp_path / "page.html").read_text()
    code, out, err = gardner("report", tmp_path / "results", "-o", tmp_path / "again.html", "--at", "0.5")
    assert (code, err) == (0, f"note: {page.notice}\n")
    assert out.startswith("wrote ")
    code, _, err = gardner("report", tmp_path / "results", "-o", tmp_path / "none.html", "--at", "5")
    assert code == 2
    assert "no run reaches it" in err
    assert "the longest has a budget of 0.5" in err
    assert not (tmp_path / "none.html").exists()


def test_short_runs_stay_on_the_page(tmp_path: Path) -> None:
    """Random ends at 0.1, before the first of twelve budgets up to 1.5."""
    short = [run("random", seed, budgets=(0.05, 0.1), batch=3) for seed in (0, 1)]
    long = [run("agnostic", seed, budgets=(0.1, 0.5, 1.5), batch=3) for seed in (0, 1)]
    page = report(tmp_path, *short, *long)
    assert dict(zip(rows_of(page)["strategy"], rows_of(page)["budget n"], strict=True)) == {
        "agnostic": 1.5, "random": 0.1,
    }  # fmt: skip
    (section,) = page.sections
    assert "difference of ln v at n = 0.1:" in section.verdicts[1].text
    asked = report(tmp_path / "asked", *short, *long, at=[0.5])
    expected = "left out, as it ends before the first budget here: random (N = 60, alpha = 3, batch 3)"
    assert expected in asked.sections[0].provenance


def test_the_board_takes_the_nearest_budget_of_each_strategy() -> None:
    tables = [run("random", budgets=(0.1, 0.2)), run("agnostic", budgets=(0.1, 0.2, 0.3, 0.4), unsettled=[1])]
    found = compare(pd.concat([table.to_pandas() for _, table in tables]), [0.1, 0.2, 0.3, 0.4], lambda _: None)
    rows = board(found.curves.assign(converged=0.99971), 0.3, "at 0.3").rows
    assert dict(zip(rows["strategy"], rows["budget n"], strict=True)) == {"agnostic": 0.3, "random": 0.2}
    assert set(rows["converged"]) == {0.999}
    assert "model" in bounds_frame(found.summary)


def test_failures_of_a_place_without_runs_are_told(tmp_path: Path) -> None:
    lost = failure(features=80, budget=0.9, batch_size=8, seed=3)
    page = report(tmp_path, run("random"), lost, failure(features=60, budget=0.9, batch_size=6, seed=4), at=[0.3])
    assert page.failures is not None
    assert sorted(page.failures["pool"].str.extract(r"N = (\d+)")[0]) == ["60", "80"]
    assert page.failures["runs"].tolist() == [1, 1]
    assert [section.name for section in page.sections] == ["alpha-3-features-60"]
    (section,) = report(
        tmp_path / "all", run("random"), failure(features=60, budget=3.0, batch_size=6, seed=4)
    ).sections
    assert section.table["budget"].max() == 0.3  # budgets up to the longest run that came to an end
    assert "no run reaches" not in section.provenance
    with pytest.raises(InvalidInputError, match="no run came to an end"):
        report(tmp_path / "none", lost)


def test_ahead_is_a_paired_difference(tmp_path: Path) -> None:
    names = ("agnostic", "informed", "logistic", "random")
    (section,) = report(tmp_path, *(run(name, seed) for name in names for seed in (0, 1, 2)), at=[0.1, 0.3]).sections
    settled, agnostic, logistic = section.verdicts
    assert settled.holds
    # 0.027 at n = 0.3 and a thousandth a seed: mean 0.028, standard error 0.001/√3
    assert agnostic.holds
    assert agnostic.text.endswith("difference of ln v at n = 0.3: −0.0280 ± 0.0006")
    assert not logistic.holds
    assert logistic.text.startswith("logistic ahead of random choice on the same pools by more than 2 standard errors")
    for index, runs in enumerate(
        (
            [run("random", seed) for seed in (0, 1)],  # not ahead of itself
            [run("agnostic", seed) for seed in (0, 1)],  # nobody to be ahead of
            [run("agnostic"), run("random")],  # one pool tells nothing of luck
            [run("agnostic", 0), run("random", 1)],  # not on the same pools
        )
    ):
        (section,) = report(tmp_path / str(index), *runs, at=[0.3]).sections
        assert len(section.verdicts) == 1


def test_the_whole_pool_is_no_comparison(tmp_path: Path) -> None:
    """With all of the pool labelled there is nothing to choose: words and verdicts are of the
    budget before.
    """
    runs = [run(name, seed, budgets=(0.2, 0.5), alpha=0.5) for name in ("agnostic", "random") for seed in (0, 1)]
    (section,) = report(tmp_path, *runs, at=[0.2, 0.5]).sections
    assert "at n = 0.2:" in section.verdicts[1].text
    volume, accuracy = (figure.alternative for figure in section.figures)
    assert "agnostic: ln v −0.139 at budget 0.2; random: ln v −0.121 at budget 0.2." in volume
    assert "agnostic: accuracy 0.528 at budget 0.2; random: accuracy 0.524 at budget 0.2." in accuracy
    assert "ln v" not in accuracy
    (section,) = report(tmp_path / "last", *runs, at=[0.5]).sections
    assert "at budget 0.5" in section.figures[0].alternative
    assert len(section.verdicts) == 1


def test_all_means_all(gardner: Any, tmp_path: Path) -> None:
    budgets = [step / FEATURES for step in range(1, 151)]
    runs = [run("random", 0, budgets=budgets, batch=1, unsettled=[7]), run("random", 1, budgets=budgets, batch=1)]
    page = report(tmp_path, *runs, at=[budgets[-1]])
    (verdict,) = page.sections[0].verdicts
    assert not verdict.holds
    assert verdict.text.endswith("least 99.6% of the rounds of random")
    assert rows_of(page)["converged"].tolist() == [0.996]
    out = gardner("results", tmp_path / "results", "--at", budgets[-1])[1]
    assert "99.6%" in out
    assert "100%" not in out
    curves = page.sections[0].table.assign(converged=0.99999)
    (bounds,) = page.sections[0].tables.values()
    data = specification(strategies_chart(curves, bounds, "x"))["datasets"]
    origins = {row.get("origin") for rows in data.values() for row in rows}
    assert "2 seeds, 99.99 % of rounds converged" in origins


def test_differences_name_their_batch() -> None:
    tables = [run(name, batch=size)[1].to_pandas() for name in ("agnostic", "random") for size in (3, 6)]
    found: Comparison = compare(pd.concat(tables), [0.3], lambda _: None)
    assert found.meetings("agnostic", "random", 3) == [0.3]
    gap, error = found.difference("agnostic", "random", 0.3, 3)
    assert gap == pytest.approx(-0.027)
    assert math.isnan(error)
    with pytest.raises(LookupError, match="in more than one batch size"):
        found.difference("agnostic", "random", 0.3)
    with pytest.raises(LookupError, match="nowhere"):
        found.difference("agnostic", "informed", 0.3)


def test_a_pipe_or_a_device_takes_the_page_alone(gardner: Any, tmp_path: Path) -> None:
    """``-o /dev/null`` as root: no file in its place, and no folder of tables in /dev."""
    folder, device = written(tmp_path / "results", run("random", 0, budgets=[0.3])), tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        device.write_bytes(b"")
    except PermissionError:
        pytest.skip("no device can be made here: needs root")
    assert gardner("report", folder, "-o", device, "--at", "0.3")[0] == 0
    assert stat.S_ISCHR(device.stat().st_mode)
    code, _, err = gardner("report", folder, "-o", device, "--figures", "svg")
    assert (code, "no place for figures" in err) == (2, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["null", "results"]
