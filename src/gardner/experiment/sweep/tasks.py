"""Many tasks at once, on Dask: on the cores of this machine, or with a scheduler somewhere else.

    client ── scheduler ── worker ── child        (one child a worker thread)

A task travels as a few hundred bytes of JSON; the child draws the instance itself. The client
writes every result the moment it arrives, so killing anything at any time loses what is under way
and nothing else, and running the same tasks again goes on from there.

Who the workers are is in :mod:`gardner.experiment.sweep.cluster`, what happens at their end is in
:mod:`gardner.experiment.sweep.worker`.
"""

from __future__ import annotations

import functools
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gardner.errors import InvalidInputError
from gardner.experiment.loop.task import Answer
from gardner.experiment.question.task import Task, canonical
from gardner.experiment.stored.rows import failure_table, run_table
from gardner.experiment.stored.sources import Name, code_version, external_names, names_in
from gardner.experiment.sweep.cluster import SweepError, Watch, connected, interrupts_noted
from gardner.experiment.sweep.worker import on_worker
from gardner.loading import full_name
from gardner.records import Store

# Seconds of the processor a task may take. A sweep must not wait for ever for one that hangs, and
# the longest of the paper's, a committee of 45 at N = 2000, takes minutes.
TIME_LIMIT = 3600.0

Items = dict[str, tuple[Task, str]]  # tasks with the version of their code, by key


@dataclass(frozen=True)
class Progress:
    """Where a sweep stands. ``rate`` is in tasks a second; ``seconds_left`` is unknown (NaN) before
    the first.
    """

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

    Without the address of a scheduler the tasks run on this machine, in as many processes as
    ``workers`` says.

    >>> import tempfile
    >>> from gardner.experiment import Spec, StrategySpec, read_results
    >>> spec = Spec([StrategySpec("random")], features=20, pool_ratio=3, budget=0.6, batch_size=4, seeds=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     outcome = run_tasks(spec.tasks(), folder, workers=1)
    ...     frame = read_results(folder)
    >>> outcome.ran, outcome.failed, frame.groupby("seed")["labels"].max().to_dict()
    (2, 0, {0: 12, 1: 12})
    """
    if time_limit is not None and not 0.0 < time_limit < math.inf:
        raise InvalidInputError("time limit", time_limit, "it must be positive", hint="seconds a task")
    wanted = _keyed(tasks)
    store = Store(folder)
    with store.writing():
        _check_data(store, [task for task, _ in wanted.values()])
        failed = {key for key in wanted if store.failed(key)}
        redo = failed if retry_failed else set()
        left = {key: item for key, item in wanted.items() if key in redo or not store.has(key)}
        state = Progress(len(wanted) - len(left), len(wanted), len(failed - redo))
        progress(state)
        if left:
            if workers is None and any(task.device == "cuda" for task, _ in left.values()):
                workers = 1  # they would share one GPU and its memory
            with interrupts_noted() as noted, connected(workers, scheduler, len(left)) as client:
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
    """Tasks by key; a strategy or a model that cannot be made is an error before anything starts."""
    version = functools.cache(code_version)
    made = functools.cache(_make)
    result: Items = {}
    for task in tasks:
        names = names_in(task)
        for name in names:
            made(name, canonical(task.strategy.parameters) if name[0] == "strategy" else "")
        code = version(names)
        result[task.key(code)] = (task, code)
    return result


def _check_data(store: Store, tasks: list[Task]) -> None:
    """Refuse a table that is another than the one of that name in the folder: it changed under a
    half-done sweep.
    """
    from gardner.experiment.question.labelled_table import split_name
    from gardner.experiment.stored.reading import read_results

    names = {split_name(task.shown.data)[0]: task.shown.data for task in tasks if task.data}
    if not names or not store.existing():
        return
    for stored in read_results(store.folder)["data"].unique():
        file, stamp = split_name(stored)
        if stamp and names.get(file, stored) != stored:
            hint = "put the old file back, or begin another folder"
            raise SweepError(f"{file} has changed since results of it were written to {store.folder}", hint=hint)


def _make(name: Name, parameters: str) -> None:
    """Make what a task names, to see that it can be made."""
    from gardner.model.external import load_channel, load_prior
    from gardner.strategies.external import make_strategy

    what, text = name
    if what == "strategy":
        make_strategy(text, json.loads(parameters))
    else:
        (load_prior if what == "prior" else load_channel)(text)


def _write(store: Store, item: tuple[Task, str], answer: Answer) -> None:
    task, code = item
    columns = {**task.columns(code), "informed": answer.get("informed"), **answer.get("versions", {})}
    failed = "reason" in answer
    table = failure_table(columns, answer["reason"], answer["hint"]) if failed else run_table(columns, answer["rounds"])
    store.write(columns["key"], table, answer.get("timings"))


# --- what comes back from the workers


def _answers(client: Any, items: Items, time_limit: float | None) -> Iterator[tuple[str, Answer]]:
    """Answers as they come. Dask blames a lost worker on all tasks it held: suspects get a second
    chance, alone.
    """
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

    untyped: Any = distributed
    orders = [_order(task, code, time_limit) for task, code in items.values()]
    futures = client.map(on_worker, orders, key=[f"{prefix}-{key}" for key in items], pure=False)
    arriving = untyped.as_completed(futures, loop=client.loop, with_results=True, raise_errors=False)
    del futures  # an answer written is an answer forgotten
    for future, result in _watched(client, arriving):
        key = future.key.removeprefix(f"{prefix}-")
        if future.status == "finished":
            answer = json.loads(result)
            if "changed" in answer:
                raise SweepError(answer["changed"], hint=answer["hint"])
            if "version" in answer:
                which = " or of ".join(["Gardner", *external_names(names_in(items[key][0]))])
                what = f"a worker has other sources of {which} than this process"
                raise SweepError(what, hint="were they edited just now? run it again; else bring the same ones there")
            yield key, answer
        elif future.status != "error":
            hint = "everything finished is kept; the same command goes on from there"
            raise SweepError("the connection to the scheduler was lost", hint=hint)
        elif isinstance(result[1], untyped.KilledWorker):
            yield key, None
        else:
            reason = " ".join(f"{type(result[1]).__name__}: {result[1]}".split())
            raise SweepError(f"the workers cannot run tasks ({reason})", hint="is the same Gardner installed there?")


def _watched(client: Any, arriving: Any) -> Iterator[Any]:
    """What arrives, with a look at the workers while nothing does."""
    watch = Watch(client)
    while not arriving.is_empty():
        yield from arriving.next_batch(block=False)
        if not arriving.has_ready():
            with arriving.thread_condition:
                arriving.thread_condition.wait(timeout=0.1)
            watch.look()


def _order(task: Task, code: str, time_limit: float | None) -> str:
    """A task for a worker, who may run in another folder: files have their whole paths."""
    task = task.renamed(full_name)
    return json.dumps({"task": task.to_json(), "code": code, "time_limit": time_limit})
