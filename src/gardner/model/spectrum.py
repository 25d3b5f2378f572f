"""Normal weights of different variances: pools whose rows have a covariance.

Rows F = Z C^{1/2}/√N with a covariance C, Z independent and normal, and weights x ~ N(0, 1) give
the fields F·x. In the eigenbasis of C these are the fields of independent rows and of weights w_k =
√c_k x_k, where c_k are the eigenvalues. So a covariance is a prior in which every weight has a
variance of its own, and nothing else changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gardner.errors import InvalidInputError
from gardner.model.arrays import Array, ArrayObject, Floats
from gardner.model.prior import Prior, check_parameter
from gardner.model.special import NUMPY, Library

# The largest |alignment|: beyond, one direction is all there is.
_STEEPEST = 20.0


@dataclass(frozen=True, init=False, repr=False)
class Spectrum(Prior):
    """Normal weights, one variance each: the eigenvalues c_k of the covariance of the rows.

    ``alignment`` s gives the weights variances proportional to c_k^(1+s), of the same mean. At s =
    0 the weights x_k = w_k/√c_k of the rows as they came are isotropic. At s > 0 labels depend more
    on the directions in which rows vary much, at s < 0 on the others.

    A weight has its own ψ_X(A, b) = −½ ln(1+cA) + cb²/(2(1+cA)): arrays have one entry a weight on
    their last axis.

    >>> Spectrum([2.0, 1.0, 0.0])
    Spectrum(3 variances from 0 to 2)
    >>> Spectrum([2.0, 1.0, 0.0]).second_moment
    1.0
    """

    variances: tuple[float, ...]
    alignment: float = 0.0

    def __init__(self, variances: Iterable[float] | Floats, alignment: float = 0.0) -> None:
        """Check the numbers, and keep them as plain ones."""
        object.__setattr__(self, "variances", _checked(variances))
        check_parameter("spectrum.alignment", alignment, -_STEEPEST, _STEEPEST, zero=True)
        object.__setattr__(self, "alignment", float(alignment))

    def __hash__(self) -> int:
        """The hash of the numbers, counted once: caches ask often."""
        return self._hash

    def __repr__(self) -> str:
        """In a few words: there may be thousands of numbers."""
        about = f"{len(self.variances)} variances from {min(self.variances):.3g} to {max(self.variances):.3g}"
        return f"Spectrum({about}" + (f", alignment={self.alignment:g})" if self.alignment else ")")

    @cached_property
    def _hash(self) -> int:
        return hash((self.variances, self.alignment))

    @cached_property
    def second_moments(self) -> Floats:
        """The variance of each weight."""
        c = np.array(self.variances)
        if self.alignment:
            share = c / c.max()
            powers = np.zeros_like(c)
            powers[c > 0.0] = share[c > 0.0] ** (1.0 + self.alignment)
            c = powers * (c.mean() / powers.mean())
        c.flags.writeable = False
        return c

    @cached_property
    def second_moment(self) -> float:
        """ρ = mean(c), whatever the alignment."""
        return float(np.mean(self.variances))

    @property
    def effective_rank(self) -> float:
        """(Σc)²/Σc²: how many equal directions would vary as much."""
        c = np.array(self.variances) / max(self.variances)
        return float(c.sum() ** 2 / (c @ c))

    @property
    def gaussian(self) -> bool:
        """Weights are normal, each with its variance."""
        return True

    @property
    def fixed_norm(self) -> bool:
        """No weight has a known square."""
        return False

    @property
    def tail_precision(self) -> float:
        """1/c of the largest variance c."""
        return 1.0 / float(self.second_moments.max())

    def of_size(self, count: int) -> Spectrum:
        """The same spectrum with another number of weights: means over equal shares of the sorted
        variances.

        >>> Spectrum([4.0, 2.0]).of_size(4).variances, Spectrum([4.0, 2.0, 0.0]).of_size(2).variances
        ((4.0, 4.0, 2.0, 2.0), (3.3333333333333335, 0.6666666666666666))
        """
        have = len(self.variances)
        if count == have:
            return self
        ordered = np.sort(np.array(self.variances))[::-1]
        below = np.concatenate([[0.0], np.cumsum(ordered)])
        edges = np.arange(count + 1) * have / count
        shares = np.diff(np.interp(edges, np.arange(have + 1), below)) * count / have
        return Spectrum(tuple(np.clip(shares, ordered[-1], ordered[0])), self.alignment)

    def log_partition(self, A: Array, b: Array, library: Library = NUMPY) -> Array:
        """ψ_X(A, b), weight by weight."""
        c = self._variances_like(A, b, library)
        scale = 1.0 + c * A
        return -0.5 * library.xp.log(scale) + c * b * b / (2.0 * scale)

    def moments(self, A: Array, b: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        """Mean cb/(1+cA) and variance c/(1+cA), weight by weight."""
        c = self._variances_like(A, b, library)
        variance = c / (1.0 + c * A)
        return b * variance, variance

    def _variances_like(self, A: Array, b: Array, library: Library) -> ArrayObject:
        """The variances as an array of the library and of the precision asked with."""
        kind = getattr(b, "dtype", None) or getattr(A, "dtype", None)
        return library.xp.asarray(self.second_moments.copy(), dtype=kind or library.xp.float64)

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Normal numbers, each of its variance."""
        return np.sqrt(self.of_size(count).second_moments) * rng.standard_normal(count)


def _checked(given: Iterable[float] | Floats) -> tuple[float, ...]:
    """At least two finite numbers, none negative and some positive."""
    name = "spectrum.variances"
    try:
        numbers = np.asarray(given if isinstance(given, np.ndarray) else list(given), dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(name, given, "it must be a list of numbers") from None
    if numbers.ndim != 1:
        raise InvalidInputError(name, f"an array of shape {numbers.shape}", "one number a weight is wanted")
    if len(numbers) < 2:
        hint = f"use gaussian:{numbers[0]:g}" if len(numbers) else "give the eigenvalues of a covariance"
        raise InvalidInputError(name, numbers.tolist(), "a spectrum has two numbers or more", hint=hint)
    for row, value in enumerate(numbers):
        if not (math.isfinite(value) and value >= 0.0):
            rule = f"number {row + 1} of the spectrum: a variance is finite and not negative"
            raise InvalidInputError(name, float(value), rule, hint="eigenvalues that rounding made negative are zero")
    if not numbers.max() > 0.0:
        raise InvalidInputError(name, f"{len(numbers)} zeros", "at least one variance must be positive")
    return tuple(numbers.tolist())
