"""Priors without a closed form: the hats are eliminated by Newton inside every evaluation.

At given overlaps θ and β the entropic part of Φ is extr_ĥ G(θ, β, ĥ), G = coupling + weight average
(:mod:`gardner.theory.free_entropy`). Where ∂G/∂ĥ = 0 the extremised function has

    value G,   gradient ∂G/∂θ (envelope theorem),   Hessian G_θθ − G_θĥ G_ĥĥ⁻¹ G_ĥθ (implicit function theorem),

so Newton on the order parameters sees the same function of θ as for a Gaussian prior. The hats are carried as
k = (ln m̂, ln q̂, ln(Q̂−q̂), A), A = r̂ + Q̂. A prior of fixed norm (binary weights) has no A: r̂ multiplies r − r⁰ only, so
the function is defined on r = r⁰ and the equation of dilation is replaced by that.

The average over weights exists for β(Q̂−q̂) < A + a only, where a is the precision of the prior's tails (0 for Laplace,
ρ for Gauss–Bernoulli): the field of a weight is Gaussian, and ψ_X grows with its square over 2(A+a). Beyond that edge a
few weights would grow without bound. Laplace weights come near it on the upper branch (docs/theory.md, section 8).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from gardner.errors import ConvergenceError
from gardner.theory.free_entropy import (
    CHECK_ORDER,
    Hats,
    Theta,
    coupling,
    log_average,
    log_density,
    prior_psi,
    surround,
    teacher_weight,
    weight_average,
)
from gardner.theory.pair import Pair
from gardner.theory.quadrature import CHUNK, Floats, Grid, refine, slope_and_curvature
from gardner.theory.state_evolution import weight_grid

_ORDER, _CHECK = 36, 52  # of the inner window: 18 nodes on each of its panels, 26 for the error estimate
_TOLERANCE = 1e-11
_ACCEPTABLE = 1e-8
_STEPS, _LEGS, _HALVINGS, _KEPT = 9, 20, 3, 1000
_PATIENCE, _LOST = 4, 0.1  # a step so long after so many means that Newton wanders
_CLOSEST = 0.02  # share of the way to the edge of the domain that a step of Newton leaves
_NEAR_EDGE = 0.8  # β(Q̂−q̂)/(A+a) from where on the edge is to blame for a failure


class EdgeError(ConvergenceError):
    """No hats were found, close to the edge of the domain in which the average over weights exists."""


class Known(NamedTuple):
    """A point whose hats are known, with their slope in the overlaps."""

    theta: Floats
    k: Floats
    slope: Floats  # ∂k/∂(ln m, ln t, ln D, ln V, arsinh β)


@dataclass
class Memory:
    """Points of a branch whose hats are known, the latest last: where the next search starts.

    Only solved points are kept: hats have several stationary points, and a guess far off may end in another one.
    ``latest`` is the last evaluation, solved or not, of the Newton iteration under way.
    """

    solved: list[Known] = field(default_factory=list)
    latest: Known | None = None

    def restart(self) -> None:
        """Forget what is not solved."""
        self.latest = None

    def remember(self, theta: Floats, k: Floats, slope: Floats | None = None) -> None:
        """Keep a solved point."""
        slope = np.zeros((4, 5)) if slope is None else slope
        self.solved = [*self.solved[1 - _KEPT :], Known(np.array(theta), np.array(k), slope)]

    def nearest(self, theta: Floats) -> Known:
        """The point nearest to θ."""
        points = self.solved if self.latest is None else [*self.solved, self.latest]
        if not points:
            raise ConvergenceError("no hats are known to start from")
        return min(points, key=lambda known: float(np.abs(_place(known.theta) - _place(theta)).max()))


def to_k(hats: tuple[float, ...]) -> Floats:
    """K of (m̂, q̂, Q̂ − q̂, A)."""
    m, q, gap, A = hats
    return np.array([np.log(m), np.log(q), np.log(gap), A])


def hats_of(pair: Pair, k: Any) -> Hats:
    """Hats of k; for a fixed norm A stands for nothing and is zero."""
    q = jnp.exp(k[1])
    Q = q + jnp.exp(k[2])
    A = 0.0 if pair.fixed_norm else k[3]
    return Hats(jnp.exp(k[0]), q, Q, A - Q)


def solve_hats(pair: Pair, theta: Floats, memory: Memory) -> Floats:
    """The stationary k at θ, from the nearest known point, in smaller steps of θ where one is too far."""
    start = memory.nearest(theta)
    if np.array_equal(start.theta, theta) and theta[5] != 0.0:
        return start.k
    ahead = start.slope @ (_place(theta) - _place(start.theta))
    k, reached, step = start.k, 0.0, 1.0
    for _ in range(_LEGS):
        try:
            target = min(1.0, reached + step)
            guess = k + (target - reached) * ahead
            k = _newton(pair, _between(start.theta, theta, target), guess)
            reached, step = target, 2.0 * step
        except ConvergenceError:
            step *= 0.5
            if step < 0.5**_HALVINGS:
                break
        if reached >= 1.0:
            return k
    if _edge(pair, start.theta[5], start.k) > _NEAR_EDGE:
        raise EdgeError(
            "no hats were found near the edge of their domain, where heavy tails of the prior make averages diverge"
        )
    raise ConvergenceError("no hats exist at these overlaps (or they were not found)")


def _edge(pair: Pair, beta: float, k: Floats) -> float:
    """β(Q̂−q̂)/(A+a): the average over weights exists below 1."""
    tails = pair.tail_precision
    return 0.0 if math.isinf(tails) or beta <= 0.0 else float(beta * np.exp(k[2]) / max(k[3] + tails, 1e-300))


def entropic_jet(pair: Pair, theta: Floats, memory: Memory) -> tuple[float, Floats, Floats]:
    """Value, gradient and Hessian of the extremised entropic part in θ = (m, t, D, V, φ, β)."""
    k = solve_hats(pair, theta, memory)
    value, slope, curvature = _jets(pair, theta, k)
    free = 6 + _free(pair)
    mixed, block = curvature[:6, free], curvature[np.ix_(free, free)]
    answer = np.linalg.solve(block, mixed.T)
    response = np.zeros((4, 5))
    response[_free(pair)] = -answer[:, [0, 1, 2, 3, 5]] * [*theta[:4], np.hypot(1.0, theta[5])]
    memory.latest = Known(np.array(theta), k, response)
    return value, slope[:6], curvature[:6, :6] - mixed @ answer


def entropic_slope(pair: Pair, theta: Floats, memory: Memory) -> tuple[float, Floats]:
    """Value and gradient again, on a finer grid: for the error estimate."""
    k = solve_hats(pair, theta, memory)
    x = np.append(theta[5], k)
    value, slope = _total([_average_slope(pair, x, *nodes) for nodes in _nodes(_grid(pair, x).bisected())])
    base, base_slope, _ = _coupling_jet(pair, np.append(theta, k))
    return float(base + value), np.asarray(base_slope)[:6] + np.append(np.zeros(5), slope[0])


def responses(pair: Pair, theta: Floats, memory: Memory) -> tuple[float, float]:
    """E[(g_X''/β)²] and E⟨(ψ_X'')²⟩: what takes the place of W² and V² in the stability ratios."""
    x = np.append(theta[5], solve_hats(pair, theta, memory))
    outer, inner = _total([_responses(pair, x, *nodes) for nodes in _nodes(_grid(pair, x))])
    return float(outer), float(inner)


def _place(theta: Floats) -> Floats:
    return np.append(np.log(theta[:4]), np.arcsinh(theta[5]))


def _between(start: Floats, end: Floats, weight: float) -> Floats:
    """A point on the way, in logarithms of the overlaps."""
    if weight == 1.0:
        return end
    place = _place(start) + weight * (_place(end) - _place(start))
    return np.array([*np.exp(place[:4]), end[4], np.sinh(place[4])])


def _free(pair: Pair) -> NDArray[np.intp]:
    return np.arange(3 if pair.fixed_norm else 4)


def _newton(pair: Pair, theta: Floats, k: Floats) -> Floats:
    """Newton on ∂G/∂k = 0; steps of at most one unit."""
    free = 6 + _free(pair)
    smallest = np.inf
    if _edge(pair, theta[5], k) >= 1.0:
        raise ConvergenceError("the hats are looked for outside their domain")
    for count in range(_STEPS):
        _, slope, curvature = _jets(pair, theta, k)
        try:
            step = -np.linalg.solve(curvature[np.ix_(free, free)], slope[free])
        except np.linalg.LinAlgError:
            raise ConvergenceError("the equations of the hats became singular") from None
        size = float(np.abs(step).max())
        if not np.isfinite(size):
            raise ConvergenceError("the equations of the hats overflowed")
        if count >= _PATIENCE and size > _LOST:
            break
        stalled = size > 0.5 * smallest
        smallest = min(size, smallest)
        k = _moved(pair, theta[5], k, free - 6, step / max(1.0, size))
        if size < _TOLERANCE or (stalled and size < _ACCEPTABLE):
            return k
    raise ConvergenceError(f"no hats within {count + 1} Newton steps")


def _moved(pair: Pair, beta: float, k: Floats, free: NDArray[np.intp], step: NDArray[Any]) -> Floats:
    """A step that stays where the average over weights exists."""
    allowed = 1.0 - _CLOSEST * max(1.0 - _edge(pair, beta, k), 0.0)
    for share in (1.0, 0.5, 0.25):  # a step that is stopped again and again leads out of the domain
        new = k.copy()
        new[free] += share * step
        if _edge(pair, beta, new) < allowed:
            return new
    raise ConvergenceError("the hats left their domain")


def _jets(pair: Pair, theta: Floats, k: Floats) -> tuple[float, Floats, Floats]:
    """G with gradient and Hessian in (θ, k)."""
    x = np.append(theta[5], k)
    average = _total([_average_jet(pair, x, *nodes) for nodes in _nodes(_grid(pair, x))])
    value, slope, curvature = (np.array(part) for part in _coupling_jet(pair, np.append(theta, k)))
    places = np.array([5, 6, 7, 8, 9])
    slope[places] += average[1]
    curvature[np.ix_(places, places)] += average[2]
    return float(value + average[0]), slope, curvature


def _total(parts: list[tuple[Any, ...]]) -> list[Floats]:
    return [np.sum([np.asarray(part[i]) for part in parts], axis=0) for i in range(len(parts[0]))]


def _grid(pair: Pair, x: Floats) -> Grid:
    """Panels of ξ, refined where the weights' answer turns: at large β a weight jumps between two values."""
    hats = hats_of(pair, x[1:])
    start = weight_grid(pair, float(hats.m), float(hats.q), fixed=True).edges
    breakpoints = np.append(start[:, 0], start[-1, 1])
    return refine(lambda xi: np.asarray(_integrands(pair, x, xi)), breakpoints, tolerance=1e-8)


