"""Many tasks at once, on Dask: a cluster of this machine's cores, or a scheduler somewhere else.

    client ── scheduler ── worker ── child        (one child a worker thread)

A task travels as a few hundred bytes of JSON; the child draws the instance itself. The client writes every result the
moment it arrives, so killing anything at any time loses what is under way and nothing else, and running the same tasks
again goes on from there.

The body of a task runs in a *child* of the worker, a plain Python process that lives on from task to task. Dask runs
tasks in threads, and a thread cannot be stopped, least of all in compiled code that holds the interpreter lock; a
process can. A new process for each task would cost seconds of imports; this one costs a message each way. More: a
strategy that crashes takes its child along, not the worker; the worker answers its scheduler while the child computes;
threads of a worker share no interpreter lock, so a ``dask worker`` of many threads is as good as many workers; and a
child that has loaded other code than the client asks for is replaced. A child whose worker is gone sees its pipe end,
and goes too.
"""

from __future__ import annotations

import functools
import json
import logging
import math
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from multiprocessing import Pipe, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gardner.errors import GardnerError, InvalidInputError
from gardner.experiment.spec import StrategySpec, Task, code_version
from gardner.records import Store, failure_table, run_table

TIME_LIMIT = 3600.0  # seconds a task may take; a sweep must not wait for ever for one that hangs
ATTEMPTS = 3  # for a task whose process dies: it may be the task's fault, or somebody else's
_PATIENCE = 30.0  # seconds for a scheduler to answer and to have a worker
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")

Items = dict[str, tuple[Task, str]]  # tasks with the version of their code, by key
Answer = dict[str, Any]  # "rounds", "informed" and "timings"; or "reason" and "hint"; or "version" of other code


class SweepError(GardnerError):
    """The machinery failed, not a task: what is finished is kept."""


@dataclass(frozen=True)
class Progress:
    """Where a sweep stands. ``rate`` is in tasks a second; ``seconds_left`` is unknown (NaN) before the first."""

    done: int
    total: int
    failed: int
    rate: float = 0.0
    seconds_left: float = math.nan


@dataclass(frozen=True)
class Outcome:
    """The tasks asked for, how many of them were run now, and how many are in the folder as failed."""

    keys: tuple[str, ...]
    ran: int
    failed: int


