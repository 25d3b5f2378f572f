"""What the label of one row tells about the label of another.

With fields of covariance C, labels y and y' and g = ∂ψ_Y/∂ω, to first order in C

    P(y, y') = P(y) P(y') [1 + C g(y) g(y')],    so    I(y; y') = ½ C² s s' + …,    s = E_y[g²] = E_y[−g'].

Of two labels, C²ss' is the square of their correlation; of linear channels it is that of two normal
numbers, and the information is −½ ln(1 − C²ss') exactly. That form is used for all, never above the
entropy of either label: two near copies tell each other no more than there is to tell. A test holds
it against the exact information of two labels of a bivariate normal field. The mean over rows is
the expected predictive information gain [bickfordsmith2023].
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri, xlogy

from gardner.model import Channel
from gardner.model.arrays import Floats
from gardner.model.integrals import panels

_NODES, _WEIGHTS = panels(0.0, 1.0, 2)
# Fewer of them, where signs are loosely tied.
_FEW_NODES, _FEW_WEIGHTS = panels(0.0, 1.0, 1, 6)
# The correlation up to which these do, to 1e-10 of a nat (a test measures it).
_LOOSE = 0.5
# The least probability of a label: smaller ones count as this one.
_LEAST = 1e-12
# The largest squared correlation: beyond it the logarithm would only measure rounding.
_NEARLY_ONE = 1.0 - 1e-9


def sharpness(channel: Channel, omega: Floats, V: Floats) -> Floats:
    """s = E_y[−g'(y, ω, V)]: by how much a label of the row is expected to narrow its field, V → V
    − sV².
    """
    if not channel.labels:  # a linear channel: −g' is the same for every label
        return np.asarray(channel.derivatives(0.0 * omega, omega, V)[1], dtype=np.float64)
    total = np.zeros_like(omega)
    for label in channel.labels:
        y = np.full_like(omega, label)
        probability = np.exp(np.asarray(channel.log_partition(y, omega, V), dtype=np.float64))
        total += probability * np.asarray(channel.derivatives(y, omega, V)[1], dtype=np.float64)
    return np.maximum(total, 0.0)


def entropy(channel: Channel, omega: Floats, V: Floats) -> Floats:
    """Of the label of a row, in nats; without a bound where labels are real numbers."""
    if not channel.labels:
        return np.full_like(omega, math.inf)
    total = np.zeros_like(omega)
    for label in channel.labels:
        logarithm = np.asarray(channel.log_partition(np.full_like(omega, label), omega, V), dtype=np.float64)
        total -= np.exp(logarithm) * np.maximum(logarithm, -700.0)
    return np.maximum(total, 0.0)


def pair_information(
    covariance: Floats, sharpness: Floats, other_sharpness: Floats, entropy: Floats, other_entropy: Floats
) -> Floats:
    """I(y; y') in nats of every row with every other; see the module.

    >>> one = np.ones(1)
    >>> round(float(pair_information(np.array([[0.6]]), one, one, 9 * one, 9 * one)[0, 0]), 6)
    0.223144
    """
    square = covariance * covariance
    square *= sharpness[:, None]
    square *= other_sharpness
    np.minimum(square, _NEARLY_ONE, out=square)
    np.negative(square, out=square)
    np.log1p(square, out=square)
    square *= -0.5
    np.minimum(square, other_entropy, out=square)
    return np.minimum(square, entropy[:, None], out=square)


def latent(channel: Channel, omega: Floats, V: Floats) -> tuple[Floats, Floats]:
    """A channel with labels −1 and +1 as noise before a sign, of the same probability and the same
    sharpness.

    Given are u with P(+1) = Φ(u), and T with s = φ(u)²/(T Φ(u)Φ(−u)): for probit T = V + noise.
    """
    chance = np.exp(np.asarray(channel.log_partition(np.ones_like(omega), omega, V), dtype=np.float64))
    u = ndtri(np.clip(chance, _LEAST, 1.0 - _LEAST))
    density = np.exp(-0.5 * u * u) / math.sqrt(2.0 * math.pi)
    narrowed = np.maximum(sharpness(channel, omega, V), 1e-300)
    return u, density * density / (ndtr(u) * ndtr(-u) * narrowed)


def signs_information(first: Floats, second: Floats, correlation: Floats, *, quick: bool = False) -> Floats:
    """I in nats of the signs of two normal numbers of means ``first`` and ``second``, unit
    variances and a correlation.

    P(both positive) = Φ(u)Φ(u') + ∫_0^{arcsin r} exp[−(u² − 2uu' sin θ + u'²)/(2 cos² θ)] dθ/2π
    [plackett1954]. ``quick`` takes a fifth of the nodes where the correlation is below one half.

    >>> zero = np.zeros(2)
    >>> signs_information(zero, zero, np.array([1.0, 0.0])).round(6).tolist()
    [0.693147, 0.0]
    """
    if quick:
        information = _signs_information(first, second, correlation, _FEW_NODES, _FEW_WEIGHTS)
        close = np.abs(correlation) > _LOOSE
        if close.any():
            u, its_u = (np.broadcast_to(one, information.shape)[close] for one in (first, second))
            information[close] = _signs_information(u, its_u, correlation[close], _NODES, _WEIGHTS)
        return information
    return _signs_information(first, second, correlation, _NODES, _WEIGHTS)


def _signs_information(first: Floats, second: Floats, correlation: Floats, nodes: Floats, weights: Floats) -> Floats:
    end = np.arcsin(np.clip(correlation, -1.0, 1.0))
    together = np.zeros_like(end)
    for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
        angle = node * end
        exponent = first**2 - 2.0 * first * second * np.sin(angle) + second**2
        together += weight * end * np.exp(-0.5 * exponent / np.maximum(np.cos(angle) ** 2, 1e-300)) / (2.0 * math.pi)
    total = np.zeros_like(end)
    for sign, other in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)):
        apart = ndtr(sign * first) * ndtr(other * second)
        joint = np.maximum(apart + sign * other * together, 0.0)
        total += xlogy(joint, joint) - xlogy(joint, apart)
    return np.maximum(total, 0.0)