def _nodes(grid: Grid) -> list[tuple[Floats, Floats]]:
    """Nodes ξ and log-weights ln(w e^{−ξ²/2}/√2π) in chunks of one shape (padding has weight zero)."""
    xi, weights = grid.plain()
    log_weights = np.log(weights) - 0.5 * xi * xi - 0.5 * np.log(2.0 * np.pi)
    padding = -len(xi) % CHUNK
    xi = np.pad(xi, (0, padding), mode="edge")
    log_weights = np.pad(log_weights, (0, padding), constant_values=-1e300)
    return list(zip(xi.reshape(-1, CHUNK), log_weights.reshape(-1, CHUNK), strict=True))


@functools.partial(jax.jit, static_argnums=0)
def _coupling_jet(pair: Pair, x: jax.Array) -> tuple[Any, Any, Any]:
    def function(x: Any) -> Any:
        theta, hats = Theta(*x[:6]), hats_of(pair, x[6:])
        if pair.fixed_norm:  # r = r⁰, whatever V
            return coupling(theta, hats) + 0.5 * theta.beta * hats.r * (pair.student.prior.second_moment - theta.r)
        return coupling(theta, hats)

    return function(x), jax.grad(function)(x), jax.hessian(function)(x)


def _average(pair: Pair, x: Any, xi: Any, log_weights: Any, order: int) -> Any:
    return weight_average(pair, x[0], hats_of(pair, x[1:]), xi, log_weights, order)


