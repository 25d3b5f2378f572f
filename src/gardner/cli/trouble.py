"""Whatever goes wrong is one line and an exit code; ``--debug`` shows the rest."""

from __future__ import annotations

import errno
import os
import sys
import threading
import traceback
import warnings
from contextlib import suppress

from gardner.cli import DEBUG, interrupt, streams
from gardner.cli.arguments import as_options
from gardner.errors import GardnerError

# The exit code where the user can put it right, as of shells' own commands.
BAD_INPUT = 2
# The exit code of every other failure.
TROUBLE = 1
# Letters of a message; names of files may have 255, and no message needs more than three of them.
_LONGEST = 1000
_MORE = "--debug shows where"
# what the machine lacks, whatever was asked for
_SHORT_OF = {
    errno.EMFILE: "ulimit -n allows more open files",
    errno.ENFILE: "close some programs",
    errno.ENOMEM: "close some programs, or ask for something smaller",
    errno.EAGAIN: "close some programs, or ask for fewer workers",
    errno.ENOSPC: "make room",
    errno.EDQUOT: "make room",
    errno.EIO: "is the disk well?",
}


def report(error: BaseException) -> int:
    """Print the line of an error, and give the exit code."""
    if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
        interrupt.say(_print)
        return interrupt.CODE
    line, code = _explain(error)
    if debugging():
        _print("".join(traceback.format_exception(error)).rstrip())
    if line:
        _print(line)
    if streams.output_fails():
        streams.give_up(1)
    return code


def flush() -> None:
    """Have what was printed written, while its failure can still be reported."""
    sys.stdout.flush()


def hush() -> None:
    """One line from others too: warnings, and errors in threads and destructors that nobody can
    catch.
    """
    warnings.showwarning = _warn  # type: ignore[assignment]  # whatever the names of its arguments
    sys.unraisablehook = _unraisable
    threading.excepthook = _in_thread


def debugging() -> bool:
    """Whether the user wants to see where an error comes from."""
    return os.environ.get(DEBUG, "").lower() not in {"", "0", "no", "off", "false"}


def _explain(error: BaseException) -> tuple[str, int]:
    """The line and the exit code."""
    if isinstance(error, GardnerError):
        return _line(as_options(str(error))), BAD_INPUT
    if isinstance(error, SystemExit):
        return _of_exit(error)
    if hasattr(error, "format_message"):  # of the parser, whose class typer does not export; empty after the help
        message = error.format_message()
        return (_line(message) if message else ""), BAD_INPUT
    if isinstance(error, BrokenPipeError):
        return "", 0  # a reader that has seen enough
    if isinstance(error, OSError):
        return _of_system(error)
    if isinstance(error, MemoryError):
        return _line(f"not enough memory ({str(error) or 'no more to be had'}); ask for something smaller"), TROUBLE
    if isinstance(error, RecursionError):
        return _line(f"something is nested too deeply ({error}); {_MORE}"), TROUBLE
    if isinstance(error, ImportError):
        return _line(f"{error}; is everything installed, and for this Python? {_MORE}"), TROUBLE
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return _line(f"{what}; this should not happen: please report it, {_MORE}"), TROUBLE


def _of_exit(error: SystemExit) -> tuple[str, int]:
    """Shell completion ends by an exit; code of somebody else's that does so has not done what it
    was asked for.
    """
    if "_GARDNER_COMPLETE" in os.environ:
        return "", error.code if isinstance(error.code, int) else 0
    if any(frame.name == "on_broken_pipe" for frame in traceback.extract_tb(error.__traceback__)):
        return "", 0  # Rich makes an exit of a reader that has seen enough
    return _line(f"something that was called ends the program (exit code {error.code}); {_MORE}"), TROUBLE


def _of_system(error: OSError) -> tuple[str, int]:
    what = error.strerror or str(error) or type(error).__name__
    place = f": {error.filename or 'output'}"  # a stream that cannot be written does not say its name
    if error.errno in _SHORT_OF:
        return _line(f"{what}{place}; {_SHORT_OF[error.errno]}"), TROUBLE
    if error.filename:
        return _line(f"{what}{place}; check that it exists and may be read or written"), BAD_INPUT
    return _line(f"{what}{place}; is it closed? {_MORE}"), TROUBLE


def _line(message: str) -> str:
    """A message on one line, without what would drive a terminal."""
    whole = "".join(letter if letter.isprintable() else " " for letter in message)
    text = " ".join(whole.split())
    return "error: " + (text if len(text) <= _LONGEST else text[:_LONGEST] + " …")


def _print(text: str) -> None:
    """To standard error, if it can be written."""
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        streams.give_up(2)


def _warn(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, _: object = None, __: object = None
) -> None:
    first = next(iter(str(message).strip().splitlines()), category.__name__)
    _print(f"warning: {first}" + (f" ({filename}:{lineno})" if debugging() else ""))


def _unraisable(what: sys.UnraisableHookArgs) -> None:
    """An error in a destructor or a callback: it changes nothing."""
    if debugging():
        with suppress(Exception):
            sys.__unraisablehook__(what)


def _in_thread(what: threading.ExceptHookArgs) -> None:
    """An error in a thread: whoever waits for its result gets it too."""
    if debugging():
        with suppress(Exception):
            threading.__excepthook__(what)
