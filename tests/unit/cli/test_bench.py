"""``gardner bench``, ``gardner results`` and ``gardner strategies``: what they print, what they refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gardner.experiment.sweep import local_cluster

SIZES = ["-N", "60", "-a", "3", "-n", "0.3", "-k", "6", "-s", "2"]
MINE = """
from dataclasses import dataclass
from gardner.strategies import Choice, StrategyError

@dataclass
class Mine:
    fails: bool = False
    informed = False

    def query(self, view):
        if self.fails:
            raise StrategyError("not today", hint="ask tomorrow")
        return Choice(view.unlabelled[: view.batch_size])
"""


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with local_cluster(2) as address:
        yield address


def test_bench_then_results(gardner: Any, tmp_path: Path, scheduler: str) -> None:
    where = ["--out", str(tmp_path / "out"), "--scheduler", scheduler]
    parameter = ["--param", "mixture.fraction=0.8"]
    code, out, err = gardner("bench", "random", "mixture", *SIZES, *parameter, *where, "--json")
    assert code == 0
    assert "4 run now, 0 were there" in err
    found = json.loads(out)
    assert set(found) == {"rows", "pairs", "failures"}
    rows = {row["strategy"]: row for row in found["rows"]}
    assert set(rows) == {"random", "mixture(fraction=0.8)"}
    assert rows["mixture(fraction=0.8)"]["informed"]
    assert not rows["random"]["informed"]
    assert rows["random"]["budget"] == 0.3
    assert rows["random"]["seeds"] == 2
    assert rows["mixture(fraction=0.8)"]["log_volume"] < rows["random"]["log_volume"]
    assert found["pairs"][0]["seeds"] == 2
    assert found["failures"] == []

    code, out, err = gardner("bench", "random", *SIZES, *where)  # a part of what is there
    assert code == 0
    assert "0 run now, 2 were there" in err
    assert "mixture" not in out

    code, out, _ = gardner("results", str(tmp_path / "out"), "--at", "0.1:0.3:0.2")
    assert code == 0
    assert "mixture(fraction=0.8) *" in out
    for word in ("gap to halving", "gap to min", "typical", "±", "paired differences", "reads labels"):
        assert word in out
    code, out, _ = gardner("results", str(tmp_path / "out"), "--at", "0.1", "--at", "0.3", "--json")
    assert sorted(row["budget"] for row in json.loads(out)["rows"]) == [0.1, 0.1, 0.3, 0.3]


def test_a_spec_file(gardner: Any, tmp_path: Path, scheduler: str) -> None:
    (tmp_path / "spec.yaml").write_text("{strategies: random, features: 60, alpha: 3, budget: 0.3, batch: 6, seeds: 1}")
    where = ["--out", str(tmp_path / "out"), "--scheduler", scheduler]
    code, out, _ = gardner("bench", str(tmp_path / "spec.yaml"), *where, "--json")
    assert code == 0
    assert json.loads(out)["rows"][0]["log_volume_stderr"] is None
    code, _, err = gardner("bench", str(tmp_path / "spec.yaml"), "--alpha", "3", *where)
    assert code == 2
    assert "a spec file stands alone" in err


def test_failures_are_told_and_exit_with_1(gardner: Any, tmp_path: Path, scheduler: str) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    name = f"{tmp_path}/mine.py:Mine"
    where = ["--out", str(tmp_path / "out"), "--scheduler", scheduler]
    code, out, err = gardner("bench", name, *SIZES, "--param", f"{name}.fails=true", *where)
    assert code == 1
    assert "StrategyError: not today" in out
    assert "ask tomorrow" in out
    assert "2 failed, with reasons above; --retry-failed runs them again" in err
    code, out, _ = gardner("results", str(tmp_path / "out"), "--json")
    assert json.loads(out)["rows"] == []
    assert json.loads(out)["failures"][0]["reason"] == "StrategyError: not today"
    code, _, err = gardner("bench", name, *SIZES, "--param", f"{name}.fails=true", *where, "--retry-failed")
    assert code == 1
    assert "2 run now" in err
    assert gardner("bench", name, *SIZES, *where)[0] == 0


def test_strategies_are_listed(gardner: Any) -> None:
    code, out, _ = gardner("strategies")
    assert code == 0
    assert "fraction=0.5, rest=random" in out
    code, out, _ = gardner("strategies", "--json")
    found = {entry["name"]: entry for entry in json.loads(out)}
    assert {"agnostic", "informed", "least-informative", "mixture", "random"} <= set(found)
    assert found["mixture"]["parameters"] == {"fraction": 0.5, "rest": "random"}
    assert found["informed"]["informed"]
    assert not found["agnostic"]["informed"]
    assert all(entry["description"] for entry in found.values())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("bench", "Missing argument"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6", "--seeds"),
        ("bench randomm -N 60 -a 3 -n 0.3 -k 6 -s 1", "did you mean random?"),
        ("bench random random -N 60 -a 3 -n 0.3 -k 6 -s 1", "there twice"),
        ("bench random -N 60.5 -a 3 -n 0.3 -k 6 -s 1", "whole number"),
        ("bench random -N 60 -a 3 -n 3.3 -k 6 -s 1", "budget = 3.3"),
        ("bench random -N 60 -a 3 -n 0.3 -k 0 -s 1", "batch = 0"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 0", "seeds = 0"),
        ("bench random -N 60 -a x -n 0.3 -k 6 -s 1", "--alpha"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 -p fraction=1", "STRATEGY.KEY=VALUE"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 -p mixture.fraction=1", "strategies of this command are random"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 -p random.x=1", "parameters of random: none"),
        ("bench mixture -N 60 -a 3 -n 0.3 -k 6 -s 1 -p mixture.rest=1 -p mixture.rest=2", "there twice"),
        ("bench nowhere.yaml", "cannot be read"),
        ("bench nowhere.py:Mine -N 60 -a 3 -n 0.3 -k 6 -s 1", "there is no file"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 --out /dev/null/results", "cannot write to"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 --time-limit 0", "time limit"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 --workers 0", "workers = 0"),
        ("results nowhere", "there are no results"),
        ("results . --at much", "--at"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    gardner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = gardner(*arguments.split())
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert len(err.strip().splitlines()) == 1
    assert told in err
