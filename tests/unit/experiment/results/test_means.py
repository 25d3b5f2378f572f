"""What tables of results share, by hand."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from gardner.experiment.results.means import mean, mean_if_known, pairs, rounds_that_count, with_share_converged


def _runs() -> pd.DataFrame:
    """Two strategies on two pools; one of them has a run by other code, which goes on for longer."""
    rows = [
        ("a", "one", 0, 0, 0, 5, "converged"),
        ("a", "one", 0, 0, 1, 10, "stalled"),
        ("b", "one", 1, 0, 0, 5, "converged"),
        ("c", "one", 0, 2, 0, 5, "converged"),
        ("c", "one", 0, 2, 1, 20, "converged"),
        ("d", "two", 1, 0, 0, 5, "converged"),
    ]
    return pd.DataFrame(rows, columns=["key", "label", "seed", "age", "round", "labels", "status"])


def test_means_and_what_is_missing() -> None:
    value, error = mean(pd.Series([1.0, 3.0]))
    assert (value, error) == pytest.approx((2.0, 1.0))
    assert mean(pd.Series([1.0])) == mean_if_known(pd.Series([1.0])) == (1.0, None)
    value, error = mean(pd.Series([1.0, None]))
    assert math.isnan(value)
    assert error is not None
    assert math.isnan(error)
    assert mean_if_known(pd.Series([1.0, None])) == (None, None)


def test_the_share_is_that_of_the_rounds_so_far() -> None:
    shuffled = _runs().sample(frac=1.0, random_state=0)
    found = with_share_converged(shuffled).set_index(["key", "round"])["share"]
    assert found.loc["a"].tolist() == [1.0, 0.5]
    assert found.loc["c"].tolist() == [1.0, 1.0]


def test_a_round_that_counts_twice_is_there_once() -> None:
    """Code of today is preferred where it reaches as far."""
    ranked = _runs().sort_values(["age", "labels", "key"])
    found = rounds_that_count(ranked, [3, 5, 15], ["label", "seed"])
    assert found[["key", "labels"]].to_numpy().tolist() == [["a", 5], ["b", 5], ["d", 5], ["c", 20]]


def test_pairs_are_of_the_same_seeds() -> None:
    rows = [("one", 2, 5.0), ("one", 0, 1.0), ("one", 1, 3.0), ("two", 1, 1.0), ("two", 2, 7.0), ("three", 5, 0.0)]
    points = pd.DataFrame(rows, columns=["label", "seed", "log_volume"])
    ((first, second, differences),) = pairs(points, ["log_volume"])
    assert (first, second) == ("one", "two")
    assert differences["log_volume"].tolist() == [2.0, -2.0]
    points = pd.DataFrame([*rows, ("two", 0, 1.5)], columns=["label", "seed", "log_volume"])
    ((_, _, differences),) = pairs(points, ["log_volume"])
    assert differences["log_volume"].tolist() == [-0.5, 2.0, -2.0]
    assert list(pairs(points[points["label"] == "one"], ["log_volume"])) == []
