"""Did the chains mix? Autocorrelation times, effective samples, exchange rates, and round trips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gardner.experiment.ensemble.chain import Floats

# The window of an autocorrelation time, in units of that time [sokal1997].
WINDOW = 5.0
# Fewest effective samples of a rung that is called mixed: its mean is then known to a fifth of its
# deviation.
FEWEST = 25.0
# The least share of exchanges between two rungs.
RATE = 0.05
# The least number of returns to an end of the ladder from β = 0, on each side, over all chains.
RETURNS = 4


@dataclass(frozen=True)
class Mixing:
    """What is known of one pool's chains: a number a rung, exchange rates between neighbours, and
    trips a side.
    """

    time: Floats
    effective: Floats
    exchange: Floats
    accepted: Floats
    lost: int
    returns: tuple[int, int]

    @property
    def troubles(self) -> list[str]:
        """Why the chains are not called mixed; empty if they are."""
        found = []
        if self.effective.min() < FEWEST:
            found.append(f"only {self.effective.min():.0f} effective samples at one temperature")
        if self.exchange.size and self.exchange.min() < RATE:
            found.append(f"an exchange rate of {self.exchange.min():.2f}")
        for side, count in zip(("lowest", "highest"), self.returns, strict=True):
            if count < RETURNS:
                found.append(f"{count} round trips between β = 0 and the {side} β")
        return found


def autocorrelation_time(series: Floats) -> float:
    """The integrated autocorrelation time in steps: ½ for independent samples, and so many steps a
    sample are 2τ.

    >>> autocorrelation_time(np.random.default_rng(0).normal(size=4000)) < 0.7
    True
    """
    length = series.size
    centred = series - series.mean()
    if length < 2 or not np.any(centred):
        return 0.5 if length < 2 else 0.5 * length  # nothing ever changed: one sample
    spectrum = np.fft.rfft(centred, 2 * length)
    correlation = np.fft.irfft(spectrum * np.conj(spectrum))[:length]
    sums = np.cumsum(correlation / correlation[0]) - 0.5
    outside = np.flatnonzero(np.arange(length) >= WINDOW * sums)
    return float(max(0.5, sums[outside[0]] if outside.size else 0.5 * length))


def returns(walker: NDArray[np.int16], zero: int) -> tuple[int, int]:
    """How often a subset came to the lowest and to the highest β after it was at β = 0, having left
    the end before.

    >>> returns(np.array([[0, 1], [1, 0], [0, 1]], dtype=np.int16), zero=1)
    (2, 4)
    """
    counts = []
    for end in (0, walker.shape[1] - 1):
        fresh, count = set[int](), 0
        for row in walker:
            fresh.add(int(row[zero]))
            if end != zero and int(row[end]) in fresh:
                fresh.discard(int(row[end]))
                count += 1
        counts.append(count if end != zero else RETURNS)
    return counts[0], counts[1]
