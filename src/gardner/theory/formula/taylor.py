"""Numbers that know their first and second derivatives in the unknowns of a problem.

Every parameter of an integral is a short formula of six to ten unknowns. Written over
:class:`Taylor` numbers it comes with its gradient and Hessian; :func:`composed` puts such
parameters into a function whose derivatives are known.
"""

from __future__ import annotations

import math

import numpy as np

from gardner.model.arrays import Floats as Floats
from gardner.theory.formula.logistic import sigmoid, softplus


class Taylor:
    """A value with its gradient and Hessian."""

    __slots__ = ("curve", "slope", "value")

    def __init__(self, value: float, slope: Floats, curve: Floats) -> None:
        """Keep the three."""
        self.value, self.slope, self.curve = value, slope, curve

    def _map(self, value: float, first: float, second: float) -> Taylor:
        """A function of this number, by its value and two derivatives."""
        slope = self.slope
        return Taylor(value, first * slope, first * self.curve + second * (slope[:, None] * slope))

    def __add__(self, other: Taylor | float) -> Taylor:
        """Sum."""
        if isinstance(other, Taylor):
            return Taylor(self.value + other.value, self.slope + other.slope, self.curve + other.curve)
        return Taylor(self.value + other, self.slope, self.curve)

    __radd__ = __add__

    def __neg__(self) -> Taylor:
        """Opposite."""
        return Taylor(-self.value, -self.slope, -self.curve)

    def __sub__(self, other: Taylor | float) -> Taylor:
        """Difference."""
        return self + (-other)

    def __rsub__(self, other: float) -> Taylor:
        """Difference."""
        return (-self) + other

    def __mul__(self, other: Taylor | float) -> Taylor:
        """Product."""
        if not isinstance(other, Taylor):
            return Taylor(self.value * other, self.slope * other, self.curve * other)
        cross = self.slope[:, None] * other.slope
        curve = self.value * other.curve + other.value * self.curve + cross + cross.T
        return Taylor(self.value * other.value, self.value * other.slope + other.value * self.slope, curve)

    __rmul__ = __mul__

    def inverse(self) -> Taylor:
        """1/x."""
        x = 1.0 / self.value
        return self._map(x, -x * x, 2.0 * x * x * x)

    def __truediv__(self, other: Taylor | float) -> Taylor:
        """Quotient."""
        return self * (other.inverse() if isinstance(other, Taylor) else 1.0 / other)

    def log(self) -> Taylor:
        """Logarithm."""
        x = 1.0 / self.value
        return self._map(math.log(self.value), x, -x * x)

    def sqrt(self) -> Taylor:
        """Square root."""
        root = math.sqrt(self.value)
        return self._map(root, 0.5 / root, -0.25 / (root * self.value))

    def exp(self) -> Taylor:
        """Exponential."""
        value = math.exp(self.value)
        return self._map(value, value, value)

    def sinh(self) -> Taylor:
        """Hyperbolic sine."""
        value, other = math.sinh(self.value), math.cosh(self.value)
        return self._map(value, other, value)

    def softplus(self) -> Taylor:
        """ln(1 + e^x)."""
        share = sigmoid(self.value)
        return self._map(softplus(self.value), share, share * sigmoid(-self.value))


def unknowns(place: Floats) -> list[Taylor]:
    """The coordinates themselves: each has slope one in itself."""
    count = len(place)
    none, axes = np.zeros((count, count)), np.eye(count)
    return [Taylor(float(x), axis, none) for x, axis in zip(place, axes, strict=True)]


def composed(value: float, slope: Floats, curve: Floats, of: list[Taylor]) -> Taylor:
    """A function of the numbers ``of``, given by its value, gradient and Hessian in them."""
    inner = np.array([x.slope for x in of])
    turned = np.einsum("i,iab->ab", slope, np.array([x.curve for x in of]))
    return Taylor(value, slope @ inner, inner.T @ curve @ inner + turned)
