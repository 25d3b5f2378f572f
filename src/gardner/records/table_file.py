"""Tables that people hand in as CSV, TSV or Parquet: one reader, and one rule for missing values.

An empty cell is missing, and nothing else is. Words such as NA, null or nan are texts like any
other. In a column of labels they may be the name of a class: None, for no disease. In a column
whose other cells are numbers they are a missing number.

What a missing feature means depends on the question. ``gardner query`` fills it in and says so
(:mod:`gardner.records.encoding`). ``gardner volume`` is exact and refuses it, by column and row
(:func:`check_features`). Both read their tables here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gardner.errors import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (*SEPARATORS, ".parquet")
# what programs write for a missing number
MISSING_WORDS = frozenset(
    {"NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "None"}
    | {"NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"}
)
_INDEX = "Unnamed: 0"  # what pandas calls a first column without a name
_RULE = "a feature has a value"
_LEAVE_OUT = "leave the column out"
_CONTAINERS = (bytes, bytearray, list, tuple, dict, np.ndarray)


def read_frame(path: Path, *, named: bool | None = True, texts: Sequence[str] = ()) -> pd.DataFrame:
    """Read a table whose name ends as one of :data:`ENDINGS`.

    ``named`` says whether the first line of a text file has the names of the columns; None means
    that it is looked at. ``texts`` are columns to keep as they are written.
    """
    import pandas as pd

    ending = path.suffix.lower()
    if ending == ".parquet":
        frame = pd.read_parquet(path)
    else:
        separator = SEPARATORS[ending]
        named = _has_names(path, separator) if named is None else named
        frame = pd.read_csv(
            path,
            sep=separator,
            header=0 if named else None,
            keep_default_na=False,
            na_values=[""],
            dtype=dict.fromkeys(texts, str) or None,
            low_memory=False,  # whole columns at once, so that each has one type
        )
    frame.columns = [str(name) for name in frame.columns]
    return frame


def check_features(frame: pd.DataFrame, columns: Sequence[str], *, text_file: bool) -> None:
    """Refuse columns that cannot be features, or have a cell without a value."""
    check_columns(frame, columns)
    for name in columns:
        if text_file:
            _refuse_words(frame[name], name)
        empty = np.flatnonzero(frame[name].isna())
        if len(empty):
            raise InvalidInputError(name, f"nothing in row {empty[0]}", _RULE, hint=_LEAVE_OUT)


def check_columns(frame: pd.DataFrame, columns: Sequence[str], *, leave_out: str = "") -> None:
    """Refuse columns that cannot be features.

    ``leave_out`` is the argument that leaves a column out, where there is one: hints name it.
    """
    for name in columns:
        way = f"{leave_out}={name!r}" if leave_out else _LEAVE_OUT
        refuse_containers(frame, name, hint=f"{way}, or write it otherwise")
        if name == _INDEX:
            rule = "its first column has no name, so it looks like the index of a table"
            raise InvalidInputError("table", name, rule, hint="save it without (pandas: index=False)")


def refuse_containers(frame: pd.DataFrame, name: str, *, hint: str) -> None:
    """Bytes, lists and records are neither numbers nor texts."""
    if frame[name].dtype != object:
        return
    for row, value in enumerate(frame[name]):
        if isinstance(value, _CONTAINERS):
            rule = f"row {row} holds {type(value).__name__}, numbers or texts are wanted"
            raise InvalidInputError("column", name, rule, hint=hint)


def _refuse_words(column: pd.Series[str], name: str) -> None:
    """NA and the like turn a column of numbers into one of texts: refused before that happens."""
    from pandas.api.types import is_numeric_dtype

    if is_numeric_dtype(column):
        return
    values: list[object] = [*column]
    for row, value in enumerate(values):
        if isinstance(value, str) and value.strip() in MISSING_WORDS:
            hint = f"{_LEAVE_OUT}, or another word if it is a kind of its own"
            raise InvalidInputError(name, value, f"row {row}: {_RULE}", hint=hint)


def _has_names(path: Path, separator: str) -> bool:
    """Whether the first line has names: a cell of it is no number, or it counts 0, 1, 2…"""
    import pandas as pd

    first = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype=str, keep_default_na=False, na_values=[""])
    cells = pd.Series(first.to_numpy().ravel()).dropna()
    numbers = pd.to_numeric(cells, errors="coerce")
    return bool(numbers.isna().any()) or (len(numbers) > 2 and numbers.tolist() == list(range(len(numbers))))
