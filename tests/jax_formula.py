"""The witness: THE formula as it is written, over JAX, differentiated automatically.

The engine of :mod:`gardner.theory` writes its derivatives by hand; here they come from the formula.
Nodes are handed in.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erfc, logsumexp

from gardner.model import Channel, Prior
from gardner.model.special import Library
from gardner.theory.formula.average import CHECK_ORDER, Inner
from gardner.theory.formula.expansion import channel_psi, prior_psi
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.quadrature import Grid, window_rule
from gardner.theory.formula.taylor import Floats

P = ParamSpec("P")
T = TypeVar("T")
_FAR, _DEPTH = -8.0, 16


def double_precision(function: Callable[P, T]) -> Callable[P, T]:
    """Run a function with 64-bit JAX on the CPU."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        with jax.enable_x64(True), jax.default_device(jax.local_devices(backend="cpu")[0]):
            return function(*args, **kwargs)

    return wrapped


def _ratio(u: jax.Array) -> jax.Array:
    """ρ(u) = φ(u)/Φ(u); for u < −8 Laplace's continued fraction ρ(−x) = x + 1/(x + 2/(x + 3/(x +
    …))).
    """
    x = jnp.maximum(-u, -_FAR)
    tail = jax.lax.fori_loop(0, _DEPTH, lambda i, rest: (_DEPTH - i) / (x + rest), jnp.zeros_like(x))
    near = jnp.maximum(u, _FAR)
    ratio = jnp.exp(-0.5 * near * near) * math.sqrt(2.0 / math.pi) / erfc(-near / math.sqrt(2.0))
    return jnp.where(u < _FAR, x + tail, ratio)


@jax.custom_jvp
def inverse_mills(u: jax.Array) -> jax.Array:
    """ρ(u), with derivatives that stay accurate in the far tail."""
    return _ratio(u)


@jax.custom_jvp
def log_ndtr(u: jax.Array) -> jax.Array:
    """ln Φ(u), with derivatives through ρ."""
    left = -0.5 * u * u - 0.5 * math.log(2.0 * math.pi) - jnp.log(inverse_mills(u))
    return jnp.where(u < 0.0, left, jnp.log1p(-0.5 * erfc(jnp.maximum(u, 0.0) / math.sqrt(2.0))))


