"""What several numbers of weights say of many, on curves that are made up and so known."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from gardner.experiment.ensemble.answer import Ensemble
from gardner.experiment.ensemble.limit import drawn_range, limit, paired
from gardner.experiment.ensemble.question import Question

BETAS = np.array([-20.0, -6.0, -3.0, 0.0])
# Φ of many weights at these β, what the luck of a pool adds (as in pools: most at the end), and 1/N
# and 1/N².
PHI = np.array([19.2, 5.8, 3.1, 1.5])
LUCK, OTHER = np.array([2.0, 0.55, 0.2, 0.0]), np.array([0.02, 0.0, 0.05, 0.0])
FIRST, SECOND = np.array([3.0, 1.0, 0.5, 0.0]), np.array([-8.0, 2.0, 1.0, 0.0])
POOLS = {20: 60, 30: 40, 50: 24, 100: 8}


def made(seed: int, missing: float = 0.0) -> dict[int, Ensemble]:
    """Answers whose pools have luck of variance 1/N; ``missing`` is taken from Φ at the lowest β."""
    rng, found = np.random.default_rng(seed), {}
    for N, count in POOLS.items():
        luck, other, noise = rng.normal(size=(3, count, 1)) / math.sqrt(N)
        phi = PHI - 0.5 * math.log(N) / N + FIRST / N + SECOND / N**2 + luck * LUCK + other * OTHER
        phi[:, :1] += 0.1 * noise
        phi[:, 0] -= missing
        mean, error = phi.mean(axis=0), phi.std(axis=0, ddof=1) / math.sqrt(count)
        curve = pd.DataFrame({"beta": BETAS, "log_partition": mean, "log_partition_stderr": error})
        pools = pd.DataFrame(
            {
                "pool": np.repeat(np.arange(count), BETAS.size),
                "beta": np.tile(BETAS, count),
                "log_partition": phi.ravel(),
            }
        )
        question = Question(N, 3.0, 0.6)
        found[N] = Ensemble(question, 100, curve, pools, [None] * count, [], 0.0)  # type: ignore[list-item]
    return found


def test_both_limits_are_right_to_their_errors_and_the_paired_one_is_sharper() -> None:
    known = {-6.0: PHI[1], -3.0: PHI[2]}
    plain = [limit(made(seed), "log_partition", -20.0) for seed in range(40)]
    given = [paired(made(seed), "log_partition", -20.0, known) for seed in range(40)]
    for found in (plain, given):
        pulls = np.array([(one.value - PHI[0]) / one.error for one in found])
        assert abs(pulls.mean()) < 0.6
        assert 0.7 < pulls.std() < 1.4
    assert np.mean([one.error for one in given]) < 0.1 * np.mean([one.error for one in plain])
    assert np.mean([one.chi for one in given]) == pytest.approx(1.0, abs=0.6)


def test_an_end_that_is_elsewhere_is_found_out() -> None:
    known = {-6.0: PHI[1], -3.0: PHI[2]}
    found = paired(made(0, missing=0.5), "log_partition", -20.0, known)
    assert abs(found.value - PHI[0]) > 5.0 * found.error
    assert abs(found.value - (PHI[0] - 0.5)) < 4.0 * found.error


def test_too_few_pools_say_nothing() -> None:
    answers = {20: made(0)[20]}
    assert math.isnan(limit(answers, "log_partition", -6.0).value)
    assert math.isnan(paired(answers, "log_partition", -20.0, {-6.0: PHI[1]}).value)


def test_random_draws_see_what_is_not_rarer_than_they_are_many() -> None:
    volume = np.linspace(-2.0, 0.0, 2001)
    curve = pd.DataFrame({"log_volume": volume, "complexity": 1.0 - (volume + 1.0) ** 2})
    answer = Ensemble(Question(20, 3.0, 0.6), 100, curve, pd.DataFrame(), [], [], 0.0)
    depth = math.sqrt(math.log(1e7) / 20)
    assert drawn_range(answer, 1e7) == pytest.approx((-1.0 - depth, -1.0 + depth), abs=2e-3)
