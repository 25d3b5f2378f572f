"""The offsets at which bounces are counted, and the weights that integrate them.

Why these offsets is explained in :mod:`gardner.inference.montecarlo`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.special

from gardner.inference.billiard import DENSITY
from gardner.model.arrays import Floats

# M Φ(−c_max), where the ladder ends: there M walls that act one by one cut off so much of the
# volume, so ln Z is off by no more than this.
TOP = 1e-6


@dataclass(frozen=True)
class Ladder:
    """Offsets c_k from 0 to c_max, with weights that make −ln Z of bounces a trajectory, in full
    and of half the order.

    ``faintest`` is the most bounces a trajectory that M walls which act one by one can give: M φ(c)
    T/√(2π).
    """

    offsets: Floats
    weights: Floats
    coarse: Floats
    faintest: Floats

    @staticmethod
    def of(slack: float, walls: int) -> Ladder:
        """Rungs for a cone whose thinnest slack is about δ = ``slack``."""
        top = -float(scipy.special.ndtri(TOP / walls))
        first, last = math.log(slack), top + math.log(1.0 + slack - math.exp(-top))
        order = 4 * math.ceil(0.6 * (last - first))  # 2.4 rungs a unit of s: good for 10⁻⁴ of ln Z
        s = first + 0.5 * (last - first) * (1.0 - np.cos(np.pi * np.arange(order + 1) / order))
        offsets = np.log1p(np.exp(s)) - math.log1p(slack)
        offsets[0] = 0.0  # the version space itself, to the last digit
        slope = 0.5 * (last - first) * scipy.special.expit(s) * DENSITY
        coarse = np.zeros(order + 1)
        coarse[::2] = clenshaw_curtis(order // 2)
        density = np.exp(-0.5 * offsets * offsets) / math.sqrt(2.0 * math.pi)
        return Ladder(offsets, slope * clenshaw_curtis(order), slope * coarse, walls * density / DENSITY)


def clenshaw_curtis(order: int) -> Floats:
    """Weights of the nodes cos(πk/n), k = 0…n, for ∫ over [−1, 1]; n even [clenshaw1960].

    >>> (3.0 * clenshaw_curtis(2)).round(12)
    array([1., 4., 1.])
    """
    k, j = np.arange(order + 1), np.arange(1, order // 2 + 1)
    factors = np.where(2 * j == order, 1.0, 2.0) / (4.0 * j * j - 1.0)
    weights = (2.0 / order) * (1.0 - np.cos(2.0 * np.pi * np.outer(k, j) / order) @ factors)
    weights[[0, -1]] *= 0.5
    return np.asarray(weights)
