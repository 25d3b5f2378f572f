"""What must hold after every command, whatever it was given. Each rule gives what is wrong, or "".

``RULES`` has all of them; ``check`` applies them to what was seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.fuzz.execute import LIMIT, PROMPT, Seen
from tests.fuzz.texts import CANARY
from tests.fuzz.whole import strict_json, trouble

CODES = {0, 1, 2, 130}
_TOLD = {"--help", "-h", "--version"}  # whatever else is asked for, this is what is told
_NO_MEMORY = {127, -6, -11}
_MOST_LINES, _MOST_LETTERS = 20, 8000  # of a complaint
_TRACES = (
    "Traceback (most recent call last)",
    "Exception ignored in",
    "Exception in thread",
    "Fatal Python error",
    "Segmentation fault",
)
# not inside a word, a quotation, or a parameter such as random(a=NaN)
_NAN = re.compile(r"(?<![\w.'\"=])[-+]?nan(?![\w'\"])", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def no_traceback(seen: Seen) -> str:
    """Nobody is shown the inside of the program without asking for it."""
    found = next((mark for mark in _TRACES if mark in seen.err or mark in seen.out), "")
    return f"{found}: {_last_line(seen.err)}" if found else ""


def known_exit_code(seen: Seen) -> str:
    """0 is success, 1 trouble, 2 bad input, 130 Ctrl-C; a signal or anything else is a crash.

    Where memory is short, the system's loader and compiled libraries end a process by themselves.
    """
    if seen.code is None or seen.code in CODES:
        return ""
    if "AS" in seen.case.limits and seen.code in _NO_MEMORY:
        return ""
    return f"exit code {seen.code}"


def in_time(seen: Seen) -> str:
    """No command takes longer than the limit; one that is meant to take long ends soon after
    Ctrl-C.
    """
    if seen.code is not None:
        return ""
    if seen.case.interrupt is not None:
        return f"still running {PROMPT:g} s after Ctrl-C"
    return f"still running after {LIMIT:g} s"


def no_nan(seen: Seen) -> str:
    """A number that is not known is a dash in a table and null in JSON."""
    asked = "--json" in seen.case.argv and not _TOLD.intersection(seen.case.argv)
    if asked and seen.code in (0, 1) and seen.out.strip():
        return strict_json(seen.out)
    for line in _own_words(seen, seen.out).splitlines():
        if _NAN.search(line):
            return f"NaN is printed: {line.strip()[:200]}"
    return ""


def says_something(seen: Seen) -> str:
    """A command that ends without a word leaves the user with nothing."""
    silent = not (seen.out.strip() or seen.err.strip() or seen.case.stdout != "pipe")
    return f"exit code {seen.code} without a word" if silent and seen.code is not None else ""


def is_brief(seen: Seen) -> str:
    """A complaint is short, however large what it complains about."""
    lines = seen.err.count("\n")
    if lines > _MOST_LINES or len(seen.err) > _MOST_LETTERS:
        return f"{lines} lines, {len(seen.err)} letters of complaint: {_last_line(seen.err)}"
    return ""


def tame(seen: Seen) -> str:
    """Words of others drive no terminal: no control characters but the end of a line and a tab."""
    for text in (seen.out, seen.err):
        found = _CONTROL.search(_own_words(seen, text))
        if found:
            return f"control character {found.group()!r} is printed"
    return ""


def no_code_from_data(seen: Seen) -> str:
    """The canary sings only where the command line itself names the file that holds it."""
    named = any("evil" in argument for argument in seen.case.argv)
    sings = any(path.endswith(CANARY) for path in set(seen.after) - set(seen.before))
    return "data was run as code" if sings and not named else ""


def nothing_left_over(seen: Seen) -> str:
    """No file of a temporary name stays behind."""
    for path in sorted(set(seen.after) - set(seen.before)):
        name = path.rpartition("/")[2]
        if (name.startswith(".") and name != ".lock") or name.endswith((".tmp", ".part", "~")):
            return f"{path} is left over"
    return ""


def whole_files(seen: Seen) -> str:
    """Every file that was written is all there."""
    for path, entry in sorted(seen.after.items()):
        if entry.kind == "-" and seen.before.get(path) != entry:
            wrong = trouble(seen.folder / path)
            if wrong:
                return f"{path} is half written: {wrong}"
    return ""


def nothing_destroyed(seen: Seen) -> str:
    """What was there still is; links, devices and pipes are what they were; read-only files too."""
    for path, entry in sorted(seen.before.items()):
        now = seen.after.get(path)
        if now is None:
            return f"{path} is gone"
        if now.kind != entry.kind or (entry.kind == "l" and now != entry):
            return f"{path} was {entry.kind!r} and is {now.kind!r}"
        recipe = seen.case.files.get(path, {})
        if recipe.get("mode") == "444" and now != entry:
            return f"{path} is read-only and was changed"
    return ""


RULES: tuple[Callable[[Seen], str], ...] = (
    no_traceback,
    known_exit_code,
    in_time,
    no_nan,
    says_something,
    is_brief,
    tame,
    no_code_from_data,
    nothing_left_over,
    whole_files,
    nothing_destroyed,
)


def check(seen: Seen) -> dict[str, str]:
    """What is wrong, by the name of the rule."""
    found = {rule.__name__: rule(seen) for rule in RULES}
    return {name: wrong for name, wrong in found.items() if wrong}


def _own_words(seen: Seen, text: str) -> str:
    """The text without what the user said on the command line, which may be shown again."""
    for word in sorted({part for one in seen.case.argv for part in (one, *one.split(":"))}, key=len):
        if len(word) > 1:
            text = text.replace(word, "").replace(repr(word)[1:-1], "")
    return text


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:300] if lines else ""
