"""Subsets near the extremes of the volume: annealing by exchanges, guided by the cavity fields of
AMP.

Informed AL-AMP never gives a row back, and so stays well above the minimum. Here the chosen rows S
are the spins of a system with the energy E(S) = ±ln Z(S), + to find the smallest volume and − for
the largest. AMP knows the field on each of them. To leading order in 1/√N

    E(S ∪ ν) − E(S) = ±ψ_Y(y_ν, ω_ν, V_ν),         E(S) − E(S \\ μ) = ±ψ_Y(y_μ, ω_μ, V_μ),

with mean and variance of the field under the posterior for a row ν outside S, and those of the
cavity (its own label left out) for a row μ inside: both speak of a label that was not used. For the
perceptron ψ_Y = ln Φ(yω/√V) rises with the margin yω/√V, so to exchange μ for ν, ΔE = ±(ψ_ν − ψ_μ),
pays for + where the dropped row has the larger margin.

A round first adds the batch, most surprising first (least, for the largest volume), and then
anneals at fixed size:

1. Every row ν of a shortlist is paired with a random row μ of S. Metropolis' rule at temperature T
   takes a pair if ΔE < −T ln r, r uniform: if ΔE/(−ln r) < T. So the b pairs with the smallest
   ΔE/(−ln r) (gains first, no μ twice) are those that it takes at the temperature which makes b
   exchanges; b is set, and that temperature follows.
2. All b are exchanged at once, and AMP follows with two iterations from where it stands. That is
   enough to track a set that changes slowly; the fields that the b rows exert on each other, of
   order √(b/N), are seen in the next step.
3. b falls from ``heat``·|S| as (1 − t)², t from 0 to 1 over the ``steps``, and the temperature with
   it. Where b rounds to zero the set is frozen: only the best single exchange is made, if it gains.

The shortlist, the |S| rows outside with the smallest cost, is drawn up again every 50 steps: a step
reads 3|S| rows and not the pool. What was found counts only if AMP converges on it and its Bethe ln
Z is better than before the annealing.

Nothing needs a temperature scale from outside. For comparison: the ensemble of subsets weighted by
exp(β ln Z) reaches the end of its complexity curve at β = −1/T with T = 0.19 for n = 0.3 and 0.078
for n = 0.6 (α = 3; `gardner.bounds`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.inference.kernel import pool_fields
from gardner.inference.message_passing import Start, amp
from gardner.inference.posterior import Posterior
from gardner.model import library_of
from gardner.model.arrays import Floating, Integers
from gardner.rules.exchange import SHORTEST, SIGNS, TRACKING, Annealing, Effort
from gardner.strategies.base import Choice, StrategyError, View, choose, register

# The residual at which AMP stops before and after a round, in units of a prior weight: ln Z to
# about 0.01.
TOLERANCE = 1e-5


@register("swap")
@dataclass(frozen=True)
class Swap(Effort):
    """Exchange rows by annealing to reach the smallest volume, or the largest (reads hidden
    labels).

    ``direction`` is ``min`` or ``max``; ``steps`` is the effort a round (0: no exchanges); ``heat``
    the share of the chosen rows exchanged in the first step of a round.
    """

    informed = True

    def query(self, view: View) -> Choice:
        """Grow by a batch, then exchange."""
        if view.table is not view.pool:
            raise StrategyError(
                "swap follows message passing, which is for rows of independent entries", hint="try table-swap"
            )
        sign = SIGNS[self.direction]
        cost = sign * _log_partition(view, view.hidden_labels, *view.fields)
        grown = choose(view, -cost[view.unlabelled])
        if self.steps == 0 or grown.indices.size == view.unlabelled.size:
            return grown
        before = np.concatenate([view.queried, grown.indices])
        after = _Annealing(view, before, sign).run(self.steps, self.heat)
        return Choice(np.setdiff1d(after, view.queried), grown.scores, np.setdiff1d(view.queried, after))


def _log_partition(view: View, labels: Floating, omega: Floating, V: Floating) -> Floating:
    """ψ_Y of rows: the logarithm of the probability of their true labels."""
    return np.asarray(view.model.channel.log_partition(labels, omega, V, library_of(omega)))


@dataclass
class _Rows:
    """Rows of the pool side by side, so that a pass over them is one stream of memory."""

    indices: Integers
    rows: Floating
    labels: Floating

    @classmethod
    def of(cls, view: View, indices: Integers) -> _Rows:
        rows = view.pool[indices]
        return cls(indices.copy(), rows, view.hidden_labels[indices].astype(rows.dtype))

    def exchange(self, places: Integers, other: _Rows, others: Integers) -> None:
        """Trade places with rows of another set; done twice, nothing has happened."""
        for mine, theirs in ((self.indices, other.indices), (self.rows, other.rows), (self.labels, other.labels)):
            mine[places], theirs[others] = theirs[others], mine[places]


class _Annealing(Annealing[Posterior]):
    """Rows on the host, and AMP by its compiled passes."""

    def __init__(self, view: View, chosen: Integers, sign: float) -> None:
        """Begin with these rows; the first of them are those of the view's posterior."""
        self.view = view
        self.inside = self.outside = _Rows.of(view, chosen)
        before = view.posterior
        g = np.zeros_like(self.inside.labels)
        g[: view.queried.size] = before.g
        start = Start(before.mean, before.variance, g) if before.converged else None
        super().__init__(sign, view.rng, self.fit(start))

    @property
    def chosen(self) -> Integers:
        """The indices of the chosen rows in the pool."""
        return self.inside.indices.copy()

    @property
    def size(self) -> int:
        """How many rows are chosen."""
        return self.inside.indices.size

    def refresh(self) -> None:
        """Look at the whole pool, and keep the rows outside that cost least."""
        cost = self._cost_of(self.view.pool, self.view.hidden_labels)
        cost[self.inside.indices] = math.inf
        size = min(max(self.size, SHORTEST), cost.size - self.size)
        self.outside = _Rows.of(self.view, np.argpartition(cost, size - 1)[:size])

    def costs(self) -> tuple[Floating, Floating]:
        """What the chosen rows cost, by the fields that the posterior has of them, and what those
        of the shortlist would.
        """
        omega, V = np.asarray(self.posterior.omega), np.asarray(self.posterior.V)
        inside = self.sign * _log_partition(self.view, self.inside.labels, omega, V)
        return inside, self._cost_of(self.outside.rows, self.outside.labels)

    def _cost_of(self, rows: Floating, labels: Floating) -> Floating:
        """What it would cost to add each of some rows."""
        mean, variance = np.asarray(self.posterior.mean), np.asarray(self.posterior.variance)
        omega, V = pool_fields(rows, mean, variance, threads=1)
        return self.sign * _log_partition(self.view, labels, omega, V)

    def trade(self, places: Integers, others: Integers) -> None:
        """The rows themselves trade places, so that each set stays one stream of memory."""
        self.inside.exchange(places, self.outside, others)

    def followed(self, places: Integers) -> Posterior:
        """Rows at ``places`` begin with g = 0."""
        g = np.array(self.posterior.g)
        g[places] = 0.0
        return self.fit(Start(self.posterior.mean, self.posterior.variance, g), iterations=TRACKING)

    def anew(self) -> Posterior:
        """AMP from the prior."""
        return self.fit(None)

    def settled(self) -> Posterior:
        """AMP from where the last step ended."""
        return self.fit(Start(self.posterior.mean, self.posterior.variance, self.posterior.g))

    def back(self, chosen: Integers) -> Integers:
        """The rows as they were; nothing else is kept here beyond the round."""
        return chosen

    def fit(self, start: Start | None, iterations: int = 1000) -> Posterior:
        """AMP on the chosen rows, on one thread: the sets are small, and the other cores have runs
        of their own.
        """
        return amp(
            self.inside.rows, self.inside.labels, self.view.model, start=start, tolerance=TOLERANCE,
            max_iterations=iterations, threads=1, decide_empty=False, check_input=False,
        )  # fmt: skip
