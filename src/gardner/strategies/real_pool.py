"""A real table as strategies see it: standardised rows with an intercept, and what EP makes of the
labels.

All strategies of a run have the same posterior: that of one model with a noise that does not change
from round to round, so that the evidence of the labels is that of a chain, label after label.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from gardner.errors import InvalidInputError
from gardner.inference.ep import expectation_propagation
from gardner.inference.posterior import Posterior
from gardner.model import GLM, Channel, Gaussian, describe
from gardner.model.arrays import Floats, Integers
from gardner.strategies.base import StrategyError, View
from gardner.table.any_classes import AnyFit, fit_any
from gardner.table.families import fixed
from gardner.table.scaling import Spread, blocks, make_scaling, spread_of
from gardner.table.weights import Design

# How labels of a table arise where nothing is said: a noise of 0.08 of the field's variance, what
# evidence finds on real tables (gardner.table.families).
CHANNEL = "probit:0.08"
_SCALING = "standardised"
_ROUND = int.from_bytes(b"round", "big")


def round_generator(seed: int, labelled: int) -> np.random.Generator:
    """The randomness of one query: by the seed and the number of labels, whatever was asked before."""
    return np.random.default_rng([_ROUND, seed, labelled])


@dataclass(frozen=True, eq=False)
class RealPool:
    """Features as they are (``table``), as the model sees them (``rows``), and the model of the
    labels.
    """

    table: Floats
    rows: Floats
    model: GLM
    spread: Spread

    @classmethod
    def of(cls, table: Floats, channel: Channel) -> RealPool:
        """A pool of two classes, −1 and +1."""
        if set(channel.labels) != {-1.0, 1.0}:
            rule = "classes need a channel whose labels are -1 and +1"
            raise InvalidInputError("channel", describe(channel), rule, hint="try probit:0.1 or flip:0.05")
        model, spread = GLM(Gaussian(), channel), spread_of(table)
        return cls(table, _design(model, spread).rows(table), model, spread)

    def fit(self, queried: Integers, labels: Floats, classes: int = 2) -> AnyFit:
        """What the labels of some rows tell, by expectation propagation."""
        codes = np.asarray(labels if classes > 2 else np.asarray(labels) > 0.0, dtype=np.intp)
        return fit_any(self.table[queried], codes, classes, self.spread, model=self.model, scaling=_SCALING)

    def design(self, table: Floats) -> Floats:
        """Other rows as the model sees them."""
        return _design(self.model, self.spread).rows(table)

    def view(
        self,
        queried: Integers,
        labels: Floats,
        batch_size: int,
        rng: np.random.Generator,
        *,
        known: AnyFit | None = None,
        hidden_labels: Floats | None = None,
        held_out: tuple[Floats, Floats] | None = None,
        classes: int = 2,
    ) -> View:
        """What a strategy may know; ``known`` is the fit to these labels, where somebody has it
        already.
        """

        def posterior() -> Posterior:
            _check_two(classes)
            return expectation_propagation(self.rows[queried], labels, self.model)

        def fields() -> tuple[Floats, Floats]:
            _check_two(classes)
            fitted = known or self.fit(queried, labels)
            omega, V = np.empty(len(self.table)), np.empty(len(self.table))
            for block in blocks(len(self.table), self.rows.shape[1]):
                omega[block], V[block] = fitted.fields(self.table[block])
            return omega, V

        return View(
            self.rows, queried, labels, batch_size, rng, functools.cache(posterior), fields, self.model, hidden_labels,
            table=self.table, classes=classes, held_out=held_out,
        )  # fmt: skip


def _design(model: GLM, spread: Spread) -> Design:
    return Design(make_scaling(_SCALING, spread), 1.0, fixed(model).intercept)


def _check_two(classes: int) -> None:
    if classes > 2:
        raise StrategyError("the posterior of a field is that of two classes", hint="query and random serve more")
