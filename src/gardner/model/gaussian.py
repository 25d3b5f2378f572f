"""Normal weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.model.arrays import Array, Floats
from gardner.model.formula import Compiled
from gardner.model.prior import Prior, check_parameter
from gardner.model.special import NUMPY, Library


@dataclass(frozen=True)
class Gaussian(Prior):
    """Normal weights of variance σ²: ψ_X(A, b) = −½ ln(1+σ²A) + σ²b²/(2(1+σ²A)).

    >>> round(float(Gaussian().log_partition(1.0, 2.0)), 6)
    0.653426
    """

    variance: float = 1.0

    def __post_init__(self) -> None:
        """Check the parameter."""
        check_parameter("gaussian.variance", self.variance, 0.0, math.inf)

    @property
    def second_moment(self) -> float:
        """r⁰ = σ²."""
        return self.variance

    @property
    def gaussian(self) -> bool:
        """Weights are normal."""
        return True

    @property
    def compiled(self) -> Compiled:
        """The compiled functions take the variance."""
        return Compiled("gaussian", self.variance)

    def log_partition(self, A: Array, b: Array, library: Library = NUMPY) -> Array:
        """ψ_X(A, b)."""
        scale = 1.0 + self.variance * A
        return -0.5 * library.xp.log(scale) + self.variance * b * b / (2.0 * scale)

    def moments(self, A: Array, b: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean σ²b/(1+σ²A) and variance σ²/(1+σ²A)."""
        del library
        variance = self.variance / (1.0 + self.variance * A)
        return b * variance, variance

    def expansion(self, b: Floats, A: float) -> tuple[Floats, ...]:
        """ψ_X and its derivatives in b, A, bb, bA, AA."""
        variance = self.variance / (1.0 + self.variance * A)
        mean = variance * b
        value = -0.5 * np.log1p(self.variance * A) + 0.5 * b * mean
        flat = 0.0 * mean
        return (
            value,
            mean,
            -0.5 * (variance + mean * mean),
            variance + flat,
            -variance * mean,
            variance * (0.5 * variance + mean * mean),
        )

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Independent normal weights."""
        return math.sqrt(self.variance) * rng.standard_normal(count)
