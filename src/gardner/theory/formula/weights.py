"""Panels for the outer average over weights, ∫Dξ Z⁰_X(ξ)."""

from __future__ import annotations

import math

import numpy as np

from gardner.theory.formula.pair import Pair
from gardner.theory.formula.quadrature import Grid, narrowed, stretched_grid
from gardner.theory.formula.taylor import Floats

# Panels of ξ at least.
_PANELS = 32
# Panels from which a refinement starts.
_START_PANELS = 16
# The fall of the teacher's weight at which the range of ξ ends: e^−45 = 3·10⁻²⁰ of its largest
# value. Half of it would cost 4·10⁻⁸ of ln v, twice as much changes 7·10⁻¹²
# (benchmarks/tolerances.py).
_RANGE_DROP = 45.0
# Where the largest value is looked for: a tenth of a standard deviation apart.
_INSIDE: Floats = np.linspace(-9.0, 9.0, 181)
# Where the end of the range is looked for, out to 10⁸ standard deviations.
_LADDER: Floats = np.array(9.0 * 1.25 ** np.arange(74), dtype=np.float64)
# Panels on either side for every factor e between the scale at which a weight turns and the end of
# the range.
_PANELS_PER_E = 3.0
# The widest panel of ξ: the teacher's weight has bumps of width 1 where its prior has atoms.
_WIDEST = 1.5


def weight_grid(pair: Pair, m_hat: float, q_hat: float, fixed: bool = False) -> Grid:
    """Panels for ∫Dξ Z⁰_X(ξ): out to where the teacher's weight has died away, narrow where a field
    b turns a weight.

    ``fixed`` gives 16 of them, to start a refinement from.
    """
    signal = m_hat / math.sqrt(q_hat) / pair.teacher_scale

    def exponent(xi: Floats) -> Floats:
        value: Floats = pair.teacher.prior.slopes(signal * xi, signal**2)[0] - 0.5 * xi * xi
        return value

    inside, outside = exponent(_INSIDE), np.maximum(exponent(_LADDER), exponent(-_LADDER))
    alive = np.flatnonzero(outside > max(inside.max(), outside.max()) - _RANGE_DROP)
    reach = float(_LADDER[min(alive[-1] + 1, len(_LADDER) - 1) if len(alive) else 0])
    scale = min(1.0, 1.0 / math.sqrt(q_hat))
    panels = _START_PANELS if fixed else max(_PANELS, 2 * math.ceil(_PANELS_PER_E * math.log(reach / scale)))
    grid = stretched_grid(scale, reach, panels)
    return narrowed(grid, _WIDEST) if reach < 100.0 and not fixed else grid
