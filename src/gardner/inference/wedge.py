"""Rows that all lie in one plane: the version space is an angle, and nothing has to be measured.

Where the rows span two dimensions or one, the weights that give all labels are those whose
projection on that plane has a direction θ between two walls. A Gaussian has all directions alike,
so

    Z = (opening of the angle)/2π,

and a draw is a uniform direction with the length of a Gaussian of two dimensions, plus a free
Gaussian outside the plane. Billiards are at their worst here: in an angle of opening δ they bounce
1/δ times a trajectory, with a variance that grows without bound towards the tip; two almost
opposite rows were enough to keep them busy for minutes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.model.arrays import Floats

# How far unit rows may stick out of their plane: some hundred times the rounding of a scalar
# product.
FLAT = 1e-13
_EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Wedge:
    """The directions from ``first`` to ``first + opening``, by angle in the ``plane`` (orthonormal
    rows, two or one).

    ``residual`` is how far the rows stick out of the plane.
    """

    plane: Floats
    first: float
    opening: float
    residual: float

    @staticmethod
    def of(walls: Floats, witness: Floats) -> Wedge | None:
        """The angle between unit rows f_μ, or None where they lie in no plane; the witness has
        f_μ·w > 0.

        >>> wedge = Wedge.of(np.eye(3)[:2], np.array([1.0, 1.0, 0.0]))
        >>> round(math.exp(wedge.log_evidence), 12)
        0.25
        """
        plane, residual = _plane(walls)
        if residual > FLAT:
            return None
        flat = np.zeros((2, walls.shape[1]))
        flat[: len(plane)] = plane
        (a, b), (c, d) = flat @ walls.T, flat @ witness
        middle, angles = math.atan2(d, c), np.arctan2(b * c - a * d, a * c + b * d)  # of rows, from the witness on
        opening = math.pi - float(np.max(angles) - np.min(angles))
        return Wedge(plane, middle + float(np.max(angles)) - 0.5 * math.pi, opening, residual)

    @property
    def log_evidence(self) -> float:
        """ln Z."""
        return math.log(self.opening / math.tau)

    @property
    def error(self) -> float:
        """How far ln Z may be off: rounding moves each wall by a few units in the last digit."""
        return 4.0 * (self.residual + 4.0 * _EPSILON) / self.opening

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Independent points of the version space, an array (count, N)."""
        points = rng.standard_normal((count, self.plane.shape[1]))
        angles = self.first + self.opening * rng.random(count)
        lengths = np.sqrt(2.0 * rng.standard_exponential(count))
        inside = (lengths * np.array([np.cos(angles), np.sin(angles)])).T[:, : len(self.plane)]
        return np.asarray(points + (inside - points @ self.plane.T) @ self.plane)


def _plane(walls: Floats) -> tuple[Floats, float]:
    """Orthonormal rows, two or one, that span the unit rows; and how far some row sticks out."""
    plane = walls[:1]
    outside = walls - (walls @ plane.T) @ plane
    sizes = np.linalg.norm(outside, axis=1)
    if float(np.max(sizes)) > FLAT:
        other = outside[np.argmax(sizes)] / np.max(sizes)
        other -= (plane[0] @ other) * plane[0]  # once more: the rest of a small difference is not quite orthogonal
        plane = np.array([plane[0], other / np.linalg.norm(other)])
        outside = walls - (walls @ plane.T) @ plane
        sizes = np.linalg.norm(outside, axis=1)
    return plane, float(np.max(sizes))
