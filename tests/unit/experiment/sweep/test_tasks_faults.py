"""Things go wrong for real: processes are killed, strategies misbehave, schedulers go away.

In all cases nothing is lost, nothing is there twice, the reason can be read, and the parts are in
the end those of an undisturbed run, byte for byte.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import psutil  # type: ignore[import-untyped]
import pytest
from tests.sweeps import parts, tasks

from gardner.experiment.question.task import StrategySpec
from gardner.experiment.stored.rows import read_rows
from gardner.experiment.sweep.tasks import run_tasks
from gardner.records import FAILED, Store

# The strategies of these tests. Waiting tells its process and sleeps, the first time it is asked;
# later it does not.
STRATEGIES = """
import os, sys, time
from dataclasses import dataclass
from pathlib import Path
import numpy as np
from gardner.strategies import Choice

def first(view, count=None):
    return view.unlabelled[: view.batch_size if count is None else count]

class Raises:
    informed = False
    def query(self, view): return {}["missing"]

class Knows(Raises):
    informed = True

class Paints(Raises):
    def query(self, view): raise ValueError("\\x1b[31mred\\ud800")

class Exits(Raises):
    def query(self, view): sys.exit(3)

class Hangs(Raises):
    def query(self, view): time.sleep(600)

class Computes(Raises):
    def query(self, view):
        while True: pass

class Crashes(Raises):
    def query(self, view): os.kill(os.getpid(), 11)

class KillsItsWorker(Raises):
    def query(self, view): os.kill(os.getppid(), 9); time.sleep(600)

class Repeats(Raises):
    def query(self, view): return Choice(np.repeat(first(view, 1), view.batch_size))

class Labelled(Raises):
    def query(self, view): return Choice(np.append(first(view)[1:], view.queried[0]))

class OutOfRange(Raises):
    def query(self, view): return Choice(np.append(first(view)[1:], len(view.pool)))

class TooFew(Raises):
    def query(self, view): return Choice(first(view)[1:])

class Floats(Raises):
    def query(self, view): return Choice(first(view) + 0.5)

class Nothing(Raises):
    def query(self, view): return None

class Peeks(Raises):
    def query(self, view): return Choice(view.unlabelled[view.hidden_labels[view.unlabelled] > 0][: view.batch_size])

@dataclass
class Waiting:
    flag: str = ""
    seconds: float = 0.0
    informed = False
    def query(self, view):
        time.sleep(self.seconds)
        if self.flag and not Path(self.flag).exists():
            Path(self.flag).write_text(f"{os.getppid()} {os.getpid()}")
            time.sleep(600)
        return Choice(view.rng.choice(view.unlabelled, view.batch_size, replace=False))
