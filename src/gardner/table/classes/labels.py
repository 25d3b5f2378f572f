"""Labels that are texts: names of classes, coded by numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gardner.errors import InvalidInputError
from gardner.model.arrays import Floats

# Classes at most: time goes by their square, and most of more would have no label in any sample
# that one can afford.
MOST_CLASSES = 100


def read_names(labels: ArrayLike, *, numbers: bool = False) -> tuple[tuple[str, ...], Floats] | None:
    """The names of the classes in their order, and each row's code, NaN where it has none; none if
    not texts.

    An empty text, None and NaN are no label. Texts that are all numbers, not all of them whole, are
    no names. ``numbers`` that are whole are names too where that is asked for.

    >>> names, codes = read_names(["b", "", "a", "c"])
    >>> names, codes.tolist()
    (('a', 'b', 'c'), [1.0, nan, 0.0, 2.0])
    """
    if numbers:
        labels = _as_texts(labels)
    # NumPy would make texts of numbers, and of NaN, that stand beside texts in a list
    given = np.asarray(labels, dtype=None if hasattr(labels, "dtype") else object)
    if given.ndim != 1 or given.dtype.kind not in "OUT":
        return None
    # blanks around a name make no other class
    values = [
        None if _missing(value) else value.strip() if isinstance(value, str) else value
        for value in given.astype(object).tolist()
    ]
    kinds = {value for value in values if value is not None}
    if not kinds or not all(isinstance(value, str) for value in kinds):
        return None
    values_of = [_number(value) for value in kinds]
    numeric = None not in values_of
    if numeric and not all(value is not None and value.is_integer() for value in values_of):
        return None
    names = sorted(kinds, key=(lambda name: (float(name), name)) if numeric else str)
    if len(names) > MOST_CLASSES:
        rule = f"at most {MOST_CLASSES} classes are possible"
        raise InvalidInputError("labels", f"{len(names)} kinds", rule, hint="put rare ones together")
    codes = {name: float(index) for index, name in enumerate(names)}
    return tuple(names), np.array([codes[value] if value is not None else np.nan for value in values])


def _as_texts(labels: ArrayLike) -> ArrayLike:
    """Whole numbers as texts, NaN as an empty one; all else as it is."""
    given = np.asarray(labels)
    if given.dtype.kind not in "fiub" or not np.array_equal(given, np.round(given), equal_nan=given.dtype.kind == "f"):
        return labels
    return np.array(["" if value != value else str(int(value)) for value in given.tolist()], dtype=object)


def _missing(value: object) -> bool:
    """None, NaN, what pandas writes for nothing, or an empty text."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
