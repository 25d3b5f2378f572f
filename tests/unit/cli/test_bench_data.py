"""``gardner bench --data``: options, files and Python alike; stored, resumed, refused in one line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from tests.sweeps import parts

from gardner.experiment import Spec, StrategySpec, read_spec, run_tasks
from gardner.experiment.loop.task import execute
from gardner.experiment.stored.reading import read_results

Command = Callable[..., tuple[int, str, str]]
STRATEGIES = ("random", "agnostic", "informed", "skactiveml.pool.UncertaintySampling")
BROKEN = """
class Broken:
    informed = False
    def query(self, view):
        raise RuntimeError("not today")
"""


def _write(path: Path, load: Any = load_breast_cancer) -> Path:
    frame, labels = load(return_X_y=True, as_frame=True)
    frame.assign(y=labels).sample(150, random_state=0).to_parquet(path)
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, a strategy that fails, and the results of a sweep of both."""
    folder = tmp_path_factory.mktemp("data")
    _write(folder / "pool.parquet")
    (folder / "broken.py").write_text(BROKEN)
    run_tasks(_spec(folder).tasks(), folder / "out", workers=1)
    return folder


def _spec(folder: Path, **changes: Any) -> Spec:
    names = [*map(StrategySpec, STRATEGIES), StrategySpec(f"{folder / 'broken.py'}:Broken")]
    given = {"data": str(folder / "pool.parquet"), "label": "y", "budget": 24, "batch_size": 8, "seeds": 2}
    return Spec(names, **{**given, **changes})


def test_options_files_and_python_mean_the_same(tmp_path: Path) -> None:
    from gardner.cli.bench import _read

    pool = _write(tmp_path / "pool.parquet")
    spec = tmp_path / "spec.yaml"
    spec.write_text(
        f"strategies: [random, query]\ndata: {pool}\nlabel: y\ntest: 0.3\nbudget: [8, 24]\nbatch: 8\nseeds: 2\n"
    )
    options = {
        "data": str(pool),
        "label": "y",
        "test_share": 0.3,
        "budget": ["8", "24"],
        "batch_size": ["8"],
        "seeds": 2,
    }
    by_options = _read(["random", "query"], options, []).tasks()
    by_python = Spec(
        [StrategySpec("random"), StrategySpec("query")], data=str(pool), label="y", test_share=0.3,
        budget=[8, 24], batch_size=8, seeds=2,
    ).tasks()  # fmt: skip
    assert by_options == by_python == read_spec(spec).tasks()
    first = by_python[0]
    assert (first.features, first.labels, round(first.pool_ratio * 30), first.channel) == (30, 8, 106, "probit:0.08")
    assert first.shown.data.startswith("pool.parquet#")


def test_what_is_stored_and_printed(place: Path, gardner: Command) -> None:
    frame = read_results(place / "out")
    runs = frame[frame["status"] != "failed"]
    assert runs.groupby("strategy")["labels"].max().to_dict() == dict.fromkeys(STRATEGIES, 24)
    assert runs["test_accuracy"].between(0.5, 1.0).all()
    assert runs["log_loss"].notna().all()
    assert runs["accuracy"].isna().all()
    assert str(place) not in " ".join(frame["data"].unique())
    code, out, _ = gardner("results", place / "out", "--at", 16, "--at", 24)
    assert code == 0
    assert "pool.parquet, label y, probit:0.08, 40% held out, batch 8" in out
    assert "for Gaussian rows" in out
    assert not any(word in out for word in ("halving", "minimum", "typical"))
    assert "not today" in out
    assert "informed *" in out
    told = json.loads(gardner("results", place / "out", "--at", 24, "--json")[1])
    assert told["rows"] == []
    assert len(told["tables"]) == len(STRATEGIES)
    assert {row["seeds"] for row in told["tables"]} == {2}
    assert len(told["table_pairs"]) == 6
    assert [row["reason"] for row in told["failures"]] == ["RuntimeError: not today"] * 2


def test_resumed_it_ends_with_the_same_bytes(place: Path) -> None:
    """Half of the parts are gone, as after a kill; the same tasks are run again."""
    before = parts(place / "out")
    for name in sorted(before)[::2]:
        (place / "out" / "parts" / name).unlink()
    outcome = run_tasks(_spec(place).tasks(), place / "out", workers=1)
    assert outcome.ran == len(before) - len(before) // 2
    assert parts(place / "out") == before


