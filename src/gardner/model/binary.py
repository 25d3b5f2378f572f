"""What all channels with labels ±1 and the symmetry P_out(−y|−h) = P_out(y|h) share.

A label carries at most its own entropy; what the noise keeps for itself is lost:

    I(y; h) = H[e^{ψ_Y(1, ω, V)}] − ∫ N(h; ω, V) H[P_out(1|h)] dh,      H[p] = −p ln p − (1−p) ln(1−p).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gardner.model.arrays import Array, ArrayObject, Floating
from gardner.model.channel import WIDTHS, Channel
from gardner.model.integrals import gauss_legendre
from gardner.model.special import NUMPY, Library

_NODES, _WEIGHTS = gauss_legendre(192)


class BinaryLabels(Channel):
    """Labels −1 and +1 under the symmetry; a channel adds ψ_Y, its derivatives and, if it has
    noise, two methods.
    """

    @property
    def odd(self) -> bool:
        """The symmetry: P_out(−y|−h) = P_out(y|h)."""
        return True

    @property
    def labels(self) -> tuple[float, ...]:
        """−1 and +1."""
        return (-1.0, 1.0)

    def noise_entropy(self, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """∫ N(h; ω, V) H[P_out(1|h)] dh."""
        return bump_average(lambda h: self.log_probability(1.0, h, library), math.inf, omega, V, library)

    def information(self, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """I(y; h) in nats for h ~ N(ω, V)."""
        ahead, behind = (self.log_partition(y, omega, V, library) for y in (1.0, -1.0))
        return entropy(ahead, behind, library) - self.noise_entropy(omega, V, library)

    def predictive(self, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean and variance of the next label: p₊ − p₋ and 4 p₊ p₋."""
        ahead, behind = (library.xp.exp(self.log_partition(y, omega, V, library)) for y in (1.0, -1.0))
        return ahead - behind, 4.0 * ahead * behind


def entropy(ahead: Array, behind: Array, library: Library) -> Array:
    """−p ln p − q ln q of the logarithms of p and q = 1 − p, exact where one of them is tiny."""
    xp = library.xp
    return -xp.exp(ahead) * ahead - xp.exp(behind) * behind


def bump_average(
    log_probability: Callable[[ArrayObject], Array], reach: float, x: Array, v: Array, library: Library
) -> Array:
    """∫ N(z; x, v) H[p(z)] dz, ln p(±z) given: where |z| > ``reach`` the labels are certain and H
    vanishes.

    Gauss–Legendre on what the windows of the Gaussian and of H have in common.
    """
    xp = library.xp
    x = xp.asarray(1.0 * x + 0.0 * v)[..., None]
    v = xp.asarray(1.0 * v)[..., None] + 0.0 * x
    width = xp.sqrt(v)
    low, high = (xp.clip(x + sign * WIDTHS * width, -reach, reach) for sign in (-1.0, 1.0))
    nodes, weights = (xp.asarray(part, dtype=x.dtype) for part in (_NODES, _WEIGHTS))
    z = low + 0.5 * (1.0 + nodes) * (high - low)
    density = xp.exp(-0.5 * (z - x) ** 2 / v) * (high - low) / (2.0 * (2.0 * np.pi) ** 0.5 * width)
    return xp.sum(weights * density * entropy(log_probability(z), log_probability(-z), library), axis=-1)


def signs(fields: Floating) -> Floating:
    """The sign; a field of exactly zero counts as positive."""
    return np.where(fields < 0.0, -1.0, 1.0).astype(fields.dtype)


def draw(ahead: Floating, rng: np.random.Generator) -> Floating:
    """+1 with the probabilities given, else −1."""
    return np.where(rng.random(ahead.shape) < ahead, 1.0, -1.0).astype(ahead.dtype)
