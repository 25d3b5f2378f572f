"""Sparse weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.model.arrays import Array, Floats
from gardner.model.formula import Compiled
from gardner.model.gaussian import Gaussian
from gardner.model.prior import Prior, check_parameter
from gardner.model.special import NUMPY, Library


@dataclass(frozen=True)
class GaussBernoulli(Prior):
    """Sparse weights: N(0, 1/ρ) with probability ρ, else 0, so that r⁰ = 1 at every density ρ.

    With ψ_G the log-partition of the Gaussian of variance 1/ρ, ψ_X(A, b) = ln[1 − ρ + ρ e^{ψ_G(A,
    b)}].

    >>> round(float(GaussBernoulli(0.5).log_partition(1.0, 0.0)), 6)
    -0.237401
    """

    density: float = 0.3

    def __post_init__(self) -> None:
        """Check the parameter."""
        check_parameter("gauss-bernoulli.density", self.density, 0.0, 1.0)

    @property
    def second_moment(self) -> float:
        """r⁰ = 1."""
        return 1.0

    @property
    def compiled(self) -> Compiled:
        """The compiled functions take the density."""
        return Compiled("gauss-bernoulli", self.density)

    @property
    def slab(self) -> Gaussian:
        """The prior of the weights that are not zero."""
        return Gaussian(1.0 / self.density)

    def _terms(self, A: Array, b: Array, library: Library) -> tuple[Array, Array, Array]:
        """Logarithms of the two terms of the sum and of the sum."""
        slab = math.log(self.density) + self.slab.log_partition(A, b, library)
        spike = library.xp.full_like(slab, math.log1p(-self.density))
        return spike, slab, library.xp.logaddexp(spike, slab)

    def log_partition(self, A: Array, b: Array, library: Library = NUMPY) -> Array:
        """ψ_X(A, b)."""
        return self._terms(A, b, library)[2]

    def moments(self, A: Array, b: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """With π the odds of a weight that is not zero: πx̂ and πΔ + π(1−π)x̂², x̂ and Δ those of
        the slab.
        """
        xp = library.xp
        spike, slab, total = self._terms(A, b, library)
        share, rest = xp.exp(slab - total), xp.exp(spike - total)
        mean, variance = self.slab.moments(A, b, library)
        return share * mean, share * (variance + rest * mean * mean)

    def expansion(self, b: Floats, A: float) -> tuple[Floats, ...]:
        """ψ_X and its derivatives in b, A, bb, bA, AA: those of the slab, mixed with a spike that
        has none.
        """
        slab, first, turn, second, mixed, last = self.slab.expansion(b, A)
        slab, spike = math.log(self.density) + slab, math.log1p(-self.density)
        total = np.logaddexp(slab, spike)
        share, rest = np.exp(slab - total), np.exp(spike - total)
        return (
            total,
            share * first,
            share * turn,
            share * (second + rest * first * first),
            share * (mixed + rest * first * turn),
            share * (last + rest * turn * turn),
        )

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Normal numbers, most of them struck out."""
        values = self.slab.sample(count, rng)
        return np.where(rng.random(count) < self.density, values, 0.0)
