"""Regression."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.model.arrays import Array, Floating
from gardner.model.formula import Compiled
from gardner.model.prior import check_parameter
from gardner.model.real import RealLabels
from gardner.model.special import NUMPY, Library


@dataclass(frozen=True)
class Linear(RealLabels):
    """Real labels y = h + √noise z, z normal: ψ_Y(y, ω, V) = ln N(y; ω, V + noise).

    g = (y − ω)/(V + noise), −g' = 1/(V + noise).

    >>> round(float(Linear(1.0).log_partition(2.0, 2.0, 1.0)), 6)
    -1.265512
    """

    noise: float = 0.1

    def __post_init__(self) -> None:
        """Check the parameter."""
        check_parameter("linear.noise", self.noise, 0.0, math.inf)

    @property
    def linear_noise(self) -> float:
        """The variance of the noise: labels are y = h + normal noise."""
        return self.noise

    @property
    def log_concave(self) -> bool:
        """ψ_Y is a parabola in ω, and so concave."""
        return True

    @property
    def compiled(self) -> Compiled:
        """The compiled functions take the noise."""
        return Compiled("linear", self.noise)

    def label_span(self, low: Array, high: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """The fields, and the noise on either side."""
        del library
        return low - self.margin, high + self.margin

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """ψ_Y(y, ω, V)."""
        scale = V + self.noise
        return -0.5 * (y - omega) ** 2 / scale - 0.5 * library.xp.log(2.0 * math.pi * scale)

    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """g and −g'."""
        del library
        precision = 1.0 / (V + self.noise + 0.0 * omega)
        return (y - omega) * precision, precision

    def information(self, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """½ ln(1 + V/noise)."""
        return 0.5 * library.xp.log1p(V / self.noise + 0.0 * omega)

    def predictive(self, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean ω and variance V + noise."""
        del library
        return omega + 0.0 * V, V + self.noise + 0.0 * omega

    def sample(self, fields: Floating, rng: np.random.Generator) -> Floating:
        """Fields with noise."""
        return self.noisy(fields, rng)
