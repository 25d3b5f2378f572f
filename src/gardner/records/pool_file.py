"""A partly labelled table from a file: CSV, Parquet or npz; an empty label means that nobody was
asked yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gardner.checks import spells_number
from gardner.errors import InvalidInputError
from gardner.records.encoding import Encoding, learn_encoding
from gardner.records.label_kind import label_kind
from gardner.records.table_file import ENDINGS, MISSING_WORDS, read_frame, refuse_containers
from gardner.records.user_file import array_names, check_regular, load_member, reading

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class PoolFile:
    """Numbers, names and labels of a table.

    ``labels`` are coded −1, +1 or, for a regression, as they are; NaN where there is none yet.
    ``classes`` are the two names that −1 and +1 stand for, empty texts for those not seen yet; a
    regression has none. Where there are three or more, ``labels`` has the place of each in
    ``classes``. ``notes`` tell what was left out, filled in or turned into something else, and
    ``encoding`` reads another table in the same way.
    """

    features: NDArray[np.float64]
    names: tuple[str, ...]
    labels: NDArray[np.float64]
    classes: tuple[str, ...]
    ids: tuple[str, ...]
    notes: tuple[str, ...]
    encoding: Encoding
    array: str = ""  # of an npz file, the one that holds the features

    @property
    def kind(self) -> str:
        """What the labels are: classes or regression."""
        return "classes" if self.classes else "regression"

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which rows have a label."""
        return ~np.isnan(self.labels)

    @property
    def named_labels(self) -> NDArray[np.float64] | NDArray[np.object_]:
        """With three classes or more the name of each row's, an empty text where there is none;
        else ``labels``.
        """
        if len(self.classes) < 3:
            return self.labels
        names = [self.classes[int(code)] if code == code else "" for code in self.labels]
        return np.array(names, dtype=object)


def read_pool(
    path: Path | str,
    label: str | None,
    *,
    ignore: Sequence[str] = (),
    identifier: str | None = None,
    kind: str | None = None,
) -> PoolFile:
    """Read a table; columns that are neither the label, nor ignored, nor the identifier are
    features.

    A label of None is for a table that has no labels yet. ``kind`` says what the labels are:
    classes or regression.
    """
    frame, array = _read(Path(path), label, identifier)
    for column in (*([label] if label else []), *ignore, *([identifier] if identifier else [])):
        if column not in frame.columns:
            raise InvalidInputError(
                "column", column, f"{Path(path).name} has none of that name", hint=f"it has {', '.join(frame.columns)}"
            )
    if not len(frame):
        raise InvalidInputError("table", str(path), "it has no rows")
    left = [str(name) for name in frame.columns if name not in {label, identifier, *ignore}]
    if label:
        refuse_containers(frame, label, hint="write it otherwise")
    encoding = learn_encoding(frame, left)
    features = encoding.matrix(frame)
    labels, classes = _read_labels(frame[label], label, kind) if label else (np.full(len(frame), np.nan), ("", ""))
    ids = _read_ids(frame[identifier]) if identifier else ()
    notes = (*encoding.notes, *_named_like_nothing(classes))
    return PoolFile(features, encoding.names, labels, classes, ids, notes, encoding, array)


def read_table(path: Path | str, *, array: str = "", identifier: str | None = None) -> pd.DataFrame:
    """A table as it is; of an npz file one array, by name if there are several."""
    frame, _ = _read(Path(path), None, identifier, array)
    if not len(frame):
        raise InvalidInputError("table", str(path), "it has no rows")
    return frame


def read_ids(frame: pd.DataFrame, identifier: str) -> tuple[str, ...]:
    """The names of the rows, as they are written."""
    if identifier not in frame.columns:
        hint = f"it has {', '.join(map(str, frame.columns))}"
        raise InvalidInputError("column", identifier, "the table has none of that name", hint=hint)
    return _read_ids(frame[identifier])


