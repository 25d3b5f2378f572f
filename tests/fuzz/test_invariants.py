"""Negative controls: a command that breaks a rule is caught, by that rule, and a good one is not."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fuzz.case import Case, read_corpus, write_cases
from tests.fuzz.clock import Clock
from tests.fuzz.execute import run, scratch
from tests.fuzz.files import MAKERS
from tests.fuzz.grammar import drawn
from tests.fuzz.invariants import RULES, check
from tests.fuzz.pool import Worker, run_cases


def _good() -> None:
    print("ln v = -0.5; ± 0.1")
    Path("out.json").write_text('{"a": 1}')


def _traceback() -> None:
    raise RuntimeError("inside")


def _prints_traceback() -> None:
    sys.stderr.write("Traceback (most recent call last):\n  File x\nOops\n")
    sys.exit(1)


def _exits_with_3() -> None:
    print("so")
    sys.exit(3)


def _prints_nan() -> None:
    print("│ min │ nan │ 0.5 │")


def _silent() -> None:
    sys.exit(0)


def _talks_long() -> None:
    sys.stderr.write("error: word\n" * 40)
    sys.exit(2)


def _drives_the_terminal() -> None:
    print("\x1b[2J")


def _runs_data() -> None:
    print("hello")
    Path("CANARY").touch()


def _leaves_a_temporary_file() -> None:
    print("hello")
    Path(".writing-123-x").write_text("x")


def _writes_half(name: str, data: bytes) -> Callable[[], None]:
    def command() -> None:
        print("hello")
        Path(name).write_bytes(data)

    return command


def _replaces(name: str) -> Callable[[], None]:
    def command() -> None:
        print("hello")
        Path("new").write_text("x")
        Path("new").replace(name)

    return command


def _removes() -> None:
    print("hello")
    Path("evil.py").unlink()


FILES = {
    "null": {"make": "device", "kind": "null"},
    "link": {"make": "link", "to": "evil.py"},
    "locked": {"make": "text", "text": "old", "mode": "444"},
}
BREAKS: list[tuple[Callable[[], None], str]] = [
    (_traceback, "no_traceback"),
    (_prints_traceback, "no_traceback"),
    (_exits_with_3, "known_exit_code"),
    (_prints_nan, "no_nan"),
    (_silent, "says_something"),
    (_talks_long, "is_brief"),
    (_drives_the_terminal, "tame"),
    (_runs_data, "no_code_from_data"),
    (_leaves_a_temporary_file, "nothing_left_over"),
    (_writes_half("out.json", b'{"a": '), "whole_files"),
    (_writes_half("out.json", b'{"a": NaN}'), "whole_files"),
    (_writes_half("out.csv", b"a,b\n1,2\n1"), "whole_files"),
    (_writes_half("out.csv", b"a,b\n1,nan\n"), "whole_files"),
    (_writes_half("out.parquet", b"PAR1"), "whole_files"),
    (_writes_half("out.svg", b"<svg><g>"), "whole_files"),
    (_writes_half("out.png", b"\x89PNG"), "whole_files"),
    (_writes_half("out.pdf", b"%PDF-1.4"), "whole_files"),
    (_writes_half("out.html", b"<!doctype html><p>"), "whole_files"),
    (_writes_half("out.html", b""), "whole_files"),
    (_replaces("null"), "nothing_destroyed"),
    (_replaces("link"), "nothing_destroyed"),
    (_replaces("locked"), "nothing_destroyed"),
    (_removes, "nothing_destroyed"),
]


def broken(command: Callable[[], Any], argv: list[str]) -> dict[str, str]:
    case = Case("control", argv, FILES)
    with scratch(case) as folder:
        return check(run(case, folder, command))


@pytest.mark.parametrize(("command", "rule"), BREAKS, ids=[f"{i}-{rule}" for i, (_, rule) in enumerate(BREAKS)])
def test_what_breaks_a_rule_is_caught(command: Callable[[], None], rule: str) -> None:
    assert set(broken(command, ["models"])) == {rule}


def test_json_with_nan_is_caught() -> None:
    assert set(broken(lambda: print('{"a": NaN}'), ["models", "--json"])) == {"no_nan"}


def test_every_rule_has_a_control() -> None:
    """All but the time limit, which the watchdog below holds."""
    assert {rule for _, rule in BREAKS} | {"in_time"} == {rule.__name__ for rule in RULES}


def test_a_good_command_and_words_of_the_user_break_nothing() -> None:
    assert broken(_good, ["models"]) == {}
    assert broken(lambda: print("alpha = nan\x1b[2J"), ["bounds", "nan\x1b[2J"]) == {}
    assert broken(lambda: print("random(a=NaN)"), ["results"]) == {}
    assert broken(lambda: print("Usage: …"), ["models", "--json", "--help"]) == {}


def test_a_command_leaves_nothing_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def dirty() -> None:
        os.environ["GARDNER_FUZZ_DIRT"] = "1"
        os.chdir("/")
        sys.path.insert(0, "/nowhere")
        print("done")

    monkeypatch.setattr(sys, "argv", ["pytest"])
    here, path = Path.cwd(), list(sys.path)
    assert broken(dirty, ["models"]) == {}
    assert "GARDNER_FUZZ_DIRT" not in os.environ
    assert (Path.cwd(), sys.path, sys.argv) == (here, path, ["pytest"])


def test_a_worker_that_hangs_is_killed_and_one_that_dies_is_replaced() -> None:
    """``--channel`` runs a file that the command line names: here one that sleeps, and one that
    dies.
    """
    argv = ["bounds", "-a", "3", "-n", "0.6", "--channel", "mine.py:X"]
    hangs = Case("hangs", argv, {"mine.py": {"make": "text", "text": "import time\ntime.sleep(600)\n"}})
    text = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"
    dies = Case("dies", argv, {"mine.py": {"make": "text", "text": text}})
    worker = Worker()
    begin = time.monotonic()
    result = worker.ask(hangs, limit=1.0)
    assert set(result.wrong) == {"in_time"}
    assert time.monotonic() - begin < 60.0
    assert not worker.alive
    # root passes over permissions; a worker does not, or a locked file would be as good as any
    locked = Case("locked", ["volume", "-r", "x.npy", "-l", "x.npy"], {"x.npy": {"make": "rows_npy", "mode": "000"}})
    first, second, third = run_cases([dies, Case("fine", ["models"]), locked], 1)
    assert "exit code -9" in first.wrong["known_exit_code"]
    assert (second.wrong, second.code) == ({}, 0)
    assert "ermission" in third.err


def test_the_clock_charges_work_and_waiting_but_not_the_time_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    now, worked = 100.0, 5.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(Clock, "_worked", lambda _: worked)
    clock = Clock(1)
    now, worked = 110.0, 8.0  # three seconds of work in ten: the others were somebody else's
    assert clock.read() == 3.0
    now = 114.0  # no work at all: it waits
    assert clock.read() == 7.0
    now, worked = 115.0, 10.0  # two threads
    assert clock.read() == 8.0


def test_the_clock_sees_work() -> None:
    clock, begin = Clock(os.getpid()), time.process_time()
    while time.process_time() < begin + 0.2:
        pass
    assert clock.read() >= 0.1


def test_the_corpus_is_sound(tmp_path: Path) -> None:
    cases = read_corpus()
    assert len({case.name for case in cases}) == len(cases)
    assert {recipe["make"] for case in cases for recipe in case.files.values()} <= MAKERS
    write_cases(tmp_path / "again.json", cases)
    assert read_corpus(tmp_path) == cases


def test_the_same_seed_draws_the_same_cases() -> None:
    assert drawn(15, 1, quick=True) == drawn(15, 1, quick=True)
    assert drawn(15, 1, quick=True) != drawn(15, 2, quick=True)
    assert len(drawn(15, 1, quick=False)) == 15
