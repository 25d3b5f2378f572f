"""Matrices and vectors from the files people have: npy, npz, csv, parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gardner.errors import InvalidInputError
from gardner.records.user_file import array_names, check_regular, load_array, load_member, reading

if TYPE_CHECKING:
    import pandas as pd

FORMATS = (".npy", ".npz", ".csv", ".parquet")


def read_matrix(option: str, source: str, without: str = "") -> NDArray[Any]:
    """A matrix; a vector counts as one column. ``without`` names the source of labels: no feature of the same table."""
    array = _read(option, source, without)
    if array.ndim not in (1, 2):
        raise InvalidInputError(f"--{option}", source, f"it holds an array of shape {array.shape}, a matrix is wanted")
    return array[:, None] if array.ndim == 1 else array


def read_vector(option: str, source: str) -> NDArray[Any]:
    """A vector; a matrix of one column or one line counts."""
    array = _read(option, source)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1:
        raise InvalidInputError(
            f"--{option}", source, f"it holds an array of shape {array.shape}, one column is wanted",
            hint="name one with FILE:COLUMN",
        )  # fmt: skip
    return array


def _read(option: str, source: str, without: str = "") -> NDArray[Any]:
    with reading(f"--{option}", source):
        path, part = _locate(option, source)
        if path.suffix == ".npy":
            array = load_array(path)
        elif path.suffix == ".npz":
            array = _from_archive(option, path, part)
        else:
            array = _from_table(option, path, part, "" if part or not without else _same_table(path, option, without))
    if array.dtype.kind not in "biuf":
        raise InvalidInputError(f"--{option}", source, f"it holds {array.dtype}, numbers are wanted")
    return array


def _locate(option: str, source: str) -> tuple[Path, str]:
    """The file, and the array or column named after a colon."""
    name, part = source, ""
    if not Path(source).exists() and ":" in source:
        name, part = source.rsplit(":", 1)
    path = Path(name)
    if not path.exists():
        raise InvalidInputError(f"--{option}", name, "there is no such file")
    check_regular(f"--{option}", path)
    if path.suffix not in FORMATS:
        raise InvalidInputError(f"--{option}", name, f"the format must be one of {', '.join(FORMATS)}")
    if part and path.suffix == ".npy":
        raise InvalidInputError(f"--{option}", source, "an npy file holds one array, nothing to choose")
    return path, part


def _from_archive(option: str, path: Path, part: str) -> NDArray[Any]:
    names = array_names(path)
    if not part and len(names) > 1:
        part = option if option in names else ""
    if not part and len(names) == 1:
        part = names[0]
    if part not in names:
        hint = f"choose with {path.name}:NAME" if names else ""
        told = f"it holds the arrays {', '.join(names)}" if names else "it holds no array"
        raise InvalidInputError(f"--{option}", path.name, told, hint=hint)
    return load_member(path, part)


def _same_table(path: Path, option: str, without: str) -> str:
    """The column of labels, where it is one of this table."""
    other, column = _locate(option, without)
    return column if other.samefile(path) else ""


def _from_table(option: str, path: Path, part: str, without: str) -> NDArray[Any]:
    import pandas as pd

    frame = pd.read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
    if part:
        if part not in frame.columns:
            names = ", ".join(map(str, frame.columns[:20]))
            raise InvalidInputError(f"--{option}", part, f"{path.name} has the columns {names}")
        frame = frame[[part]]
    elif without in frame.columns:
        frame = frame.drop(columns=without)
    if "Unnamed: 0" in frame.columns:
        raise InvalidInputError(
            f"--{option}", path.name, "its first column has no name, so it looks like the index of a table",
            hint="save it without (pandas: index=False)",
        )  # fmt: skip
    if all(pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes):
        return frame.to_numpy(dtype=float, na_value=np.nan)
    return frame.to_numpy()


def _read_csv(path: Path) -> pd.DataFrame:
    """With or without a line of names: it is one if any of its cells is text and no number, or if it counts 0, 1, 2…"""
    import pandas as pd

    first = pd.read_csv(path, header=None, nrows=1, dtype=str)
    cells = pd.Series(first.to_numpy().ravel()).dropna()
    numbers = pd.to_numeric(cells, errors="coerce")
    named = bool(numbers.isna().any()) or (len(numbers) > 2 and numbers.tolist() == list(range(len(numbers))))
    frame = pd.read_csv(path, header=0 if named else None)
    frame.columns = frame.columns.astype(str)
    return frame
