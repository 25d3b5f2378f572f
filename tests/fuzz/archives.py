"""npy and npz files, good and bad."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tests.fuzz.texts import CANARY


def arrays(rows: int, columns: int, seed: int = 0) -> tuple[Any, Any]:
    """A matrix of Gaussian rows and the labels that one weight vector gives."""
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(rows, columns)) / np.sqrt(max(columns, 1))
    return matrix, np.where(matrix @ random.normal(size=columns) < 0.0, -1.0, 1.0)


def _saved(array: Any) -> bytes:
    sink = io.BytesIO()
    np.save(sink, array, allow_pickle=True)
    return sink.getvalue()


def _rows(rows: int = 12, columns: int = 6, dtype: str = "float64", seed: int = 0) -> bytes:
    return _saved(arrays(rows, columns, seed)[0].astype(dtype))


def _labels(rows: int = 12, columns: int = 6, dtype: str = "float64", seed: int = 0) -> bytes:
    return _saved(arrays(rows, columns, seed)[1].astype(dtype))


def _filled(value: str, shape: list[int], dtype: str = "float64") -> bytes:
    """An array of one value, such as nan, inf or 1e308."""
    return _saved(np.full(shape, float(value)).astype(dtype))


def _strange(kind: str) -> bytes:
    """Arrays that are no matrix of numbers."""
    shapes: dict[str, Any] = {
        "object": np.array([{"a": 1}, None], dtype=object),
        "text": np.array(["a", "b"]),
        "bytes": np.array([b"a", b"\xff"]),
        "complex": np.ones((3, 2), dtype=complex),
        "record": np.zeros(3, dtype=[("a", float), ("b", int)]),
        "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
        "scalar": np.array(1.0),
        "empty": np.zeros((0, 0)),
        "no_columns": np.zeros((5, 0)),
        "no_rows": np.zeros((0, 5)),
        "cube": np.zeros((2, 2, 2)),
        "bool": np.ones((4, 2), dtype=bool),
        "half": np.ones((4, 2), dtype="float16"),
        "big_endian": np.ones((4, 2), dtype=">f8"),
        "fortran": np.asfortranarray(arrays(12, 6)[0]),
        "uint64": np.full((4, 2), 2**64 - 1, dtype="uint64"),
        "longdouble": np.ones((4, 2), dtype="longdouble"),
    }
    return _saved(shapes[kind])


def _header(header: str, body: int = 16) -> bytes:
    """An npy file of any header, which may promise more than there is."""
    text = header.encode("latin-1", errors="replace") + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + b"\0" * body


class _Touch:
    """A pickle that leaves the canary when it is read."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(CANARY),)


def _pickled() -> bytes:
    return pickle.dumps(_Touch())


def _npy_pickled() -> bytes:
    return _saved(np.array([_Touch()], dtype=object))


def _npz(rows: int = 12, columns: int = 6, labels: str = "labels", spoil: str = "", seed: int = 0) -> bytes:
    """Rows and labels in one archive; ``spoil`` names what is wrong with it."""
    matrix, vector = arrays(rows, columns, seed)
    members = {"rows.npy": _saved(matrix), f"{labels}.npy": _saved(vector)}
    if spoil == "text":
        members = {"rows.npy": b"these are words", "labels.npy": b"and more of them"}
    elif spoil == "no_ending":
        members = {"rows": b"words", "labels": b"words"}
    elif spoil == "pickle":
        members = {"rows.npy": _npy_pickled(), f"{labels}.npy": _npy_pickled()}
    elif spoil == "empty":
        members = {}
    elif spoil == "odd_names":
        members = {"../rows.npy": _saved(matrix), "\x1b[31m.npy": _saved(vector)}
    elif spoil == "empty_member":
        members = {"rows.npy": b"", f"{labels}.npy": b""}
    return _zipped(members, spoil)


def _zipped(members: dict[str, bytes], spoil: str) -> bytes:
    sink = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if spoil in ("deflate", "checksum") else zipfile.ZIP_STORED
    with zipfile.ZipFile(sink, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, compress_type=method)
    whole = bytearray(sink.getvalue())
    # (offset in the local header, offset in the directory, what is written there)
    changes = {"encrypted": (6, 8, b"\1"), "method": (8, 10, b"\x63"), "checksum": (14, 16, b"\xff")}
    if spoil in changes:
        local, listed, value = changes[spoil]
        for mark, offset in ((b"PK\3\4", local), (b"PK\1\2", listed)):
            place = whole.find(mark)
            while place >= 0:
                whole[place + offset : place + offset + 1] = value
                place = whole.find(mark, place + 4)
    return bytes(whole)


ARCHIVES: dict[str, Callable[..., bytes]] = {
    "rows_npy": _rows,
    "labels_npy": _labels,
    "filled_npy": _filled,
    "strange_npy": _strange,
    "header_npy": _header,
    "pickle": _pickled,
    "pickled_npy": _npy_pickled,
    "npz": _npz,
}
_STRANGE = (
    "object text bytes complex record dates scalar empty no_columns no_rows cube bool half "
    "big_endian fortran uint64 longdouble"
)
STRANGE = _STRANGE.split()
_SPOILS = "text no_ending pickle empty odd_names empty_member encrypted method checksum deflate"
SPOILS = _SPOILS.split()
