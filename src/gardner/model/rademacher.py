"""Binary weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.model.arrays import Array, Floats
from gardner.model.formula import Compiled
from gardner.model.prior import Prior
from gardner.model.special import NUMPY, Library


@dataclass(frozen=True)
class Rademacher(Prior):
    """Weights ±1 with equal odds: ψ_X(A, b) = −A/2 + ln cosh b.

    >>> round(float(Rademacher().log_partition(1.0, 0.0)), 6)
    -0.5
    """

    @property
    def second_moment(self) -> float:
        """r⁰ = 1."""
        return 1.0

    @property
    def compiled(self) -> Compiled:
        """The compiled functions take no parameter."""
        return Compiled("rademacher")

    def log_partition(self, A: Array, b: Array, library: Library = NUMPY) -> Array:
        """ψ_X(A, b)."""
        return library.xp.logaddexp(b, -b) - math.log(2.0) - 0.5 * A

    def moments(self, A: Array, b: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean tanh b and variance 1/cosh² b, the latter without cancellation."""
        xp = library.xp
        b = b + 0.0 * A
        small = xp.exp(-2.0 * xp.abs(b))
        return xp.tanh(b), 4.0 * small / (1.0 + small) ** 2

    def expansion(self, b: Floats, A: float) -> tuple[Floats, ...]:
        """ψ_X and its derivatives in b, A, bb, bA, AA."""
        size = np.abs(b)
        small = np.exp(-2.0 * size)
        whole = 1.0 + small
        none = np.zeros_like(size)
        value = size + np.log1p(small) - (math.log(2.0) + 0.5 * A)
        return value, np.sign(b) * (1.0 - small) / whole, none - 0.5, 4.0 * small / whole**2, none, none

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Weights by fair coins."""
        return 2.0 * rng.integers(0, 2, count).astype(np.float64) - 1.0
