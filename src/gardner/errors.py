"""One small family of errors; each says what is wrong, where, and what to try."""

from __future__ import annotations

import reprlib

_BRIEF = reprlib.Repr()  # of a value somebody gave, which may be large
# Letters of one text or number in a message: a path of usual length is whole.
_BRIEF.maxstring = _BRIEF.maxother = _BRIEF.maxlong = 300
# Entries of a list or table in a message.
_BRIEF.maxlist = _BRIEF.maxtuple = _BRIEF.maxset = _BRIEF.maxdict = 10
# Lists within lists in a message.
_BRIEF.maxlevel = 3
# Letters of a value in a message, of whatever kind; the rest of the message has its own room.
_LONGEST = 400


def _brief(value: object) -> str:
    text = _BRIEF.repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


class GardnerError(Exception):
    """Base of every error Gardner raises on purpose."""

    def __init__(self, what: str, *, hint: str = "") -> None:
        """Keep the two halves apart so that a caller can show either."""
        super().__init__(f"{what}; {hint}" if hint else what)
        self.what = what
        self.hint = hint


class InvalidInputError(GardnerError, ValueError):
    """An argument has the wrong type, range or shape."""

    def __init__(self, name: str, value: object, requirement: str, *, hint: str = "") -> None:
        """Name the argument, the value it had and the rule it broke."""
        super().__init__(f"{name} = {_brief(value)} is not valid: {requirement}", hint=hint)
        self.name = name
        self.value = value
        self.requirement = requirement


class ConvergenceError(GardnerError, ArithmeticError):
    """A solver could not reach the point it was asked for."""
