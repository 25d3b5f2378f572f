"""A strategy of one's own, complete: sometimes explore, otherwise ask where the label is least
certain.

Run it beside those of the paper, on the same pools:

    gardner bench agnostic random docs/examples/my_strategy.py:Explore -N 400 -a 3 -n 1 -k 10 -s 10
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gardner.errors import InvalidInputError
from gardner.strategies import Choice, View, choose


@dataclass(frozen=True)
class Explore:
    """Least certain first, with a share of each batch taken at random."""

    share: float = 0.2  # a parameter: any field can be set from outside
    informed = False  # it reads no label that nobody asked for

    def __post_init__(self) -> None:
        """Say no early."""
        if not 0.0 <= self.share <= 1.0:
            raise InvalidInputError("Explore.share", self.share, "it must lie between 0 and 1")

    def query(self, view: View) -> Choice:
        """One score a row of ``view.unlabelled``, larger = sooner; ``choose`` takes the batch, ties
        by chance.
        """
        mean, variance = view.fields  # of every row of the pool, under the posterior of the labels so far
        certainty = np.abs(mean[view.unlabelled]) / np.sqrt(variance[view.unlabelled])
        score = -certainty
        lucky = view.rng.random(score.size) < self.share * view.batch_size / score.size
        score[lucky] = np.inf  # randomness comes from view.rng only: the same seed gives the same queries
        return choose(view, score)