@inverse_mills.defjvp
def _mills_jvp(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
    (u,), (du,) = primals, tangents
    rho = inverse_mills(u)
    return rho, -rho * (rho + u) * du


@log_ndtr.defjvp
def _log_phi_jvp(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
    (u,), (du,) = primals, tangents
    return log_ndtr(u), inverse_mills(u) * du


def _pair(u: jax.Array) -> tuple[jax.Array, jax.Array]:
    rho = inverse_mills(u)
    return rho, rho + u


JAX = Library(*cast(Any, (jnp, log_ndtr, _pair)))


class Theta(NamedTuple):
    """A point (m, t, D, V, φ, β) of JAX values."""

    m: Any
    t: Any
    D: Any
    V: Any
    phi: Any
    beta: Any

    @property
    def q(self) -> Any:
        return self.m**2 + self.t

    @property
    def Q(self) -> Any:
        return self.q + self.D

    @property
    def r(self) -> Any:
        return self.Q + self.V

    @property
    def W(self) -> Any:
        return self.V + self.beta * self.D


class Conjugates(NamedTuple):
    """Conjugate order parameters (m̂, q̂, Q̂, r̂) of JAX values."""

    m: Any
    q: Any
    Q: Any
    r: Any


def theta_of(z: Any) -> Theta:
    """The point of coordinates z."""
    e, V, beta = jnp.exp(z[2]), jnp.exp(z[3]), jnp.sinh(z[5])
    D = jnp.where(beta < 0.0, e * V / (1.0 - beta * e), e * V)
    return Theta(jnp.exp(z[0]), jnp.exp(z[1]), D, V, jnp.sinh(z[4]), beta)


def conjugates_of(pair: Pair, z: Any) -> Conjugates:
    """Conjugates at the coordinates (z, k); for a fixed norm A stands for nothing and is zero."""
    m, q, apart = jnp.exp(z[6]), jnp.exp(z[7]), jnp.exp(z[8])
    A: Any = 0.0
    if not pair.fixed_norm and math.isinf(pair.tail_precision):
        A = jnp.sinh(z[9])
    elif not pair.fixed_norm:
        A = jnp.exp(z[9]) - pair.tail_precision + jnp.maximum(jnp.sinh(z[5]), 0.0) * apart
    return Conjugates(m, q, q + apart, A - q - apart)


def entropic(theta: Theta, variance: float = 1.0) -> Any:
    """½[(β−1) ln V + ln W + βt/W + β(1 − r/σ² − ln σ²)]: a Gaussian prior, its conjugates
    eliminated.
    """
    _, t, _, V, _, beta = theta
    return 0.5 * (
        (beta - 1.0) * jnp.log(V)
        + jnp.log(theta.W)
        + beta * t / theta.W
        + beta * (1.0 - theta.r / variance - math.log(variance))
    )


def gaussian_conjugates(theta: Theta, variance: float = 1.0) -> Conjugates:
    """The conjugates that are stationary for a Gaussian prior: m̂ = m/W, q̂ = t/W², Q̂ − q̂ =
    D/(VW).
    """
    q_hat = theta.t / theta.W**2
    Q_hat = q_hat + theta.D / (theta.V * theta.W)
    return Conjugates(theta.m / theta.W, q_hat, Q_hat, 1.0 / theta.V - 1.0 / variance - Q_hat)


def coupling(theta: Theta, conjugates: Conjugates) -> Any:
    """(β/2) r r̂ − β m m̂ − (β(β−1)/2) Q Q̂ + (β²/2) q q̂."""
    beta = theta.beta
    return (
        0.5 * beta * theta.r * conjugates.r
        - beta * theta.m * conjugates.m
        - 0.5 * beta * (beta - 1.0) * theta.Q * conjugates.Q
        + 0.5 * beta**2 * theta.q * conjugates.q
    )


def channel_nodes(channel: Channel, y: float, theta: Any, h: Floats) -> tuple[Floats, Floats]:
    """Nodes ζ and log-weights for the rows at h (numbers, constants to differentiation)."""
    inner = Inner(channel_psi(channel, y, float(theta.V)), float(theta.beta), h, float(theta.D))
    return window_rule(inner.locate(channel.log_concave), CHECK_ORDER)


def energetic(pair: Pair, theta: Theta, grid: Grid | Nodes, nodes: list[tuple[Floats, Floats]]) -> Any:
    """Σ_y ∫Dη Z⁰_Y(y, η) {ln[1 + e^φ ∫Dζ exp(β ψ_Y(y, √D ζ + √q η, V))] − ln(1 + e^φ)}."""
    eta, weights = (jnp.asarray(part) for part in grid.normal())
    total: Any = 0.0
    for (y, count), (zeta, log_weights) in zip(pair.label_classes, nodes, strict=True):
        fields = jnp.sqrt(theta.q) * eta[:, None] + jnp.sqrt(theta.D) * zeta
        psi = pair.student.channel.log_partition(y, fields, theta.V, JAX)
        L = logsumexp(theta.beta * psi + log_weights, axis=1)
        mean = pair.teacher_scale * theta.m * eta / jnp.sqrt(theta.q)
        spread = pair.teacher.prior.second_moment * theta.t / theta.q
        seen = jnp.exp(jnp.asarray(pair.teacher.channel.log_partition(y, mean, spread, JAX)))
        gain = jax.nn.softplus(theta.phi + L) - jax.nn.softplus(theta.phi)
        total += count * jnp.sum(weights * seen * gain)
    return total


def row_nodes(pair: Pair, theta: Any, grid: Grid) -> list[tuple[Floats, Floats]]:
    """The inner nodes of every class of labels."""
    h = math.sqrt(float(theta.q)) * grid.normal()[0]
    return [channel_nodes(pair.student.channel, y, theta, h) for y, _ in pair.label_classes]


def closed(pair: Pair, pool_ratio: float, theta: Theta, grid: Grid | Nodes, nodes: list[tuple[Floats, Floats]]) -> Any:
    """Φ before extremisation, Gaussian prior of the student."""
    energy = jax.nn.softplus(theta.phi) + energetic(pair, theta, grid, nodes)
    return entropic(theta, pair.student.prior.second_moment) + pool_ratio * energy


def weight_nodes(prior: Prior, beta: float, conjugates: Any, grid: Grid) -> tuple[Floats, Floats]:
    """Nodes λ and log-weights of the average over weights."""
    inner = Inner(
        prior_psi(prior, float(conjugates.r + conjugates.Q)),
        beta,
        math.sqrt(float(conjugates.q)) * grid.plain()[0],
        float(conjugates.Q - conjugates.q),
    )
    return window_rule(inner.locate(single=False), 2 * CHECK_ORDER)


def weight_average(pair: Pair, beta: Any, conjugates: Conjugates, grid: Grid, nodes: tuple[Floats, Floats]) -> Any:
    """∫Dξ Z⁰_X(ξ) ln ∫Dλ exp[β ψ_X(r̂+Q̂, √(Q̂−q̂) λ + √q̂ ξ)]."""
    xi, weights = grid.plain()
    fields = jnp.sqrt(conjugates.q) * xi[:, None] + jnp.sqrt(conjugates.Q - conjugates.q) * nodes[0]
    psi = pair.student.prior.log_partition(conjugates.r + conjugates.Q, fields, JAX)
    inner = logsumexp(beta * psi + nodes[1], axis=1)
    signal = conjugates.m / jnp.sqrt(conjugates.q) / pair.teacher_scale
    log_weight = jnp.asarray(pair.teacher.prior.log_partition(signal**2, signal * xi, JAX)) - 0.5 * xi * xi
    return jnp.sum(weights * jnp.exp(log_weight) * inner) / math.sqrt(2.0 * math.pi)


class Nodes(NamedTuple):
    """Outer nodes with their weights, and the inner nodes of every class of labels: arrays, so that
    a compiled program may be given others of the same shape.
    """

    eta: Any
    weights: Any
    inner: Any

    def normal(self) -> tuple[Any, Any]:
        """As of a grid."""
        return self.eta, self.weights


def padded(pair: Pair, theta: Any, grid: Grid, count: int) -> Nodes:
    """The nodes of a grid, ``count`` of them: those that are added weigh nothing."""
    eta, weights = grid.normal()
    more = count - len(eta)
    inner = [[np.pad(part, ((0, more), (0, 0)), "edge") for part in one] for one in row_nodes(pair, theta, grid)]
    return Nodes(np.pad(eta, (0, more), "edge"), np.pad(weights, (0, more)), inner)


@functools.cache
def _along(function: Callable[..., Any]) -> Callable[..., Any]:
    """The derivative of value and gradient in a direction, compiled."""

    @jax.jit
    def along(x: jax.Array, direction: jax.Array, *constants: Any) -> Any:
        return jax.jvp(lambda y: jax.value_and_grad(function)(y, *constants), (x,), (direction,))

    return along


def derivatives_of(function: Callable[..., Any], z: Floats, *constants: Any) -> tuple[float, Floats, Floats]:
    """Value, gradient and Hessian in z, a column at a time by one compiled program, which is kept."""
    columns = [_along(function)(jnp.asarray(z), axis, *constants) for axis in jnp.eye(len(z))]
    (value, gradient), _ = columns[0]
    return float(value), np.asarray(gradient), np.stack([np.asarray(change) for _, (_, change) in columns], 1)
