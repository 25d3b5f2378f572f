"""Logistic labels, as a mixture of probits.

The logistic law is that of a normal number whose standard deviation s is itself random, s = 2K with
K of Kolmogorov's distribution [andrews1974], so that the Gaussian average is one over fixed s, of
positive terms, at every ω and V:

    1/(1+e^{−z}) = ∫ p(s) Φ(z/s) ds   ⇒   ψ_Y(y, ω, V) = ln ∫ p(s) Φ(x/√(v + s²)) ds,   x =
    y·scale·ω,  v = scale²·V.

In s = c ln(1+e^{t/c}) the integrand is analytic in a strip around the real t and vanishes at both
ends, so that the trapezoid rule in t converges exponentially: 62 nodes give 10⁻¹². Where x + v is
below −240 the bump at s² = −x − v leaves the nodes, and 1/(1+e^{−z}) ≈ e^z below zero gives ψ_Y = x
+ v/2 + ln Φ(−(x+v)/√v).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.model.arrays import Array, ArrayObject, Floating
from gardner.model.binary import BinaryLabels, bump_average, draw
from gardner.model.formula import Compiled
from gardner.model.prior import check_parameter
from gardner.model.special import NUMPY, Library

# The step of the trapezoid rule in t. With the next two it was chosen so that 62 nodes give 10⁻¹²:
# tests/contracts/test_models.py holds ψ_Y against its own integral.
_STEP = 0.4
# The c of s = c ln(1+e^{t/c}).
_CURVE = 2.5
# The standard deviations s that are kept; the density of the others is below 2·10⁻¹⁵.
_SPAN = (0.34, 20.0)
# The x + v below which the bump at s² = −x − v nears the last node, s = 20, and a limit takes over.
DEEP = -240.0
# The field, in units of 1/scale, at which a label is certain: the other has probability e^−45 =
# 3·10⁻²⁰.
_REACH = 45.0


def _log_density(s: float) -> float:
    """ln p(s), s = 2k: 8k Σ_j (−1)^{j+1} j² e^{−2j²k²} of Kolmogorov, or the other form of the
    theta series.
    """
    k = 0.5 * s
    if k < 0.6:
        rates = ((2.0 * np.arange(1, 8) - 1.0) * math.pi) ** 2 / 8.0
        series = np.sum(np.exp(-rates / k**2) * (2.0 * rates / k**4 - 1.0 / k**2))
        return math.log(0.5 * math.sqrt(2.0 * math.pi) * series)
    j = np.arange(1, 12)
    series = np.sum((-1.0) ** (j + 1) * j**2 * np.exp(-2.0 * (j**2 - 1) * k**2))
    return math.log(4.0 * k * series) - 2.0 * k**2


def _mixture() -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Standard deviations s and logarithms of their weights."""
    t = _STEP * np.arange(-40, 90)
    s = _CURVE * np.logaddexp(0.0, t / _CURVE)
    slope = -np.expm1(-s / _CURVE)  # ds/dt
    inside = (s > _SPAN[0]) & (s < _SPAN[1])
    log_weights = np.array([_log_density(float(x)) for x in s[inside]]) + np.log(_STEP * slope[inside])
    log_weights -= np.log(np.sum(np.exp(log_weights)))  # off by 10⁻¹³
    return tuple(s[inside].tolist()), tuple(log_weights.tolist())


DEVIATIONS, LOG_WEIGHTS = _mixture()


@dataclass(frozen=True)
class Logistic(BinaryLabels):
    """Labels of odds P(y|h) = 1/(1 + e^{−scale·y·h}).

    >>> round(float(np.exp(Logistic(2.0).log_partition(1.0, 0.5, 1e-9))), 6)  # 1/(1 + 1/e)
    0.731059
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        """Check the parameter."""
        check_parameter("logistic.scale", self.scale, 0.0, math.inf)

    @property
    def log_concave(self) -> bool:
        """ψ_Y is concave: the logistic function is, and a Gaussian average keeps it."""
        return True

    @property
    def compiled(self) -> Compiled:
        """The compiled functions take the scale."""
        return Compiled("logistic", self.scale)

    def _arguments(
        self, y: Array, omega: Array, V: Array, library: Library
    ) -> tuple[ArrayObject, ArrayObject, ArrayObject]:
        """x, v and the variance v + s² of each probit, the nodes along a last axis."""
        xp = library.xp
        x = xp.asarray(self.scale * y * omega + 0.0 * V)
        v = xp.asarray(self.scale**2 * V + 0.0 * x)
        return x, v, v[..., None] + xp.asarray(DEVIATIONS, dtype=x.dtype) ** 2

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """ψ_Y(y, ω, V)."""
        xp = library.xp
        x, v, squares = self._arguments(y, omega, V, library)
        terms = library.log_ndtr(x[..., None] / xp.sqrt(squares)) + xp.asarray(LOG_WEIGHTS, dtype=x.dtype)
        largest = xp.max(terms, axis=-1)
        near = largest + xp.log(xp.sum(xp.exp(terms - largest[..., None]), axis=-1))
        return xp.where(x + v < DEEP, x + 0.5 * v + library.log_ndtr(-(x + v) / xp.sqrt(v)), near)

    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """g and −g'."""
        _, g, minus = self.slopes(y, omega, V, library)
        return g, minus

    def slopes(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array, Array]:
        """ψ_Y, g and −g'.

        With a = ρ(u)/√(v+s²) of each probit, means over their shares: g = y⟨a⟩, −g' = ⟨−a'⟩ − ⟨a²⟩
        + ⟨a⟩².
        """
        xp = library.xp
        x, v, squares = self._arguments(y, omega, V, library)
        width = xp.sqrt(squares)
        u = x[..., None] / width
        terms, ratio, excess = library.log_ndtr_and_mills(u)
        terms = terms + xp.asarray(LOG_WEIGHTS, dtype=x.dtype)
        largest = xp.max(terms, axis=-1)
        share = xp.exp(terms - largest[..., None])
        total = xp.sum(share, axis=-1)
        value = largest + xp.log(total)
        share = share / total[..., None]
        a = ratio / width
        first = xp.sum(share * a, axis=-1)
        second = xp.sum(share * (ratio * excess / squares - (a - first[..., None]) ** 2), axis=-1)
        ratio, excess = library.mills(-(x + v) / xp.sqrt(v))
        deep = x + v < DEEP
        value = xp.where(deep, x + 0.5 * v + library.log_ndtr(-(x + v) / xp.sqrt(v)), value)
        first = xp.where(deep, 1.0 - ratio / xp.sqrt(v), first)
        second = xp.where(deep, ratio * excess / v, second)
        return value, self.scale * y * first, self.scale**2 * second

    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        """ln P_out(y|h)."""
        z = self.scale * y * h
        return -library.xp.logaddexp(library.xp.zeros_like(z), -z)

    def noise_entropy(self, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """∫ N(h; ω, V) H[1/(1 + e^{−scale·h})] dh."""
        xp = library.xp

        def log_probability(z: Array) -> Array:
            return -xp.logaddexp(xp.zeros_like(z), -z)

        return bump_average(log_probability, _REACH, self.scale * omega, self.scale**2 * V, library)

    def sample(self, fields: Floating, rng: np.random.Generator) -> Floating:
        """Labels by coins of the right odds."""
        return draw(0.5 * (1.0 + np.tanh(0.5 * self.scale * fields)), rng)
