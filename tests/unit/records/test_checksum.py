"""Bit rot is noticed: no changed bit is read back as other data."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as parquet  # type: ignore[import-untyped]
import pytest

from gardner.experiment.stored.rows import read_rows, run_table
from gardner.records import State, Store, StoreError
from gardner.records.checksum import sealed, state_of

TASK = {
    "key": "k", "code": "c", "strategy": "random", "parameters": "{}", "features": 10, "pool_ratio": 3.0,
    "run_budget": 0.2, "batch_size": 1, "seed": 0, "test_rows": 0, "variances": "vector", "dtype": "float32",
    "informed": False,
}  # fmt: skip
ROUND = {"labels": 1, "budget": 0.1, "log_volume": -0.07, "accuracy": 0.6, "status": "converged", "iterations": 7}


def table() -> Any:
    return run_table(TASK, [ROUND, {**ROUND, "labels": 2, "budget": 0.2}])


def flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path)
    with store.writing():
        store.write("k", table())
    return store


def old_part(store: Store, key: str = "k") -> Path:
    """As version 0.1.0 wrote it."""
    path = store.parts / f"{key}.parquet"
    columns = run_table({**TASK, "key": key}, [ROUND])
    parquet.write_table(columns, path, compression="snappy", version="2.6", data_page_version="1.0")
    return path


def test_four_hundred_flips_and_none_is_accepted(store: Store) -> None:
    part = store.parts / "k.parquet"
    content, rng = part.read_bytes(), random.Random(12)  # noqa: S311
    for bit in rng.sample(range(8 * len(content)), 400):
        part.write_bytes(flipped(content, bit))
        for read in (lambda: read_rows(store.folder), lambda: store.failed("k")):
            with pytest.raises(StoreError, match=r"k\.parquet cannot be read: it is damaged.*remove that file"):
                read()
    part.write_bytes(content)
    assert len(read_rows(store.folder)) == 2


def test_the_note_itself_and_both_ends() -> None:
    """Every bit of the note that holds the checksum, and of the bytes around it."""
    content = sealed(table())
    place = content.rindex(b"gardner.checksum") - 40
    assert state_of(content) is State.SOUND
    for bit in [*range(64), *range(8 * place, 8 * len(content))]:
        assert state_of(flipped(content, bit)) is State.DAMAGED


@pytest.mark.parametrize("change", [lambda content: content[:-1], lambda content: content + b"\0", lambda _: b""])
def test_lengths(store: Store, change: Callable[[bytes], bytes]) -> None:
    part = store.parts / "k.parquet"
    part.write_bytes(change(part.read_bytes()))
    with pytest.raises(StoreError, match=r"k\.parquet cannot be read"):
        read_rows(store.folder)


def test_the_part_is_plain_parquet_and_the_same_bytes_again(store: Store) -> None:
    part = store.parts / "k.parquet"
    assert sealed(table()) == part.read_bytes()
    assert len(pd.read_parquet(part)) == 2


def test_parts_of_version_0_1_0_are_read(store: Store) -> None:
    path = old_part(store)
    assert state_of(path.read_bytes()) is State.UNKNOWN
    assert len(read_rows(store.folder)) == 1


def test_a_sweep_that_goes_on_stops_at_a_damaged_part(store: Store) -> None:
    """Before anything is run; the file is left for whoever wants to look at it."""
    from gardner.experiment.question.task import StrategySpec, Task
    from gardner.experiment.stored.sources import code_version, names_in
    from gardner.experiment.sweep.tasks import run_tasks

    task = Task(StrategySpec("random"), 10, 3.0, 0.2, 1, 0)
    key = task.key(code_version(names_in(task)))
    part = store.parts / f"{key}.parquet"
    part.write_bytes(flipped(sealed(table()), 20_000))
    with pytest.raises(StoreError, match=f"{key}.parquet cannot be read: it is damaged"):
        run_tasks([task], store.folder)
    assert part.read_bytes() == flipped(sealed(table()), 20_000)


def test_verify(gardner: Any, store: Store) -> None:
    sound = (store.parts / "k.parquet").read_bytes()
    assert gardner("results", store.folder, "--verify") == (
        0,
        "k.parquet: sound\n",
        f"1 parts in {store.folder}: 0 damaged\n",
    )
    old_part(store, "old")
    (store.parts / "rotten.parquet").write_bytes(flipped(sound, 9_999))
    (store.parts / "text.parquet").write_bytes(b"no Parquet at all")
    (store.parts / "folder.parquet").mkdir()
    code, out, err = gardner("results", store.folder, "--verify")
    assert code == 1
    assert [line.split(" (")[0] for line in out.splitlines()] == [
        "folder.parquet: damaged",
        "k.parquet: sound",
        "old.parquet: without checksum",
        "rotten.parquet: damaged",
        "text.parquet: damaged",
    ]
    assert err == f"5 parts in {store.folder}: 3 damaged\n"
    code, out, _ = gardner("results", store.folder, "--verify", "--json")
    assert code == 1
    assert Counter(part["state"] for part in json.loads(out)) == {"damaged": 3, "sound": 1, "without checksum": 1}
    code, out, err = gardner("results", store.folder)
    assert (code, out) == (2, "")
    assert "folder.parquet cannot be read" in err
    assert "and 1 more: `gardner results --verify" in err
