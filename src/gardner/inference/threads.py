"""Compiled kernels on all cores: tasks that release the interpreter lock, handed out one by one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

from gardner.errors import InvalidInputError


def thread_count(threads: int | None) -> int:
    """The number asked for, or one a core that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1:
        raise InvalidInputError("threads", threads, "it must be at least 1")
    return threads


@lru_cache(maxsize=4)
def _workers(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="gardner")


def run_all(function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], threads: int) -> None:
    """Call the function with each task's arguments; which thread takes which task is left to chance.

    Tasks must not depend on each other, so that the result is the same whatever the number of threads.
    """
    if threads == 1:
        for task in tasks:
            function(*task)
        return
    queue = iter(list(tasks))  # next() of a list iterator is atomic

    def work() -> None:
        for task in queue:
            function(*task)

    helpers = [_workers(threads - 1).submit(work) for _ in range(threads - 1)]
    try:
        work()  # the calling thread works too
    finally:
        for helper in helpers:
            helper.result()
