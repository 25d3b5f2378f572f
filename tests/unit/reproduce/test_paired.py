"""What two strategies are compared by on a page."""

from __future__ import annotations

import pandas as pd

from gardner.reproduce.paired import pairs_of


def runs(**changes: float) -> pd.DataFrame:
    rows = [
        {"label": label, "batch_size": 2, "seed": seed, "labels": labels, "age": 0, "area": labels + seed + 0.5}
        for label in ("a", "b")
        for seed in (0, 1)
        for labels in (2, 4)
    ]
    return pd.DataFrame(rows).assign(**changes)


def test_the_end_of_every_run_counts_once() -> None:
    found = pairs_of(pd.concat([runs(age=1, area=9.0), runs()]), {"area": "area under accuracy"})
    assert found is not None
    assert found.measures == ("area under accuracy",)
    assert found.where == "at 4 labels"
    assert found.values.to_numpy().tolist() == [["a", 0, 4.5], ["a", 1, 5.5], ["b", 0, 4.5], ["b", 1, 5.5]]


def test_batches_are_strategies_of_their_own() -> None:
    found = pairs_of(pd.concat([runs(), runs(batch_size=4)]), {"area": "area"})
    assert found is not None
    assert sorted(set(found.values["strategy"])) == ["a, batch 2", "a, batch 4", "b, batch 2", "b, batch 4"]


def test_one_strategy_has_nobody_to_be_compared_with() -> None:
    assert pairs_of(runs().query("label == 'a'"), {"area": "area"}) is None
