"""Real labels: the integrals over y that take the place of sums over classes of labels.

**Linear, teacher and student.** ψ_Y depends on (y, ω) through u = y − ω only. With y = h⁰ + noise
and ω = √q η, u is normal of variance

    E = r⁰ − 2m + q + Δ⁰ = (√r⁰ − m)² + t + Δ⁰          (m in units of √r⁰ on the right),

so the double integral over (η, y) is one Gaussian integral, and the inner one over ζ is Gaussian
too: with s = V + Δ,

    L(u) = −½β ln 2πs − ½ ln(1 + βD/s) − βu²/(2(s + βD)).

**Any other.** Only random subsets (β = 0), by a double integral over fields and labels; see
:func:`gardner.theory.inputs.check_model`.
"""

from __future__ import annotations

import math

import numpy as np

from gardner.model.integrals import gauss_legendre
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.quadrature import stretched_grid
from gardner.theory.formula.taylor import Floats

# Panels of a label, two standard deviations wide: with 16 nodes each, a Gaussian is integrated to
# rounding.
_Y_PANELS = 9
# Nodes of such a panel.
_Y_ORDER = 16
# Standard deviations of a field that labels are looked for over: 2·10⁻¹⁹ of its mass lies beyond.
_WIDTHS = 9.0
_Y_NODES, _Y_WEIGHTS = gauss_legendre(_Y_ORDER)


def noise_of(pair: Pair) -> tuple[float, float]:
    """Noise variances (teacher's, student's) of a linear pair."""
    known, assumed = pair.teacher.channel.linear_noise, pair.student.channel.linear_noise
    if known is None or assumed is None:  # refused at the door
        raise TypeError("not a linear pair")
    return known, assumed


def is_linear(pair: Pair) -> bool:
    """Whether both channels are linear."""
    return pair.teacher.channel.linear_noise is not None and pair.student.channel.linear_noise is not None


def error_variance(pair: Pair, m: float, t: float) -> float:
    """E, the variance of y − ω for a prediction ω of overlap m and q = m² + t."""
    return (pair.teacher_scale - m) ** 2 + t + noise_of(pair)[0]


def subset_correlation_slope(pair: Pair, m: float, t: float, V: float) -> float:
    """dK/dt of :mod:`gardner.theory.random_subset.typical`: E/s², since A₁(u) = const − (u² +
    D)/2s.
    """
    return float(error_variance(pair, m, t) / (V + noise_of(pair)[1]) ** 2)


def linear_energy(pair: Pair, m: float, S: float, V: float) -> tuple[float, Floats]:
    """e = −½ ln 2πs − E/2s of :mod:`gardner.theory.random_subset.state_evolution`, and its
    derivatives in (m, S, V).
    """
    s, error = V + noise_of(pair)[1], error_variance(pair, m, S)
    value = -0.5 * math.log(2.0 * math.pi * s) - 0.5 * error / s
    return value, np.array([(pair.teacher_scale - m) / s, -0.5 / s, 0.5 * (error / s - 1.0) / s])


def label_nodes(pair: Pair, mean: Floats, spread: float) -> tuple[Floats, Floats]:
    """The teacher's labels and their weights, for each mean of its field."""
    reach = _WIDTHS * math.sqrt(spread)
    low, high = (np.asarray(end)[:, None] for end in pair.teacher.channel.label_span(mean - reach, mean + reach))
    half = 0.5 * (high - low) / _Y_PANELS
    places = (2.0 * np.arange(_Y_PANELS)[:, None] + 1.0 + _Y_NODES).ravel()
    return low + half * places, half * np.tile(_Y_WEIGHTS, _Y_PANELS)


def likelihood(pair: Pair) -> float:
    """E ln P_out(y|h⁰) over all rows, the student's likelihood of the teacher's labels."""
    if is_linear(pair):
        known, assumed = noise_of(pair)
        return -0.5 * math.log(2.0 * math.pi * assumed) - 0.5 * known / assumed
    eta, weights = field_nodes()
    h = pair.teacher_scale * eta
    y, measure = label_nodes(pair, h, 0.0)
    true, believed = (np.asarray(glm.channel.log_probability(y, h[:, None])) for glm in (pair.teacher, pair.student))
    return float(weights @ np.sum(measure * np.exp(true) * believed, axis=1))


def field_nodes() -> tuple[Floats, Floats]:
    """Nodes η of the outer integral where labels are real and not linear."""
    return stretched_grid(1.0, reach=_WIDTHS).normal()
