"""What a forecast accepts, and what it notices before it starts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from gardner.checks import check_whole
from gardner.errors import InvalidInputError
from gardner.model.arrays import Floats

SCALINGS = ("standardised", "common")
# Labels from which on alignment and noise are chosen by them: with fewer their evidence tells
# nothing.
FEWEST_LABELS = 10
# Labels of the rarer class that are wanted as well: one alone may be an accident.
_FEWEST_OF_A_CLASS = 2
# Share of the rarer class below which accuracy says little: a guess is right four times of five.
_RARE = 0.2
# Chance below which a column that tells all labels is no accident.
_BY_CHANCE = 1e-3


@dataclass(frozen=True, eq=False)
class Asked:
    """A question that was checked; labels are −1, +1 and NaN."""

    features: Floats
    labels: Floats
    accuracy: float
    batch_size: int
    most_labels: int | None
    usable: bool  # whether there are labels enough to choose a model by
    notes: tuple[str, ...]


def check_question(
    features: ArrayLike,
    labels: ArrayLike | None,
    accuracy: float,
    batch_size: int,
    most_labels: int | None,
    scaling: str,
    names: Sequence[str],
) -> Asked:
    """Refuse what cannot be answered, and note what is odd."""
    table = _table(features)
    coded = _labels(labels, len(table))
    if not 0.5 < accuracy < 1.0:
        raise InvalidInputError("accuracy", accuracy, "it must lie between 0.5, a guess, and 1")
    check_whole("batch_size", batch_size, 1)
    if most_labels is not None:
        check_whole("most_labels", most_labels, 1)
    if scaling not in SCALINGS:
        raise InvalidInputError("scaling", scaling, f"it must be one of {', '.join(SCALINGS)}")
    known = ~np.isnan(coded)
    if known.all():
        raise InvalidInputError("labels", f"{known.size} of {known.size}", "every row has a label: none is left to ask")
    if most_labels is not None and most_labels <= known.sum():
        raise InvalidInputError("most_labels", most_labels, f"{known.sum()} rows have a label already")
    usable, notes = _usable(coded)
    notes += _tells_all(table, coded, names)
    wanted = None if most_labels is None else int(most_labels)
    return Asked(table, coded, float(accuracy), int(batch_size), wanted, usable, tuple(notes))


def _table(features: ArrayLike) -> Floats:
    try:
        table = np.asarray(features, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError("features", type(features).__name__, f"they must be numbers ({error})") from None
    if table.ndim != 2 or 0 in table.shape:
        raise InvalidInputError("features", f"shape {table.shape}", "they must be rows × columns, at least one of each")
    if len(table) < 2:
        raise InvalidInputError("features", "one row", "a spectrum needs two rows or more")
    if not np.isfinite(table).all():
        raise InvalidInputError("features", "NaN or infinity", "they must be finite", hint="fill gaps, or read a file")
    return table


def _labels(labels: ArrayLike | None, rows: int) -> Floats:
    """Two kinds of numbers as −1 and +1, in their order; NaN stays."""
    if labels is None:
        return np.full(rows, np.nan)
    try:
        given = np.asarray(labels, dtype=np.float64)
    except (TypeError, ValueError):
        hint = "code two classes as -1 and +1, and NaN where there is none yet"
        raise InvalidInputError("labels", type(labels).__name__, "they must be numbers", hint=hint) from None
    if given.shape != (rows,):
        raise InvalidInputError("labels", f"shape {given.shape}", f"there are {rows} rows, each with a label or NaN")
    kinds = np.unique(given[~np.isnan(given)])
    if kinds.size > 2 or not np.isfinite(kinds).all():
        hint = "recode the label: one class or the rest"
        raise InvalidInputError("labels", f"{kinds.size} kinds", "a forecast is for two classes", hint=hint)
    if kinds.size < 2:  # all of one kind: which of both it is does not matter
        return np.where(np.isnan(given), np.nan, 1.0)
    return np.where(np.isnan(given), np.nan, np.where(given == kinds[1], 1.0, -1.0))


def _usable(labels: Floats) -> tuple[bool, list[str]]:
    """Whether a model can be chosen by the labels, and a word where it cannot, or where a class is
    rare.
    """
    known = labels[~np.isnan(labels)]
    rarer = int(min(np.sum(known > 0.0), np.sum(known < 0.0)))
    if known.size and (known.size < FEWEST_LABELS or rarer < _FEWEST_OF_A_CLASS):
        too_few = f"{known.size} labels, {rarer} of the rarer class, are too few to learn from"
        return False, [f"{too_few}: the forecast is that before any label"]
    if not known.size:
        return False, []
    share = rarer / known.size
    if share >= _RARE:
        return True, []
    rare = f"{100.0 * share:.0f} % of the labels are of the rarer class: always guessing the other"
    return True, [f"{rare} is right as often as {1.0 - share:.2f}; accuracy says little here"]


def _tells_all(table: Floats, labels: Floats, names: Sequence[str]) -> list[str]:
    """A column that alone tells every label, and does not do so by chance, may be the label itself."""
    high, low = table[labels > 0.0], table[labels < 0.0]
    if not (len(high) and len(low)):
        return []
    splits = (high.min(axis=0) > low.max(axis=0)) | (high.max(axis=0) < low.min(axis=0))
    count = len(high) + len(low)
    orders = gammaln(count + 1) - gammaln(len(high) + 1) - gammaln(len(low) + 1)
    if not splits.any() or math.log(2.0 * table.shape[1]) - orders > math.log(_BY_CHANCE):
        return []
    index = int(np.argmax(splits))
    name = names[index] if index < len(names) else f"{index}"
    return [f"column {name} alone tells every label: if it is the label in other words, leave it out"]
