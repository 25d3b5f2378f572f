"""AMP on random subsets against the typical volume and overlap of the theory."""

from __future__ import annotations

import numpy as np
import pytest

from gardner import typical
from gardner.inference.message_passing import amp
from gardner.model import PERCEPTRON, draw_instance

SEEDS = 20


def check(features: int, budget: float) -> None:
    """No bias beyond two standard errors + 2/N in ln v and in both overlaps."""
    volumes, overlaps, norms = [], [], []
    for seed in range(SEEDS):
        problem = draw_instance(features, budget, seed, dtype=np.float32)
        posterior = amp(problem.rows, problem.labels).checked()
        mean = np.asarray(posterior.mean, dtype=float)
        volumes.append(posterior.log_volume)
        # the sign channel does not see the teacher's norm, 1 + O(1/√N) by chance: take it out
        overlaps.append(mean @ problem.teacher / np.linalg.norm(problem.teacher) / np.sqrt(features))
        norms.append(mean @ mean / features)
    theory = typical(PERCEPTRON, budget=budget)
    expected = ((volumes, theory.log_volume), (overlaps, theory.overlap), (norms, theory.overlap))
    for measured, value in expected:
        spread = np.std(measured, ddof=1)
        assert np.mean(measured) == pytest.approx(value, abs=2 * spread / np.sqrt(SEEDS) + 2 / features)
        assert np.abs(np.array(measured) - value).max() < 5 * spread + 2 / features


@pytest.mark.parametrize("budget", [0.3, 1.0, 2.0])
def test_random_subsets(budget: float) -> None:
    check(features=600, budget=budget)


@pytest.mark.slow
@pytest.mark.parametrize("budget", [0.3, 0.6, 1.0, 2.0, 5.0])
def test_random_subsets_large(budget: float) -> None:
    check(features=2000, budget=budget)
