"""Accuracy against labels for one model of the labels."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gardner.errors import ConvergenceError
from gardner.model.arrays import Floats
from gardner.table.forecast import curves
from gardner.table.forecast.curves import Question, at_random, by_rule, of_best_subset
from gardner.theory import bounds, learning_curve, typical
from gardner.theory.curve.ends import EndStatus

C = tuple((1.0 / np.arange(1, 31)).tolist())
LABELS = np.array([10.0, 30.0, 60.0])


def chosen(question: Question, labels: Floats, labelled: float = 0.0) -> Floats:
    return by_rule(question, labels, 10.0, labelled).accuracy


def test_a_flat_spectrum_is_the_perceptron() -> None:
    found = at_random(Question((1.0,) * 30, 300), LABELS)
    assert found == pytest.approx([typical(budget=n / 30.0).accuracy for n in LABELS], abs=1e-8)


def test_columns_that_never_vary_change_nothing() -> None:
    plain, padded = Question(C, 300), Question((*C, *(0.0,) * 20), 300)
    assert at_random(padded, LABELS) == pytest.approx(at_random(plain, LABELS), abs=1e-8)
    assert chosen(padded, LABELS) == pytest.approx(chosen(plain, LABELS), abs=1e-4)


def test_choosing_helps_and_noise_hurts() -> None:
    clear, noisy = Question(C, 300), Question(C, 300, noise=0.5)
    assert (chosen(clear, LABELS)[1:] > at_random(clear, LABELS)[1:]).all()
    assert (at_random(noisy, LABELS) < at_random(clear, LABELS)).all()
    most = 1.0 - math.acos(math.sqrt(1.0 / (1.0 + 0.5 / np.mean(C)))) / math.pi
    assert at_random(noisy, np.array([300.0]))[0] < most


def test_aligned_labels_are_learned_sooner() -> None:
    assert (at_random(Question(C, 300, alignment=1.0), LABELS) > at_random(Question(C, 300), LABELS)).all()


def test_a_rule_goes_on_from_random_labels() -> None:
    question = Question(C, 300)
    found = chosen(question, np.array([30.0, 40.0]), labelled=30.0)
    assert found[0] == pytest.approx(at_random(question, np.array([30.0]))[0], abs=1e-3)
    assert found[1] > found[0]


@pytest.mark.slow
def test_two_columns_are_followed_to_the_end() -> None:
    """The rule soon knows as much as all rows tell, to four digits: that takes more cells, and no
    error comes up.
    """
    question, labels = Question((1.0, 1.0), 10_000), np.array([10.0, 30.0, 40.0, 50.0, 60.0, 200.0])
    found, whole = by_rule(question, labels, 10.0, 0.0), at_random(question, np.array([10_000.0]))[0]
    assert found.known_to == 200.0
    assert (np.diff(found.accuracy) >= 0.0).all()
    assert 1.0 - found.accuracy[-1] == pytest.approx(1.0 - whole, rel=0.1)


@pytest.mark.slow
def test_a_curve_that_does_not_settle_is_kept_as_far_as_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    question, labels = Question((1.0, 1.0), 10_000), np.array([10.0, 30.0, 40.0, 50.0, 60.0, 200.0])
    whole = chosen(question, labels)
    monkeypatch.setattr(curves, "_CELLS", (1024,))
    found = by_rule(question, labels, 10.0, 0.0)
    assert found.known_to == 30.0
    assert found.accuracy[:2] == pytest.approx(whole[:2], abs=1e-4)
    assert found.accuracy[1:] == pytest.approx(np.full(5, found.accuracy[1]))


def test_a_curve_is_kept_as_far_as_it_settles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where not every budget settles, the longest curve that does; beyond it the last accuracy."""
    question = Question(C, 300)
    whole = by_rule(question, LABELS, 10.0, 0.0)
    limit = float(LABELS[len(LABELS) // 2]) / question.columns

    def up_to_a_limit(*given: object, budget: float, **options: object) -> object:
        if budget > limit + 1e-9:
            raise ConvergenceError("no")
        return learning_curve(*given, budget=budget, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(curves, "learning_curve", up_to_a_limit)
    found = by_rule(question, LABELS, 10.0, 0.0)
    assert 10.0 < found.known_to <= limit * question.columns + 10.0 < LABELS[-1]
    known = found.known_to >= LABELS
    assert found.accuracy[known] == pytest.approx(whole.accuracy[known], abs=1e-4)
    assert (np.diff(found.accuracy) >= 0.0).all()
    assert (found.accuracy[~known] <= whole.accuracy[~known] + 1e-4).all()


def test_without_any_choice_rows_are_random(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer labels than a batch, and a curve of which not even the first choice settles."""
    question = Question(C, 300)
    first = by_rule(question, np.array([4.0, 8.0]), 10.0, 0.0)
    assert (first.accuracy.tolist(), first.known_to) == (at_random(question, np.array([4.0, 8.0])).tolist(), 8.0)

    def never(*_: object, **__: object) -> object:
        raise ConvergenceError("no")

    monkeypatch.setattr(curves, "learning_curve", never)
    found = by_rule(question, LABELS, 10.0, 0.0)
    assert (found.accuracy.tolist(), found.known_to) == (at_random(question, LABELS).tolist(), 10.0)


def test_noisy_labels_have_no_best_subset() -> None:
    assert np.isnan(of_best_subset(Question(C, 300, noise=1.0), LABELS)).all()


def test_the_best_subset_is_the_most_accurate_of_the_bounds() -> None:
    question = Question((1.0,) * 30, 90)
    wrong = of_best_subset(question, np.array([9.0, 18.0, 90.0]))
    whole = 1.0 - at_random(question, np.array([90.0]))[0]
    wanted = [bounds(pool_ratio=3.0, budget=n).minimum.found for n in (0.3, 0.6)]
    assert 1.0 - wrong[:2] * whole == pytest.approx([one.accuracy for one in wanted if one], abs=1e-8)
    assert wrong[2] == pytest.approx(1.0, abs=1e-8)  # there is one subset of all rows
    assert (np.diff(wrong) < 0.0).all()


def test_a_subset_that_tells_all_is_not_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[float]()

    def count(*given: Any, **named: Any) -> Any:
        asked.append(named["budget"])
        return bounds(*given, **named)

    monkeypatch.setattr(curves, "bounds", count)
    wrong = of_best_subset(Question((1.0, 1.0), 300), np.array([10.0, 20.0, 50.0, 100.0]))
    assert wrong == pytest.approx([1.0] * 4, abs=1e-3)
    assert len(asked) < 4


def test_an_end_that_is_not_known_has_no_best_subset(monkeypatch: pytest.MonkeyPatch) -> None:
    def unresolved(*given: Any, **named: Any) -> Any:
        result = bounds(*given, **named)
        return replace(result, minimum=replace(result.minimum, status=EndStatus.UNRESOLVED))

    monkeypatch.setattr(curves, "bounds", unresolved)
    assert np.isnan(of_best_subset(Question((1.0,) * 30, 90), np.array([9.0]))).all()
