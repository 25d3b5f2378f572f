"""Subsets near the extremes of the volume, on a device: the search of
:mod:`gardner.strategies.swap`.

Rows stay where they are: only their order changes. Fields and posteriors are taken on the device,
and the host chooses the pairs, of which there are as many as rows on the shortlist.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gardner.experiment.device.choice import front
from gardner.inference.device.follower import Follower
from gardner.inference.inputs import host
from gardner.inference.posterior import Posterior
from gardner.model import library_of
from gardner.model.arrays import ArrayObject, Floating, Integers
from gardner.rules.exchange import SHORTEST, SIGNS, TRACKING, Annealing, Effort


@dataclass(frozen=True)
class Swap(Effort):
    """Exchange rows by annealing to reach the smallest volume, or the largest (reads hidden
    labels).
    """

    informed = True

    def grow(self, follower: Follower, size: int, rng: np.random.Generator) -> Integers:
        """Grow by a batch, then exchange."""
        sign, begin = SIGNS[self.direction], follower.count
        cost = sign * _log_partitions(follower, follower.order[begin:])
        grown = front(follower, np.argsort(cost, kind="stable")[:size])
        if self.steps == 0 or begin + size == follower.rows.count:
            return grown
        follower.label(grown, begin + size)
        return _Annealing(follower, sign, rng).run(self.steps, self.heat)


class _Annealing(Annealing[Posterior]):
    """The labelled rows of a follower, which stay where they are: only their order changes."""

    def __init__(self, follower: Follower, sign: float, rng: np.random.Generator) -> None:
        super().__init__(sign, rng, follower.posterior())
        self.follower = follower
        self.outside: Integers = np.empty(0, dtype=np.int64)  # places in the order

    @property
    def chosen(self) -> Integers:
        """The order of all rows, the labelled ones first; each exchange makes a new one."""
        return self.follower.order

    @property
    def size(self) -> int:
        """How many rows are labelled."""
        return self.follower.count

    def refresh(self) -> None:
        """Look at the whole pool, and keep the rows outside that cost least."""
        count, pool = self.follower.count, self.follower.rows.count
        cost = self.sign * _log_partitions(self.follower, self.follower.order[count:])
        size = min(max(count, SHORTEST), pool - count)
        self.outside = count + np.argpartition(cost, size - 1)[:size]

    def costs(self) -> tuple[Floating, Floating]:
        """What the labelled rows cost, by the fields that the posterior has of them, and what
        those of the shortlist would.
        """
        last = self.posterior
        inside = self.sign * _of_labels(self.follower, last.labels, last.omega, last.V)
        return inside, self.sign * _log_partitions(self.follower, self.follower.order[self.outside])

    def trade(self, places: Integers, others: Integers) -> None:
        """In a new order; the rows that come in have no g yet."""
        before, there = self.follower.order, self.outside[others]
        order = before.copy()
        order[places], order[there] = before[there], before[places]
        self.follower.label(order, self.follower.count, places)

    def followed(self, places: Integers) -> Posterior:
        """The follower knows which rows are new."""
        del places
        return self.follower.posterior(most=TRACKING)

    def anew(self) -> Posterior:
        """From the prior."""
        return self.follower.posterior(fresh=True)

    def settled(self) -> Posterior:
        """From where the last step ended."""
        return self.follower.posterior()

    def back(self, chosen: Integers) -> Integers:
        """To an earlier order, with all g forgotten."""
        self.follower.label(chosen, self.follower.count, slice(0, self.follower.count))
        return chosen


def _log_partitions(follower: Follower, places: Integers) -> Floating:
    """ψ_Y of rows by their places in the pool: the logarithm of the probability of their true
    labels.
    """
    mean, variance, labels = follower.fields_of(places)
    return _of_labels(follower, labels, mean, variance)


def _of_labels(follower: Follower, labels: ArrayObject, omega: ArrayObject, V: ArrayObject) -> Floating:
    library = library_of(omega)
    return host(library.xp.asarray(follower.model.channel.log_partition(labels, omega, V, library)))
