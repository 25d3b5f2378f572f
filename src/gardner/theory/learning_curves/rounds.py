"""A whole run of a rule: round after round, rows move from the pool to the labelled ones, and all
spread.
"""

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
from gardner.theory.learning_curves.choice import take
from gardner.theory.learning_curves.evolution import (
    Labelled,
    Solved,
    best_solution,
    first_solution,
    label_entropies,
    noise_entropies,
)
from gardner.theory.learning_curves.grid import Grid

# Bins of the entropy of a label, by which the rows left in the pool are counted.
BINS = 10
_RANDOM = Random()
# A share of V: no round is expected to learn more by its half, so that V stays positive.
_FARTHEST = 0.45
# No round is expected to learn so many times faster than the one before, as rounds at a bend might.
_FASTER = 1.5


class Batch(NamedTuple):
    """What one round asks for, labels per weight, by which rule, and how many there are after it.

    ``at_once``: it is one choice, and never stands for very many small ones.
    """

    size: float
    rule: Rule
    budget: float
    at_once: bool = False


def batches(rule: Rule, budget: float, batch_ratio: float, labelled: float = 0.0) -> list[Batch]:
    """The rounds of a run: the first at random, the last as large as the budget leaves it.

    ``labelled`` are labels, chosen at random, that are there before the first round.
    """
    first = rule.first
    if max(first, labelled) >= budget:
        name, random = (f"{type(rule).__name__}.first", first) if first > labelled else ("labelled", labelled)
        raise InvalidInputError(name, random, f"labels chosen at random must be fewer than the budget {budget:g}")
    if first > 0.0:  # chosen at random, then all the rest at once
        if labelled > 0.0:
            raise InvalidInputError("labelled", labelled, "this rule has a random part of its own")
        return [*_rounds(_RANDOM, 0.0, first, batch_ratio), Batch(budget - first, rule, budget, at_once=True)]
    if labelled > 0.0:
        return [Batch(labelled, _RANDOM, labelled, at_once=True), *_rounds(rule, labelled, budget, batch_ratio)]
    rounds = _rounds(rule, 0.0, budget, batch_ratio)
    return [rounds[0]._replace(rule=_RANDOM), *rounds[1:]]


def _rounds(rule: Rule, start: float, total: float, batch_ratio: float) -> list[Batch]:
    count = math.ceil((total - start) / batch_ratio - 1e-9)
    ends = [*(start + batch_ratio * k for k in range(1, count)), total]
    return [Batch(end - before, rule, end) for before, end in zip([start, *ends], ends, strict=False)]


class Position(NamedTuple):
    """Where a run stands: masses of pool and labelled rows in the cells, and V. ``started``: cells
    resolve them.
    """

    pair: Pair
    grid: Grid
    pool: Floats
    labelled: Floats
    V: float
    started: bool

    def ahead(self, step: float) -> Position:
        """The same rows when the overlap has grown by ``step``."""
        grid = self.grid
        pool, labelled = (grid.spread(grid.waves(masses), step) for masses in (self.pool, self.labelled))
        return self._replace(pool=pool, labelled=labelled, V=self.V - step)


@dataclass(frozen=True)
class State:
    """After a round: where the run stands, the solution, and what the round asked for."""

    budget: float
    there: Position
    rows: Labelled
    solved: Solved
    threshold: float
    taken: Floats

    @property
    def best(self) -> Solved:
        """The solution of the largest free entropy."""
        return best_solution(self.rows, self.solved)

    @property
    def asked(self) -> float:
        """Mean entropy of the labels asked for, in nats."""
        entropies = label_entropies(self.there.pair, self.there.grid.omega, self.rows.V)
        return float(self.taken @ entropies) / float(self.taken.sum())

    @property
    def noise(self) -> float:
        """Entropy of the noise in all labels so far, per weight, in nats."""
        grid = self.there.grid
        of_labels = noise_entropies(self.there.pair.student.channel, grid)
        return float(grid.spread(grid.waves(self.there.labelled), self.there.V) @ of_labels)

    @property
    def left(self) -> tuple[float, ...]:
        """Rows of the pool per weight, by the entropy of their label: from certain to fully open,
        in equal steps.
        """
        pair = self.there.pair
        open_to = math.log(len(pair.student.channel.labels))
        uncertainty = label_entropies(pair, self.there.grid.omega, self.there.V) / open_to
        places = np.minimum((np.clip(uncertainty, 0.0, 1.0) * BINS).astype(int), BINS - 1)
        return tuple(float(x) for x in np.bincount(places, weights=self.there.pool, minlength=BINS))


def start(pair: Pair, pool_ratio: float, cells: int) -> Position:
    """Before the first label: all rows are at ω = 0, or at N(0, μ²) for weights of mean μ."""
    prior = pair.student.prior
    grid = Grid(prior.second_moment, cells)
    means = np.asarray(prior.moments(np.float64(0.0), np.float64(0.0))[0])
    offset = float(np.mean(means * means))
    started = offset > (2.0 * grid.width) ** 2
    pool = pool_ratio * grid.normal(offset if started else 0.25 * grid.width**2)
    return Position(pair, grid, pool, np.zeros_like(pool), prior.second_moment - offset, started)


@np.errstate(all="ignore")  # what is not finite is looked for where it matters
def advance(here: Position, batch: Batch, *, gradual: bool = False) -> State:
    """One round."""
    pair, grid, V = here.pair, here.grid, here.V
    size = min(batch.size, float(here.pool.sum()))
    taken, threshold = take(batch.rule, here.pool, grid, V, pair.student.channel, size, gradual=gradual)
    rows = Labelled(pair, grid, grid.waves(here.labelled + taken), V, 0.0 if here.started else size)
    solved = first_solution(rows)
    labelled = rows.spread(math.log(V / solved.V))
    if here.started:
        pool = grid.spread(grid.waves(here.pool - taken), V - solved.V)
    else:
        pool = labelled * ((float(here.pool.sum()) - size) / size)
    there = Position(pair, grid, pool, labelled, solved.V, started=True)
    return State(batch.budget, there, rows, solved, threshold, taken)


def evolve(
    pair: Pair,
    pool_ratio: float,
    plan: list[Batch],
    cells: int,
    progress: Callable[[float], None] | None = None,
    *,
    gradual: bool = False,
) -> Iterator[State]:
    """The states after each round, on a grid of so many cells.

    ``gradual``: rounds stand for very many small ones. Then rows are chosen by what is known
    half-way through a round, as far as the rounds before let expect it.
    """
    here, rates = start(pair, pool_ratio, cells), [0.0, 0.0]  # by how much V fell per label, in the last rounds
    for index, batch in enumerate(plan):
        V, small = here.V, gradual and not batch.at_once
        halfway = _expected(rates) * 0.5 * batch.size if small else 0.0
        state = advance(_lead(here, halfway), batch, gradual=small)
        if halfway > 0.0 and state.there.V >= state.rows.V:  # that was too far
            state = advance(here, batch, gradual=small)
        here, rates = state.there, [rates[-1], (V - state.there.V) / batch.size]
        yield state
        if progress is not None:
            progress((index + 1.0) / len(plan))


def _lead(here: Position, step: float) -> Position:
    return here.ahead(min(step, _FARTHEST * here.V)) if step > 0.0 else here


def _expected(rates: list[float]) -> float:
    """The rate of the next round, from the last two."""
    before, last = rates
    return last * min(last / before, _FASTER) if before > 0.0 else last
