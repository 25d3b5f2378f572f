"""Ctrl-C ends the command line, wherever it is, with one line and exit code 130.

Python raises KeyboardInterrupt in the main thread. That is the good road: files are closed, workers are stopped. But it
is not enough. An exception raised in a destructor or in a callback of the garbage collector is dropped, a long call of
compiled code delays it, and a thread that compiles keeps the process alive. So there is a second road: the signal also
wakes a thread of ours, which ends the process if the first road did not within a second.

Only the command line does this (:func:`take_over`): whoever imports Gardner keeps their own handlers. This module
imports nothing heavy, because it must work before the imports of everything else.
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
from types import FrameType

CODE = 130  # 128 + the number of the signal, as shells count
GRACE = 1.0  # seconds from Ctrl-C to the second road


class _State:
    """What the two roads and the way out know of each other."""

    seen = 0  # how often the first road was taken
    woken = False  # whether the second one was
    said = False  # whether the one line is out
    code: int | None = None  # the exit code, once the work is over
    more: Callable[[], str] | None = None  # what the command adds to the line


def take_over() -> None:
    """From now on Ctrl-C is ours. A process that was started to ignore it (``nohup``, ``&``) goes on ignoring it."""
    _State.code = None
    atexit.register(_leave)  # before all others register, so it runs after them
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return
    if os.name == "posix":  # elsewhere a signal wakes no pipe: there is the first road only
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        os.register_at_fork(after_in_child=_give_back)
        with suppress(RuntimeError):  # no thread to be had: the first road only
            threading.Thread(target=_watch, args=(reading,), name="gardner-interrupt", daemon=True).start()
    signal.signal(signal.SIGINT, _interrupt)


def requested() -> bool:
    """Whether Ctrl-C was pressed, also where the exception of it got lost."""
    return _State.seen > 0 or _State.woken


def finished(code: int) -> None:
    """The work is over, only the interpreter has to end: from now on Ctrl-C ends it at once."""
    _State.code = code


@contextmanager
def telling(more: Callable[[], str]) -> Iterator[None]:
    """What the line adds if Ctrl-C is pressed inside: how to go on, for instance."""
    _State.more = more
    try:
        yield
    except KeyboardInterrupt:
        raise  # the line is still to be printed
    except BaseException:
        _State.more = None
        raise
    else:
        _State.more = None


def line() -> str:
    """The one line, empty when it is out already."""
    if _State.said:
        return ""
    _State.said = True
    told = _State.more() if _State.more else ""
    return f"interrupted: {told}" if told else "interrupted"


def again() -> None:
    """Forget what happened, for another command in the same process."""
    _State.seen, _State.woken, _State.said, _State.more = 0, False, False, None


def _interrupt(_: int, __: FrameType | None) -> None:
    """The first road."""
    _State.seen += 1
    if _State.seen > 1 or _State.code is not None:
        _end()
    raise KeyboardInterrupt


def _watch(reading: int) -> None:
    """The second road: wait for Ctrl-C, then for a second one or until the first road had its time."""
    while signal.SIGINT not in os.read(reading, 64):
        pass
    _State.woken = True
    select.select([reading], [], [], GRACE)
    _end()


def _end() -> None:
    """End now: no destructor, no waiting for threads; only what would be left behind is removed."""
    with suppress(Exception):
        writer = sys.modules.get("gardner.records.unfinished")
        if writer is not None:
            writer.remove_unfinished()
        cache = sys.modules.get("gardner.cli.cache")
        if cache is not None:
            cache.remove_unfinished()
    with suppress(Exception):
        told = line()
        # a progress bar may be there, and the cursor hidden; not through sys.stderr, whose lock may be held
        screen = "\r\x1b[2K\x1b[?25h" if os.isatty(2) else ""
        os.write(2, (screen + (told + "\n" if told else "")).encode(errors="replace"))
    os._exit(CODE)


def _leave() -> None:
    """The last thing before the interpreter takes itself apart, which can take long, hang, or meet a Ctrl-C."""
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
