"""Ctrl-C at random moments of every command: the process ends soon, with one line and exit code
130.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil  # type: ignore[import-untyped]
import pytest

from gardner.experiment.loop.task import execute
from gardner.experiment.question.task import StrategySpec, Task
from gardner.experiment.stored.rows import read_rows, run_table
from gardner.experiment.stored.sources import code_version, names_in
from gardner.records import Store

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="threads are counted in Linux' /proc")

LIMIT = 3.0  # seconds from the signal to the end
AT_ONCE = 0.3  # a command that is done so soon after the signal had done its work before
# whoever runs these tests in the background ignores Ctrl-C, and a child would too
LISTEN = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
# each with the seconds over which moments are spread
COMMANDS = {
    "models --json": 0.3,
    "strategies": 0.3,
    "bounds -a 3 -n 0.6": 0.8,
    "bounds -a 3 -n 0.1:2.9:0.1 --channel flip:0.05": 8.0,
    "budget -a 3 --accuracy 0.8": 2.0,
    "curve -a 3 -n 0.6 --points 20 -o {out}/curve.svg": 3.0,
    "volume --rows {here}/pool.npz:F --labels {here}/pool.npz:y --method mc --stderr 1e-4": 4.0,
    "query {here}/pool.csv --label y": 2.0,
    "results {here}/results": 2.0,
    "report {here}/results -o {out}/page.html": 5.0,
    "bench agnostic random -N 60 -a 3 -n 1 -k 2 -s 40 -o {out}/results": 8.0,
    "reproduce scaling --out {out}": 4.0,
}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows with labels, a table to ask about, and results."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((60, 40))
    labels = np.sign(rows @ rng.standard_normal(40))
    np.savez(folder / "pool.npz", F=rows, y=labels)
    lines = [",".join([*map(str, row), str(label)]) for row, label in zip(rows, labels, strict=True)]
    names = ",".join([*(f"x{index}" for index in range(40)), "y"])
    (folder / "pool.csv").write_text(
        "\n".join([names, *lines[:30], *(one.rpartition(",")[0] + "," for one in lines[30:])])
    )
    store = Store(folder / "results")
    with store.writing():
        for seed in range(2):
            task = Task(StrategySpec("random"), 20, 3.0, 1.0, 4, seed)
            columns = task.columns(code_version(names_in(task)))
            store.write(columns["key"], run_table({**columns, "informed": False}, execute(task)["rounds"]))
    return folder


def interrupted(command: str, moment: float) -> tuple[int, str, float] | None:
    """Press Ctrl-C so many seconds after the first lines of ours: exit code, standard error,
    seconds to the end.

    The first lines are over when a thread of ours is there to be woken. Nothing if the command is
    faster than that.
    """
    whole = [sys.executable, "-c", LISTEN, sys.executable, "-m", "gardner", *command.split()]
    pipe = subprocess.PIPE
    with subprocess.Popen(whole, stdout=subprocess.DEVNULL, stderr=pipe, text=True, start_new_session=True) as process:  # noqa: S603
        while process.poll() is None and _threads(process.pid) < 2:
            time.sleep(0.002)
        time.sleep(moment)
        if process.poll() is not None:
            return None
        family = _family(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        begin = time.monotonic()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        seconds = time.monotonic() - begin
        _, said = process.communicate()  # a worker of it may be there for a moment longer
    if process.returncode == 0 and seconds < AT_ONCE:
        return None
    deadline = time.monotonic() + 30.0
    while any(one.is_running() for one in family):
        assert time.monotonic() < deadline, "its workers live on"
        time.sleep(0.05)
    return process.returncode, said, seconds


def _family(number: int) -> Any:
    try:
        return psutil.Process(number).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _threads(number: int) -> int:
    try:
        lines = Path(f"/proc/{number}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Threads:")), 0)


def check(command: str, here: Path, out: Path, moment: float) -> None:
    """Interrupt a command, earlier if it was over before; then look at what it said and left."""
    tries = (interrupted(command.format(here=here, out=out), moment / 2.0**turn) for turn in range(10))
    ended = next((one for one in tries if one is not None), None)
    assert ended is not None, "no thread waits for Ctrl-C"
    code, said, seconds = ended
    assert (code, len(said.splitlines()), said.startswith("interrupted")) == (130, 1, True), said
    assert seconds < LIMIT
    left = [path for path in out.rglob("*") if path.name.startswith((".part-", ".writing-"))]
    assert not left
    for page in out.glob("*.html"):
        assert page.read_text().rstrip().endswith("</html>")
    if (out / "results" / "parts").is_dir():
        read_rows(out / "results")


OURS = "import os, signal, time; from gardner.cli import interrupt; interrupt.take_over()"
PRESS = "os.kill(os.getpid(), signal.SIGINT)"
PLACES = {
    "an exception would be seen": f"""
try:
    {PRESS}
    time.sleep(20)
except BaseException:
    print("raised")  # in C++ this is the end of the process: JAX aborts when it is interrupted while it is imported
""",
    "a destructor": f"""
class Last:
    def __del__(self):
        {PRESS}
        time.sleep(20)
Last()
time.sleep(20)
""",
    "compiled code": f"""
import re, threading
threading.Timer(0.2, lambda: {PRESS}).start()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
signal.signal(signal.SIGINT, lambda *_: None)  # as if the main thread never came to it
time.sleep(20)
""",
    "a thread that does not end": f"""
import threading
threading.Thread(target=time.sleep, args=(20,)).start()
interrupt.finished(0)
{PRESS}
""",
    "what the command would add fails": f"""
with interrupt.hint_on_interrupt(lambda: 1 / 0):
    {PRESS}
    time.sleep(20)
""",
}


@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_raised_and_nothing_is_waited_for(place: str) -> None:
    script = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n{OURS}\n{PLACES[place]}"
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)  # noqa: S603
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
    assert time.monotonic() - begin < 15.0  # each would wait for 20 s


@pytest.mark.parametrize("command", ["models --json", "bounds -a 3 -n 0.6", "query {here}/pool.csv --label y"])
def test_ctrl_c_at_three_moments(command: str, here: Path, tmp_path: Path) -> None:
    for moment in (0.0, 0.1, 0.8 * COMMANDS[command]):
        check(command, here, tmp_path, moment)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_at_random_moments(command: str, here: Path, tmp_path: Path) -> None:
    """Twelve commands, 17 moments each."""
    rng = np.random.default_rng(list(COMMANDS).index(command))
    for turn in range(17):
        out = tmp_path / str(turn)
        out.mkdir()
        check(command, here, out, float(rng.uniform(0.0, COMMANDS[command])))
