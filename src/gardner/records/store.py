"""A folder of results, one Parquet part a task.

    FOLDER/parts/KEY.parquet     the rows of a task
    FOLDER/timings/KEY.json      where its time went, beside the rows, never in them

A part is written under a temporary name in the same folder, forced to disk and renamed: a run that is killed leaves
the whole part or none. The same rows give the same bytes (fixed writer settings, no time stamps). Whoever writes holds
a lock on the folder that dies with the process; what a killed run left under temporary names is swept by the next one.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gardner.errors import GardnerError, InvalidInputError
from gardner.records.tables import FAILED, REQUIRED, SCHEMA

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    import pandas as pd

_TEMPORARY = ".writing-"  # Parquet readers pass over names that begin with a dot


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
            lock = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
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
            # a file system without locks: parts are still whole, only the protection from a second writer is missing

    def _sweep(self) -> None:
        for place in (self.parts, self.timings):
            for leftover in place.glob(f"{_TEMPORARY}*"):
                with suppress(OSError):
                    leftover.unlink()
            if not os.access(place, os.W_OK | os.X_OK):
                raise _trouble(PermissionError(errno.EACCES, os.strerror(errno.EACCES)), place)

    def has(self, key: str) -> bool:
        """Whether the task is there, done or failed."""
        return self._part(key).is_file()

    def failed(self, key: str) -> bool:
        """Whether the task is there and failed."""
        return self.has(key) and self._read([self._part(key)], ["status"])["status"].to_pylist() == [FAILED]

    def keys(self) -> list[str]:
        """Every task that is there."""
        return sorted(path.stem for path in self.parts.glob("[!.]*.parquet"))

    def write(self, key: str, table: Any, timings: Mapping[str, Any] | None = None) -> None:
        """Put a task on disk, in place of what was there. All of it or nothing, and then the reason."""
        import pyarrow.parquet as parquet  # type: ignore[import-untyped]
        from pyarrow import BufferOutputStream

        sink = BufferOutputStream()
        # snappy and not zstd: setting that up costs more than a part is worth
        parquet.write_table(table, sink, compression="snappy", version="2.6", data_page_version="1.0")
        if timings is not None:  # first: a part says that the task is finished
            _put(self.timings / f"{key}.json", json.dumps(timings).encode(), force=False)
        _put(self._part(key), sink.getvalue().to_pybytes(), force=True)

    def read(self, key: str) -> Any:
        """The table of one task, whatever its columns."""
        import pyarrow.parquet as parquet
        from pyarrow import ArrowException

        try:
            return parquet.read_table(self._part(key))
        except (ArrowException, OSError) as error:
            raise self._broken(f"{self._part(key).name}: {str(error).splitlines()[0]}") from None

    def read_all(self) -> pd.DataFrame:
        """The rows of all parts, in the order of their keys."""
        if not self.parts.is_dir():
            raise InvalidInputError(
                "results", str(self.folder), "there are no results", hint="`gardner bench` makes them"
            )
        paths = [self._part(key) for key in self.keys()]
        table = self._read(paths, SCHEMA.names) if paths else SCHEMA.empty_table()
        if any(table[name].null_count for name in REQUIRED):  # columns that are not there are read as nulls
            raise self._broken(f"{self._foreign(paths)} is not of `gardner bench`")
        frame: pd.DataFrame = table.to_pandas()
        return frame

    def read_timings(self, key: str) -> dict[str, Any]:
        """What is known about the time of a task; empty if nothing is (timings are not forced to disk as parts are)."""
        try:
            found: dict[str, Any] = json.loads((self.timings / f"{key}.json").read_text())
        except (FileNotFoundError, ValueError):
            return {}
        return found

    def _part(self, key: str) -> Path:
        return self.parts / f"{key}.parquet"

    def _read(self, paths: list[Path], columns: list[str]) -> Any:
        from pyarrow import ArrowException, dataset

        try:
            return dataset.dataset([str(path) for path in paths], schema=SCHEMA).to_table(columns=columns)
        except (ArrowException, OSError) as error:
            raise self._broken(str(error).splitlines()[0]) from None

    def _foreign(self, paths: list[Path]) -> str:
        import pyarrow.parquet as parquet

        lacking = (path.name for path in paths if not {*REQUIRED} <= {*parquet.read_schema(path).names})
        return next(lacking, "one with empty cells")

    def _broken(self, reason: str) -> StoreError:
        return StoreError(
            f"{self.parts} holds a part that cannot be read: {reason}",
            hint="remove that file and run `gardner bench` again",
        )


def _put(path: Path, content: bytes, *, force: bool) -> None:
    temporary = path.with_name(f"{_TEMPORARY}{os.getpid()}-{path.name}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            if force:
                os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise _trouble(error, path.parent) from None
    except BaseException:  # Ctrl-C
        with suppress(OSError):
            temporary.unlink()
        raise


def _trouble(error: OSError, place: Path) -> StoreError:
    return StoreError(
        f"cannot write to {place}: {error.strerror or error}",
        hint="what was finished is kept; make room or choose another folder, then run the same command again",
    )
