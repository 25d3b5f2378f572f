"""What labels say about their own alignment and noise."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.model.arrays import Floats
from gardner.table.forecast.estimate import table_spectrum
from gardner.table.forecast.labelled import Likely, likely_models

RNG = np.random.default_rng(3)
C = 1.0 / np.arange(1, 21)
ROWS = RNG.standard_normal((600, 20)) * np.sqrt(C)


def models(labels: Floats, known: int) -> tuple[Likely, ...]:
    shown = np.where(np.arange(len(labels)) < known, labels, np.nan)
    spectrum = table_spectrum(ROWS, scaling="common", keep=~np.isnan(shown))
    return likely_models(spectrum, ROWS, shown)


def mean(found: tuple[Likely, ...], name: str) -> float:
    return float(np.average([getattr(one, name) for one in found], weights=[one.weight for one in found]))


def test_alignment_is_seen() -> None:
    """Labels by the largest direction, and by the smallest ones."""
    large, small = np.sign(ROWS[:, 0]), np.sign(ROWS @ (RNG.standard_normal(20) / np.sqrt(C)))
    assert mean(models(large, 80), "alignment") > 1.0
    assert mean(models(small, 80), "alignment") < 0.5


def test_noise_is_seen() -> None:
    rule = ROWS @ RNG.standard_normal(20)
    clear, coin = models(np.sign(rule), 100), models(RNG.choice([-1.0, 1.0], 600), 100)
    assert max(clear, key=lambda one: one.weight).noise <= 0.1
    assert max(coin, key=lambda one: one.weight).noise >= 1.0
    assert mean(clear, "expected") > 0.85
    assert mean(coin, "expected") < 0.75


def test_weights_sum_to_one_and_fall() -> None:
    found = models(np.sign(ROWS @ RNG.standard_normal(20)), 40)
    weights = [one.weight for one in found]
    assert sum(weights) == pytest.approx(1.0)
    assert weights == sorted(weights, reverse=True)


def test_expected_accuracy_is_that_on_the_others() -> None:
    labels = np.sign(ROWS @ RNG.standard_normal(20))
    expected = mean(models(labels, 60), "expected")
    assert 0.75 < expected < 0.97
