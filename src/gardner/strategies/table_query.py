"""The query of ``gardner query`` as a strategy: for real tables, and for pools that are treated as
one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gardner.errors import GardnerError, InvalidInputError
from gardner.strategies.base import Choice, StrategyError, View, choose, register
from gardner.table.propose import ABOUT, propose
from gardner.table.scaling import SCALINGS


@register("query")
@dataclass(frozen=True)
class TableQuery:
    """What `gardner query` asks for: rows whose labels tell most about those of the others.

    ``about`` is ``predictions`` or ``weights``; ``scaling`` is that of the columns, empty for the
    one of the largest evidence. Noise and scaling are found anew in every round.
    """

    about: str = "predictions"
    scaling: str = ""
    informed = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        if self.about not in ABOUT:
            raise InvalidInputError("query.about", self.about, f"it must be one of {', '.join(ABOUT)}")
        if self.scaling and self.scaling not in SCALINGS:
            raise InvalidInputError("query.scaling", self.scaling, f"it must be one of {', '.join(SCALINGS)}")

    def query(self, view: View) -> Choice:
        """A batch that does not ask the same thing twice; of numbers at random until two are
        different.
        """
        if not view.model.channel.labels and np.unique(view.labels).size < 2:
            return choose(view, view.rng.random(view.unlabelled.size))
        labels = np.full(len(view.table), np.nan)
        labels[view.queried] = view.labels
        if view.classes > 2:  # names of classes are texts
            labels = np.array([None if np.isnan(one) else str(int(one)) for one in labels], dtype=object)
        seed = int(view.rng.integers(2**31 - 1))
        try:
            proposals = propose(
                view.table, labels, view.batch_size, about=self.about, scaling=self.scaling or None, seed=seed
            )
        except GardnerError as error:
            raise StrategyError(error.what, hint=error.hint) from None
        return Choice(np.array([one.row for one in proposals.rows], dtype=np.int64), proposals.scores)
