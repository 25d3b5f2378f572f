"""Sweeps on real processes: the same bytes from one worker, two, and a scheduler elsewhere; nothing
run twice.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from tests.sweeps import parts

import gardner
from gardner.errors import InvalidInputError
from gardner.experiment.loop.task import execute
from gardner.experiment.question.spec import Spec
from gardner.experiment.question.task import StrategySpec, Task
from gardner.experiment.stored.reading import read_results
from gardner.experiment.stored.rows import read_rows, run_table
from gardner.experiment.sweep import cluster
from gardner.experiment.sweep import tasks as module
from gardner.experiment.sweep.cluster import SweepError
from gardner.experiment.sweep.tasks import Progress, run_tasks
from gardner.records import Store


def tasks(*names: str, seeds: int = 2) -> list[Task]:
    strategies = [StrategySpec(name) for name in names]
    return Spec(strategies, [60], [3.0], [0.3], [6], range(seeds), test_rows=50).tasks()


def test_the_same_bytes_whoever_runs_it(tmp_path: Path, two_workers: str, elsewhere: Any) -> None:
    wanted = tasks("agnostic", "random", "informed", "committee")
    run_tasks(wanted, tmp_path / "one", workers=1)
    run_tasks(wanted, tmp_path / "two", scheduler=two_workers)
    with elsewhere("--nthreads", "2", "--no-nanny") as dask:
        outcome = run_tasks(wanted, tmp_path / "three", scheduler=dask.address)
    assert (outcome.ran, outcome.failed) == (8, 0)
    assert parts(tmp_path / "one") == parts(tmp_path / "two") == parts(tmp_path / "three")
    assert len(parts(tmp_path / "one")) == 8


def test_the_rows_are_those_of_the_loop(tmp_path: Path, two_workers: str) -> None:
    (task,) = tasks("agnostic", seeds=1)
    (key,) = run_tasks([task], tmp_path, scheduler=two_workers).keys
    answer = execute(task)
    frame = read_rows(tmp_path)
    columns = {**task.columns(frame["code"][0]), "informed": answer["informed"], **answer["versions"]}
    assert frame.equals(run_table(columns, answer["rounds"]).to_pandas())
    assert frame["test_accuracy"].between(0.0, 1.0).all()
    timings = Store(tmp_path).read_timings(key)
    assert timings["seconds"] > 0.0
    assert len(timings["rounds"]) == len(frame)


def test_what_is_there_is_not_run_again(tmp_path: Path, two_workers: str) -> None:
    seen: list[Progress] = []
    assert run_tasks(tasks("random"), tmp_path, scheduler=two_workers, progress=seen.append).ran == 2
    assert [(now.done, now.total, now.failed) for now in seen] == [(0, 2, 0), (1, 2, 0), (2, 2, 0)]
    assert seen[1].rate > 0.0
    assert seen[1].seconds_left > 0.0
    before = parts(tmp_path)
    stamp = {path: path.stat().st_mtime_ns for path in (tmp_path / "parts").iterdir()}
    more = run_tasks(tasks("random", seeds=3), tmp_path, scheduler=two_workers)
    assert (more.ran, len(more.keys)) == (1, 3)
    assert before.items() < parts(tmp_path).items()
    assert all(path.stat().st_mtime_ns == stamp[path] for path in stamp)
    assert run_tasks(tasks("random", seeds=3), tmp_path, scheduler="tcp://nobody:1").ran == 0  # nothing is started


def test_failed_tasks_are_retried_only_when_asked(tmp_path: Path, two_workers: str) -> None:
    flag = tmp_path / "works"
    (tmp_path / "moody.py").write_text(
        "from pathlib import Path\n"
        "from gardner.strategies import Choice\n"
        "class Moody:\n"
        "    informed = False\n"
        "    def query(self, view):\n"
        f"        assert Path({str(flag)!r}).exists(), 'not today'\n"
        "        return Choice(view.unlabelled[:view.batch_size])\n"
    )
    wanted = tasks(f"{tmp_path}/moody.py:Moody", seeds=1)
    out = tmp_path / "out"
    assert run_tasks(wanted, out, scheduler=two_workers).failed == 1
    assert read_rows(out)["reason"].tolist() == ["AssertionError: not today"]
    flag.touch()
    again = run_tasks(wanted, out, scheduler=two_workers)
    assert (again.ran, again.failed) == (0, 1)
    asked = run_tasks(wanted, out, scheduler=two_workers, retry_failed=True)
    assert (asked.ran, asked.failed) == (1, 0)
    assert len(Store(out).keys()) == 1
    assert read_rows(out)["status"].tolist() == ["converged"] * 3


def test_an_edited_strategy_is_another_task(tmp_path: Path, two_workers: str) -> None:
    """Children that have loaded the old file are replaced. Comments and docstrings are no edits."""
    text = (
        "from gardner.strategies import Choice\n"
        "class First:\n"
        "    informed = False\n"
        "    def query(self, view):\n"
        "        return Choice(view.unlabelled[:view.batch_size])\n"
    )
    file, out = tmp_path / "first.py", tmp_path / "out"
    file.write_text(text)
    wanted = tasks(f"{file}:First", seeds=2)
    assert run_tasks(wanted, out, scheduler=two_workers).ran == 2
    file.write_text('"""The first rows."""  # of all\n' + text.replace("view.batch_size", " view . batch_size "))
    assert run_tasks(wanted, out, scheduler=two_workers).ran == 0
    file.write_text(text.replace("[:view.batch_size]", "[-view.batch_size:]"))
    assert run_tasks(wanted, out, scheduler=two_workers).ran == 2
    assert read_rows(out).groupby("code")["log_volume"].sum().nunique() == 2


def test_workers_with_other_sources_are_refused(
    tmp_path: Path, two_workers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "code_version", lambda _: "newer")
    with pytest.raises(SweepError, match="other sources of Gardner"):
        run_tasks(tasks("random"), tmp_path, scheduler=two_workers)
    assert Store(tmp_path).keys() == []


def test_mistakes_are_told_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    with pytest.raises(InvalidInputError, match="randomm"):
        run_tasks([Task(StrategySpec("randomm"), 60, 3.0, 0.3, 6, 0)], tmp_path)
    with pytest.raises(InvalidInputError, match="workers = 0"):
        run_tasks(tasks("random"), tmp_path, workers=0)
    with pytest.raises(InvalidInputError, match="time limit"):
        run_tasks(tasks("random"), tmp_path, time_limit=0.0)
    with pytest.raises(SweepError, match="no scheduler answers at"):
        run_tasks(tasks("random"), tmp_path, scheduler="tcp://127.0.0.1:1")


@pytest.mark.parametrize("address", ["foo", "zzz://1:2", "tcp://host", "tcp://127.0.0.1:x", "tcp://no.such.host.:1"])
def test_an_address_that_is_none_is_refused_at_once(tmp_path: Path, address: str) -> None:
    begin = time.monotonic()
    with pytest.raises(InvalidInputError, match=r"scheduler = .*; an address is tcp://HOST:PORT") as caught:
        run_tasks(tasks("random"), tmp_path, scheduler=address)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - begin < 10.0


def test_a_file_is_the_same_task_wherever_it_is_named_from(
    tmp_path: Path, two_workers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key has the content of the file and its base name; workers, who run elsewhere, get the
    whole path.
    """
    (tmp_path / "deep").mkdir()
    file, out = tmp_path / "deep" / "mine.py", tmp_path / "out"
    file.write_text("def mine(view): return view.unlabelled[:view.batch_size]\n")
    monkeypatch.chdir(file.parent)
    assert run_tasks(tasks("mine.py:mine"), out, scheduler=two_workers).ran == 2
    assert set(read_rows(out)["strategy"]) == {"mine.py:mine"}
    monkeypatch.chdir(tmp_path)
    for name in ("deep/mine.py:mine", "./deep/mine.py:mine", f"{file}:mine"):
        assert run_tasks(tasks(name), out, scheduler=two_workers).ran == 0
    with pytest.raises(InvalidInputError, match=r"there twice; .*without folders"):
        tasks("deep/mine.py:mine", f"{file}:mine")


