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

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from gardner.experiment.question.labelled_table import split_name
from gardner.experiment.results.means import (
    Row,
    asked_or_quarters,
    mean_if_known,
    pairs,
    rounds_that_count,
    with_share_converged,
)
from gardner.records import FAILED
from gardner.units import LN2

# What is averaged over seeds, and compared.
MEASURES = ("test_accuracy", "log_loss", "area", "bits")
PLACE = ["data", "label_column", "channel", "test_share", "batch_size"]


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
    wanted = [round(labels) for labels in asked_or_quarters(at, int(runs["labels"].max()))]
    ranked = runs.sort_values(["age", "labels", "key"])
    points = rounds_that_count(ranked, wanted, [*PLACE, "label", "seed"])
    rows = [_row(place, group) for place, group in _groups(points, [*PLACE, "labels", "label"])]
    rows.sort(key=lambda row: [*(row[name] for name in PLACE), row["labels"], -row["test_accuracy"]])
    return rows, _pairs(points)


def with_measures(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs with the area under their curve so far, the bits a label so far, and the share of rounds
    that converged.
    """
    runs = with_share_converged(runs)
    evidence = -runs["log_volume"].astype(float) * runs["features"].astype(float)
    bits = (evidence / (runs["labels"] * LN2)).where(runs["bits_per_label"].notna())
    areas = [_areas(group) for _, group in runs.groupby("key", sort=False)]
    area = pd.concat(areas) if areas else pd.Series(dtype=float)
    return runs.assign(bits=bits, area=area)


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
        row[name], row[f"{name}_stderr"] = mean_if_known(group[name])
    return row | {"converged": float(group["share"].mean()), "informed": bool(group["informed"].any())}


def _pairs(points: pd.DataFrame) -> list[Row]:
    """Differences first − second on the same pools, over the seeds that both have."""
    result = []
    for place, group in _groups(points, [*PLACE, "labels"]):
        for first, second, differences in pairs(group, ("test_accuracy", "log_loss", "area")):
            row: Row = {"strategy": first, "versus": second, **place, "seeds": len(differences["area"])}
            row |= {"data": split_name(str(place["data"]))[0], "labels": int(place["labels"])}
            for name, values in differences.items():
                row[f"{name}_difference"], row[f"{name}_difference_stderr"] = mean_if_known(values)
            result.append({**row, "batch_size": int(row["batch_size"])})
    return result
