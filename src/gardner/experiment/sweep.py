"""Many tasks at once, on Dask: a cluster of this machine's cores, or a scheduler somewhere else.

    client ── scheduler ── worker ── child        (one child a worker thread)

A task travels as a few hundred bytes of JSON; the child draws the instance itself. The client writes every result the
moment it arrives, so killing anything at any time loses what is under way and nothing else, and running the same tasks
again goes on from there.

What happens at the worker's end is in :mod:`gardner.experiment.worker`.
"""

from __future__ import annotations

import functools
import json
import logging
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker
from pathlib import Path
from types import FrameType
from typing import Any

from gardner.errors import GardnerError, InvalidInputError
from gardner.experiment.spec import StrategySpec, Task, canonical, code_version
from gardner.experiment.worker import ATTEMPTS, Answer, on_worker
from gardner.records import Store, failure_table, run_table

TIME_LIMIT = 3600.0  # seconds a task may take; a sweep must not wait for ever for one that hangs
_PATIENCE = 30.0  # seconds for a scheduler to answer and to have a worker

Items = dict[str, tuple[Task, str]]  # tasks with the version of their code, by key


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
            with _interrupts_noted() as noted, _client(workers, scheduler, len(left)) as client:
                begin = time.monotonic()
                for count, (key, answer) in enumerate(_answers(client, left, time_limit), 1):
                    _write(store, left[key], answer)
                    rate = count / (time.monotonic() - begin)
                    state = Progress(state.done + 1, state.total, state.failed + ("reason" in answer), rate)
                    state = replace(state, seconds_left=(state.total - state.done) / rate)
                    progress(state)
                    if noted.is_set():
                        raise KeyboardInterrupt
    return Outcome(tuple(wanted), len(left), state.failed)


def _keyed(tasks: Iterable[Task]) -> Items:
    """Tasks by key; a strategy that cannot be made is an error before anything starts."""
    from gardner.strategies.external import make_strategy

    version = functools.cache(code_version)
    made: set[tuple[str, str]] = set()
    result: Items = {}
    for task in tasks:
        if (task.strategy.name, canonical(task.strategy.parameters)) not in made:
            make_strategy(task.strategy.name, dict(task.strategy.parameters))
            made.add((task.strategy.name, canonical(task.strategy.parameters)))
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
    settings |= {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "500ms"}
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
def _interrupts_noted() -> Iterator[threading.Event]:
    """Ctrl-C as ever, except while a destructor runs: Python would swallow it, so it is noted for the next answer."""
    noted = threading.Event()
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    if not main or before is not signal.default_int_handler:
        yield noted
        return

    def note(_: int, frame: FrameType | None) -> None:
        noted.set()
        while frame is not None:
            if frame.f_code.co_name == "__del__":
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


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
        door.comm.resolve_address(scheduler)  # a client asks again and again, also where there is nobody to ask
    except (OSError, ValueError) as error:
        raise InvalidInputError("scheduler", scheduler, str(error), hint="an address is tcp://HOST:PORT") from None
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
