"""Scalar functions of the kernels, compiled, tested against the model: the Mills ratio, ln Φ and
the sign channel.

Branch-free arithmetic only (one polynomial, one exponential by range reduction), so that the
compiler can turn a loop of them into vector instructions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gardner.inference.compiler import inlined, polynomial
from gardner.model.special import MILLS, SCALE

_LOG2_E = 1.0 / math.log(2.0)
# The leading bits of ln 2: so few that multiples of it are exact.
_LN2_HIGH = 6.93145751953125e-1
# The rest of ln 2.
_LN2_LOW = 1.42860682030941723212e-6
_INVERSE_ROOT_2PI = 1.0 / math.sqrt(2.0 * math.pi)
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_taylor = polynomial([1.0 / math.factorial(k) for k in range(12, -1, -1)])
_mills_polynomial = polynomial(MILLS)
# The least exponent: e^−700 is as good as zero wherever it is used, and still a normal number.
_DEEPEST = -700.0


@inlined
def exponential(x: float) -> float:
    """e^x for x ≤ 0, to 10⁻¹⁵ relative: x = k ln 2 + r, e^x = 2^k Σ r^j/j!."""
    x = max(x, _DEEPEST)
    k = math.floor(x * _LOG2_E + 0.5)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    bits = np.int64((np.int64(k) + 1023) << 52)
    return _taylor(r) * bits.view(np.float64)


@inlined
def mills(u: float) -> tuple[float, float]:
    """(ρ, ρ + u), ρ(u) = φ(u)/Φ(u): the scalar twin of ``Library.mills``."""
    x = abs(u)
    t = SCALE / (SCALE + x)
    excess = t * _mills_polynomial(2.0 * t - 1.0)
    tail = x + excess
    density = _INVERSE_ROOT_2PI * exponential(-0.5 * x * x)
    expected = density / (1.0 - density / tail)
    # a blend, not a branch, so that a loop of these becomes vector instructions; each summand is
    # exact or zero
    below = 1.0 if u < 0.0 else 0.0
    above = 1.0 - below
    return below * tail + above * expected, below * excess + above * (expected + u)


@inlined
def log_ndtr(u: float) -> float:
    """ln Φ(u) = −u²/2 − ½ ln 2π − ln ρ(u), or ln(1 − φ(u)/ρ(−u)) for u > 0: the scalar twin of
    ``Library.log_ndtr``.
    """
    x = abs(u)
    tail, _ = mills(-x)
    if u < 0.0:
        return -0.5 * x * x - _HALF_LOG_2PI - math.log(tail)
    return math.log1p(-_INVERSE_ROOT_2PI * math.exp(-0.5 * x * x) / tail)


@inlined
def sign_derivatives(y: float, omega: float, V: float, _parameter: float) -> tuple[float, float]:
    """g = yρ/√V and −g' = ρ(ρ+u)/V, u = yω/√V."""
    width = math.sqrt(V)
    rho, excess = mills(y * omega / width)
    return y * rho / width, rho * excess / V


@inlined
def sign_log_partition(y: float, omega: float, V: float, _parameter: float) -> float:
    """ψ_Y = ln Φ(yω/√V)."""
    return log_ndtr(y * omega / math.sqrt(V))


@dataclass(frozen=True)
class ScalarChannel:
    """The compiled functions of a channel: (y, ω, V, its parameter) → (g, −g') and ψ_Y.

    The parameter is an argument and not a constant: to try another value compiles nothing anew.
    """

    derivatives: Callable[[float, float, float, float], tuple[float, float]]
    log_partition: Callable[[float, float, float, float], float]


SIGN = ScalarChannel(sign_derivatives, sign_log_partition)
