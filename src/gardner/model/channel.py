"""Output channels, each given by its scalar log-partition function.

A channel enters theory and message passing only through [cui2020, App. A]

    ψ_Y(y, ω, V) = ln ∫ dh P_out(y|h) N(h; ω, V)

and its derivatives in ω, the functions g = ∂ψ_Y/∂ω and −g' of AMP.

One of your own derives from :class:`Channel`. It needs the three abstract members and, where labels
are real numbers, ``label_span`` and ``sample``. All others have defaults that are right for every
channel: they say what is known beyond the formula.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from gardner.model.arrays import Array, ArrayObject, Floating, Floats
from gardner.model.formula import Formula
from gardner.model.integrals import LOG_NORMAL_WEIGHTS, NORMAL_NODES, panels
from gardner.model.special import NUMPY, Library

# Standard deviations beyond which a Gaussian counts as zero: 2·10⁻¹⁹ of its mass, below double
# precision.
WIDTHS = 9.0
# The variance of a field at which ψ_Y is taken for the likelihood itself: width 10⁻⁹, which noise
# of any use exceeds.
_SHARP = 1e-18


class Channel(Formula, ABC):
    """What theory and inference ask of a channel."""

    @property
    @abstractmethod
    def labels(self) -> tuple[float, ...]:
        """The labels there are; none if labels are real numbers, and then e^ψ is a density in y."""

    @abstractmethod
    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """ψ_Y(y, ω, V)."""

    @abstractmethod
    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """g = ∂ψ_Y/∂ω and −g' = −∂²ψ_Y/∂ω²."""

    @property
    def noiseless(self) -> bool:
        """Whether y = sign(h) with certainty: each label excludes weights, and labels can
        contradict each other.
        """
        return False

    @property
    def odd(self) -> bool:
        """Whether P_out(−y|−h) = P_out(y|h): then one label of each pair ±y stands for both."""
        return False

    @property
    def scale_free(self) -> bool:
        """Whether P_out(y|h) depends on the sign of yh alone: then ψ_Y is a function of yω/√V."""
        return False

    @property
    def log_concave(self) -> bool:
        """Whether ψ_Y is known to be concave in ω: then integrals over the field have one peak."""
        return False

    @property
    def linear_noise(self) -> float | None:
        """The variance of the noise where labels are y = h + normal noise, else none."""
        return None

    @property
    def noise_in_front(self) -> float | None:
        """The δ for which ψ_Y falls like −ω²/2(V + δ) where a label is not expected; with it,
        ``remainder`` is there.

        None where ψ_Y falls otherwise.
        """
        return None

    @property
    def closed_form(self) -> bool:
        """Whether ``expansion`` is there; the theory tabulates other channels."""
        return type(self).expansion is not Channel.expansion

    def expansion(self, y: float, omega: Floats, V: float) -> tuple[Floats, ...]:
        """ψ_Y and its derivatives in ω, V, ωω, ωV, VV, in closed form, for NumPy's arrays."""
        raise NotImplementedError

    def remainder(self, y: float, omega: Floats, V: float) -> tuple[Floats, ...]:
        """The six of ``expansion`` for ψ_Y + ω²/2(V + δ), δ the noise in front: no large number is
        formed.
        """
        raise NotImplementedError

    def slopes(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array, Array]:
        """ψ_Y, g and −g'."""
        return self.log_partition(y, omega, V, library), *self.derivatives(y, omega, V, library)

    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        """ln P_out(y|h); by default ψ_Y at a tiny variance."""
        return self.log_partition(y, h, _SHARP + 0.0 * h, library)

    def label_span(self, low: Array, high: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """For real labels: an interval that holds the labels of all fields from ``low`` to
        ``high``.
        """
        raise NotImplementedError

    def information(self, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """Mutual information of a label with its field h ~ N(ω, V), in nats.

        By default ∑_y ∫ N(h; ω, V) P_out(y|h) [ln P_out(y|h) − ψ_Y(y, ω, V)] dh by quadrature,
        right for features of P_out that are wider than √V/20.
        """
        xp = library.xp
        none = xp.asarray(0.0 * omega + 0.0 * V)
        omega, V = omega + none, V + none
        t, weights = (xp.asarray(part, dtype=none.dtype) for part in (NORMAL_NODES, np.exp(LOG_NORMAL_WEIGHTS)))
        h, weights = omega[..., None] + xp.sqrt(V)[..., None] * t, weights * xp.exp(-0.5 * t * t)
        total = none
        for y, weight in self._label_nodes(omega, V, library):
            log_likelihood = xp.asarray(self.log_probability(y[..., None], h, library))
            psi = xp.asarray(self.log_partition(y, omega, V, library))
            integrand = xp.exp(log_likelihood) * (log_likelihood - psi[..., None])
            possible = xp.isfinite(log_likelihood)  # a label that cannot be has the logarithm −∞ and tells nothing
            total = total + weight * xp.sum(weights * xp.where(possible, integrand, 0.0 * h), axis=-1)
        return total

    def predictive(self, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean and variance of a label whose field is h ~ N(ω, V)."""
        none = library.xp.asarray(0.0 * omega + 0.0 * V)
        omega, V = omega + none, V + none
        first, second = none, none
        for y, weight in self._label_nodes(omega, V, library):
            mass = weight * library.xp.exp(self.log_partition(y, omega, V, library))
            first, second = first + mass * y, second + mass * y * y
        return first, second - first * first

    def sample(self, fields: Floating, rng: np.random.Generator) -> Floating:
        """Labels of given fields h: by their odds; a channel with real labels brings its own."""
        if not self.labels:
            raise NotImplementedError("a channel with real labels needs a sample method of its own")
        odds = np.cumsum([np.exp(self.log_probability(label, fields)) for label in self.labels], axis=0)
        places = np.sum(rng.random(fields.shape) * odds[-1] >= odds[:-1], axis=0)
        return np.asarray(np.asarray(self.labels, dtype=fields.dtype)[places])

    def _label_nodes(self, omega: ArrayObject, V: ArrayObject, library: Library) -> list[tuple[ArrayObject, Array]]:
        """Labels and their weights in a sum over them: 1 each, or those of a quadrature."""
        if self.labels:
            return [(label + 0.0 * omega, 1.0) for label in self.labels]
        reach = WIDTHS * library.xp.sqrt(V)
        low, high = (library.xp.asarray(end) for end in self.label_span(omega - reach, omega + reach, library))
        nodes, weights = panels(0.0, 1.0, 16)
        pairs = zip(nodes.tolist(), weights.tolist(), strict=True)
        return [(low + node * (high - low), weight * (high - low)) for node, weight in pairs]
