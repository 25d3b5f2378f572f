"""With noise, evidence is not information: what a subset's labels tell about the teacher.

A subset of small evidence may just be rich in wrong labels. What its labels y tell about the teacher x⁰ is the
information density, per weight,

    information = (1/N) ln P(x⁰|y)/P(x⁰) = −ln v + (1/N) Σ_{μ∈S} ln P_out(y^μ|h⁰^μ),      [cover2006]

how much likelier than before the posterior holds the true weights. For a random subset its mean is the mutual
information of labels and weights, I(x⁰; y) = H(y) − H(y|x⁰); for selected ones the noise term −ln P_out is averaged
over the labels that were selected,

    α Σ_y ∫Dη p_sel(y, η) ∫Dh P̄_out(y|h⁰) ln P_out(y|h⁰),   h⁰ = √(r⁰t/q) h + √r⁰ (m/√q) η,   p_sel = σ(φ + L),

since given η a row's selection depends on the teacher's field through the label only. Without noise it is −ln v.
For a linear pair the noise w = y − h⁰ given the residual u is normal of mean Δ⁰u/E and variance Δ⁰(1 − Δ⁰/E).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gardner.model import Channel
from gardner.theory import regression
from gardner.theory.fixed_points import FixedPoint
from gardner.theory.free_entropy import Theta, channel_psi, rows
from gardner.theory.pair import Pair
from gardner.theory.quadrature import Floats, Grid, Peak, Window

_SHARP = 1e-18  # variance at which ψ_Y is the likelihood itself
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
_BEND, _WIDTHS = 7.0, 9.0


def capacity(channel: Channel, second_moment: float = 1.0) -> float:
    """The most one label can tell a label-agnostic strategy, in nats: max of I(y; h) over h ~ N(ω, V), ω² + V ≤ r⁰.

    A channel that treats both labels alike is asked at ω = 0 only, where its label is least certain.

    >>> from gardner.model import Flip, Sign
    >>> round(capacity(Sign()), 6), round(capacity(Flip(0.1)), 6)
    (0.693147, 0.368064)
    """
    symmetric = len(channel.label_classes) < len(channel.labels)
    shares = np.zeros(1) if symmetric else np.linspace(-1.0, 1.0, 201)
    omega = math.sqrt(second_moment) * shares[:, None]
    variances = np.maximum(second_moment - omega**2, 1e-9 * second_moment) * np.geomspace(1e-6, 1.0, 61)
    return float(np.max(np.asarray(channel.information(omega + 0.0 * variances, variances))))


def label_entropy(pair: Pair) -> float:
    """The most entropy a label of zero mean field can have: ln 2 if binary, that of its variance if real."""
    if not pair.matched:
        return math.nan
    if not pair.regression:
        return math.log(len(pair.student.channel.labels))
    noise = float(getattr(pair.student.channel, "noise", math.nan))
    return 0.5 * math.log(2.0 * math.pi * math.e * (pair.teacher.prior.second_moment + noise))


def typical_information(pair: Pair, at: FixedPoint, budget: float) -> float:
    """The information of a random subset: its noise is that of all rows."""
    if _silent(pair):
        return -at.log_volume
    if pair.student.channel.noiseless:
        return math.nan  # the posterior excludes a teacher that makes errors
    if pair.regression:
        return -at.log_volume + budget * _regression_likelihood(pair)
    r0 = pair.teacher.prior.second_moment
    total = sum(
        count * float(_expected(pair, y, jnp.zeros(1), jnp.asarray(r0))[0])
        for y, count in pair.student.channel.label_classes
    )
    return -at.log_volume + budget * total


def noise_term(pair: Pair, pool_ratio: float, theta: Floats, grid: Grid, peaks: Any) -> float:
    """(1/N) Σ_{μ∈S} ln P_out(y|h⁰) at a point of the curve; ``peaks`` maps outer nodes to inner peaks."""
    if _silent(pair):
        return 0.0
    if pair.student.channel.noiseless:
        return math.nan
    parts = [_selected(pair, theta, *chunk, peaks(pair, theta, chunk[0])) for chunk in grid.chunks()]
    return pool_ratio * float(np.sum(np.asarray(parts)))


def _silent(pair: Pair) -> bool:
    """Whether there is no noise at all."""
    return pair.student.channel.noiseless and pair.teacher.channel.noiseless


def _regression_likelihood(pair: Pair) -> float:
    """E ln P_out(y|h⁰) over all rows: of the linear channel, and of y = |h| + noise but for its noise at h = 0."""
    known, assumed = (float(getattr(model.channel, "noise", math.nan)) for model in (pair.teacher, pair.student))
    return -0.5 * math.log(2.0 * math.pi * assumed) - 0.5 * known / assumed


@functools.partial(jax.jit, static_argnums=(0, 1))
def _expected(pair: Pair, y: float, mean: Any, variance: Any) -> Any:
    """∫ N(h; mean, variance) P̄_out(y|h) ln P_out(y|h) dh: nodes crowd at h = 0, where likelihoods jump or turn."""
    width = _WIDTHS * jnp.sqrt(variance)
    places = jnp.asarray(np.expm1(_BEND * 0.5 * (_NODES + 1.0)) / np.expm1(_BEND))
    slopes = jnp.asarray(0.5 * _WEIGHTS * _BEND * np.exp(_BEND * 0.5 * (_NODES + 1.0)) / np.expm1(_BEND))
    total = jnp.zeros_like(mean)
    for sign in (-1.0, 1.0):  # each half-line, from its point nearest to zero outwards
        near = jnp.maximum(sign * mean - width, 0.0)
        far = jnp.maximum(sign * mean + width, near)
        h = sign * (near[:, None] + (far - near)[:, None] * places)
        density = jnp.exp(-0.5 * (h - mean[:, None]) ** 2 / variance) / jnp.sqrt(2.0 * math.pi * variance)
        teacher, student = (
            channel_psi(model.channel, y, 0.0, h, 0.0, jnp.asarray(_SHARP))(h, _SHARP)
            for model in (pair.teacher, pair.student)
        )
        total += (far - near) * jnp.sum(slopes * density * jnp.exp(teacher) * student, axis=-1)
    return total


@functools.partial(jax.jit, static_argnums=0)
def _selected(
    pair: Pair, theta: jax.Array, eta: jax.Array, weights: jax.Array, peaks: list[Peak | Window]
) -> jax.Array:
    """The noise term of the rows at the nodes η."""
    point = Theta(*theta)
    kinds = rows(pair, point, eta, peaks)
    if pair.regression:
        known, assumed = regression.noise_of(pair)
        share = known / regression.error_variance(pair, point.m, point.t)
        squares = known * (1.0 - share) + known * share * eta * eta
        likelihood = -0.5 * math.log(2.0 * math.pi * assumed) - 0.5 * squares / assumed
        return jnp.sum(weights * jax.nn.sigmoid(kinds[0][1]) * likelihood)
    mean = pair.teacher_scale * point.m * eta / jnp.sqrt(point.q)
    variance = pair.teacher.prior.second_moment * point.t / point.q
    total = jnp.zeros(())
    for (y, count), (_, field) in zip(pair.student.channel.label_classes, kinds, strict=True):
        total += count * jnp.sum(weights * jax.nn.sigmoid(field) * _expected(pair, y, mean, variance))
    return total
