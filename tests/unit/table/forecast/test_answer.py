"""Forecasts of whole tables."""

from __future__ import annotations

import json
import math
from functools import cache

import numpy as np
import pytest

from gardner import forecast
from gardner.cli.console import to_json
from gardner.errors import InvalidInputError
from gardner.table.forecast import Forecast, curves
from gardner.table.forecast.results import spaced

RNG = np.random.default_rng(5)
TABLE = RNG.standard_normal((300, 25)) / np.sqrt(np.arange(1, 26))
RULE = np.where(TABLE @ RNG.standard_normal(25) < 0.0, -1.0, 1.0)
QUICK = {"best": False, "scaling": "common"}


def shown(count: int) -> np.ndarray:
    return np.where(np.arange(300) < count, RULE, np.nan)


@cache
def from_thirty() -> Forecast:
    return forecast(TABLE, shown(30), most_labels=60, **QUICK)  # type: ignore[arg-type]


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
    again = forecast(TABLE, shown(30), most_labels=60, **QUICK)  # type: ignore[arg-type]
    assert repr(again.to_json()) == repr(from_thirty().to_json())


def test_two_kinds_are_two_kinds() -> None:
    """0 and 1, or 3 and 7, mean the same as −1 and +1."""
    other = forecast(TABLE, shown(30) * 2.0 + 5.0, most_labels=60, **QUICK)  # type: ignore[arg-type]
    assert repr(other.points) == repr(from_thirty().points)


def test_too_few_labels_are_no_labels() -> None:
    found = forecast(TABLE, shown(4), most_labels=40, **QUICK)  # type: ignore[arg-type]
    assert found.labelled == 0
    assert "too few to learn from" in found.notes[0]


def test_one_column_and_constant_columns() -> None:
    table = np.column_stack([TABLE[:, 0], np.ones(300)])
    found = forecast(table, **QUICK)  # type: ignore[arg-type]
    assert found.columns == 1
    assert any("1 column left out" in note for note in found.notes)
    assert found.points[-1].random > 0.95


def test_fewer_rows_than_columns() -> None:
    found = forecast(RNG.standard_normal((40, 90)), **QUICK)  # type: ignore[arg-type]
    assert any("fewer rows than columns" in note for note in found.notes)
    assert 0.5 < found.points[-1].agnostic < 0.85


def test_the_best_subset_is_beside_the_curves() -> None:
    """Where a table prints a line, and never below what agnostic choice reaches."""
    found = forecast(RNG.standard_normal((120, 40)), accuracy=0.7, scaling="common", most_labels=100)
    points = [found.points[index] for index in spaced(len(found.points))]
    assert all(point.best > point.agnostic > point.random for point in points[1:-1])
    assert all(point.best <= found.pool + 1e-6 for point in points)
    assert found.needed["best"].labels < found.needed["agnostic"].labels < found.needed["random"].labels
    asked = {point.labels for point in points}
    assert all(math.isnan(point.best) for point in found.points if point.labels not in asked)


def test_steep_spectra_have_no_best_subset_at_first() -> None:
    """The subset of least volume learns small directions too, and is less accurate than chance: a
    note says so.
    """
    table = RNG.standard_normal((1500, 200)) / np.sqrt(np.arange(1, 201))
    found = forecast(table, accuracy=0.75, scaling="common", most_labels=80)
    missing = [point.labels for point in found.points if math.isnan(point.best)]
    note = next(note for note in found.notes if "no best subset at" in note)
    assert "directions in which rows hardly vary" in note
    named = [int(word.strip(",")) for word in note.partition(" at ")[2].partition(" labels")[0].split()]
    assert named
    assert set(named) <= set(missing)
    assert found.points[-1].best > found.points[-1].agnostic
    assert found.needed["best"].labels <= found.needed["agnostic"].labels


def test_noisy_labels_have_no_best_subset() -> None:
    coin = np.where(np.arange(300) < 80, RNG.choice([-1.0, 1.0], 300), np.nan)
    found = forecast(TABLE, coin, most_labels=100, scaling="common")
    assert all(math.isnan(point.best) for point in found.points)
    assert math.isnan(found.needed["best"].labels)
    assert any("rich in wrong ones" in note for note in found.notes)


def test_no_choice_is_better_than_all_labels() -> None:
    """A small pool is soon exhausted: the curves of choice end at the accuracy that all its labels
    give.
    """
    found = forecast(RNG.standard_normal((80, 3)), most_labels=70, best=False)
    assert found.points[-1].random < found.points[-1].agnostic == pytest.approx(found.pool, abs=1e-3)
    after = forecast(TABLE, shown(60), most_labels=290, **QUICK)  # type: ignore[arg-type]
    assert after.now < after.pool
    assert after.points[-1].random == pytest.approx(after.pool, abs=2e-3)


@pytest.mark.slow
def test_a_curve_that_ends_early_is_said_aloud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curves, "_CELLS", (1024,))
    found = forecast(RNG.standard_normal((10_000, 2)), best=False)
    assert any("agnostic choice is known up to 30 labels" in note for note in found.notes)
    monkeypatch.undo()
    assert not any("known up to" in note for note in forecast(RNG.standard_normal((10_000, 2)), best=False).notes)


def test_a_label_among_the_features_is_noticed() -> None:
    table = np.column_stack([TABLE, RULE + 0.1 * RNG.standard_normal(300)])
    found = forecast(table, shown(30), most_labels=50, names=[*"abcdefghijklmnopqrstuvwxy", "copy"], **QUICK)  # type: ignore[arg-type]
    assert any("column copy alone tells every label" in note for note in found.notes)
    assert not any("alone tells" in note for note in from_thirty().notes)


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
        (TABLE, None, {"batch_size": 0}, "at least 1"),
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
