"""The paper's findings on active learning, at a size a test can afford (docs/active-learning.md has
the full ones).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

from gardner import bounds, typical
from gardner.experiment.loop.pool import run
from gardner.model import PERCEPTRON, draw_instance
from gardner.strategies import make_registered

FEATURES, SEEDS = 400, 5


@lru_cache
def volumes(name: str, alpha: float, budget: float) -> tuple[float, float]:
    """Mean and standard error of ln v over seeds."""
    values = []
    for seed in range(SEEDS):
        problem = draw_instance(FEATURES, alpha, seed, dtype=np.float32)
        result = run(problem, make_registered(name, {}), budget=budget, batch_size=FEATURES // 50, seed=seed)
        assert all(one.status == "converged" for one in result.rounds)
        values.append(result.rounds[-1].log_volume)
    return float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(SEEDS)


def test_random_is_typical() -> None:
    mean, error = volumes("random", 3.0, 1.2)
    assert mean == pytest.approx(typical(PERCEPTRON, budget=1.2).log_volume, abs=3 * error + 2 / FEATURES)


@pytest.mark.parametrize("budget", [0.6, 1.2])
def test_agnostic_halves(budget: float) -> None:
    mean, _ = volumes("agnostic", 3.0, budget)
    assert mean == pytest.approx(-budget * math.log(2.0), abs=0.01)


def test_informed_lies_between_the_minimum_and_agnostic() -> None:
    edge = bounds(PERCEPTRON, pool_ratio=3.0, budget=0.6)
    informed, _ = volumes("informed", 3.0, 0.6)
    reverse, _ = volumes("least-informative", 3.0, 0.6)
    assert edge.minimum.log_volume is not None
    assert edge.maximum.log_volume is not None
    assert edge.minimum.log_volume < informed < volumes("agnostic", 3.0, 0.6)[0] - 0.2
    assert volumes("random", 3.0, 0.6)[0] + 0.1 < reverse < edge.maximum.log_volume


@pytest.mark.slow
def test_heuristics_are_ranked_as_in_the_paper() -> None:
    order = [volumes(name, 10.0, 1.6)[0] for name in ("agnostic", "logistic", "perceptron", "committee", "random")]
    assert order == sorted(order)
