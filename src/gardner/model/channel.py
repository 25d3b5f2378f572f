"""Output channels, each given by its scalar log-partition function.

A channel enters theory and message passing only through [cui2020, App. A]

    ψ_Y(y, ω, V) = ln ∫ dh P_out(y|h) N(h; ω, V)

and its derivatives in ω, the functions g = ∂ψ_Y/∂ω and −g' of AMP. Two methods are optional. Who
has a cheap closed form of all derivatives in (ω, V) up to the second gives them as ``expansion``;
the theory tabulates other channels. Who knows ln P_out(y|h) itself gives it as ``log_probability``;
for others it is ψ_Y at a tiny V.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gardner.model.binary import BinaryLabels, signs
from gardner.model.special import NUMPY, Array, Library, log_normal, of_ratio


@runtime_checkable
class Channel(Protocol):
    """What theory and inference need of a channel."""

    @property
    def label_classes(self) -> tuple[tuple[float, float], ...]:
        """Labels up to the symmetry (y, h) → (−y, −h), as pairs (representative, number of labels it stands for).

        Empty if labels are real numbers.
        """
        ...

    @property
    def labels(self) -> tuple[float, ...]:
        """The labels there are; none if labels are real numbers, and then e^ψ is a density in y."""
        ...

    @property
    def noiseless(self) -> bool:
        """Whether a label excludes weights: then labels can contradict each other and leave no volume at all."""
        ...

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """ψ_Y(y, ω, V)."""
        ...

    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """g = ∂ψ_Y/∂ω and −g' = −∂²ψ_Y/∂ω²."""
        ...

    def information(self, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """Mutual information I(y; h) of a label with its field h ~ N(ω, V), in nats."""
        ...

    def predictive(self, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean and variance of a label whose field is h ~ N(ω, V)."""
        ...

    def sample(self, fields: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """Labels of given fields h."""
        ...


@dataclass(frozen=True)
class Sign(BinaryLabels):
    """Noiseless binary labels y = sign(h): ψ_Y(y, ω, V) = ln Φ(yω/√V).

    With u = yω/√V and ρ = φ(u)/Φ(u): g = yρ/√V, −g' = ρ(ρ+u)/V.

    >>> import numpy as np
    >>> np.round(Sign().log_partition(1.0, np.array([0.0, 2.0]), 4.0), 6)
    array([-0.693147, -0.172754])
    """

    @property
    def noiseless(self) -> bool:
        """Each label cuts away a half-space."""
        return True

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """ψ_Y(y, ω, V)."""
        return library.log_ndtr(y * omega / library.xp.sqrt(V))

    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """g and −g'."""
        width = library.xp.sqrt(V)
        rho, excess = library.mills(y * omega / width)
        return y * rho / width, rho * excess / V

    def expansion(self, y: float, omega: Array, V: float) -> tuple[Array, ...]:
        """ψ_Y and its derivatives in ω, V, ωω, ωV, VV."""
        u = omega * (y / math.sqrt(V))
        value, _, rho, excess = log_normal(u)
        return value, *of_ratio(y, u, V, rho, -rho * excess)

    def remainder(self, y: float, omega: Array, V: float) -> tuple[Array, ...]:
        """The same of ψ_Y + ω²/2V, what is left of ψ_Y where a label is not expected: no large number is formed."""
        u = omega * (y / math.sqrt(V))
        _, value, rho, excess = log_normal(u)
        return value, *of_ratio(y, u, V, excess, 1.0 - rho * excess)

    def sample(self, fields: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """The sign; a field of exactly zero counts as positive."""
        del rng
        return signs(fields)
