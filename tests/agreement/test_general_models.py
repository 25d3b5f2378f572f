"""Theory of other priors and channels against enumeration: binary weights, all 2^N students of
small problems.
"""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from scipy.special import logsumexp

from gardner import complexity_at, typical
from gardner.model import GLM, Channel, Flip, Rademacher, Sign
from gardner.theory.formula.taylor import Floats


@functools.cache
def students(N: int) -> Floats:
    return np.array(list(itertools.product([-1.0, 1.0], repeat=N)))


def log_likelihoods(channel: Channel, N: int, rows: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """ln P_out(y|h) of every student and row (2^N × rows), and of the teacher (rows,)."""
    everyone = students(N)
    F = rng.normal(size=(rows, N)) / np.sqrt(N)
    teacher = everyone[rng.integers(len(everyone))]
    y = channel.sample(F @ teacher, rng)
    fields = everyone @ F.T
    return (
        np.asarray(channel.log_partition(y, fields, 1e-18)),
        np.asarray(channel.log_partition(y, F @ teacher, 1e-18)),
    )


@pytest.mark.parametrize("channel", [Sign(), Flip(0.1)])
def test_random_subsets_by_enumeration(channel: Channel) -> None:
    """ln v and information of a random subset, N = 8, 11, 14 extrapolated to N = ∞ (corrections of
    order 1/N).
    """
    sizes, means, errors = (8, 11, 14), [], []
    for N in sizes:
        rng = np.random.default_rng(N)
        rows = round(0.5 * N) if N != 11 else 6
        runs = []
        for _ in range(200):
            everyone, teacher = log_likelihoods(channel, N, rows, rng)
            volume = logsumexp(everyone.sum(axis=1)) / N - np.log(2.0)
            runs.append([volume, teacher.sum() / N - volume])
        theory = typical(GLM(Rademacher(), channel), budget=rows / N)
        excess = np.array(runs) - [theory.log_volume, theory.information]
        means.append(excess.mean(axis=0))
        errors.append(excess.std(axis=0) / np.sqrt(len(runs)))
    fit = np.polyfit(1.0 / np.array(sizes), np.array(means), 1)
    assert np.abs(np.array(means)).max() < 0.03
    assert np.abs(fit[1]).max() < 5 * np.array(errors).max() + 2e-3


@pytest.mark.slow
def test_spread_of_subsets_is_the_curvature_of_the_complexity() -> None:
    """In one pool ln v varies between subsets with N Var(ln v) = d ln v/dβ at β = 0, the width of
    the curve's top.
    """
    model, N, alpha, chosen = GLM(Rademacher(), Sign()), 12, 2.5, 6
    rng = np.random.default_rng(3)
    spreads = []
    for _ in range(60):
        everyone, _ = log_likelihoods(Sign(), N, round(alpha * N), rng)
        volumes = []
        for _ in range(150):
            subset = rng.choice(round(alpha * N), chosen, replace=False)
            volumes.append(logsumexp(everyone[:, subset].sum(axis=1)) / N)
        spreads.append(N * np.var(volumes, ddof=1))
    n = chosen / N
    top = typical(model, budget=n).log_volume
    near = [complexity_at(model, pool_ratio=alpha, budget=n, log_volume=top + s * 0.01) for s in (1, -1)]
    slope = 0.02 / (near[0].beta - near[1].beta)
    assert np.mean(spreads) == pytest.approx(slope, rel=0.15)
