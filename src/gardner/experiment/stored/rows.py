"""The tidy table of a task: one row a round, or one row that says why there is none.

Every row carries the columns of its task, so that parts can be put together and filtered without a
second file, and the releases that made it. Times are not here: the same task has the same rows
wherever and whenever it runs.

Columns follow from where their fields are declared: :class:`gardner.experiment.question.task.Task`,
:class:`gardner.experiment.rounds.Round` and :class:`gardner.experiment.rounds.Versions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]

from gardner.experiment.question.task import FIELDS, MOST_TEXT
from gardner.experiment.rounds import Round, Versions, plain_types
from gardner.records import FAILED, Store, printable

if TYPE_CHECKING:
    import pandas as pd

_TYPES = {int: pa.int64(), float: pa.float64(), bool: pa.bool_()}  # anything else is a text
_IDENTITY = ("key", "code", "strategy", "parameters")
_COLUMNS: dict[str, Any] = {
    **dict.fromkeys(_IDENTITY, str),
    **{one.column: one.kind for one in FIELDS},
    "informed": bool,
    **plain_types(Versions),
    "round": int,
    **plain_types(Round),
    "reason": str,
    "hint": str,
}
SCHEMA = pa.schema({name: _TYPES.get(kind, pa.string()) for name, kind in _COLUMNS.items()})
# columns that once had another name, by those of today
_CALLED_BEFORE = {"self_overlap": "norm"}
_READABLE = pa.schema([*SCHEMA, *(SCHEMA.field(name).with_name(old) for name, old in _CALLED_BEFORE.items())])
REQUIRED = (*_IDENTITY, *(one.column for one in FIELDS if one.required), "status")


def run_table(task: Mapping[str, object], rounds: Sequence[Mapping[str, object]]) -> Any:
    """The table of a run that reached its budget."""
    return _table([{**task, "round": index, **row} for index, row in enumerate(rounds)])


def failure_table(task: Mapping[str, object], reason: str, hint: str = "") -> Any:
    """The table of a task that failed: what happened, and what to try."""
    return _table([{**task, "status": FAILED, "reason": shortened(reason), "hint": shortened(hint)}])


def read_rows(folder: Path | str, keys: Iterable[str] | None = None) -> pd.DataFrame:
    """The rows of a folder, or of some of its tasks; nobody has looked at their values yet.

    What stands under the name that a column had once is found under that of today.
    """
    frame: pd.DataFrame = Store(folder).read_all(_READABLE, REQUIRED, keys).to_pandas()
    for name, old in _CALLED_BEFORE.items():
        frame[name] = frame[name].fillna(frame.pop(old))
    return frame


def shortened(text: str) -> str:
    """A printable text of bounded length: a strategy may raise with a whole file in its message."""
    shown = printable(text[: 2 * MOST_TEXT])
    return shown if len(shown) <= MOST_TEXT else f"{shown[:MOST_TEXT]} …"


def _table(rows: list[dict[str, object]]) -> Any:
    unknown = {name for row in rows for name in row} - set(SCHEMA.names)
    if unknown:  # Arrow would drop them without a word
        raise TypeError(f"no such columns: {', '.join(sorted(unknown))}")
    return pa.Table.from_pylist(rows, schema=SCHEMA)
