"""A strategy of ours, asked once: rows with labels, candidates, and which of them to label next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gardner.errors import InvalidInputError
from gardner.inference.message_passing import amp
from gardner.inference.posterior import Posterior
from gardner.model import GLM, Channel, Gaussian, parse_channel
from gardner.model.arrays import Floating, Integers
from gardner.strategies.base import Strategy, StrategyError, View, make_registered
from gardner.strategies.real_pool import CHANNEL, RealPool

ROWS = ("table", "plain")


@dataclass(frozen=True)
class Asking:
    """Which strategy, with which parameters, and how rows and labels are understood.

    ``rows``: a ``table`` is standardised, has an intercept, and its posterior is that of
    expectation propagation, as in ``gardner bench --data``; ``plain`` rows stay as they are, and
    their posterior is that of message passing, as in ``gardner.run``. ``channel`` is how labels
    arise: by default ``probit:0.08`` for a table and ``sign`` for plain rows.
    """

    strategy: str = "query"
    parameters: Mapping[str, object] = field(default_factory=dict)
    rows: str = "table"
    channel: str | Channel | None = None

    def made(self) -> Strategy:
        """A fresh strategy: what it would remember from round to round is forgotten."""
        made = make_registered(self.strategy, self.parameters)
        if made.informed:
            raise StrategyError(f"{self.strategy} reads labels that nobody asked for", hint="other loops have none")
        return made

    def choose(
        self,
        features: Floating,
        queried: Integers,
        labels: Floating,
        classes: int,
        count: int,
        rng: np.random.Generator,
    ) -> tuple[Integers, Floating]:
        """Rows of the features to label next, best first, and a score for each that is not queried,
        in their order.
        """
        strategy = self.made()
        view = self._view(features, queried, labels, classes, count, rng)
        choice = strategy.query(view)
        if choice.scores is None:  # those chosen by their order, and all others below
            ranks = np.zeros(view.unlabelled.size)
            ranks[np.searchsorted(view.unlabelled, choice.indices)] = np.arange(len(choice.indices), 0, -1)
            return choice.indices, ranks
        if self.strategy == "query":  # in the order of its choices, which allow for each other
            return choice.indices, choice.scores
        places = np.searchsorted(view.unlabelled, choice.indices)
        return choice.indices[np.argsort(-choice.scores[places], kind="stable")], choice.scores

    def _view(
        self,
        features: Floating,
        queried: Integers,
        labels: Floating,
        classes: int,
        count: int,
        rng: np.random.Generator,
    ) -> View:
        if self.rows not in ROWS:
            raise InvalidInputError("rows", self.rows, f"it must be one of {', '.join(ROWS)}")
        channel = self.channel or (CHANNEL if self.rows == "table" else "sign")
        channel = parse_channel(channel) if isinstance(channel, str) else channel
        if self.rows == "table":
            pool = RealPool.of(np.asarray(features, dtype=np.float64), channel)
            return pool.view(queried, np.asarray(labels, dtype=np.float64), count, rng, classes=classes)
        model = GLM(Gaussian(), channel)

        def posterior() -> Posterior:
            return amp(features[queried], labels.astype(features.dtype), model)

        def fields() -> tuple[Floating, Floating]:
            mean, variance = posterior().fields(features)
            return np.asarray(mean), np.asarray(variance)

        return View(features, queried, labels, count, rng, posterior, fields, model, classes=classes)


def coded(labels: NDArray[Any]) -> tuple[Floating, int]:
    """Classes as numbers, and how many there are: two are −1 and +1, in their order, more are 0, 1,
    ….

    One alone is −1 or +1 by its sign where it is a number, and else +1.

    >>> coded(np.array(["no", "yes", "no"]))
    (array([-1.,  1., -1.]), 2)
    """
    kinds, codes = np.unique(labels, return_inverse=True)
    if kinds.size > 2:
        return codes.astype(np.float64), int(kinds.size)
    if kinds.size == 2:
        return 2.0 * codes - 1.0, 2
    low = labels.dtype.kind in "biuf" and kinds.size == 1 and bool(kinds[0] <= 0)
    return np.full(labels.size, -1.0 if low else 1.0), 2
