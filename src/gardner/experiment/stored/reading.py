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
from typing import TYPE_CHECKING, Any

from gardner.errors import InvalidInputError
from gardner.experiment.question.spec import check_sizes
from gardner.experiment.question.task import FIELDS, MODEL_NAMES, MOST_TEXT, canonical
from gardner.experiment.rounds import Versions, plain_types
from gardner.experiment.stored.rows import read_rows, shortened
from gardner.records import FAILED, State, Store, StoreError

if TYPE_CHECKING:
    import pandas as pd

_TEXTS = ("code", "strategy", "parameters", "data", "label_column", *MODEL_NAMES)
_VERSIONS = tuple(plain_types(Versions))


def read_results(folder: Path | str, keys: Iterable[str] | None = None) -> pd.DataFrame:
    """The rows of a folder, or of some of its tasks; the columns are those of
    :mod:`gardner.experiment.stored.rows`.

    Folders of version 0.1.0 are read too: what they do not say is filled with what was meant.

    >>> frame = read_results("docs/examples/results")
    >>> frame[frame["seed"] == 0].groupby("strategy")["labels"].max().to_dict()
    {'agnostic': 30, 'random': 30}
    """
    frame = fill_defaults(read_rows(folder, keys))
    frame = frame.assign(**{name: frame[name].fillna("").map(_cut) for name in (*_VERSIONS, "reason", "hint")})
    identity = ["key", "code", "strategy", "parameters", *(one.column for one in FIELDS)]
    for task in frame[identity].drop_duplicates().to_dict("records"):
        try:
            _check_task(task)
        except InvalidInputError as error:
            raise _not_ours(folder, task["key"], error.what) from None
    _check_rounds(folder, frame)
    return frame


def fill_defaults(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of before there was a field have its default, or the value that it follows."""
    for one in FIELDS:
        if not one.required:
            missing = frame[one.follows] if one.follows else one.default
            frame = frame.assign(**{one.column: frame[one.column].fillna(missing)})
    return frame


def verify_results(folder: Path | str) -> list[tuple[str, State, str]]:
    """The name of each part, whether it is as it was written, and what is wrong with it, if
    anything.
    """
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


def parse_parameters(text: str) -> dict[str, object]:
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
    for one in FIELDS:
        if not one.model:  # the text of a model is anybody's, and looked up later
            one.check(_plain(task[one.column]))
    check_sizes(task["features"], task["pool_ratio"], task["run_budget"])


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
        found = ", ".join(f"{name} = {wrong.iloc[0][name]}" for name in ("round", "labels", "budget"))
        raise _not_ours(folder, wrong.iloc[0]["key"], f"{found} is no round of its run")


def _plain(value: object) -> object:
    """A whole number of a column that holds nothing in other rows; a text short enough for an
    error.
    """
    if isinstance(value, str):
        return _cut(value, 80)
    return int(value) if isinstance(value, float) and math.isfinite(value) and value.is_integer() else value


def _cut(text: str, most: int = MOST_TEXT) -> str:
    return text if len(text) <= most else f"{shortened(text)[:most]} …"


def _not_ours(folder: Path | str, key: str, reason: str) -> StoreError:
    return StoreError(
        f"{Path(folder) / 'parts' / key}.parquet holds what `gardner bench` does not write: {reason}",
        hint="remove that file; if the task is yours, `gardner bench` runs it again",
    )
