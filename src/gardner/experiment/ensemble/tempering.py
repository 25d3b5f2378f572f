"""Chains at many β side by side, which exchange places: parallel tempering.

A chain at large |β| sits in one valley of the landscape of subsets. Beside it stand chains at
smaller |β|, down to β = 0 where all subsets count alike, and neighbours a and b trade their subsets
with

    min{1, exp[(β_a − β_b)(ln Z_b − ln Z_a)]}                                                    [hukushima1996],

which leaves the joint ensemble as it is. So a subset wanders to β = 0, forgets where it was, and
comes back.

The ladder of β is found by the chains themselves: from β = 0 outwards on both sides, each next β so
far away that the distributions of ln Z overlap, about ``SPACING`` standard deviations of ln Z. A
trial run on these rungs then measures the length of each step, √(Δβ · Δ⟨ln Z⟩), which is that
distance again since d⟨ln Z⟩/dβ is the variance, and the rungs are put at equal lengths.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gardner.errors import GardnerError
from gardner.experiment.ensemble.chain import FOLLOWING, SCHEDULE, TOLERANCE, Floats, Walkers, Whole, move, settle
from gardner.inference.compiler import kept

# Distance of neighbouring β in units of 1/(standard deviation of ln Z): two normal distributions so
# far apart exchange about two fifths of the time.
SPACING = 1.2
# The next |β| is at most this many times the last: where ln Z hardly varies (at its ends) the rule
# above would jump.
GROWTH = 1.4
# The first step of β is at most this: ln Z of random subsets may vary little by chance.
FIRST = 1.0
# Rungs on one side of β = 0 at most; N = 200 needs 40.
MOST = 400
# Rounds at each rung while the ladder is found: a third to settle, the rest to measure.
PILOT = 36
# Rounds of the trial run that puts the rungs at equal lengths, the first half to settle.
TRIAL = 80
# Moves a round are the chosen rows divided by this: most moves are taken, and exchanges cost
# nothing.
SHARE = 4
# The least ⟨ln Z⟩ between two rungs that a trial run is believed: noise of the means must not make
# a step vanish.
LEAST = 0.02


class SamplingError(GardnerError):
    """The chains cannot be run."""


@dataclass(frozen=True)
class Ladder:
    """The inverse temperatures in rising order, and a subset to start from at each (whole orders of
    the pool).
    """

    betas: Floats
    order: NDArray[np.int32]


@dataclass(frozen=True)
class Block:
    """What some rounds of all chains gave.

    ``log_evidence`` and ``walker`` have one line a round and one column a β: ln Z of the subset
    there, and which of the wandering subsets it is. ``taken``, ``lost`` (of ``tried`` moves) and
    ``exchanged`` (of ``offered``) are counts; ``order`` is where the chains stand at the end.
    """

    log_evidence: Floats
    walker: NDArray[np.int16]
    taken: NDArray[np.int64]
    lost: NDArray[np.int64]
    tried: int
    exchanged: NDArray[np.int64]
    offered: NDArray[np.int64]
    order: NDArray[np.int32]


@kept()
def _rounds(
    betas: Floats, moves: int, count: int, rng: np.random.Generator, pool: Floats, labels: Floats, size: int,
    order: Whole, mean: Floats, variance: Floats, g: Floats, psi: Floats, log_evidence: Floats, place: Whole,
    tolerance: float, schedule: Floats, following: int, found: Floats, walker: Whole, tallies: Whole,
) -> None:  # fmt: skip
    """So many rounds: moves at each β, then exchanges of every other pair of neighbours.

    ``place[t]`` is the chain that stands at β_t; ``tallies`` counts moves taken, moves lost,
    exchanges and offers.
    """
    rows, features = pool.shape
    trial, sums, work = np.empty((2, features)), np.empty((2, features)), np.empty((6, rows))
    for index in range(count):
        for t in range(betas.shape[0]):
            c = place[t]
            for _ in range(moves):
                taken, log_evidence[c] = move(
                    betas[t], rng, pool, labels, size, order[c], mean[c], variance[c], g[c], psi[c], log_evidence[c],
                    trial, work, sums, tolerance, schedule, following,
                )  # fmt: skip
                tallies[0, t] += taken == 1
                tallies[1, t] += taken == -1
        for t in range(index % 2, betas.shape[0] - 1, 2):
            gain = (betas[t] - betas[t + 1]) * (log_evidence[place[t + 1]] - log_evidence[place[t]])
            tallies[3, t] += 1
            if np.log(rng.random()) < gain:
                place[t], place[t + 1] = place[t + 1], place[t]
                tallies[2, t] += 1
        for t in range(betas.shape[0]):
            found[index, t] = log_evidence[place[t]]
            walker[index, t] = place[t]


def temper(
    pool: Floats, labels: Floats, size: int, ladder: Ladder, rounds: int, rng: np.random.Generator, *, moves: int = 0
) -> Block:
    """Rounds of all chains from where the ladder has them; a round is a move for every fourth
    chosen row, or ``moves``.

    >>> from gardner.model import draw_instance
    >>> problem, rng = draw_instance(features=10, pool_ratio=3.0, seed=0), np.random.default_rng(0)
    >>> ladder = find_ladder(problem.rows, problem.labels, 6, -3.0, 3.0, rng)
    >>> temper(problem.rows, problem.labels, 6, ladder, 5, rng).log_evidence.shape == (5, ladder.betas.size)
    True
    """
    count = ladder.betas.size
    moves = moves or max(2, size // SHARE)
    walkers = _settled(pool, labels, size, ladder.order)
    place = np.arange(count)
    found, walker = np.empty((rounds, count)), np.empty((rounds, count), dtype=np.int16)
    tallies = np.zeros((4, count), dtype=np.int64)
    _rounds(
        ladder.betas, moves, rounds, rng, pool, labels, size, *walkers.arrays, place, TOLERANCE, SCHEDULE, FOLLOWING,
        found, walker, tallies,
    )  # fmt: skip
    taken, lost, exchanged, offered = tallies
    order = walkers.order[place]
    return Block(found, walker, taken, lost, rounds * moves, exchanged[:-1], offered[:-1], order)


def _settled(pool: Floats, labels: Floats, size: int, order: NDArray[np.int32]) -> Walkers:
    """Chains with AMP at its fixed point."""
    walkers = Walkers.start(order, pool.shape[1])
    for c in range(order.shape[0]):
        walkers.log_evidence[c] = settle(
            pool, labels, size, walkers.order[c], walkers.mean[c], walkers.variance[c], walkers.g[c], walkers.psi[c],
            TOLERANCE, SCHEDULE,
        )  # fmt: skip
    if not np.isfinite(walkers.log_evidence).all():
        raise SamplingError(
            "AMP does not converge on a subset to start from", hint="try another seed, or a larger pool"
        )
    return walkers


def find_ladder(
    pool: Floats, labels: Floats, size: int, lowest: float, highest: float, rng: np.random.Generator
) -> Ladder:
    """From β = 0 outwards to both limits, as the chains themselves vary.

    >>> from gardner.model import draw_instance
    >>> problem = draw_instance(features=10, pool_ratio=3.0, seed=0)
    >>> ladder = find_ladder(problem.rows, problem.labels, 6, -4.0, 9.0, np.random.default_rng(0))
    >>> float(ladder.betas[0]), float(ladder.betas[-1]), 0.0 in ladder.betas
    (-4.0, 9.0, True)
    """
    start = rng.permutation(pool.shape[0]).astype(np.int32)[None]
    below = _climb(pool, labels, size, lowest, start, rng)
    above = _climb(pool, labels, size, highest, start, rng)
    steps = [*reversed(below[1:]), *above]
    ladder = Ladder(np.array([beta for beta, _ in steps]), np.concatenate([order for _, order in steps]))
    block = temper(pool, labels, size, ladder, TRIAL, rng)
    betas = _spaced(ladder.betas, block.log_evidence[TRIAL // 2 :].mean(axis=0))
    nearest = np.abs(betas[:, None] - ladder.betas).argmin(axis=1)
    return Ladder(betas, block.order[nearest])


def _spaced(betas: Floats, mean: Floats) -> Floats:
    """Rungs at equal lengths, on each side of β = 0 for itself, which stays a rung."""
    step = np.diff(betas)
    length = np.sqrt(step * np.maximum(np.diff(mean), np.minimum(LEAST, step)))
    sides = []
    for side in (betas <= 0.0, betas >= 0.0):
        along = np.append(0.0, np.cumsum(length[side[:-1] & side[1:]]))
        count = 1 + max(1, int(np.ceil(along[-1] / SPACING)))
        sides.append(np.interp(np.linspace(0.0, along[-1], count), along, betas[side]))
    return np.concatenate([sides[0][:-1], sides[1]])


def _climb(
    pool: Floats, labels: Floats, size: int, limit: float, order: NDArray[np.int32], rng: np.random.Generator
) -> list[tuple[float, NDArray[np.int32]]]:
    """The rungs between β = 0 and a limit."""
    beta, rungs = 0.0, list[tuple[float, NDArray[np.int32]]]()
    while True:
        block = temper(pool, labels, size, Ladder(np.array([beta]), order), PILOT, rng)
        order = block.order
        rungs.append((beta, order))
        if beta == limit:
            return rungs
        if len(rungs) > MOST:
            raise SamplingError(
                f"the ladder has {MOST} rungs at β = {beta:g} and is not at {limit:g}", hint="ask for a smaller range"
            )
        deviation = float(np.std(block.log_evidence[PILOT // 3 :]))
        step = min(SPACING / max(deviation, 1e-12), FIRST + (GROWTH - 1.0) * abs(beta))
        reached = abs(beta) + step
        beta = limit if reached + 0.25 * step > abs(limit) else math.copysign(reached, limit)
