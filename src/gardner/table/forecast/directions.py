"""The directions of the rows of a table: their eigenvalues, and the shape of the cloud they come
from.

The sign of a field does not depend on the length of its row. So what noiseless labels tell follows
from the rows' directions alone, and one long row must not count more than a short one: heavy tails
would make the covariance of the rows look flatter or steeper than it is for a learner. The
directions u have the covariance E[u uᵀ] [locantore1999]. For rows r z of any length r, z normal
with variances c_k, it has the same eigenvectors, and the eigenvalues

    δ_k = E[c_k z_k² / Σ_j c_j z_j²] = ∫₀^∞ dt c_k/(1 + 2c_k t) ∏_j (1 + 2c_j t)^{−1/2}.

These are flatter than c. :func:`shape_of` solves for c.
"""

from __future__ import annotations

import numpy as np

from gardner.model.arrays import Floats

# Steps of the iteration at most: it settles in ten to sixty.
_STEPS = 400
# Change of a variance, their sum being one, below which it has settled: forecasts have three
# digits.
_TOLERANCE = 1e-9
# Values of ln t, for variances of sum one: beyond, the integrand is below 1e-6 of its peak.
_LOGARITHMS = np.linspace(-14.0, 16.0, 301)


def shape_of(eigenvalues: Floats) -> Floats:
    """The variances c, of sum 1, whose directions have these eigenvalues δ.

    c ← c δ/δ(c), which keeps c positive, settles in a few dozen steps.

    >>> c = np.array([0.7, 0.2, 0.1])
    >>> shape_of(directions_of(c)).round(6).tolist()
    [0.7, 0.2, 0.1]
    """
    wanted: Floats = eigenvalues / eigenvalues.sum()
    c: Floats = wanted.copy()
    for _ in range(_STEPS):
        made = directions_of(c)
        better = np.divide(c * wanted, made, out=np.zeros_like(c), where=made > 0.0)
        better /= better.sum()
        change = float(np.max(np.abs(better - c)))
        c = better
        if change < _TOLERANCE:
            break
    return c


def directions_of(variances: Floats) -> Floats:
    """δ of variances of sum 1, by the trapezoid in ln t."""
    t = np.exp(_LOGARITHMS)
    total = np.zeros_like(t)
    for part in np.array_split(variances, max(1, variances.size // 512)):
        total -= 0.5 * np.log1p(2.0 * np.outer(t, part)).sum(axis=1)
    weights = np.exp(_LOGARITHMS + total) * (_LOGARITHMS[1] - _LOGARITHMS[0])
    parts = np.array_split(variances, max(1, variances.size // 512))
    return np.concatenate([part * (weights @ (1.0 / (1.0 + 2.0 * np.outer(t, part)))) for part in parts])
