"""Results next to the bounds: means over seeds against budget, and paired differences between strategies.

At an asked budget n a run counts with its first round that holds at least round(n N) labels; nothing is interpolated,
and the budget told is the one that round has. Bounds are taken at that budget.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from gardner.errors import GardnerError, InvalidInputError
from gardner.experiment.spec import Task, code_version, label
from gardner.model import PERCEPTRON
from gardner.records import FAILED

if TYPE_CHECKING:
    from gardner.theory import Bounds

LN2 = math.log(2.0)
_PARTS = 4  # budgets in a table when none are asked for: quarters of the longest run
_PLACE = ["features", "pool_ratio", "batch_size"]
_SAME = ["label", *_PLACE, "seed"]  # runs that agree in these tell the same story, perhaps to another length

Row = dict[str, Any]


@dataclass(frozen=True)
class Summary:
    """Rows of the table, paired differences, failures, the bounds at every (α, n) met, and what readers must know."""

    rows: list[Row]
    pairs: list[Row]
    failures: list[Row]
    bounds: dict[tuple[float, float], Bounds]
    notes: list[str]

    def record(self) -> dict[str, list[Row]]:
        """The JSON of ``gardner results``."""
        return {"rows": self.rows, "pairs": self.pairs, "failures": self.failures}


def summarise(
    frame: pd.DataFrame, at: Sequence[float] = (), progress: Callable[[float], None] = lambda _: None
) -> Summary:
    """The table of a store's frame at the budgets asked for, by default quarters of the longest run."""
    if any(not (math.isfinite(budget) and budget > 0.0) for budget in at):
        raise InvalidInputError("at", list(at), "budgets must be positive")
    frame = frame.assign(label=_labels(frame))
    runs = frame[frame["status"] != FAILED]
    picked, notes = _pick(runs)
    longest = float(picked["run_budget"].max()) if len(picked) else 0.0
    asked = sorted(set(at)) or [longest * part / _PARTS for part in range(1, _PARTS + 1)]
    points = _points(picked, asked) if len(picked) else picked.assign(share=pd.Series(dtype=float))
    missing = [budget for budget in at if budget > longest]
    if missing and len(picked):
        notes.append(f"no run reaches a budget of {', '.join(f'{budget:g}' for budget in missing)}")
    bounds = _bounds(points, progress)
    groups = [
        (dict(zip(("label", *_PLACE, "labels"), key, strict=True)), group)
        for key, group in points.groupby(["label", *_PLACE, "labels"], sort=True)
    ]
    rows = [_row(place, group, bounds) for place, group in groups]
    rows.sort(key=lambda row: (row["features"], row["alpha"], row["batch"], row["budget"], row["log_volume"]))
    return Summary(rows, _pairs(points), _failures(frame, runs), bounds, notes)


def _labels(frame: pd.DataFrame) -> pd.Series[str]:
    """A strategy with its parameters, and with the options of AMP if they are not the usual ones."""
    usual = {name: Task.__dataclass_fields__[name].default for name in ("variances", "dtype")}

    @functools.cache
    def told(name: str, parameters: str, *options: str) -> str:
        unusual = {key: value for key, value in zip(usual, options, strict=True) if value != usual[key]}
        return label(name, {**json.loads(parameters), **unusual})

    columns = [frame[name] for name in ("strategy", "parameters", *usual)]
    return pd.Series([told(*row) for row in zip(*columns, strict=True)], index=frame.index, dtype=object)


