"""Array libraries: a namespace with the special functions our models need.

A prior or channel is written once, over a :class:`Library`. NumPy and any array-API library get
theirs from :func:`library_of`; the tests hand in JAX's, to differentiate.

All rests on one function, r(x) = φ(x)/Φ(−x) − x for x ≥ 0: the inverse Mills ratio of a label that
is not expected, less its asymptote. It is smooth in t = 4/(4+x) down to t = 0 (r ≈ 1/x there), so
one polynomial serves every x, on every library and device, without cancellation in ρ + u, which is
what −g' of AMP needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import array_api_compat
import numpy as np

from gardner.model.arrays import Array, Floats, Namespace

_NUMPY = cast(Namespace, np)
# The x at which t = SCALE/(SCALE + x) is one half: where r turns from its value at zero to 1/x.
SCALE = 4.0
# Terms of the polynomial: they give r/t to 10⁻¹⁴ relative, which tests/unit/model/test_special.py
# holds against SciPy.
_TERMS = 28
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_INVERSE_ROOT_2PI = 1.0 / math.sqrt(2.0 * math.pi)


def _fit_mills() -> tuple[float, ...]:
    """Coefficients of r(x)/t in powers of T = 2t − 1, highest first: interpolation at Chebyshev
    nodes.
    """

    def excess(x: float) -> float:
        if x < 3.0:
            return math.sqrt(2.0 / math.pi) * math.exp(-0.5 * x * x) / math.erfc(x / math.sqrt(2.0)) - x
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

    ``log_ndtr(u)`` is ln Φ(u); ``mills(u)`` is the pair (ρ, ρ + u), ρ(u) = φ(u)/Φ(u), each to full
    relative accuracy.
    """

    xp: Namespace
    log_ndtr: Callable[[Array], Array]
    mills: Callable[[Array], tuple[Array, Array]]
    both: Callable[[Array], tuple[Array, Array, Array]] | None = None  # where all three cost no more than one

    def log_ndtr_and_mills(self, u: Array) -> tuple[Array, Array, Array]:
        """ln Φ(u), ρ and ρ + u."""
        return self.both(u) if self.both is not None else (self.log_ndtr(u), *self.mills(u))


def _excess(x: Array) -> Array:
    """r(x) = φ(x)/Φ(−x) − x for x ≥ 0."""
    t = SCALE / (SCALE + x)
    argument = 2.0 * t - 1.0
    value = MILLS[0] * argument + MILLS[1]
    for coefficient in MILLS[2:]:
        value = value * argument + coefficient
    return t * value


def _mills(u: Array, xp: Namespace) -> tuple[Array, Array]:
    x = xp.abs(u)
    excess = _excess(x)
    tail = x + excess  # ρ(−x)
    density = _INVERSE_ROOT_2PI * xp.exp(-0.5 * x * x)
    expected = density / (1.0 - density / tail)  # Φ(x) = 1 − φ(x)/ρ(−x)
    return xp.where(u < 0.0, tail, expected), xp.where(u < 0.0, excess, expected + u)


def _log_ndtr(u: Array, xp: Namespace) -> Array:
    x = xp.abs(u)
    tail = x + _excess(x)
    below = -0.5 * x * x - _HALF_LOG_2PI - xp.log(tail)
    return xp.where(u < 0.0, below, xp.log1p(-_INVERSE_ROOT_2PI * xp.exp(-0.5 * x * x) / tail))


# Cells of t, each with a cubic: the table and the polynomial differ by less than 10⁻¹⁵.
_CELLS = 2048


def _tabulate() -> tuple[Floats, ...]:
    """Coefficients of r(x)/t on each cell, by its values and slopes at the ends."""
    ends = np.arange(_CELLS + 1) / _CELLS
    values = np.polyval(MILLS, 2.0 * ends - 1.0)
    values[-1] = 2.0 * math.exp(-_HALF_LOG_2PI)  # so that Φ(0) is one half to the last bit
    slopes = 2.0 / _CELLS * np.polyval(np.polyder(np.array(MILLS)), 2.0 * ends - 1.0)
    rise = values[1:] - values[:-1]
    first, last = slopes[:-1], slopes[1:]
    columns = (values[:-1], first, 3.0 * rise - 2.0 * first - last, first + last - 2.0 * rise)
    return tuple(np.array(column, dtype=np.float64) for column in columns)


