"""A whole run of a rule: round after round, rows move from the pool to the labelled ones, and all spread."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gardner.errors import InvalidInputError
from gardner.model.arrays import Floats
from gardner.rules import Rule
from gardner.rules.known import Random
from gardner.theory.formula.pair import Pair
from gardner.theory.learning_curve.choice import take
from gardner.theory.learning_curve.evolution import Labelled, Solved, best_solution, first_solution, label_entropies
from gardner.theory.learning_curve.grid import Grid

# Bins of the entropy of a label, by which the rows left in the pool are counted.
BINS = 10
_RANDOM = Random()


class Batch(NamedTuple):
    """What one round asks for, labels per weight, by which rule, and how many there are after it."""

    size: float
    rule: Rule
    budget: float


def batches(rule: Rule, budget: float, batch_ratio: float) -> list[Batch]:
    """The rounds of a run: the first at random, the last as large as the budget leaves it."""
    first = rule.first
    if first >= budget:
        problem = f"the labels of its first, random part must be fewer than the budget {budget:g}"
        raise InvalidInputError(f"{type(rule).__name__}.first", first, problem)
    if first > 0.0:  # chosen at random, then all the rest at once
        return [*_rounds(_RANDOM, first, batch_ratio), Batch(budget - first, rule, budget)]
    return [
        one._replace(rule=rule) if index else one for index, one in enumerate(_rounds(_RANDOM, budget, batch_ratio))
    ]


def _rounds(rule: Rule, total: float, batch_ratio: float) -> list[Batch]:
    ends = [*(batch_ratio * k for k in range(1, math.ceil(total / batch_ratio - 1e-9))), total]
    return [Batch(end - start, rule, end) for start, end in zip([0.0, *ends], ends, strict=False)]


@dataclass(frozen=True)
class State:
    """After a round: masses of pool and labelled rows in the cells, the solution, and what the round asked for."""

    budget: float
    pool: Floats
    labelled: Floats
    solved: Solved
    best: Solved
    threshold: float
    asked: float  # mean entropy of the labels asked for, in nats
    noise: float  # entropy of the noise in all labels so far, per weight
    left: tuple[float, ...]


@np.errstate(all="ignore")  # what is not finite is looked for where it matters
def evolve(
    pair: Pair, pool_ratio: float, plan: list[Batch], cells: int, progress: Callable[[float], None] | None = None
) -> Iterator[State]:
    """The states after each round, on a grid of so many cells."""
    prior = pair.student.prior
    grid = Grid(prior.second_moment, cells)
    noise = noise_entropies(pair, grid.omega)
    means = np.asarray(prior.moments(np.float64(0.0), np.float64(0.0))[0])
    offset = float(np.mean(means * means))
    V = prior.second_moment - offset
    started = offset > (2.0 * grid.width) ** 2
    pool = pool_ratio * grid.normal(offset if started else 0.25 * grid.width**2)
    labelled = np.zeros_like(pool)
    for index, batch in enumerate(plan):
        entropies = label_entropies(pair, grid.omega, V)
        size = min(batch.size, float(pool.sum()))
        taken, threshold = take(batch.rule, pool, grid, V, pair.student.channel, size)
        rows = Labelled(pair, grid, grid.waves(labelled + taken), V, 0.0 if started else size)
        solved = first_solution(rows)
        asked = float(taken @ entropies) / size
        step = V - solved.V
        if started:
            labelled, pool = rows.spread(math.log(V / solved.V)), grid.spread(grid.waves(pool - taken), step)
        else:
            labelled = rows.spread(math.log(V / solved.V))
            pool = labelled * ((pool_ratio - size) / size)
        best, started, V = best_solution(rows, solved), True, solved.V
        left = _left(pool, label_entropies(pair, grid.omega, V) / math.log(len(pair.student.channel.labels)))
        known = 0.0 if noise is None else float(grid.spread(grid.waves(labelled), V) @ noise)
        yield State(batch.budget, pool, labelled, solved, best, threshold, asked, known, left)
        if progress is not None:
            progress((index + 1.0) / len(plan))


def noise_entropies(pair: Pair, h: Floats) -> Floats | None:
    """Entropy of the label of a known field h, in nats; None where there is no noise."""
    channel = pair.student.channel
    if channel.noiseless:
        return None
    total = np.zeros_like(h)
    for y in channel.labels:
        known = np.asarray(channel.log_probability(y, h))
        total -= np.where(known > -700.0, np.exp(known) * known, 0.0)
    return total


def _left(pool: Floats, uncertainty: Floats) -> tuple[float, ...]:
    """Rows of the pool per weight, by the entropy of their label: from certain to fully open, in equal steps."""
    places = np.minimum((np.clip(uncertainty, 0.0, 1.0) * BINS).astype(int), BINS - 1)
    return tuple(float(x) for x in np.bincount(places, weights=pool, minlength=BINS))
