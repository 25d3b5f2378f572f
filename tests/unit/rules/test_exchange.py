"""Metropolis' rule for many pairs."""

from __future__ import annotations

import numpy as np

from gardner.rules.exchange import pairs_to_exchange


def test_no_row_is_exchanged_twice_and_gains_go_first() -> None:
    rng = np.random.default_rng(0)
    inside, outside = rng.normal(size=50), rng.normal(size=80)
    places, others = pairs_to_exchange(inside, outside, 20, rng)
    assert len(set(places.tolist())) == len(set(others.tolist())) == 20
    gains = outside[others] - inside[places] < 0.0
    assert gains[:5].all()


def test_without_heat_only_the_best_gain_is_taken() -> None:
    rng = np.random.default_rng(1)
    places, _ = pairs_to_exchange(np.array([3.0, 2.0]), np.array([2.5, 9.0]), 0, rng)
    assert places.size <= 1
    none, nothing = pairs_to_exchange(np.array([0.0, 0.0]), np.array([1.0, 1.0]), 0, rng)
    assert none.size == nothing.size == 0


def test_hot_pairs_are_taken_by_metropolis_odds() -> None:
    taken = np.zeros(2)
    for seed in range(4000):
        _, others = pairs_to_exchange(np.array([0.0]), np.array([1.0, 2.0]), 1, np.random.default_rng(seed))
        taken[others] += 1
    # the smaller of two exponential times with rates 1 and 1/2: the cheaper row is first in two of
    # three
    assert abs(taken[0] / taken.sum() - 2.0 / 3.0) < 0.03
