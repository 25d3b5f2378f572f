"""A Parquet file that carries its own checksum, so that a single changed bit is noticed.

Among the notes at the end of the file (Parquet's key-value metadata) stands one of ours:

    gardner.checksum    sha256 of this file with zeros in these places: 64 letters

The file is written with zeros there, its SHA-256 is taken, and the letters are put in their place.
So the checksum covers every byte, is in the file itself (there is no second file that could be
lost or be older), and the same rows still give the same bytes. Any Parquet reader reads the file
as before.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

_KEY = b"gardner.checksum"
_NOTE = b"sha256 of this file with zeros in these places: "
# Letters of a SHA-256, in hexadecimal.
_LENGTH = 64
_ZEROS = b"0" * _LENGTH
_TRACES = (_KEY, _NOTE[:24], _NOTE[24:])  # a changed bit spoils one of them at most


class State(StrEnum):
    """What is known of the bytes of a part."""

    SOUND = "sound"
    UNKNOWN = "without checksum"  # written by version 0.1.0
    DAMAGED = "damaged"


def sealed(table: pa.Table) -> bytes:
    """The Parquet file of a table, with its checksum."""
    import pyarrow.parquet as parquet  # type: ignore[import-untyped]
    from pyarrow import BufferOutputStream

    sink = BufferOutputStream()
    noted = table.replace_schema_metadata({**(table.schema.metadata or {}), _KEY: _NOTE + _ZEROS})
    # snappy and not zstd: setting that up costs more than a part is worth
    parquet.write_table(noted, sink, compression="snappy", version="2.6", data_page_version="1.0")
    content: bytes = sink.getvalue().to_pybytes()
    return _with(content, content.rindex(_NOTE), hashlib.sha256(content).hexdigest().encode())


def state_of(content: bytes) -> State:
    """Whether the bytes of a file are those that were written."""
    place = content.rfind(_NOTE)
    if place < 0:
        return State.DAMAGED if any(trace in content for trace in _TRACES) else State.UNKNOWN
    written = content[place + len(_NOTE) :][:_LENGTH]
    found = hashlib.sha256(_with(content, place, _ZEROS)).hexdigest().encode()
    return State.SOUND if written == found else State.DAMAGED


def _with(content: bytes, place: int, letters: bytes) -> bytes:
    start = place + len(_NOTE)
    return content[:start] + letters + content[start + _LENGTH :]