def _pick(runs: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """One run a seed: today's code before yesterday's, the longest before others; and a note if any is yesterday's."""
    heads = runs.drop_duplicates("key")
    current = {name: _version(name) for name in heads["strategy"].unique()}
    fresh = heads["code"] == heads["strategy"].map(current)
    ranked = heads.assign(fresh=fresh).sort_values(["fresh", "run_budget", "key"], ascending=[False, False, True])
    chosen = ranked.drop_duplicates(_SAME)
    old = int((~chosen["fresh"]).sum())
    notes = [f"{old} of {len(chosen)} runs were made by other code than today's; `gardner bench` would redo them"]
    return runs[runs["key"].isin(chosen["key"])], notes if old else []


def _version(strategy: str) -> str:
    try:
        return code_version(strategy)
    except GardnerError:  # a file that is no longer there
        return ""


def _points(runs: pd.DataFrame, asked: Sequence[float]) -> pd.DataFrame:
    """The round of each run that first reaches each budget, with the share of rounds so far that converged."""
    runs = runs.sort_values(["key", "round"])
    good = (runs["status"] == "converged").groupby(runs["key"]).cumsum()
    runs = runs.assign(share=good / (runs["round"] + 1))
    found = []
    for budget in asked:
        wanted = (budget * runs["features"]).round()
        found.append(runs[runs["labels"] >= wanted.clip(lower=1)].drop_duplicates("key"))
    return pd.concat(found).drop_duplicates(["key", "labels"])


def _bounds(points: pd.DataFrame, progress: Callable[[float], None]) -> dict[tuple[float, float], Bounds]:
    if not len(points):
        return {}
    from gardner.theory import bounds

    places = sorted(set(zip(points["pool_ratio"].tolist(), points["budget"].tolist(), strict=True)))
    result = {}
    for index, (alpha, budget) in enumerate(places):
        # a pool of round(αN) rows may hold a little more than α
        result[alpha, budget] = bounds(PERCEPTRON, alpha, min(budget, alpha))
        progress((index + 1) / len(places))
    return result


def _row(place: Row, group: pd.DataFrame, bounds: dict[tuple[float, float], Bounds]) -> Row:
    budget = place["labels"] / place["features"]
    known = bounds[place["pool_ratio"], budget]
    volume, volume_error = _mean(group["log_volume"])
    accuracy, accuracy_error = _mean(group["accuracy"])
    low = known.minimum
    return {
        "strategy": place["label"],
        "features": int(place["features"]),
        "alpha": float(place["pool_ratio"]),
        "batch": int(place["batch_size"]),
        "budget": budget,
        "seeds": len(group),
        "log_volume": volume,
        "log_volume_stderr": volume_error,
        "accuracy": accuracy,
        "accuracy_stderr": accuracy_error,
        "bits_per_label": -volume / (LN2 * budget),
        "gap_to_halving": volume - known.halving,
        "gap_to_min": None if low.status.value == "unresolved" else volume - low.log_volume,
        "converged": float(group["share"].mean()),
        "informed": bool(group["informed"].any()),
    }


def _mean(values: pd.Series[float]) -> tuple[float, float | None]:
    """Mean and standard error; one value has no error, and one NaN is not left out."""
    error = None if len(values) < 2 else float(values.std(ddof=1, skipna=False)) / math.sqrt(len(values))
    return float(values.mean(skipna=False)), error


def _pairs(points: pd.DataFrame) -> list[Row]:
    """Differences first − second between strategies on the same pools, seed by seed."""
    result: list[Row] = []
    groups: Any = points.groupby([*_PLACE, "labels"], sort=True)
    for (features, alpha, batch, labels), group in groups:
        columns = {name: group.pivot(index="seed", columns="label", values=name) for name in ("log_volume", "accuracy")}
        for first, second in itertools.combinations(columns["log_volume"].columns, 2):
            row: Row = {"strategy": first, "versus": second, "features": int(features), "alpha": float(alpha)}
            row |= {"batch": int(batch), "budget": labels / features, "seeds": 0}
            for name, table in columns.items():
                difference = (table[first] - table[second]).dropna()
                row["seeds"] = len(difference)
                if len(difference):
                    row[f"{name}_difference"], row[f"{name}_difference_stderr"] = _mean(difference)
            if row["seeds"]:
                result.append(row)
    return result


def _failures(frame: pd.DataFrame, runs: pd.DataFrame) -> list[Row]:
    """Failed tasks, those left out that were done under other code."""
    done = set(runs[[*_SAME, "run_budget"]].itertuples(index=False, name=None))
    result = []
    for row in frame[frame["status"] == FAILED].to_dict("records"):
        if tuple(row[name] for name in (*_SAME, "run_budget")) in done:
            continue
        result.append(
            {
                "strategy": row["label"],
                "features": row["features"],
                "alpha": row["pool_ratio"],
                "batch": row["batch_size"],
                "budget": row["run_budget"],
                "seed": row["seed"],
                "reason": row["reason"],
                "hint": row["hint"],
            }
        )
    return sorted(result, key=lambda row: (row["strategy"], row["features"], row["alpha"], row["budget"], row["seed"]))
