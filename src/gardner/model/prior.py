"""Priors of the weights, each given by its scalar log-partition function.

A prior enters theory and message passing only through [cui2020, App. A]

    ψ_X(A, b) = ln ∫ dx P_X(x) exp(−A x²/2 + b x),

whose derivatives in b are the posterior mean and variance of a weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

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
