"""Is there any weight vector that gives all labels? A witness where there is one, a proof where
there is none.

With signed unit rows f_μ = y_μ F_μ/|F_μ|, exactly one of two things exists [gordan1873]:

    a witness       w with f_μ·w > 0 for all μ,   or
    a certificate   λ_μ ≥ 0, Σ_μ λ_μ = 1, with Σ_μ λ_μ f_μ = 0.

Both come out of one convex problem, min_w ½ Σ_μ λ_μ² with λ_μ = max(0, 1 − f_μ·w), whose gradient
is −Σ_μ λ_μ f_μ: at the minimum either all λ vanish, and w is a witness, or they are a certificate.
Newton's method gets there in finitely many steps [mangasarian2002], mostly fewer than ten. (Linear
programming decides the same with looser tolerances and more time; it is the twin that a test
compares with.)

A certificate with |Σ λ_μ f_μ| = r proves that no unit w has all f_μ·w > r. Witness and certificate
are both recomputed and held against one tolerance, so a verdict never rests on a solver's word.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray

from gardner.model.arrays import Floats

# The field of unit rows and unit weights below which a cone has no volume in double precision.
# Witness and certificate are held to the same number, so that no cone passes between them.
MARGIN = 1e-12
# Newton's steps before the question stays open; mostly fewer than ten are taken [mangasarian2002].
MOST_STEPS = 200
# Seconds before the question stays open.
TIME_LIMIT = 120.0
# What is added to the diagonal of the normal equations, relative to its mean: it keeps them regular
# where rows do not span. Steps that need better are taken by QR.
_RIDGE = 1e-10


class VersionSpace(Enum):
    """What is known of the version space."""

    OPEN = "open"  # a witness satisfies every label strictly
    EMPTY = "empty"  # a certificate proves that none can by more than MARGIN
    UNDECIDED = "undecided"  # neither was found within the time or the precision there is


@dataclass(frozen=True)
class Separation:
    """The verdict with its proof: unit weights that satisfy every label, or multipliers λ that show
    there are none.
    """

    verdict: VersionSpace
    witness: Floats | None = None
    certificate: Floats | None = None


def separate(
    rows: NDArray[Any], labels: NDArray[Any], guess: ArrayLike | None = None, time_limit: float = TIME_LIMIT
) -> Separation:
    """Decide whether {x : y_μ F_μ·x > 0 for all μ} has volume.

    A guess, such as the mean of an approximate posterior, costs one product with the rows and
    mostly is a witness.

    >>> separate(np.eye(2), np.ones(2)).verdict, separate(np.array([[1.0], [1.0]]), np.array([1.0, -1.0])).verdict
    (<VersionSpace.OPEN: 'open'>, <VersionSpace.EMPTY: 'empty'>)
    """
    if rows.shape[0] == 0:
        return Separation(VersionSpace.OPEN, np.zeros(rows.shape[1]))
    signed = np.asarray(rows, dtype=np.float64) * np.asarray(labels, dtype=np.float64)[:, None]
    largest = np.max(np.abs(signed), axis=1, keepdims=True)
    if float(np.min(largest)) == 0.0:  # a row of zeros satisfies no label: it alone is a certificate
        return Separation(VersionSpace.EMPTY, certificate=np.eye(signed.shape[0])[int(np.argmin(largest))])
    signed /= largest  # first by the largest entry: squares of entries neither overflow nor vanish
    signed /= np.linalg.norm(signed, axis=1, keepdims=True)
    if guess is not None:
        witness = _witness(signed, np.asarray(guess, dtype=np.float64))
        if witness is not None:
            return Separation(VersionSpace.OPEN, witness)
    return _newton(signed, time.monotonic() + time_limit)


def _witness(signed: Floats, weights: Floats) -> Floats | None:
    """The weights at unit length if they satisfy every label beyond rounding."""
    size = float(np.linalg.norm(weights))
    if not (np.isfinite(size) and size > 0.0):
        return None
    unit = weights / size
    return unit if float(np.min(signed @ unit)) > MARGIN else None


def _newton(signed: Floats, deadline: float) -> Separation:
    """Minimise ½ Σ max(0, 1 − f·w)² until w is a witness or λ a certificate."""
    weights = np.zeros(signed.shape[1])
    short = np.ones(signed.shape[0])  # 1 − f·w
    precise = False
    loss, defect = np.inf, np.inf
    for _ in range(MOST_STEPS):
        multipliers = np.maximum(short, 0.0)
        gradient = signed.T @ multipliers
        total, last_loss, last_defect = float(np.sum(multipliers)), loss, defect
        loss, defect = 0.5 * float(multipliers @ multipliers), float(np.linalg.norm(gradient)) / total
        if defect <= MARGIN:
            return Separation(VersionSpace.EMPTY, certificate=multipliers / total)
        if time.monotonic() > deadline:
            break
        # the normal equations square the condition number: once they gain nothing, thin cones need
        # QR
        precise = precise or (loss > 0.99 * last_loss and defect > 0.5 * last_defect)
        active = multipliers > 0.0
        direction = _step(signed[active], multipliers[active], precise)
        along = signed @ direction
        weights = weights + _length(short, along) * direction
        witness = _witness(signed, weights)
        if witness is not None:
            return Separation(VersionSpace.OPEN, witness)
        short = 1.0 - signed @ weights
    return Separation(VersionSpace.UNDECIDED)


def _step(active: Floats, multipliers: Floats, precise: bool) -> Floats:
    """The least-squares solution d of f_μ·d = λ_μ over the rows that fall short: Newton's
    direction.
    """
    if precise:
        return np.asarray(scipy.linalg.lstsq(active, multipliers, lapack_driver="gelsy", check_finite=False)[0])
    normal = active.T @ active
    normal.flat[:: normal.shape[0] + 1] += _RIDGE * max(1.0, float(np.trace(normal)) / normal.shape[0])
    try:
        factor = scipy.linalg.cho_factor(normal, lower=True, overwrite_a=True, check_finite=False)
    except scipy.linalg.LinAlgError:
        return _step(active, multipliers, precise=True)
    return np.asarray(scipy.linalg.cho_solve(factor, active.T @ multipliers, check_finite=False))


def _length(short: Floats, along: Floats) -> float:
    """How far to go: min_t Σ max(0, short − t·along)², a piecewise parabola, by Newton's method in
    t.
    """
    length = 1.0
    for _ in range(50):
        left = short - length * along
        on = left > 0.0
        curvature = float(along[on] @ along[on])
        if curvature == 0.0:
            break
        change = float(along[on] @ left[on]) / curvature
        length += change
        if abs(change) <= 1e-12 * abs(length):
            break
    return length
