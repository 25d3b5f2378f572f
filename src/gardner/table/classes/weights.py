"""What is known of the weights of every class, for any number of columns.

Each class has weights of its own, and all are learned from the same rows. So all of them know more
than before only in the span of those rows. A row f has coordinates a in that span, the intercept
among them, and the field of class k has

    mean a·x̂_k,    variance f·f − a·(I − Σ_k) a,    covariance f·f' − a·(I − Σ_k) a'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gardner.inference.posterior import Posterior
from gardner.model.arrays import Floats
from gardner.table.weights import Span

# The least variance, as a share of the prior's: what rounding leaves.
_TINY = 1e-12


@dataclass(frozen=True, eq=False)
class ClassWeights:
    """Means, classes × coordinates, and I − Σ_k, classes × coordinates × coordinates, in a basis
    that all share.

    ``basis`` has a coordinate a line, the intercept not among them; it is empty where coordinates
    are the columns.
    """

    basis: Floats
    mean: Floats
    known: Floats

    @classmethod
    def of(cls, span: Span, posteriors: Sequence[Posterior], sharper: float) -> ClassWeights:
        """From one posterior a class, in units of the prior's deviation, means times ``sharper``."""
        second = posteriors[0].model.prior.second_moment
        mean = np.stack([np.asarray(one.mean, dtype=np.float64) for one in posteriors]) / np.sqrt(second)
        covariance = np.stack([np.asarray(one.covariance, dtype=np.float64) for one in posteriors]) / second
        basis = np.empty((0, span.inner.shape[1])) if span.basis is None else span.basis
        return cls(basis, sharper * mean, np.eye(mean.shape[1]) - covariance)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.mean)

    def inner(self, rows: Floats) -> Floats:
        """Coordinates of rows in the span."""
        if not len(self.basis):
            return rows
        return np.concatenate([rows[:, :-1] @ self.basis.T, rows[:, -1:]], axis=1)

    def fields(self, rows: Floats, inner: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the fields of rows, rows × classes."""
        before = np.einsum("ij,ij->i", rows, rows)
        variance = np.empty((len(rows), self.classes))
        for index, known in enumerate(self.known):
            variance[:, index] = before - np.einsum("ij,ij->i", inner @ known, inner)
        return inner @ self.mean.T, np.maximum(variance, (_TINY * before + 1e-300)[:, None])

    def covariance(self, rows: Floats, inner: Floats, others: Floats, other_inner: Floats) -> Floats:
        """Of the fields of rows with those of others, classes × rows × others."""
        covariances = np.empty((self.classes, len(rows), len(others)))
        covariances[:] = rows @ others.T
        for index, known in enumerate(self.known):
            covariances[index] -= inner @ (known @ other_inner.T)
        return covariances

    def gain(self, row: Floats) -> Floats:
        """Σ_k f: the covariance of all weights of a class with its field of a row, classes ×
        columns.
        """
        inner = self.inner(row[None])[0]
        known_part = self.known @ inner
        if not len(self.basis):
            return np.asarray(row - known_part)
        gains = np.tile(row, (self.classes, 1))
        gains[:, :-1] -= known_part[:, :-1] @ self.basis
        gains[:, -1] -= known_part[:, -1]
        return gains
