"""With noise, evidence is not information: what a subset's labels tell about the teacher.

A subset of small evidence may just be rich in wrong labels. What its labels y tell about the
teacher x⁰ is the information density, per weight,

    information = (1/N) ln P(x⁰|y)/P(x⁰) = −ln v + (1/N) Σ_{μ∈S} ln P_out(y^μ|h⁰^μ),
    [cover2006]

how much likelier than before the posterior holds the true weights. For a random subset its mean is
the mutual information of labels and weights, I(x⁰; y) = H(y) − H(y|x⁰); for selected ones the noise
term −ln P_out is averaged over the labels that were selected,

    α Σ_y ∫Dη p_sel(y, η) ∫Dh P̄_out(y|h⁰) ln P_out(y|h⁰),   h⁰ = √(r⁰t/q) h + √r⁰ (m/√q) η,   p_sel
    = σ(φ + L),

since given η a row's selection depends on the teacher's field through the label only. Without noise
it is −ln v. For a linear pair the noise w = y − h⁰ given the residual u is normal of mean Δ⁰u/E and
variance Δ⁰(1 − Δ⁰/E).
"""

from __future__ import annotations

import math

import numpy as np

from gardner.model import Channel
from gardner.model.integrals import gauss_legendre
from gardner.theory.formula import regression
from gardner.theory.formula.evaluation import row_groups
from gardner.theory.formula.free_entropy import Parameters
from gardner.theory.formula.logistic import sigmoid
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.quadrature import Grid
from gardner.theory.formula.taylor import Floats

_NODES, _WEIGHTS = gauss_legendre(64)
# How nodes crowd at h = 0: the first panel of a half-line is e^−7 of the last, a thousandth.
_BEND = 7.0
# Standard deviations of a field that are integrated over: 2·10⁻¹⁹ of its mass lies beyond.
_WIDTHS = 9.0
_PLACES = np.expm1(_BEND * 0.5 * (_NODES + 1.0)) / np.expm1(_BEND)
_SLOPES = 0.5 * _WEIGHTS * _BEND * np.exp(_BEND * 0.5 * (_NODES + 1.0)) / np.expm1(_BEND)


def capacity(channel: Channel, second_moment: float = 1.0) -> float:
    """The most one label can tell a label-agnostic strategy, in nats: max of I(y; h) over h ~ N(ω,
    V), ω² + V ≤ r⁰.

    A channel that is odd is asked at ω = 0 only, where its label is least
    certain.

    >>> from gardner.model import Flip, Sign
    >>> round(capacity(Sign()), 6), round(capacity(Flip(0.1)), 6)
    (0.693147, 0.368064)
    """
    shares = np.zeros(1) if channel.odd else np.linspace(-1.0, 1.0, 201)
    omega = math.sqrt(second_moment) * shares[:, None]
    variances = np.maximum(second_moment - omega**2, 1e-9 * second_moment) * np.geomspace(1e-6, 1.0, 61)
    return float(np.max(np.asarray(channel.information(omega + 0.0 * variances, variances))))


def label_entropy(pair: Pair) -> float:
    """The most entropy a label of zero mean field can have: ln 2 if binary, that of its variance if
    real.
    """
    if not pair.matched:
        return math.nan
    if not pair.regression:
        return math.log(len(pair.student.channel.labels))
    mean, variance = pair.student.channel.predictive(0.0, pair.teacher.prior.second_moment)
    return 0.5 * math.log(2.0 * math.pi * math.e * float(variance + mean * mean))


def mean_log_likelihood(pair: Pair) -> float:
    """E ln P_out(y|h⁰) of a row chosen at random."""
    if _silent(pair):
        return 0.0
    if pair.student.channel.noiseless:
        return math.nan  # the posterior excludes a teacher that makes errors
    if pair.regression:
        return regression.likelihood(pair)
    r0 = pair.teacher.prior.second_moment
    return sum(count * float(_expected(pair, y, np.zeros(1), r0)[0]) for y, count in pair.label_classes)


def noise_term(pair: Pair, pool_ratio: float, z: Floats, grid: Grid) -> float:
    """(1/N) Σ_{μ∈S} ln P_out(y|h⁰) at a point of the curve."""
    if _silent(pair):
        return 0.0
    if pair.student.channel.noiseless:
        return math.nan
    at = Parameters(pair, z)
    total = 0.0
    for group in row_groups(at, *grid.normal()):
        likelihood = _linear_likelihood(at, group.eta) if pair.regression else _of_row(at, group.y, group.eta)
        total += float(np.sum(group.weights * sigmoid(at.phi.value + group.field()) * likelihood))
    return pool_ratio * total


def _of_row(at: Parameters, y: float, eta: Floats) -> Floats:
    """∫Dh P̄_out(y|h⁰) ln P_out(y|h⁰) of the rows at η."""
    mean, spread = at.teacher
    return _expected(at.pair, y, mean.value * eta, spread.value)


def _linear_likelihood(at: Parameters, eta: Floats) -> Floats:
    """The same where labels are real, per unit of the density of the residual."""
    known, assumed = regression.noise_of(at.pair)
    share = known / regression.error_variance(at.pair, at.m.value, at.t.value)
    squares = known * (1.0 - share) + known * share * eta * eta
    likelihood: Floats = -0.5 * math.log(2.0 * math.pi * assumed) - 0.5 * squares / assumed
    return likelihood


def _silent(pair: Pair) -> bool:
    """Whether there is no noise at all."""
    return pair.student.channel.noiseless and pair.teacher.channel.noiseless


def _expected(pair: Pair, y: float, mean: Floats, variance: float) -> Floats:
    """∫ N(h; mean, variance) P̄_out(y|h) ln P_out(y|h) dh: nodes crowd at h = 0, where likelihoods
    jump or turn.
    """
    width = _WIDTHS * math.sqrt(variance)
    total = np.zeros_like(mean)
    for sign in (-1.0, 1.0):  # each half-line, from its point nearest to zero outwards
        near = np.maximum(sign * mean - width, 0.0)
        far = np.maximum(sign * mean + width, near)
        h = sign * (near[:, None] + (far - near)[:, None] * _PLACES)
        density = np.exp(-0.5 * (h - mean[:, None]) ** 2 / variance) / math.sqrt(2.0 * math.pi * variance)
        teacher_probability = np.exp(np.asarray(pair.teacher.channel.log_probability(y, h)))
        integrand = teacher_probability * np.asarray(pair.student.channel.log_probability(y, h))
        total += (far - near) * np.sum(_SLOPES * density * np.where(teacher_probability > 0.0, integrand, 0.0), axis=-1)
    return total
