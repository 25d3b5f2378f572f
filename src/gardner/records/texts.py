"""Texts from anywhere, for people to read."""

from __future__ import annotations


def printable(text: str) -> str:
    """A text on one line, without what would drive a terminal or cannot be written: reasons are
    anybody's words.

    >>> printable("two\\nlines, \\x1b[31mred")
    'two lines, [31mred'
    """
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
