"""Models to choose from: families with one or two parameters, found by evidence.

Rows are scaled to a mean square length of one, so that weights of a standard normal prior give
fields of variance about one. The intercept has a prior of its own. It is as wide as the field and
its noise together, so that a class may be rare whatever the noise.

    probit       Gaussian noise before the sign: the noise
    flip         flips of labels: their rate; taken only where it is ten times as likely
    regression   normal noise on a number: the noise and the size of the weights

The logarithms of noise and size have a normal prior, so that a few labels do not decide what they
cannot know: separable ones have a flat evidence towards no noise, and a single label of a rare
class fits any noise. Its centre for classes, a noise of 0.08 of the field's variance, and its width
are those of the tables in docs/real-tables.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gardner.model import GLM, Flip, Gaussian, Linear, Probit
from gardner.table.score import sharpness

# The chance of a flip at most: at one half labels would mean nothing.
_MOST_FLIPS = 0.45
# Centre of the normal prior of ln noise, in units of a field's variance: what evidence finds on
# real tables.
_PROBIT_CENTRE = -2.5
# Its width.
_PROBIT_WIDTH = 1.0
# Width of the normal prior of the logarithms of a regression's noise and size, about zero.
_WIDTH = 2.0
# Where the search of a logarithm ends: a thousand times more or less than a field.
_EDGE = 7.0
# How near to that end a logarithm is said to be there: twice the tolerance of the search.
_NEAR = 0.2


@dataclass(frozen=True)
class Candidate:
    """A model, the standard deviation of its intercept, and the logarithm of its own prior
    probability.
    """

    model: GLM
    intercept: float
    log_prior: float = 0.0

    @property
    def deviation(self) -> float:
        """The standard deviation of a weight."""
        return math.sqrt(self.model.prior.second_moment)


@dataclass(frozen=True)
class Family:
    """Candidates by the logarithms of their parameters, with where to start and where to end."""

    names: tuple[str, ...]
    start: tuple[float, ...]
    bounds: tuple[tuple[float, float], ...]
    make: Callable[..., Candidate]

    def at_edge(self, logarithms: tuple[float, ...]) -> list[str]:
        """Parameters that went as far as they may, in words."""
        found = []
        for name, value, (low, high) in zip(self.names, logarithms, self.bounds, strict=True):
            if value < low + _NEAR:
                found.append(f"the {name} went to the lower end of its search, {math.exp(low):.2g}")
            elif value > high - _NEAR:
                found.append(f"the {name} went to the upper end of its search, {math.exp(high):.2g}")
        return found


def _normal(value: float, centre: float, width: float) -> float:
    return -0.5 * ((value - centre) / width) ** 2


def _probit(noise: float) -> Candidate:
    size, log_prior = math.exp(noise), _normal(noise, _PROBIT_CENTRE, _PROBIT_WIDTH)
    return Candidate(GLM(Gaussian(), Probit(size)), math.sqrt(1.0 + size), log_prior)


def _flip(rate: float) -> Candidate:
    rho = min(math.exp(rate), _MOST_FLIPS)
    return Candidate(GLM(Gaussian(), Flip(rho)), 1.0, -math.log(10.0))


def _regression(noise: float, size: float) -> Candidate:
    log_prior = _normal(noise, 0.0, _WIDTH) + _normal(size, 0.0, _WIDTH)
    return Candidate(GLM(Gaussian(math.exp(size)), Linear(math.exp(noise))), 1.0, log_prior)


PROBIT = Family(("noise",), (_PROBIT_CENTRE,), ((-_EDGE, _EDGE),), _probit)
FLIP = Family(("rate of flips",), (math.log(0.05),), ((math.log(1e-3), math.log(_MOST_FLIPS)),), _flip)
REGRESSION = Family(("noise", "size"), (-1.0, 0.0), ((-2.0 * _EDGE, _EDGE), (-_EDGE, _EDGE)), _regression)


def fixed(model: GLM) -> Candidate:
    """A model as it is.

    Its intercept is as wide as a field and its noise: where −g' is 2/π over that, as it is for
    probit.
    """
    if not model.channel.labels:
        return Candidate(model, 1.0)
    variance = np.array([model.prior.second_moment])
    narrowed = float(sharpness(model.channel, np.zeros(1), variance)[0])
    return Candidate(model, math.sqrt(2.0 / (math.pi * narrowed)) if narrowed > 0.0 else 1.0)
