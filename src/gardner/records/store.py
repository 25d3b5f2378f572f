"""A folder of results, one Parquet part a task.

    FOLDER/parts/KEY.parquet     the rows of a task
    FOLDER/timings/KEY.json      where its time went, beside the rows, never in them

A part is written whole (:mod:`gardner.records.files`): a run that is killed leaves all of it or
none. It carries its checksum (:mod:`gardner.records.checksum`). The same rows give the same bytes
(fixed writer settings, no time stamps). Whoever writes holds a lock on the folder that dies with
the process; what a killed run left under temporary names is swept by the next one.

A part that is damaged is an error that names the file, also for a sweep that goes on: it is
neither read nor silently written again. Whoever removes the file loses nothing, as the same task
gives the same rows.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gardner.errors import GardnerError, InvalidInputError
from gardner.records.checksum import State, sealed, state_of
from gardner.records.files import TEMPORARY, WriteError, write_file

if sys.platform != "win32":
    import fcntl

FAILED = "failed"  # the status of the one row of a failed task
KEPT = "what was finished is kept; make room or choose another folder, then run the same command again"


class StoreError(GardnerError):
    """Results cannot be written or read."""


class Store:
    """The parts of a folder. Reading needs nothing; writing happens inside :meth:`writing`."""

    def __init__(self, folder: Path | str) -> None:
        """Nothing is touched yet."""
        self.folder = Path(folder)
        self.parts = self.folder / "parts"
        self.timings = self.folder / "timings"

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """Make the folder, lock out other writers, sweep what a killed one left."""
        if sys.platform == "win32":
            raise StoreError("results can be written, and sweeps run, on Linux and macOS only", hint="use WSL")
        try:
            self.parts.mkdir(parents=True, exist_ok=True)
            self.timings.mkdir(exist_ok=True)
            lock = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            raise _trouble(error, self.folder) from None
        try:
            self._lock(lock)
            self._sweep()
            yield self
        finally:
            os.close(lock)  # and with it the lock: the file stays, removing it would race with the next writer

    def _lock(self, lock: int) -> None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(
                f"another run is writing to {self.folder}", hint="wait for it, or give this one another folder"
            ) from None
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
                raise _trouble(error, self.folder) from None
            # a file system without locks: parts are still whole, only the protection from a second
            # writer is missing

    def _sweep(self) -> None:
        for place in (self.parts, self.timings):
            for leftover in place.glob(f"{TEMPORARY}*"):
                with suppress(OSError):
                    leftover.unlink()
            if not os.access(place, os.W_OK | os.X_OK):
                raise _trouble(PermissionError(errno.EACCES, os.strerror(errno.EACCES)), place)

    def has(self, key: str) -> bool:
        """Whether the task is there, done or failed."""
        return self._part(key).is_file()

    def failed(self, key: str) -> bool:
        """Whether the task is there and failed."""
        import pyarrow as pa  # type: ignore[import-untyped]

        status = pa.schema({"status": pa.string()})
        return self.has(key) and self.read(key, status)["status"].to_pylist() == [FAILED]

    def keys(self) -> list[str]:
        """Every task that is there."""
        return sorted(path.stem for path in self.parts.glob("[!.]*.parquet"))

    def existing(self) -> list[str]:
        """:meth:`keys` of a folder that must be one of results."""
        if not self.parts.is_dir():
            hint = "`gardner bench` makes them"
            raise InvalidInputError("results", str(self.folder), "there are no results", hint=hint)
        return self.keys()

    def write(self, key: str, table: Any, timings: Mapping[str, object] | None = None) -> None:
        """Put a task on disk, in place of what was there. All of it or nothing, and then the
        reason.
        """
        content = sealed(table)
        try:
            # no links are followed: the folder may be somebody else's, and lead anywhere
            if timings is not None:  # first: a part says that the task is finished
                write_file(self.timings / f"{key}.json", json.dumps(timings).encode(), follow=False, force=False)
            write_file(self._part(key), content, follow=False)
        except WriteError as error:
            raise StoreError(error.what, hint=KEPT) from None

    def read(self, key: str, schema: Any) -> Any:
        """The table of one task, of the columns it must have."""
        return self._read([self._part(key)], schema, schema.names)

    def read_all(self, schema: Any, required: Iterable[str], keys: Iterable[str] | None = None) -> Any:
        """The table of all parts, or of some, in the order of their keys. Nobody has looked at
        its values yet; columns that a part does not have are empty, unless they are required.
        """
        paths = [self._part(key) for key in (self.existing() if keys is None else sorted(set(keys)))]
        return self._read(paths, schema, required) if paths else schema.empty_table()

    def verify(self, key: str) -> tuple[State, str]:
        """What is known of the bytes of a part, with the reason if they are not as they were
        written.
        """
        return _state(self._part(key))

    def read_timings(self, key: str) -> dict[str, Any]:
        """What is known about the time of a task; empty if nothing is (timings are not forced to
        disk as parts are).
        """
        try:
            found = json.loads((self.timings / f"{key}.json").read_text())
        except (OSError, ValueError, RecursionError):
            return {}
        return found if _is_timing(found) else {}

    def _part(self, key: str) -> Path:
        return self.parts / f"{key}.parquet"

    def _read(self, paths: list[Path], schema: Any, required: Iterable[str]) -> Any:
        """The table of some parts, once every byte of them is known to be as it was written."""
        damaged = [(path, reason) for path in paths for state, reason in [_state(path)] if state is State.DAMAGED]
        if damaged:
            raise self._broken(*damaged[0], more=len(damaged) - 1)
        try:
            return self._table(paths, schema, required)
        except StoreError:
            for path in paths:  # one of them is to blame, and readers want to know which
                self._table([path], schema, required)
            raise

    def _table(self, paths: list[Path], schema: Any, required: Iterable[str]) -> Any:
        from pyarrow import ArrowException, dataset

        names = [str(path) for path in paths]
        try:
            table = dataset.dataset(names, schema=schema, format="parquet").to_table()
            table.validate(full=True)  # texts that are no text
        except (ArrowException, OSError, OverflowError) as error:
            raise self._broken(paths[0], str(error).splitlines()[0]) from None
        self._check_columns(paths, table, required)
        return table

    def _check_columns(self, paths: list[Path], table: Any, required: Iterable[str]) -> None:
        """Columns that are not there are read as nulls; and a part is found by the key that its
        rows have.
        """
        for name in required:
            if table[name].null_count:
                raise self._broken(paths[0], f"it is not of `gardner bench`: {name} is missing")
        if "key" in table.column_names and {*table["key"].to_pylist()} != {path.stem for path in paths}:
            raise self._broken(paths[0], "its rows are those of another part")

    def _broken(self, path: Path, reason: str, more: int = 0) -> StoreError:
        others = f" (and {more} more: verify_results({str(self.folder)!r}) lists them)" if more else ""
        return StoreError(
            f"{path} cannot be read: {reason}{others}",
            hint="remove that file and run `gardner bench` again: the same task gives the same rows",
        )


def _state(path: Path) -> tuple[State, str]:
    """What is known of the bytes of a part, with the reason if they are not as they were written."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return State.DAMAGED, "it is no file"
        state = state_of(path.read_bytes())
    except OSError as error:
        return State.DAMAGED, error.strerror or str(error)
    return state, "it is damaged, its checksum does not fit" if state is State.DAMAGED else ""


def _is_timing(found: object) -> bool:
    """Whether a JSON value is what :meth:`Store.write` is given: numbers by name, and lists of
    such.
    """

    def numbers(record: object) -> bool:
        return isinstance(record, dict) and all(isinstance(one, int | float) for one in record.values())

    if not isinstance(found, dict):
        return False
    rounds = found.get("rounds", [])
    plain = {name: one for name, one in found.items() if name != "rounds"}
    return isinstance(rounds, list) and all(map(numbers, rounds)) and numbers(plain)


def _trouble(error: OSError, place: Path) -> StoreError:
    return StoreError(f"cannot write to {place}: {error.strerror or error}", hint=KEPT)
