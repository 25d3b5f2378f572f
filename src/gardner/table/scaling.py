"""Columns on scales of their own, on one scale, or rows of length one: a prior of the weights
depends on it.

A normal prior says that every column matters alike. *Standardised* columns have variance one: right
where they have units of their own. On one *common* scale a column counts by its spread: right for
pixels and embeddings, where columns of little spread are mostly noise. Of *unit* rows only the
direction counts. All are shifted to mean zero, and scaled so that the mean square length of a row
is one. Columns with one value everywhere are left out.

Statistics are taken over all rows, labelled or not, in blocks: no second table is made.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gardner.errors import InvalidInputError
from gardner.model.arrays import Floats

Places = NDArray[np.intp]

SCALINGS = ("standardised", "common", "unit")
# The spread, relative to the largest entry, up to which numbers are the same but for rounding.
CONSTANT = 1e-12
# Entries of a block of rows, 2 MB: several such blocks stay in the processor's cache, and their
# memory is used again. Blocks of 32 MB took twice the time on 20,000 × 2,000
# (benchmarks/query_speed.py).
_ENTRIES = 250_000


@dataclass(frozen=True, eq=False)
class Spread:
    """What is known of every column: its largest entry, and mean and standard deviation in units of
    that.
    """

    largest: Floats
    mean: Floats
    deviation: Floats

    @property
    def kept(self) -> Places:
        """Columns that are not the same everywhere."""
        return np.flatnonzero(self.deviation > CONSTANT)

    @property
    def dropped(self) -> int:
        """How many columns are the same everywhere."""
        return int(self.deviation.size - self.kept.size)


@dataclass(frozen=True, eq=False)
class Scaling:
    """A row x becomes (x/unit − shift)·factor on the columns kept, divided by its length if
    ``name`` is unit.

    ``unit`` is the largest entry, of the column or of all, so that nothing overflows.
    """

    name: str
    kept: Places
    unit: Floats
    shift: Floats
    factor: Floats

    @property
    def columns(self) -> int:
        """How many columns are left."""
        return int(self.kept.size)

    def rows(self, features: Floats) -> Floats:
        """Scaled rows."""
        every = self.columns == features.shape[1]
        scaled = (features if every else features[:, self.kept]) / self.unit
        scaled -= self.shift
        scaled *= self.factor
        if self.name == "unit":
            length = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
            scaled /= np.where(length > 0.0, length, 1.0)[:, None]
        return scaled


def blocks(count: int, columns: int) -> Iterator[slice]:
    """Slices of rows whose entries fit in the memory one wants to spend."""
    step = max(_ENTRIES // max(columns, 1), 64)
    yield from (slice(start, min(start + step, count)) for start in range(0, count, step))


def spread_of(features: Floats) -> Spread:
    """Largest entry, mean and standard deviation of every column, in blocks of rows."""
    count, columns = features.shape
    largest = np.zeros(columns)
    for block in blocks(count, columns):
        np.maximum(largest, np.abs(features[block]).max(axis=0), out=largest)
    largest = np.where(largest > 0.0, largest, 1.0)
    mean, square, known = np.zeros(columns), np.zeros(columns), 0
    work = np.empty((0, columns))  # one piece of memory for all blocks
    for block in blocks(count, columns):
        here = block.stop - block.start
        work = work if len(work) else np.empty((here, columns))
        scaled = np.divide(features[block], largest, out=work[:here])
        at = scaled.mean(axis=0)
        scaled -= at
        # means and squares of two parts of the rows, put together without a loss of digits
        # [chan1983]
        apart, whole = at - mean, known + here
        mean += apart * (here / whole)
        square += np.einsum("ij,ij->j", scaled, scaled) + apart * apart * (known * here / whole)
        known = whole
    return Spread(largest, mean, np.sqrt(square / count))


def make_scaling(name: str, spread: Spread) -> Scaling:
    """One of :data:`SCALINGS`.

    >>> table = np.array([[1.0, 10.0], [3.0, 30.0], [5.0, 20.0]])
    >>> rows = make_scaling("common", spread_of(table)).rows(table)
    >>> round(float(np.mean(np.sum(rows**2, axis=1))), 12)
    1.0
    """
    kept = spread.kept
    largest, mean, deviation = spread.largest[kept], spread.mean[kept], spread.deviation[kept]
    if name == "standardised":
        return Scaling(name, kept, largest, mean, 1.0 / (deviation * math.sqrt(max(kept.size, 1))))
    unit = float(largest.max(initial=0.0)) or 1.0
    share = largest / unit
    length = math.sqrt(float(np.sum((deviation * share) ** 2))) or 1.0
    return Scaling(name, kept, np.full(kept.size, unit), mean * share, np.full(kept.size, 1.0 / length))


def standardised_labels(labels: Floats) -> tuple[Floats, float, float]:
    """Numbers of a regression with mean zero and variance one, and the mean and standard deviation
    they had.
    """
    largest = float(np.abs(labels).max()) or 1.0
    scaled = labels / largest
    mean, spread = float(scaled.mean()), float(scaled.std())
    if spread <= CONSTANT:
        raise InvalidInputError("labels", float(labels[0]), "all are the same number", hint="label a few more rows")
    return (scaled - mean) / spread, largest * mean, largest * spread


def standardised(features: Floats) -> Floats:
    """Standardised columns with an intercept like any other of them: the plainest table for an
    inference method.
    """
    rows = make_scaling("standardised", spread_of(features)).rows(features)
    columns = rows.shape[1]
    shorter = math.sqrt(columns / (columns + 1.0))
    return np.column_stack([shorter * rows, np.full(len(rows), 1.0 / math.sqrt(columns + 1.0))])
