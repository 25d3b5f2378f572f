"""Compiled scalar functions of the other channels, and of priors for batched AMP; each is tested
against its model.

A prior or channel says by the name in ``compiled`` which of them are its own.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from gardner.inference.compiler import inlined
from gardner.inference.scalars import SIGN, ScalarChannel, exponential, log_ndtr, mills, sign_derivatives
from gardner.model.logistic import DEEP, DEVIATIONS, LOG_WEIGHTS

_ROOT_2PI = math.sqrt(2.0 * math.pi)
_SQUARES, _LOG_WEIGHTS = np.array(DEVIATIONS) ** 2, np.array(LOG_WEIGHTS)


@inlined
def ndtr(u: float) -> float:
    """Φ(u) = φ(u)/ρ(u) below zero, 1 − Φ(−u) above."""
    x = abs(u)
    tail = exponential(-0.5 * x * x) / (_ROOT_2PI * mills(-x)[0])
    below = 1.0 if u < 0.0 else 0.0
    return below * tail + (1.0 - below) * (1.0 - tail)


@inlined
def flip_derivatives(y: float, omega: float, V: float, rho: float) -> tuple[float, float]:
    """g = y s R/√V and −g' = s R (R + u − (1−s)R)/V with the share s = (1−2ρ)Φ/(ρ + (1−2ρ)Φ)."""
    width = math.sqrt(V)
    u = y * omega / width
    ratio, excess = mills(u)
    true = (1.0 - 2.0 * rho) * ndtr(u)
    share, rest = true / (rho + true), rho / (rho + true)
    return y * share * ratio / width, share * ratio * (excess - rest * ratio) / V


@inlined
def flip_log_partition(y: float, omega: float, V: float, rho: float) -> float:
    """ψ_Y = ln[ρ + (1−2ρ)Φ(u)] = ln[1 − ρ − (1−2ρ)Φ(−u)]."""
    u = y * omega / math.sqrt(V)
    if u < 0.0:
        return math.log(rho + (1.0 - 2.0 * rho) * ndtr(u))
    return math.log1p(-rho - (1.0 - 2.0 * rho) * ndtr(-u))


@inlined
def probit_derivatives(y: float, omega: float, V: float, noise: float) -> tuple[float, float]:
    """g and −g' of the sign, at V + noise."""
    return sign_derivatives(y, omega, V + noise, 0.0)


@inlined
def probit_log_partition(y: float, omega: float, V: float, noise: float) -> float:
    """ψ_Y = ln Φ(yω/√(V + noise))."""
    return log_ndtr(y * omega / math.sqrt(V + noise))


@inlined
def linear_derivatives(y: float, omega: float, V: float, noise: float) -> tuple[float, float]:
    """g = (y − ω)/(V + noise), −g' = 1/(V + noise)."""
    precision = 1.0 / (V + noise)
    return (y - omega) * precision, precision


@inlined
def linear_log_partition(y: float, omega: float, V: float, noise: float) -> float:
    """ψ_Y = ln N(y; ω, V + noise)."""
    return -0.5 * (y - omega) ** 2 / (V + noise) - 0.5 * math.log(2.0 * math.pi * (V + noise))


@inlined
def _absolute_branch(y: float, omega: float, V: float, noise: float) -> float:
    t = (omega * noise + y * V) / math.sqrt(V * noise * (V + noise))
    return -0.5 * (y - omega) ** 2 / (V + noise) + log_ndtr(t)


@inlined
def absolute_derivatives(y: float, omega: float, V: float, noise: float) -> tuple[float, float]:
    """The mixture of both signs of the field, see :class:`gardner.model.Absolute`."""
    scale = V + noise
    root, c = math.sqrt(V * noise * scale), math.sqrt(noise / (V * scale))
    ratio_a, excess_a = mills((y * V + omega * noise) / root)
    ratio_b, excess_b = mills((y * V - omega * noise) / root)
    a = (y - omega) / scale + c * ratio_a
    b = -(y + omega) / scale - c * ratio_b
    gap = _absolute_branch(y, -omega, V, noise) - _absolute_branch(y, omega, V, noise)
    small = exponential(-abs(gap))
    ahead = (small if gap > 0.0 else 1.0) / (1.0 + small)
    behind = (1.0 if gap > 0.0 else small) / (1.0 + small)
    slope = 1.0 / scale + c * c * (ahead * ratio_a * excess_a + behind * ratio_b * excess_b)
    return ahead * a + behind * b, slope - ahead * behind * (a - b) ** 2


@inlined
def absolute_log_partition(y: float, omega: float, V: float, noise: float) -> float:
    """ψ_Y = ln(e^{L(ω)} + e^{L(−ω)})."""
    one, two = _absolute_branch(y, omega, V, noise), _absolute_branch(y, -omega, V, noise)
    return max(one, two) + math.log1p(exponential(-abs(one - two))) - 0.5 * math.log(2.0 * math.pi * (V + noise))


@inlined
def _largest(x: float, v: float) -> float:
    """The largest logarithm of a term of the logistic mixture."""
    top = -math.inf
    for k in range(_SQUARES.size):
        top = max(top, _LOG_WEIGHTS[k] + log_ndtr(x / math.sqrt(v + _SQUARES[k])))
    return top