@functools.partial(jax.jit, static_argnums=0)
def _integrands(pair: Pair, x: jax.Array, xi: jax.Array) -> Any:
    """The integrands over ξ of the weight average and of the square of its slope in the field."""
    beta, hats = x[0], hats_of(pair, x[1:])
    A, gap, b = hats.r + hats.Q, hats.Q - hats.q, jnp.sqrt(hats.q) * xi

    psi = prior_psi(pair.student.prior)
    at = surround(psi, (A,), beta, b, gap)

    def answer(u: Any) -> Any:
        return log_average(psi, (A,), beta, u, gap, at, _ORDER)

    weight = jnp.exp(teacher_weight(pair, xi, hats.m, hats.q) - 0.5 * xi * xi)
    slope, curvature = slope_and_curvature(answer, b)
    return jnp.stack([weight * answer(b), weight * slope**2, weight * curvature])


@functools.partial(jax.jit, static_argnums=0)
def _average_jet(pair: Pair, x: jax.Array, xi: jax.Array, log_weights: jax.Array) -> tuple[Any, Any, Any]:
    def slope(x: Any) -> Any:
        value, gradient = jax.value_and_grad(lambda u: _average(pair, u, xi, log_weights, _ORDER))(x)
        return gradient, (value, gradient)

    hessian, (value, gradient) = jax.jacfwd(slope, has_aux=True)(x)
    return value, gradient, hessian


@functools.partial(jax.jit, static_argnums=0)
def _average_slope(pair: Pair, x: jax.Array, xi: jax.Array, log_weights: jax.Array) -> tuple[Any, Any]:
    return jax.value_and_grad(lambda u: _average(pair, u, xi, log_weights, _CHECK))(x)


@functools.partial(jax.jit, static_argnums=0)
def _responses(pair: Pair, x: jax.Array, xi: jax.Array, log_weights: jax.Array) -> tuple[Any, Any]:
    beta, hats = x[0], hats_of(pair, x[1:])
    A, gap, b = hats.r + hats.Q, hats.Q - hats.q, jnp.sqrt(hats.q) * xi

    psi = prior_psi(pair.student.prior)
    at = surround(psi, (A,), beta, b, gap)
    weights = jnp.exp(teacher_weight(pair, xi, hats.m, hats.q) + log_weights)
    _, curvature = slope_and_curvature(lambda u: log_average(psi, (A,), beta, u, gap, at, CHECK_ORDER), b)
    fields, density = log_density(psi, (A,), beta, b, gap, at, CHECK_ORDER)
    _, variance = slope_and_curvature(lambda u: psi(u, A), fields)
    inner = jnp.sum(jax.nn.softmax(density, axis=-1) * variance**2, axis=-1)
    return jnp.sum(weights * (curvature / beta) ** 2), jnp.sum(weights * inner)
