"""Iterations of message passing over stored rows: the readable form, on any array library.

The equations are those of :mod:`gardner.inference.message_passing` with scalar variances, which are
exact for many weights: V_μ = |F_μ|² mean(Δ) and A = (1/N) Σ_μ |F_μ|² (−g'_μ).
:mod:`gardner.inference.device.fused` is the fast twin.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from gardner.inference.device.stored import StoredRows, device_of
from gardner.inference.message_passing import Passage, Start, Weights, residual_of
from gardner.model import GLM, library_of
from gardner.model.arrays import ArrayObject, Integers, Namespace


class Iteration(Protocol):
    """What moves the messages. Rows are known by their places in the pool."""

    def label(self, order: ArrayObject, count: int, fresh: slice | Integers) -> None:
        """From now on the first ``count`` rows of an order are labelled; ``fresh`` has the places
        of the new ones.
        """
        ...

    def reset(self) -> None:
        """Forget all messages."""
        ...

    def advance(self, keep: float, tolerance: float, most: int) -> list[float]:
        """At most so many iterations, fewer where one has a residual within the tolerance; the
        residual of each.
        """
        ...

    def found(self) -> tuple[Passage, Weights]:
        """The last iteration's messages."""
        ...

    def spread(self, order: ArrayObject) -> ArrayObject:
        """The variances of the fields of some rows."""
        ...

    def dots(self, order: ArrayObject, begin: int, end: int) -> ArrayObject:
        """The mean fields of some rows of an order."""
        ...


class PlainIteration:
    """The readable form. A round trip to the host ends each iteration."""

    def __init__(self, rows: StoredRows, labels: ArrayObject, model: GLM, *, scalar: bool = True) -> None:
        """No row is labelled yet. Without ``scalar`` every weight and row has a variance of its
        own.
        """
        self.rows, self.all_labels, self.model, self.scalar = rows, labels, model, scalar
        self.library = library_of(rows.norms)
        self.order = self.labels = self.norms = self.g = rows.norms[:0]
        self.reset()

    def label(self, order: ArrayObject, count: int, fresh: slice | Integers) -> None:
        """Rows that stay in their places keep their g."""
        xp = self.library.xp
        self.order = order[:count]
        self.labels, self.norms = (xp.take(part, self.order, axis=0) for part in (self.all_labels, self.rows.norms))
        is_new = np.zeros(count, dtype=bool)
        is_new[fresh] = True
        longer = xp.zeros_like(self.labels)
        longer = xp.concat([self.g, longer])[:count]
        self.g = xp.where(xp.asarray(is_new, device=self._device), xp.zeros_like(longer), longer)

    def reset(self) -> None:
        """The prior, and no row seen."""
        xp = self.library.xp
        zero = xp.zeros((self.rows.features,), dtype=self.rows.norms.dtype, device=self._device)
        self.mean, self.variance = (xp.asarray(part) for part in self.model.prior.moments(zero, zero, self.library))
        self.g = xp.zeros_like(self.g)
        self.last: tuple[Passage, Weights] | None = None

    def advance(self, keep: float, tolerance: float, most: int) -> list[float]:
        """Iterations one after the other."""
        residuals: list[float] = []
        while len(residuals) < most:
            residuals.append(self._once(keep))
            if residuals[-1] <= tolerance:
                break
        return residuals

    def _once(self, keep: float) -> float:
        xp, model = self.library.xp, self.model
        V = self.spread(self.order)
        omega = self.rows.dots(self.order, self.mean) - V * self.g
        g, slope = (xp.asarray(part) for part in model.channel.derivatives(self.labels, omega, V, self.library))
        precision = (
            xp.zeros_like(self.mean) + xp.sum(self.norms * slope) / self.rows.features
            if self.scalar
            else self.rows.sum(self.order, slope, squared=True)
        )
        force = self.rows.sum(self.order, g)
        b = precision * self.mean + force
        mean, variance = (xp.asarray(part) for part in model.prior.moments(precision, b, self.library))
        self.last = Passage(omega, V, g, precision, force), Weights(b, mean, variance)
        before = Start(self.mean, self.variance, self.g)
        residual = residual_of(self.last[1], self.last[0], before, model, mean=_mean)
        self.mean, self.variance = mean + keep * (self.mean - mean), variance + keep * (self.variance - variance)
        self.g = g
        return residual

    def found(self) -> tuple[Passage, Weights]:
        """The messages of the last iteration."""
        assert self.last is not None  # noqa: S101 (advance comes first)
        return self.last

    def spread(self, order: ArrayObject) -> ArrayObject:
        """The variances of the fields of some rows."""
        xp = self.library.xp
        if self.scalar:
            return xp.take(self.rows.norms, order, axis=0) * xp.mean(self.variance)
        return self.rows.squares(order, self.variance)

    def dots(self, order: ArrayObject, begin: int, end: int) -> ArrayObject:
        """The mean fields of some rows of an order, in pieces."""
        return self.rows.dots(order[begin:end], self.mean)

    @property
    def _device(self) -> object:
        return device_of(self.rows.norms)


def _mean(xp: Namespace, vector: ArrayObject) -> float:
    """In the precision of the rows; the library divides where the sum is."""
    return float(xp.mean(vector))
