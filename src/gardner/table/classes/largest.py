"""Which of several independent normal numbers is the largest, and how that changes with their
means.

With means m, variances T, and z = (u − m)/√T,

    P(c) = ∫ du φ(z_c)/√T_c · Π_{j≠c} Φ(z_j),
    A_cj = ∫ du φ(z_c)/√T_c · φ(z_j)/√T_j · Π_{l≠c,j} Φ(z_l)    for c ≠ j.

A common shift of all means changes nothing, so ∂P(c)/∂m_j = −A_cj for j ≠ c, and each row of that
matrix adds up to zero: ∂P(c)/∂m_c = Σ_j A_cj. It is symmetric.

All classes of a row share one grid in u. The integrands are analytic and vanish at both ends, so
that the trapezoidal rule converges faster than any power of its step.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from gardner.model.arrays import Floats
from gardner.table.scaling import blocks

# Standard deviations on either side after which the grid ends: a mass of 10⁻¹⁰ is beyond.
_REACH = 6.5
# Nodes of the grid: a step of a quarter of the widest deviation at most. A test holds P to 10⁻⁷
# where deviations differ by up to a factor of e.
_NODES = 52
# The least probability of a class, so that every class has a logarithm.
LEAST = 1e-12


def chances(mean: Floats, T: Floats) -> Floats:
    """P of each class, rows × classes; they add up to one.

    >>> chances(np.array([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]]), np.ones((2, 3))).round(3).tolist()
    [[0.333, 0.333, 0.333], [1.0, 0.0, 0.0]]
    """
    probabilities = np.empty_like(mean)
    for block in blocks(len(mean), _NODES * mean.shape[1]):
        probabilities[block] = _normalised(_integrands(mean[block], T[block])[0].sum(axis=1))
    return probabilities


def slopes(mean: Floats, T: Floats) -> tuple[Floats, Floats]:
    """P of each class, and ∂P(c)/∂m_j as rows × c × j."""
    count, kinds = mean.shape
    probabilities, matrix = np.empty_like(mean), np.empty((count, kinds, kinds))
    for block in blocks(count, 2 * _NODES * kinds):
        first, hazard, step = _integrands(mean[block], T[block])
        probabilities[block] = _normalised(first.sum(axis=1))
        # Σ_u [φ_c/√T_c ΠΦ_{l≠c}] [φ_j/(√T_j Φ_j)]
        pairs = np.matmul(first.transpose(0, 2, 1), hazard) * step[:, None, None]
        pairs = -0.5 * (pairs + pairs.transpose(0, 2, 1))
        diagonal = np.arange(kinds)
        pairs[:, diagonal, diagonal] = 0.0
        pairs[:, diagonal, diagonal] = -pairs.sum(axis=2)
        matrix[block] = pairs
    return probabilities, matrix


def entropy(probability: Floats) -> Floats:
    """The entropy of the label of each row, in nats."""
    return np.asarray(-np.sum(probability * np.log(np.maximum(probability, LEAST)), axis=1))


def _normalised(total: Floats) -> Floats:
    total = np.maximum(total / total.sum(axis=1, keepdims=True), LEAST)
    return np.asarray(total / total.sum(axis=1, keepdims=True))


def _integrands(mean: Floats, T: Floats) -> tuple[Floats, Floats, Floats]:
    """Of P(c), and φ(z_c)/(√T_c Φ(z_c)), as rows × nodes × classes; and the step of each row's
    grid.
    """
    deviation = np.sqrt(T)
    low, high = (mean - _REACH * deviation).max(axis=1), (mean + _REACH * deviation).max(axis=1)
    step = (high - low) / (_NODES - 1)
    u = low[:, None] + step[:, None] * np.arange(_NODES)
    z = (u[:, :, None] - mean[:, None, :]) / deviation[:, None, :]
    below = ndtr(z)  # at least Φ(−6.5), by the choice of the lower end
    together = below.prod(axis=2, keepdims=True)
    z *= z
    z *= -0.5
    np.exp(z, out=z)
    z /= (math.sqrt(2.0 * math.pi) * deviation)[:, None, :]
    z /= below
    return z * together, z, step
