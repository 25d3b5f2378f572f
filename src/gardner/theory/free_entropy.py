"""THE formula: the replica-symmetric free entropy Φ(β, φ) of a teacher–student GLM [cui2020, eq. (10) and App. B–C].

The order parameters are carried as θ = (m, t, D, V, φ, β) with

    q = m² + t,   Q = q + D,   r = Q + V,   W = V + βD,

so that the small differences the problem lives on (t = q − m², D = Q − q, V = r − Q) are never formed by subtraction.
:func:`closed` is the form for a Gaussian prior, its hats eliminated; :func:`general` keeps the hats and takes any
prior and any teacher; a test holds the two equal. Stationarity, n = ∂Φ/∂φ, ln v = ∂Φ/∂β and all their derivatives are
automatic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.special import logsumexp

from gardner.model import GLM, Channel, Prior
from gardner.theory.quadrature import DROP, Peak, peak, window_rule
from gardner.theory.special import JAX

INNER_ORDER = 28  # Gauss–Legendre nodes on each side of the inner peak
CHECK_ORDER = 40  # the same, for the error estimate


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


def log_density(
    psi: Psi, parameters: tuple[Any, ...], beta: Any, centre: Any, spread: Any, at: Peak, order: int
) -> tuple[Any, Any]:
    """Fields centre + √spread z on nodes around a peak (last axis) and the logarithm of weight × exp(β ψ) there."""
    z, log_weights = window_rule(at, order)
    fields = centre[..., None] + jnp.sqrt(spread) * z
    return fields, beta * psi(fields, *parameters) + log_weights


def log_average(
    psi: Psi, parameters: tuple[Any, ...], beta: Any, centre: Any, spread: Any, at: Peak, order: int
) -> Any:
    """Ln ∫Dz exp(β ψ(centre + √spread z; parameters)), with nodes around a peak that was located before."""
    return logsumexp(log_density(psi, parameters, beta, centre, spread, at, order)[1], axis=-1)


def channel_psi(channel: Channel, y: float) -> Psi:
    """ψ_Y(y, ω, V) as a function of (ω, V)."""
    return lambda omega, V: channel.log_partition(y, omega, V, JAX)


def channel_peaks(channel: Channel, beta: Any, h: jax.Array, D: Any, V: Any, drop: Any = DROP) -> list[Peak]:
    """Peaks of exp(β ψ_Y(y, h + √D ζ, V) − ζ²/2) in ζ at each h, one for each class of labels."""
    return [locate(channel_psi(channel, y), (V,), beta, h, D, drop) for y, _ in channel.label_classes]


def selection_field(channel: Channel, y: float, theta: Theta, h: Any, at: Peak, order: int = INNER_ORDER) -> Any:
    """L(y, h) = ln ∫Dζ exp(β ψ_Y(y, h + √D ζ, V)) at each h: with φ, the log-odds that a row is selected."""
    return log_average(channel_psi(channel, y), (theta.V,), theta.beta, h, theta.D, at, order)


def teacher_log_weight(teacher: GLM, y: float, theta: Theta, eta: Any) -> Any:
    """Ln Z⁰_Y(y, η) = ln ∫Dh P̄_out(y | √(r⁰ − m²/q) h + (m/√q) η)."""
    spread = theta.t / theta.q + (teacher.prior.second_moment - 1.0)
    return teacher.channel.log_partition(y, theta.m * eta / jnp.sqrt(theta.q), spread, JAX)


def energetic(
    teacher: GLM,
    student: Channel,
    theta: Theta,
    eta: jax.Array,
    weights: jax.Array,
    peaks: list[Peak],
    order: int = INNER_ORDER,
) -> Any:
    """Σ_y ∫Dη Z⁰_Y(y, η) {ln[1 + e^φ ∫Dζ exp(β ψ_Y(y, √D ζ + √q η, V))] − ln(1 + e^φ)}, on given nodes.

    Z⁰_Y is normalised, so the constant ln(1+e^φ) can be taken out exactly (:func:`constant` puts it back): what is
    left is of order β and lives where labels are uncertain, and its derivatives stay accurate when that is a sliver
    of the range (large pools) or β is small.
    """
    total = jnp.zeros(())
    for (y, count), at in zip(student.label_classes, peaks, strict=True):
        field = theta.phi + selection_field(student, y, theta, jnp.sqrt(theta.q) * eta, at, order)
        teacher_weights = weights * jnp.exp(teacher_log_weight(teacher, y, theta, eta))
        total += count * jnp.sum(teacher_weights * (jax.nn.softplus(field) - jax.nn.softplus(theta.phi)))
    return total


def constant(theta: Theta) -> Any:
    """Ln(1 + e^φ): a row that carries no information is still selected or not."""
    return jax.nn.softplus(theta.phi)


def entropic(theta: Theta) -> Any:
    """½[(β−1) ln V + ln W + β t/W + β(1−r)]: what is left of a Gaussian prior when the hats are eliminated."""
    m, t, D, V, _, beta = theta
    minus_log = (beta - 1.0) * jnp.log(V) + jnp.log(theta.W)
    return 0.5 * (minus_log + beta * t / theta.W + beta * (1.0 - (m * m + t + D + V)))


def closed(model: GLM, pool_ratio: Any, theta: Theta, eta: jax.Array, weights: jax.Array) -> Any:
    """Φ before extremisation, Gaussian prior, teacher and student alike."""
    peaks = _frozen_peaks(model.channel, theta, eta)
    return entropic(theta) + pool_ratio * (
        constant(theta) + energetic(model, model.channel, theta, eta, weights, peaks)
    )


def _frozen_peaks(channel: Channel, theta: Theta, eta: jax.Array) -> list[Peak]:
    fixed: Theta = jax.lax.stop_gradient(theta)
    return channel_peaks(channel, fixed.beta, jnp.sqrt(fixed.q) * eta, fixed.D, fixed.V)


def gaussian_hats(theta: Theta) -> Hats:
    """The hats that make :func:`general` stationary for a Gaussian prior: m̂ = m/W, q̂ = t/W², Q̂ − q̂ = D/(VW)."""
    m, t, D, V, _, _ = theta
    q_hat = t / theta.W**2
    Q_hat = q_hat + D / (V * theta.W)
    return Hats(m / theta.W, q_hat, Q_hat, 1.0 / V - 1.0 - Q_hat)


def general(
    teacher: GLM, student: GLM, pool_ratio: Any, theta: Theta, hats: Hats, eta: jax.Array, weights: jax.Array
) -> Any:
    """Φ before extremisation over order parameters and hats, any prior, channel and teacher."""
    m, _, _, _, _, beta = theta
    coupling = (
        0.5 * beta * theta.r * hats.r
        - beta * m * hats.m
        - 0.5 * beta * (beta - 1.0) * theta.Q * hats.Q
        + 0.5 * beta**2 * theta.q * hats.q
    )
    prior_part = _prior_average(teacher.prior, student.prior, beta, hats)
    peaks = _frozen_peaks(student.channel, theta, eta)
    energy = constant(theta) + energetic(teacher, student.channel, theta, eta, weights, peaks)
    return coupling + prior_part + pool_ratio * energy


def _prior_average(teacher: Prior, student: Prior, beta: Any, hats: Hats) -> Any:
    """∫Dξ Z⁰_X(ξ) ln ∫Dλ exp[β ψ_X(r̂+Q̂, √(Q̂−q̂) λ + √q̂ ξ)], Z⁰_X(ξ) = exp ψ̄_X(m̂²/q̂, m̂ξ/√q̂)."""

    def teacher_weight(xi: Any, m_hat: Any, q_hat: Any) -> Any:
        return teacher.log_partition(m_hat**2 / q_hat, m_hat * xi / jnp.sqrt(q_hat), JAX)

    def psi(b: Any, A: Any) -> Any:
        return student.log_partition(A, b, JAX)

    frozen_beta, frozen = jax.lax.stop_gradient((beta, hats))
    window = peak(lambda x: teacher_weight(x, frozen.m, frozen.q), ())
    xi, log_weights = window_rule(window, 2 * CHECK_ORDER)
    at = locate(psi, (frozen.r + frozen.Q,), frozen_beta, jnp.sqrt(frozen.q) * xi, frozen.Q - frozen.q)
    inner = log_average(psi, (hats.r + hats.Q,), beta, jnp.sqrt(hats.q) * xi, hats.Q - hats.q, at, CHECK_ORDER)
    return jnp.sum(jnp.exp(teacher_weight(xi, hats.m, hats.q) + log_weights) * inner)
