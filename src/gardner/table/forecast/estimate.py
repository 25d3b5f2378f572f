"""The spectrum of a table: variances of the directions its rows come from, one a column.

Columns are scaled as ``gardner query`` scales them, rows are shifted to mean zero and made of
length one (:mod:`gardner.table.forecast.directions` says why). Sample eigenvalues are turned into
those of the population (:mod:`gardner.table.forecast.deconvolution`) and these into variances.

The smaller of two matrices is used: columns × columns, or the Gram matrix, rows × rows. Where both
are large some rows are drawn: the equation of the population holds for any number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gardner.errors import InvalidInputError
from gardner.model.arrays import Floats
from gardner.table.forecast.deconvolution import population
from gardner.table.forecast.directions import shape_of
from gardner.table.scaling import Scaling, blocks, make_scaling, spread_of

# Rows or columns of a matrix whose eigenvalues are taken: that many take some seconds.
LARGEST_MATRIX = 3000
# Rows a column from which on sample and population are the same: eigenvalues are then off by 1/200
# or less.
_PLENTY = 200
# Share of the largest eigenvalue below which another is rounding.
_NOTHING = 1e-12
# Square of the length of a row, the mean being one, below which it has no direction.
_SHORT = 1e-12


@dataclass(frozen=True, eq=False)
class TableSpectrum:
    """Variances of mean 1, one a column that is kept, and the directions of the sample they were
    taken from.
    """

    variances: Floats
    scaling: Scaling
    sample: Floats  # eigenvalues of the directions seen, rising, of sum 1
    basis: Floats | None  # those directions, columns × directions; none if they were not asked for
    dropped: int

    @property
    def columns(self) -> int:
        """N: the columns that are not the same everywhere."""
        return int(self.variances.size)

    @property
    def effective_rank(self) -> float:
        """(Σc)²/Σc²: how many equal directions would vary as much."""
        return float(self.variances.sum() ** 2 / (self.variances @ self.variances))

    @cached_property
    def sample_shape(self) -> Floats:
        """Variances along the directions seen, of mean 1."""
        shape = shape_of(self.sample)
        return np.asarray(shape / shape.mean())

    def coordinates(self, features: Floats) -> Floats:
        """Rows of length one, in the directions seen."""
        if self.basis is None:
            raise InvalidInputError("spectrum", "no directions", "they were not asked for")
        return unit_rows(self.scaling, features) @ self.basis


def unit_rows(scaling: Scaling, features: Floats) -> Floats:
    """Scaled rows of length one; one without a direction, at the mean, stays where it is."""
    rows = scaling.rows(features)
    squares = np.einsum("ij,ij->i", rows, rows)
    rows /= np.sqrt(np.where(squares > _SHORT, squares, np.inf))[:, None]
    return rows


def table_spectrum(
    features: Floats, *, scaling: str = "standardised", keep: NDArray[np.bool_] | None = None, seed: int = 0
) -> TableSpectrum:
    """The spectrum of a table of numbers; with ``keep`` (rows that must be among those used) also
    its directions.
    """
    spread = spread_of(features)
    if not spread.kept.size:
        raise InvalidInputError("table", f"{len(features)} rows", "every column has one value only: nothing varies")
    made = make_scaling(scaling, spread)
    chosen = _some_rows(len(features), made.columns, keep, seed)
    used = features if chosen is None else features[chosen]
    eigenvalues, basis = _eigen(made, used, vectors=keep is not None)
    kept = eigenvalues > _NOTHING * eigenvalues[-1]
    eigenvalues = eigenvalues[kept] / eigenvalues[kept].sum()
    variances = _padded(eigenvalues, made.columns)
    if len(used) < _PLENTY * made.columns and made.columns > 2:
        variances = population(eigenvalues, len(used) - 1, made.columns)
    shape = shape_of(variances)
    return TableSpectrum(
        variances=shape / shape.mean(),
        scaling=made,
        sample=eigenvalues,
        basis=None if basis is None else np.ascontiguousarray(basis[:, kept]),
        dropped=spread.dropped,
    )


def _padded(values: Floats, count: int) -> Floats:
    return np.concatenate([np.zeros(count - values.size), values])


def _some_rows(count: int, columns: int, keep: NDArray[np.bool_] | None, seed: int) -> NDArray[np.intp] | None:
    """Which rows to use, the ones to keep first; none where all are."""
    if min(count, columns) <= LARGEST_MATRIX:
        return None
    order = np.random.default_rng([seed, count]).permutation(count)
    if keep is not None:
        order = np.concatenate([order[keep[order]], order[~keep[order]]])
    return np.sort(order[:LARGEST_MATRIX])


def _eigen(scaling: Scaling, features: Floats, *, vectors: bool) -> tuple[Floats, Floats | None]:
    """Eigenvalues of the mean of u uᵀ over the rows, rising, and its eigenvectors if asked for."""
    count, columns = len(features), scaling.columns
    if columns <= count:
        total = np.zeros((columns, columns))
        for block in blocks(count, columns):
            rows = unit_rows(scaling, features[block])
            total += rows.T @ rows
        if not vectors:
            return np.asarray(np.linalg.eigvalsh(total / count), dtype=np.float64), None
        values, basis = np.linalg.eigh(total / count)
        return values, basis
    rows = unit_rows(scaling, features)
    if not vectors:
        return np.asarray(np.linalg.eigvalsh(rows @ rows.T / count), dtype=np.float64), None
    values, left = np.linalg.eigh(rows @ rows.T / count)
    sizes = np.sqrt(np.maximum(values, _NOTHING * values[-1]) * count)
    return values, rows.T @ (left / sizes)
