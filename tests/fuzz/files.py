"""The files that cases meet: good ones of every kind, and what is done to them.

A recipe is ``{"make": NAME, …options}`` and may have ``mode``, the permissions in octal digits.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fuzz.archives import ARCHIVES
from tests.fuzz.case import Recipe
from tests.fuzz.stores import make_store
from tests.fuzz.table_files import TABLES
from tests.fuzz.texts import TEXTS

# makers of bytes
BYTES: dict[str, Callable[..., bytes]] = {**TEXTS, **TABLES, **ARCHIVES}
_DEVICES = {"null": 3, "full": 7}  # /dev/null and /dev/full are the devices 1:3 and 1:7


def content(recipe: Recipe) -> bytes:
    """The bytes of a recipe."""
    options = {key: value for key, value in recipe.items() if key not in ("make", "mode")}
    return BYTES[recipe["make"]](**options)


def _flip(of: Recipe, bits: list[int]) -> bytes:
    """Another recipe with some bits turned; a bit's number is taken modulo the length."""
    data = bytearray(content(of))
    for bit in bits if data else []:
        data[(bit // 8) % len(data)] ^= 1 << (bit % 8)
    return bytes(data)


def _cut(of: Recipe, at: float) -> bytes:
    """The first part of another recipe."""
    data = content(of)
    return data[: int(at * len(data))]


def _joined(of: list[Recipe]) -> bytes:
    return b"".join(map(content, of))


BYTES |= {"flip": _flip, "cut": _cut, "joined": _joined}


def _folder(path: Path) -> None:
    path.mkdir(parents=True, exist_ok=True)


def _link(path: Path, to: str) -> None:
    path.symlink_to(to)


def _device(path: Path, kind: str) -> None:
    """A device of the scratch folder's own: the machine's must not be what a bug destroys."""
    try:
        os.mknod(path, 0o020666, os.makedev(1, _DEVICES[kind]))
    except PermissionError:  # only root makes devices
        os.mkfifo(path)


PLACES: dict[str, Callable[..., None]] = {
    "folder": _folder,
    "fifo": os.mkfifo,
    "link": _link,
    "device": _device,
    "store": make_store,
}
MAKERS = {*BYTES, *PLACES}


def make(path: Path, recipe: Recipe) -> None:
    """Put a recipe on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    options: dict[str, Any] = {key: value for key, value in recipe.items() if key not in ("make", "mode")}
    if recipe["make"] in PLACES:
        PLACES[recipe["make"]](path, **options)
    else:
        path.write_bytes(content(recipe))
    if "mode" in recipe:
        path.chmod(int(recipe["mode"], 8))
