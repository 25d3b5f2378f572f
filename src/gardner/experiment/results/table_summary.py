"""Results on real tables: means over seeds against the number of labels, and paired differences
between strategies.

There are no bounds here. Those of the theory are for rows of independent entries, which rows of a
table are not; the line to compare with is a search that reads labels (``table-swap``).

Area is that under the curve of accuracy against labels, from the first round to the one shown,
divided by its width: the mean accuracy on the way. Bits a label are those of the evidence of all
labels so far, −log₂ Z divided by their number: what they told the model. Of two classes at most one
is expected under the model; realised it can be more, where labels surprise.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from gardner.experiment.question.table_file import split_name
from gardner.records import FAILED
from gardner.units import LN2

Row = dict[str, Any]

# What is averaged over seeds, and compared.
MEASURES = ("test_accuracy", "log_loss", "area", "bits")
PLACE = ["data", "label_column", "channel", "test_share", "batch_size"]
# Numbers of labels in a table when none are asked for: the quarters of the longest run.
_PARTS = 4


def is_table(frame: pd.DataFrame) -> pd.Series[bool]:
    """Which rows are of tables."""
    return frame["data"].astype(str) != ""


def table_rows(frame: pd.DataFrame, at: Sequence[float] = ()) -> tuple[list[Row], list[Row]]:
    """Means and paired differences at numbers of labels; ``label`` is what a strategy is called.

    A run counts with its first round that has as many labels.
    """
    runs = with_measures(frame[frame["status"] != FAILED])
    if not len(runs):
        return [], []
    longest = int(runs["labels"].max())
    asked = sorted(set(at)) or [longest * part / _PARTS for part in range(1, _PARTS + 1)]
    ranked = runs.sort_values(["age", "labels", "key"])
    same = [*PLACE, "label", "seed"]
    points = pd.concat([ranked[ranked["labels"] >= round(wanted)].drop_duplicates(same) for wanted in asked])
    points = points.drop_duplicates([*same, "labels"])
    rows = [_row(place, group) for place, group in _groups(points, [*PLACE, "labels", "label"])]
    rows.sort(key=lambda row: [*(row[name] for name in PLACE), row["labels"], -row["test_accuracy"]])
    return rows, _pairs(points)


def with_measures(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs with the area under their curve so far, the bits a label so far, and the share of rounds
    that converged.
    """
    runs = runs.sort_values(["key", "round"]).copy()
    good = (runs["status"] == "converged").groupby(runs["key"]).cumsum()
    evidence = -runs["log_volume"].astype(float) * runs["features"].astype(float)
    bits = (evidence / (runs["labels"] * LN2)).where(runs["bits_per_label"].notna())
    areas = [_areas(group) for _, group in runs.groupby("key", sort=False)]
    area = pd.concat(areas) if areas else pd.Series(dtype=float)
    return runs.assign(share=good / (runs["round"] + 1), bits=bits, area=area)


def _areas(run: pd.DataFrame) -> pd.Series[float]:
    """The mean accuracy on the way to each round, by the trapezoidal rule."""
    labels, accuracy = run["labels"].to_numpy(float), run["test_accuracy"].to_numpy(float)
    steps = np.concatenate([[0.0], np.cumsum(0.5 * (accuracy[1:] + accuracy[:-1]) * np.diff(labels))])
    width = labels - labels[0]
    return pd.Series(np.where(width > 0.0, steps / np.where(width > 0.0, width, 1.0), accuracy), index=run.index)


def _groups(points: pd.DataFrame, columns: list[str]) -> list[tuple[Row, pd.DataFrame]]:
    found: Any = points.groupby(columns, sort=True)
    return [(dict(zip(columns, key, strict=True)), group) for key, group in found]


def _row(place: Row, group: pd.DataFrame) -> Row:
    row: Row = {
        "strategy": place["label"],
        **{name: place[name] for name in PLACE},
        "data": split_name(str(place["data"]))[0],
        "labels": int(place["labels"]),
        "batch_size": int(place["batch_size"]),
        "seeds": len(group),
    }
    for name in MEASURES:
        row[name], row[f"{name}_stderr"] = mean(group[name])
    return row | {"converged": float(group["share"].mean()), "informed": bool(group["informed"].any())}


def mean(values: pd.Series[float]) -> tuple[float | None, float | None]:
    """Mean and standard error; nothing where a value is missing, and no error of one value."""
    numbers = values.astype(float)
    if numbers.isna().any():
        return None, None
    error = float(numbers.std(ddof=1)) / math.sqrt(len(numbers)) if len(numbers) > 1 else None
    return float(numbers.mean()), error


def _pairs(points: pd.DataFrame) -> list[Row]:
    """Differences first − second on the same pools, over the seeds that both have."""
    result = []
    for place, group in _groups(points, [*PLACE, "labels"]):
        parts = [(name, part.set_index("seed").sort_index()) for name, part in group.groupby("label", sort=True)]
        for (first, one), (second, two) in itertools.combinations(parts, 2):
            seeds = one.index.intersection(two.index)
            if not len(seeds):
                continue
            row: Row = {"strategy": first, "versus": second, **place, "seeds": len(seeds)}
            row |= {"data": split_name(str(place["data"]))[0], "labels": int(place["labels"])}
            for name in ("test_accuracy", "log_loss", "area"):
                difference = one.loc[seeds, name].astype(float) - two.loc[seeds, name].astype(float)
                row[f"{name}_difference"], row[f"{name}_difference_stderr"] = mean(difference)
            result.append({**row, "batch_size": int(row["batch_size"])})
    return result
