"""How the columns of a table become numbers, learned from one table and applied to others.

Numbers stay as they are. Texts of few kinds become columns of zeros and ones, one a kind; texts of
many kinds are left out, and so are dates, which are texts, and the index of a table. A missing
number is filled with the mean of the others, and a column of zeros and ones says where; a missing
text is a kind of its own. Whatever is done is said in ``notes``, in words that name the columns.

An :class:`Encoding` is plain data (:meth:`Encoding.as_data`), so that a model can keep it and read
another table in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gardner.errors import InvalidInputError
from gardner.records.table_file import INDEX, MISSING_WORDS, refuse_containers

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

# Distinct texts in a column up to which each becomes a column of zeros and ones; a column of names
# has more.
MOST_KINDS = 20
# Rows from which on whole numbers that count the rows are worth a word: in fewer rows they may do
# so by chance.
_FEWEST_IDS = 20
_ID_NAMES = frozenset({"id", "ids", "index", "row", "key", "uuid", "number", "nr", "no"})


@dataclass(frozen=True)
class Column:
    """How one column is read: as a number, or as one column of zeros and ones for each of its
    ``kinds``.
    """

    name: str
    kinds: tuple[str, ...] = ()
    fill: float = 0.0  # instead of a missing number
    gaps: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns of numbers it becomes."""
        values = tuple(f"{self.name}={kind}" for kind in self.kinds) or (self.name,)
        return (*values, f"{self.name} missing") if self.gaps else values

    def numbers(self, column: pd.Series[Any]) -> list[Floats]:
        """The columns of numbers."""
        missing = column.isna().to_numpy()
        if self.kinds:
            texts = column.astype(str).to_numpy()
            parts = [((texts == kind) & ~missing).astype(np.float64) for kind in self.kinds]
        else:
            values = as_numbers(column)
            if values is None:
                first = next(str(value) for value in column if not _is_number(value))
                raise InvalidInputError(self.name, first, "numbers are wanted in this column")
            missing = np.isnan(values)
            parts = [np.where(missing, self.fill, values)]
        return [*parts, missing.astype(np.float64)] if self.gaps else parts


