"""Sums over outer nodes: value, gradient and Hessian in the parameters of a family of nodes.

A row at η (or a weight at ξ) has the field f = φ + a₀ + a₁η² + L(ηc, s, τ, β) and the teacher's
weight Z(ηM, T). Rows add Z·[ln(1 + e^f) − ln(1 + e^φ)] to the free entropy, weights add Z·f. The
nine parameters are, in this order,

    c, s, τ, β, a₀, a₁, φ, M, T.

Z is normalised, so the constant ln(1+e^φ) can be taken out exactly. What is left is of order β, and
differs from zero only where labels are uncertain. So it keeps its digits, and its derivatives
theirs, where β is small and where uncertain labels are a small part of the range (large pools).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gardner.theory.formula.average import Tilted
from gardner.theory.formula.expansion import Six
from gardner.theory.formula.logistic import sigmoid, softplus
from gardner.theory.formula.taylor import Floats

# The parameters of a family of nodes, as listed above.
PARAMETERS = 9
# The place of φ among them.
_PHI = 6


@dataclass(frozen=True)
class Fields:
    """The fields f at the nodes η with their derivatives in the first seven parameters."""

    eta: Floats
    value: Floats
    first: Floats  # (7, n)
    second: Floats  # (4, 4, n): the rest is zero

    @staticmethod
    def of(eta: Floats, constant: float, square: float, tilted: Tilted | None) -> Fields:
        """From the inner average, or without one (real labels have L in closed form)."""
        count = len(eta)
        first, second = np.zeros((7, count)), np.zeros((4, 4, count))
        first[4], first[5], first[6] = 1.0, eta * eta, 1.0
        value = constant + square * first[5]
        if tilted is not None:
            value = value + tilted.value
            first[:4], second = tilted.first, tilted.second.copy()
            first[0] *= eta
            second[0] *= eta
            second[:, 0] *= eta
        return Fields(eta, value, first, second)


@dataclass(frozen=True)
class Total:
    """A sum with its gradient and Hessian in the nine parameters."""

    value: float
    slope: Floats
    curve: Floats


def total(fields: Fields, weights: Floats, teacher: Six | None, phi: float | None) -> Total:
    """The sum over nodes; ``phi`` is given for rows, ``teacher`` is ln Z and its derivatives in
    (mean, spread).
    """
    if phi is None:
        gain, chosen, change, off, flat = fields.value, np.ones_like(fields.value), None, 0.0, 0.0
    else:
        f = fields.value + phi
        chosen, off = sigmoid(f), sigmoid(phi)
        gain = softplus(f) - softplus(phi)
        change, flat = chosen * sigmoid(-f), off * sigmoid(-phi)
    seen = weights if teacher is None else weights * np.exp(teacher[0])
    slopes = chosen * fields.first
    slopes[_PHI] -= off
    slope, curve = np.zeros(PARAMETERS), np.zeros((PARAMETERS, PARAMETERS))
    slope[:7] = slopes @ seen
    curve[:4, :4] = fields.second @ (seen * chosen)
    if change is not None:
        curve[:7, :7] += (fields.first * (seen * change)) @ fields.first.T
        curve[_PHI, _PHI] = seen @ (change - flat)
    if teacher is not None:
        _, in_mean, in_spread, twice, mixed, last = teacher
        moved = np.stack([seen * fields.eta * in_mean, seen * in_spread])
        slope[7:] = moved @ gain
        curve[7:, :7] = moved @ slopes.T
        curve[:7, 7:] = curve[7:, :7].T
        weighted = seen * gain
        curve[7, 7] = weighted @ (fields.eta**2 * (twice + in_mean * in_mean))
        curve[7, 8] = curve[8, 7] = weighted @ (fields.eta * (mixed + in_mean * in_spread))
        curve[8, 8] = weighted @ (last + in_spread * in_spread)
    return Total(float(seen @ gain), slope, curve)