def test_a_page_without_bounds(place: Path, tmp_path: Path, gardner: Command) -> None:
    page = tmp_path / "page.html"
    assert gardner("report", place / "out", "-o", page)[0] == 0
    text = page.read_text(encoding="utf-8")
    assert "The bounds of the theory are for Gaussian rows" in text
    assert "Table pool.parquet, label y, batch 8" in text
    assert "the fewest are 2" in text
    assert "halving" not in text.partition("</main>")[0]


def test_a_file_that_changed_under_a_half_done_sweep(place: Path, tmp_path: Path, gardner: Command) -> None:
    other = tmp_path / "pool.parquet"
    pd.read_parquet(place / "pool.parquet").iloc[:140].to_parquet(other)
    arguments = ("--label", "y", "--budget", 24, "--batch", 8, "--seeds", 2, "--out", place / "out")
    code, _, err = gardner("bench", "random", "--data", other, *arguments)
    assert code == 2
    assert err.count("\n") == 1
    assert "pool.parquet has changed since results of it were written" in err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"--label": "z"}, "none of that name"),
        ({"--budget": 0.5}, "--budget = 0.5 is not valid: with data it is a number of labels, from 1 to 90"),
        ({"--budget": 91}, "60 of 150 rows are held out"),
        ({"--test": 1.5}, "--test = "),
        ({"--test": 0.001}, "out of the held-out rows"),
        ({"--features": 30}, "it is for pools that are drawn, and data is given"),
        ({"--prior": "laplace"}, "it is for pools that are drawn, and data is given"),
        ({"--channel": "linear:0.1"}, "classes need a channel whose labels are -1 and +1"),
        ({"--data": "nowhere.csv"}, "nowhere.csv"),
    ],
)
def test_refused_in_one_line(tmp_path: Path, gardner: Command, change: dict[str, object], words: str) -> None:
    pool = _write(tmp_path / "pool.parquet")
    options = {"--data": pool, "--label": "y", "--budget": 24, "--batch": 8, "--seeds": 1, "--out": tmp_path / "out"}
    code, out, err = gardner("bench", "random", *(part for pair in (options | change).items() for part in pair))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


@pytest.mark.slow
def test_killed_and_resumed_it_ends_with_the_same_bytes(tmp_path: Path) -> None:
    """The whole process group is killed in the middle; the same command goes on, to the bytes of an
    undisturbed run.
    """
    import os
    import signal
    import time

    pool = _write(tmp_path / "pool.parquet", load_wine)
    command = [sys.executable, "-m", "gardner", "bench", "query", "random", "--data", str(pool), "--label", "y"]
    command += ["--budget", "30", "--batch", "5", "--seeds", "4", "--workers", "2", "--out"]
    whole, half = tmp_path / "whole", tmp_path / "half"
    subprocess.run([*command, str(whole)], check=True, capture_output=True)  # noqa: S603
    with subprocess.Popen(  # noqa: S603
        [*command, str(half)], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while not list((half / "parts").glob("[!.]*.parquet")):
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
    assert 0 < len(list((half / "parts").glob("[!.]*.parquet"))) < 8
    subprocess.run([*command, str(half)], check=True, capture_output=True)  # noqa: S603
    finished = {name: content for name, content in parts(half).items() if not name.startswith(".")}
    assert finished == parts(whole)


def test_names_of_classes_and_npz(tmp_path: Path) -> None:
    """Three classes by name; a strategy that knows two answers with a reason."""
    X, y = load_wine(return_X_y=True)
    np.savez(tmp_path / "wine.npz", X=X, y=np.array(["barolo", "grignolino", "barbera"])[y])
    names = [StrategySpec("query"), StrategySpec("agnostic")]
    spec = Spec(names, data=str(tmp_path / "wine.npz"), label="y", budget=20, batch_size=10, seeds=1)
    asked, refused = (execute(task) for task in spec.tasks())
    assert asked["rounds"][-1]["test_accuracy"] > 0.8
    assert "that of two classes" in refused["reason"]