def _read(path: Path, label: str | None, identifier: str | None, array: str = "") -> tuple[pd.DataFrame, str]:
    """A frame and, of an npz file, the name of the array of its features."""
    ending = path.suffix.lower()
    if ending not in (*ENDINGS, ".npz"):
        raise InvalidInputError("table", str(path), "its name must end in .csv, .tsv, .parquet or .npz")
    check_regular("table", path)
    with reading("table", path):
        if ending == ".npz":
            return _arrays(path, label, array)
        return read_frame(path, texts=[identifier] if identifier else []), ""


def _arrays(path: Path, label: str | None, wanted: str) -> tuple[pd.DataFrame, str]:
    """An npz file: one two-dimensional array of features, and the label's array if one is asked
    for.
    """
    import pandas as pd

    arrays = {name: load_member(path, name) for name in array_names(path)}
    tables = [name for name, array in arrays.items() if array.ndim == 2 and name == (wanted or name)]
    if len(tables) > 1 and label in arrays:  # the one whose rows have these labels
        tables = [name for name in tables if arrays[name].shape[:1] == arrays[label].shape]
    if len(tables) != 1 or (label is not None and label not in arrays):
        rule = f"it must hold one table of features{f' and a vector {label!r}' if label else ''}"
        raise InvalidInputError("table", str(path), f"{rule}; it holds {', '.join(arrays) or 'nothing'}")
    table = arrays[tables[0]]
    frame = pd.DataFrame(table, columns=[f"{tables[0]}{index}" for index in range(table.shape[1])])
    if label is None:
        return frame, tables[0]
    values = arrays[label]
    if values.shape != (table.shape[0],):
        raise InvalidInputError(label, f"shape {values.shape}", f"{tables[0]} has {table.shape[0]} rows")
    return frame.assign(**{label: values}), tables[0]


def _read_ids(column: pd.Series[str]) -> tuple[str, ...]:
    """As they are written; an empty cell is an empty text."""
    return tuple("" if missing else str(value) for value, missing in zip(column, column.isna(), strict=True))


def _read_labels(column: pd.Series[Any], name: str, kind: str | None) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Classes in their own order, or the numbers of a regression
    (:mod:`gardner.records.label_kind`).
    """
    from pandas.api.types import is_numeric_dtype

    written = column.astype(str).str.strip()
    empty = (column.isna() | (written == "")).to_numpy()
    values = column[~empty]
    if is_numeric_dtype(column):
        kinds: list[Any] = sorted(set(values.tolist()))
        if label_kind(np.array(kinds, dtype=np.float64), kind, name) == "regression":
            return np.where(empty, np.nan, column.to_numpy(dtype=np.float64)), ()
    else:
        _refuse_missing_number(written.where(~empty, "").tolist(), name)
        values = written[~empty]  # blanks around a name do not make another class
        kinds = sorted(set(values))
        if kind == "regression" and kinds:
            raise InvalidInputError(name, kinds[0], "the labels of a regression are numbers, and these are texts")
    coded = np.full(len(column), np.nan)
    known_values = values.tolist()
    names = [f"{kind:g}" if isinstance(kind, float) else str(kind) for kind in kinds]
    if len(kinds) > 2:
        places = {one: float(place) for place, one in enumerate(kinds)}
        coded[~empty] = [places[value] for value in known_values]
        return coded, tuple(names)
    high = kinds[-1] if kinds else None
    coded[~empty] = [1.0 if value == high else -1.0 for value in known_values]
    return coded, tuple(["", "", *names][-2:])


def _named_like_nothing(classes: Sequence[str]) -> list[str]:
    """A word for each class whose name many programs write where there is no label."""
    return [
        f"label {name} is taken as the name of a class; leave the cell empty where there is no label"
        for name in classes
        if name in MISSING_WORDS
    ]


def _refuse_missing_number(texts: list[str], name: str) -> None:
    """NA and the like are names of classes beside other names, but not where all others are
    numbers.
    """
    rows = [row for row, text in enumerate(texts) if text in MISSING_WORDS]
    others = set(texts) - MISSING_WORDS - {""}
    if rows and others and all(map(spells_number, others)):
        hint = "leave the cell empty where there is no label yet"
        raise InvalidInputError(name, texts[rows[0]], f"row {rows[0]}: the other labels are numbers", hint=hint)
