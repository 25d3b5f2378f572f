"""Priors of the weights, each given by its scalar log-partition function.

A prior enters theory and message passing only through [cui2020, App. A]

    ψ_X(A, b) = ln ∫ dx P_X(x) exp(−A x²/2 + b x)

and its derivatives in b, the posterior mean and variance of a weight. A prior with a cheap closed
form of all derivatives in (b, A) up to the second may give them as ``expansion``; the theory
tabulates other priors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gardner.errors import InvalidInputError
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
    """Normal weights of variance σ²: ψ_X(A, b) = −½ ln(1+σ²A) + σ²b²/(2(1+σ²A)).

    >>> round(float(Gaussian().log_partition(1.0, 2.0)), 6)
    0.653426
    """

    variance: float = 1.0

    def __post_init__(self) -> None:
        """Check the parameter."""
        check_parameter("gaussian.variance", self.variance, 0.0, math.inf)

    @property
    def second_moment(self) -> float:
        """r⁰ = σ²."""
        return self.variance

    def log_partition(self, A: Array, b: Array, library: Library = NUMPY) -> Array:
        """ψ_X(A, b)."""
        scale = 1.0 + self.variance * A
        return -0.5 * library.xp.log(scale) + self.variance * b * b / (2.0 * scale)

    def moments(self, A: Array, b: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean σ²b/(1+σ²A) and variance σ²/(1+σ²A)."""
        del library
        variance = self.variance / (1.0 + self.variance * A)
        return b * variance, variance

    def expansion(self, b: Array, A: float) -> tuple[Array, ...]:
        """ψ_X and its derivatives in b, A, bb, bA, AA."""
        variance = self.variance / (1.0 + self.variance * A)
        mean = variance * b
        value = -0.5 * np.log1p(self.variance * A) + 0.5 * b * mean
        flat = 0.0 * mean
        return (
            value,
            mean,
            -0.5 * (variance + mean * mean),
            variance + flat,
            -variance * mean,
            variance * (0.5 * variance + mean * mean),
        )

    def sample(self, count: int, rng: np.random.Generator) -> NDArray[Any]:
        """Normal numbers."""
        return math.sqrt(self.variance) * rng.standard_normal(count)


def check_parameter(name: str, value: Any, low: float, high: float, *, zero: bool = False) -> None:
    """A parameter of a prior or channel is a number strictly between its limits; some may also be zero."""
    if (
        not isinstance(value, int | float)
        or isinstance(value, bool)
        or not (low < value < high or (zero and value == 0))
    ):
        ends = f"{low:g} or more and below {high:g}" if zero else f"between {low:g} and {high:g}, both excluded"
        raise InvalidInputError(name, value, f"it must be a number {ends}")
