"""Real labels: the integrals over y that take the place of sums over classes of labels.

**Linear, teacher and student.** ψ_Y depends on (y, ω) through u = y − ω only. With y = h⁰ + noise and ω = √q η, u is
normal of variance

    E = r⁰ − 2m + q + Δ⁰ = (√r⁰ − m)² + t + Δ⁰          (m in units of √r⁰ on the right),

so the double integral over (η, y) is one Gaussian integral, and the inner one over ζ is Gaussian too: with s = V + Δ,

    L(u) = −½β ln 2πs − ½ ln(1 + βD/s) − βu²/(2(s + βD)).

**Absolute value.** Only random subsets (β = 0), by a double integral; see :func:`gardner.theory.inputs.check_model`.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gardner.model import Linear
from gardner.theory.pair import Pair
from gardner.theory.quadrature import stretched_grid
from gardner.theory.special import JAX

_Y_PANELS, _Y_ORDER, _WIDTHS = 6, 16, 9.0


def noise_of(pair: Pair) -> tuple[float, float]:
    """Noise variances (teacher's, student's) of a linear pair."""
    teacher, student = pair.teacher.channel, pair.student.channel
    if not (isinstance(teacher, Linear) and isinstance(student, Linear)):  # refused at the door
        raise TypeError("not a linear pair")
    return teacher.noise, student.noise


def is_linear(pair: Pair) -> bool:
    """Whether both channels are linear."""
    return isinstance(pair.teacher.channel, Linear) and isinstance(pair.student.channel, Linear)


def error_variance(pair: Pair, m: Any, t: Any) -> Any:
    """E, the variance of y − ω for a prediction ω of overlap m and q = m² + t."""
    return (pair.teacher_scale - m) ** 2 + t + noise_of(pair)[0]


def selection_field(pair: Pair, m: Any, t: Any, D: Any, V: Any, beta: Any, eta: Any) -> Any:
    """L at u = √E η."""
    s = V + noise_of(pair)[1]
    u = jnp.sqrt(error_variance(pair, m, t)) * eta
    return -0.5 * (beta * jnp.log(2.0 * math.pi * s) + jnp.log1p(beta * D / s) + beta * u * u / (s + beta * D))


def typical_energy(pair: Pair, m: Any, S: Any, V: Any) -> Any:
    """Return e(m, S, V) of :mod:`gardner.theory.state_evolution`: −½ ln 2πs − E/2s for a linear pair."""
    if not is_linear(pair):
        return _double_integral(pair, m, S, V)
    s = V + noise_of(pair)[1]
    return -0.5 * jnp.log(2.0 * math.pi * s) - 0.5 * error_variance(pair, m, S) / s


def subset_correlation_slope(pair: Pair, m: float, t: float, V: float) -> float:
    """dK/dt of :mod:`gardner.theory.typical`: E/s², since A₁(u) = const − (u² + D)/2s."""
    return float(error_variance(pair, m, t) / (V + noise_of(pair)[1]) ** 2)


def _double_integral(pair: Pair, m: Any, S: Any, V: Any) -> Any:
    """∫Dη ∫dy Z⁰_Y ψ_Y for y = |h| + noise: y lives around the teacher's |mean|, and near zero."""
    (chunk,) = stretched_grid(1.0, reach=_WIDTHS).chunks()
    eta, weights = (jnp.asarray(part)[:, None] for part in chunk)
    Q, r0 = m * m + S, pair.teacher.prior.second_moment
    mean, spread = pair.teacher_scale * m * eta / jnp.sqrt(Q), r0 * S / Q
    noise = getattr(pair.teacher.channel, "noise", 0.0)
    centre, width = jax.lax.stop_gradient((jnp.abs(mean), jnp.sqrt(spread + noise)))
    low = jnp.maximum(centre - _WIDTHS * width, -_WIDTHS * math.sqrt(noise))
    half = 0.5 * (centre + _WIDTHS * width - low) / _Y_PANELS
    nodes, node_weights = np.polynomial.legendre.leggauss(_Y_ORDER)
    places = (2.0 * np.arange(_Y_PANELS)[:, None] + 1.0 + nodes).ravel()
    y = low + half * places
    measure = weights * half * np.tile(node_weights, _Y_PANELS)
    seen = jnp.exp(pair.teacher.channel.log_partition(y, mean, spread, JAX))
    return jnp.sum(measure * seen * pair.student.channel.log_partition(y, jnp.sqrt(Q) * eta, V, JAX))
