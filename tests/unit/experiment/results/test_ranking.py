"""Ranks over pools: hand-counted cases, failures last, intervals that say what they should."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from gardner.errors import InvalidInputError
from gardner.experiment.results.ranking import complete, rank_strategies


def _scores(rows: list[tuple[str, int, str, float]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["pool", "seed", "strategy", "score"])


def test_a_pool_with_more_seeds_does_not_count_more() -> None:
    rows = [("a", seed, name, score) for seed in range(3) for name, score in (("x", 2.0), ("y", 1.0))]
    rows += [("b", 0, "x", 1.0), ("b", 0, "y", 2.0)]
    found = rank_strategies(_scores(rows), np.random.default_rng(0)).set_index("strategy")
    assert found["rank"].to_dict() == {"x": 1.5, "y": 1.5}
    assert found["place"].to_dict() == {"x": 1, "y": 1}
    assert found["rank_low"].tolist() == [1.0, 1.0]  # two pools disagree
    assert found["rank_high"].tolist() == [2.0, 2.0]


def test_those_that_failed_share_the_last_ranks_and_ties_theirs() -> None:
    rows = [("a", 0, "x", 0.5), ("a", 0, "y", math.nan), ("a", 0, "z", math.nan), ("a", 0, "w", 0.5)]
    found = rank_strategies(_scores(rows), np.random.default_rng(0)).set_index("strategy")
    assert found["rank"].to_dict() == {"w": 1.5, "x": 1.5, "y": 3.5, "z": 3.5}
    assert found["failed"].to_dict() == {"w": 0, "x": 0, "y": 1, "z": 1}


def test_what_a_stopped_run_left_half_done_does_not_count() -> None:
    rows = [("a", 0, "x", 1.0), ("a", 0, "y", 2.0), ("a", 1, "x", 3.0), ("b", 0, "y", 1.0)]
    assert set(complete(_scores(rows))["seed"]) == {0}
    found = rank_strategies(_scores(rows), np.random.default_rng(0))
    assert found["strategy"].tolist() == ["y", "x"]
    assert found["runs"].tolist() == found["pools"].tolist() == [1, 1]


def test_where_all_strategies_failed_nobody_is_ranked() -> None:
    rows = [("a", 0, "x", 1.0), ("a", 0, "y", 2.0), ("b", 0, "x", math.nan), ("b", 0, "y", math.nan)]
    assert set(rank_strategies(_scores(rows), np.random.default_rng(0))["pools"]) == {1}
    with pytest.raises(InvalidInputError, match="no pool has a row of every strategy"):
        rank_strategies(_scores(rows[2:]), np.random.default_rng(0))


def test_intervals_cover_the_rank_of_strategies_that_are_alike() -> None:
    """Scores at random: every true rank is 2.5, and intervals of 95 % miss it now and then only."""
    rng, missed = np.random.default_rng(1), 0
    for _ in range(40):
        rows = [(str(p), s, name, float(rng.normal())) for p in range(10) for s in range(3) for name in "wxyz"]
        found = rank_strategies(_scores(rows), rng, resamples=200)
        missed += int(((found["rank_low"] > 2.5) | (found["rank_high"] < 2.5)).sum())
    assert missed <= 24  # of 160; a bootstrap of ten pools misses somewhat more than one in twenty
