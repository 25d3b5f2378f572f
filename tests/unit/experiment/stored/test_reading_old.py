"""A folder of results as they were before one declaration made their columns, and before rows said
what made them.

It was written at commit 1be10ca, which is version 0.1.0 with checksums, by

    gardner bench random mine.py:First mine.py:Fails mixture -p mixture.fraction=0.8 -N 20 -a 3 -n 0.3 -k 3 -s 2
        --channel flip:.05 --test-rows 10

and then thinned out. ``mine.py`` takes the first rows, or raises.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gardner.experiment.question.task import FIELDS, StrategySpec, Task
from gardner.experiment.stored.reading import read_results
from gardner.experiment.stored.rows import SCHEMA, run_table
from gardner.records import Store

OLD = Path(__file__).with_name("results-0.1.0")
VOLUMES = {"random": -0.20383239546790718, "mixture": -0.26188177792355416, "mine.py:First": -0.24964928291738034}


def test_they_are_read() -> None:
    frame = read_results(OLD)
    assert list(frame.columns) == SCHEMA.names
    assert frame["key"].nunique() == 4
    last = frame.groupby("strategy")["log_volume"].last().dropna()
    assert last.to_dict() == VOLUMES
    assert frame.loc[frame["status"] == "failed", "reason"].tolist() == ["KeyError: 'not today'"]
    for one in FIELDS:
        assert frame[one.column].notna().all()
    assert (frame[["gardner", "numpy", "numba"]] == "").all(axis=None)  # nobody said so then
    assert set(frame["channel"]) == set(frame["teacher_channel"]) == {"flip:0.05"}


def test_columns_of_another_name_are_read(tmp_path: Path) -> None:
    """``self_overlap`` was ``norm``; rows of both kinds may stand in one folder."""
    folder = tmp_path / "results"
    shutil.copytree(OLD, folder)
    old = read_results(folder)
    runs = old["status"] != "failed"
    assert (old["self_overlap"].notna() == runs).all()
    assert old.loc[runs, "self_overlap"].between(0.0, 1.0).all()
    columns = Task(StrategySpec("random"), 20, 3.0, 0.3, 3, 7).columns("today")
    a_round = {"labels": 6, "budget": 0.3, "log_volume": -0.2, "self_overlap": 0.25, "status": "converged"}
    store = Store(folder)
    with store.writing():
        store.write(columns["key"], run_table({**columns, "informed": False}, [a_round]))
    both = read_results(folder)
    assert list(both.columns) == SCHEMA.names
    assert both.loc[both["key"] == columns["key"], "self_overlap"].tolist() == [0.25]
    assert both[both["key"] != columns["key"]].reset_index(drop=True).equals(old)


def test_they_are_shown(gardner: Any) -> None:
    code, out, err = gardner("results", OLD, "--at", "0.3", "--json")
    assert code == 0
    found = json.loads(out)
    volumes = {row["strategy"].partition("(")[0]: row["log_volume"] for row in found["rows"]}
    assert volumes == pytest.approx(VOLUMES)
    assert {row["model"] for row in found["rows"]} == {"gaussian / flip:0.05"}
    assert [row["reason"] for row in found["failures"]] == ["KeyError: 'not today'"]
    assert "2 of 3 runs were made by other code than today's; `gardner bench` would redo them" in err
    assert "the source of mine.py:First is not found from here" in err
    assert gardner("results", OLD, "--verify")[0] == 0


def test_a_sweep_beside_them_leaves_them_alone(gardner: Any, tmp_path: Path) -> None:
    """The same tasks are run anew, as the code is another; then those of today are shown."""
    folder = tmp_path / "results"
    shutil.copytree(OLD, folder)
    before = {path.name: path.read_bytes() for path in (folder / "parts").iterdir()}
    options = [
        "-N",
        "20",
        "-a",
        "3",
        "-n",
        "0.3",
        "-k",
        "3",
        "-s",
        "1",
        "--channel",
        "flip:.05",
        "--test-rows",
        "10",
        "--workers",
        "1",
        "--json",
    ]
    code, out, err = gardner("bench", "random", *options, "--out", folder)
    assert (code, "1 run now, 0 were there" in err) == (0, True)
    (row,) = json.loads(out)["rows"]
    assert row["log_volume"] == pytest.approx(VOLUMES["random"], abs=1e-6)
    assert before.items() < {path.name: path.read_bytes() for path in (folder / "parts").iterdir()}.items()
    _, out, err = gardner("results", folder, "--at", "0.3", "--json")
    assert len(json.loads(out)["rows"]) == 3
    assert "1 of 3 runs were made by other code" in err
