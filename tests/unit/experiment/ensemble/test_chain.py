"""The chain against all subsets of a pool that is small enough to count them, and a broken one that
must fail.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from gardner.experiment.ensemble import tempering
from gardner.experiment.ensemble.chain import SCHEDULE, TOLERANCE, Walkers, _log_parts, log_acceptance, move, settle
from gardner.experiment.ensemble.tempering import Ladder, temper
from gardner.inference.batched import random_subsets, subset_log_volumes
from gardner.inference.compiler import kept, specialised
from gardner.model import draw_instance

FEATURES, SIZE = 6, 3
PROBLEM = draw_instance(FEATURES, 2.0, seed=3)
ROWS = PROBLEM.labels.size
SUBSETS = np.array(list(itertools.combinations(range(ROWS), SIZE)), dtype=np.int32)
# ln Z of all 220 subsets, by the batched AMP that the chain does not use
EVIDENCE = FEATURES * subset_log_volumes(PROBLEM.rows, PROBLEM.labels, SUBSETS).log_volume
# The chance below which a distribution counts as another: a right chain fails one test in a
# thousand, and with fixed seeds these never do.
REJECTED = 1e-3
# Moves between two looks at a chain, so that looks are nearly independent (its memory is two moves,
# seen on ln Z).
APART = 12


@kept()
def _forgets_the_proposal(beta: float, gain: float, forth: float, back: float) -> float:
    """A wrong acceptance: Metropolis' rule, as if the rows had been proposed at random."""
    return beta * gain + 0.0 * (back - forth)


@kept()
def _half_the_weight(beta: float, gain: float, forth: float, back: float) -> float:
    """Another: the weight is of another temperature."""
    return 0.5 * beta * gain + back - forth


def _looks(beta: float, count: int, accept: Callable[..., float] = log_acceptance) -> tuple[Any, Any]:
    """So many looks at a chain: the subset, as a number in the list of all, and ln Z."""
    mover: Any = move  # compiled: what was compiled is its attribute
    if accept is not log_acceptance:
        mover = specialised(mover.py_func, accept.__name__, log_acceptance=accept)
    rng = np.random.default_rng(17)
    walkers = Walkers.start(rng.permutation(ROWS).astype(np.int32)[None], FEATURES)
    state: Any = tuple(part[0] for part in walkers.arrays[:5])
    settled: Any = settle
    evidence = settled(PROBLEM.rows, PROBLEM.labels, SIZE, *state, TOLERANCE, SCHEDULE)
    memory = np.empty((2, FEATURES)), np.empty((6, ROWS)), np.empty((2, FEATURES))
    number = {tuple(one): index for index, one in enumerate(SUBSETS.tolist())}
    seen, found = np.empty(count, dtype=int), np.empty(count)
    for look in range(count):
        for _ in range(APART):
            _, evidence = mover(
                beta, rng, PROBLEM.rows, PROBLEM.labels, SIZE, *state, evidence, *memory, TOLERANCE, SCHEDULE, 60
            )
        seen[look] = number[tuple(sorted(state[0][:SIZE].tolist()))]
        found[look] = evidence
    return seen, found


def _chances(beta: float, seen: Any) -> tuple[float, float]:
    """p-values of χ² for the subsets seen, and for their volumes in ten classes of equal weight."""
    weight = np.exp(beta * (EVIDENCE - EVIDENCE.max()))
    weight /= weight.sum()
    expected, counts = seen.size * weight, np.bincount(seen, minlength=weight.size)
    rare = expected < 5.0  # the rule of thumb for χ²: these are counted together
    sets = [*zip(counts[~rare], expected[~rare], strict=True), (counts[rare].sum(), expected[rare].sum())]
    by_volume = np.argsort(EVIDENCE)
    edges = np.searchsorted(np.cumsum(weight[by_volume]), np.linspace(0.1, 0.9, 9))
    volumes = [
        (counts[part].sum(), expected[part].sum())
        for part in np.split(by_volume, np.unique(edges))
        if expected[part].sum() > 5.0
    ]
    return tuple(_chi_square(pairs) for pairs in (sets, volumes))  # type: ignore[return-value]