@dataclass(frozen=True)
class Encoding:
    """The columns that are read, in order, and what was noticed while they were learned."""

    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns of the matrix."""
        return tuple(name for column in self.columns for name in column.names)

    def matrix(self, frame: pd.DataFrame) -> Floats:
        """The numbers of a table that has these columns, among others: rows × :attr:`names`."""
        absent = [column.name for column in self.columns if column.name not in frame.columns]
        if absent:
            wanted = f"the table lacks {len(absent)} of the {len(self.columns)} columns that are used"
            raise InvalidInputError("columns", absent[0], wanted, hint=f"it has {_listed(map(str, frame.columns))}")
        if not any(column.kinds or column.gaps for column in self.columns):
            plain = frame[[column.name for column in self.columns]]
            if _all_plain(plain):
                return _finite(plain.to_numpy(dtype=np.float64), self.names)
        parts = [part for column in self.columns for part in column.numbers(frame[column.name])]
        return _finite(np.column_stack(parts), self.names)

    def as_data(self) -> list[dict[str, Any]]:
        """Plain data, for a file."""
        return [asdict(column) for column in self.columns]

    @classmethod
    def from_data(cls, data: Sequence[Mapping[str, Any]]) -> Encoding:
        """Of :meth:`as_data`."""
        columns = (
            Column(str(one["name"]), tuple(map(str, one["kinds"])), float(one["fill"]), bool(one["gaps"]))
            for one in data
        )
        return cls(tuple(columns))


def learn_encoding(frame: pd.DataFrame, columns: Sequence[str]) -> Encoding:
    """How to read these columns, from what they hold.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [30.0, None, 50.0], "town": ["Rome", "Oslo", "Rome"]})
    >>> encoding = learn_encoding(table, ["age", "town"])
    >>> encoding.names
    ('age', 'age missing', 'town=Oslo', 'town=Rome')
    >>> encoding.matrix(table)[1].tolist()
    [40.0, 1.0, 1.0, 0.0]
    >>> encoding.notes[1]
    'column age: 1 of 3 cells is empty, filled with the mean 40; a column of zeros and ones says which'
    """
    for name in columns:
        refuse_containers(frame, name, hint=f"ignore={name!r}, or write it otherwise")
    learned: list[Column] = []
    remarks = _Remarks(len(frame))
    for name in columns:
        if name == INDEX:
            remarks.left_out(name, "it has no name, like the index of a table")
        elif (column := _learn(frame[name], name, remarks)) is not None:
            learned.append(column)
    if not learned:
        raise InvalidInputError("table", _listed(columns), "no column is left that could be a feature")
    return Encoding(tuple(learned), remarks.notes())


def as_numbers(column: pd.Series[Any]) -> Floats | None:
    """The column as numbers, NaN where a cell is empty or says NA or the like; none where it holds
    texts.
    """
    import pandas as pd
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if is_numeric_dtype(column) or is_bool_dtype(column):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if isinstance(column.dtype, pd.CategoricalDtype) or not all(map(_is_number, column)):
        return None
    values = pd.to_numeric(column.mask(column.isin(list(MISSING_WORDS))), errors="coerce")
    return None if values.isna().all() else values.to_numpy(dtype=np.float64)


def _is_number(value: object) -> bool:
    """Whether a cell can stand in a column of numbers: a number, nothing, or a word for nothing."""
    if value is None or (isinstance(value, str) and value.strip() in MISSING_WORDS):
        return True
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


@dataclass
class _Remarks:
    """What is to be said of columns, those of one kind in one note."""

    rows: int
    kinds: list[tuple[str, int]] = field(default_factory=list)
    gaps: list[tuple[str, int, float]] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    def left_out(self, name: str, why: str) -> None:
        """A column that is no feature."""
        self.others.append(f"column {name} left out: {why}")

    def notes(self) -> tuple[str, ...]:
        """In words."""
        found = []
        if len(self.kinds) == 1:
            name, count = self.kinds[0]
            found.append(f"column {name} became {count} columns of zeros and ones")
        elif self.kinds:
            each = _listed(f"{name} ({count})" for name, count in self.kinds)
            found.append(f"{len(self.kinds)} columns became columns of zeros and ones: {each}")
        if len(self.gaps) == 1:
            name, empty, fill = self.gaps[0]
            cells = f"{empty} of {self.rows} cells {'is' if empty == 1 else 'are'} empty"
            said = f"column {name}: {cells}, filled with the mean {fill:.4g}; a column of zeros and ones says which"
            found.append(said)
        elif self.gaps:
            each = _listed(f"{name} ({empty})" for name, empty, _ in self.gaps)
            said = "filled with the mean of the column; columns of zeros and ones say which"
            found.append(f"{len(self.gaps)} columns have empty cells, {said}: {each}")
        return (*found, *self.others)


def _learn(column: pd.Series[Any], name: str, remarks: _Remarks) -> Column | None:
    missing = int(column.isna().sum())
    if missing == len(column):
        remarks.left_out(name, "it is empty")
        return None
    values = as_numbers(column)
    if values is None:
        return _learn_texts(column, name, remarks)
    empty = np.isnan(values)
    known = values[~empty]
    fill = float(np.sum(known / len(known))) if np.isfinite(known).all() else 0.0
    if empty.any():
        remarks.gaps.append((name, int(empty.sum()), fill))
    elif _counts_rows(values, name):
        remarks.others.append(_looks_like_ids(name))
    return Column(name, (), fill, gaps=bool(empty.any()))


def _learn_texts(column: pd.Series[Any], name: str, remarks: _Remarks) -> Column | None:
    missing = bool(column.isna().any())
    kinds = tuple(sorted(set(column.astype(str)[column.notna()])))  # as Column.numbers reads them
    if len(kinds) > MOST_KINDS:
        remarks.left_out(name, f"{len(kinds)} different texts")
    elif len(kinds) == 1 and not missing:
        remarks.left_out(name, "every row has the same text")
    else:
        remarks.kinds.append((name, len(kinds) + missing))
        return Column(name, kinds, 0.0, missing)
    return None


def _counts_rows(values: Floats, name: str) -> bool:
    """Whether the values are names of rows: whole numbers, each once, that count; or called an id,
    few twice.
    """
    if len(values) < _FEWEST_IDS or not np.isfinite(values).all() or not np.array_equal(values, np.round(values)):
        return False
    kinds = len(np.unique(values))
    words = name.lower().replace("-", "_").replace(" ", "_").split("_")
    if _ID_NAMES & set(words):
        return kinds > len(values) / 2
    return kinds == len(values) and bool(np.ptp(values) == len(values) - 1)


def _looks_like_ids(name: str) -> str:
    return f"column {name} numbers the rows, like an id, and is used as a feature; ignore={name!r} leaves it out"


def _all_plain(frame: pd.DataFrame) -> bool:
    """Whether all columns are numbers, and none is missing."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    plain = all(is_numeric_dtype(kind) or is_bool_dtype(kind) for kind in frame.dtypes)
    return plain and not bool(frame.isna().to_numpy().any())


def _finite(features: Floats, names: Sequence[str]) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        total = features.sum()  # one pass and no copy where all is well; it may also overflow
    if not np.isfinite(total):
        bad = ~np.isfinite(features)
        if bad.any():
            row, index = (int(place[0]) for place in np.nonzero(bad))
            value = float(features[row, index])
            raise InvalidInputError(names[index], value, f"row {row}: features are finite numbers")
    return features


def _listed(names: Any) -> str:
    """The first few of many names."""
    names = list(names)
    return ", ".join(names[:12]) + (f", … ({len(names)} in all)" if len(names) > 12 else "")