MODELS = """
from dataclasses import dataclass
from gardner.model import Gaussian
from gardner.model.flip import Flip

@dataclass(frozen=True)
class Wide(Gaussian):
    variance: float = 4.0

@dataclass(frozen=True)
class Careless(Flip):
    rho: float = 0.1
"""


def test_models_of_ones_own_run_as_strategies_do(
    tmp_path: Path, two_workers: str, elsewhere: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In processes here and on a scheduler elsewhere; what counts is what their file does, wherever
    it lies.
    """
    (tmp_path / "deep").mkdir()
    file = tmp_path / "deep" / "mine.py"
    file.write_text(MODELS)
    monkeypatch.chdir(tmp_path)

    def wanted(file: str) -> list[Task]:
        options = {"prior": f"{file}:Wide", "channel": f"{file}:Careless:0.2", "teacher_channel": f"{file}:Careless"}
        return Spec([StrategySpec("agnostic")], [60], [3.0], [0.3], [6], 2, **options).tasks()

    assert run_tasks(wanted("deep/mine.py"), tmp_path / "here", scheduler=two_workers).failed == 0
    with elsewhere("--nthreads", "1", "--no-nanny") as dask:
        assert run_tasks(wanted("./deep/mine.py"), tmp_path / "there", scheduler=dask.address).ran == 2
    assert parts(tmp_path / "here") == parts(tmp_path / "there")
    frame = read_rows(tmp_path / "here")
    assert set(frame["prior"]) == set(frame["teacher_prior"]) == {"mine.py:Wide"}
    assert set(frame["channel"]) == {"mine.py:Careless:0.2"}
    assert set(frame["teacher_channel"]) == {"mine.py:Careless"}
    registered = Spec([StrategySpec("agnostic")], [60], [3.0], [0.3], [6], 2, prior="gaussian:4", channel="flip:0.2",
                      teacher_channel="flip:0.1")  # fmt: skip
    answers = [execute(task)["rounds"][-1]["log_volume"] for task in registered.tasks()]
    last = frame.groupby("seed")["log_volume"].last().tolist()
    assert last == pytest.approx(answers, abs=1e-5)

    file.write_text(f'"""My models."""\n{MODELS}  # done')
    assert run_tasks(wanted(str(file)), tmp_path / "here", scheduler=two_workers).ran == 0
    file.write_text(MODELS.replace("4.0", "9.0"))
    assert run_tasks(wanted(str(file)), tmp_path / "here", scheduler=two_workers).ran == 2
    assert read_rows(tmp_path / "here").groupby("code")["log_volume"].sum().nunique() == 2


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({"prior": "nowhere.py:Mine"}, "there is no file"),
        ({"prior": "mine.py:Narrow"}, "there is no Narrow"),
        ({"prior": "mine.py:Careless"}, "it lacks"),
        ({"teacher_channel": "mine.py:Wide"}, "it lacks"),
        ({"channel": "mine.py:Careless:0.7"}, "0.5"),
    ],
)
def test_models_that_cannot_be_made_are_told_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: dict[str, str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MODELS)
    wanted = Spec([StrategySpec("random")], [60], [3.0], [0.3], [6], 1, **models).tasks()
    with pytest.raises(InvalidInputError, match=message):
        run_tasks(wanted, tmp_path / "out", scheduler="tcp://nobody:1")
    assert not (tmp_path / "out").exists()


def test_rows_say_what_made_them(tmp_path: Path, two_workers: str) -> None:
    (tmp_path / "fails.py").write_text("def fails(view): raise KeyError('not today')")
    run_tasks(tasks("random", f"{tmp_path}/fails.py:fails", seeds=1), tmp_path / "out", scheduler=two_workers)
    frame = read_results(tmp_path / "out")
    assert set(frame["status"]) == {"converged", "failed"}
    versions = frame[["gardner", "numpy", "numba"]].drop_duplicates().to_numpy().tolist()
    assert versions == [[gardner.__version__, np.__version__, numba.__version__]]


class Dying:
    """Something whose destructor runs when Ctrl-C comes."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.fixture
def _listening() -> Iterator[None]:
    """Whoever runs the tests in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_listening")
def test_an_interrupt_inside_a_destructor_still_stops(tmp_path: Path, two_workers: str) -> None:
    """Python drops what a destructor raises, with a traceback on stderr; the unraisable hook would
    fail this test.
    """
    before = signal.getsignal(signal.SIGINT)

    def interrupt(now: Progress) -> None:
        if now.done == 1:
            Dying()

    wanted = tasks("random", seeds=6)
    with pytest.raises(KeyboardInterrupt):
        run_tasks(wanted, tmp_path, scheduler=two_workers, progress=interrupt)
    assert len(Store(tmp_path).keys()) == 1
    assert signal.getsignal(signal.SIGINT) is before
    assert run_tasks(wanted, tmp_path, scheduler=two_workers).ran == 5
