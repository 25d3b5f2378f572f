"""What readers of a page may compare two strategies by: values of every run at its end, seed by
seed.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from gardner.report.page import Pairs


def pairs_of(runs: pd.DataFrame, measures: Mapping[str, str]) -> Pairs | None:
    """Of runs of one pool: ``measures`` are columns and their words; nothing where there is but one
    strategy.

    ``runs``: rows (label, batch_size, seed, labels, age, and the measures), all rounds. Compared
    are those that reach the most labels, by today's code where there are several of a seed.
    """
    most = int(runs["labels"].max())
    ends = (
        runs[runs["labels"] == most].sort_values("age", kind="stable").drop_duplicates(["label", "batch_size", "seed"])
    )
    several = ends["batch_size"].nunique() > 1
    names = [
        f"{label}, batch {batch}" if several else str(label)
        for label, batch in zip(ends["label"], ends["batch_size"], strict=True)
    ]
    if len(set(names)) < 2:
        return None
    values = pd.DataFrame({"strategy": names, "seed": ends["seed"].tolist()})
    for column, word in measures.items():
        values[word] = ends[column].astype(float).tolist()
    values = values.sort_values(["strategy", "seed"], ignore_index=True)
    return Pairs(values, tuple(measures.values()), f"at {most} labels")
