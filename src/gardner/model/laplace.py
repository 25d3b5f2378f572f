"""Double-exponential weights: log-concave, not Gaussian."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.model.arrays import Array, Floats
from gardner.model.prior import Prior, check_parameter
from gardner.model.special import NUMPY, Library, log_normal

# c/√A from which six terms of the asymptotic series are exact: the next is below 10395·50⁻¹² <
# 10⁻¹⁶.
_FAR = 50.0
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
# The coefficients of c ∫₀^∞ e^{−Ax²/2−cx} dx in powers of ε = A/c², the highest first: double
# factorials.
_SERIES = (-945.0, 105.0, -15.0, 3.0, -1.0, 1.0)


@dataclass(frozen=True)
class Laplace(Prior):
    """Weights of density (λ/2) e^{−λ|x|}, λ = √(2/variance): ψ_X(A, b) = ln (λ/2)[J(λ−b) + J(λ+b)].

    J(c) = ∫₀^∞ e^{−Ax²/2−cx} dx = 1/(√A ρ(−c/√A)), ρ the inverse Mills ratio. For c ≫ √A its
    asymptotic series 1/c − A/c³ + 3A²/c⁵ − … takes over, down to A = 0 (where |b| must be below λ).

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
        """λ, by which the density falls."""
        return math.sqrt(2.0 / self.variance)

    def log_partition(self, A: Array, b: Array, library: Library = NUMPY) -> Array:
        """ψ_X(A, b)."""
        if library is NUMPY and isinstance(A, float) and isinstance(b, np.ndarray) and A > 0.0:
            halves = [_log_half_line(self.rate - sign * b, A) for sign in (1.0, -1.0)]
            return math.log(0.5 * self.rate) + np.logaddexp(*halves)
        right, left = (_half_line(A, self.rate - sign * b, library)[0] for sign in (1.0, -1.0))
        return math.log(0.5 * self.rate) + library.xp.logaddexp(right, left)

    def moments(self, A: Array, b: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean and variance of a weight, which is a mixture of two half-lines."""
        xp = library.xp
        right, left = (_half_line(A, self.rate - sign * b, library) for sign in (1.0, -1.0))
        total = xp.logaddexp(right[0], left[0])
        ahead, behind = xp.exp(right[0] - total), xp.exp(left[0] - total)
        mean = ahead * right[1] - behind * left[1]
        return mean, ahead * right[2] + behind * left[2] + ahead * behind * (right[1] + left[1]) ** 2

    def expansion(self, b: Floats, A: float) -> tuple[Floats, ...]:
        """ψ_X and its derivatives in b, A, bb, bA, AA: a mixture of the two half-lines x > 0 and x
        < 0.
        """
        right, left = (_half_line_expansion(self.rate - sign * b, A) for sign in (1.0, -1.0))
        total = np.logaddexp(right[0], left[0])
        ahead, behind = np.exp(right[0] - total), np.exp(left[0] - total)
        both = ahead * behind
        apart, gap = right[1] + left[1], right[2] - left[2]  # means are of opposite signs, their turns are not
        return (
            total + math.log(0.5 * self.rate),
            ahead * right[1] - behind * left[1],
            ahead * right[2] + behind * left[2],
            ahead * right[3] + behind * left[3] + both * apart * apart,
            ahead * right[4] - behind * left[4] + both * apart * gap,
            ahead * right[5] + behind * left[5] + both * gap * gap,
        )

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Independent double-exponential weights."""
        return rng.laplace(0.0, 1.0 / self.rate, count)


def _half_line(A: Array, c: Array, library: Library) -> tuple[Array, Array, Array]:
    """ln J(c), and mean −∂ ln J/∂c and variance ∂² ln J/∂c² of x > 0 under e^{−Ax²/2−cx}."""
    xp = library.xp
    A, c = xp.asarray(1.0 * A + 0.0 * c), xp.asarray(1.0 * c + 0.0 * A)
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


def _log_half_line(c: Floats, A: float) -> Floats:
    """ln J(c) alone."""
    far = (c > 0.0) & (c * c > _FAR * _FAR * A)
    width = math.sqrt(A)
    value = log_normal(-c / width)[1] + (_HALF_LOG_2PI - math.log(width))
    if far.any():
        value[far] = _far_half_line(c[far], A)[0]
    return value


def _half_line_expansion(c: Floats, A: float) -> tuple[Floats, ...]:
    """ln J(c), and in (b, A), b = −c: mean, ∂_A, variance, ∂_b∂_A and ∂_A²."""
    far = (c > 0.0) & (c * c > _FAR * _FAR * A)
    if not far.any():
        return _near_half_line(c, A)
    results = tuple(np.empty_like(c) for _ in range(6))
    for chosen, function in ((far, _far_half_line), (~far, _near_half_line)):
        if chosen.any():
            for result, values in zip(results, function(c[chosen], A), strict=True):
                result[chosen] = values
    return results


def _near_half_line(c: Floats, A: float) -> tuple[Floats, ...]:
    """By scaling: ln J = −½ ln A + M(u), u = −c/√A, M' = ρ + u and M'' = 1 − ρ(ρ + u)."""
    width = math.sqrt(A)
    u = -c / width
    _, value, rho, first = log_normal(u)
    second = 1.0 - rho * first
    turned = u * second
    return (
        value + (_HALF_LOG_2PI - math.log(width)),
        first / width,
        -0.5 * (1.0 + u * first) / A,
        second / A,
        -0.5 * (first + turned) / (A * width),
        (0.5 + 0.25 * u * (3.0 * first + turned)) / (A * A),
    )


def _far_half_line(c: Floats, A: float) -> tuple[Floats, ...]:
    """By the series ln J = −ln c + ln S(ε), ε = A/c²."""
    e = A / (c * c)
    s, first, second = 0.0 * e, 0.0 * e, 0.0 * e
    for coefficient in _SERIES:
        second = second * e + 2.0 * first
        first = first * e + s
        s = s * e + coefficient
    slope = first / s
    turn = second / s - slope * slope
    squared = c * c
    return (
        np.log(s) - np.log(c),
        (1.0 + 2.0 * e * slope) / c,
        slope / squared,
        (1.0 + 6.0 * e * slope + 4.0 * e * e * turn) / squared,
        2.0 * (slope + e * turn) / (squared * c),
        turn / (squared * squared),
    )
