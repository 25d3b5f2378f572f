"""Which rows to exchange for which: Metropolis' rule, for many pairs at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gardner.errors import InvalidInputError

Floats = NDArray[Any]
Integers = NDArray[np.int64]

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
    inside: Floats, outside: Floats, count: int, rng: np.random.Generator
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
