"""Priors of the weights, each given by its scalar log-partition function.

A prior enters theory and message passing only through [cui2020, App. A]

    ψ_X(A, b) = ln ∫ dx P_X(x) exp(−A x²/2 + b x)

and its derivatives in b, the posterior mean and variance of a weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gardner.model.special import NUMPY, Array, Library


@runtime_checkable
class Prior(Protocol):
    """What theory and inference need of a prior."""

    @property
    def second_moment(self) -> float:
        """r⁰ = E[x²]."""
        ...

    def log_partition(self, A: Array, b: Array, library: Library = NUMPY) -> Array:
        """ψ_X(A, b)."""
        ...

    def moments(self, A: Array, b: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean ∂ψ_X/∂b and variance ∂²ψ_X/∂b² of a weight."""
        ...

    def sample(self, count: int, rng: np.random.Generator) -> NDArray[Any]:
        """Weights of a teacher."""
        ...


@dataclass(frozen=True)
class Gaussian:
    """Standard normal weights: ψ_X(A, b) = −½ ln(1+A) + b²/(2(1+A)).

    >>> round(float(Gaussian().log_partition(1.0, 2.0)), 6)
    0.653426
    """

    @property
    def second_moment(self) -> float:
        """r⁰ = 1."""
        return 1.0

    def log_partition(self, A: Array, b: Array, library: Library = NUMPY) -> Array:
        """ψ_X(A, b)."""
        return -0.5 * library.xp.log(1.0 + A) + b * b / (2.0 * (1.0 + A))

    def moments(self, A: Array, b: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean b/(1+A) and variance 1/(1+A)."""
        del library
        variance = 1.0 / (1.0 + A)
        return b * variance, variance

    def sample(self, count: int, rng: np.random.Generator) -> NDArray[Any]:
        """Standard normal numbers."""
        return rng.standard_normal(count)
