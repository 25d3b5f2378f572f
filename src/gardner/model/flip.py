"""The sign with label flips."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.model.arrays import Array, Floating, Floats
from gardner.model.binary import BinaryLabels, entropy, signs
from gardner.model.formula import Compiled
from gardner.model.prior import check_parameter
from gardner.model.special import NUMPY, Library, log_normal, of_ratio


@dataclass(frozen=True)
class Flip(BinaryLabels):
    """Labels sign(h), each flipped with probability ρ < ½: ψ_Y = ln[ρ + (1−2ρ) Φ(u)], u = yω/√V.

    With the Mills ratio R = φ(u)/Φ(u) and the share s = (1−2ρ)Φ(u)/e^ψ: g = y s R/√V, −g' = s R (s
    R + u)/V. As −g' < 0 where a label contradicts what is known, the channel is not log-concave.

    >>> round(float(Flip(0.1).log_partition(1.0, -1e9, 1.0)), 6)
    -2.302585
    """

    rho: float = 0.05

    def __post_init__(self) -> None:
        """Check the parameter."""
        check_parameter("flip.rho", self.rho, 0.0, 0.5, zero=True)

    @property
    def noiseless(self) -> bool:
        """Only without flips does a label exclude weights."""
        return self.rho == 0.0

    @property
    def scale_free(self) -> bool:
        """Flips come at every field alike."""
        return True

    @property
    def log_concave(self) -> bool:
        """ψ_Y is concave only without flips: with them it levels off at ln ρ."""
        return self.rho == 0.0

    @property
    def compiled(self) -> Compiled:
        """By ρ; without flips those of the sign, whose ratios survive where Φ vanishes."""
        return Compiled("flip", self.rho) if self.rho > 0.0 else Compiled("sign")

    def _terms(self, y: Array, omega: Array, V: Array, library: Library) -> tuple[Array, Array, Array]:
        """u, ln[(1−2ρ) Φ(u)] and ψ_Y."""
        u = y * omega / library.xp.sqrt(V)
        true = math.log1p(-2.0 * self.rho) + library.log_ndtr(u)
        if self.rho == 0.0:
            return u, true, true
        return u, true, library.xp.logaddexp(true, library.xp.full_like(true, math.log(self.rho)))

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """ψ_Y(y, ω, V)."""
        return self._terms(y, omega, V, library)[2]

    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """g and −g'."""
        u, true, total = self._terms(y, omega, V, library)
        ratio, excess = library.mills(u)
        share = library.xp.exp(true - total)
        # sR + u = (R + u) − (1 − s) R keeps the digits of R + u where no flip is likely
        rest = -library.xp.expm1(true - total)
        return y * share * ratio / library.xp.sqrt(V), share * ratio * (excess - rest * ratio) / V

    def expansion(self, y: float, omega: Floats, V: float) -> tuple[Floats, ...]:
        """ψ_Y and its derivatives in ω, V, ωω, ωV, VV."""
        u = omega * (y / math.sqrt(V))
        true, _, ratio, excess = log_normal(u)
        true = true + math.log1p(-2.0 * self.rho)
        total = np.logaddexp(true, math.log(self.rho)) if self.rho > 0.0 else true
        slope, rest = np.exp(true - total) * ratio, -np.expm1(true - total)
        return total, *of_ratio(y, u, V, slope, -slope * (excess - rest * ratio))

    def noise_entropy(self, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """H[ρ], the same at every field."""
        del library
        none = 0.0 * (omega + V)
        if self.rho == 0.0:
            return none
        return none + float(entropy(np.log(self.rho), np.log1p(-self.rho), NUMPY))

    def sample(self, fields: Floating, rng: np.random.Generator) -> Floating:
        """Signs of the fields, each flipped with probability ρ."""
        flipped = rng.random(fields.shape) < self.rho
        return np.where(flipped, -signs(fields), signs(fields))
