"""The free entropy evaluated: panels made for a point, then value, gradient and Hessian by automatic differentiation.

Compiled functions take one chunk of outer nodes at a time, so there is one shape and one compilation whatever the
number of panels. Inner peaks are located first and handed in: they are constants to differentiation.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gardner.model import Channel
from gardner.theory import regression
from gardner.theory.free_entropy import (
    CHECK_ORDER,
    LOG_CONCAVE,
    Theta,
    channel_peaks,
    constant,
    energetic,
    entropic,
    rows,
)
from gardner.theory.hats import Memory, entropic_jet, entropic_slope
from gardner.theory.pair import Pair
from gardner.theory.quadrature import CHUNK, DROP, Floats, Grid, Peak, Window, refine

RANGE_DROP = 45.0  # the outer range ends where the teacher's weight has fallen by e^−45


@dataclass(frozen=True)
class Jet:
    """Φ at a point θ with its gradient and Hessian in θ = (m, t, D, V, φ, β)."""

    value: float
    gradient: Floats
    hessian: Floats


def jet(pair: Pair, pool_ratio: float, theta: Floats, grid: Grid, memory: Memory | None = None) -> Jet:
    """Value, gradient and Hessian of Φ, its hats eliminated; ``memory`` is where the hats of other priors start."""
    parts = [_energetic_jet(pair, theta, *chunk, locate_inner(pair, theta, chunk[0])) for chunk in grid.chunks()]
    value, gradient, hessian = (np.sum([np.asarray(part[i]) for part in parts], axis=0) for i in range(3))
    base = _base_jet(pair, theta, pool_ratio)
    if not pair.gaussian:
        base = tuple(a + np.asarray(b) for a, b in zip(entropic_jet(pair, theta, _known(memory)), base, strict=True))
    return Jet(
        float(base[0] + pool_ratio * value),
        np.asarray(base[1]) + pool_ratio * gradient,
        np.asarray(base[2]) + pool_ratio * hessian,
    )


def _known(memory: Memory | None) -> Memory:
    if memory is None:
        raise TypeError("a prior without closed form needs a memory of hats")
    return memory


def quadrature_shift(
    pair: Pair, pool_ratio: float, at: Jet, theta: Floats, grid: Grid, memory: Memory | None = None
) -> tuple[float, Floats]:
    """How Φ and its gradient change when every panel is halved and the inner order raised from 28 to 40."""
    fine = [
        _energetic_slope(pair, theta, *chunk, locate_inner(pair, theta, chunk[0])) for chunk in grid.bisected().chunks()
    ]
    value, gradient = (np.sum([np.asarray(part[i]) for part in fine], axis=0) for i in range(2))
    base = tuple(np.asarray(part) for part in _base_jet(pair, theta, pool_ratio)[:2])
    if not pair.gaussian:
        base = tuple(a + np.asarray(b) for a, b in zip(base, entropic_slope(pair, theta, _known(memory)), strict=True))
    shift = base[1] + pool_ratio * gradient - at.gradient
    return float(base[0] + pool_ratio * value) - at.value, shift


def outer_grid(pair: Pair, theta: Floats) -> Grid:
    """Panels for the outer integral at θ, refined from a ladder of breakpoints.

    The finest scale is that of the labels' uncertainty, √V/√q, or of the teacher's, √t/m, in units of η; without rungs
    at 4, 16, … times that, the nodes of a first wide panel would step over what happens at its edge. (For the same
    reason the panels of a neighbouring point are no safe start: tried, and visibly wrong in large pools.)
    """
    point = Theta(*map(float, theta))
    lower, upper = _teacher_range(pair, theta)
    scale = min(np.sqrt(point.V / point.q), np.sqrt(point.t) / point.m)
    if pair.regression:
        scale = _kink_scale(pair, point)
    ladder = scale * 4.0 ** np.arange(np.ceil(np.log(upper / scale) / np.log(4.0)) + 1)
    inner = np.concatenate([-ladder, [0.0], ladder])
    breakpoints = np.concatenate([[lower], inner[(inner > 0.9 * lower) & (inner < 0.9 * upper)], [upper]])
    breakpoints.sort()
    return refine(
        lambda eta: np.asarray(_outer_integrands(pair, theta, eta, locate_inner(pair, theta, eta))), breakpoints
    )


def _kink_scale(pair: Pair, point: Theta) -> float:
    """The residual u = y − h, in units of its spread, over which the odds of selection change by e."""
    width = point.V + regression.noise_of(pair)[1] + point.beta * point.D
    return float(min(1.0, np.sqrt(width / (1e-300 + abs(point.beta) * regression.error_variance(pair, *point[:2])))))


def compile_energetic(pair: Pair, theta: Floats, eta: Floats) -> None:
    """Have the jet and the slope of the energetic part compiled before they are needed."""
    peaks = locate_inner(pair, theta, eta)
    for function in (_energetic_jet, _energetic_slope):
        function(pair, theta, eta, eta, peaks)


def _jet_of(function: Callable[[jax.Array], Any], theta: jax.Array) -> tuple[Any, Any, Any]:
    """Value, gradient and Hessian from one trace: forward over reverse, the lower orders passed through."""

    def slope(x: jax.Array) -> tuple[Any, Any]:
        value, gradient = jax.value_and_grad(function)(x)
        return gradient, (value, gradient)

    hessian, (value, gradient) = jax.jacfwd(slope, has_aux=True)(theta)
    return value, gradient, hessian


_per_pair = functools.partial(jax.jit, static_argnums=0)


_compiled_peaks = _per_pair(channel_peaks)


def _peaks(channel: Channel, beta: float, h: Floats, D: float, V: float, drop: float) -> list[Peak | Window]:
    """Compiled :func:`channel_peaks`, with arguments of one type so that it is compiled once."""
    peaks: list[Peak | Window] = _compiled_peaks(
        channel, *(np.asarray(x, dtype=np.float64) for x in (beta, h, D, V, drop))
    )
    return peaks


def locate_inner(pair: Pair, theta: Floats, eta: Floats) -> list[Peak | Window]:
    """Peaks of the inner integrals at the outer nodes η (a linear pair has none: they are Gaussian)."""
    point = Theta(*theta)
    return _peaks(pair.student.channel, point.beta, np.sqrt(point.q) * eta, point.D, point.V, DROP)


def _teacher_range(pair: Pair, theta: Floats) -> tuple[float, float]:
    """Ends of the range of η outside which Z⁰_Y(y, η) e^{−η²/2} is negligible for every y.

    The teacher's weight is the same integrand at β = 1, so the compiled peak finder serves for it too; where it is not
    log-concave the Gaussian alone limits the range.
    """
    point, scale = Theta(*theta), pair.teacher.prior.second_moment
    if not isinstance(pair.teacher.channel, LOG_CONCAVE):
        return -math.sqrt(2.0 * RANGE_DROP), math.sqrt(2.0 * RANGE_DROP)
    spreads = scale * point.m**2 / point.q, scale * point.t / point.q
    cuts = _peaks(pair.teacher.channel, 1.0, np.zeros(CHUNK), *spreads, RANGE_DROP)
    return (
        min(float(np.asarray(cut.left)[0]) for cut in cuts),
        max(float(np.asarray(cut.right)[0]) for cut in cuts),
    )


@_per_pair
def _energetic_jet(
    pair: Pair, theta: jax.Array, eta: jax.Array, weights: jax.Array, peaks: list[Peak | Window]
) -> tuple[Any, Any, Any]:
    def function(x: jax.Array) -> Any:
        return energetic(pair, Theta(*x), eta, weights, peaks)

    return _jet_of(function, theta)


@_per_pair
def _energetic_slope(
    pair: Pair, theta: jax.Array, eta: jax.Array, weights: jax.Array, peaks: list[Peak | Window]
) -> tuple[jax.Array, jax.Array]:
    return jax.value_and_grad(lambda x: energetic(pair, Theta(*x), eta, weights, peaks, CHECK_ORDER))(theta)


@_per_pair
def _base_jet(pair: Pair, theta: jax.Array, pool_ratio: float) -> tuple[Any, Any, Any]:
    """What is known in closed form: the constant, and the entropic part of a Gaussian prior."""

    def function(x: jax.Array) -> Any:
        base = pool_ratio * constant(Theta(*x))
        return entropic(Theta(*x), pair.student.prior.second_moment) + base if pair.gaussian else base

    return _jet_of(function, theta)


@_per_pair
def _outer_integrands(pair: Pair, theta: jax.Array, eta: jax.Array, peaks: list[Peak | Window]) -> jax.Array:
    """What the panels must resolve: the integrands of Φ, n and ∂n/∂φ less their constants, with the Gaussian weight."""
    point = Theta(*theta)
    integrands = []
    for weight, field in rows(pair, point, eta, peaks):
        for function in (jax.nn.softplus, jax.nn.sigmoid, _sigmoid_slope):
            integrands.append(weight * jnp.exp(-0.5 * eta * eta) * (function(field) - function(point.phi)))
    return jnp.stack(integrands)


def _sigmoid_slope(x: jax.Array) -> jax.Array:
    return jax.nn.sigmoid(x) * jax.nn.sigmoid(-x)
