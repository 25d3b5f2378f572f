"""Gaussian noise before the sign."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.model.arrays import Array, Floating, Floats
from gardner.model.binary import BinaryLabels, bump_average, signs
from gardner.model.formula import Compiled
from gardner.model.prior import check_parameter
from gardner.model.sign import Sign
from gardner.model.special import NUMPY, Library

# Standard deviations of the noise at which a label is certain: the other has probability 2·10⁻³³.
_REACH = 12.0


@dataclass(frozen=True)
class Probit(BinaryLabels):
    """Labels sign(h + √noise z), z normal: ψ_Y(y, ω, V) = ln Φ(yω/√(V + noise)), the sign's at a
    larger variance.

    >>> round(float(Probit(3.0).log_partition(1.0, 2.0, 1.0)), 6)
    -0.172754
    """

    noise: float = 0.1

    def __post_init__(self) -> None:
        """Check the parameter."""
        check_parameter("probit.noise", self.noise, 0.0, math.inf, zero=True)

    @property
    def noiseless(self) -> bool:
        """Only without noise does a label exclude weights."""
        return self.noise == 0.0

    @property
    def scale_free(self) -> bool:
        """The probability of a label depends on the sign of its field alone only without noise."""
        return self.noise == 0.0

    @property
    def log_concave(self) -> bool:
        """ψ_Y = ln Φ is concave."""
        return True

    @property
    def noise_in_front(self) -> float:
        """The variance of the noise, which stands in front of the sign."""
        return self.noise

    @property
    def compiled(self) -> Compiled:
        """The compiled functions take the noise."""
        return Compiled("probit", self.noise)

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """ψ_Y(y, ω, V)."""
        return Sign().log_partition(y, omega, V + self.noise, library)

    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """g and −g'."""
        return Sign().derivatives(y, omega, V + self.noise, library)

    def expansion(self, y: float, omega: Floats, V: float) -> tuple[Floats, ...]:
        """ψ_Y and its derivatives in ω, V, ωω, ωV, VV."""
        return Sign().expansion(y, omega, V + self.noise)

    def remainder(self, y: float, omega: Floats, V: float) -> tuple[Floats, ...]:
        """The same of ψ_Y + ω²/2(V + noise)."""
        return Sign().remainder(y, omega, V + self.noise)

    def noise_entropy(self, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """∫ N(h; ω, V) H[Φ(h/√noise)] dh."""
        if self.noise == 0.0:
            return 0.0 * (omega + V)
        return bump_average(library.log_ndtr, _REACH, omega / math.sqrt(self.noise), V / self.noise, library)

    def sample(self, fields: Floating, rng: np.random.Generator) -> Floating:
        """The sign of the noisy field."""
        noise = math.sqrt(self.noise) * rng.standard_normal(fields.shape)
        return signs(fields + noise.astype(fields.dtype))