def _chi_square(pairs: list[tuple[float, float]]) -> float:
    used = [(seen, expected) for seen, expected in pairs if expected > 0.0]
    return float(stats.chi2.sf(sum((seen - expected) ** 2 / expected for seen, expected in used), len(used) - 1))


@pytest.mark.parametrize("beta", [-3.0, 0.0, 4.0])
def test_subsets_and_volumes_are_visited_by_their_weights(beta: float) -> None:
    seen, found = _looks(beta, 6000)
    assert np.allclose(found, EVIDENCE[seen], atol=1e-5)
    assert min(_chances(beta, seen)) > REJECTED


@pytest.mark.parametrize("broken", [_forgets_the_proposal, _half_the_weight])
@pytest.mark.parametrize("beta", [-3.0, 4.0])
def test_a_chain_with_a_wrong_acceptance_is_found_out(beta: float, broken: Callable[..., float]) -> None:
    seen, _ = _looks(beta, 6000, broken)
    assert max(_chances(beta, seen)) < REJECTED


def test_exchanged_chains_visit_volumes_by_their_weights_too() -> None:
    betas = np.array([-3.0, 0.0, 4.0])
    rng = np.random.default_rng(5)
    order = np.array([rng.permutation(ROWS) for _ in betas], dtype=np.int32)
    block = temper(PROBLEM.rows, PROBLEM.labels, SIZE, Ladder(betas, order), 5000, rng, moves=APART)
    assert (block.exchanged > 100).all()
    for beta, found in zip(betas, block.log_evidence.T, strict=True):
        weight = np.exp(beta * (EVIDENCE - EVIDENCE.max()))
        weight /= weight.sum()
        mean = weight @ EVIDENCE
        deviation = np.sqrt(weight @ (EVIDENCE - mean) ** 2)
        assert abs(found.mean() - mean) < 5.0 * deviation / np.sqrt(found.size)


def test_ln_z_is_that_of_the_batched_twin_along_a_walk() -> None:
    problem = draw_instance(40, 3.0, seed=1)
    rng = np.random.default_rng(0)
    order = rng.permutation(120).astype(np.int32)[None]
    ladder = Ladder(np.array([-8.0, 30.0]), np.concatenate([order, order]))
    block = tempering.temper(problem.rows, problem.labels, 24, ladder, 20, rng)
    again = 40 * subset_log_volumes(problem.rows, problem.labels, block.order[:, :24]).log_volume
    assert np.abs(again - block.log_evidence[-1]).max() < 1e-5
    assert sorted(block.order[0].tolist()) == list(range(120))


def test_what_is_left_of_the_residual_enters_ln_z_squared() -> None:
    problem = draw_instance(40, 3.0, seed=2)
    settled: Any = settle
    order = np.random.default_rng(0).permutation(120).astype(np.int32)[None]
    found = []
    for tolerance in (1e-2, 1e-3, 1e-10):
        walkers = Walkers.start(order, 40)
        state = tuple(part[0] for part in walkers.arrays[:5])
        found.append(settled(problem.rows, problem.labels, 24, *state, tolerance, SCHEDULE))
    assert 1e-9 < abs(found[1] - found[2]) < 1e-5
    assert 20.0 < abs((found[0] - found[2]) / (found[1] - found[2])) < 500.0


def test_the_potential_of_rows_is_that_of_the_model() -> None:
    u = np.array([-40.0, -8.0, -1.0, -1e-9, 0.0, 1e-9, 1.0, 8.0, 40.0])
    parts: Any = _log_parts
    found = [a + np.log(b) for a, b in (parts(one) for one in u)]
    assert np.allclose(found, special.log_ndtr(u), rtol=1e-13, atol=1e-15)


def test_random_subsets_are_what_the_chain_at_zero_visits() -> None:
    seen, _ = _looks(0.0, 4000)
    drawn = random_subsets(4000, ROWS, SIZE, np.random.default_rng(1))
    rows = SUBSETS[seen]
    counts = [np.bincount(part.ravel(), minlength=ROWS) for part in (rows, drawn)]
    assert stats.chi2_contingency(np.array(counts)).pvalue > REJECTED
