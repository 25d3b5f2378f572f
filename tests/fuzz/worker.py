"""A process that runs one case after another and tells what it saw; see :mod:`tests.fuzz.pool`.

It lives on from case to case, because a new interpreter with its imports would cost more than most
cases. It gives up the right of root to pass over permissions, so that they mean something.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import resource
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

_DROPPED = (1, 2)  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, linux/capability.h
_PR_CAPBSET_DROP = 24
_MEMORY = 16 * 2**30  # a bomb must not take the machine along


def obey_permissions() -> None:
    """Start this interpreter again without the capabilities that make root pass over permissions."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in _DROPPED:
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails for users, who have none anyway
    os.execv(sys.executable, [sys.executable, "-m", "tests.fuzz.worker", *sys.argv[1:], "again"])  # noqa: S606


def largest_size() -> int:
    """The most memory this process has had, in KiB; that of getrusage is its parent's, if that had
    more.
    """
    lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def serve(descriptor: int) -> None:
    """Run cases from a pipe until it ends."""
    import typer.main
    from tests.fuzz.case import Case
    from tests.fuzz.execute import entry_point, run, scratch
    from tests.fuzz.invariants import check

    typer.main.get_command = functools.cache(typer.main.get_command)  # it never changes
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, resource.RLIM_INFINITY))
    pipe: Connection[Any, Any] = Connection(descriptor)
    main = entry_point()
    pipe.send_bytes(b"ready")
    while True:
        try:
            case = Case.from_record(json.loads(pipe.recv_bytes()))
        except EOFError:
            return
        begin = sum(os.times()[:4])
        with scratch(case) as folder:
            seen = run(case, folder, main)
            wrong = check(seen)
        answer: dict[str, Any] = {"code": seen.code, "out": seen.out[-4000:], "err": seen.err[-4000:], "wrong": wrong}
        answer |= {"seconds": seen.seconds, "work": sum(os.times()[:4]) - begin, "memory": largest_size()}
        pipe.send_bytes(json.dumps(answer).encode())


if __name__ == "__main__":
    if sys.argv[-1] != "again":
        obey_permissions()
    serve(int(sys.argv[1]))
