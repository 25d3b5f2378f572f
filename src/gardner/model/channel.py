"""Output channels, each given by its scalar log-partition function.

A channel enters theory and message passing only through [cui2020, App. A]

    ψ_Y(y, ω, V) = ln ∫ dh P_out(y|h) N(h; ω, V),

whose derivatives in ω are the functions g and g' of AMP.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from gardner.model.special import NUMPY, Array, Library


@runtime_checkable
class Channel(Protocol):
    """What theory and inference need of a channel."""

    @property
    def label_classes(self) -> tuple[tuple[float, float], ...]:
        """Labels up to the symmetry (y, h) → (−y, −h), as pairs (representative, number of labels it stands for)."""
        ...

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """ψ_Y(y, ω, V)."""
        ...


@dataclass(frozen=True)
class Sign:
    """Noiseless binary labels y = sign(h): ψ_Y(y, ω, V) = ln Φ(yω/√V).

    >>> import numpy as np
    >>> np.round(Sign().log_partition(1.0, np.array([0.0, 2.0]), 4.0), 6)
    array([-0.693147, -0.172754])
    """

    @property
    def label_classes(self) -> tuple[tuple[float, float], ...]:
        """Both labels are one class: the channel is odd."""
        return ((1.0, 2.0),)

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        """ψ_Y(y, ω, V)."""
        return library.log_ndtr(y * omega / library.xp.sqrt(V))
