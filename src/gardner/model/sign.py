"""The sign: what a perceptron answers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.model.arrays import Array, Floating, Floats
from gardner.model.binary import BinaryLabels, signs
from gardner.model.formula import Compiled
from gardner.model.special import NUMPY, Library, log_normal, of_ratio


@dataclass(frozen=True)
class Sign(BinaryLabels):
    """Noiseless binary labels y = sign(h): ψ_Y(y, ω, V) = ln Φ(yω/√V).

    With u = yω/√V and ρ = φ(u)/Φ(u): g = yρ/√V, −g' = ρ(ρ+u)/V.

    >>> import numpy as np
    >>> np.round(Sign().log_partition(1.0, np.array([0.0, 2.0]), 4.0), 6)
    array([-0.693147, -0.172754])
    """

    @property
    def noiseless(self) -> bool:
        """Each label cuts away a half-space."""
        return True

    @property
    def scale_free(self) -> bool:
        """A label is the sign of its field, whatever its size."""
        return True

    @property
    def log_concave(self) -> bool:
        """ψ_Y = ln Φ is concave."""
        return True

    @property
    def noise_in_front(self) -> float:
        """Zero: ln Φ(u) falls like −u²/2 without any."""
        return 0.0

    @property
    def compiled(self) -> Compiled:
        """The compiled functions take no parameter."""
        return Compiled("sign")

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """ψ_Y(y, ω, V)."""
        return library.log_ndtr(y * omega / library.xp.sqrt(V))

    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """g and −g'."""
        width = library.xp.sqrt(V)
        rho, excess = library.mills(y * omega / width)
        return y * rho / width, rho * excess / V

    def slopes(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array, Array]:
        """ψ_Y, g and −g', from one look at Φ."""
        width = library.xp.sqrt(V)
        value, rho, excess = library.log_ndtr_and_mills(y * omega / width)
        return value, y * rho / width, rho * excess / V

    def expansion(self, y: float, omega: Floats, V: float) -> tuple[Floats, ...]:
        """ψ_Y and its derivatives in ω, V, ωω, ωV, VV."""
        u = omega * (y / math.sqrt(V))
        value, _, rho, excess = log_normal(u)
        return value, *of_ratio(y, u, V, rho, -rho * excess)

    def remainder(self, y: float, omega: Floats, V: float) -> tuple[Floats, ...]:
        """The same of ψ_Y + ω²/2V, what is left of ψ_Y where a label is not expected: no large
        number is formed.
        """
        u = omega * (y / math.sqrt(V))
        _, value, rho, excess = log_normal(u)
        return value, *of_ratio(y, u, V, excess, 1.0 - rho * excess)

    def noise_entropy(self, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """Zero, as there is no noise."""
        del library
        return 0.0 * (omega + V)

    def sample(self, fields: Floating, rng: np.random.Generator) -> Floating:
        """The sign; a field of exactly zero counts as positive."""
        del rng
        return signs(fields)
