"""The recipes: their frames, verdicts and files, and that a killed run goes on."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gardner.errors import InvalidInputError
from gardner.experiment.question.task import StrategySpec
from gardner.experiment.stored.rows import failure_table
from gardner.inference.batched import random_subsets, subset_log_volumes
from gardner.model import draw_instance
from gardner.records import Store
from gardner.report.page import Section, Verdict
from gardner.reproduce import RECIPES, ReproductionError, Scale, _stable, reproduce_results
from gardner.reproduce.batch import RECIPE as BATCH
from gardner.reproduce.passive_sampling import WIDTH, Sample, complexity_of, draw_sample
from gardner.reproduce.recipe import Workspace
from gardner.reproduce.scaling import table
from gardner.theory import EndStatus, bounds

TINY = Scale("tiny", shrink=20, seeds=2, draws=2_000)


def test_scaling_page_is_complete_and_repeatable(tmp_path: Path) -> None:
    fractions: list[float] = []
    (section,) = reproduce_results(["scaling"], tmp_path, figures="svg", progress=fractions.append)
    assert all(verdict.holds for verdict in section.verdicts)
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1.0)
    page = (tmp_path / "report.html").read_bytes()
    assert len(pd.read_csv(tmp_path / "tables" / "scaling.csv")) == 25
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {"scaling-0.svg", "scaling-1.svg"}
    assert not list(tmp_path.rglob(".part-*"))
    reproduce_results(["scaling"], tmp_path)
    assert (tmp_path / "report.html").read_bytes() == page


def test_scaling_constants() -> None:
    frame = table(lambda _: None)
    assert frame["scaled_volume"].iloc[-1] == pytest.approx(0.8417, abs=1e-4)
    assert frame["scaled_error"].iloc[-1] == pytest.approx(0.442, abs=1e-3)


def test_an_end_that_is_not_known_is_not_called_stable() -> None:
    known = bounds(pool_ratio=3.0, budget=0.6)
    assert _stable(known) == "broken at the best and the worst"
    assert known.minimum.point is not None
    calm = replace(known.minimum, point=replace(known.minimum.point, stability=0.9))
    assert _stable(replace(known, minimum=calm)) == "broken at the worst"
    assert _stable(replace(known, minimum=calm, maximum=calm)) == "stable"
    lost = replace(known.minimum, status=EndStatus.UNRESOLVED)
    assert _stable(replace(known, minimum=lost)) == "broken at the worst, not known at the best"
    nothing = replace(lost, point=None)
    assert _stable(replace(known, minimum=nothing, maximum=nothing)) == "not known at the best and the worst"


def test_every_result_of_the_paper_has_a_recipe() -> None:
    wanted = (
        "complexity complexity-10 pool-size bounds heuristics passive-sampling ensemble magnetization batch scaling"
    )
    assert list(RECIPES) == [*wanted.split(), "table", "learning-curves"]
    assert all(recipe.title for recipe in RECIPES.values())


def test_a_race_of_strategies_meets_the_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gardner.reproduce.bounds.BUDGETS", (0.3, 0.6))
    (section,) = reproduce_results(["bounds"], tmp_path, scale=TINY)
    curves = section.table
    assert set(curves["strategy"]) == {"agnostic", "informed", "least-informative", "random", "swap"}
    assert set(curves["features"]) == {100}
    assert section.tables["bounds-theory"]["bound"].nunique() == 5
    by_name = {name: curve.set_index("budget")["log_volume"] for name, curve in curves.groupby("strategy")}
    assert by_name["swap"][0.6] < by_name["informed"][0.6] < by_name["agnostic"][0.6] < by_name["random"][0.6]
    assert by_name["random"][0.6] < by_name["least-informative"][0.6]
    ways = curves[curves["budget"] == 0.6].set_index("strategy")["way_to_bound"]
    assert 0.9 < ways["agnostic"] < 1.2
    assert ways["least-informative"] < 0.0
    text = (tmp_path / "report.html").read_text()
    assert "Quick version: simulations at N = 100" in text
    before = {path.name: path.read_bytes() for path in (tmp_path / "results" / "parts").iterdir()}
    reproduce_results(
        ["bounds"], tmp_path, scale=TINY
    )  # everything is in the store: nothing runs, the page is the same
    assert (tmp_path / "report.html").read_text() == text
    assert {path.name: path.read_bytes() for path in (tmp_path / "results" / "parts").iterdir()} == before


def test_batches_and_mixtures(tmp_path: Path) -> None:
    batch, mixture = reproduce_results(["batch", "magnetization"], tmp_path, scale=TINY)
    assert sorted(batch.table["batch_size"].unique()) == [1, 2, 5, 12, 25]
    assert set(batch.table["budget"]) <= {0.5, 0.51, 0.55, 0.6, 1.0}
    assert np.allclose(batch.table["log_volume"] - batch.table["halving"], batch.table["gap_to_halving"])
    assert len(mixture.table) == 15
    ends = mixture.table.set_index("strategy")["log_volume"]
    assert ends["mixture(fraction=1.0, rest=random)"] < ends["mixture(fraction=0.0, rest=random)"]
    assert ends["mixture(fraction=0.0, rest=random)"] < ends["mixture(fraction=0.0, rest=reversed)"]
    assert mixture.table["m_gap"].abs().max() < 0.3


def test_subsets_are_counted_once_and_read_again(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, TINY)
    found, again = (draw_sample(workspace, 20, 0.3, TINY.draws) for _ in range(2))
    assert found.drawn + found.unconverged == TINY.draws
    assert found.counts.equals(again.counts)
    assert found.seconds == again.seconds  # the first one's, from the store
    assert len(Store(tmp_path / "sampling").keys()) == 1
    instance, rng = draw_instance(20, 3.0, 0), np.random.default_rng(1)
    others = subset_log_volumes(instance.rows, instance.labels, random_subsets(TINY.draws, 60, 6, rng)).log_volume
    mean = -WIDTH * float(((found.counts.index + 0.5) * found.counts).sum()) / found.drawn
    assert mean == pytest.approx(others.mean(), abs=5.0 * others.std() * math.sqrt(2.0 / TINY.draws))


def test_complexity_of_a_known_histogram() -> None:
    """A Gaussian histogram is a parabola of Σ whose top is ln C(60, 6)/20."""
    centres = np.arange(100, 300)
    counts = pd.Series(np.round(1e6 * np.exp(-0.5 * ((centres - 200) / 25.0) ** 2)).astype(int), index=centres)
    dots = complexity_of(Sample(20, 0.3, counts[counts > 0], 0, 1.0))
    top = math.log(math.comb(60, 6)) / 20
    assert dots["complexity"].max() == pytest.approx(top)
    away = (dots["log_volume"] / -WIDTH - 200.5) / 25.0
    assert np.allclose(dots["complexity"], top - 0.5 * away**2 / 20, atol=0.003)
    assert (dots["complexity_low"] < dots["complexity"]).all()
    assert (dots["subsets"] >= 100).all()


def test_failed_runs_are_an_error_that_says_where_to_look(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, TINY)
    with pytest.raises(InvalidInputError, match="it must be one of"):
        reproduce_results(["nonsense"], tmp_path)
    from gardner.experiment import Spec
    from gardner.experiment.stored.sources import code_version, names_in

    spec = Spec([StrategySpec("random")], [20], [3.0], [0.2], [2], [0])
    (task,) = spec.tasks()
    code = code_version(names_in(spec.tasks()[0]))
    store = Store(tmp_path / "results")
    with store.writing():
        store.write(task.key(code), failure_table({**task.columns(code), "informed": False}, "TimeLimit: gone", "x"))
    with pytest.raises(ReproductionError, match=r"1 of 1 runs failed, first random: TimeLimit: gone.*retry_failed"):
        workspace.bench([spec])


def test_a_result_that_fails_costs_only_its_own_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: Workspace) -> Section:
        raise ReproductionError("1 of 1 runs failed", hint="--retry-failed")

    monkeypatch.setitem(RECIPES, "batch", replace(RECIPES["batch"], run=fails))
    monkeypatch.setattr("gardner.reproduce._headline", lambda _: pd.DataFrame({"budget n": [0.6]}))
    with pytest.raises(ReproductionError, match="1 of 1 runs failed"):
        reproduce_results(["scaling", "batch"], tmp_path, scale=TINY)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "This result could not be had" in page
    assert 'id="scaling"' in page


def test_failing_results_are_all_told_with_the_verdicts_of_the_others(
    gardner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: Workspace) -> Section:
        raise ReproductionError("1 of 1 runs failed", hint="--retry-failed")

    def breaks(_: Workspace) -> Section:
        raise ZeroDivisionError("somewhere")

    def fine(_: Workspace) -> Section:
        return Section("scaling", "Scaling", "", (), (Verdict(True, "it scales"),), pd.DataFrame(), "")

    for name, run in {"batch": fails, "table": breaks, "scaling": fine}.items():
        monkeypatch.setitem(RECIPES, name, replace(RECIPES[name], run=run))
    monkeypatch.setattr("gardner.reproduce._headline", lambda _: pd.DataFrame({"budget n": [0.6]}))
    code, out, err = gardner("reproduce", "batch", "table", "scaling", "--out", tmp_path)
    assert code == 1
    assert out.splitlines() == [
        "[failure] batch: 1 of 1 runs failed; --retry-failed",
        "[failure] table: ZeroDivisionError: somewhere",
        "[holds] scaling: it scales",
        f"wrote {tmp_path / 'report.html'}",
    ]
    assert len(err.splitlines()) == 1
    assert "batch: 1 of 1 runs failed; --retry-failed; table: ZeroDivisionError: somewhere" in err


def test_the_place_of_the_page_is_asked_before_the_work(tmp_path: Path) -> None:
    from gardner.reproduce.pages import check_target

    with pytest.raises(InvalidInputError, match="it is a folder"):
        check_target(tmp_path, None)
    with pytest.raises(InvalidInputError, match="svg, png, pdf"):
        check_target(tmp_path / "page.html", "gif")


KILLED = """
from pathlib import Path
from gardner.reproduce import Scale, reproduce_results
if __name__ == "__main__":
    reproduce_results(["batch"], Path({out!r}), scale=Scale("tiny", shrink=20, seeds=6, draws=2000), workers=1)
