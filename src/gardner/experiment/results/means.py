"""What the tables of drawn pools and of real tables share: the round of a run that counts, means
over seeds with their errors, and pairs of strategies on the same pools.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

Row = dict[str, Any]

# Places in a table when none are asked for: the quarters of the longest run.
_PARTS = 4


def asked_or_quarters(at: Sequence[float], longest: float) -> list[float]:
    """The budgets or numbers of labels that were asked for, each once; else quarters of the longest
    run.

    >>> asked_or_quarters([2.0, 1.0, 2.0], 8.0), asked_or_quarters([], 8.0)
    ([1.0, 2.0], [2.0, 4.0, 6.0, 8.0])
    """
    return sorted(set(at)) or [longest * part / _PARTS for part in range(1, _PARTS + 1)]


def with_share_converged(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs in the order of their rounds, with a column ``share``: of the rounds so far, those that
    converged.
    """
    runs = runs.sort_values(["key", "round"])
    good = (runs["status"] == "converged").groupby(runs["key"]).cumsum()
    return runs.assign(share=good / (runs["round"] + 1))


def rounds_that_count(ranked: pd.DataFrame, wanted: Sequence[int | pd.Series[float]], same: list[str]) -> pd.DataFrame:
    """For each number of labels that is wanted, the first row that holds as many.

    There is one row for each value of ``same``, by the order of ``ranked``. A number may differ
    from row to row. A round that counts for two of them is there once.
    """
    found = pd.concat([ranked[ranked["labels"] >= labels].drop_duplicates(same) for labels in wanted])
    return found.sort_values(["age", "key"], kind="stable").drop_duplicates([*same, "labels"])


def mean(values: pd.Series[float]) -> tuple[float, float | None]:
    """Mean and standard error, NaN where a value is missing; one value has no error."""
    values = values.astype(float)  # columns without a single value are of no type
    error = None if len(values) < 2 else float(values.std(ddof=1, skipna=False)) / math.sqrt(len(values))
    return float(values.mean(skipna=False)), error


def mean_if_known(values: pd.Series[float]) -> tuple[float | None, float | None]:
    """:func:`mean`, or nothing where a value is missing."""
    return (None, None) if values.isna().any() else mean(values)


def pairs(points: pd.DataFrame, measures: Sequence[str]) -> Iterator[tuple[str, str, dict[str, pd.Series[float]]]]:
    """Every two strategies of a place, by name, with the differences first − second of measures over
    the seeds that both have, in the order of the seeds.
    """
    of_each = []
    for name, part in points.sort_values("seed").groupby("label", sort=True):
        of_each.append((str(name), pd.Index(part["seed"]), part[list(measures)].to_numpy(float)))
    for (first, seeds, one), (second, others, two) in itertools.combinations(of_each, 2):
        if seeds.equals(others):
            differences = one - two
        else:
            both = seeds.intersection(others)
            differences = one[seeds.get_indexer(both)] - two[others.get_indexer(both)]
        if len(differences):
            yield first, second, {name: pd.Series(differences[:, k]) for k, name in enumerate(measures)}
