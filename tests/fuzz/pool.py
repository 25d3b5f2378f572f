"""Workers that run cases, watched: one that hangs is killed, one that dies is replaced."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import Pipe
from typing import Any

from tests.fuzz.case import Case
from tests.fuzz.clock import Clock
from tests.fuzz.execute import LIMIT, ROOT

_MOST_MEMORY = 3 * 2**20  # KiB, after which a worker is replaced
_START = 120.0  # seconds a worker may take to start


@dataclass(frozen=True)
class CaseResult:
    """What became of a case; ``wrong`` has what broke, by rule, and is empty for a case that held."""

    case: Case
    code: int | None
    out: str
    err: str
    seconds: float
    wrong: dict[str, str]
    work: float = 0.0  # seconds of a processor

    def __str__(self) -> str:
        """Rules, the command and the end of what it complained about."""
        rules = "; ".join(f"{name}: {told}" for name, told in self.wrong.items())
        return f"{self.case}\n    {rules}\n    {' | '.join(self.err.strip().splitlines()[-3:])}"


class Worker:
    """One process that runs cases."""

    def __init__(self) -> None:
        """Start it."""
        self.pipe, theirs = Pipe()
        self.log, self.said = tempfile.TemporaryFile(), ""  # noqa: SIM115 - closed by stop
        path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        env = {**os.environ, "PYTHONPATH": path, "COLUMNS": "140"}
        self.process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "tests.fuzz.worker", str(theirs.fileno())],
            cwd=ROOT, env=env, pass_fds=[theirs.fileno()], start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
        )  # fmt: skip
        theirs.close()
        try:
            ready = self.pipe.poll(_START) and self.pipe.recv_bytes() == b"ready"
        except EOFError:
            ready = False
        if not ready:
            self.stop()
            raise RuntimeError(f"no worker could be started: {self.said}")

    def ask(self, case: Case, limit: float = LIMIT) -> CaseResult:
        """Run a case; the process is gone if the case hung or killed it."""
        begin = time.monotonic()
        self.pipe.send_bytes(json.dumps(case.to_record()).encode())
        grace = 10.0 * limit if case.process else limit  # a process is stopped by the worker itself
        try:
            if not self._answers(grace):
                self.stop()
                wrong = {"in_time": f"still running after {limit:g} s"}
                return CaseResult(case, None, "", self.said, time.monotonic() - begin, wrong)
            told: dict[str, Any] = json.loads(self.pipe.recv_bytes())
        except (EOFError, OSError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5.0)  # its own exit code tells more than our signal's
            code = self.stop()
            wrong = {"known_exit_code": f"the process died: exit code {code}"}
            return CaseResult(case, code, "", self.said, time.monotonic() - begin, wrong)
        if told.pop("memory") > _MOST_MEMORY:
            self.stop()
        return CaseResult(case, **told)

    @property
    def alive(self) -> bool:
        """Whether it can be asked again."""
        return not self.pipe.closed

    def stop(self) -> int:
        """Kill it and whatever it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        code = self.process.wait()
        if self.alive:
            self.pipe.close()
            self.log.seek(0)
            self.said = self.log.read().decode(errors="replace")[-4000:]
            self.log.close()
        return code

    def _answers(self, limit: float) -> bool:
        clock = Clock(self.process.pid)
        while clock.read() < limit:
            if self.pipe.poll(0.5):
                return True
        return False


def run_cases(
    cases: Sequence[Case], workers: int, tell: Callable[[CaseResult], None] = lambda _: None
) -> list[CaseResult]:
    """Every case's result, in the order of the cases; ``tell`` hears of each as it comes."""
    results: dict[int, CaseResult] = {}
    left = iter(enumerate(cases))
    lock = threading.Lock()

    def work() -> None:
        with _kept() as ask:
            for index, case in _drawn(left, lock):
                result = ask(case)
                with lock:
                    results[index] = result
                    tell(result)

    with ThreadPoolExecutor(workers) as executor:
        for done in [executor.submit(work) for _ in range(workers)]:
            done.result()
    return [results[index] for index in range(len(cases))]


def _drawn(left: Iterator[tuple[int, Case]], lock: Any) -> Iterable[tuple[int, Case]]:
    while True:
        with lock:
            item = next(left, None)
        if item is None:
            return
        yield item


@contextlib.contextmanager
def _kept() -> Iterator[Callable[[Case], CaseResult]]:
    """A worker that is replaced when it is gone."""
    worker: Worker | None = None

    def ask(case: Case) -> CaseResult:
        nonlocal worker
        if worker is None or not worker.alive:
            worker = Worker()
        return worker.ask(case)

    try:
        yield ask
    finally:
        if worker is not None and worker.alive:
            worker.stop()
