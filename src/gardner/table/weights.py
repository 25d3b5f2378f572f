"""What is known of the weights of a table's columns, for any number of columns.

With a standard normal prior, labels change what is known only in the span of the labelled rows. So
the covariance of the weights is

    Σ = I − Σ_a share_a d_a d_aᵀ,

with at most as many directions d_a as there are labelled rows or columns, whichever is fewer. A row
f has a field of mean f·x̂ and variance f·f − Σ_a share_a (f·d_a)²; two rows have the covariance
f·f' − Σ_a share_a (f·d_a)(f'·d_a). Nothing of the size columns × columns is made. Message passing
knows no covariances: there the directions are those of the columns themselves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from gardner.inference.posterior import Posterior
from gardner.model.arrays import Floats
from gardner.table.scaling import Scaling

Halves = NDArray[np.float32]
# The least variance, as a share of the prior's: what rounding leaves.
_TINY = 1e-12
# The share of a row's length below which single precision does not do: three of its seven digits
# are left.
_THIN = 1e-3


@dataclass(frozen=True, eq=False)
class Design:
    """Rows as the model sees them: scaled, times the prior's deviation, with the intercept as a
    last column.

    So the weights of all columns have a standard normal prior.
    """

    scaling: Scaling
    deviation: float
    intercept: float

    @property
    def columns(self) -> int:
        """How many columns there are, the intercept counted."""
        return self.scaling.columns + 1

    def rows(self, features: Floats) -> Floats:
        """Scaled rows of a block of the table, with the intercept."""
        scaled = self.scaling.rows(features)
        if self.deviation != 1.0:
            scaled *= self.deviation
        return np.concatenate([scaled, np.full((len(scaled), 1), self.intercept)], axis=1)


@dataclass(frozen=True, eq=False)
class Weights:
    """A normal law: its mean, and directions in which less is open than before any label, by which
    share.

    ``directions`` is none where they are the columns.
    """

    mean: Floats
    directions: Floats | None
    shares: Floats

    @classmethod
    def separate(cls, posterior: Posterior) -> Weights:
        """Of message passing, which has a variance for every weight; in units of the prior's
        deviation.
        """
        second = posterior.model.prior.second_moment
        mean = np.asarray(posterior.mean, dtype=np.float64) / math.sqrt(second)
        return cls(mean, None, 1.0 - np.asarray(posterior.variance, dtype=np.float64) / second)

    def fields(self, rows: Floats) -> tuple[Floats, Floats, Floats]:
        """Mean and variance of the fields of rows, and their projections f·d_a."""
        projections = rows if self.directions is None else rows @ self.directions.T
        before = np.einsum("ij,ij->i", rows, rows)
        variance = before - (projections * projections) @ self.shares
        return rows @ self.mean, np.maximum(variance, _TINY * before + 1e-300), projections

    def covariance(self, rows: Floats, projections: Floats, others: Floats, other_projections: Floats) -> Floats:
        """Of the fields of rows with those of others; projections as :meth:`fields` gives them."""
        return rows @ others.T - (projections * self.shares) @ other_projections.T

    def rough_fields(self, rows: Floats, operator: Halves) -> tuple[Floats, Floats, Floats]:
        """Mean and variance of the fields, and their covariance with those of others, to six digits
        of a row's length.

        By single precision, in half the time: enough to tell which rows are worth a closer look.
        ``operator`` is that of :meth:`operator`. Where little of the length is left, the variance
        is counted in double precision.
        """
        halves = rows.astype(np.float32) @ operator.T
        count = 0 if self.directions is None else len(self.directions)
        before = np.einsum("ij,ij->i", rows, rows)
        if self.directions is None:
            variance = (rows * rows) @ (1.0 - self.shares)
        else:
            variance = before - np.square(halves[:, :count]) @ self.shares.astype(np.float32)
        thin = np.flatnonzero(variance < _THIN * before)
        if thin.size:
            variance[thin] = self.fields(rows[thin])[1]
        return rows @ self.mean, np.maximum(variance, _TINY * before + 1e-300), halves[:, count:].astype(np.float64)

    def operator(self, others: Floats) -> Halves:
        """What rows are multiplied by for :meth:`rough_fields`: the directions, and Σf of the other
        rows.
        """
        if self.directions is None:
            return np.asarray(others - self.shares * others, dtype=np.float32)
        gains = others - ((others @ self.directions.T) * self.shares) @ self.directions
        return np.concatenate([self.directions, gains], dtype=np.float32)

    def gain(self, row: Floats) -> Floats:
        """Σf: the covariance of all weights with the field of a row."""
        if self.directions is None:
            return row - self.shares * row
        return row - self.directions.T @ (self.shares * (self.directions @ row))


@dataclass(frozen=True, eq=False)
class Span:
    """Labelled rows in coordinates of their own span, the intercept apart: rows = ``inner`` ·
    ``basis``.
    """

    inner: Floats
    basis: Floats | None  # none where there are more rows than columns, and the coordinates are the columns

    @classmethod
    def of(cls, rows: Floats) -> Span:
        """Orthonormal coordinates where there are fewer rows than columns."""
        if rows.shape[0] >= rows.shape[1]:
            return cls(rows, None)
        columns, triangle = scipy.linalg.qr(rows.T, mode="economic", check_finite=False)
        return cls(np.ascontiguousarray(triangle.T), np.ascontiguousarray(columns.T))

    def rows(self, intercept: float) -> Floats:
        """The coordinates of the rows in the span, and the intercept, for inference."""
        return np.concatenate([self.inner, np.full((len(self.inner), 1), intercept)], axis=1)

    def weights(self, posterior: Posterior, columns: int) -> Weights:
        """The posterior of all columns from that in the span, in units of the prior's deviation."""
        second = posterior.model.prior.second_moment
        covariance = np.asarray(posterior.covariance, dtype=np.float64) / second
        shares, vectors = np.linalg.eigh(np.eye(self.inner.shape[1] + 1) - covariance)
        narrowed = np.abs(shares) > _TINY
        mean = np.asarray(posterior.mean, dtype=np.float64) / math.sqrt(second)
        return Weights(
            self._outer(mean[None], columns)[0],
            self._outer(np.ascontiguousarray(vectors.T[narrowed]), columns),
            shares[narrowed],
        )

    def _outer(self, vectors: Floats, columns: int) -> Floats:
        """Vectors of the span, the intercept last, as vectors of all columns."""
        if self.basis is None:
            return vectors
        outer = np.empty((len(vectors), columns))
        np.matmul(vectors[:, :-1], self.basis, out=outer[:, :-1])
        outer[:, -1] = vectors[:, -1]
        return outer
