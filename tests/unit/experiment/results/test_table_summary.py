"""Means over seeds on real tables, by hand."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from gardner.experiment.results.table_summary import is_table, table_rows

LN2 = math.log(2.0)


def _run(strategy: str, seed: int, accuracy: list[float], **changes: Any) -> list[dict[str, Any]]:
    """Rounds of 10 labels on 5 columns, each label worth half a bit."""
    rows = []
    for place, value in enumerate(accuracy):
        labels = 10 * (place + 1)
        row = {
            "key": f"{strategy}{seed}", "label": strategy, "seed": seed, "data": "a.csv#0123456789ab", "age": 0,
            "label_column": "y", "channel": "probit:0.08", "test_share": 0.4, "batch_size": 10, "round": place,
            "labels": labels, "features": 5, "log_volume": -0.5 * LN2 * labels / 5, "bits_per_label": 0.5,
            "test_accuracy": value, "log_loss": 1.0 - value, "status": "converged", "informed": False,
        }  # fmt: skip
        rows.append(row | changes)
    return rows


def test_means_areas_and_bits() -> None:
    frame = pd.DataFrame([*_run("one", 0, [0.5, 0.7, 0.9]), *_run("one", 1, [0.5, 0.9, 0.9])])
    rows, pairs = table_rows(frame, [30])
    assert pairs == []
    (row,) = rows
    assert (row["data"], row["labels"], row["seeds"]) == ("a.csv", 30, 2)
    assert row["test_accuracy"] == pytest.approx(0.9)
    assert row["area"] == pytest.approx((0.7 + 0.8) / 2)  # trapezoids: (0.6 + 0.8)/2 and (0.7 + 0.9)/2
    assert row["area_stderr"] == pytest.approx(0.05)
    assert row["bits"] == pytest.approx(0.5)
    assert row["converged"] == 1.0


def test_pairs_are_over_the_seeds_that_both_have() -> None:
    frame = pd.DataFrame([*_run("one", 0, [0.5, 0.7]), *_run("one", 1, [0.5, 0.9]), *_run("two", 1, [0.5, 0.6])])
    rows, pairs = table_rows(frame, [20])
    assert [(row["strategy"], row["seeds"]) for row in rows] == [("one", 2), ("two", 1)]
    assert [(pair["strategy"], pair["versus"], pair["seeds"]) for pair in pairs] == [("one", "two", 1)]
    assert pairs[0]["test_accuracy_difference"] == pytest.approx(0.3)
    assert pairs[0]["test_accuracy_difference_stderr"] is None


def test_many_classes_have_no_bits_and_failures_no_rows() -> None:
    frame = pd.DataFrame([*_run("one", 0, [0.5], bits_per_label=math.nan), *_run("two", 0, [0.1], status="failed")])
    rows, _ = table_rows(frame)
    assert [(row["strategy"], row["bits"]) for row in rows] == [("one", None)]
    assert is_table(frame).all()


def test_tables_and_batches_stand_apart() -> None:
    frame = pd.DataFrame([*_run("one", 0, [0.5]), *_run("one", 0, [0.7], data="b.csv#0123456789ab", key="other")])
    rows, _ = table_rows(frame)
    assert [(row["data"], row["test_accuracy"]) for row in rows] == [("a.csv", 0.5), ("b.csv", 0.7)]
