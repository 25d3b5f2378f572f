"""The one writer of whole files: what is there is replaced as a whole, or it stays as it was.

The bytes go to a new file of a random name in the same folder, are forced to disk, and the new
file takes the name of the old one. So a run that is killed leaves the old file or the new one,
never half of one. What is there is respected:

    a plain file                     is replaced; its mode bits are kept; one that nobody may write to is refused
    a link                           stays a link; what it leads to is written
    a terminal, a pipe, /dev/null    is written to, as it cannot be replaced
    a folder, a disk                 is refused
"""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gardner.errors import GardnerError
from gardner.records.unfinished import temporary_file

TEMPORARY = ".writing-"  # Parquet readers pass over names that begin with a dot
# Links followed from a name: as many as Linux itself follows.
_MOST_LINKS = 40
_KERNEL = (Path("/dev"), Path("/proc"))  # what lies here are doors to files, not files
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class WriteError(GardnerError):
    """A file cannot be written."""


def write_file(path: Path, content: bytes, *, follow: bool = True, force: bool = True) -> None:
    """Write a whole file, in place of what was there; folders on the way are made.

    ``follow`` says whether a link is followed (a user who names a link means what it leads to) or
    replaced (in a folder of data that came from somewhere else). ``force`` says whether the bytes
    must be on the disk before the name is.
    """
    try:
        target = _target(path) if follow else path
        if follow and is_door(path):
            _write_through(path, content)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            _replace(target, content, force)
    except (OSError, RuntimeError) as error:  # the latter: folders that are links in a circle
        raise _trouble(path, getattr(error, "strerror", None) or str(error)) from None


def check_writable(path: Path) -> None:
    """Try a place before the work whose result goes there; the file itself is not touched."""
    try:
        target = _target(path)
        if not is_door(path):
            target.parent.mkdir(parents=True, exist_ok=True)
            _replaceable(target)
            with temporary_file(_temporary(target.parent)) as trial:
                os.close(_create(trial))
    except (OSError, RuntimeError) as error:  # the latter: folders that are links in a circle
        raise _trouble(path, getattr(error, "strerror", None) or str(error)) from None


def is_door(path: Path) -> bool:
    """Whether a path leads to a terminal, a pipe, a device: something to write to, which has no
    neighbours.

    >>> is_door(Path("/dev/null")), is_door(Path("page.html"))
    (True, False)
    """
    try:
        kind = path.stat().st_mode
    except OSError:
        return False
    if stat.S_ISDIR(kind):
        return False
    # /dev/stdout leads to a plain file where the shell sent it to one; renaming over that would
    # lose what follows
    return not stat.S_ISREG(kind) or any(_target(path).is_relative_to(place) for place in _KERNEL)


@contextmanager
def passing_folder() -> Iterator[Path]:
    """A new folder that nobody else has, and that is gone in the end, with all that was written
    there.
    """
    with tempfile.TemporaryDirectory(prefix="gardner-") as name:
        yield Path(name)


def _target(path: Path) -> Path:
    """The path behind links, as far as they lead through folders; links of the kernel's are not
    followed.
    """
    for _ in range(_MOST_LINKS):
        place = path.parent.resolve() / path.name
        if not place.is_symlink() or any(place.is_relative_to(one) for one in _KERNEL):
            return place
        path = place.parent / place.readlink()
    raise _trouble(path, "its links lead in a circle")


def _write_through(path: Path, content: bytes) -> None:
    """Write to what is there and cannot be replaced."""
    kind = path.stat().st_mode
    if stat.S_ISBLK(kind):
        raise _trouble(path, "it is a disk", "name a file")
    own = _own_descriptor(path)
    if own is not None:  # opened anew it would begin at its start, and what is printed later would go over it
        descriptor = os.dup(own)
    else:
        waiting = os.O_NONBLOCK if stat.S_ISFIFO(kind) else 0  # or a pipe that nobody reads is waited for
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY | waiting)
        os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _own_descriptor(path: Path) -> int | None:
    """The number of an open file of this process, where a path is another word for it:
    /dev/stdout, /dev/fd/1.
    """
    place = path.parent.resolve() / path.name
    if place.is_symlink() and place.parent == Path("/dev"):
        place = place.parent / place.readlink()
    name = place.name
    mine = place.parent.resolve() == Path(f"/proc/{os.getpid()}/fd")
    return int(name) if mine and name.isdecimal() else None


def _replace(target: Path, content: bytes, force: bool) -> None:
    old = _replaceable(target)
    with temporary_file(_temporary(target.parent)) as temporary:
        with os.fdopen(_create(temporary), "wb") as file:
            if old is not None:
                _liken(file.fileno(), old)
            file.write(content)
            file.flush()
            if force:
                os.fsync(file.fileno())
        temporary.replace(target)


def _replaceable(target: Path) -> os.stat_result | None:
    """What is there, if it may be replaced; a link that is not to be followed may, and has no
    modes of its own.
    """
    try:
        old = target.lstat()
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(old.st_mode):
        return None
    if stat.S_ISDIR(old.st_mode):
        raise _trouble(target, "it is a folder", f"name a file, such as {target / 'out'}{target.suffix}")
    if not stat.S_ISREG(old.st_mode):
        raise _trouble(target, "it is no plain file", "remove it, or name another")
    # the modes are asked as well, since nothing is forbidden to root
    if not old.st_mode & _WRITABLE or not os.access(target, os.W_OK):
        raise _trouble(target, "it is read-only", "chmod u+w allows it, or name another file")
    return old


def _temporary(folder: Path) -> Path:
    """A name that nobody else has."""
    return folder / f"{TEMPORARY}{secrets.token_hex(8)}"


def _create(path: Path) -> int:
    """A new file, with the modes that the user gives to new files."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)


def _liken(descriptor: int, old: os.stat_result) -> None:
    """Give a new file the owner and the modes of the one it takes the place of."""
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(OSError):  # only root may give files away
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _trouble(path: Path, reason: str, hint: str = "check that the place exists and can be written") -> WriteError:
    return WriteError(f"cannot write to {path}: {reason}", hint=hint)
