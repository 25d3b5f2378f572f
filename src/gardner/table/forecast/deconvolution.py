"""The spectrum of the population from the eigenvalues of a sample.

With P rows of N columns, sample eigenvalues λ are spread out even where all true variances c are
equal, the more the closer P is to N. They are tied by the equation of [marchenko1967;
silverstein1995]

    1/v = x + (N/P) ∫ dH(c) c/(1 + c v),      v(x) = (1/P) Σ_μ 1/(λ_μ + x),   x > 0,

the sum over the P eigenvalues of the Gram matrix. It gives ∫ dH c/(1 + cv) at every v from 0 to
v(0). That is all that learning curves ask of a spectrum: their V(q̂) is this integral at v = q̂,
and P rows of labels cannot reach a q̂ above v(0). So nothing is lost that a forecast would need. H
is taken on a grid of c, with weights that are not negative and fit the equation best, as in
[elkaroui2008].
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from gardner.model.arrays import Floats

# Variances on the grid, in equal steps of the logarithm: twice as many changed no forecast in the
# fourth digit.
_GRID = 120
# Points at which the equation is asked to hold, over all x that matter.
_POINTS = 80
# The smallest variance on the grid, relative to the largest eigenvalue.
_RANGE = 1e-7
# Share of the variance below which a point of the equation is rounding.
_RESOLVED = 1e-7
# How much more the sum and the mean of the weights count than one point of the equation.
_SUM, _MEAN = 1e3, 1e2


def population(sample: Floats, rows: int, columns: int) -> Floats:
    """Variances, one a column in rising order, of the population; ``sample`` are eigenvalues of
    rowsᵀrows/P.

    Zeros of the sample may be left out. The sum is kept.
    """
    positive = np.sort(sample[sample > 0.0])[-min(rows, columns) :]
    grid, weights = _weights(positive, rows, columns)
    found = _equal_shares(grid, weights, columns)
    return np.asarray(found * (positive.sum() / found.sum()))


def _weights(positive: Floats, rows: int, columns: int) -> tuple[Floats, Floats]:
    top, mean = float(positive[-1]), float(positive.sum()) / columns
    x = np.geomspace(1e-4 * max(float(positive[0]), 1e-8 * top), 1e3 * top, _POINTS)
    v = ((1.0 / (positive[:, None] + x)).sum(axis=0) + (rows - positive.size) / x) / rows
    share = (1.0 - x * v) * rows / columns  # ∫ dH cv/(1 + cv)
    seen = share > _RESOLVED
    v, share = v[seen], share[seen]
    grid = np.concatenate([[0.0], np.geomspace(_RANGE * top, 1.05 * top, _GRID)])
    equations = grid * v[:, None] / (1.0 + grid * v[:, None]) / share[:, None]
    matrix = np.vstack([equations, np.full_like(grid, _SUM), _MEAN * grid / mean])
    weights, _ = nnls(matrix, np.concatenate([np.ones_like(v), [_SUM, _MEAN]]), maxiter=50 * _GRID)
    return grid, np.asarray(weights / weights.sum(), dtype=np.float64)


def _equal_shares(grid: Floats, weights: Floats, count: int) -> Floats:
    """As many numbers of the same weight: means over equal shares of the distribution."""
    cumulated = np.concatenate([[0.0], np.cumsum(weights)])
    below = np.concatenate([[0.0], np.cumsum(weights * grid)])
    return np.asarray(np.diff(np.interp(np.linspace(0.0, 1.0, count + 1), cumulated, below)) * count)
