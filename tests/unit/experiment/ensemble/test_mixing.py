"""Autocorrelation times and round trips of series whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

from gardner.experiment.ensemble.mixing import Mixing, autocorrelation_time, returns


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_the_time_of_an_autoregressive_series(memory: float) -> None:
    series = lfilter([1.0], [1.0, -memory], np.random.default_rng(0).normal(size=100_000))
    assert autocorrelation_time(series) == pytest.approx(0.5 * (1.0 + memory) / (1.0 - memory), rel=0.08)


def test_what_never_changes_is_one_sample() -> None:
    assert autocorrelation_time(np.ones(50)) == 25.0


def test_trips_need_zero_between() -> None:
    # subset 0 stays at the lowest beta, then goes to zero (column 1) and comes back
    walker = np.array([[0, 1, 2], [0, 1, 2], [1, 0, 2], [0, 1, 2]], dtype=np.int16)
    assert returns(walker, zero=1) == (2, 0)


def test_troubles_are_named() -> None:
    good = Mixing(np.ones(3), np.full(3, 100.0), np.full(2, 0.4), np.ones(3), 0, (9, 9))
    assert good.troubles == []
    bad = Mixing(np.ones(3), np.full(3, 3.0), np.full(2, 0.01), np.ones(3), 0, (0, 9))
    assert len(bad.troubles) == 3
