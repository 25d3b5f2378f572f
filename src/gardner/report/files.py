"""Files that are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

from gardner.records.unfinished import unfinished


def write_whole(content: bytes, path: Path) -> None:
    """Write under a temporary name, then rename: a killed run leaves the old file or the new one, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".part-{path.name}")
    with unfinished(temporary):
        temporary.write_bytes(content)
        temporary.replace(path)
