"""Results folders: good ones, and ones that somebody tampered with.

Parts are written by Gardner's own writer, with all it adds, as by somebody who has Gardner too:
only their rows are hostile. What damages the bytes themselves is put beside them by other recipes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from gardner.experiment.stored.rows import SCHEMA
from gardner.records import Store

# the columns of a task and of its one row that says why there is no more
FAILED: dict[str, Any] = {
    "code": "0123456789ab",
    "strategy": "random",
    "parameters": "{}",
    "features": 20,
    "pool_ratio": 3.0,
    "run_budget": 0.3,
    "batch_size": 3,
    "seed": 0,
    "test_rows": 0,
    "variances": "vector",
    "dtype": "float32",
    "prior": "gaussian",
    "channel": "sign",
    "teacher_prior": "gaussian",
    "teacher_channel": "sign",
    "informed": False,
    "status": "failed",
    "reason": "StrategyError: not today",
    "hint": "ask tomorrow",
}
ROUND: dict[str, Any] = {
    "round": 0,
    "labels": 6,
    "budget": 0.3,
    "log_volume": -0.2,
    "overlap": 0.3,
    "self_overlap": 0.3,
    "accuracy": 0.6,
    "bits_per_label": 0.96,
    "iterations": 12,
    "residual": 1e-9,
    "damping": 0.0,
    "status": "converged",
    "reason": None,
    "hint": None,
}


def row(key: str, changes: dict[str, Any], *, run: bool = False) -> dict[str, Any]:
    """A row of a failed task, or of a run of one round, with some columns changed."""
    return {"key": key, **FAILED, **(ROUND if run else {}), **changes}


def make_store(path: Path, parts: list[dict[str, Any]], run: bool = False) -> None:
    """A folder with one part for each of ``parts``, which are changes of columns.

    Numbers may be texts ("nan", "-inf"), since JSON has no word for them.
    """
    store = Store(path)
    with store.writing():
        for index, changes in enumerate(parts):
            key = f"{index:016x}"
            table = pa.Table.from_pylist([_typed(row(key, changes, run=run))], schema=SCHEMA)
            store.write(key, table, {"seconds": 1.0})
    (path / ".lock").unlink(missing_ok=True)


def _typed(record: dict[str, Any]) -> dict[str, Any]:
    numbers = {one.name for one in SCHEMA if pa.types.is_floating(one.type)}
    return {key: float(value) if key in numbers and isinstance(value, str) else value for key, value in record.items()}
