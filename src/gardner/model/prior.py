"""Priors of the weights, each given by its scalar log-partition function.

A prior enters theory and message passing only through [cui2020, App. A]

    ψ_X(A, b) = ln ∫ dx P_X(x) exp(−A x²/2 + b x)

and its derivatives in b, the posterior mean and variance of a weight.

One of your own derives from :class:`Prior`. It needs the four abstract members. All others have
defaults that are right for every prior: they say what is known beyond the formula.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from gardner.errors import InvalidInputError
from gardner.model.arrays import Array, Floats
from gardner.model.formula import Formula
from gardner.model.special import NUMPY, Library

# A field so strong that only the tails of a prior are left, in units of a weight's inverse.
_FAR_FIELD = 1e4


class Prior(Formula, ABC):
    """What theory and inference ask of a prior."""

    @property
    @abstractmethod
    def second_moment(self) -> float:
        """r⁰ = E[x²]."""

    @abstractmethod
    def log_partition(self, A: Array, b: Array, library: Library = NUMPY) -> Array:
        """ψ_X(A, b)."""

    @abstractmethod
    def moments(self, A: Array, b: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean ∂ψ_X/∂b and variance ∂²ψ_X/∂b² of a weight."""

    @abstractmethod
    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Weights of a teacher."""

    @property
    def second_moments(self) -> Floats:
        """E[x²] weight by weight; one number where all weights have one law."""
        return np.array([self.second_moment])

    def of_size(self, count: int) -> Prior:
        """The prior of so many weights: the same, where all weights have one law."""
        del count
        return self

    @property
    def gaussian(self) -> bool:
        """Whether weights are normal of mean zero, each with the variance of ``second_moments``: EP
        needs it.
        """
        return False

    @property
    def one_normal_law(self) -> bool:
        """Whether weights are normal of mean zero and all of one variance, ``second_moment``."""
        moments = self.second_moments
        return self.gaussian and bool(np.all(moments == moments[0]))

    @property
    def fixed_norm(self) -> bool:
        """Whether x² = r⁰ with certainty: then ψ_X(A, b) + A r⁰/2 does not depend on A."""
        b = np.array([0.0, 0.7, -2.3])
        change = np.asarray(self.log_partition(1.3, b)) - np.asarray(self.log_partition(0.2, b))
        return bool(np.all(np.abs(change + 0.5 * 1.1 * self.second_moment) < 1e-12))

    @property
    def tail_precision(self) -> float:
        """The a of ψ_X ≈ b²/2(A + a) at large fields b; infinite if weights are bounded."""
        variance = float(np.asarray(self.moments(np.float64(1.0), np.float64(_FAR_FIELD))[1]))
        return 1.0 / variance - 1.0 if variance > 1.0 / _FAR_FIELD else math.inf

    @property
    def closed_form(self) -> bool:
        """Whether ``expansion`` is there; the theory tabulates other priors."""
        return type(self).expansion is not Prior.expansion

    def expansion(self, b: Floats, A: float) -> tuple[Floats, ...]:
        """ψ_X and its derivatives in b, A, bb, bA, AA, in closed form, for NumPy's arrays."""
        raise NotImplementedError

    def slopes(self, b: Floats, A: float) -> tuple[Floats, Floats, Floats]:
        """ψ_X, mean and variance of a weight, for NumPy's arrays."""
        if self.closed_form and A > 0.0:
            value, mean, _, variance, _, _ = self.expansion(b, A)
            return value, mean, variance
        mean, variance = (np.asarray(part) for part in self.moments(A, b))
        return np.asarray(self.log_partition(A, b)), mean, variance


def check_parameter(name: str, value: Any, low: float, high: float, *, zero: bool = False) -> None:
    """A parameter of a prior or channel is a number strictly between its limits; some may also be
    zero.
    """
    if (
        not isinstance(value, int | float)
        or isinstance(value, bool)
        or not (low < value < high or (zero and value == 0))
    ):
        ends = f"{low:g} or more and below {high:g}" if zero else f"between {low:g} and {high:g}, both excluded"
        raise InvalidInputError(name, value, f"it must be a number {ends}")
