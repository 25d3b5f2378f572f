"""AMP and EP against Monte Carlo on subsets that active learning selected, and so correlated
(docs/inference.md).
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.inference import amp, expectation_propagation, monte_carlo
from gardner.model import draw_instance

ALPHA, BUDGETS = 3.0, (0.3, 0.6, 1.2)


def check(features: int, informed: bool, stderr: float) -> None:
    """AL-AMP in batches of N/25; at each budget all three methods agree within three standard
    errors of Monte Carlo.
    """
    problem = draw_instance(features, ALPHA, seed=0)
    chosen = np.random.default_rng(0).permutation(len(problem.labels))[: features // 25]
    for budget in BUDGETS:
        wanted = round(budget * features)
        while len(chosen) < wanted:
            posterior = amp(problem.rows[chosen], problem.labels[chosen], tolerance=1e-6, decide_empty=False)
            omega, V = posterior.fields(problem.rows)
            score = (problem.labels * omega if informed else np.abs(omega)) / np.sqrt(V)
            score[chosen] = np.inf
            chosen = np.append(chosen, np.argsort(score)[: min(features // 25, wanted - len(chosen))])
        rows, labels = problem.rows[chosen], problem.labels[chosen]
        truth = monte_carlo(rows, labels, stderr=stderr, time_limit=math.inf).checked()
        assert truth.stderr is not None
        assert truth.stderr <= stderr
        for method in (amp, expectation_propagation):
            volume = method(rows, labels).checked().log_volume
            assert volume == pytest.approx(truth.log_volume, abs=3 * stderr), (method.__name__, budget)
        if informed:  # the selection does select: nothing like a random subset
            assert truth.log_volume < -1.2 * budget * np.log(2.0) or budget > 1.0


@pytest.mark.parametrize("informed", [False, True])
@pytest.mark.parametrize(("features", "stderr"), [(100, 0.002), pytest.param(200, 0.001, marks=pytest.mark.slow)])
def test_selected_subsets(features: int, stderr: float, informed: bool) -> None:
    check(features, informed, stderr)


def test_random_noise_in_the_volume_would_be_seen() -> None:
    """Negative control: AMP on rows at right angles is off by far more than Monte Carlo's error."""
    rows = np.linalg.qr(np.random.default_rng(0).standard_normal((100, 60)))[0].T
    truth = monte_carlo(rows, np.ones(60), stderr=0.002, time_limit=math.inf)
    assert truth.log_volume == pytest.approx(-0.6 * np.log(2.0), abs=0.008)
    assert abs(amp(rows, np.ones(60)).log_volume - truth.log_volume) > 0.02
