"""A random subset (β = 0) of any pair: the two sides of state evolution and their fixed points.

The free entropy of a student who learns from nN random labels [barbier2019], mismatched or not, is

    ln v = extr ½ r r̂ − m m̂ + ½ Q Q̂ + ∫Dξ Z⁰_X(ξ) ψ_X(A, √Q̂ ξ) + n e(m, S, V),   A = r̂ + Q̂,
    r = Q + V, e = Σ_y ∫Dη Z⁰_Y(y, η) ψ_Y(y, √Q η, V),   Q = m² + S   (m in units of √r⁰, see
    :mod:`gardner.theory.formula.pair`).

The labels give the conjugates, m̂ = n(e_m − 2m e_S), A = −2n e_S, r̂ = −2n e_V; the weights give m,
Q, V back as posterior moments. A matched pair has m̂ = Q̂ = A and r = r⁰ and needs one overlap
only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gardner.errors import ConvergenceError
from gardner.model import Channel
from gardner.theory.formula import regression
from gardner.theory.formula.modes import Modes
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.quadrature import stretched_grid
from gardner.theory.formula.taylor import Floats
from gardner.theory.formula.weights import weight_grid

EPSILON = float(np.finfo(float).eps)
# r⁰Q̂ at which weights of a few values count as known: a binary one is wrong with probability
# e^−500.
CERTAIN = 1e3


class NothingLeftError(ConvergenceError):
    """State evolution of a student whom the labels contradict."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__(
            "such a student may have no weights left that give the labels",
            hint="give the student a channel with noise, such as flip:0.05, or fewer labels",
        )


class WeightConjugates(NamedTuple):
    """What a weight sees: b = m̂ x⁰ + √Q̂ ξ and precision A."""

    m: float
    Q: float
    A: float


class Moments(NamedTuple):
    """What weights answer: ∫Dξ Z⁰_X ψ_X and the overlaps m = E[x⁰x̂], Q = E[x̂²], V = E[posterior
    variance].

    ``rounding`` is what double precision leaves open of the first: ln Z⁰_X − ξ²/2 is a difference.
    """

    value: float
    m: float
    Q: float
    V: float
    rounding: float = 0.0

    @property
    def S(self) -> float:
        """Q − m²."""
        return self.Q - self.m**2


def weight_moments(pair: Pair, conjugates: WeightConjugates, bisect: bool = False) -> Moments:
    """The prior's side of state evolution; a Gaussian student in closed form, others by quadrature."""
    if pair.gaussian:
        return _normal_moments(pair.modes, conjugates)
    prior = pair.student.prior
    grid = weight_grid(pair, conjugates.m, conjugates.Q)
    grid = grid.bisected() if bisect else grid
    xi, weights = grid.plain()
    signal, b = conjugates.m / math.sqrt(conjugates.Q) / pair.teacher_scale, math.sqrt(conjugates.Q) * xi
    log_weight, teacher_mean, _ = pair.teacher.prior.slopes(signal * xi, signal**2)
    weights = weights * np.exp(log_weight - 0.5 * xi * xi) / math.sqrt(2.0 * math.pi)
    teacher_mean = teacher_mean / pair.teacher_scale
    psi, mean, variance = prior.slopes(b, conjugates.A)
    m, Q, V = (float(weights @ x) for x in (teacher_mean * mean, mean**2, variance))
    return Moments(float(weights @ psi), m, Q, V, EPSILON * float((weights * np.abs(psi)) @ (1.0 + xi * xi)))


def _normal_moments(modes: Modes, at: WeightConjugates) -> Moments:
    if not modes.domain(at.A):
        raise NothingLeftError
    m = modes.overlap(at.A, at.m)
    Q = m * m + modes.spread(at.A, at.m, at.Q)
    return Moments(modes.potential(at.A, at.m, at.Q), m, Q, modes.variance(at.A))


def weight_entropy(pair: Pair) -> float:
    """Entropy of a weight under the student's prior, in nats; infinite unless the prior is
    discrete.
    """
    if pair.gaussian:
        return math.inf
    alone = Pair(pair.student, pair.student)
    r0 = pair.student.prior.second_moment
    Q_hat = CERTAIN / r0
    answer = weight_moments(alone, WeightConjugates(alone.teacher_scale * Q_hat, Q_hat, Q_hat))
    return 0.5 * r0 * Q_hat - answer.value if 1e-12 * r0 > answer.V else math.inf


class LabelEnergy(NamedTuple):
    """The quantity e(m, S, V) and its derivatives."""

    value: float
    m: float
    S: float
    V: float

    def conjugates(self, budget: float, m: float) -> tuple[WeightConjugates, float]:
        """The conjugates that n labels a weight give the weights, and r̂."""
        A, r_hat = -2.0 * budget * self.S, -2.0 * budget * self.V
        return WeightConjugates(budget * (self.m - 2.0 * m * self.S), A - r_hat, A), r_hat


def label_energy(pair: Pair, m: float, S: float, V: float, bisect: bool = False) -> LabelEnergy:
    """The channel's side of state evolution at (m, S, V).

    With Z⁰ of mean M η, M = √r⁰ m/√Q, and spread T = r⁰S/Q, and with ψ at √Q η: the chain rule, and
    the heat equation for derivatives in T and V.
    """
    if regression.is_linear(pair):
        value, slope = regression.linear_energy(pair, m, S, V)
        return LabelEnergy(value, *(float(x) for x in slope))
    Q, r0, root = m * m + S, pair.teacher.prior.second_moment, pair.teacher_scale
    scale, spread, wide = root * m / math.sqrt(Q), r0 * S / Q, math.sqrt(Q)
    share, sure = S / Q, m / wide
    in_m = (root * share / wide, -2.0 * r0 * share * sure / wide, sure)  # of M, T and √Q
    in_S = (-0.5 * root * sure / Q, r0 * sure * sure / Q, 0.5 / wide)
    totals = np.zeros(4)
    for y, eta, weights in label_sums(pair, scale, spread, min(math.sqrt(V / Q), math.sqrt(S) / m), bisect):
        seen, mean, spreading = _turned(pair.teacher.channel, y, scale * eta, spread)
        psi, g, widening = _turned(pair.student.channel, y, wide * eta, V)
        seen = weights * np.exp(seen)
        totals[0] += np.sum(seen * psi)
        for place, (M, T, field) in ((1, in_m), (2, in_S)):
            totals[place] += np.sum(seen * (psi * (M * eta * mean + T * spreading) + field * eta * g))
        totals[3] += np.sum(seen * widening)
    return LabelEnergy(*(float(x) for x in totals))


def label_sums(
    pair: Pair, scale: float, spread: float, width: float, bisect: bool
) -> Iterator[tuple[Any, Floats, Floats]]:
    """Labels with nodes η and weights.

    Classes of labels, or a quadrature over real ones (arrays with a second axis).
    """
    if pair.regression:
        eta, weights = regression.field_nodes()
        y, measure = regression.label_nodes(pair, scale * eta, spread)
        yield y, eta[:, None], weights[:, None] * measure
        return
    grid = stretched_grid(width)
    eta, weights = (grid.bisected() if bisect else grid).normal()
    for label, count in pair.label_classes:
        yield label, eta, count * weights


def _turned(channel: Channel, y: Any, omega: Floats, V: float) -> tuple[Floats, Floats, Floats]:
    """ψ, g and ∂ψ/∂V = ½(g' + g²)."""
    psi, g, minus = (np.asarray(part) for part in channel.slopes(y, omega, V))
    return psi, g, 0.5 * (g * g - minus)
