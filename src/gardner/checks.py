"""What callers may hand in, where several parts ask for the same."""

from __future__ import annotations

from numbers import Integral

from gardner.errors import InvalidInputError


def check_whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """A whole number of at least, and perhaps at most, so much; truth values are none.

    >>> check_whole("batch_size", 3, 1)
    3
    """
    if not isinstance(value, bool) and isinstance(value, Integral):
        whole = int(value)
        if whole >= least and (most is None or whole <= most):
            return whole
    rule = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise InvalidInputError(name, value, f"it must be a whole number {rule}")


def spells_number(text: str) -> bool:
    """Whether a text is a number for Python.

    >>> spells_number("-1e3"), spells_number("nan"), spells_number("1,5")
    (True, True, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return True
