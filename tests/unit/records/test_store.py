"""Parts on disk: whole or not there, the same bytes for the same rows, and one line when the disk
says no.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gardner.errors import InvalidInputError
from gardner.experiment.stored.rows import failure_table, read_rows, run_table
from gardner.records import FAILED, Store, StoreError

TASK = {
    "key": "k", "code": "c", "strategy": "random", "parameters": "{}", "features": 10, "pool_ratio": 3.0,
    "run_budget": 0.2, "batch_size": 1, "seed": 0, "test_rows": 0, "variances": "vector", "dtype": "float32",
}  # fmt: skip
ROUND = {"labels": 1, "budget": 0.1, "log_volume": -0.07, "accuracy": 0.6, "status": "converged", "iterations": 7}


def table(key: str = "k") -> Any:
    return run_table({**TASK, "key": key, "informed": False}, [ROUND, {**ROUND, "labels": 2, "budget": 0.2}])


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_rows_come_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "results")
    with store.writing():
        store.write("b", table("b"), {"seconds": 1.5})
        store.write("a", failure_table({**TASK, "key": "a"}, "KeyError: 'x'", "raised at mine.py:3"))
        assert store.has("a")
        assert store.has("b")
        assert not store.has("c")
        assert (store.failed("a"), store.failed("b"), store.failed("c")) == (True, False, False)
    frame = read_rows(store.folder)
    assert frame["key"].tolist() == ["a", "b", "b"]
    assert frame["status"].tolist() == [FAILED, "converged", "converged"]
    assert frame["round"].tolist()[1:] == [0, 1]
    assert frame["reason"].tolist()[0] == "KeyError: 'x'"
    assert "seconds" not in frame
    assert store.read_timings("b") == {"seconds": 1.5}
    assert store.read_timings("a") == {}


def test_the_same_rows_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        store = Store(tmp_path / name)
        with store.writing():
            store.write("k", table(), {"seconds": float(len(name))})
    assert (tmp_path / "one/parts/k.parquet").read_bytes() == (tmp_path / "two/parts/k.parquet").read_bytes()


def test_a_failure_is_replaced_by_a_run(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.writing():
        store.write("k", failure_table(TASK, "TimeLimit"))
        store.write("k", table())
    assert not store.failed("k")
    assert len(read_rows(store.folder)) == 2


def test_parts_are_plain_parquet(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.writing():
        store.write("k", table())
        (store.parts / ".writing-1-k.parquet").write_bytes(b"half")  # readers pass over it
        assert len(pd.read_parquet(store.parts)) == 2
        assert len(read_rows(store.folder)) == 2


def test_what_a_killed_run_left_is_swept(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.writing():
        store.write("k", table())
    (store.parts / ".writing-123-x.parquet").write_bytes(b"half")
    (store.timings / ".writing-123-x.json").write_bytes(b"{")
    with store.writing():
        assert files(tmp_path) == [".lock", "parts/k.parquet"]


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    match = "another run is writing"
    with Store(tmp_path).writing(), pytest.raises(StoreError, match=match), Store(tmp_path).writing():
        pass
    with Store(tmp_path).writing():
        pass


@pytest.mark.parametrize("place", ["fdopen", "fsync", "replace"])
def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    store = Store(tmp_path)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with store.writing():
        store.write("k", table())
        with monkeypatch.context() as patch:
            patch.setattr(Path if place == "replace" else os, place, full)
            with pytest.raises(StoreError, match="No space left on device"):
                store.write("m", table("m"))
    assert files(tmp_path) == [".lock", "parts/k.parquet"]


def test_a_write_that_stops_half_way(tmp_path: Path) -> None:
    """For real: the kernel takes the first kilobyte and refuses the rest."""
    script = (
        "import resource, sys; sys.path.insert(0, sys.argv[2]); from test_store import Store, StoreError, table\n"
        "store = Store(sys.argv[1])\n"
        "with store.writing():\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))\n"
        "    try: store.write('k', table())\n"
        "    except StoreError as error: print(error)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path), str(Path(__file__).parent)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603
    assert "File too large" in result.stdout
    assert files(tmp_path) == [".lock"]


def test_unwritable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot write to"), Store(tmp_path / "file").writing():
        pass
    monkeypatch.setattr(os, "access", lambda *_: False)  # tests may run as root, whom no permission stops
    with pytest.raises(StoreError, match="Permission denied"), Store(tmp_path / "locked").writing():
        pass


def test_no_results_and_broken_ones(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="there are no results"):
        read_rows(tmp_path / "nowhere")
    store = Store(tmp_path)
    with store.writing():
        assert read_rows(store.folder).empty
        (store.parts / "k.parquet").write_bytes(b"not parquet")
    with pytest.raises(StoreError, match="cannot be read"):
        read_rows(store.folder)


@pytest.mark.parametrize("foreign", [{"bin": [1], "count": [2]}, {"key": ["k"], "features": ["many"]}, {"seed": [[1]]}])
def test_parts_of_somebody_else(tmp_path: Path, foreign: dict[str, list[Any]]) -> None:
    store = Store(tmp_path)
    with store.writing():
        store.write("k", table())
    pd.DataFrame(foreign).to_parquet(store.parts / "foreign.parquet")
    with pytest.raises(StoreError, match=r"foreign\.parquet cannot be read: .*; remove that file"):
        read_rows(store.folder)


def test_reasons_are_printable(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.writing():
        store.write("k", failure_table(TASK, "a\x1b[2J\nb\x00\ud800", "\x07[c]\t"))
    (row,) = read_rows(store.folder).to_dict("records")
    assert (row["reason"], row["hint"]) == ("a [2J b", "[c]")


def test_columns_cannot_get_lost() -> None:
    with pytest.raises(TypeError, match="no such columns: surprise"):
        run_table(TASK, [{**ROUND, "surprise": 1}])


WINDOWS = """
import sys, pandas, pyarrow.parquet
sys.platform, sys.modules["fcntl"] = "win32", None
from gardner.records import Store, StoreError
print(Store(sys.argv[1]).keys())
try:
    with Store(sys.argv[1]).writing(): pass
except StoreError as error:
    print(error)
"""


def test_where_there_are_no_locks_reading_works_and_writing_says_why(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WINDOWS, str(tmp_path)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout  # noqa: S603
    assert printed == "[]\nresults can be written, and sweeps run, on Linux and macOS only; use WSL\n"
