"""Double-exponential weights: log-concave, not Gaussian."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gardner.model.prior import check_parameter
from gardner.model.special import NUMPY, Array, Library

_FAR = 50.0  # c/√A from which five terms of the asymptotic series are exact
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_SERIES = (-945.0, 105.0, -15.0, 3.0, -1.0, 1.0)  # of c ∫₀^∞ e^{−Ax²/2−cx} dx in powers of ε = A/c²


@dataclass(frozen=True)
class Laplace:
    """Weights of density (λ/2) e^{−λ|x|}, λ = √(2/variance): ψ_X(A, b) = ln (λ/2)[J(λ−b) + J(λ+b)].

    J(c) = ∫₀^∞ e^{−Ax²/2−cx} dx = 1/(√A ρ(−c/√A)), ρ the inverse Mills ratio. For c ≫ √A its asymptotic series
    1/c − A/c³ + 3A²/c⁵ − … takes over, down to A = 0 (where |b| must be below λ).

    >>> round(float(Laplace().log_partition(1.0, 0.0)), 6)
    -0.277241
    """

    variance: float = 1.0

    def __post_init__(self) -> None:
        """Check the parameter."""
        check_parameter("laplace.variance", self.variance, 0.0, math.inf)

    @property
    def second_moment(self) -> float:
        """r⁰ = 2/λ²."""
        return self.variance

    @property
    def rate(self) -> float:
        """λ."""
        return math.sqrt(2.0 / self.variance)

    def log_partition(self, A: Array, b: Array, library: Library = NUMPY) -> Array:
        """ψ_X(A, b)."""
        right, left = (_half_line(A, self.rate - sign * b, library)[0] for sign in (1.0, -1.0))
        return math.log(0.5 * self.rate) + library.xp.logaddexp(right, left)

    def moments(self, A: Array, b: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Of the mixture of the two half-lines."""
        xp = library.xp
        right, left = (_half_line(A, self.rate - sign * b, library) for sign in (1.0, -1.0))
        total = xp.logaddexp(right[0], left[0])
        ahead, behind = xp.exp(right[0] - total), xp.exp(left[0] - total)
        mean = ahead * right[1] - behind * left[1]
        return mean, ahead * right[2] + behind * left[2] + ahead * behind * (right[1] + left[1]) ** 2

    def sample(self, count: int, rng: np.random.Generator) -> NDArray[Any]:
        """Double-exponential numbers."""
        return rng.laplace(0.0, 1.0 / self.rate, count)


def _half_line(A: Array, c: Array, library: Library) -> tuple[Array, Array, Array]:
    """ln J(c), and mean −∂ ln J/∂c and variance ∂² ln J/∂c² of x > 0 under e^{−Ax²/2−cx}."""
    xp = library.xp
    A, c = 1.0 * A + 0.0 * c, 1.0 * c + 0.0 * A
    far = (c > 0.0) & (c * c > _FAR * _FAR * A)
    one = xp.ones_like(c)
    width = xp.sqrt(xp.where(far, one, A))
    u = -xp.where(far, one, c) / width
    rho, excess = library.mills(u)
    log_ratio = library.log_ndtr(u) + 0.5 * u * u + _HALF_LOG_2PI  # −ln ρ(u), also where ρ vanishes
    near = (log_ratio - xp.log(width), excess / width, (1.0 - rho * excess) / (width * width))
    c = xp.where(far, c, one)
    e = xp.where(far, A, 0.0 * A) / (c * c)
    s, first, second = 0.0 * e, 0.0 * e, 0.0 * e
    for coefficient in _SERIES:  # Horner's rule for the series and two derivatives
        second = second * e + 2.0 * first
        first = first * e + s
        s = s * e + coefficient
    ratio = first / s
    beyond = (
        xp.log(s) - xp.log(c),
        (1.0 + 2.0 * e * ratio) / c,
        (1.0 + 6.0 * e * ratio + 4.0 * e * e * (second / s - ratio * ratio)) / (c * c),
    )
    value, mean, variance = (xp.where(far, b, a) for a, b in zip(near, beyond, strict=True))
    return value, mean, variance