_TABLE = _tabulate()


def log_normal(u: Floats) -> tuple[Floats, ...]:
    """ln Φ(u), ln Φ(u) + u²/2, ρ(u) and ρ(u) + u in one go (NumPy), each to full relative accuracy."""
    x = np.abs(u)
    t = SCALE / (SCALE + x)
    place = t * _CELLS
    with np.errstate(invalid="ignore"):  # what is not a number stays so: its place is none
        cell = np.maximum(np.minimum(place.astype(np.intp), _CELLS - 1), 0)
    place = place - cell
    excess = _TABLE[3][cell]
    for column in _TABLE[2::-1]:
        excess *= place
        excess += column[cell]
    excess *= t
    tail = x + excess  # ρ(−x)
    square = 0.5 * x * x
    above = np.exp(-square - _HALF_LOG_2PI)
    beyond = above / tail  # Φ(−x)
    expected = above / (1.0 - beyond)
    behind = u < 0.0
    log_rest = np.log1p(np.where(behind, tail - 1.0, -beyond))
    rest = np.where(behind, -_HALF_LOG_2PI - log_rest, log_rest + square)
    return (
        np.where(behind, rest - square, log_rest),
        rest,
        np.where(behind, tail, expected),
        np.where(behind, excess, expected + x),
    )


def _numpy_mills(u: Array) -> tuple[Array, Array]:
    u = np.asarray(u)
    if u.dtype != np.float64:
        return _mills(u, _NUMPY)
    _, _, rho, excess = log_normal(u)
    return rho, excess


def _numpy_log_ndtr(u: Array) -> Array:
    u = np.asarray(u)
    return log_normal(u)[0] if u.dtype == np.float64 else _log_ndtr(u, _NUMPY)


def _numpy_both(u: Array) -> tuple[Array, Array, Array]:
    u = np.asarray(u)
    if u.dtype != np.float64:
        return _log_ndtr(u, _NUMPY), *_mills(u, _NUMPY)
    value, _, rho, excess = log_normal(u)
    return value, rho, excess


NUMPY = Library(_NUMPY, _numpy_log_ndtr, _numpy_mills, _numpy_both)


def of_ratio(y: float, u: Floats, V: float, first: Floats, second: Floats) -> tuple[Floats, ...]:
    """Derivatives in ω, V, ωω, ωV and VV of a function of u = yω/√V whose first two derivatives are
    given.
    """
    width = math.sqrt(V)
    turned = u * second
    once = u * first
    return (
        first * (y / width),
        once * (-0.5 / V),
        second * (1.0 / V),
        (first + turned) * (-0.5 * y / (V * width)),
        (0.75 * once + (0.25 * u) * turned) * (1.0 / (V * V)),
    )


def library_of(array: Array) -> Library:
    """Return the library an array belongs to (plain numbers count as NumPy).

    >>> rho, excess = library_of(0.0).mills(-1e4)
    >>> float(rho), float(round(excess * 1e4, 9))
    (10000.00009999..., 0.99999998)
    """
    if isinstance(array, np.ndarray | np.generic | float | int):
        return NUMPY
    xp = array_api_compat.array_namespace(array)
    if array_api_compat.is_torch_array(array):
        return Library(xp, _torch_log_ndtr, lambda u: _mills(u, xp))
    return Library(xp, lambda u: _log_ndtr(u, xp), lambda u: _mills(u, xp))


def _torch_log_ndtr(u: Any) -> Array:
    """PyTorch's own: three steps on a device in place of a hundred."""
    import torch

    return torch.special.log_ndtr(u.double()).to(u.dtype)  # type: ignore[no-any-return]
