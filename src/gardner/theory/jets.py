"""The free entropy evaluated: panels made for a point, then value, gradient and Hessian by automatic differentiation.

Compiled functions take one chunk of outer nodes at a time, so there is one shape and one compilation whatever the
number of panels. Inner peaks are located first and handed in: they are constants to differentiation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gardner.model import GLM, Channel
from gardner.theory.free_entropy import (
    CHECK_ORDER,
    Theta,
    channel_peaks,
    constant,
    energetic,
    entropic,
    selection_field,
    teacher_log_weight,
)
from gardner.theory.quadrature import CHUNK, DROP, Floats, Grid, Peak, refine

RANGE_DROP = 45.0  # the outer range ends where the teacher's weight has fallen by e^−45


@dataclass(frozen=True)
class Jet:
    """Φ at a point θ with its gradient and Hessian in θ = (m, t, D, V, φ, β)."""

    value: float
    gradient: Floats
    hessian: Floats


def jet(model: GLM, pool_ratio: float, theta: Floats, grid: Grid) -> Jet:
    """Value, gradient and Hessian of :func:`closed`."""
    parts = [_energetic_jet(model, theta, *chunk, locate_inner(model, theta, chunk[0])) for chunk in grid.chunks()]
    value, gradient, hessian = (np.sum([np.asarray(part[i]) for part in parts], axis=0) for i in range(3))
    base = _base_jet(theta, pool_ratio)
    return Jet(
        float(base[0] + pool_ratio * value),
        np.asarray(base[1]) + pool_ratio * gradient,
        np.asarray(base[2]) + pool_ratio * hessian,
    )


def quadrature_shift(model: GLM, pool_ratio: float, at: Jet, theta: Floats, grid: Grid) -> tuple[float, Floats]:
    """How Φ and its gradient change when every outer panel is halved and the inner order raised from 28 to 40."""
    fine = [
        _energetic_slope(model, theta, *chunk, locate_inner(model, theta, chunk[0]))
        for chunk in grid.bisected().chunks()
    ]
    value, gradient = (np.sum([np.asarray(part[i]) for part in fine], axis=0) for i in range(2))
    base = _base_jet(theta, pool_ratio)
    shift = np.asarray(base[1]) + pool_ratio * gradient - at.gradient
    return float(base[0] + pool_ratio * value) - at.value, shift


def outer_grid(model: GLM, theta: Floats) -> Grid:
    """Panels for the outer integral at θ, refined from a ladder of breakpoints.

    The finest scale is that of the labels' uncertainty, √V/√q, or of the teacher's, √t/m, in units of η; without rungs
    at 4, 16, … times that, the nodes of a first wide panel would step over what happens at its edge. (For the same
    reason the panels of a neighbouring point are no safe start: tried, and visibly wrong in large pools.)
    """
    point = Theta(*map(float, theta))
    lower, upper = _teacher_range(model, theta)
    scale = min(np.sqrt(point.V / point.q), np.sqrt(point.t) / point.m)
    ladder = scale * 4.0 ** np.arange(np.ceil(np.log(upper / scale) / np.log(4.0)) + 1)
    inner = np.concatenate([-ladder, [0.0], ladder])
    breakpoints = np.concatenate([[lower], inner[(inner > 0.9 * lower) & (inner < 0.9 * upper)], [upper]])
    breakpoints.sort()
    return refine(
        lambda eta: np.asarray(_outer_integrands(model, theta, eta, locate_inner(model, theta, eta))), breakpoints
    )


def compile_energetic(model: GLM, theta: Floats, eta: Floats, peaks: list[Peak]) -> None:
    """Have the jet and the slope of the energetic part compiled before they are needed."""
    for function in (_energetic_jet, _energetic_slope):
        function(model, theta, eta, eta, peaks)


def _jet_of(function: Callable[[jax.Array], Any], theta: jax.Array) -> tuple[Any, Any, Any]:
    """Value, gradient and Hessian from one trace: forward over reverse, the lower orders passed through."""

    def slope(x: jax.Array) -> tuple[Any, Any]:
        value, gradient = jax.value_and_grad(function)(x)
        return gradient, (value, gradient)

    hessian, (value, gradient) = jax.jacfwd(slope, has_aux=True)(theta)
    return value, gradient, hessian


_per_model = functools.partial(jax.jit, static_argnums=0)


_compiled_peaks = _per_model(channel_peaks)


def _peaks(channel: Channel, beta: float, h: Floats, D: float, V: float, drop: float) -> list[Peak]:
    """Compiled :func:`channel_peaks`, with arguments of one type so that it is compiled once."""
    peaks: list[Peak] = _compiled_peaks(channel, *(np.asarray(x, dtype=np.float64) for x in (beta, h, D, V, drop)))
    return peaks


def locate_inner(model: GLM, theta: Floats, eta: Floats) -> list[Peak]:
    """Peaks of the inner integrals at the outer nodes η."""
    point = Theta(*theta)
    return _peaks(model.channel, point.beta, np.sqrt(point.q) * eta, point.D, point.V, DROP)


def _teacher_range(model: GLM, theta: Floats) -> tuple[float, float]:
    """Ends of the range of η outside which Z⁰_Y(y, η) e^{−η²/2} is negligible for every y.

    The teacher's weight is the same integrand at β = 1, so the compiled peak finder serves for it too.
    """
    point = Theta(*theta)
    cuts = _peaks(model.channel, 1.0, np.zeros(CHUNK), point.m**2 / point.q, point.t / point.q, RANGE_DROP)
    return min(float(np.asarray(cut.left)[0]) for cut in cuts), max(float(np.asarray(cut.right)[0]) for cut in cuts)


@_per_model
def _energetic_jet(
    model: GLM, theta: jax.Array, eta: jax.Array, weights: jax.Array, peaks: list[Peak]
) -> tuple[Any, Any, Any]:
    def function(x: jax.Array) -> Any:
        return energetic(model, model.channel, Theta(*x), eta, weights, peaks)

    return _jet_of(function, theta)


@_per_model
def _energetic_slope(
    model: GLM, theta: jax.Array, eta: jax.Array, weights: jax.Array, peaks: list[Peak]
) -> tuple[jax.Array, jax.Array]:
    return jax.value_and_grad(lambda x: energetic(model, model.channel, Theta(*x), eta, weights, peaks, CHECK_ORDER))(
        theta
    )


@jax.jit
def _base_jet(theta: jax.Array, pool_ratio: float) -> tuple[Any, Any, Any]:
    def function(x: jax.Array) -> Any:
        return entropic(Theta(*x)) + pool_ratio * constant(Theta(*x))

    return _jet_of(function, theta)


@_per_model
def _outer_integrands(model: GLM, theta: jax.Array, eta: jax.Array, peaks: list[Peak]) -> jax.Array:
    """What the panels must resolve: the integrands of Φ, n and ∂n/∂φ less their constants, with the Gaussian weight."""
    point = Theta(*theta)
    rows = []
    for (y, _), at in zip(model.channel.label_classes, peaks, strict=True):
        field = point.phi + selection_field(model.channel, y, point, jnp.sqrt(point.q) * eta, at)
        weight = jnp.exp(teacher_log_weight(model, y, point, eta) - 0.5 * eta * eta)
        for function in (jax.nn.softplus, jax.nn.sigmoid, _sigmoid_slope):
            rows.append(weight * (function(field) - function(point.phi)))
    return jnp.stack(rows)


def _sigmoid_slope(x: jax.Array) -> jax.Array:
    return jax.nn.sigmoid(x) * jax.nn.sigmoid(-x)
