"""The command line: parse, call, print.

This module is light on purpose: Ctrl-C must be in our hands before the first import that takes
long. The commands are in :mod:`gardner.cli.commands`, each with lazy imports of its own, so that
``gardner --help`` answers at once.
"""

from __future__ import annotations

import os
import sys

DEBUG = "GARDNER_DEBUG"  # the environment's way of saying --debug


def main() -> None:
    """The console script. It ends with 0, 1 (trouble), 2 (bad input) or 130 (Ctrl-C), and at most
    one line of error.
    """
    code = 1
    try:
        from gardner.cli import streams

        streams.prepare()
        from gardner.cli import interrupt

        interrupt.take_over()
        from gardner.cli import trouble

        trouble.hush()
        code = run(sys.argv[1:])
        interrupt.finished(code)
    except BaseException as error:  # Ctrl-C outside of run, or not even these modules can be read
        code = _last_words(error)
    sys.exit(code)


def _last_words(error: BaseException) -> int:
    try:
        from gardner.cli import interrupt, trouble

        code = trouble.report(error)
        interrupt.finished(code)
    except BaseException:
        os.write(2, f"error: {error}\n".encode(errors="replace"))
        return 1
    return code


def run(arguments: list[str]) -> int:
    """Run one command and give its exit code; whatever goes wrong is one line of error."""
    from gardner.cli import interrupt, trouble

    interrupt.again()
    if "--debug" in arguments:  # before or after the command
        arguments = [argument for argument in arguments if argument != "--debug"]
        os.environ[DEBUG] = "1"
    try:
        from gardner.cli.commands import call

        code = call(arguments)
        trouble.flush()
    except BaseException as error:
        return trouble.report(error)
    return code
