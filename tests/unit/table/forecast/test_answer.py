"""Forecasts of whole tables."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from gardner import forecast
from gardner.cli.console import to_json
from gardner.errors import InvalidInputError

RNG = np.random.default_rng(5)
TABLE = RNG.standard_normal((300, 25)) / np.sqrt(np.arange(1, 26))
RULE = np.where(TABLE @ RNG.standard_normal(25) < 0.0, -1.0, 1.0)
QUICK = {"best": False, "scaling": "common"}


def shown(count: int) -> np.ndarray:
    return np.where(np.arange(300) < count, RULE, np.nan)


def test_before_any_label() -> None:
    found = forecast(TABLE, accuracy=0.9, **QUICK)  # type: ignore[arg-type]
    assert (found.rows, found.columns, found.labelled) == (300, 25, 0)
    assert math.isnan(found.now)
    for point in found.points:
        assert point.random_low < point.random < point.random_high
        assert point.agnostic_low < point.agnostic < point.agnostic_high
        assert point.agnostic >= point.random - 1e-3
        assert math.isnan(point.best)
    accuracies = [point.random for point in found.points]
    assert accuracies == sorted(accuracies)
    needed = found.needed["random"]
    assert needed.low < needed.labels < needed.high
    assert found.saved > 0.0
    assert json.loads(to_json(found.to_json()))["needed"]["best"]["labels"] is None


def test_from_some_labels_on() -> None:
    """A linear rule without noise: the interval holds what a run of such a student would have."""
    found = forecast(TABLE, shown(60), accuracy=0.95, most_labels=150, **QUICK)  # type: ignore[arg-type]
    assert found.points[0].labels == found.labelled == 60
    assert 0.75 < found.now < 0.99
    assert found.points[0].random == pytest.approx(found.now, abs=1e-6)
    assert found.points[-1].labels == 150
    assert found.points[-1].random > found.now
    assert sum(model.weight for model in found.models) <= 1.0 + 1e-9


def test_the_same_question_has_the_same_answer() -> None:
    first, second = (forecast(TABLE, shown(30), most_labels=60, **QUICK) for _ in range(2))  # type: ignore[arg-type]
    assert repr(first.to_json()) == repr(second.to_json())


def test_two_kinds_are_two_kinds() -> None:
    """0 and 1, or 3 and 7, mean the same as −1 and +1."""
    plain = forecast(TABLE, shown(30), most_labels=60, **QUICK)  # type: ignore[arg-type]
    other = forecast(TABLE, shown(30) * 2.0 + 5.0, most_labels=60, **QUICK)  # type: ignore[arg-type]
    assert repr(other.points) == repr(plain.points)


def test_too_few_labels_are_no_labels() -> None:
    found = forecast(TABLE, shown(4), most_labels=40, **QUICK)  # type: ignore[arg-type]
    assert found.labelled == 0
    assert "too few to learn from" in found.notes[0]


def test_one_column_and_constant_columns() -> None:
    table = np.column_stack([TABLE[:, 0], np.ones(300)])
    found = forecast(table, **QUICK)  # type: ignore[arg-type]
    assert found.columns == 1
    assert any("1 columns left out" in note for note in found.notes)
    assert found.points[-1].random > 0.95


def test_fewer_rows_than_columns() -> None:
    found = forecast(RNG.standard_normal((40, 90)), **QUICK)  # type: ignore[arg-type]
    assert any("fewer rows than columns" in note for note in found.notes)
    assert 0.5 < found.points[-1].agnostic < 0.85


def test_a_label_among_the_features_is_noticed() -> None:
    table = np.column_stack([TABLE, RULE + 0.1 * RNG.standard_normal(300)])
    found = forecast(table, shown(30), most_labels=50, names=[*"abcdefghijklmnopqrstuvwxy", "copy"], **QUICK)  # type: ignore[arg-type]
    assert any("column copy alone tells every label" in note for note in found.notes)
    honest = forecast(TABLE, shown(30), most_labels=50, **QUICK)  # type: ignore[arg-type]
    assert not any("alone tells" in note for note in honest.notes)


def test_a_rare_class_is_said_aloud() -> None:
    labels = np.where(np.arange(300) < 50, np.where(np.arange(300) < 4, 1.0, -1.0), np.nan)
    found = forecast(TABLE, labels, most_labels=70, **QUICK)  # type: ignore[arg-type]
    assert any("8 % of the labels" in note for note in found.notes)


@pytest.mark.parametrize(
    ("table", "labels", "change", "says"),
    [
        (TABLE, RULE, {}, "every row has a label"),
        (TABLE, np.arange(300.0), {}, "two classes"),
        (TABLE, shown(10)[:5], {}, "there are 300 rows"),
        (TABLE, ["a"] * 300, {}, "must be numbers"),
        (TABLE, None, {"accuracy": 0.4}, "between 0.5"),
        (TABLE, None, {"accuracy": 1.0}, "between 0.5"),
        (TABLE, None, {"batch": 0}, "at least 1"),
        (TABLE, None, {"most_labels": 0}, "at least 1"),
        (TABLE, shown(30), {"most_labels": 30}, "have a label already"),
        (TABLE, None, {"scaling": "unit"}, "standardised, common"),
        (TABLE[:1], None, {}, "two rows or more"),
        (np.ones((5, 2)), None, {}, "nothing varies"),
        (np.full((5, 2), np.nan), None, {}, "finite"),
        (np.ones(5), None, {}, "rows × columns"),
        ([["a"]], None, {}, "must be numbers"),
    ],
)
def test_refusals_are_one_line(table: object, labels: object, change: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidInputError, match=says) as caught:
        forecast(table, labels, **{"best": False, **change})  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
