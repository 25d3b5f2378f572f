"""Which rows are kept for the choice of a batch, and what they are scored by before: the same for
two classes and for more.

All rows are scored once, roughly, by a part of the targets. The best of them are kept for the
choice. A row is never its own target.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gardner.model.arrays import Floats
from gardner.table.scaling import Places

Marks = NDArray[np.bool_]

# Targets by which all rows are scored, to find those worth a closer look: a quarter of all, a
# quarter of the time.
ROUGH_TARGETS = 100
# Rows that are kept for the choice of a batch, at least: many times a usual batch, and quick to go
# through.
LEAST = 2_000
# The same, in batches: of a table of 20,000 letters, twice as many give a batch of 1000 0.3 % more
# bits, and two fifths 2 % fewer.
TIMES_BATCH = 5
# Rows kept at most, as long as twice the batch is fewer: a batch of 1000 to 2500 takes time linear
# in its size.
LONGEST = 5_000


def rows_kept(count: int, most: int) -> int:
    """How many rows are kept for the choice of ``count`` of them, of ``most`` that memory holds.

    >>> rows_kept(10, 10**9), rows_kept(4000, 10**9), rows_kept(4000, 5000)
    (2000, 8000, 5000)
    """
    return min(max(LEAST, min(TIMES_BATCH * count, LONGEST), 2 * count), most)


def some_targets(count: int) -> slice:
    """The targets by which all rows are scored: about ``ROUGH_TARGETS``, equally spaced."""
    return slice(0, count, max(count // ROUGH_TARGETS, 1))


def located(features: Floats, targets: Places | Floats) -> tuple[Places, Floats]:
    """The places of the targets in the table, −1 where they are none, and their features."""
    if targets.ndim == 1:
        places = np.asarray(targets, dtype=np.intp)
        return places, features[places]
    return np.full(len(targets), -1, dtype=np.intp), np.asarray(targets, dtype=np.float64)


def mean_over_others(information: Floats, own: Marks) -> Floats:
    """The mean over the targets that are not the row itself; what it tells about itself is
    overwritten.
    """
    information[own] = 0.0
    return np.asarray(information.sum(axis=1) / np.maximum(own.shape[1] - own.sum(axis=1), 1))
