"""Other processes: how many cores there are for them, and children that answer questions on a pipe.

A child is a plain Python process that runs ``serve`` of one of our modules and lives on from
question to question. Nobody else can talk to it. Its compiled parts work on one thread, as there is
a child for each core. Ctrl-C does not reach it. It ends at once when its parent is gone: then
nobody waits for the answer under way.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import weakref
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Child:
    """A process that answers questions, and the pipe to it. ``stop()`` ends it, whatever it is at,
    and gives its exit code; at the latest it ends with this object.

    The process calls ``serve`` of ``module`` with the descriptor of its end of the pipe, from which
    it makes a :class:`Parent`. ``stdout`` is the descriptor to which it prints, by default ours.
    """

    def __init__(self, module: str, stdout: int | None = None) -> None:
        """Start it; it is not waited for."""
        self.pipe, theirs = Pipe()
        environment = {**os.environ, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        command = [sys.executable, "-c", f"from {module} import serve; serve({theirs.fileno()})"]
        options: dict[str, Any] = {"pass_fds": [theirs.fileno()], "stdin": subprocess.DEVNULL, "stdout": stdout}
        options["start_new_session"] = True  # Ctrl-C is the parent's
        self.process = subprocess.Popen(command, env=environment, **options)  # noqa: S603 - our own module
        theirs.close()
        self.stop = weakref.finalize(self, _end, self.process, self.pipe)


def _end(process: subprocess.Popen[bytes], pipe: Connection[Any, Any]) -> int:
    process.kill()
    code = process.wait()
    pipe.close()  # afterwards: a thread that still reads sees the end, and never another file
    return code


class Parent:
    """In a child: the process that asks it questions."""

    def __init__(self, descriptor: int) -> None:
        """From now on the child ends with its parent."""
        self._pipe: Connection[Any, Any] = Connection(descriptor)
        self._questions: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def question(self) -> bytes:
        """The next question; it is waited for."""
        return self._questions.get()

    def answer(self, content: bytes) -> None:
        """Say something."""
        try:
            self._pipe.send_bytes(content)
        except OSError:
            os._exit(0)  # as in _listen, seen from the other side

    def _listen(self) -> None:
        try:
            while True:
                self._questions.put(self._pipe.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)  # the parent is gone, and nobody waits for the answer under way
