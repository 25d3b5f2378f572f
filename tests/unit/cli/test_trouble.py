"""Whatever goes wrong: one line, an exit code of 0, 1, 2 or 130, and no traceback unless it is
asked for.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gardner.model.registry as registry
from gardner.cli.environment import check_environment
from gardner.cli.interrupt import hint_on_interrupt
from gardner.errors import InvalidInputError
from gardner.model import Probit, describe, parse_channel


def fail(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let the command `models` raise."""

    def raises(_: Any) -> None:
        raise error

    monkeypatch.setattr(registry, "summaries", raises)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ZeroDivisionError("float division"), 1, "ZeroDivisionError: float division; this should not happen"),
        (AssertionError(), 1, "AssertionError; this should not happen"),
        (MemoryError(), 1, "not enough memory"),
        (RecursionError("maximum depth"), 1, "nested too deeply"),
        (EOFError("Ran out of input"), 1, "EOFError: Ran out of input"),
        (SystemExit(0), 1, "ends the program"),
        (ImportError("no numpy here"), 1, "no numpy here; is everything installed"),
        (OSError(errno.EMFILE, "Too many open files", "x.csv"), 1, "Too many open files: x.csv; ulimit -n"),
        (OSError(errno.ENOSPC, "No space left on device"), 1, "No space left on device: output; make room"),
        (OSError(errno.EACCES, "Permission denied", "x.csv"), 2, "Permission denied: x.csv; check"),
        (OSError("Couldn't deserialize thrift"), 1, "Couldn't deserialize thrift"),
        (ValueError("two\nlines and \x1b[31mred" + "x" * 9999), 1, "two lines and [31mred"),
        (InvalidInputError("alpha", 0, "it must be positive"), 2, "alpha = 0 is not valid"),
        (InvalidInputError("alpha", "x" * 10**6, "it must be short"), 2, "it must be short"),
    ],
)
def test_one_line_and_a_code(
    gardner: Any, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, message: str
) -> None:
    fail(monkeypatch, error)
    found, out, err = gardner("models")
    assert (found, out, len(err.splitlines())) == (code, "", 1)
    assert err.startswith("error: ")
    assert message in err
    assert len(err) < 1100


def test_interrupts(gardner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fail(monkeypatch, KeyboardInterrupt())
    assert gardner("models") == (130, "", "interrupted\n")

    def work(_: Any) -> None:
        with hint_on_interrupt(lambda: "3 tasks are done"):
            raise KeyboardInterrupt

    monkeypatch.setattr(registry, "summaries", work)
    assert gardner("models") == (130, "", "interrupted: 3 tasks are done\n")
    fail(monkeypatch, KeyboardInterrupt())
    assert gardner("models") == (130, "", "interrupted\n")


@pytest.mark.parametrize("arguments", ["--debug models", "models --debug", "models"])
def test_debug_anywhere(gardner: Any, monkeypatch: pytest.MonkeyPatch, arguments: str) -> None:
    monkeypatch.setenv("GARDNER_DEBUG", "" if "--debug" in arguments else "1")
    fail(monkeypatch, ZeroDivisionError("here"))
    code, out, err = gardner(*arguments.split())
    assert (code, out) == (1, "")
    assert "Traceback" in err
    assert "in raises" in err
    assert err.splitlines()[-1].startswith("error: ZeroDivisionError: here")


def shell(line: str, **environment: str) -> tuple[int, str, str]:
    """A line of bash in which ``gardner`` is the command line."""
    line = f"gardner() {{ '{sys.executable}' -m gardner \"$@\"; }}; {line}"
    whole = {**os.environ, **environment}
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, env=whole)  # noqa: S603, S607
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("gardner models >&-", 1, "error: Bad file descriptor: output"),
        ("gardner models --json >&-", 1, "error: Bad file descriptor: output"),
        ("gardner models >/dev/full", 1, "error: No space left on device: output"),
        ("gardner models --json >/dev/full", 1, "error: No space left on device: output"),
        ("gardner --help >/dev/full", 1, "error: No space left on device: output"),
        ("gardner nonsense 2>&-", 2, ""),
        ("gardner nonsense 2>/dev/full", 2, ""),
        ("gardner nonsense <&- >&- 2>&-", 2, ""),
        ("gardner models <&- 2>&- >/dev/null", 0, ""),
        ("gardner models --json | head -1 >/dev/null; exit ${PIPESTATUS[0]}", 0, ""),
        ("gardner query --help | head -1 >/dev/null; exit ${PIPESTATUS[0]}", 0, ""),
        ("ulimit -n 16; gardner models", 2, "error: ulimit -n allows 16 open files"),
        ("ulimit -v 400000; gardner volume --rows x.npy --labels y.npy", 2, "error: ulimit -v allows 400000 kB"),
    ],
)
def test_streams_that_cannot_be_written_and_limits(line: str, code: int, message: str) -> None:
    found, out, err = shell(line)
    assert (found, err.startswith(message), len(err.splitlines())) == (code, True, 1 if message else 0), err
    assert not out or code == 0


def test_ascii_output() -> None:
    code, out, err = shell("gardner models", PYTHONIOENCODING="ascii")
    assert (code, err) == (0, "")
    assert out.isascii()
    assert "gauss-bernoulli" in out


@pytest.mark.parametrize("threads", ["0", "abc", "-1", "1.5", ""])
def test_numbers_of_threads_that_numba_would_choke_on(monkeypatch: pytest.MonkeyPatch, threads: str) -> None:
    monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
    monkeypatch.setenv("PYTHONWARNINGS", "")
    with pytest.raises(InvalidInputError, match="whole number of at least 1"):
        check_environment()


def test_whoever_imports_gardner_keeps_their_handlers() -> None:
    script = """
import signal, sys, threading
import gardner, gardner.cli, gardner.cli.commands
assert signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_IGN)
assert sys.unraisablehook is sys.__unraisablehook__
assert threading.active_count() == 1
"""
    subprocess.run([sys.executable, "-c", script], check=True)  # noqa: S603


def test_numbers_are_told_as_numbers() -> None:
    import numpy as np

    assert describe(Probit(np.float64(0.25))) == "probit:0.25"
    assert parse_channel(describe(Probit(np.float64(0.1)))) == Probit(0.1)


def test_query_tells_the_noise_it_chose_as_a_number(gardner: Any, tmp_path: Path) -> None:
    lines = [f"{x},{'+' if x > 3 else '-'}" for x in range(8)] + [f"{x}.5," for x in range(8)]
    (tmp_path / "pool.csv").write_text("\n".join(["x,y", *lines]))
    code, out, _ = gardner("query", tmp_path / "pool.csv", "--label", "y", "--json")
    assert code == 0
    name, _, parameter = json.loads(out)["model"]["channel"].rpartition(":")
    assert name
    assert float(parameter) > 0
