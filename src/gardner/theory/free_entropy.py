"""THE formula: the replica-symmetric free entropy Φ(β, φ) of a teacher–student GLM [cui2020, eq. (10) and App. B–C].

The order parameters are carried as θ = (m, t, D, V, φ, β) with

    q = m² + t,   Q = q + D,   r = Q + V,   W = V + βD,

so that the small differences the problem lives on (t = q − m², D = Q − q, V = r − Q) are never formed by subtraction; m
is in units of √r⁰ (:mod:`gardner.theory.pair`). :func:`closed` is the form for a Gaussian prior, its hats eliminated;
:func:`general` keeps the hats and takes any prior and any teacher; a test holds the two equal. Stationarity, n = ∂Φ/∂φ,
ln v = ∂Φ/∂β and all their derivatives are automatic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.special import logsumexp

from gardner.model import Channel, Logistic, Prior, Probit, Sign
from gardner.theory import regression
from gardner.theory.pair import Pair
from gardner.theory.quadrature import DROP, Peak, Window, peak, window, window_rule
from gardner.theory.special import JAX, POLYNOMIAL
from gardner.theory.table import tabulated

INNER_ORDER = 28  # Gauss–Legendre nodes on each side of the inner peak
CHECK_ORDER = 40  # the same, for the error estimate
COSTLY = (Logistic,)  # ψ_Y is a sum of many terms
LOG_CONCAVE = (Sign, Probit)  # ψ_Y concave with −ψ'' ≤ 1/V: one peak in ζ wherever V + βD > 0


class Theta(NamedTuple):
    """A point (m, t, D, V, φ, β); entries may be numbers or JAX values."""

    m: Any
    t: Any
    D: Any
    V: Any
    phi: Any
    beta: Any

    @property
    def q(self) -> Any:
        """Overlap of two students trained on different subsets."""
        return self.m * self.m + self.t

    @property
    def Q(self) -> Any:
        """Overlap of two students trained on the same subset."""
        return self.q + self.D

    @property
    def r(self) -> Any:
        """Squared norm of a student."""
        return self.Q + self.V

    @property
    def W(self) -> Any:
        """V + βD, positive wherever the inner integral exists."""
        return self.V + self.beta * self.D


class Hats(NamedTuple):
    """Conjugate order parameters (m̂, q̂, Q̂, r̂)."""

    m: Any
    q: Any
    Q: Any
    r: Any


Psi = Callable[..., Any]  # a log-partition function ψ(field, *parameters)


def locate(psi: Psi, parameters: tuple[Any, ...], beta: Any, centre: Any, spread: Any, drop: Any = DROP) -> Peak:
    """The peak of exp(β ψ(centre + √spread z; parameters) − z²/2) in z, for each entry of ``centre``."""
    return peak(lambda z: beta * psi(centre + jnp.sqrt(spread) * z, *parameters), jnp.shape(centre), drop)


def surround(psi: Psi, parameters: tuple[Any, ...], beta: Any, centre: Any, spread: Any, drop: Any = DROP) -> Window:
    """Where the same integrand lives when it may have several peaks."""
    return window(lambda z: beta * psi(centre + jnp.sqrt(spread) * z, *parameters), jnp.shape(centre), drop)


def log_density(
    psi: Psi, parameters: tuple[Any, ...], beta: Any, centre: Any, spread: Any, at: Peak | Window, order: int
) -> tuple[Any, Any]:
    """Fields centre + √spread z on nodes around a peak (last axis) and the logarithm of weight × exp(β ψ) there."""
    z, log_weights = window_rule(at, order)
    fields = centre[..., None] + jnp.sqrt(spread) * z
    return fields, beta * psi(fields, *parameters) + log_weights


def log_average(
    psi: Psi, parameters: tuple[Any, ...], beta: Any, centre: Any, spread: Any, at: Peak | Window, order: int
) -> Any:
    """Ln ∫Dz exp(β ψ(centre + √spread z; parameters)), with nodes around a peak that was located before."""
    return logsumexp(log_density(psi, parameters, beta, centre, spread, at, order)[1], axis=-1)


def channel_psi(channel: Channel, y: float, beta: Any, h: Any, D: Any, V: Any) -> Psi:
    """ψ_Y(y, ω, V) as a function of (ω, V); one that is costly is tabulated for the fields h + √D ζ."""

    def psi(omega: Any, V: Any) -> Any:
        return channel.log_partition(y, omega, V, JAX)

    if not isinstance(channel, COSTLY):
        return psi
    reach = jnp.max(jnp.abs(h)) + 20.0 * jnp.sqrt(D) + 2.0 * channel.scale * jnp.abs(beta) * D
    return tabulated(psi, V, reach, 4.0 * jnp.sqrt(V + 1.0 / channel.scale**2))


def channel_peaks(channel: Channel, beta: Any, h: jax.Array, D: Any, V: Any, drop: Any = DROP) -> list[Peak | Window]:
    """Where exp(β ψ_Y(y, h + √D ζ, V) − ζ²/2) lives in ζ at each h, one for each class of labels."""
    find = locate if isinstance(channel, LOG_CONCAVE) else surround
    return [find(channel_psi(channel, y, beta, h, D, V), (V,), beta, h, D, drop) for y, _ in channel.label_classes]


def selection_field(
    channel: Channel, y: float, theta: Theta, h: Any, at: Peak | Window, order: int = INNER_ORDER
) -> Any:
    """L(y, h) = ln ∫Dζ exp(β ψ_Y(y, h + √D ζ, V)) at each h: with φ, the log-odds that a row is selected."""
    psi = channel_psi(channel, y, theta.beta, h, theta.D, theta.V)
    return log_average(psi, (theta.V,), theta.beta, h, theta.D, at, order)


def teacher_log_weight(pair: Pair, y: float, theta: Theta, eta: Any) -> Any:
    """Ln Z⁰_Y(y, η) = ln ∫Dh P̄_out(y | √(r⁰ − m²/q) h + (m/√q) η)."""
    spread = pair.teacher.prior.second_moment * theta.t / theta.q
    mean = pair.teacher_scale * theta.m * eta / jnp.sqrt(theta.q)
    return pair.teacher.channel.log_partition(y, mean, spread, JAX)


def rows(
    pair: Pair, theta: Theta, eta: Any, peaks: list[Peak | Window], order: int = INNER_ORDER
) -> list[tuple[Any, Any]]:
    """The kinds of rows there are at η: pairs (teacher's weight, φ + L).

    One kind for each class of labels; real labels of a linear pair need one only, η standing for (y − h)/√E
    (:mod:`gardner.theory.regression`).
    """
    m, t, D, V, phi, beta = theta
    if pair.regression:
        return [(jnp.ones_like(eta), phi + regression.selection_field(pair, m, t, D, V, beta, eta))]
    kinds = []
    for (y, count), at in zip(pair.student.channel.label_classes, peaks, strict=True):
        field = phi + selection_field(pair.student.channel, y, theta, jnp.sqrt(theta.q) * eta, at, order)
        kinds.append((count * jnp.exp(teacher_log_weight(pair, y, theta, eta)), field))
    return kinds


def energetic(
    pair: Pair,
    theta: Theta,
    eta: jax.Array,
    weights: jax.Array,
    peaks: list[Peak | Window],
    order: int = INNER_ORDER,
) -> Any:
    """Σ_y ∫Dη Z⁰_Y(y, η) {ln[1 + e^φ ∫Dζ exp(β ψ_Y(y, √D ζ + √q η, V))] − ln(1 + e^φ)}, on given nodes.

    Z⁰_Y is normalised, so the constant ln(1+e^φ) can be taken out exactly (:func:`constant` puts it back): what is
    left is of order β and lives where labels are uncertain, and its derivatives stay accurate when that is a sliver
    of the range (large pools) or β is small.
    """
    total = jnp.zeros(())
    for weight, field in rows(pair, theta, eta, peaks, order):
        total += jnp.sum(weights * weight * (jax.nn.softplus(field) - jax.nn.softplus(theta.phi)))
    return total


def constant(theta: Theta) -> Any:
    """Ln(1 + e^φ): a row that carries no information is still selected or not."""
    return jax.nn.softplus(theta.phi)


def entropic(theta: Theta, variance: float = 1.0) -> Any:
    """½[(β−1) ln V + ln W + βt/W + β(1 − r/σ² − ln σ²)]: a Gaussian prior of variance σ², its hats eliminated.

    The teacher's prior enters by its second moment only (through m): the weights' field is Gaussian given x⁰, and its
    logarithm is quadratic.
    """
    m, t, D, V, _, beta = theta
    minus_log = (beta - 1.0) * jnp.log(V) + jnp.log(theta.W)
    norm = (m * m + t + D + V) / variance + math.log(variance)
    return 0.5 * (minus_log + beta * t / theta.W + beta * (1.0 - norm))


def closed(pair: Pair, pool_ratio: Any, theta: Theta, eta: jax.Array, weights: jax.Array) -> Any:
    """Φ before extremisation, Gaussian prior of the student."""
    energy = constant(theta) + energetic(pair, theta, eta, weights, _frozen_peaks(pair, theta, eta))
    return entropic(theta, pair.student.prior.second_moment) + pool_ratio * energy


def _frozen_peaks(pair: Pair, theta: Theta, eta: jax.Array) -> list[Peak | Window]:
    fixed: Theta = jax.lax.stop_gradient(theta)
    return channel_peaks(pair.student.channel, fixed.beta, jnp.sqrt(fixed.q) * eta, fixed.D, fixed.V)


def gaussian_hats(theta: Theta, variance: float = 1.0) -> Hats:
    """The hats that make :func:`general` stationary for a Gaussian prior: m̂ = m/W, q̂ = t/W², Q̂ − q̂ = D/(VW)."""
    m, t, D, V, _, _ = theta
    q_hat = t / theta.W**2
    Q_hat = q_hat + D / (V * theta.W)
    return Hats(m / theta.W, q_hat, Q_hat, 1.0 / V - 1.0 / variance - Q_hat)


def coupling(theta: Theta, hats: Hats) -> Any:
    """(β/2) r r̂ − β m m̂ − (β(β−1)/2) Q Q̂ + (β²/2) q q̂."""
    beta = theta.beta
    return (
        0.5 * beta * theta.r * hats.r
        - beta * theta.m * hats.m
        - 0.5 * beta * (beta - 1.0) * theta.Q * hats.Q
        + 0.5 * beta**2 * theta.q * hats.q
    )


def general(pair: Pair, pool_ratio: Any, theta: Theta, hats: Hats, eta: jax.Array, weights: jax.Array) -> Any:
    """Φ before extremisation over order parameters and hats, any prior, channel and teacher."""
    frozen = jax.lax.stop_gradient(hats)
    at = window(lambda x: teacher_weight(pair, x, frozen.m, frozen.q), ())
    xi, log_weights = window_rule(at, 4 * CHECK_ORDER)
    prior_part = weight_average(pair, theta.beta, hats, xi, log_weights, CHECK_ORDER)
    energy = constant(theta) + energetic(pair, theta, eta, weights, _frozen_peaks(pair, theta, eta))
    return coupling(theta, hats) + prior_part + pool_ratio * energy


def teacher_weight(pair: Pair, xi: Any, m_hat: Any, q_hat: Any) -> Any:
    """Ln Z⁰_X(ξ) = ψ̄_X(m̂²/q̂, m̂ξ/√q̂) of the teacher's weights in units of √r⁰."""
    signal = m_hat / jnp.sqrt(q_hat) / pair.teacher_scale
    return pair.teacher.prior.log_partition(signal**2, signal * xi, JAX)


def prior_psi(prior: Prior) -> Psi:
    """ψ_X(A, b) as a function of (b, A)."""
    return lambda b, A: prior.log_partition(A, b, POLYNOMIAL)


def weight_average(pair: Pair, beta: Any, hats: Hats, xi: Any, log_weights: Any, order: int) -> Any:
    """∫Dξ Z⁰_X(ξ) ln ∫Dλ exp[β ψ_X(r̂+Q̂, √(Q̂−q̂) λ + √q̂ ξ)] on given nodes ξ.

    ψ_X is convex in the field, so for β > 0 the integrand over λ may have several peaks (binary weights): a window.
    """

    frozen_beta, frozen = jax.lax.stop_gradient((beta, hats))
    psi = prior_psi(pair.student.prior)
    at = surround(psi, (frozen.r + frozen.Q,), frozen_beta, jnp.sqrt(frozen.q) * xi, frozen.Q - frozen.q)
    inner = log_average(psi, (hats.r + hats.Q,), beta, jnp.sqrt(hats.q) * xi, hats.Q - hats.q, at, order)
    return jnp.sum(jnp.exp(teacher_weight(pair, xi, hats.m, hats.q) + log_weights) * inner)
