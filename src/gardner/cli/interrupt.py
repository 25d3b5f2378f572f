"""Ctrl-C ends the command line, wherever it is, with one line and exit code 130.

Python's own answer, an exception in the main thread, does not do. It can be raised in the middle of
anybody's code: a destructor or a callback of the garbage collector drops it, and C++ may
crash on it. It waits for long calls of compiled code, and a thread that compiles
keeps the process alive after it. So nothing is raised. The process says its line and ends, which is
safe at any moment: files are renamed when they are whole, those that are being written are removed
here, and the processes of a sweep end with their pipes.

The signal's handler does so in the main thread, which cannot go on meanwhile. Where that thread is
busy in compiled code, or somebody else handles the signal for a while, a thread of ours does, half
a second later.

Only the command line does this (:func:`take_over`): whoever imports Gardner keeps their own
handlers. This module imports nothing heavy, because it must work before the imports of everything
else.
"""

from __future__ import annotations

import atexit
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

# The exit code after Ctrl-C: 128 and the number of the signal, as shells count.
CODE = 130
# Seconds that the main thread has to end by itself, and others to print a line; tests ask for an
# end within 3.
GRACE = 0.5


class _State:
    """What the threads and the way out know of each other."""

    lock = threading.Lock()  # of the one line
    said = False  # whether it is out
    code: int | None = None  # the exit code, once the work is over
    hint: Callable[[], str] | None = None  # what the command adds to the line


def take_over() -> None:
    """From now on Ctrl-C is ours. A process that was started to ignore it (``nohup``, ``&``) goes
    on ignoring it.
    """
    _State.code = None
    atexit.register(_leave)  # before all others register, so it runs after them
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return
    if os.name == "posix":  # elsewhere a signal wakes no pipe
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        os.register_at_fork(after_in_child=_give_back)
        with suppress(RuntimeError):  # no thread to be had
            threading.Thread(target=_watch, args=(reading,), name="gardner-interrupt", daemon=True).start()
    signal.signal(signal.SIGINT, _end)


def finished(code: int) -> None:
    """The work is over, only the interpreter has to end, and with this exit code."""
    _State.code = code


@contextmanager
def hint_on_interrupt(hint: Callable[[], str]) -> Iterator[None]:
    """Add a hint to the line if Ctrl-C is pressed inside, such as how to go on; it imports nothing."""
    _State.hint = hint
    try:
        yield
    except KeyboardInterrupt:
        raise  # the line is still to be printed
    except BaseException:
        _State.hint = None
        raise
    else:
        _State.hint = None


def say(write: Callable[[str], object]) -> None:
    """Print the one line, unless it is out or another thread is stuck in printing it."""
    if not _State.lock.acquire(timeout=GRACE):
        return
    try:
        if not _State.said:
            addition = ""
            with suppress(Exception):
                addition = _State.hint() if _State.hint else ""
            write(f"interrupted: {addition}" if addition else "interrupted")
            _State.said = True
    finally:
        _State.lock.release()


def again() -> None:
    """Forget what happened, for another command in the same process."""
    _State.said, _State.hint = False, None


def _watch(reading: int) -> None:
    """Wait for the signal, then for the main thread to end the process, or for a second signal."""
    while signal.SIGINT not in os.read(reading, 64):
        pass
    select.select([reading], [], [], GRACE)
    _end()


def _end(*_: object) -> None:
    """End now: no destructor, no waiting for threads; only what would be left behind is removed."""
    with suppress(Exception):
        if "gardner.records.unfinished" in sys.modules:
            sys.modules["gardner.records.unfinished"].remove_unfinished()
    with suppress(Exception):
        say(_write)
    os._exit(CODE)


def _write(text: str) -> None:
    """Not through sys.stderr, whose lock may be held; a progress bar may be there, and the cursor
    hidden.
    """
    screen = "\r\x1b[2K\x1b[?25h" if os.isatty(2) else ""
    os.write(2, f"{screen}{text}\n".encode(errors="replace"))


def _leave() -> None:
    """The last thing before the interpreter takes itself apart, which can take long, hang, or meet
    a Ctrl-C.
    """
    if _State.code is not None:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os._exit(_State.code)


def _give_back() -> None:
    """A forked child has no watching thread, and its pipe is its parent's."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _State.code = None
