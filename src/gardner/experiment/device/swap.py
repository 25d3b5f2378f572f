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
from gardner.inference.device.iteration import Integers
from gardner.inference.inputs import host
from gardner.model import library_of
from gardner.model.arrays import ArrayObject, Floating
from gardner.rules.exchange import LOST, REFRESH, SHORTEST, SIGNS, TRACKING, Effort, pairs_to_exchange


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


class _Annealing:
    """The labelled rows of a follower, a shortlist of the others, and the posterior that follows
    the exchanges.
    """

    def __init__(self, follower: Follower, sign: float, rng: np.random.Generator) -> None:
        self.follower, self.sign, self.rng = follower, sign, rng
        self.posterior = follower.posterior()
        self.outside: Integers = np.empty(0, dtype=np.int64)  # places in the order

    def run(self, steps: int, heat: float) -> Integers:
        """The order after annealing, or the one before where that was no gain that AMP can vouch
        for.
        """
        follower, before, start = self.follower, self.posterior, self.follower.order
        if not before.converged:
            return start
        for step in range(steps):
            if step % REFRESH == 0:
                self.refresh()
            self.step(round(heat * follower.count * (1.0 - step / steps) ** 2))
        after = follower.posterior()
        better = after.converged and self.sign * (after.log_evidence - before.log_evidence) < 0.0
        return follower.order if better else self.back(start)

    def back(self, order: Integers) -> Integers:
        """To an earlier order, with all g forgotten."""
        self.follower.label(order, self.follower.count, slice(0, self.follower.count))
        return order

    def refresh(self) -> None:
        """Look at the whole pool, and keep the rows outside that cost least."""
        count, pool = self.follower.count, self.follower.rows.count
        cost = self.sign * _log_partitions(self.follower, self.follower.order[count:])
        size = min(max(count, SHORTEST), pool - count)
        self.outside = count + np.argpartition(cost, size - 1)[:size]

    def step(self, count: int) -> None:
        """Exchange so many pairs, or if none the best one that gains."""
        known = self.posterior
        inside = self.sign * _of_labels(self.follower, known.labels, known.omega, known.V)
        outside = self.sign * _log_partitions(self.follower, self.follower.order[self.outside])
        places, taken = pairs_to_exchange(inside, outside, count, self.rng)
        if taken.size:
            self.exchange(places, self.outside[taken])

    def exchange(self, places: Integers, others: Integers) -> None:
        """Exchange rows and let AMP follow; where it cannot, exchange them back."""
        follower, before = self.follower, self.follower.order
        order = before.copy()
        order[places], order[others] = before[others], before[places]
        follower.label(order, follower.count, places)
        found = follower.posterior(most=TRACKING)
        if not found.residual < LOST:
            found = follower.posterior(fresh=True)
            if not found.converged:
                follower.label(before, follower.count, places)
                return
        self.posterior = found


def _log_partitions(follower: Follower, places: Integers) -> Floating:
    """ψ_Y of rows by their places in the pool: the logarithm of the probability of their true
    labels.
    """
    mean, variance, labels = follower.fields_of(places)
    return _of_labels(follower, labels, mean, variance)


def _of_labels(follower: Follower, labels: ArrayObject, omega: ArrayObject, V: ArrayObject) -> Floating:
    library = library_of(omega)
    return host(library.xp.asarray(follower.model.channel.log_partition(labels, omega, V, library)))
