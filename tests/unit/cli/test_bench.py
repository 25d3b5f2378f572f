"""``gardner bench``, ``gardner results`` and ``gardner strategies``: what they print, what they
refuse.
"""

from __future__ import annotations

import itertools
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gardner.experiment.question.task import MODEL_NAMES, StrategySpec, Task
from gardner.experiment.stored.rows import failure_table, run_table
from gardner.experiment.sweep.cluster import local_cluster
from gardner.records import Store

SIZES = ["-N", "60", "-a", "3", "-n", "0.3", "-k", "6", "-s", "2"]
MINE = """
from dataclasses import dataclass
from gardner.strategies import Choice, StrategyError

@dataclass
class Mine:
    fails: bool = False
    note: str = ""
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
    for word in ("gap to", "halving", "minimum", "typical", "±", "paired differences", "reads labels"):
        assert word in out
    code, out, _ = gardner("results", str(tmp_path / "out"), "--at", "0.1", "--at", "0.3", "--json")
    assert sorted(row["budget"] for row in json.loads(out)["rows"]) == [0.1, 0.1, 0.3, 0.3]


@pytest.mark.parametrize("moment", ["sweep.tasks._keyed", "sweep.tasks.connected", "results.summary.summarise"])
def test_ctrl_c_at_any_moment_says_what_is_there(
    gardner: Any, tmp_path: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Also before the command has looked into the folder, and after all tasks are in it."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    where = ["--out", str(tmp_path / "out"), "--scheduler", scheduler]
    assert gardner("bench", "random", *SIZES, *where)[0] == 0
    monkeypatch.setattr(f"gardner.experiment.{moment}", interrupt)
    names = ["random", "agnostic"] if moment == "sweep.tasks.connected" else ["random"]
    for folder, kept in (("out", "2 finished tasks are in"), ("new", "nothing is in")):
        if folder == "new" and moment == "results.summary.summarise":
            continue
        code, out, err = gardner("bench", *names, *SIZES, *where[2:], "--out", tmp_path / folder)
        assert (code, out) == (130, "")
        assert err.startswith(f"interrupted: {kept} {tmp_path / folder}")
        assert err.endswith("; the same command goes on from there\n")


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


def test_words_in_brackets_and_control_characters(gardner: Any, tmp_path: Path, scheduler: str) -> None:
    """Parameters, reasons and hints are shown as they are, not taken for markup."""
    (tmp_path / "mine.py").write_text(MINE.replace("not today", "[/x] \\x1b[31m").replace("ask tomorrow", "[age]"))
    where = ["--out", str(tmp_path / "out"), "--scheduler", scheduler]
    name = f"{tmp_path}/mine.py:Mine"
    code, out, _ = gardner("bench", name, *SIZES, "-p", "Mine.fails=[/bold]", *where)  # a text, and true enough
    assert code == 1
    for word in ("Mine(fails=[/bold])", "StrategyError: [/x] [31m", "[age]"):
        assert word in out
    assert "\x1b" not in out
    assert gardner("bench", name, "random", *SIZES, "-p", 'Mine.note="[/b]"', *where)[0] == 0
    code, out, _ = gardner("results", str(tmp_path / "out"))
    assert code == 0
    assert out.count("[/b]") > 1  # the table and the pairs


def test_results_from_another_folder(
    gardner: Any, tmp_path: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    arguments = ["--out", str(tmp_path / "out"), "--scheduler", scheduler]
    code, out, err = gardner("bench", "deep/mine.py:Mine", *SIZES, *arguments)
    assert (code, "note:" in err) == (0, False)
    assert "mine.py:Mine" in out
    assert "deep" not in out
    monkeypatch.chdir(tmp_path / "deep")
    assert gardner("results", tmp_path / "out")[2] == ""
    assert "0 run now, 2 were there" in gardner("bench", "./mine.py:Mine", *SIZES, *arguments)[2]
    monkeypatch.chdir("/")
    _, _, err = gardner("results", tmp_path / "out")
    assert err.startswith("note: the source of mine.py:Mine is not found from here")
    assert len(err.splitlines()) == 1


def test_test_rows_are_in_the_table(gardner: Any, tmp_path: Path, scheduler: str) -> None:
    where = ["--out", str(tmp_path / "out"), "--scheduler", scheduler]
    code, out, _ = gardner("bench", "random", *SIZES, "--test-rows", 50, *where)
    assert code == 0
    assert "on test rows" in out
    (row,) = json.loads(gardner("results", tmp_path / "out", "--at", "0.3", "--json")[1])["rows"]
    assert 0.0 < row["test_accuracy"] < 1.0
    assert row["test_accuracy_stderr"] is not None


def test_something_that_is_no_strategy_is_a_failed_task(gardner: Any, tmp_path: Path, scheduler: str) -> None:
    code, out, _ = gardner("bench", "os.path.join", *SIZES, "--out", tmp_path / "out", "--scheduler", scheduler)
    assert code == 1
    assert "os.path.join" in out


def test_a_folder_without_results(gardner: Any, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    code, out, err = gardner("results", tmp_path, "--json")
    assert code == 0
    assert json.loads(out) == {"rows": [], "pairs": [], "failures": []}
    assert err == f"note: {tmp_path} holds no results yet\n"
    assert gardner("results", tmp_path)[0] == 0


ROOT = Path(__file__).parents[3]


def documented() -> list[str]:
    """The commands of docs/examples, as written there."""
    text = "".join((ROOT / "docs" / "examples" / name).read_text() for name in ("README.md", "my_strategy.py"))
    return re.findall(r"gardner bench [^`\n]*", text)


@pytest.mark.parametrize("command", documented())
def test_documented_commands(
    gardner: Any, tmp_path: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """As they stand, but smaller."""
    monkeypatch.chdir(ROOT)
    small = re.sub(r"(-N|--features) \d+", "-N 40", command)
    small = re.sub(r"(-s|--seeds) \d+", "-s 2", small)
    assert small != command
    words = shlex.split(small)[1:]
    strategies = list(itertools.takewhile(lambda word: not word.startswith("-"), words[1:]))
    code, out, err = gardner(
        *words, "--out", tmp_path / "out", "--scheduler", scheduler, "--json"
    )  # the last --out counts
    assert (code, f"{2 * len(strategies)} run now" in err) == (0, True), err
    told = [row["strategy"].partition("(")[0] for row in json.loads(out)["rows"]]
    assert sorted(told) == sorted(Path(one).name for one in strategies)


def test_there_are_documented_commands() -> None:
    assert len(documented()) == 3
    assert any("--param Explore.share=" in command for command in documented())


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
        ("bench random -N 60 -a 3 -n 0.3 -k 0 -s 1", "--batch = 0"),
        ("bench random -N 60 -a -3 -n 0.3 -k 6 -s 1", "--alpha = -3.0"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 --dtype float8", "--dtype = 'float8' is not valid: it must be"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 --variances both", "it must be vector or scalar"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 --test-rows -1", "--test-rows = -1"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 --prior gausian", "--prior = 'gausian'"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 --prior nowhere.py:X", "there is no file"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 --channel stops.py:X", "KeyboardInterrupt"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 --teacher-prior os:abort", "no class"),
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
        ("bench random -N 1e300 -a 3 -n 0.3 -k 6 -s 1", "features = 'an integer of"),
        ("bench random -N 60 -a 3 -n 0.3 -k 1e30 -s 1", "batch = "),
        ("bench random -N 60 -a 1e300 -n 0.3 -k 6 -s 1", "alpha = "),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 99999999999999999999", "seeds = 99999999999999999999"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 --scheduler foo", "scheduler = 'foo'"),
        ("bench random -N 60 -a 3 -n 0.3 -k 6 -s 1 --scheduler zzz://1:2", "unknown address scheme 'zzz'"),
        ("bench mixture -N 60 -a 3 -n 0.3 -k 6 -s 1 -p mixture.fraction=abc", "mixture.fraction = 'abc'"),
        ("bench mixture -N 60 -a 3 -n 0.3 -k 6 -s 1 -p mixture.fraction=null", "mixture.fraction = None"),
        ("bench a.py:Mine b.py:Mine -N 60 -a 3 -n 0.3 -k 6 -s 1 -p Mine.x=1", "Mine may be a.py:Mine or b.py:Mine"),
        ("bench stops.py:Mine -N 60 -a 3 -n 0.3 -k 6 -s 1", "KeyboardInterrupt"),
        ("results nowhere", "there are no results"),
        ("results . --at much", "--at"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    gardner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stops.py").write_text("raise KeyboardInterrupt")
    code, out, err = gardner(*arguments.split())
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert len(err.strip().splitlines()) == 1
    assert told in err


# --- results from anybody
# ---------------------------------------------------------------------------------------------

ROUND = {"labels": 18, "budget": 0.3, "log_volume": -0.2, "accuracy": 0.6, "status": "converged"}


def hostile_texts(folder: Path) -> list[str]:
    names = ("hostile.py:{}", f"{folder}/here/hostile.py:{{}}", "./hostile.py:{}", "hostile:{}", "hostile.{}")
    return [*names, "{{}}", "__import__('hostile').{}", "[/red]{}", "\x1b[2J{}", "../../{}"]


def hostile(folder: Path) -> Path:
    """A row, and a failed one, for every text in every column of text."""
    task = Task(StrategySpec("random"), 60, 3.0, 0.3, 6, 0).columns("code") | {"informed": False}
    tables: list[tuple[str, Any]] = []
    for text in hostile_texts(folder):
        changes = [{name: text.format("X" if "prior" in name else "Y")} for name in MODEL_NAMES]
        changes += [{name: text.format("X") + ":1" for name in MODEL_NAMES[::2]}]
        changes += [{"strategy": text.format("Z")}, {"code": text}, {"parameters": json.dumps({text: text})}]
        for change in changes:
            key = f"k{len(tables)}"
            tables.append((key, run_table({**task, "key": key, **change}, [{**ROUND, "reason": text, "hint": text}])))
            key = f"k{len(tables)}"
            tables.append((key, failure_table({**task, "key": key, **change}, text, text)))
    tables.append(("status", run_table({**task, "key": "status"}, [{**ROUND, "status": "hostile.py:X"}])))
    store = Store(folder / "results")
    with store.writing():
        for key, table in tables:
            store.write(key, table)
    return store.folder


def test_a_folder_full_of_hostile_texts_runs_nothing(
    gardner: Any, tmp_path: Path, scheduler: str, canary: Path
) -> None:
    folder = hostile(tmp_path)
    for option, told in (("--json", "models are not among those of `gardner models`"), ("--verify", ": 0 damaged")):
        code, out, err = gardner("results", folder, option)
        assert (code, told in err) == (0, True), err
        assert "\x1b" not in out + err
        assert not canary.exists()
    code, out, err = gardner("results", folder)
    assert (code, canary.exists(), "\x1b" in out) == (0, False, False), err
    code, out, err = gardner("report", folder, "-o", tmp_path / "page.html")
    assert (code, canary.exists()) == (0, False), err
    assert "hostile.py" in err
    code, _, err = gardner("bench", "random", *SIZES[:-1], "1", "--scheduler", scheduler, "--out", folder)
    assert (code, canary.exists()) == (0, False), err
    assert "1 run now, 0 were there" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "page.html", "results", "tables"]