"""

BROKEN = {
    "Raises": "KeyError: 'missing'",
    "Knows": "KeyError: 'missing'",
    "Paints": "ValueError: [31mred",
    "Exits": "SystemExit: 3",
    "Hangs": "TimeLimit: not finished after 10 s",
    "Computes": "TimeLimit: not finished after 1 s of the processor",
    "Crashes": "ProcessDied: 3 times, by signal 11",
    "Repeats": "StrategyError: Repeats returned a row twice",
    "Labelled": "which is labelled",
    "OutOfRange": "StrategyError: OutOfRange returned a row outside the pool",
    "TooFew": "StrategyError: TooFew returned 5 rows",
    "Floats": "StrategyError: Floats returned float64 of shape (6,)",
    "Nothing": "StrategyError: Nothing.query returned NoneType",
    "Peeks": "StrategyError: this strategy reads labels that nobody asked for yet",
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("strategies") / "faulty.py"
    path.write_text(STRATEGIES)
    return path


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.002)


def test_a_strategy_that_misbehaves_is_a_row_with_the_reason(tmp_path: Path, file: Path, two_workers: str) -> None:
    wanted = tasks(*(StrategySpec(f"{file}:{name}") for name in BROKEN), StrategySpec("random"))
    outcome = run_tasks(wanted, tmp_path, scheduler=two_workers, time_limit=1.0)
    assert outcome.failed == len(BROKEN)
    frame = read_rows(tmp_path)
    failed = {row["strategy"]: row for row in frame[frame["status"] == FAILED].to_dict("records")}
    assert set(failed) == {f"faulty.py:{name}" for name in BROKEN}
    for name, reason in BROKEN.items():
        assert reason in failed[f"faulty.py:{name}"]["reason"]
        assert failed[f"faulty.py:{name}"]["hint"]
    assert failed["faulty.py:Knows"]["informed"]  # though nothing came of it
    assert failed["faulty.py:Raises"]["informed"] is False
    assert (frame["strategy"] == "random").sum() == 3
    children = [process for process in psutil.Process().children(recursive=True) if "serve(" in str(process.cmdline())]
    assert len(children) <= 2  # the one that hung is gone


@pytest.mark.slow
def test_a_task_that_kills_its_workers_fails_and_takes_nobody_along(tmp_path: Path, file: Path, elsewhere: Any) -> None:
    """On workers that Dask starts again."""
    wanted = tasks(StrategySpec(f"{file}:KillsItsWorker"), StrategySpec("random"), seeds=2)
    with elsewhere("--nthreads", "1") as dask:
        outcome = run_tasks(wanted, tmp_path, scheduler=dask.address)
    assert outcome.failed == 2
    frame = read_rows(tmp_path)
    assert frame.loc[frame["status"] == FAILED, "reason"].str.startswith("KilledWorker").all()
    assert frame.loc[frame["status"] != FAILED, "seed"].nunique() == 2


@pytest.mark.parametrize("victim", ["worker", "child"])
def test_kill_9_during_a_task(tmp_path: Path, file: Path, two_workers: str, elsewhere: Any, victim: str) -> None:
    """A worker elsewhere is started again by Dask; a child by its worker, here or there."""
    flag = tmp_path / "flag"
    wanted = tasks(StrategySpec(f"{file}:Waiting", {"flag": str(flag)}), StrategySpec("random"), seeds=2)

    def kill() -> None:
        wait_for(lambda: flag.exists() and " " in flag.read_text())
        os.kill(int(flag.read_text().split()[victim == "child"]), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with elsewhere("--nthreads", "1") if victim == "worker" else nullcontext() as dask:
        address = dask.address if dask else two_workers
        outcome = run_tasks(wanted, tmp_path / "disturbed", scheduler=address, time_limit=60.0)
    killer.join()
    assert (outcome.ran, outcome.failed) == (4, 0)
    run_tasks(wanted, tmp_path / "undisturbed", scheduler=two_workers)
    assert parts(tmp_path / "disturbed") == parts(tmp_path / "undisturbed")


def command(file: Path, out: Path) -> list[str]:
    sizes = ["--features=60", "--alpha=3", "--budget=0.3", "--batch=6", "--seeds=6", "--workers=2", f"--out={out}"]
    names = [f"{file}:Waiting", "random", f"--param={file}:Waiting.seconds=0.5"]
    return [sys.executable, "-m", "gardner", "bench", *names, *sizes]


def run_tasks_of(file: Path, out: Path, two_workers: str) -> int:
    strategies = StrategySpec(f"{file}:Waiting", {"seconds": 0.5}), StrategySpec("random")
    return run_tasks(tasks(*strategies, seeds=6), out, scheduler=two_workers).ran


# whoever runs these tests in the background ignores Ctrl-C, and a child would too
LISTEN = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"


def start(file: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    pipe, listening = subprocess.PIPE, [sys.executable, "-c", LISTEN, *command(file, out), *more]
    return subprocess.Popen(listening, stdout=pipe, stderr=pipe, text=True, start_new_session=True)  # noqa: S603


@pytest.mark.slow
def test_kill_9_of_the_whole_run_at_random_moments(tmp_path: Path, file: Path, two_workers: str) -> None:
    rng = np.random.default_rng(0)
    out, store = tmp_path / "killed", Store(tmp_path / "killed")
    for _ in range(2):
        there = len(store.keys())
        with start(file, out) as process:
            wait_for(lambda there=there: len(store.keys()) > there)  # type: ignore[misc]
            time.sleep(float(rng.uniform(0.0, 0.3)))
            family = psutil.Process(process.pid).children(recursive=True)
            process.kill()
        wait_for(lambda family=family: not any(one.is_running() for one in family), 20.0)  # type: ignore[misc]
        read_rows(store.folder)  # whatever is there is whole
    finished = parts(out)
    assert 2 <= len(finished) < 12
    assert run_tasks_of(file, out, two_workers) == 12 - len([name for name in finished if not name.startswith(".")])
    assert run_tasks_of(file, tmp_path / "undisturbed", two_workers) == 12
    assert parts(out) == parts(tmp_path / "undisturbed")


@pytest.mark.parametrize("moment", ["at work", pytest.param("starting", marks=pytest.mark.slow)])
def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(tmp_path: Path, file: Path, two_workers: str, moment: str) -> None:
    """As a terminal does it: every process of the group gets the signal."""
    out, store = tmp_path / "stopped", Store(tmp_path / "stopped")
    with start(file, out) as process:
        whole = psutil.Process(process.pid)
        wait_for(lambda: len(store.keys()) > 0 if moment == "at work" else len(whole.children()) > 0)
        family = whole.children(recursive=True)
        os.killpg(process.pid, signal.SIGINT)
        told, said = process.communicate(timeout=60)
    assert (process.returncode, told) == (130, ""), said
    done = len(store.keys())
    kept = f"{done} finished tasks are in {out}" if done else f"nothing is in {out} yet"
    assert said == f"interrupted: {kept}; the same command goes on from there\n"
    wait_for(lambda: not any(one.is_running() for one in family), 20.0)
    assert run_tasks_of(file, out, two_workers) == 12 - done


def test_a_scheduler_that_goes_away(tmp_path: Path, file: Path, two_workers: str, elsewhere: Any) -> None:
    """One line says so, whatever Dask would like to add."""
    out, store = tmp_path / "lost", Store(tmp_path / "lost")
    with elsewhere("--nthreads", "1", "--no-nanny") as dask, start(file, out, f"--scheduler={dask.address}") as process:
        wait_for(lambda: len(store.keys()) > 0)
        dask.processes["scheduler"].kill()
        told, said = process.communicate(timeout=60)
    kept = "everything finished is kept; the same command goes on from there"
    assert (process.returncode, told, said) == (2, "", f"error: the connection to the scheduler was lost; {kept}\n")
    finished = len(store.keys())
    assert 1 <= finished < 12
    assert run_tasks_of(file, out, two_workers) == 12 - finished
    run_tasks_of(file, tmp_path / "undisturbed", two_workers)
    assert parts(out) == parts(tmp_path / "undisturbed")
