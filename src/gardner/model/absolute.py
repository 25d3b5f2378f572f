"""Phase retrieval over the reals: the sign of the field is lost."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.model.arrays import Array, Floating
from gardner.model.channel import WIDTHS
from gardner.model.formula import Compiled
from gardner.model.integrals import gauss_legendre
from gardner.model.prior import check_parameter
from gardner.model.real import RealLabels
from gardner.model.special import NUMPY, Library

_NODES, _WEIGHTS = gauss_legendre(96)


@dataclass(frozen=True)
class Absolute(RealLabels):
    """Real labels y = |h| + √noise z, z normal: e^ψ is the sum over the sign ± of the field of
    e^{L(±ω)}, with

        L(ω) = ln ∫₀^∞ N(y; h, noise) N(h; ω, V) dh = ln N(y; ω, W) + ln Φ(t),
        W = V + noise,   t = (ω noise + yV)/√(V noise W).

    The zero field ω = 0 tells no sign: learning has to break the symmetry.

    >>> round(float(Absolute(1.0).log_partition(0.0, 0.0, 1.0)), 6)
    -1.265512
    """

    noise: float = 0.1

    def __post_init__(self) -> None:
        """Check the parameter."""
        check_parameter("absolute.noise", self.noise, 0.0, math.inf)

    @property
    def compiled(self) -> Compiled:
        """The compiled functions take the noise."""
        return Compiled("absolute", self.noise)

    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        """ln N(y; |h|, noise)."""
        return -0.5 * (y - library.xp.abs(h)) ** 2 / self.noise - 0.5 * math.log(2.0 * math.pi * self.noise)

    def label_span(self, low: Array, high: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """From the field nearest to zero to the one farthest from it."""
        xp = library.xp
        nearest = xp.maximum(xp.maximum(low, -high), 0.0 * low)
        return nearest - self.margin, xp.maximum(-low, high) + self.margin

    def _argument(self, y: Array, omega: Array, V: Array, library: Library) -> Array:
        """The argument t of the normal distribution function in a branch."""
        return (omega * self.noise + y * V) / library.xp.sqrt(V * self.noise * (V + self.noise))

    def _branch(self, y: Array, omega: Array, V: Array, library: Library) -> Array:
        """L(ω), the logarithm of the branch of positive fields."""
        scale = V + self.noise
        normal = -0.5 * (y - omega) ** 2 / scale - 0.5 * library.xp.log(2.0 * math.pi * scale)
        return normal + library.log_ndtr(self._argument(y, omega, V, library))

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """ψ_Y(y, ω, V)."""
        ahead, behind = (self._branch(y, sign * omega, V, library) for sign in (1.0, -1.0))
        return library.xp.logaddexp(ahead, behind)

    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """g and −g' of the mixture: L' = (y−ω)/W + cR, −L'' = 1/W + c²R(R+t), c² = noise/(VW), R =
        φ(t)/Φ(t).
        """
        xp = library.xp
        scale = V + self.noise
        c = xp.sqrt(self.noise / (V * scale))
        logs, slopes, curvatures = [], [], []
        for sign in (1.0, -1.0):
            ratio, excess = library.mills(self._argument(y, sign * omega, V, library))
            logs.append(self._branch(y, sign * omega, V, library))
            slopes.append(sign * ((y - sign * omega) / scale + c * ratio))
            curvatures.append(1.0 / scale + c * c * ratio * excess)
        total = xp.logaddexp(*logs)
        ahead, behind = (xp.exp(part - total) for part in logs)
        spread = ahead * behind * (slopes[0] - slopes[1]) ** 2
        return ahead * slopes[0] + behind * slopes[1], ahead * curvatures[0] + behind * curvatures[1] - spread

    def information(self, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """−∫ e^ψ ψ dy − ½ ln(2πe noise), by Gauss–Legendre around y = 0 and around y = |ω|."""
        xp = library.xp
        omega = xp.asarray(xp.abs(omega) + 0.0 * V)[..., None]
        V = xp.asarray(1.0 * V)[..., None] + 0.0 * omega
        edge = xp.full_like(omega, self.margin)
        width = WIDTHS * xp.sqrt(V + self.noise)
        low = xp.maximum(omega - width, edge)
        nodes, weights = (xp.asarray(part, dtype=omega.dtype) for part in (_NODES, _WEIGHTS))
        total: Array = -0.5 * math.log(2.0 * math.pi * math.e * self.noise)
        for start, stop in ((-edge, edge), (low, xp.maximum(omega + width, low))):
            half = 0.5 * (stop - start)
            psi = self.log_partition(start + (1.0 + nodes) * half, omega, V, library)
            total = total - xp.sum(weights * half * xp.exp(psi) * psi, axis=-1)
        return total

    def predictive(self, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Of the folded normal: E|h| = √(2V/π) e^{−ω²/2V} + ω(2Φ(ω/√V) − 1), and ω² + V + noise −
        E|h|².
        """
        xp = library.xp
        width = xp.sqrt(V)
        magnetisation = 1.0 - 2.0 * xp.exp(library.log_ndtr(-omega / width))
        mean = math.sqrt(2.0 / math.pi) * width * xp.exp(-0.5 * omega * omega / V) + omega * magnetisation
        return mean, omega * omega + V + self.noise - mean * mean

    def sample(self, fields: Floating, rng: np.random.Generator) -> Floating:
        """Absolute values of the fields, with noise."""
        return self.noisy(np.abs(fields), rng)
