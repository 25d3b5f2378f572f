"""Whether a file is all there, by its ending."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree


def trouble(path: Path) -> str:
    """What is missing from a file; empty if nothing is, or if its ending says nothing."""
    data = path.read_bytes()
    ending = path.suffix.lower()
    if not data and path.name not in (".lock", "CANARY"):
        return "it is empty"
    if ending == ".json":
        return strict_json(data.decode())
    if ending == ".csv":
        return _table(data.decode())
    if ending == ".parquet":
        return _parquet(data)
    if ending == ".svg":
        return _xml(data)
    if ending in _ENDS:
        start, end = _ENDS[ending]
        complete = data.lstrip().startswith(start) and data.rstrip().endswith(end)
        return "" if complete else f"it begins with {data[:20]!r} and ends with {data[-20:]!r}"
    return ""


_ENDS = {
    ".png": (b"\x89PNG", b"IEND\xaeB`\x82"),
    ".pdf": (b"%PDF", b"%%EOF"),
    ".html": (b"<!", b"</html>"),
}


def strict_json(text: str) -> str:
    """What is wrong with JSON; the words NaN and Infinity are."""

    def refuse(word: str) -> NoReturn:
        raise ValueError(f"{word} is no JSON")

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError as error:
        return f"not strict JSON: {error}"
    return ""


def _table(text: str) -> str:
    lines = list(csv.reader(io.StringIO(text)))
    if len({len(line) for line in lines}) != 1:
        return "its lines have different lengths"
    if any(cell.lower() in ("nan", "-nan") for line in lines[1:] for cell in line):
        return "it holds NaN"
    return "" if text.endswith("\n") else "its last line has no end"


def _parquet(data: bytes) -> str:
    import pyarrow.parquet as parquet  # type: ignore[import-untyped]
    from pyarrow import ArrowException

    try:
        parquet.read_table(io.BytesIO(data))
    except (ArrowException, OSError) as error:
        return str(error)
    return ""


def _xml(data: bytes) -> str:
    try:
        ElementTree.fromstring(data)  # noqa: S314 - our own figure
    except ElementTree.ParseError as error:
        return str(error)
    return ""
