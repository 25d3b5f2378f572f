"""Files people hand in, which may be anything: what cannot be read is an error that says so."""

from __future__ import annotations

import math
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from gardner.errors import GardnerError, InvalidInputError

_NOT_SO = "the file is not what its name says"


@contextmanager
def reading(name: str, path: Path | str) -> Iterator[None]:
    """Whatever goes wrong inside is an error about reading the file; ``name`` is the argument that
    named it.
    """
    try:
        yield
    except GardnerError:
        raise
    except Exception as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        if isinstance(error, RecursionError):
            reason = "it is nested too deeply"
        raise InvalidInputError(name, str(path), f"it cannot be read ({' '.join(reason.split())})") from None


def check_regular(name: str, path: Path) -> None:
    """A file with an end: a pipe may keep us waiting, a device may never stop."""
    with reading(name, path):
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InvalidInputError(name, str(path), "it is a folder, a file is wanted")
        if not stat.S_ISREG(mode):
            raise InvalidInputError(name, str(path), "it is no regular file", hint="copy it to one")


def load_array(path: Path) -> NDArray[np.generic]:
    """The array of an npy file."""
    with path.open("rb") as stream:
        return _load(stream, path.stat().st_size)


def array_names(path: Path) -> list[str]:
    """The names of the arrays of an npz file."""
    if not zipfile.is_zipfile(path):
        raise ValueError(f"{_NOT_SO}: no npz archive, or not all of it")
    with zipfile.ZipFile(path) as archive:
        return [name.removesuffix(".npy") for name in archive.namelist()]


def load_member(path: Path, name: str) -> NDArray[np.generic]:
    """One array of an npz file."""
    with zipfile.ZipFile(path) as archive:
        members = archive.namelist()
        member = archive.getinfo(f"{name}.npy" if f"{name}.npy" in members else name)
        with archive.open(member) as stream:
            return _load(stream, member.file_size)


def _load(stream: IO[bytes], size: int) -> NDArray[np.generic]:
    """An array whose header promises no more than there is: memory is taken before the first number
    is read.
    """
    try:
        version = np.lib.format.read_magic(stream)
    except ValueError:
        raise ValueError(f"{_NOT_SO}: no npy array begins like this") from None
    read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, kind = read_header(stream)
    if min(shape, default=0) < 0:
        raise ValueError(f"it promises an array of shape {shape}")
    if kind.hasobject:
        raise ValueError("it holds objects of Python, no plain arrays")
    if math.prod(shape) * kind.itemsize > size:
        raise ValueError(f"it promises an array of shape {shape}, and is too short for it")
    stream.seek(0)
    return np.asarray(np.load(stream, allow_pickle=False))
