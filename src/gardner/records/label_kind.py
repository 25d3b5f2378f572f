"""What the labels of a table are: classes, or numbers of a regression.

Texts are classes, and so are two whole numbers. Many different numbers are a regression. Three or
more, but few, whole numbers can be either: grades, stages, or codes of kinds. So can two numbers
with fractions: two classes, or the first two labels of a regression. Nobody is served by a guess
there, so the user is asked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gardner.errors import InvalidInputError

KINDS = ("classes", "regression")
# Distinct whole numbers up to which labels may be classes: as many as kinds of text that become
# columns.
MOST_CLASSES = 20
# Distinct values that are listed in a message.
_LISTED = 5


def label_kind(values: NDArray[np.float64], kind: str | None = None, name: str = "labels") -> str:
    """``classes`` or ``regression``, from the distinct numbers among the labels, or as asked for.

    >>> label_kind(np.array([0.0, 1.0])), label_kind(np.array([0.5, 1.25, 3.0]))
    ('classes', 'regression')
    >>> label_kind(np.array([1.0, 2.0, 3.0]), "regression")
    'regression'
    """
    if kind is not None and kind not in KINDS:
        raise InvalidInputError("kind", kind, f"it must be one of {', '.join(KINDS)}")
    whole = bool((values == np.round(values)).all())
    if kind is None and (3 <= values.size <= MOST_CLASSES if whole else values.size == 2):
        what = f"{values.size} different whole numbers" if whole else "two different numbers"
        hint = "say which: kind='classes' or kind='regression'"
        raise InvalidInputError(name, listed(values), f"{what} can be classes or a regression", hint=hint)
    found = kind or ("classes" if values.size <= 2 and whole else "regression")
    if found == "classes" and values.size > 2 and not whole:
        problem = "names of three or more classes are whole numbers or texts"
        raise InvalidInputError(name, listed(values), problem, hint="recode the label")
    return found


def listed(values: NDArray[np.float64]) -> str:
    """The first few of the distinct values."""
    shown = ", ".join(f"{value:g}" for value in values[:_LISTED])
    return f"{shown}, …" if values.size > _LISTED else shown
