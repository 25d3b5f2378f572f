"""Your own prior or channel from one formula: everything else is integrated numerically.

A prior is a subclass of :class:`NumericPrior` with ``support`` and ``log_density``; a channel one
of :class:`NumericChannel` with ``log_probability``, and ``labels`` or, for real labels,
``label_span`` and ``sample``. ``docs/examples/my_model.py`` shows both. Make them frozen
dataclasses: they key caches. Formulas are written over ``library.xp`` (NumPy, JAX or any array-API
library) and have to be smooth on the scale of the nodes.
"""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from gardner.model.arrays import Array, ArrayObject, Floats
from gardner.model.channel import Channel
from gardner.model.integrals import LOG_NORMAL_WEIGHTS, NORMAL_NODES, log_sum, panels
from gardner.model.prior import Prior
from gardner.model.special import NUMPY, Library

# Where the mode of e^{ln P − t²/2} is looked for, t in units of √V: half a unit apart, finer than a
# Gaussian turns.
_COARSE = np.linspace(-60.0, 60.0, 241)


class NumericPrior(Prior):
    """A prior given by its log-density on an interval, with 640 fixed nodes: sharp for A up to
    10⁴/width².
    """

    @property
    @abstractmethod
    def support(self) -> tuple[float, float]:
        """Where weights can be."""

    @abstractmethod
    def log_density(self, x: Array, library: Library = NUMPY) -> Array:
        """ln P_X(x), normalised."""

    @property
    def second_moment(self) -> float:
        """r⁰ = E[x²]."""
        x, weights = panels(*self.support, count=40)
        return float(np.sum(weights * x * x * np.exp(self.log_density(x))))

    def _terms(self, A: Array, b: Array, library: Library) -> tuple[ArrayObject, ArrayObject]:
        xp = library.xp
        A, b = xp.asarray(1.0 * A + 0.0 * b), xp.asarray(1.0 * b + 0.0 * A)
        nodes, weights = panels(*self.support, count=40)
        x = xp.asarray(nodes, dtype=A.dtype)
        prior = self.log_density(x, library) + xp.asarray(np.log(weights), dtype=A.dtype)
        return x, prior - 0.5 * A[..., None] * x * x + b[..., None] * x

    def log_partition(self, A: Array, b: Array, library: Library = NUMPY) -> Array:
        """ψ_X(A, b)."""
        return log_sum(self._terms(A, b, library)[1], library)

    def moments(self, A: Array, b: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean and variance of a weight."""
        xp = library.xp
        x, terms = self._terms(A, b, library)
        share = xp.exp(terms - log_sum(terms, library)[..., None])
        mean = xp.sum(share * x, axis=-1)
        return mean, xp.sum(share * (x - mean[..., None]) ** 2, axis=-1)

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Weights by the inverse of the distribution function, which is tabulated."""
        edges = np.linspace(*self.support, 4001)
        cells = np.exp(self.log_density(0.5 * (edges[1:] + edges[:-1])))
        table = np.concatenate([[0.0], np.cumsum(cells)])
        return np.interp(rng.random(count), table / table[-1], edges)


class NumericChannel(Channel):
    """A channel given by ln P_out(y|h), averaged over h around its largest term: sharp for features
    above √V/20.
    """

    @property
    def labels(self) -> tuple[float, ...]:
        """The labels there are; none if they are real numbers."""
        return ()

    @abstractmethod
    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        """ln P_out(y|h)."""

    def _terms(
        self, y: Array, omega: Array, V: Array, library: Library
    ) -> tuple[ArrayObject, ArrayObject, ArrayObject]:
        """√V, nodes t = (h − ω)/√V and the logarithm of each term of the integral."""
        xp = library.xp
        none = xp.asarray(0.0 * y + 0.0 * omega + 0.0 * V)
        y, omega, width = (y + none)[..., None], (omega + none)[..., None], xp.sqrt(V + none)[..., None]
        coarse = xp.asarray(_COARSE, dtype=none.dtype)
        values = self.log_probability(y, omega + width * coarse, library) - 0.5 * coarse * coarse
        top = values == xp.max(values, axis=-1)[..., None]
        centre = xp.max(xp.where(top, coarse, xp.full_like(values, -math.inf)), axis=-1)
        t = centre[..., None] + xp.asarray(NORMAL_NODES, dtype=none.dtype)
        inside = self.log_probability(y, omega + width * t, library) - 0.5 * t * t
        return width[..., 0], t, inside + xp.asarray(LOG_NORMAL_WEIGHTS, dtype=none.dtype)

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """ψ_Y(y, ω, V)."""
        return log_sum(self._terms(y, omega, V, library)[2], library)

    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """g = ⟨t⟩/√V and −g' = (1 − var t)/V under the tilted measure, h = ω + √V t."""
        xp = library.xp
        width, t, terms = self._terms(y, omega, V, library)
        share = xp.exp(terms - log_sum(terms, library)[..., None])
        mean = xp.sum(share * t, axis=-1)
        variance = xp.sum(share * (t - mean[..., None]) ** 2, axis=-1)
        return mean / width, (1.0 - variance) / (width * width)
