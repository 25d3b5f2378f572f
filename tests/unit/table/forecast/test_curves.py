"""Accuracy against labels for one model of the labels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.table.forecast.curves import Question, at_random, by_rule, of_best_subset
from gardner.theory import typical

C = tuple((1.0 / np.arange(1, 31)).tolist())
LABELS = np.array([10.0, 30.0, 60.0])


def test_a_flat_spectrum_is_the_perceptron() -> None:
    found = at_random(Question((1.0,) * 30, 300), LABELS)
    assert found == pytest.approx([typical(budget=n / 30.0).accuracy for n in LABELS], abs=1e-8)


def test_columns_that_never_vary_change_nothing() -> None:
    plain, padded = Question(C, 300), Question((*C, *(0.0,) * 20), 300)
    assert at_random(padded, LABELS) == pytest.approx(at_random(plain, LABELS), abs=1e-8)
    assert by_rule(padded, LABELS, 10.0, 0.0) == pytest.approx(by_rule(plain, LABELS, 10.0, 0.0), abs=1e-4)


def test_choosing_helps_and_noise_hurts() -> None:
    clear, noisy = Question(C, 300), Question(C, 300, noise=0.5)
    assert (by_rule(clear, LABELS, 10.0, 0.0)[1:] > at_random(clear, LABELS)[1:]).all()
    assert (at_random(noisy, LABELS) < at_random(clear, LABELS)).all()
    most = 1.0 - math.acos(math.sqrt(1.0 / (1.0 + 0.5 / np.mean(C)))) / math.pi
    assert at_random(noisy, np.array([300.0]))[0] < most


def test_aligned_labels_are_learned_sooner() -> None:
    assert (at_random(Question(C, 300, alignment=1.0), LABELS) > at_random(Question(C, 300), LABELS)).all()


def test_a_rule_goes_on_from_random_labels() -> None:
    question = Question(C, 300)
    found = by_rule(question, np.array([30.0, 40.0]), 10.0, 30.0)
    assert found[0] == pytest.approx(at_random(question, np.array([30.0]))[0], abs=1e-3)
    assert found[1] > found[0]


def test_more_digits_than_double_precision_has() -> None:
    """Two columns and thousands of labels: no error comes up, and choosing is no worse than chance."""
    found = by_rule(Question((1.0, 1.0), 10_000), np.array([10.0, 2000.0]), 10.0, 0.0)
    assert found[1] > 0.999


def test_noisy_labels_have_no_best_subset() -> None:
    assert np.isnan(of_best_subset(Question(C, 300, noise=1.0), LABELS)).all()
