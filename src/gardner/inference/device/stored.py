"""The rows of a pool as a device keeps them: in few bytes a number, with sums in single precision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import array_api_compat

from gardner.model import library_of
from gardner.model.arrays import ArrayObject, Namespace

# Columns are filled up with zeros to a multiple of this, so that a row begins where 16 bytes can be
# read at once.
LANES = 8
# Entries that are turned into single precision at a time, 64 MB of them, where no kernel reads the
# rows as they are.
PIECE = 1 << 24


@dataclass(frozen=True, eq=False)
class StoredRows:
    """Rows (pool × columns, the last of them perhaps zeros), the columns that are real, the rows'
    squared lengths.
    """

    entries: ArrayObject
    features: int
    norms: ArrayObject

    @property
    def xp(self) -> Namespace:
        """The library of the arrays."""
        return library_of(self.norms).xp

    @property
    def count(self) -> int:
        """Rows in the pool."""
        return int(self.entries.shape[0])

    def pieces(self, order: ArrayObject) -> Iterator[tuple[slice, ArrayObject]]:
        """Some rows in the precision of sums, a few at a time, with their places in ``order``."""
        size, many = max(1, PIECE // self.features), int(order.shape[0])
        for start in range(0, many, size):
            part = slice(start, min(start + size, many))
            rows = self.xp.take(self.entries, order[part], axis=0)
            yield part, self.xp.astype(rows, self.norms.dtype)[:, : self.features]

    def dots(self, order: ArrayObject, vector: ArrayObject) -> ArrayObject:
        """The product of each of some rows with a vector."""
        return self.xp.concat([self.xp.matmul(rows, vector) for _, rows in self.pieces(order)])

    def sum(self, order: ArrayObject, weights: ArrayObject, *, squared: bool = False) -> ArrayObject:
        """The sum of some rows, or of their squares, each times its weight."""
        total = self.xp.zeros((self.features,), dtype=self.norms.dtype, device=device_of(self.norms))
        for part, rows in self.pieces(order):
            total = total + self.xp.matmul((rows * rows if squared else rows).T, weights[part])
        return total

    def squares(self, order: ArrayObject, variance: ArrayObject) -> ArrayObject:
        """The variance of each of some rows' fields, by the variance of every weight."""
        return self.xp.concat([self.xp.matmul(rows * rows, variance) for _, rows in self.pieces(order)])


def device_of(array: ArrayObject) -> object:
    """Where an array is, as its own library says it."""
    return array_api_compat.device(array)
