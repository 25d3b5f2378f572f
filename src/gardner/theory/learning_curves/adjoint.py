"""What one more label is worth in the end: the state evolution of a rule, followed backwards.

Let J be something of the last round, such as the information in all labels. After each round
it is a function of the densities p of the pool and ℓ of the labelled rows and of V. Its derivatives
are carried from the last round to the first (the adjoint, or costate, of the evolution). A round
chooses u ≤ p, solves V' = P(q̂) with q̂ = ⟨S(ℓ + u), T⟩, and spreads both by S, of variance V − V':

    λ_ℓ⁺ = S(λ_ℓ' + Λ c T),       λ_p⁺ = S λ_p',       c = P'/(1 − P' ∂q̂/∂V'),
    Λ = λ_V' − ⟨λ_ℓ', ∂S(ℓ + u)⟩ − ⟨λ_p', ∂S(p − u)⟩,       ∂S = dS/d(variance),
    λ_V = Λ c ⟨T, ∂S(ℓ + u)⟩ + ⟨λ_ℓ', ∂S(ℓ + u)⟩ + ⟨λ_p', ∂S(p − u)⟩ + ⟨A, ∂u/∂V⟩,
    A = λ_ℓ⁺ − λ_p⁺,       λ_ℓ = λ_ℓ⁺,       λ_p = λ_p⁺ + s (A − μ).

T = Σ_y e^ψ g² and P, the prior's V at q̂, are those of :mod:`evolution`. A(ω) is the gain of J if a
row of field ω is asked for in this round, beyond the batch. s = u/p is the share of each cell that
is taken. μ is A of the rows that would have to stay behind, those at the threshold: one more row in
the pool is taken with chance s, and then another is not [pontryagin1962].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gardner.model.arrays import Floats
from gardner.rules import Rule
from gardner.theory.formula.pair import Pair
from gardner.theory.learning_curves.choice import Taken, best, take
from gardner.theory.learning_curves.evolution import Labelled, prior_variance
from gardner.theory.learning_curves.grid import Grid
from gardner.theory.learning_curves.rounds import State

# Of the fullest cell: what an empty one counts as, so that a share of it can be taken.
_FLOOR = 1e-14
# Relative, of differences in V, q̂ and the size of a batch.
_STEP = 1e-5


class Costate(NamedTuple):
    """Derivatives of J by the masses of pool and labelled rows in each cell, and by V."""

    pool: Floats
    labelled: Floats
    variance: float


@dataclass(frozen=True)
class RoundValue:
    """What a row of each cell is worth in one round: A(ω), the share of it that is taken, and μ."""

    taken: Taken
    share: Floats
    value: Floats
    marginal: float
    before: Costate


class BackwardRound:
    """One round of a rule, as it was computed, to be followed backwards."""

    def __init__(self, pair: Pair, grid: Grid, rule: Rule, size: float, before: State, after: State) -> None:
        """``before`` and ``after`` are the states of the rounds before and of this one."""
        self._pair, self._grid, self._rule, self._size = pair, grid, rule, size
        self._pool, self._V, self._V_after = before.there.pool, before.solved.V, after.solved.V
        self._rows_left = np.maximum(self._pool, _FLOOR * float(self._pool.max()))
        self._taken = self._take(size, self._V)
        self._rows = Labelled(pair, grid, grid.waves(before.there.labelled + self._taken.masses), self._V)
        step = self._V - self._V_after
        self._labelled_spreading = grid.spreading(self._rows.waves, step)
        self._pool_spreading = grid.spreading(grid.waves(self._pool - self._taken.masses), step)

    def _take(self, size: float, V: float) -> Taken:
        return take(self._rule, self._pool, self._grid, V, self._pair.student.channel, size)

    def by_variance(self, after: Costate) -> float:
        """Λ: the derivative of J by the V' that this round solves for."""
        moved = after.labelled @ self._labelled_spreading + after.pool @ self._pool_spreading
        return after.variance - float(moved)

    def back(self, after: Costate, by_variance: float) -> RoundValue:
        """The costate before this round, from the one behind it and Λ."""
        x = math.log(self._V / self._V_after)
        q_hat_per_label, answer = self._rows.q_hat_per_label(x), by_variance * self._answer(x)
        labelled = self._spread(after.labelled + answer * q_hat_per_label)
        pool = self._spread(after.pool)
        value = labelled - pool
        share, marginal, in_pool = self._response(value)
        variance = (
            float((answer * q_hat_per_label + after.labelled) @ self._labelled_spreading)
            + float(after.pool @ self._pool_spreading)
            + self._by_old_variance(value)
        )
        return RoundValue(self._taken, share, value, marginal, Costate(pool + in_pool, labelled, variance))

    def _spread(self, values: Floats) -> Floats:
        return self._grid.spread(self._grid.waves(values), self._V - self._V_after)

    def _answer(self, x: float) -> float:
        """c = dV'/dq̂ of a source of q̂, the spreading of ℓ included."""
        q_hat = self._rows.q_hat(x)
        higher, lower = (prior_variance(self._pair, q_hat * (1.0 + sign * _STEP)) for sign in (1.0, -1.0))
        slope = (higher - lower) / (2.0 * _STEP * q_hat)
        # dV' = −V' dx
        by_variance = -(self._rows.q_hat(x + _STEP) - self._rows.q_hat(x - _STEP)) / (2.0 * _STEP * self._V_after)
        return slope / (1.0 - slope * by_variance)

    def _response(self, value: Floats) -> tuple[Floats, float, Floats]:
        """The share of each cell that is taken, μ, and how J gains by a row more in the pool,
        through the choice.
        """
        chosen = self._size * (1.0 - self._rule.random_share)
        chosen_rows = self._best(chosen)
        share = chosen_rows / self._rows_left
        edge = self._best(chosen * (1.0 + _STEP)) - self._best(chosen * (1.0 - _STEP))
        marginal = float(value @ edge) / float(edge.sum())
        gained = share * (value - marginal)
        if self._rule.random_share > 0.0:
            left = self._rows_left - chosen_rows
            chance = (self._size - chosen) / float(left.sum())
            marginal = float(value @ left) / float(left.sum())
            gained = (1.0 - chance) * gained + chance * (value - marginal)
            share = share + chance * (1.0 - share)
        return share, marginal, gained

    def _best(self, mass: float) -> Floats:
        """The rows that are chosen, and not drawn at random."""
        return best(self._rule, self._rows_left, self._grid, self._V, self._pair.student.channel, mass).masses

    def _by_old_variance(self, value: Floats) -> float:
        """⟨A, ∂u/∂V⟩: rules may look at V."""
        higher, lower = (self._take(self._size, self._V * (1.0 + sign * _STEP)).masses for sign in (1.0, -1.0))
        return float(value @ (higher - lower)) / (2.0 * _STEP * self._V)
