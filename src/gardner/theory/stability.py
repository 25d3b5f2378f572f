"""Where replica symmetry holds: the de Almeida–Thouless ratios of both replica levels (derived in docs/theory.md).

Outer level (overlaps q between subsets): a fluctuation δq of the overlap of two replicas returns through the
energetic part as δq̂ = α E[f''(h)²]/β² δq, f(h) = ln(1 + e^{φ+L(h)}), and through a Gaussian prior as δq = W² δq̂. So

    R_outer = α (W/β)² Σ_y ∫Dη Z⁰_Y(y, η) [f''(√q η)]²                                  [almeida1978, gardner1988]

and the replica-symmetric solution is unstable where R_outer > 1. Inner level (overlaps Q within a subset), likewise:

    R_inner = α Σ_y ∫Dη Z⁰_Y(y, η) p_sel(η) ⟨[V ∂²ψ_Y/∂ω²]²⟩_ζ.

For another prior the weights respond with E[(g_X''/β)²] and E⟨(ψ_X'')²⟩ in place of W² and V².
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import logsumexp

from gardner.theory import regression
from gardner.theory.free_entropy import (
    INNER_ORDER,
    Psi,
    Theta,
    channel_psi,
    log_density,
    selection_field,
    teacher_log_weight,
)
from gardner.theory.hats import Memory, responses
from gardner.theory.jets import locate_inner
from gardner.theory.pair import Pair
from gardner.theory.quadrature import Floats, Grid, Peak, Window, slope_and_curvature

_SMALLEST_BETA = 1e-5  # f''/β has a limit at β = 0; from here on it is that limit to five digits


@dataclass(frozen=True)
class Ratios:
    """Outer and inner stability ratio; above 1 replica symmetry is broken at that level."""

    outer: float
    inner: float


def ratios(pair: Pair, pool_ratio: float, theta: Floats, grid: Grid, memory: Memory | None = None) -> Ratios:
    """Both ratios at a stationary point; call it under :func:`gardner.theory.precision.double_precision`."""
    point = np.array(theta)
    if abs(point[5]) < _SMALLEST_BETA:
        point[5] = _SMALLEST_BETA
    parts = [_ratios(pair, point, *chunk, locate_inner(pair, point, chunk[0])) for chunk in grid.chunks()]
    # rows with no information have f'' = 0 and ψ'' = 0, so nothing outside the grid is missing
    outer, inner = pool_ratio * np.sum(np.asarray(parts), axis=0)
    if not pair.gaussian and memory is not None:
        weights = Theta(*point)
        response, inner_response = responses(pair, point, memory)
        outer, inner = outer * response / weights.W**2, inner * inner_response / weights.V**2
    return Ratios(float(outer), float(inner))


def compile_ratios(pair: Pair, theta: Floats, eta: Floats) -> None:
    """Have the ratios compiled before they are needed."""
    _ratios(pair, theta, eta, eta, locate_inner(pair, theta, eta))


@functools.partial(jax.jit, static_argnums=0)
def _ratios(
    pair: Pair, theta: jax.Array, eta: jax.Array, weights: jax.Array, peaks: list[Peak | Window]
) -> tuple[Any, Any]:
    point, model = Theta(*theta), pair.student
    if pair.regression:
        return _regression_ratios(pair, point, eta, weights)
    h = jnp.sqrt(point.q) * eta
    outer = inner = jnp.zeros(())
    for (y, count), at in zip(model.channel.label_classes, peaks, strict=True):

        def f(x: Any, y: float = y, at: Peak | Window = at) -> Any:
            return jax.nn.softplus(point.phi + selection_field(model.channel, y, point, x, at))

        psi = channel_psi(model.channel, y, point.beta, h, point.D, point.V)
        fields, log_weights = log_density(psi, (point.V,), point.beta, h, point.D, at, INNER_ORDER)
        _, psi_curvature = slope_and_curvature(functools.partial(_swap, psi, point.V), fields)
        spread = jnp.sum(jax.nn.softmax(log_weights, axis=-1) * (point.V * psi_curvature) ** 2, axis=-1)
        chosen = jax.nn.sigmoid(point.phi + logsumexp(log_weights, axis=-1))
        measure = count * weights * jnp.exp(teacher_log_weight(pair, y, point, eta))
        outer += jnp.sum(measure * (point.W / point.beta * slope_and_curvature(f, h)[1]) ** 2)
        inner += jnp.sum(measure * chosen * spread)
    return outer, inner


def _regression_ratios(pair: Pair, point: Theta, eta: jax.Array, weights: jax.Array) -> tuple[Any, Any]:
    """Of a linear pair, as functions of u = √E η; ψ_Y'' is −1/(V + noise)."""
    m, t, D, V, phi, beta = point

    def f(x: Any) -> Any:
        return jax.nn.softplus(phi + regression.selection_field(pair, m, t, D, V, beta, x))

    spread = regression.error_variance(pair, m, t)
    curvature = slope_and_curvature(f, eta)[1] / spread
    chosen = jax.nn.sigmoid(phi + regression.selection_field(pair, m, t, D, V, beta, eta))
    sharpness = V / (V + regression.noise_of(pair)[1])
    return jnp.sum(weights * (point.W / beta * curvature) ** 2), jnp.sum(weights * chosen) * sharpness**2


def _swap(psi: Psi, V: Any, omega: Any) -> Any:
    return psi(omega, V)
