"""The tidy table of a task: one row a round, or one row that says why there is none.

Every row carries the columns of its task, so that parts can be put together and filtered without a second file. Times
are not here: the same task has the same rows wherever and whenever it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

MOST_TEXT = 10_000  # letters of a text in a row: what identifies a task is refused beyond, a reason is cut
FAILED = "failed"  # the status of the one row of a failed task; rounds have the status of their AMP

TASK_COLUMNS = {
    "key": pa.string(),
    "code": pa.string(),
    "strategy": pa.string(),
    "parameters": pa.string(),
    "features": pa.int64(),
    "pool_ratio": pa.float64(),
    "run_budget": pa.float64(),
    "batch_size": pa.int64(),
    "seed": pa.int64(),
    "test_rows": pa.int64(),
    "variances": pa.string(),
    "dtype": pa.string(),
    "prior": pa.string(),
    "channel": pa.string(),
    "teacher_prior": pa.string(),
    "teacher_channel": pa.string(),
    "informed": pa.bool_(),
}
ROUND_COLUMNS = {
    "round": pa.int64(),
    "labels": pa.int64(),
    "budget": pa.float64(),
    "log_volume": pa.float64(),
    "overlap": pa.float64(),
    "norm": pa.float64(),
    "accuracy": pa.float64(),
    "test_accuracy": pa.float64(),
    "bits_per_label": pa.float64(),
    "iterations": pa.int64(),
    "residual": pa.float64(),
    "damping": pa.float64(),
    "status": pa.string(),
    "reason": pa.string(),
    "hint": pa.string(),
}
REQUIRED = ("key", "code", "strategy", "parameters", "features", "pool_ratio", "run_budget", "batch_size", "status")
SCHEMA = pa.schema({**TASK_COLUMNS, **ROUND_COLUMNS})


def run_table(task: Mapping[str, Any], rounds: Sequence[Mapping[str, Any]]) -> Any:
    """The table of a run that reached its budget."""
    return _table([{**task, "round": index, **row} for index, row in enumerate(rounds)])


def failure_table(task: Mapping[str, Any], reason: str, hint: str = "") -> Any:
    """The table of a task that failed: what happened, and what to try."""
    return _table([{**task, "status": FAILED, "reason": shortened(reason), "hint": shortened(hint)}])


def printable(text: str) -> str:
    """A text on one line, without what would drive a terminal or cannot be written: reasons are anybody's words.

    >>> printable("two\\nlines, \\x1b[31mred")
    'two lines, [31mred'
    """
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def shortened(text: str) -> str:
    """A printable text of bounded length: a strategy may raise with a whole file in its message."""
    shown = printable(text[: 2 * MOST_TEXT])
    return shown if len(shown) <= MOST_TEXT else f"{shown[:MOST_TEXT]} …"


def _table(rows: list[dict[str, Any]]) -> Any:
    unknown = {name for row in rows for name in row} - set(SCHEMA.names)
    if unknown:  # Arrow would drop them without a word
        raise TypeError(f"no such columns: {', '.join(sorted(unknown))}")
    return pa.Table.from_pylist(rows, schema=SCHEMA)