"""


def test_a_killed_reproduction_goes_on_and_ends_in_the_same_page(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(KILLED.format(out=str(tmp_path / "killed")))
    process = subprocess.Popen([sys.executable, str(script)], start_new_session=True)  # noqa: S603
    parts = tmp_path / "killed" / "results" / "parts"
    deadline = time.monotonic() + 120.0
    while process.poll() is None and len(list(parts.glob("[!.]*.parquet"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert process.poll() is None, "it was over before it could be killed"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    survived = {path.name: path.stat().st_mtime_ns for path in parts.glob("[!.]*.parquet")}
    assert len(survived) >= 3
    assert not (tmp_path / "killed" / "report.html").exists()
    scale = Scale("tiny", shrink=20, seeds=6, draws=2000)
    reproduce_results([BATCH.name], tmp_path / "killed", scale=scale)
    reproduce_results([BATCH.name], tmp_path / "whole", scale=scale)
    assert (tmp_path / "killed" / "report.html").read_bytes() == (tmp_path / "whole" / "report.html").read_bytes()
    assert {name: (parts / name).stat().st_mtime_ns for name in survived} == survived
    timings = next((tmp_path / "killed" / "results" / "timings").iterdir())
    assert json.loads(timings.read_text())["seconds"] > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["complexity", "complexity-10", "pool-size"])
def test_theory_recipes(name: str, tmp_path: Path) -> None:
    (section,) = reproduce_results([name], tmp_path)
    open_questions = [verdict for verdict in section.verdicts if "replica symmetry" in verdict.text]
    others = [verdict for verdict in section.verdicts if verdict not in open_questions]
    assert all(verdict.holds for verdict in others)
    assert section.table["quadrature_error"].max() < 1e-5


@pytest.mark.slow
def test_heuristics_passive_sampling_and_the_table(tmp_path: Path) -> None:
    heuristics, sampling, strategies = reproduce_results(
        ["heuristics", "passive-sampling", "table"], tmp_path, scale=TINY
    )
    assert {"committee", "committee(members=3)", "committee(members=45)"} <= set(heuristics.table["strategy"])
    assert set(sampling.table["features"]) == {20, 40}
    assert len(strategies.table) == 12
    assert (strategies.table["ms fitting"] > 0.0).all()


@pytest.fixture
def short_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ensemble recipe at its smallest."""
    from gardner.experiment import Spec

    short = Spec([StrategySpec("swap", {"steps": 2})], [20], [3.0], [0.6], [3], range(2))
    monkeypatch.setattr("gardner.reproduce.bounds.specs", lambda _: [short, short])
    monkeypatch.setattr("gardner.reproduce.ensemble.QUICK_PLAN", {8: (3, 50), 10: (3, 50), 12: (3, 50)})


