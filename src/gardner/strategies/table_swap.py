"""What a search can reach that reads all labels: the practical upper line of a benchmark on a real
table.

Exchanges, as in :mod:`gardner.strategies.swap`, but judged by expectation propagation, which is
right for correlated rows, and for a goal of one's choice. Each exchange is a fit of its own, so
there are tens of them a round, not thousands: what is found is a lower bound of what is possible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gardner.errors import InvalidInputError
from gardner.inference.ep import expectation_propagation
from gardner.model.arrays import Floating, Integers
from gardner.strategies.base import Choice, View, check_binary, choose, register
from gardner.table.weights import Span

GOALS = ("accuracy", "evidence")
# Tolerance of expectation propagation for an exchange: evidence to 0.01, as in the search of a
# table's noise.
_TOLERANCE = 1e-4
# What a nat of log-loss counts beside the whole accuracy: it decides among sets that get the same
# rows right.
_LOSS = 1e-3


@register("table-swap")
@dataclass(frozen=True)
class TableSwap:
    """Exchanges of rows for the best accuracy on held-out rows, or the least evidence (reads hidden
    labels).

    ``goal`` is ``accuracy``, on the rows that are held out (or those of the pool, where none are),
    or ``evidence``: labels that surprise the model most. ``steps`` is how many exchanges are tried
    in a round; one that is no gain is taken back.
    """

    goal: str = "accuracy"
    steps: int = 100
    informed = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        if self.goal not in GOALS:
            raise InvalidInputError("table-swap.goal", self.goal, f"it must be one of {', '.join(GOALS)}")
        if self.steps < 0:
            raise InvalidInputError("table-swap.steps", self.steps, "it must not be negative")

    def query(self, view: View) -> Choice:
        """Grow by a batch of rows, surprising or uncertain ones, then exchange any of those chosen."""
        check_binary(view, "table-swap")
        omega, V = view.fields
        if self.goal == "evidence":
            scores = -np.asarray(view.model.channel.log_partition(view.hidden_labels, omega, V))
        else:
            scores = -np.abs(omega) / np.sqrt(V)
        grown = choose(view, scores[view.unlabelled])
        before = np.concatenate([view.queried, grown.indices])
        after = self._exchanged(view, before)
        return Choice(np.setdiff1d(after, view.queried), grown.scores, np.setdiff1d(view.queried, after))

    def _exchanged(self, view: View, chosen: Integers) -> Integers:
        chosen = chosen.copy()
        outside = np.setdiff1d(np.arange(len(view.pool)), chosen)
        best = self._worth(view, chosen)
        for _ in range(self.steps if outside.size else 0):
            place, other = view.rng.integers(chosen.size), view.rng.integers(outside.size)
            chosen[place], outside[other] = outside[other], chosen[place]
            worth = self._worth(view, chosen)
            if worth > best:
                best = worth
            else:
                chosen[place], outside[other] = outside[other], chosen[place]
        return chosen

    def _worth(self, view: View, chosen: Integers) -> float:
        """What a set is worth; nothing, where the fit does not settle."""
        labels = view.hidden_labels[chosen]
        span = Span.of(view.pool[chosen].astype(np.float64))
        posterior = expectation_propagation(span.inner, labels, view.model, tolerance=_TOLERANCE)
        if not posterior.settled:
            return -np.inf
        if self.goal == "evidence":
            return -posterior.log_evidence
        rows, truth = view.held_out or (view.pool, view.hidden_labels)
        inside = rows if span.basis is None else rows @ span.basis.T
        omega, covariance = inside @ np.asarray(posterior.mean), np.asarray(posterior.covariance)
        outer = np.einsum("ij,ij->i", rows, rows) - np.einsum("ij,ij->i", inside, inside)
        V = np.einsum("ij,ij->i", inside @ covariance, inside) + view.model.prior.second_moment * np.maximum(outer, 0.0)
        return _right(view, truth, omega, np.maximum(V, 1e-12))


def _right(view: View, truth: Floating, omega: Floating, V: Floating) -> float:
    """The share of labels that are predicted right, and a little of how sure."""
    loss = -float(np.mean(np.asarray(view.model.channel.log_partition(truth, omega, V))))
    return float(np.mean(np.where(omega < 0.0, -1.0, 1.0) == truth)) - _LOSS * loss
