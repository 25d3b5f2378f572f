"""Real labels: the integrals over y that take the place of sums over classes of labels.

**Linear, teacher and student.** ψ_Y depends on (y, ω) through u = y − ω only. With y = h⁰ + noise
and ω = √q η, u is normal of variance

    E = r⁰ − 2m + q + Δ⁰ = (√r⁰ − m)² + t + Δ⁰          (m in units of √r⁰ on the right),

so the double integral over (η, y) is one Gaussian integral, and the inner one over ζ is Gaussian
too: with s = V + Δ,

    L(u) = −½β ln 2πs − ½ ln(1 + βD/s) − βu²/(2(s + βD)).

**Absolute value.** Only random subsets (β = 0), by a double integral; see
:func:`gardner.theory.inputs.check_model`.
"""

from __future__ import annotations

import math

import numpy as np

from gardner.model import Linear
from gardner.theory.pair import Pair
from gardner.theory.quadrature import stretched_grid
from gardner.theory.taylor import Floats

_Y_PANELS, _Y_ORDER, _WIDTHS = 6, 16, 9.0
_Y_NODES, _Y_WEIGHTS = np.polynomial.legendre.leggauss(_Y_ORDER)


def noise_of(pair: Pair) -> tuple[float, float]:
    """Noise variances (teacher's, student's) of a linear pair."""
    teacher, student = pair.teacher.channel, pair.student.channel
    if not (isinstance(teacher, Linear) and isinstance(student, Linear)):  # refused at the door
        raise TypeError("not a linear pair")
    return teacher.noise, student.noise


def is_linear(pair: Pair) -> bool:
    """Whether both channels are linear."""
    return isinstance(pair.teacher.channel, Linear) and isinstance(pair.student.channel, Linear)


def error_variance(pair: Pair, m: float, t: float) -> float:
    """E, the variance of y − ω for a prediction ω of overlap m and q = m² + t."""
    return (pair.teacher_scale - m) ** 2 + t + noise_of(pair)[0]


def subset_correlation_slope(pair: Pair, m: float, t: float, V: float) -> float:
    """dK/dt of :mod:`gardner.theory.typical`: E/s², since A₁(u) = const − (u² + D)/2s."""
    return float(error_variance(pair, m, t) / (V + noise_of(pair)[1]) ** 2)


def linear_energy(pair: Pair, m: float, S: float, V: float) -> tuple[float, Floats]:
    """e = −½ ln 2πs − E/2s of :mod:`gardner.theory.state_evolution`, and its derivatives in (m, S, V)."""
    s, error = V + noise_of(pair)[1], error_variance(pair, m, S)
    value = -0.5 * math.log(2.0 * math.pi * s) - 0.5 * error / s
    return value, np.array([(pair.teacher_scale - m) / s, -0.5 / s, 0.5 * (error / s - 1.0) / s])


def label_nodes(pair: Pair, mean: Floats, spread: float) -> tuple[Floats, Floats]:
    """Labels of y = |h| + noise and their weights, for each mean of the teacher's field.

    They lie around |mean|, and near zero.
    """
    noise = float(getattr(pair.teacher.channel, "noise", 0.0))
    centre, width = np.abs(mean)[:, None], math.sqrt(spread + noise)
    low = np.maximum(centre - _WIDTHS * width, -_WIDTHS * math.sqrt(noise))
    half = 0.5 * (centre + _WIDTHS * width - low) / _Y_PANELS
    places = (2.0 * np.arange(_Y_PANELS)[:, None] + 1.0 + _Y_NODES).ravel()
    return low + half * places, half * np.tile(_Y_WEIGHTS, _Y_PANELS)


def field_nodes() -> tuple[Floats, Floats]:
    """Nodes η of the outer integral where labels are real and not linear."""
    return stretched_grid(1.0, reach=_WIDTHS).normal()
