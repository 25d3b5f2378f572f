"""Roots of functions of one variable; whatever goes wrong is a :class:`ConvergenceError`."""

from __future__ import annotations

import math
from collections.abc import Callable

from gardner.errors import ConvergenceError

# Steps of Brent's method: halving alone takes sixty to go from one end of double precision's digits
# to the other.
_STEPS = 200
# How far from its start the end of a bracket is looked for; unknowns are logarithms.
_FARTHEST = 1e3


def root_between(
    function: Callable[[float], float],
    low: float,
    high: float,
    *,
    what: str,
    absolute: float = 1e-14,
    relative: float = 1e-14,
) -> float:
    """The root of a function that changes its sign between ``low`` and ``high``.

    ``what`` names the unknown in the error message.

    >>> round(root_between(lambda x: x * x - 2.0, 0.0, 2.0, what="x"), 12)
    1.414213562373
    """

    def finite(x: float) -> float:
        value = function(x)
        if math.isnan(value):
            raise ConvergenceError(f"the equation for {what} is not a number at {x:.6g}")
        return value

    ends = finite(low), finite(high)
    if ends[0] * ends[1] > 0.0:
        raise ConvergenceError(f"no {what} was found between {low:.6g} and {high:.6g}")
    return _brent(finite, low, high, *ends, lambda x: 0.5 * (absolute + relative * abs(x)))


def _brent(
    function: Callable[[float], float], a: float, b: float, fa: float, fb: float, small: Callable[[float], float]
) -> float:
    """Brent's method: inverse interpolation where it closes in fast enough, else halving
    [brent1973].
    """
    c, fc, step, last = a, fa, b - a, b - a
    for _ in range(_STEPS):
        if fb * fc > 0.0:
            c, fc, step, last = a, fa, b - a, b - a
        if abs(fc) < abs(fb):
            a, b, c, fa, fb, fc = b, c, b, fb, fc, fb
        tolerance, half = small(b), 0.5 * (c - b)
        if abs(half) <= tolerance or fb == 0.0:
            return b
        if abs(last) >= tolerance and abs(fa) > abs(fb):
            s = fb / fa
            if a == c:
                p, q = 2.0 * half * s, 1.0 - s
            else:
                q, r = fa / fc, fb / fc
                p, q = s * (2.0 * half * q * (q - r) - (b - a) * (r - 1.0)), (q - 1.0) * (r - 1.0) * (s - 1.0)
            p, q = abs(p), -q if p > 0.0 else q
            fast = 2.0 * p < min(3.0 * half * q - abs(tolerance * q), abs(last * q))
            last, step = (step, p / q) if fast else (half, half)
        else:
            last = step = half
        a, fa = b, fb
        b += step if abs(step) > tolerance else math.copysign(tolerance, half)
        fb = function(b)
    return b


def root_of_falling(function: Callable[[float], float], start: float, *, what: str) -> float:
    """The root of a decreasing function, looked for from ``start`` outwards in steps that double.

    >>> round(root_of_falling(lambda x: 5.0 - x, start=0.0, what="x"), 9)
    5.0
    """
    low = high = start
    step = 1.0
    while function(low) < 0.0 and step < _FARTHEST:
        low, step = low - step, 2.0 * step
    step = 1.0
    while function(high) > 0.0 and step < _FARTHEST:
        high, step = high + step, 2.0 * step
    if low == high:  # the start is the root
        return start
    return root_between(function, low, high, what=what, absolute=1e-13, relative=1e-13)
