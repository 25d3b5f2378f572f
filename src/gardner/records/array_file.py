"""Matrices and vectors from the files people have: npy, npz, csv, tsv, parquet.

``name`` is what errors call the argument: ``rows`` in Python, ``--rows`` on the command line.
A source is a path; one of several arrays or columns is chosen with a colon, FILE:NAME.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from gardner.errors import InvalidInputError
from gardner.records.table_file import ENDINGS, SEPARATORS, check_features, read_frame
from gardner.records.user_file import array_names, check_regular, load_array, load_member, reading

Numbers = NDArray[np.number]
FORMATS = (".npy", ".npz", *ENDINGS)


def read_matrix(name: str, source: str, without: str = "") -> Numbers:
    """A matrix; a vector counts as one column.

    ``without`` names the source of labels: where it is a column of the same table, it is no
    feature.
    """
    array = _read(name, source, without)
    if array.ndim not in (1, 2):
        raise InvalidInputError(name, source, f"it holds an array of shape {array.shape}, a matrix is wanted")
    return array[:, None] if array.ndim == 1 else array


def read_vector(name: str, source: str) -> Numbers:
    """A vector; a matrix of one column or one line counts."""
    array = _read(name, source)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1:
        raise InvalidInputError(
            name, source, f"it holds an array of shape {array.shape}, one column is wanted",
            hint="name one with FILE:COLUMN",
        )  # fmt: skip
    return array


def _read(name: str, source: str, without: str = "") -> Numbers:
    array: NDArray[np.generic]
    with reading(name, source):
        path, part = _locate(name, source)
        if path.suffix.lower() == ".npy":
            array = load_array(path)
        elif path.suffix.lower() == ".npz":
            array = _from_archive(name, path, part)
        else:
            array = _from_table(name, path, part, "" if part or not without else _same_table(path, name, without))
    if array.dtype.kind not in "biuf":
        raise InvalidInputError(name, source, f"it holds {array.dtype}, numbers are wanted")
    return cast(Numbers, array)


def _locate(name: str, source: str) -> tuple[Path, str]:
    """The file, and the array or column named after a colon."""
    file, part = source, ""
    if not Path(source).exists() and ":" in source:
        file, part = source.rsplit(":", 1)
    path = Path(file)
    if not path.exists():
        raise InvalidInputError(name, file, "there is no such file")
    check_regular(name, path)
    if path.suffix.lower() not in FORMATS:
        raise InvalidInputError(name, file, f"the format must be one of {', '.join(FORMATS)}")
    if part and path.suffix.lower() == ".npy":
        raise InvalidInputError(name, source, "an npy file holds one array, nothing to choose")
    return path, part


def _from_archive(name: str, path: Path, part: str) -> NDArray[np.generic]:
    names = array_names(path)
    if not part:  # the only array, or the one called as the argument
        part = names[0] if len(names) == 1 else name.lstrip("-")
    if part not in names:
        hint = f"choose with {path.name}:NAME" if names else ""
        rule = f"it holds the arrays {', '.join(names)}" if names else "it holds no array"
        raise InvalidInputError(name, path.name, rule, hint=hint)
    return load_member(path, part)


def _same_table(path: Path, name: str, without: str) -> str:
    """The column of labels, where it is one of this table."""
    other, column = _locate(name, without)
    return column if other.samefile(path) else ""


def _from_table(name: str, path: Path, part: str, without: str) -> NDArray[np.generic]:
    from pandas.api.types import is_numeric_dtype

    frame = read_frame(path, named=None)
    if part:
        if part not in frame.columns:
            raise InvalidInputError(name, part, f"{path.name} has the columns {', '.join(frame.columns[:20])}")
        frame = frame[[part]]
    elif without in frame.columns:
        frame = frame.drop(columns=without)
    check_features(frame, list(frame.columns), text_file=path.suffix.lower() in SEPARATORS)
    if all(is_numeric_dtype(kind) for kind in frame.dtypes):
        return frame.to_numpy(dtype=float, na_value=np.nan)
    return frame.to_numpy()