@inlined
def logistic_derivatives(y: float, omega: float, V: float, scale: float) -> tuple[float, float]:
    """Means over the mixture of probits, see :mod:`gardner.model.logistic`."""
    x, v = scale * y * omega, scale * scale * V
    if x + v < DEEP:
        ratio, excess = mills(-(x + v) / math.sqrt(v))
        return scale * y * (1.0 - ratio / math.sqrt(v)), scale * scale * ratio * excess / v
    top = _largest(x, v)
    total = first = square = slope = 0.0
    for k in range(_SQUARES.size):
        width = math.sqrt(v + _SQUARES[k])
        ratio, excess = mills(x / width)
        share = exponential(_LOG_WEIGHTS[k] + log_ndtr(x / width) - top)
        total += share
        first += share * ratio / width
        square += share * ratio * ratio / (width * width)
        slope += share * ratio * excess / (width * width)
    first /= total
    return scale * y * first, scale * scale * (slope / total - square / total + first * first)


@inlined
def logistic_log_partition(y: float, omega: float, V: float, scale: float) -> float:
    """ψ_Y, the logarithm of the mixture."""
    x, v = scale * y * omega, scale * scale * V
    if x + v < DEEP:
        return x + 0.5 * v + log_ndtr(-(x + v) / math.sqrt(v))
    top = _largest(x, v)
    total = 0.0
    for k in range(_SQUARES.size):
        total += exponential(_LOG_WEIGHTS[k] + log_ndtr(x / math.sqrt(v + _SQUARES[k])) - top)
    return top + math.log(total)


@inlined
def gaussian_moments(A: float, b: float, variance: float) -> tuple[float, float]:
    """Mean σ²b/(1+σ²A) and variance σ²/(1+σ²A)."""
    new = variance / (1.0 + variance * A)
    return b * new, new


@inlined
def gaussian_potential(A: float, b: float, variance: float) -> float:
    """ψ_X − b x̂ + A(x̂² + Δ)/2, of which little is left."""
    shrunk = variance * A
    mean = variance * b / (1.0 + shrunk)
    return 0.5 * (shrunk / (1.0 + shrunk) - math.log1p(shrunk) - mean * mean / variance)


@inlined
def rademacher_moments(_A: float, b: float, _parameter: float) -> tuple[float, float]:
    """Mean tanh b and variance 1/cosh² b."""
    small = exponential(-2.0 * abs(b))
    return math.tanh(b), 4.0 * small / ((1.0 + small) * (1.0 + small))


@inlined
def rademacher_potential(_A: float, b: float, _parameter: float) -> float:
    """ψ_X − b x̂ + A/2 = ln cosh b − b tanh b."""
    small = exponential(-2.0 * abs(b))
    return math.log1p(small) - math.log(2.0) + 2.0 * abs(b) * small / (1.0 + small)


@inlined
def sparse_moments(A: float, b: float, density: float) -> tuple[float, float]:
    """Those of the slab of variance 1/ρ, weighed with its odds."""
    scale = density + A
    gap = 0.5 * math.log(density / scale) + 0.5 * b * b / scale + math.log(density / (1.0 - density))
    small = exponential(-abs(gap))
    share = (small if gap < 0.0 else 1.0) / (1.0 + small)
    rest = (1.0 if gap < 0.0 else small) / (1.0 + small)
    mean = b / scale
    return share * mean, share * (1.0 / scale + rest * mean * mean)


@inlined
def sparse_potential(A: float, b: float, density: float) -> float:
    """ψ_X − b x̂ + A(x̂² + Δ)/2."""
    scale = density + A
    gap = 0.5 * math.log(density / scale) + 0.5 * b * b / scale + math.log(density / (1.0 - density))
    psi = math.log(1.0 - density) + max(gap, 0.0) + math.log1p(exponential(-abs(gap)))
    mean, variance = sparse_moments(A, b, density)
    return psi - b * mean + 0.5 * A * (mean * mean + variance)


@dataclasses.dataclass(frozen=True)
class ScalarPrior:
    """The compiled functions of a prior: (A, b, its parameter) → mean and variance, and ψ_X − b x̂
    + A(x̂² + Δ)/2.
    """

    moments: Callable[[float, float, float], tuple[float, float]]
    potential: Callable[[float, float, float], float]


CHANNELS: dict[str, ScalarChannel] = {
    "sign": SIGN,
    "flip": ScalarChannel(flip_derivatives, flip_log_partition),
    "probit": ScalarChannel(probit_derivatives, probit_log_partition),
    "logistic": ScalarChannel(logistic_derivatives, logistic_log_partition),
    "linear": ScalarChannel(linear_derivatives, linear_log_partition),
    "absolute": ScalarChannel(absolute_derivatives, absolute_log_partition),
}

PRIORS: dict[str, ScalarPrior] = {
    "gaussian": ScalarPrior(gaussian_moments, gaussian_potential),
    "rademacher": ScalarPrior(rademacher_moments, rademacher_potential),
    "gauss-bernoulli": ScalarPrior(sparse_moments, sparse_potential),
}
