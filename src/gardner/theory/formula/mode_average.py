"""Normal weights of different variances: their part of the free entropy, a closed form a mode.

With A = r̂ + Q̂, Δ = Q̂ − q̂ and x = A − βΔ, a weight of variance c whose teacher has the variance
τ (in units of the mean) gives

    ∫Dξ Z⁰_X ln ∫Dλ e^{βψ_X} = ½(1−β) ln(1+cA) − ½ ln(1+cx) + ½β c (q̂ + m̂²τ)/(1+cx),

averaged over the modes. For one variance the conjugates can be eliminated from this, which gives
``Parameters.entropic``; for several they stay unknowns (:mod:`gardner.theory.formula.conjugates`).

A and x are at least −a, a = 1/max(c). The smaller of them is −a + E, the other one E + |β|Δ above
the edge, so that 1 + cA and 1 + cx are sums of positive terms, and the difference of their
logarithms is ln(1 + c|β|Δ/(1 + c(E − a))).
"""

from __future__ import annotations

import numpy as np

from gardner.theory.formula.free_entropy import Parameters
from gardner.theory.formula.modes import Modes
from gardner.theory.formula.taylor import Floats, Taylor, composed


def mode_average(at: Parameters) -> Taylor:
    """The average over weights, with derivatives in the coordinates."""
    modes, edge = at.pair.modes, at.pair.tail_precision
    m_hat, q_hat, apart, near = (part.exp() for part in at.conjugates)
    below = at.beta.value < 0.0
    step = (-1.0 if below else 1.0) * (at.beta * apart)
    far = near + step
    A, x = (near, far) if below else (far, near)
    logs = _gain(modes, edge, near, step) * (-1.0 if below else 1.0) - at.beta * _logarithm(modes, edge, A)
    field_term = q_hat * _response(modes, edge, x, modes.share)
    field_term = field_term + m_hat * m_hat * _response(modes, edge, x, modes.share * modes.tau)
    return 0.5 * (logs + at.beta * field_term)


def mode_responses(at: Parameters) -> tuple[float, float]:
    """mean[(c/(1+cx))²] and mean[(c/(1+cA))²]: what takes the place of W² and V² in the stability
    ratios.
    """
    modes, A = at.pair.modes, at.precision.value
    x = A - at.beta.value * float(np.exp(at.conjugates[2].value))
    return tuple(float(modes.share @ modes.posterior_variances(place) ** 2) for place in (x, A))  # type: ignore[return-value]


def _sizes(modes: Modes, edge: float, above: float) -> Floats:
    """1 + c(y − a) of a number y above the edge, without a difference."""
    room: Floats = np.maximum(1.0 - modes.c * edge, 0.0)
    return room + modes.c * above


def _logarithm(modes: Modes, edge: float, above: Taylor) -> Taylor:
    """mean ln(1 + cA) at A = y − a."""
    sizes = _sizes(modes, edge, above.value)
    v = modes.c / sizes
    return composed(
        float(modes.share @ np.log(sizes)),
        np.array([modes.share @ v]),
        np.array([[-(modes.share @ v**2)]]),
        [above],
    )


def _response(modes: Modes, edge: float, above: Taylor, weights: Floats) -> Taylor:
    """mean c/(1 + cx) at x = y − a."""
    v = modes.c / _sizes(modes, edge, above.value)
    first, second = -(weights @ v**2), 2.0 * (weights @ v**3)
    return composed(float(weights @ v), np.array([first]), np.array([[second]]), [above])


def _gain(modes: Modes, edge: float, near: Taylor, step: Taylor) -> Taylor:
    """mean ln[1 + cs/(1 + c(E − a))]: the difference of two logarithms, in E and s."""
    small = _sizes(modes, edge, near.value)
    v, w = modes.c / small, modes.c / (small + modes.c * step.value)
    value = float(modes.share @ np.log1p(v * step.value))
    slope = np.array([-step.value * (modes.share @ (v * w)), modes.share @ w])
    bent = -(modes.share @ w**2)
    curve = np.array([[step.value * (modes.share @ (v * w * (v + w))), bent], [bent, bent]])
    return composed(value, slope, curve, [near, step])
