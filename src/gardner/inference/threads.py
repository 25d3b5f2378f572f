"""Threads: compiled kernels on all cores, tasks handed out one by one; and small matrices on one
core.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from threadpoolctl import threadpool_limits

from gardner.errors import InvalidInputError
from gardner.processes import cores


def thread_count(threads: int | None) -> int:
    """The number asked for, or one a core that this process may use."""
    if threads is None:
        return cores()
    if threads < 1 or threads != int(threads):
        raise InvalidInputError("threads", threads, "it must be a whole number of at least 1")
    return threads


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Linear algebra on one thread of the processor inside this block.

    Thousands of products of small matrices, as in a search that fits many models, are no faster
    with more threads: these wait for each other after each product, on a busy machine for most of
    the time.

    >>> from threadpoolctl import threadpool_info
    >>> with one_blas_thread():
    ...     [info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"][:1]
    [1]
    """
    with threadpool_limits(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=4)
def _workers(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="gardner")


if hasattr(os, "register_at_fork"):  # threads do not survive a fork: a child makes its own
    os.register_at_fork(after_in_child=_workers.cache_clear)

_here = threading.local()


def run_all(function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], threads: int) -> None:
    """Call the function with each task's arguments; which thread takes which task is left to
    chance.

    Tasks must not depend on each other, so that the result is the same whatever the number of
    threads. A task that itself asks for threads gets none: waiting for a place in its own pool it
    would wait forever.
    """
    tasks = list(tasks)
    threads = min(threads, len(tasks))
    if threads <= 1 or getattr(_here, "busy", False):
        for task in tasks:
            function(*task)
        return
    queue = iter(tasks)  # next() of a list iterator is atomic
    stopped = threading.Event()

    def work() -> None:
        _here.busy = True
        try:
            for task in queue:
                if stopped.is_set():  # another thread failed, or the user pressed Ctrl-C
                    return
                function(*task)
        except BaseException:
            stopped.set()
            raise
        finally:
            _here.busy = False

    helpers = [_workers(threads - 1).submit(work) for _ in range(threads - 1)]
    try:
        work()  # the calling thread works too
    finally:
        for helper in helpers:
            helper.result()
