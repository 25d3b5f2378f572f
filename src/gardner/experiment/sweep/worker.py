"""Where a task of a sweep runs: a worker of Dask, and the child process that works for it.

The body of a task runs in a *child* of the worker, a plain Python process that lives on from task
to task. Dask runs tasks in threads, and a thread cannot be stopped, least of all in compiled code
that holds the interpreter lock; a process can. A new process for each task would cost seconds of
imports; this one costs a message each way. More: a strategy that crashes takes its child along, not
the worker; the worker answers its scheduler while the child computes; threads of a worker share no
interpreter lock, so a ``dask worker`` of many threads is as good as many workers; and a child that
has loaded other code than the client asks for is replaced. A child whose worker is gone sees its
pipe end, and goes too.

A time limit is one of the child's processor time, so that other work on the machine makes no task
fail. A task that waits for something has ten times as long by the clock. One that cannot come to an
end in time is not waited for (:mod:`gardner.experiment.loop.pace`).
"""

from __future__ import annotations

import functools
import json
import math
import threading
import time
from typing import Any

from gardner.errors import GardnerError
from gardner.experiment.loop.task import execute
from gardner.experiment.question.task import StrategySpec, Task
from gardner.experiment.stored.sources import code_version, names_in
from gardner.processes import Child, Parent

# Seconds for a child to import and compile; it takes five, on a busy machine thirty.
START_LIMIT = 300.0
# Seconds of nothing before a word is said: long for who looks on, and longer than a usual start.
WORD = 10.0
# Times the limit that a task may take by the clock: beside nine other processes on a core it still
# has all of its time.
PATIENCE = 10.0
# Times that a task is tried whose process dies: it may be the task's fault, or somebody else's.
ATTEMPTS = 3

# --- in the worker

_own = threading.local()


def on_worker(order: str) -> str:
    """Have the child of this thread run a task; replace it if it dies, hangs, or has loaded other
    code.
    """
    answer, given_up = "", ""
    for _ in range(ATTEMPTS):
        child: _Child = getattr(_own, "child", None) or _Child()
        _own.child, fresh = child, not child.used
        try:
            answer, given_up = child.ask(order, json.loads(order)["time_limit"])
        except BaseException:  # no fault of the task
            _own.child = None
            child.stop()
            raise
        if answer and (fresh or not answer.startswith('{"version"')):
            return answer
        _own.child = None
        code = child.stop() or 0
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        hint = "a crash in compiled code, or too little memory"
        answer = json.dumps({"reason": f"ProcessDied: {ATTEMPTS} times, {how}", "hint": hint})
        if given_up:
            hint = "it hangs, or the limit is too short for its size"
            return json.dumps({"reason": f"TimeLimit: not finished after {given_up}", "hint": hint})
    return answer


class _Child(Child):
    """A process that runs one task after another; it ends with the worker's thread."""

    def __init__(self) -> None:
        super().__init__(__name__, stdout=2)  # what the worker prints is the client's answer
        self.used = False

    def ask(self, order: str, limit: float | None) -> tuple[str, str]:
        """The answer, empty if there is none, and how long it was waited for in vain, in words."""
        try:
            if not self.used:  # getting ready does not count against the limit
                if self._waited(START_LIMIT, math.inf, "a worker's process has not started for"):
                    raise RuntimeError(f"their processes do not start within {START_LIMIT:g} s")
                self.pipe.recv_bytes()
            self.used = True
            self.pipe.send_bytes(order.encode())
            limit = math.inf if limit is None else limit
            late = self._waited(PATIENCE * limit, self._used_up() + limit)
            if late:
                return "", f"{limit:g} s of the processor" if late == "computing" else f"{PATIENCE * limit:g} s"
            return self.pipe.recv_bytes().decode(), ""
        except (EOFError, OSError):
            if not self.used:
                raise RuntimeError("their processes do not start; a worker's log says why") from None
            return "", ""

    def _used_up(self) -> float:
        """Seconds of the processor that the child has taken so far; none are counted of one that is
        gone.
        """
        import psutil  # type: ignore[import-untyped]

        try:
            times = psutil.Process(self.process.pid).cpu_times()
        except psutil.Error:
            return 0.0
        return float(times.user + times.system)

    def _waited(self, limit: float, computing: float, word: str = "") -> str:
        """Wait for the answer; nothing is said if it comes, otherwise which limit it passed.

        ``limit`` is by the clock, ``computing`` of the child's processor time in all. A worker that
        wants to close is not kept: the task is then another's.
        """
        import distributed

        untyped: Any = distributed
        begin, silent = time.monotonic(), bool(word)
        deadline = begin + limit
        while not self.pipe.poll(min(0.5, max(0.0, deadline - time.monotonic()))):
            if time.monotonic() >= deadline:
                return "waiting"
            if computing < math.inf and self._used_up() >= computing:
                return "computing"
            if silent and time.monotonic() - begin > WORD:
                silent = False
                untyped.get_worker().log_event("gardner", f"{word} {WORD:g} s; it has {limit:g} s")
            if untyped.get_worker().status.name.startswith("clos"):
                raise untyped.Reschedule
        return ""


# --- in the child


def serve(descriptor: int) -> None:
    """Run tasks for ever."""
    version = functools.cache(code_version)  # of what was loaded, whatever the disk holds later
    parent = Parent(descriptor)
    execute(Task(StrategySpec("random"), features=10, pool_ratio=3.0, budget=0.2, batch_size=1, seed=0))
    parent.answer(b"ready")  # imported and compiled: from now on time is the task's
    while True:
        order = json.loads(parent.question())
        task = Task.from_json(order["task"])
        try:
            same = version(names_in(task)) == order["code"]
        except GardnerError:  # no such file here
            same = False
        found = execute(task, order["time_limit"]) if same else {"version": "other"}
        parent.answer(json.dumps(found).encode())
