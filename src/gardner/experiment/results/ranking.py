"""Ranks of strategies over many pools, with intervals.

On every pool and seed the best strategy has rank 1. Those that are equally good share the mean of
their ranks, and those that failed share the last ones. A strategy's rank is the mean over seeds,
and then over pools, so that a pool with more seeds does not count more. Intervals are of a
bootstrap in two steps: pools are drawn with replacement, and in each of them seeds. They say what
other pools of this kind and other seeds would change. With one seed a pool the second step changes
nothing.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gardner.errors import InvalidInputError
from gardner.model.arrays import Floats

# Draws of the bootstrap: the ends of a 95 % interval are then known to about a tenth of its width.
RESAMPLES = 2000
# The part of the draws below and above an interval, in per cent: 95 % are inside.
_ENDS = (2.5, 97.5)


def rank_strategies(scores: pd.DataFrame, rng: np.random.Generator, resamples: int = RESAMPLES) -> pd.DataFrame:
    """Mean ranks and places with 95 % intervals, the best first.

    ``scores`` has rows (pool, seed, strategy, score): more is better, and NaN is a run that failed.
    Pools and seeds count where every strategy has a row, and one of them a score.

    >>> rows = [("a", 0, "x", 0.9), ("a", 0, "y", 0.8), ("b", 0, "x", 0.7), ("b", 0, "y", float("nan"))]
    >>> table = pd.DataFrame(rows, columns=["pool", "seed", "strategy", "score"])
    >>> found = rank_strategies(table, np.random.default_rng(0))
    >>> found[["strategy", "rank", "rank_low", "rank_high", "place", "pools", "runs"]].values.tolist()
    [['x', 1.0, 1.0, 1.0, 1, 2, 2], ['y', 2.0, 2.0, 2.0, 2, 2, 2]]
    """
    names = sorted(scores["strategy"].unique())
    wide = complete(scores).pivot(index=["pool", "seed"], columns="strategy", values="score")
    wide = wide[wide.notna().any(axis=1)]
    if not len(wide):
        raise InvalidInputError("scores", len(scores), "no pool has a row of every strategy", hint="let the run go on")
    ranks = wide.rank(axis=1, ascending=False, na_option="bottom")
    pools = [group.to_numpy(float) for _, group in ranks.groupby(level="pool")]
    mean = np.mean([one.mean(axis=0) for one in pools], axis=0)
    drawn = np.stack([_drawn(pools, rng) for _ in range(resamples)])
    low, high = np.percentile(drawn, _ENDS, axis=0)
    first, last = np.percentile(_places(drawn), _ENDS, axis=0, method="nearest")
    found = pd.DataFrame(
        {
            "strategy": names, "rank": mean, "rank_low": low, "rank_high": high,
            "place": _places(mean[None])[0].astype(int),
            "place_low": first.astype(int), "place_high": last.astype(int), "pools": len(pools), "runs": len(wide),
            "failed": wide[names].isna().sum().to_numpy(),
        }
    )  # fmt: skip
    return found.sort_values(["rank", "strategy"], ignore_index=True)


def complete(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of pools and seeds on which every strategy has one: a run that was stopped leaves
    others.

    >>> rows = [("a", 0, "x", 0.9), ("a", 0, "y", 0.8), ("a", 1, "x", 0.7)]
    >>> complete(pd.DataFrame(rows, columns=["pool", "seed", "strategy", "score"]))["seed"].tolist()
    [0, 0]
    """
    count = scores.groupby(["pool", "seed"])["strategy"].transform("nunique")
    return scores[count == scores["strategy"].nunique()]


def _drawn(pools: list[Floats], rng: np.random.Generator) -> Floats:
    """Mean ranks of pools drawn with replacement, and of seeds drawn in each of them."""
    chosen = [pools[index] for index in rng.integers(len(pools), size=len(pools))]
    means = [one[rng.integers(len(one), size=len(one))].mean(axis=0) for one in chosen]
    return np.asarray(np.mean(means, axis=0))


def _places(ranks: Floats) -> Floats:
    """The place of every strategy in every row: one more than those that have a lower rank."""
    return np.asarray(1.0 + (ranks[:, None, :] < ranks[:, :, None]).sum(axis=2))
