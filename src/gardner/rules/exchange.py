"""Which rows to exchange for which: Metropolis' rule, for many pairs at once, and a round of it.

Rows on the host and rows on a device are searched by the same round, that of :class:`Annealing`.
Classes that derive from it say how rows change places, and what a posterior is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from gardner.errors import InvalidInputError
from gardner.model.arrays import Floating, Integers

# What a direction of the search adds to the energy: ln Z for the smallest volume, −ln Z for the
# largest.
SIGNS = {"min": 1.0, "max": -1.0}
# Iterations of AMP a step: few rows are exchanged, so that it stays close to its fixed point.
TRACKING = 2
# The residual, in units of a prior weight, above which AMP does not follow any more: it is of the
# size of weights.
LOST = 1.0
# Steps between two looks at the whole pool; in between only a shortlist is looked at
# (benchmarks/swap.py).
REFRESH = 50
# Rows on a shortlist, at least.
SHORTEST = 64


@dataclass(frozen=True)
class Effort:
    """A search by exchanges: ``min`` or ``max``, its steps a round, and how hot it begins."""

    direction: str = "min"
    steps: int = 1000
    heat: float = 0.1

    def __post_init__(self) -> None:
        """Check the parameters."""
        if self.direction not in SIGNS:
            raise InvalidInputError("swap.direction", self.direction, "it must be min or max")
        if self.steps < 0:
            raise InvalidInputError("swap.steps", self.steps, "it must not be negative")
        if not 0.0 <= self.heat <= 1.0:
            raise InvalidInputError("swap.heat", self.heat, "it must lie between 0 and 1")


def pairs_to_exchange(
    inside: Floating, outside: Floating, count: int, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """Places inside and outside of pairs to exchange, so many at most; if none is wanted, the best
    one that gains.

    ``inside`` and ``outside`` are what rows cost. Each row outside is paired with a random one
    inside. At temperature T Metropolis' rule takes a pair if ΔE < −T ln r, r uniform: if ΔE/(−ln r)
    < T. So the pairs with the smallest ΔE/(−ln r), gains first and no row twice, are those that it
    takes at the temperature that makes so many exchanges.
    """
    partner = rng.integers(0, inside.size, outside.size)
    cost = outside - inside[partner]
    temperature = cost / np.where(cost > 0.0, rng.exponential(size=cost.size), 1.0)
    order = np.argsort(temperature, kind="stable")
    order = order[np.sort(np.unique(partner[order], return_index=True)[1])]
    taken = order[:count] if count else order[:1][cost[order[:1]] < 0.0]
    return partner[taken], taken


class Fitted(Protocol):
    """What the search looks at in a posterior."""

    @property
    def converged(self) -> bool:
        """Whether its log-evidence may be used."""
        ...

    @property
    def residual(self) -> float:
        """How far its iteration was from the end, in units of a prior weight."""
        ...

    @property
    def log_evidence(self) -> float:
        """ln Z."""
        ...


FittedT = TypeVar("FittedT", bound=Fitted)


class Annealing(ABC, Generic[FittedT]):
    """The chosen rows, a shortlist of the others, and a posterior that follows the exchanges."""

    def __init__(self, sign: float, rng: np.random.Generator, posterior: FittedT) -> None:
        """Begin with the posterior of the chosen rows; ``sign`` is one of ``SIGNS``."""
        self.sign, self.rng, self.posterior = sign, rng, posterior

    @property
    @abstractmethod
    def chosen(self) -> Integers:
        """The chosen rows as they are now, which later exchanges leave as it is."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many rows are chosen."""

    @abstractmethod
    def refresh(self) -> None:
        """Look at the whole pool, and keep the rows outside that cost least."""

    @abstractmethod
    def costs(self) -> tuple[Floating, Floating]:
        """What the chosen rows cost, and what it would cost to add each on the shortlist."""

    @abstractmethod
    def trade(self, places: Integers, others: Integers) -> None:
        """Exchange chosen rows for some on the shortlist; done twice, nothing has happened."""

    @abstractmethod
    def followed(self, places: Integers) -> FittedT:
        """The posterior after ``TRACKING`` iterations from the last one; rows at ``places`` are
        new.
        """

    @abstractmethod
    def anew(self) -> FittedT:
        """The posterior from no start."""

    @abstractmethod
    def settled(self) -> FittedT:
        """The posterior from the last one, to the end of its iteration."""

    @abstractmethod
    def back(self, chosen: Integers) -> Integers:
        """To the rows that were chosen before."""

    def run(self, steps: int, heat: float) -> Integers:
        """The rows after annealing, or those before where that was no gain that AMP can vouch
        for.
        """
        chosen, before = self.chosen, self.posterior
        if not before.converged:
            return chosen
        for step in range(steps):
            if step % REFRESH == 0:
                self.refresh()
            self._step(round(heat * self.size * (1.0 - step / steps) ** 2))
        after = self.settled()
        better = after.converged and self.sign * (after.log_evidence - before.log_evidence) < 0.0
        return self.chosen if better else self.back(chosen)

    def _step(self, count: int) -> None:
        """Exchange so many pairs, or if none the best one that gains."""
        places, others = pairs_to_exchange(*self.costs(), count, self.rng)
        if others.size:
            self._exchange(places, others)

    def _exchange(self, places: Integers, others: Integers) -> None:
        """Exchange rows and let AMP follow; where it cannot, exchange them back."""
        self.trade(places, others)
        posterior = self.followed(places)
        if not posterior.residual < LOST:
            posterior = self.anew()
            if not posterior.converged:
                self.trade(places, others)
                return
        self.posterior = posterior
