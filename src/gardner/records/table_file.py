"""Tables that people hand in as CSV, TSV or Parquet: one reader, and one rule for missing values.

An empty cell is missing, and nothing else is. Words such as NA, null or nan are texts like any
other. In a column of labels they may be the name of a class: None, for no disease. In a column
whose other cells are numbers they are a missing number.

What a missing feature means depends on the question. ``gardner query`` fills it in and says so
(:mod:`gardner.records.encoding`). ``gardner volume`` is exact and refuses it, by column and row
(:func:`check_features`). So it is with a first column without a name, which is the index of a table
as pandas and R write it: the one leaves it out, the other refuses it. Both read their tables here.
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
INDEX = "Unnamed: 0"  # what pandas calls a first column without a name
_RULE = "a feature has a value"
_LEAVE_OUT = "leave the column out"
_CONTAINERS = (bytes, bytearray, list, tuple, dict, np.ndarray)


def read_frame(path: Path, *, named: bool | None = True, texts: Sequence[str] = ()) -> pd.DataFrame:
    """Read a table whose name ends as one of :data:`ENDINGS`.

    ``named`` says whether the first line of a text file has the names of the columns; None means
    that it is looked at. ``texts`` are columns to keep as they are written; in Parquet the index of
    a frame may be one of them.
    """
    import pandas as pd

    ending = path.suffix.lower()
    if ending == ".parquet":
        frame = pd.read_parquet(path)
        frame = frame.reset_index() if set(frame.index.names) & set(texts) else frame
    else:
        try:
            frame = _read_text(path, SEPARATORS[ending], named, texts)
        except (UnicodeDecodeError, pd.errors.ParserError) as error:
            raise _written_otherwise(path, SEPARATORS[ending]) or error from None
        if frame.shape[1] == 1 and (otherwise := _written_otherwise(path, SEPARATORS[ending])):
            raise otherwise
    frame.columns = [str(name) for name in frame.columns]
    return frame


def _read_text(path: Path, separator: str, named: bool | None, texts: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    named = _has_names(path, separator) if named is None else named
    return pd.read_csv(
        path,
        sep=separator,
        header=0 if named else None,
        keep_default_na=False,
        na_values=[""],
        dtype=dict.fromkeys(texts, str) or None,
        low_memory=False,  # whole columns at once, so that each has one type
    )


def _written_otherwise(path: Path, separator: str) -> InvalidInputError | None:
    """Why a text is no table that can be read, where its first line or its letters say so."""
    content = path.read_bytes()
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return InvalidInputError("table", str(path), "its letters are not in UTF-8", hint="save it as UTF-8")
    first = content.splitlines()[0].decode("utf-8-sig") if content else ""
    for other, name, way in ((";", "semicolons", "commas, numbers with a point"), ("\t", "tabs", "the ending .tsv")):
        if other != separator and first.count(other) > first.count(separator):
            rule = f"its columns are separated by {name}"
            return InvalidInputError("table", str(path), rule, hint=f"save it with {way}")
    return None


def check_features(frame: pd.DataFrame, columns: Sequence[str], *, text_file: bool) -> None:
    """Refuse columns that cannot be features, or have a cell without a value."""
    for name in columns:
        refuse_containers(frame, name, hint=f"{_LEAVE_OUT}, or write it otherwise")
        if name == INDEX:
            rule = "its first column has no name, so it looks like the index of a table"
            raise InvalidInputError("table", name, rule, hint="save it without (pandas: index=False)")
        if text_file:
            _refuse_words(frame[name], name)
        empty = np.flatnonzero(frame[name].isna())
        if len(empty):
            raise InvalidInputError(name, f"nothing in row {empty[0]}", _RULE, hint=_LEAVE_OUT)


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
