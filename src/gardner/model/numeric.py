"""Your own prior or channel from one formula: everything else is integrated numerically.

A prior is a subclass of :class:`NumericPrior` with ``support`` and ``log_density``; a channel one of
:class:`NumericChannel` with ``log_probability``, and ``labels`` or, for real labels, ``label_span`` and ``sample``.
``docs/examples/my_model.py`` shows both. Make them frozen dataclasses: they key caches. Formulas are written over
``library.xp`` (NumPy, JAX or any array-API library) and have to be smooth on the scale of the nodes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gardner.model.special import NUMPY, Array, Library


def panels(low: float, high: float, count: int, order: int = 16) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights of Gauss–Legendre quadrature on equal panels."""
    node, weight = np.polynomial.legendre.leggauss(order)
    edges = np.linspace(low, high, count + 1)
    half = 0.5 * (edges[1] - edges[0])
    centres = 0.5 * (edges[1:] + edges[:-1])
    return (centres[:, None] + half * node).ravel(), np.tile(half * weight, count)


_COARSE = np.linspace(-60.0, 60.0, 241)
_FINE, _FINE_WEIGHTS = panels(-10.0, 10.0, 40)
_LOG_FINE = np.log(_FINE_WEIGHTS) - 0.5 * math.log(2.0 * math.pi)


def log_sum(terms: Array, library: Library) -> Array:
    """ln Σ e^terms over the last axis."""
    xp = library.xp
    largest = xp.max(terms, axis=-1)
    return largest + xp.log(xp.sum(xp.exp(terms - largest[..., None]), axis=-1))


class NumericPrior:
    """A prior given by its log-density on an interval, with 640 fixed nodes: sharp for A up to 10⁴/width²."""

    @property
    def support(self) -> tuple[float, float]:
        """Where weights can be."""
        raise NotImplementedError

    def log_density(self, x: Array, library: Library = NUMPY) -> Array:
        """ln P_X(x), normalised."""
        raise NotImplementedError

    @property
    def second_moment(self) -> float:
        """r⁰ = E[x²]."""
        x, weights = panels(*self.support, count=40)
        return float(np.sum(weights * x * x * np.exp(self.log_density(x))))

    def _terms(self, A: Array, b: Array, library: Library) -> tuple[Array, Array]:
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

    def sample(self, count: int, rng: np.random.Generator) -> NDArray[Any]:
        """By the inverse of the distribution function, tabulated."""
        edges = np.linspace(*self.support, 4001)
        cells = np.exp(self.log_density(0.5 * (edges[1:] + edges[:-1])))
        table = np.concatenate([[0.0], np.cumsum(cells)])
        return np.interp(rng.random(count), table / table[-1], edges)


class NumericChannel:
    """A channel given by ln P_out(y|h), averaged over h around its largest term: sharp for features above √V/20."""

    @property
    def labels(self) -> tuple[float, ...]:
        """The labels there are; none if they are real numbers."""
        return ()

    @property
    def label_classes(self) -> tuple[tuple[float, float], ...]:
        """Every label for itself: no symmetry is taken for granted."""
        return tuple((label, 1.0) for label in self.labels)

    @property
    def noiseless(self) -> bool:
        """A smooth channel excludes no weights."""
        return False

    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        """ln P_out(y|h)."""
        raise NotImplementedError

    def label_span(self, low: Array, high: Array) -> tuple[Array, Array]:
        """For real labels: an interval that holds the labels of all fields from ``low`` to ``high``."""
        raise NotImplementedError

    def _terms(self, y: Array, omega: Array, V: Array, library: Library) -> tuple[Array, Array, Array]:
        """√V, nodes t = (h − ω)/√V and the logarithm of each term of the integral."""
        xp = library.xp
        none = xp.asarray(0.0 * y + 0.0 * omega + 0.0 * V)
        y, omega, width = (y + none)[..., None], (omega + none)[..., None], xp.sqrt(V + none)[..., None]
        coarse = xp.asarray(_COARSE, dtype=none.dtype)
        values = self.log_probability(y, omega + width * coarse, library) - 0.5 * coarse * coarse
        top = values == xp.max(values, axis=-1)[..., None]
        centre = xp.max(xp.where(top, coarse, xp.full_like(values, -math.inf)), axis=-1)
        t = centre[..., None] + xp.asarray(_FINE, dtype=none.dtype)
        inside = self.log_probability(y, omega + width * t, library) - 0.5 * t * t
        return width[..., 0], t, inside + xp.asarray(_LOG_FINE, dtype=none.dtype)

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

    def _label_nodes(self, omega: Array, V: Array, library: Library) -> list[tuple[Array, Array]]:
        """Labels and their weights in a sum over them: 1 each, or those of a quadrature."""
        if self.labels:
            return [(label + 0.0 * omega, 1.0) for label in self.labels]
        reach = 9.0 * library.xp.sqrt(V)
        low, high = self.label_span(omega - reach, omega + reach)
        nodes, weights = panels(0.0, 1.0, 16)
        pairs = zip(nodes.tolist(), weights.tolist(), strict=True)
        return [(low + node * (high - low), weight * (high - low)) for node, weight in pairs]

    def information(self, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """∑_y ∫ N(h; ω, V) P_out(y|h) [ln P_out(y|h) − ψ_Y(y, ω, V)] dh."""
        xp = library.xp
        none = xp.asarray(0.0 * omega + 0.0 * V)
        omega, V = omega + none, V + none
        t, weights = (xp.asarray(part, dtype=none.dtype) for part in (_FINE, np.exp(_LOG_FINE)))
        h, weights = omega[..., None] + xp.sqrt(V)[..., None] * t, weights * xp.exp(-0.5 * t * t)
        total = none
        for y, weight in self._label_nodes(omega, V, library):
            known = self.log_probability(y[..., None], h, library)
            psi = self.log_partition(y, omega, V, library)
            total = total + weight * xp.sum(weights * xp.exp(known) * (known - psi[..., None]), axis=-1)
        return total

    def predictive(self, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean and variance of a label."""
        xp = library.xp
        none = xp.asarray(0.0 * omega + 0.0 * V)
        omega, V = omega + none, V + none
        first, second = none, none
        for y, weight in self._label_nodes(omega, V, library):
            mass = weight * xp.exp(self.log_partition(y, omega, V, library))
            first, second = first + mass * y, second + mass * y * y
        return first, second - first * first

    def sample(self, fields: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """Discrete labels by their odds; a channel with real labels brings its own."""
        if not self.labels:
            raise NotImplementedError("a channel with real labels needs a sample method of its own")
        odds = np.cumsum([np.exp(self.log_probability(label, fields)) for label in self.labels], axis=0)
        places = np.sum(rng.random(fields.shape) * odds[-1] >= odds[:-1], axis=0)
        return np.asarray(np.asarray(self.labels, dtype=fields.dtype)[places])
