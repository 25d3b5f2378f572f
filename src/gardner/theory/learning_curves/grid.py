"""Densities of the predictive mean ω on a uniform grid, and how they spread.

While the overlap grows by dQ, the mean of every row moves by N(0, dQ): a density is multiplied by
e^{−k² dQ/2} in Fourier space. That is exact to rounding for a density that the cells resolve. Where
the step is shorter than two cells, ringing at the edge of a choice would make it negative. There
the multiplier is that of a random walk on the cells, e^{−(dQ/h²)(1 − cos kh)}: it has the same
variance, and it never makes a density negative. Zero is the centre of a cell: the least certain
rows are in its middle, however few are taken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gardner.model.arrays import Floats

# Standard deviations of ω, at full knowledge, that the cells cover: 3·10⁻¹² of the rows lie beyond.
_REACH = 7.0
# Cells that a step must span to be spread exactly; a shorter one would ring at the edge of a
# choice.
_RESOLVED = 2.0


def mirrored(values: Floats) -> Floats:
    """Values on cells with ω → −ω; the first cell, beyond all rows, keeps its own.

    >>> mirrored(np.array([0.0, 1.0, 2.0, 3.0]))
    array([0., 3., 2., 1.])
    """
    return np.concatenate([values[:1], values[:0:-1]])


@dataclass(frozen=True)
class Grid:
    """``count`` cells that cover the field of a row, of second moment ``second_moment`` when all is
    known.
    """

    second_moment: float
    count: int

    @cached_property
    def width(self) -> float:
        """h, the width of a cell."""
        return 2.0 * _REACH * math.sqrt(self.second_moment) / self.count

    @cached_property
    def omega(self) -> Floats:
        """Centres; each but the first has its mirror image among them."""
        return np.asarray((np.arange(self.count) - self.count // 2) * self.width, dtype=np.float64)

    @cached_property
    def places(self) -> Floats:
        """Where cells begin, have their centre and end: two for each cell, and one more."""
        return np.asarray((0.5 * np.arange(2 * self.count + 1) - 0.5 - self.count // 2) * self.width, dtype=np.float64)

    def normal(self, variance: float) -> Floats:
        """Masses of N(0, variance) in the cells, of sum 1."""
        masses = np.exp(-0.5 * self.omega**2 / variance)
        return np.asarray(masses / masses.sum())

    def waves(self, masses: Floats) -> Floats:
        """Masses in Fourier space."""
        return np.asarray(np.fft.rfft(masses))

    def spread(self, waves: Floats, step: float) -> Floats:
        """Masses, given in Fourier space, after ω moved by N(0, step)."""
        if step <= 0.0:
            return np.asarray(np.fft.irfft(waves, self.count))
        rate = self._rate(step)
        return np.asarray(np.fft.irfft(waves * np.exp(-step * rate), self.count))

    def spreading(self, waves: Floats, step: float) -> Floats:
        """The derivative of :meth:`spread` in the step: half the second derivative of the density."""
        rate = self._rate(step)
        return np.asarray(np.fft.irfft(-rate * waves * np.exp(-max(step, 0.0) * rate), self.count))

    def _rate(self, step: float) -> Floats:
        resolved = step > 0.0 and math.sqrt(step) >= _RESOLVED * self.width
        return self._squares if resolved else self._steps

    @cached_property
    def _angles(self) -> Floats:
        return 2.0 * math.pi * np.arange(self.count // 2 + 1) / self.count

    @cached_property
    def _squares(self) -> Floats:
        return 0.5 * (self._angles / self.width) ** 2

    @cached_property
    def _steps(self) -> Floats:
        return (1.0 - np.cos(self._angles)) / self.width**2
