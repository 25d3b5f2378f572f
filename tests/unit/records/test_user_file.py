"""Files that are not what they seem: refused in one line that speaks of reading, exit code 2."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

Maker = Callable[[Path], object]


def npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def header(shape: str, kind: str = "<f8") -> bytes:
    """An npy file that promises a shape, and holds eight bytes."""
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + bytes(8)


def archive(path: Path, **members: bytes) -> None:
    with zipfile.ZipFile(path, "w") as target:
        for name, content in members.items():
            target.writestr(f"{name}.npy", content)


def good_archive() -> bytes:
    stream = io.BytesIO()
    np.savez(stream, x=np.ones((3, 2)), y=np.array([1.0, -1.0, 1.0]))
    return stream.getvalue()


def encrypted(path: Path) -> None:
    content = bytearray(good_archive())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the bit of encryption, in both headers
        for place in _all(content, mark):
            content[place + offset] |= 1
    path.write_bytes(content)


def unknown_method(path: Path) -> None:
    content = bytearray(good_archive())
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        for place in _all(content, mark):
            content[place + offset] = 97
    path.write_bytes(content)


def _all(content: bytearray, mark: bytes) -> list[int]:
    return [place for place in range(len(content)) if content[place : place + 4] == mark]


def corrupt(content: bytes, place: float) -> bytes:
    at = int(len(content) * place)
    return content[:at] + bytes(byte ^ 0xFF for byte in content[at : at + 64]) + content[at + 64 :]


def parquet(**columns: Any) -> Maker:
    return lambda path: pd.DataFrame(columns).to_parquet(path)


def corrupt_parquet(path: Path) -> None:
    pd.DataFrame({"x": np.arange(500.0), "y": np.ones(500)}).to_parquet(path)
    content = path.read_bytes()
    path.write_bytes(content[:4] + bytes(len(content) - 100) + content[-96:])


FILES: dict[str, Maker] = {
    "encrypted.npz": encrypted,
    "method.npz": unknown_method,
    "corrupt.npz": lambda path: path.write_bytes(corrupt(good_archive(), 0.2)),
    "directory.npz": lambda path: path.write_bytes(corrupt(good_archive(), 0.8)),
    "text.npz": lambda path: path.write_text("x,y\n1,1\n"),
    "empty.npz": lambda path: path.write_bytes(b""),
    "nothing-inside.npz": lambda path: archive(path),
    "text-inside.npz": lambda path: archive(path, x=b"hello", y=npy(np.ones(3))),
    "empty-inside.npz": lambda path: archive(path, x=b"", y=npy(np.ones(3))),
    "objects.npz": lambda path: archive(path, x=npy(np.array([[{}]])), y=npy(np.ones(1))),
    "huge.npz": lambda path: archive(path, x=header("(1000000000000, 2)"), y=npy(np.ones(3))),
    "folder.npz": lambda path: path.mkdir(),
    "empty.npy": lambda path: path.write_bytes(b""),
    "text.npy": lambda path: path.write_text("1 2 3\n"),
    "half.npy": lambda path: path.write_bytes(npy(np.ones((50, 2)))[:300]),
    "magic.npy": lambda path: path.write_bytes(b"\x93NUMPY"),
    "version.npy": lambda path: path.write_bytes(b"\x93NUMPY\x09\x00" + npy(np.ones(2))[8:]),
    "huge.npy": lambda path: path.write_bytes(header("(1000000000000, 2)")),
    "overflow.npy": lambda path: path.write_bytes(header("(4611686018427387904, 4)")),
    "negative.npy": lambda path: path.write_bytes(header("(-1, 2)")),
    "kind.npy": lambda path: path.write_bytes(header("(1,)", "<q9")),
    "no-header.npy": lambda path: path.write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + b"(" * 117 + b"\n"),
    "objects.npy": lambda path: path.write_bytes(npy(np.array([[{}]]))),
    "texts.npy": lambda path: path.write_bytes(npy(np.array([["a"]]))),
    "empty.csv": lambda path: path.write_bytes(b""),
    "nul.csv": lambda path: path.write_bytes(b"x,y\n\x00\x00\x00,1\n1\x002,0\n"),
    "utf16.csv": lambda path: path.write_bytes("x,y\n1,ä\n".encode("utf-16")),
    "latin.csv": lambda path: path.write_bytes("größe,y\n1,1\n".encode("latin-1")),
    "binary.csv": lambda path: path.write_bytes(bytes(range(256)) * 4),
    "quote.csv": lambda path: path.write_text('x,y\n"1,2\n'),
    "ragged.csv": lambda path: path.write_text("x,y\n1,2\n1,2,3,4\n"),
    "folder.csv": lambda path: path.mkdir(),
    "fifo.csv": os.mkfifo,
    "zero.csv": lambda path: path.symlink_to("/dev/zero"),
    "gone.csv": lambda path: path.symlink_to(path),
    "folder.parquet": lambda path: path.mkdir(),
    "empty.parquet": lambda path: path.write_bytes(b""),
    "text.parquet": lambda path: path.write_text("x,y\n1,1\n"),
    "corrupt.parquet": corrupt_parquet,
    "bytes.parquet": parquet(x=[b"\xff\xfe", b"\x00"], y=[b"\xff", b"\xfe"]),
    "lists.parquet": parquet(x=[[1.0], [2.0]], y=[1.0, -1.0]),
    "records.parquet": parquet(x=[{"a": 1}, {"a": 2}], y=[1.0, -1.0]),
    "label-lists.parquet": parquet(x=[1.0, 2.0], y=[[1.0], [2.0]]),
    "label-bytes.parquet": parquet(x=[1.0, 2.0], y=[b"\xff", b"\xfe"]),
}


def refused(answer: tuple[int, str, str]) -> None:
    code, out, err = answer
    assert (code, out, len(err.splitlines())) == (2, "", 1), err
    assert err.startswith("error: ")
    for word in ("Traceback", "written", "interrupted"):
        assert word not in err
    assert len(err) < 1200


@pytest.mark.parametrize("name", FILES)
def test_volume_refuses(gardner: Any, tmp_path: Path, name: str) -> None:
    FILES[name](tmp_path / name)
    np.save(tmp_path / "good.npy", np.array([1.0, -1.0, 1.0]))
    part = ":x" if name.endswith("npz") and "nothing" not in name else ""
    rows = gardner("volume", "--rows", f"{tmp_path / name}{part}", "--labels", tmp_path / "good.npy")
    if name == "label-lists.parquet":
        rows = gardner("volume", "--rows", f"{tmp_path / name}", "--labels", f"{tmp_path / name}:y")
    refused(rows)


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith(".npy")])
def test_query_refuses(gardner: Any, tmp_path: Path, name: str) -> None:
    FILES[name](tmp_path / name)
    refused(gardner("query", tmp_path / name, "--label", "y"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(gardner: Any, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("x,y\n1,1\n")
    (tmp_path / "x.csv").chmod(0)
    refused(gardner("query", tmp_path / "x.csv", "--label", "y"))
    refused(gardner("volume", "--rows", tmp_path / "x.csv", "--labels", tmp_path / "x.csv:y"))