@pytest.mark.slow
@pytest.mark.usefixtures("short_chains")
def test_the_ensemble_is_sampled_and_held_against_theory(tmp_path: Path) -> None:
    (section,) = reproduce_results(["ensemble"], tmp_path, scale=TINY)
    assert [verdict.outcome.value for verdict in section.verdicts].count("failure") == 0
    assert len(section.verdicts) == 5
    assert "not mixed" in section.provenance  # fifty rounds are too few, and it says so
    table = section.table.set_index("beta")
    assert table["complexity_one_step"][0.0] == pytest.approx(table["complexity_symmetric"][0.0])
    assert table["log_volume_one_step"][-20.0] > table["log_volume_symmetric"][-20.0]
    assert table["log_volume_one_step"][100.0] < table["log_volume_symmetric"][100.0]
    series = set(section.tables["ensemble-curves"]["series"])
    assert series == {"replica symmetry", "one step", *(f"chains, N = {N}" for N in (8, 10, 12))}


@pytest.mark.slow
@pytest.mark.usefixtures("short_chains")
def test_the_ensemble_again_is_read_from_the_store(tmp_path: Path) -> None:
    (section,) = reproduce_results(["ensemble"], tmp_path, scale=TINY)
    parts = {path: path.read_bytes() for path in (tmp_path / "ensemble").rglob("*.parquet")}
    page = (tmp_path / "report.html").read_bytes()
    (again,) = reproduce_results(["ensemble"], tmp_path, scale=TINY)  # everything is in the store
    assert {path: path.read_bytes() for path in (tmp_path / "ensemble").rglob("*.parquet")} == parts
    pd.testing.assert_frame_equal(again.table, section.table)
    assert (tmp_path / "report.html").read_bytes() == page
