"""A table with all its labels, in a file: the pool of a benchmark on data.

In a task such a file is named with twelve letters that stand for its bytes,
``pool.parquet#0123456789ab``, so that rows of one file are never taken for those of another.
"""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gardner.errors import GardnerError, InvalidInputError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Kinds of labels at most: more whole numbers than that are counts, not classes.
MOST_CLASSES = 100
# The share held out where nothing is said: that of docs/real-tables.md.
TEST_SHARE = 0.4
_SPLIT = int.from_bytes(b"split", "big")
# Letters of a SHA-256 in a name: enough to tell files apart, short enough to read.
_LETTERS = 12


class ChangedFileError(GardnerError):
    """The file of a task is not the one that the task was made for."""


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """Features, and for each row the place of its class among ``classes``."""

    features: Floats
    codes: Integers
    classes: tuple[str, ...]

    def sizes(self, test_share: float) -> tuple[int, int]:
        """Rows of the pool and rows held out; an error where one of them would lack a class."""
        held = self._held(test_share)
        return int(len(self.codes) - held.sum()), int(held.sum())

    def split(self, test_share: float, seed: int) -> tuple[Integers, Integers]:
        """Rows of the pool and rows held out, each with its share of every class, by a seed."""
        rng = np.random.default_rng([_SPLIT, seed])
        held = [
            rng.permutation(np.flatnonzero(self.codes == code))[:count]
            for code, count in enumerate(self._held(test_share).tolist())
        ]
        outside = np.sort(np.concatenate(held))
        return np.setdiff1d(np.arange(len(self.codes)), outside), outside

    def _held(self, share: float) -> Integers:
        """How many rows of each class are held out."""
        counts = np.bincount(self.codes, minlength=len(self.classes))
        held = np.round(share * counts).astype(np.int64)
        for code in np.flatnonzero((held == 0) | (held == counts)).tolist():
            where = "held-out rows" if held[code] == 0 else "pool"
            rule = f"it leaves class {self.classes[code]} ({counts[code]} rows) out of the {where}"
            raise InvalidInputError("test_share", share, rule, hint="try another share, or put rare classes together")
        return held


def stamped_name(path: str) -> str:
    """The name of a file with the stamp of its bytes. Where the name has a stamp, the file must
    still fit it.
    """
    from gardner.records.user_file import check_regular, reading

    file, known = split_name(path)
    check_regular("data", Path(file))
    with reading("data", Path(file)):
        found = hashlib.sha256(Path(file).read_bytes()).hexdigest()[:_LETTERS]
    if known and known != found:
        hint = "put the old file back, or begin another folder"
        raise ChangedFileError(f"{Path(file).name} has changed since this sweep began", hint=hint)
    return f"{file}#{found}"


def split_name(name: str) -> tuple[str, str]:
    """The path and the stamp, which is empty where there is none.

    >>> split_name("pool.parquet#0123456789ab"), split_name("odd#name.csv")
    (('pool.parquet', '0123456789ab'), ('odd#name.csv', ''))
    """
    file, _, stamp = name.rpartition("#")
    if len(stamp) == _LETTERS and set(stamp) <= set("0123456789abcdef"):
        return file, stamp
    return name, ""


@functools.lru_cache(maxsize=1)  # a worker runs one task after another on the same file
def read_labelled(name: str, label: str) -> LabelledTable:
    """The table of a stamped name, if the file is still the same."""
    from gardner.records.pool_file import read_pool

    file, _ = split_name(stamped_name(name))
    if not label:
        raise InvalidInputError("label", label, "data needs the column of its labels", hint="such as label='y'")
    pool = read_pool(file, label, kind="classes")
    missing = int(np.isnan(pool.labels).sum())
    if missing:
        row = int(np.isnan(pool.labels).argmax())
        rule = f"{missing} rows have no label, the first is row {row}"
        raise InvalidInputError("label", label, rule, hint="a benchmark needs all labels: drop those rows")
    kinds, codes = np.unique(pool.labels, return_inverse=True)
    if kinds.size < 2:
        raise InvalidInputError("label", label, "all rows are of one class", hint="a benchmark needs two or more")
    if kinds.size > MOST_CLASSES:
        rule = f"it has {kinds.size} classes"
        raise InvalidInputError("label", label, rule, hint=f"at most {MOST_CLASSES} are possible")
    return LabelledTable(pool.features, codes.astype(np.int64), pool.classes)
