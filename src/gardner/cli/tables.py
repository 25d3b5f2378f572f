"""Matrices and vectors from the files people have: npy, npz, csv, parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gardner.errors import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd

FORMATS = (".npy", ".npz", ".csv", ".parquet")


def read_matrix(option: str, source: str) -> NDArray[Any]:
    """A matrix; a vector counts as one column."""
    array = _read(option, source)
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


def _read(option: str, source: str) -> NDArray[Any]:
    path, part = _locate(option, source)
    try:
        if path.suffix == ".npy":
            array: NDArray[Any] = np.load(path, allow_pickle=False)
        elif path.suffix == ".npz":
            array = _from_archive(option, path, part)
        else:
            array = _from_table(option, path, part)
    except (ValueError, EOFError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(f"--{option}", source, f"it cannot be read ({' '.join(str(error).split())})") from None
    if array.dtype.kind not in "biuf":
        raise InvalidInputError(f"--{option}", source, f"it holds {array.dtype}, numbers are wanted")
    return array


def _locate(option: str, source: str) -> tuple[Path, str]:
    """The file, and the array or column named after a colon."""
    name, part = source, ""
    if not Path(source).exists() and ":" in source:
        name, part = source.rsplit(":", 1)
    path = Path(name)
    if not path.is_file():
        raise InvalidInputError(f"--{option}", name, "there is no such file")
    if path.suffix not in FORMATS:
        raise InvalidInputError(f"--{option}", name, f"the format must be one of {', '.join(FORMATS)}")
    if part and path.suffix == ".npy":
        raise InvalidInputError(f"--{option}", source, "an npy file holds one array, nothing to choose")
    return path, part


def _from_archive(option: str, path: Path, part: str) -> NDArray[Any]:
    with np.load(path, allow_pickle=False) as archive:
        names = list(archive.files)
        if not part and len(names) > 1:
            part = option if option in names else ""
        if not part and len(names) == 1:
            part = names[0]
        if part not in names:
            hint = f"choose with {path.name}:NAME"
            raise InvalidInputError(f"--{option}", path.name, f"it holds the arrays {', '.join(names)}", hint=hint)
        return np.asarray(archive[part])


def _from_table(option: str, path: Path, part: str) -> NDArray[Any]:
    import pandas as pd

    frame = pd.read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
    if part:
        if part not in frame.columns:
            names = ", ".join(map(str, frame.columns[:20]))
            raise InvalidInputError(f"--{option}", part, f"{path.name} has the columns {names}")
        frame = frame[[part]]
    return frame.to_numpy()


def _read_csv(path: Path) -> pd.DataFrame:
    """With or without a line of names: it is one if any of its cells is no number."""
    import pandas as pd

    first = pd.read_csv(path, header=None, nrows=1)
    named = pd.to_numeric(first.iloc[0], errors="coerce").isna().any() if len(first) else False
    frame = pd.read_csv(path, header=0 if named else None)
    frame.columns = frame.columns.astype(str)
    return frame
