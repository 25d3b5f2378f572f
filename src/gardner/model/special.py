"""Array libraries: a namespace with the special functions our models need.

A prior or channel is written once, over a :class:`Library`. NumPy and any array-API library get theirs from
:func:`library_of`; :mod:`gardner.theory` hands in JAX's (so that JAX stays under ``theory``).

All rests on one function, r(x) = φ(x)/Φ(−x) − x for x ≥ 0: the inverse Mills ratio of a label that is not expected,
less its asymptote. It is smooth in t = 4/(4+x) down to t = 0 (r ≈ 1/x there), so one polynomial serves every x, on
every library and device, without cancellation in ρ + u, which is what −g' of AMP needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import array_api_compat
import numpy as np
import scipy.special

Array = Any  # whatever array the library in use works on

SCALE = 4.0  # t = SCALE/(SCALE + x)
_TERMS = 28  # r/t to 10⁻¹⁴ relative
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_INVERSE_ROOT_2PI = 1.0 / math.sqrt(2.0 * math.pi)


def _fit_mills() -> tuple[float, ...]:
    """Coefficients of r(x)/t in powers of T = 2t − 1, highest first: interpolation at Chebyshev nodes."""

    def excess(x: float) -> float:
        if x < 3.0:
            return math.sqrt(2.0 / math.pi) / float(scipy.special.erfcx(x / math.sqrt(2.0))) - x
        rest = 0.0
        for k in range(120, 0, -1):  # Laplace's continued fraction, r(x) = 1/(x + 2/(x + 3/(x + …)))
            rest = k / (x + rest)
        return rest

    nodes = np.polynomial.chebyshev.chebpts1(_TERMS)
    values = [excess(SCALE / t - SCALE) / t for t in 0.5 * (1.0 + nodes)]
    chebyshev = np.polynomial.chebyshev.chebfit(nodes, values, _TERMS - 1)
    return tuple(float(c) for c in np.polynomial.chebyshev.cheb2poly(chebyshev)[::-1])


MILLS = _fit_mills()


@dataclass(frozen=True)
class Library:
    """An array namespace with ln Φ and the inverse Mills ratio.

    ``log_ndtr(u)`` is ln Φ(u); ``mills(u)`` is the pair (ρ, ρ + u), ρ(u) = φ(u)/Φ(u), each to full relative accuracy.
    """

    xp: Any
    log_ndtr: Callable[[Array], Array]
    mills: Callable[[Array], tuple[Array, Array]]


def _excess(x: Array) -> Array:
    """r(x) = φ(x)/Φ(−x) − x for x ≥ 0."""
    t = SCALE / (SCALE + x)
    argument = 2.0 * t - 1.0
    value = MILLS[0] * argument + MILLS[1]
    for coefficient in MILLS[2:]:
        value = value * argument + coefficient
    return t * value


def _mills(u: Array, xp: Any) -> tuple[Array, Array]:
    x = xp.abs(u)
    excess = _excess(x)
    tail = x + excess  # ρ(−x)
    density = _INVERSE_ROOT_2PI * xp.exp(-0.5 * x * x)
    expected = density / (1.0 - density / tail)  # Φ(x) = 1 − φ(x)/ρ(−x)
    return xp.where(u < 0.0, tail, expected), xp.where(u < 0.0, excess, expected + u)


def _log_ndtr(u: Array, xp: Any) -> Array:
    x = xp.abs(u)
    tail = x + _excess(x)
    below = -0.5 * x * x - _HALF_LOG_2PI - xp.log(tail)
    return xp.where(u < 0.0, below, xp.log1p(-_INVERSE_ROOT_2PI * xp.exp(-0.5 * x * x) / tail))


def _numpy_mills(u: Array) -> tuple[Array, Array]:
    return _mills(np.asarray(u), np)


NUMPY = Library(np, scipy.special.log_ndtr, _numpy_mills)


def library_of(array: Array) -> Library:
    """Return the library an array belongs to (plain numbers count as NumPy).

    >>> rho, excess = library_of(0.0).mills(-1e4)
    >>> float(rho), float(round(excess * 1e4, 9))
    (10000.00009999..., 0.99999998)
    """
    if isinstance(array, np.ndarray | np.generic | float | int):
        return NUMPY
    xp = array_api_compat.array_namespace(array)
    return Library(xp, lambda u: _log_ndtr(u, xp), lambda u: _mills(u, xp))
