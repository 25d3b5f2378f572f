"""A folder of sampled chains, which can be stopped and gone on with at any time.

    FOLDER/question.json             what is sampled; another question is refused
    FOLDER/parts/KEY.parquet         fifty rounds of one pool's chains, one line a rung (:mod:`gardner.records.store`)

A block of rounds begins with the subsets at which the block before it ended, with AMP from the
start and with a stream of random numbers of its own. So it depends on the question, the pool and
its number only, and a folder that was stopped ends with the same bytes. The first block of a pool
also finds the ladder.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray

from gardner.errors import InvalidInputError
from gardner.experiment.ensemble.chain import Floats
from gardner.experiment.ensemble.question import POOLS, ROUNDS, Question
from gardner.experiment.ensemble.tempering import Block, Ladder, SamplingError, find_ladder, temper
from gardner.experiment.question.task import canonical
from gardner.experiment.stored.sources import stamp
from gardner.inference.threads import run_all, thread_count
from gardner.records import Store, write_file

# Rounds in a part: seconds of work at N = 100, which is what a stop costs.
BLOCK = 50
_FAMILY = int.from_bytes(b"ensemble", "big")
# what decides a block of rounds: the same code gives the same bytes
_SOURCES = (
    "experiment/ensemble/chain.py",
    "experiment/ensemble/folder.py",
    "experiment/ensemble/question.py",
    "experiment/ensemble/tempering.py",
    "inference/*.py",
    "model/*.py",
)
_COLUMNS = pa.schema(
    {
        "beta": pa.float64(),
        "log_evidence": pa.list_(pa.float64()),
        "walker": pa.list_(pa.int16()),
        "order": pa.list_(pa.int32()),
        "taken": pa.int64(),
        "lost": pa.int64(),
        "tried": pa.int64(),
        "exchanged": pa.int64(),
        "offered": pa.int64(),
    }
)


@dataclass(frozen=True)
class PoolRun:
    """All rounds of one pool: one line a round, one column a β. ``order`` is where the chains stand
    now.
    """

    index: int
    betas: Floats
    log_evidence: Floats
    walker: NDArray[np.int16]
    accepted: Floats
    lost: int
    exchange: Floats
    order: NDArray[np.int32]
    seconds: float


def sample(
    question: Question,
    folder: Path | str,
    *,
    pools: int = POOLS,
    rounds: int = ROUNDS,
    threads: int | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> list[PoolRun]:
    """Run what is not in the folder yet, pools side by side, and read all of it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     runs = sample(Question(10, 3.0, 0.6, lowest=-3.0, highest=5.0), folder, pools=2, rounds=50)
    >>> [run.log_evidence.shape[0] for run in runs]
    [50, 50]
    """
    if pools < 1:
        raise InvalidInputError("pools", pools, "it must be at least 1")
    if rounds < BLOCK:
        raise InvalidInputError("rounds", rounds, f"it must be at least {BLOCK}")
    blocks = -(-rounds // BLOCK)
    store = Store(folder)
    with store.writing():
        _check_question(question, store.folder)
        done: list[int] = []

        def report() -> None:
            done.append(1)
            progress(len(done) / (pools * blocks))

        run_all(_run_pool, [(store, question, index, blocks, report) for index in range(pools)], thread_count(threads))
    return [_read_pool(store, question, index, blocks) for index in range(pools)]


def _check_question(question: Question, folder: Path) -> None:
    """Write the question where there is none; refuse a folder of another one."""
    path, asked = folder / "question.json", canonical(question.to_json())
    try:
        there = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        if Store(folder).keys():
            raise SamplingError(f"{folder} has results of something else", hint="give this another folder") from None
        write_file(path, asked.encode() + b"\n", follow=False)
        return
    except (OSError, UnicodeDecodeError) as error:
        raise SamplingError(
            f"{path} cannot be read ({type(error).__name__})", hint="give this another folder"
        ) from None
    if there != asked:
        raise SamplingError(
            f"{folder} answers another question, {_question_text(there)}", hint="give this another folder"
        )


def _question_text(text: str) -> str:
    """A stored question in a line, if it is one."""
    try:
        found = json.loads(text)
        return ", ".join(f"{name} {found[name]:g}" for name in Question.__dataclass_fields__)
    except (ValueError, TypeError, KeyError, RecursionError):
        return "or none that can be read"


def _key(question: Question, index: int, block: int) -> str:
    task = {**question.to_json(), "pool": index, "block": block}
    return hashlib.sha256(f"ensemble {canonical(task)} {stamp(*_SOURCES)}".encode()).hexdigest()[:16]


def _run_pool(store: Store, question: Question, index: int, blocks: int, report: Callable[[], None]) -> None:
    """The blocks of one pool that are missing, one after the other."""
    rows, labels = question.pool(index)
    for block in range(blocks):
        key = _key(question, index, block)
        if not store.has(key):
            begin = time.thread_time()  # of the processor
            rng = np.random.default_rng([_FAMILY, question.seed + index, block])
            if block == 0:
                ladder = find_ladder(rows, labels, question.size, question.lowest, question.highest, rng)
            else:
                last = store.read(_key(question, index, block - 1), _COLUMNS)
                ladder = Ladder(_array(last, "beta"), _array(last, "order").astype(np.int32))
            found = temper(rows, labels, question.size, ladder, BLOCK, rng)
            store.write(key, _table(ladder.betas, found), {"seconds": time.thread_time() - begin})
        report()


def _table(betas: Floats, block: Block) -> Any:
    """A block as one line a rung; the exchanges of a rung are those with the next."""
    columns = {
        "beta": betas,
        "log_evidence": list(block.log_evidence.T),
        "walker": list(block.walker.T),
        "order": list(block.order),
        "taken": block.taken,
        "lost": block.lost,
        "tried": np.full(betas.size, block.tried),
        "exchanged": np.append(block.exchanged, 0),
        "offered": np.append(block.offered, 0),
    }
    return pa.table(columns, schema=_COLUMNS)


def _array(table: Any, name: str) -> Any:
    return np.array(table[name].to_pylist())


def _read_pool(store: Store, question: Question, index: int, blocks: int) -> PoolRun:
    """The blocks of a pool, put together; subsets keep their names from block to block."""
    keys = [_key(question, index, block) for block in range(blocks)]
    tables = [store.read(key, _COLUMNS) for key in keys]
    names = np.arange(tables[0].num_rows, dtype=np.int16)
    walkers = []
    for table in tables:
        walkers.append(names[_array(table, "walker").T])
        names = walkers[-1][-1]
    taken, lost, tried, exchanged, offered = (
        sum(_array(table, name) for table in tables) for name in ("taken", "lost", "tried", "exchanged", "offered")
    )
    return PoolRun(
        index=index,
        betas=_array(tables[0], "beta"),
        log_evidence=np.concatenate([_array(table, "log_evidence").T for table in tables]),
        walker=np.concatenate(walkers),
        accepted=np.asarray(taken / tried),
        lost=int(np.sum(lost)),
        exchange=np.asarray(exchanged[:-1] / np.maximum(offered[:-1], 1)),
        order=_array(tables[-1], "order").astype(np.int32),
        seconds=float(sum(store.read_timings(key).get("seconds", np.nan) for key in keys)),
    )