def run_tasks(
    tasks: Iterable[Task],
    folder: Path | str,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    time_limit: float | None = TIME_LIMIT,
    retry_failed: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Outcome:
    """Run what is not in the folder yet; on Ctrl-C stop at once, everything finished kept.

    Scripts that call this need the usual ``if __name__ == "__main__":``, because local workers import them.
    """
    if time_limit is not None and not 0.0 < time_limit < math.inf:
        raise InvalidInputError("time limit", time_limit, "it must be positive", hint="seconds a task")
    wanted = _keyed(tasks)
    store = Store(folder)
    with store.writing():
        failed = {key for key in wanted if store.failed(key)}
        redo = failed if retry_failed else set()
        left = {key: item for key, item in wanted.items() if key in redo or not store.has(key)}
        state = Progress(len(wanted) - len(left), len(wanted), len(failed - redo))
        progress(state)
        if left:
            with _client(workers, scheduler, len(left)) as client:
                begin = time.monotonic()
                for count, (key, answer) in enumerate(_answers(client, left, time_limit), 1):
                    _write(store, left[key], answer)
                    rate = count / (time.monotonic() - begin)
                    state = Progress(state.done + 1, state.total, state.failed + ("reason" in answer), rate)
                    state = replace(state, seconds_left=(state.total - state.done) / rate)
                    progress(state)
    return Outcome(tuple(wanted), len(left), state.failed)


def _keyed(tasks: Iterable[Task]) -> Items:
    """Tasks by key; a strategy that cannot be made is an error before anything starts."""
    from gardner.strategies.external import make_strategy

    version = functools.cache(code_version)
    made: list[StrategySpec] = []
    result: Items = {}
    for task in tasks:
        if task.strategy not in made:
            make_strategy(task.strategy.name, dict(task.strategy.parameters))
            made.append(task.strategy)
        code = version(task.strategy.name)
        result[task.key(code)] = (task, code)
    return result


def _write(store: Store, item: tuple[Task, str], answer: Answer) -> None:
    task, code = item
    columns = {**task.columns(code), "informed": answer.get("informed")}
    failed = "reason" in answer
    table = failure_table(columns, answer["reason"], answer["hint"]) if failed else run_table(columns, answer["rounds"])
    store.write(columns["key"], table, answer.get("timings"))


# --- the client's side: a cluster, and what comes back from it


@contextmanager
def local_cluster(workers: int) -> Iterator[str]:
    """A scheduler and single-threaded workers on this machine, reachable from it only; gives the address."""
    import dask
    import distributed

    door: Any = distributed  # it has no types
    if workers < 1:
        raise InvalidInputError("workers", workers, "it must be at least 1")
    options: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1"}
    options |= {"memory_limit": None, "silence_logs": logging.CRITICAL}
    # no dashboard; its server starts all the same, and must not claim a port that two sweeps would fight for
    options |= {"scheduler_kwargs": {"dashboard": False, "dashboard_address": "127.0.0.1:0"}}
    settings: dict[str, Any] = {"distributed.scheduler.allowed-failures": ATTEMPTS - 1}
    # by default a cluster gives up a worker that happens to be away 15 s after it died once, be it for the second time
    settings |= {"distributed.deploy.lost-worker-timeout": "1000 days"}
    # workers only wait for their children: nothing to profile a hundred times a second, on cores the children need
    settings |= {"distributed.worker.profile.enabled": False}
    with dask.config.set(settings), ExitStack() as stack:
        try:
            with _interrupts_held_back():
                cluster = stack.enter_context(door.LocalCluster(**options))
        except (OSError, RuntimeError) as error:
            told = " ".join(str(error).split())
            raise SweepError(
                f"no workers could be started here ({told})", hint="is memory left? --workers 1?"
            ) from None
        yield str(cluster.scheduler_address)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Let processes start in peace, and keep Ctrl-C from them for good: it is the client's to answer.

    A terminal sends it to all processes at once. Threads and processes inherit the mask of the thread that makes them.
    """
    resource_tracker.ensure_running()  # which unblocks signals when it starts: not later, in a thread of Dask's
    held: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, lambda number, _: held.append(number)) if main else None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if main:
            signal.signal(signal.SIGINT, before)
    if held:
        raise KeyboardInterrupt


@contextmanager
def _client(workers: int | None, scheduler: str | None, tasks: int) -> Iterator[Any]:
    """A client of the scheduler named, or of a cluster made for it."""
    if scheduler is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        count = min(cores if workers is None else workers, tasks)
        with local_cluster(count) as address, _client(None, address, tasks) as client:
            yield client
        return
    client = _connect(scheduler)
    try:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            hint = f"start some: dask worker {scheduler}"
            raise SweepError(f"the scheduler at {scheduler} has no workers", hint=hint) from None
        yield client
    finally:
        client.close(timeout=2.0)


def _connect(scheduler: str) -> Any:
    import distributed

    door: Any = distributed
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is told here, on one line
    try:
        return door.Client(scheduler, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        told = f"no scheduler answers at {scheduler} ({error})"
        raise SweepError(told, hint="is it running? an address is tcp://HOST:PORT") from None


def _answers(client: Any, items: Items, time_limit: float | None) -> Iterator[tuple[str, Answer]]:
    """Answers as they come. Dask blames a lost worker on all tasks it held: suspects get a second chance, alone."""
    suspects: Items = {}
    for key, answer in _arriving(client, items, time_limit, "gardner"):
        if answer is None:
            suspects[key] = items[key]
        else:
            yield key, answer
    for key, item in suspects.items():
        for _, answer in _arriving(client, {key: item}, time_limit, "gardner-alone"):
            hint = "it may need more memory than there is, or its strategy kills processes"
            yield key, answer or {"reason": "KilledWorker: workers died while they ran it, alone too", "hint": hint}


def _arriving(client: Any, items: Items, time_limit: float | None, prefix: str) -> Iterator[tuple[str, Answer | None]]:
    """Answers, None where workers died of it; what is no task's fault is raised."""
    import distributed

    door: Any = distributed
    orders = [_order(task, code, time_limit) for task, code in items.values()]
    futures = client.map(on_worker, orders, key=[f"{prefix}-{key}" for key in items], pure=False)
    arriving = door.as_completed(futures, loop=client.loop, with_results=True, raise_errors=False)
    del futures  # an answer written is an answer forgotten
    for future, result in arriving:
        key = future.key.removeprefix(f"{prefix}-")
        if future.status == "finished":
            answer = json.loads(result)
            if "version" in answer:
                told = f"a worker has other sources of Gardner or of {items[key][0].strategy.name} than this process"
                raise SweepError(told, hint="were they edited just now? run it again; else bring the same ones there")
            yield key, answer
        elif future.status != "error":
            hint = "everything finished is kept; the same command goes on from there"
            raise SweepError("the connection to the scheduler was lost", hint=hint)
        elif isinstance(result[1], door.KilledWorker):
            yield key, None
        else:
            told = " ".join(f"{type(result[1]).__name__}: {result[1]}".split())
            raise SweepError(f"the workers cannot run tasks ({told})", hint="is the same Gardner installed there?")


def _order(task: Task, code: str, time_limit: float | None) -> str:
    from gardner.strategies.external import source_of

    file, _, attribute = task.strategy.name.rpartition(":")
    if file.endswith(".py"):  # workers may run in another folder
        name = f"{source_of(task.strategy.name)}:{attribute}"
        task = replace(task, strategy=StrategySpec(name, task.strategy.parameters))
    return json.dumps({"task": task.to_json(), "strategy": task.strategy.name, "code": code, "time_limit": time_limit})


# --- the worker's side: a child a thread, killed when its time is up

_own = threading.local()


def on_worker(order: str) -> str:
    """Have the child of this thread run a task; replace it if it dies, hangs, or has loaded other code."""
    answer, given_up = "", False
    for _ in range(ATTEMPTS):
        child: _Child = getattr(_own, "child", None) or _Child()
        _own.child, fresh = child, not child.used
        answer, given_up = child.ask(order, json.loads(order)["time_limit"])
        if answer and (fresh or not answer.startswith('{"version"')):
            return answer
        _own.child = None
        code = child.stop()
        told = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        hint = "a crash in compiled code, or too little memory"
        answer = json.dumps({"reason": f"ProcessDied: {ATTEMPTS} times, {told}", "hint": hint})
        if given_up:
            hint = "it hangs, or the limit is too short for its size"
            reason = f"TimeLimit: not finished after {json.loads(order)['time_limit']:g} s"
            return json.dumps({"reason": reason, "hint": hint})
    return answer


class _Child:
    """A process that runs one task after another."""

    def __init__(self) -> None:
        self.used = False
        self.pipe, theirs = Pipe()
        environment = {**os.environ, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        command = [sys.executable, "-c", f"from gardner.experiment.sweep import serve; serve({theirs.fileno()})"]
        options: dict[str, Any] = {"pass_fds": [theirs.fileno()], "stdin": subprocess.DEVNULL}
        options |= {"stdout": 2, "start_new_session": True}  # stdout and Ctrl-C are the client's
        self.process = subprocess.Popen(command, env=environment, **options)  # noqa: S603
        theirs.close()

    def ask(self, order: str, limit: float | None) -> tuple[str, bool]:
        """The answer, empty if there is none, and whether it was waited for in vain."""
        try:
            if not self.used:
                self.pipe.recv_bytes()  # it is ready: getting there does not count against the limit
            self.used = True
            self.pipe.send_bytes(order.encode())
            return (self.pipe.recv_bytes().decode(), False) if self._waited(limit) else ("", True)
        except (EOFError, OSError):
            if not self.used:
                raise RuntimeError("their processes do not start; a worker's log says why") from None
            return "", False

    def _waited(self, limit: float | None) -> bool:
        """Wait for the answer, but do not keep a worker that wants to close: the task is then another's."""
        import distributed

        door: Any = distributed
        deadline = math.inf if limit is None else time.monotonic() + limit
        while not self.pipe.poll(min(0.1, max(0.0, deadline - time.monotonic()))):
            if time.monotonic() >= deadline:
                return False
            if door.get_worker().status.name.startswith("clos"):
                self.stop()
                raise door.Reschedule
        return True

    def stop(self) -> int:
        self.process.kill()
        self.pipe.close()
        return self.process.wait()


# --- the child's side


def serve(descriptor: int) -> None:
    """Run tasks from a pipe until it ends."""
    pipe: Connection[Any, Any] = Connection(descriptor)
    orders: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        try:
            while True:
                orders.put(pipe.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)  # the worker is gone, and nobody waits for the task under way

    version = functools.cache(code_version)  # of what was loaded, whatever the disk holds later
    threading.Thread(target=listen, daemon=True).start()
    execute(Task(StrategySpec("random"), features=10, pool_ratio=3.0, budget=0.2, batch_size=1, seed=0))
    pipe.send_bytes(b"ready")  # imported and compiled: from now on time is the task's
    while True:
        order = json.loads(orders.get())
        try:
            same = version(order["strategy"]) == order["code"]
        except GardnerError:  # no such file here
            same = False
        answer = execute(Task.from_json(order["task"])) if same else {"version": "other"}
        pipe.send_bytes(json.dumps(answer).encode())


def execute(task: Task) -> Answer:
    """Run one task here and now; whatever goes wrong is the answer."""
    from gardner.experiment.loop import run
    from gardner.model import draw_instance
    from gardner.strategies.external import make_strategy

    begin = time.perf_counter()
    options: dict[str, Any] = {"budget": task.budget, "batch_size": task.batch_size, "seed": task.seed, "threads": 1}
    options |= {"variances": task.variances, "test_rows": task.test_rows}
    try:
        strategy = make_strategy(task.strategy.name, dict(task.strategy.parameters))
        curve = run(draw_instance(task.features, task.pool_ratio, task.seed, dtype=task.dtype), strategy, **options)
    except GardnerError as error:
        return {"reason": f"{type(error).__name__}: {error.what}", "hint": error.hint}
    except BaseException as error:  # sys.exit() in a strategy too
        last = traceback.extract_tb(error.__traceback__)[-1]
        told = " ".join(f"{type(error).__name__}: {error}".split())
        return {"reason": told, "hint": f"raised at {Path(last.filename).name}:{last.lineno}"}
    rounds = [asdict(one) for one in curve.rounds]
    seconds = {"seconds": time.perf_counter() - begin, "rounds": [asdict(one) for one in curve.seconds]}
    return {"informed": curve.informed, "rounds": rounds, "timings": seconds}
