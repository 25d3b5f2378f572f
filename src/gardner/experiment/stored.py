"""The one door for results that are read back: every value is looked at before anything is done
with it.

A folder of results may come from anybody. Its texts are shown and never run: a strategy's name is
a text, and a model is looked up among those that are registered. Its numbers must be those of a
task that could have been run here. What ``gardner bench`` would not have written is an error that
names the part.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from gardner.errors import InvalidInputError
from gardner.experiment.checks import check_positive, check_sizes, check_whole
from gardner.experiment.spec import MODEL, Precision, Task, Variances, canonical
from gardner.records import FAILED, MOST_TEXT, State, Store, StoreError, shortened

if TYPE_CHECKING:
    import pandas as pd

_TEXTS = ("code", "strategy", "parameters", *MODEL)
_NUMBERS = ("features", "pool_ratio", "run_budget", "batch_size", "seed", "test_rows")


def read_results(folder: Path | str, keys: Iterable[str] | None = None) -> pd.DataFrame:
    """The rows of a folder, or of some of its tasks; the columns are those of
    :mod:`gardner.records.tables`.
    """
    frame = Store(folder).read_all(keys)
    frame = frame.fillna({name: Task.__dataclass_fields__[name].default for name in MODEL})  # before there were models
    identity = ["key", *_TEXTS, *_NUMBERS, "variances", "dtype"]
    for task in frame[identity].drop_duplicates().to_dict("records"):
        try:
            _check_task(task)
        except InvalidInputError as error:
            raise _not_ours(folder, task["key"], error.what) from None
    _check_rounds(folder, frame)
    return frame.assign(**{name: frame[name].fillna("").map(_cut) for name in ("reason", "hint")})


def verify_results(folder: Path | str) -> list[tuple[str, State, str]]:
    """The name of each part, whether it is as it was written, and what is wrong with it, if anything."""
    store = Store(folder)
    found = {key: store.verify(key) for key in store.existing()}
    readable = [key for key, (state, _) in found.items() if state is not State.DAMAGED]
    if _trouble(folder, readable):  # one of them is to blame
        for key in readable:
            reason = _trouble(folder, [key])
            found[key] = (State.DAMAGED, reason) if reason else found[key]
    return [(f"{key}.parquet", state, reason) for key, (state, reason) in found.items()]


def _trouble(folder: Path | str, keys: list[str]) -> str:
    """Why some tasks cannot be read; empty if they can."""
    try:
        read_results(folder, keys)
    except StoreError as error:
        return error.what
    return ""


def parse_parameters(text: str) -> dict[str, Any]:
    """The parameters of a strategy from the text in a row."""
    try:
        found = json.loads(text)
        if isinstance(found, dict) and canonical(found):
            return found
    except (ValueError, RecursionError):
        pass
    raise InvalidInputError("parameters", _cut(text, 80), "it must be a JSON object")


def _check_task(task: Mapping[Hashable, Any]) -> None:
    for name in _TEXTS:
        if len(task[name]) > MOST_TEXT:
            raise InvalidInputError(name, _cut(task[name], 80), f"it has more than {MOST_TEXT} letters")
    parse_parameters(task["parameters"])
    whole = {"features": 1, "batch_size": 1, "seed": 0, "test_rows": 0}
    for name, least in whole.items():
        check_whole(name, [_whole(task[name])], least)
    check_positive("alpha", [task["pool_ratio"]])
    check_positive("budget", [task["run_budget"]])
    check_sizes(task["features"], task["pool_ratio"], task["run_budget"])
    for name, allowed in (("variances", get_args(Variances)), ("dtype", get_args(Precision))):
        if task[name] not in allowed:
            raise InvalidInputError(name, _cut(str(task[name]), 80), f"it must be {' or '.join(allowed)}")


def _check_rounds(folder: Path | str, frame: pd.DataFrame) -> None:
    """A failed task has one row; a run has rounds 0, 1, …, each with labels of its pool."""
    place = frame.groupby("key").cumcount()
    alone = frame.groupby("key")["key"].transform("size") == 1
    failed = frame["status"] == FAILED
    pool = (frame["pool_ratio"] * frame["features"]).round()
    paid = (frame["budget"] * frame["features"] - frame["labels"]).abs() < 1e-6 * frame["labels"]
    run = (frame["round"] == place) & (frame["labels"] >= 1) & (frame["labels"] <= pool) & paid
    long = frame["status"].str.len() > MOST_TEXT
    wrong = frame[(failed & ~alone) | (~failed & ~run) | long]
    if len(wrong):
        told = ", ".join(f"{name} = {wrong.iloc[0][name]}" for name in ("round", "labels", "budget"))
        raise _not_ours(folder, wrong.iloc[0]["key"], f"{told} is no round of its run")


def _whole(value: Any) -> Any:
    """A whole number of a column that holds nothing in other rows."""
    return int(value) if isinstance(value, float) and math.isfinite(value) and value.is_integer() else value


def _cut(text: str, most: int = MOST_TEXT) -> str:
    return text if len(text) <= most else f"{shortened(text)[:most]} …"


def _not_ours(folder: Path | str, key: str, reason: str) -> StoreError:
    return StoreError(
        f"{Path(folder) / 'parts' / key}.parquet holds what `gardner bench` does not write: {reason}",
        hint="remove that file; if the task is yours, `gardner bench` runs it again",
    )
