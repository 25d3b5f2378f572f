"""Where the explorer's grid has its places: channels, noises, pool ratios, budgets, and along a
complexity curve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.model.arrays import Floats

# Labels per weight from which on the grid knows bounds; below, the branch drowns in rounding
# (docs/theory.md).
LEAST_BUDGET = 0.05
# The largest share of the pool that is labelled: beyond, all curves meet in the pool.
MOST_SHARE = 0.95
# Labels per weight up to which learning curves are known: a label is at most one bit, and 7 bits
# are 99.6 % accuracy.
LEARNING_MOST = 8.0
# Labels per weight in a round. A slider has these stops, and no others: rounds of one size are not
# between two others.
BATCHES = (0.05, 0.1, 0.2, 0.5, 1.0)
# Rules whose learning curves are in the grid; random choice does not depend on the pool and has a
# file of its own.
RULES = ("agnostic", "posterior-committee")
# Places along a complexity curve; the ends and the typical subset are three of them.
_ALONG = 21
# Budgets of random choice, from 0.01 to the largest pool.
_RANDOM = 40


def chebyshev(count: int) -> Floats:
    """The places −cos(πk/(count − 1)) from −1 to 1, ends included; written as sines, they are
    exactly symmetric.

    >>> [round(float(x), 3) for x in chebyshev(3)]
    [-1.0, 0.0, 1.0]
    """
    return np.asarray(np.sin(0.5 * np.pi * (2.0 * np.arange(count) / (count - 1.0) - 1.0)))


def between(low: float, high: float, count: int) -> Floats:
    """Places between two positive numbers, Chebyshev's in the logarithm; the ends are exact."""
    share = 0.5 * (chebyshev(count) + 1.0)
    places = low * (high / low) ** share
    places[0], places[-1] = low, high
    return np.asarray(places)


W_PLACES = chebyshev(_ALONG)


@dataclass(frozen=True)
class Axes:
    """The grid of one channel; ``noise`` is None where it has none."""

    name: str
    alpha: tuple[float, float, int]
    shares: int
    noise: tuple[float, float, int] | None = None

    @property
    def alphas(self) -> Floats:
        """Pool ratios."""
        return between(*self.alpha)

    @property
    def noises(self) -> Floats:
        """Parameters of the channel; one NaN where it has none."""
        return np.array([math.nan]) if self.noise is None else between(*self.noise)

    @property
    def random_budgets(self) -> Floats:
        """Budgets of random choice."""
        return between(0.01, self.alpha[1], _RANDOM)

    def budgets(self, alpha: float) -> Floats:
        """Budgets in a pool: Chebyshev's places in ln(n/(α − n)).

        >>> [round(float(n), 3) for n in AXES["sign"].budgets(3.0)[[0, -1]]]
        [0.05, 2.85]
        """
        low = math.log(LEAST_BUDGET / (alpha - LEAST_BUDGET))
        high = math.log(MOST_SHARE / (1.0 - MOST_SHARE))
        x = low + 0.5 * (chebyshev(self.shares) + 1.0) * (high - low)
        return np.asarray(alpha / (1.0 + np.exp(-x)))


AXES = {
    axes.name: axes
    for axes in (
        Axes("sign", (0.5, 100.0, 34), 56),
        Axes("probit", (0.5, 10.0, 13), 21, (0.01, 1.0, 7)),
        Axes("flip", (0.5, 10.0, 13), 21, (0.01, 0.25, 7)),
        Axes("logistic", (0.5, 10.0, 13), 21, (1.0, 10.0, 6)),
    )
}
