"""Where replica symmetry holds: the de Almeida–Thouless ratios of both replica levels (derived in
docs/theory.md).

Outer level (overlaps q between subsets): a fluctuation δq of the overlap of two replicas returns
through the energetic part as δq̂ = α E[f''(h)²]/β² δq, f(h) = ln(1 + e^{φ+L(h)}), and through a
Gaussian prior as δq = W² δq̂. So

    R_outer = α (W/β)² Σ_y ∫Dη Z⁰_Y(y, η) [f''(√q η)]²
    [almeida1978, gardner1988]

and the replica-symmetric solution is unstable where R_outer > 1. Inner level (overlaps Q within a
subset), likewise:

    R_inner = α Σ_y ∫Dη Z⁰_Y(y, η) p_sel(η) ⟨[V ∂²ψ_Y/∂ω²]²⟩_ζ.

For another prior the weights respond with E[(g_X''/β)²] and E⟨(ψ_X'')²⟩ in place of W² and V².
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gardner.theory.formula import regression
from gardner.theory.formula.evaluation import Mesh, row_groups, teacher_weight, weight_responses
from gardner.theory.formula.free_entropy import BETA, Parameters
from gardner.theory.formula.logistic import sigmoid
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.taylor import Floats

# The |β| from where on f''/β counts as its limit at β = 0: it is that limit to five digits.
_SMALLEST_BETA = 1e-5


@dataclass(frozen=True)
class Ratios:
    """Outer and inner stability ratio; above 1 replica symmetry is broken at that level."""

    outer: float
    inner: float


def ratios(pair: Pair, pool_ratio: float, z: Floats, mesh: Mesh) -> Ratios:
    """Both ratios at a stationary point."""
    place = np.array(z)
    if abs(place[BETA]) < _SMALLEST_BETA:
        place[BETA] = _SMALLEST_BETA
    at = Parameters(pair, place)
    W, V, beta = at.W.value, at.V.value, at.beta.value
    outer = inner = 0.0
    # rows with no information have f'' = 0 and ψ'' = 0, so nothing outside the grid is missing
    for group in row_groups(at, *mesh.rows.normal()):
        rows, tilted, teacher = group.rows, group.tilted(), teacher_weight(at, group)
        seen = group.weights if teacher is None else group.weights * np.exp(teacher[0])
        value = rows.constant.value + rows.square.value * group.eta**2
        slope, curve = 2.0 * rows.square.value * group.eta, 2.0 * rows.square.value
        if tilted is None:  # real labels: the field is √E η, and ψ'' = −1/(V + noise)
            size, sharpness = regression.error_variance(pair, at.m.value, at.t.value), np.ones_like(group.eta)
            sharpness /= (V + regression.noise_of(pair)[1]) ** 2
        else:
            size, c = at.q.value, rows.c.value
            value = value + tilted.value
            slope, curve = slope + c * tilted.first[0], curve + c * c * tilted.second[0, 0]
            lost = 1.0 / (V + (pair.student.channel.noise_in_front or 0.0)) if group.turned else 0.0
            sharpness = tilted.curvatures[1] - 2.0 * lost * tilted.curvatures[0] + lost * lost
        chosen = sigmoid(at.phi.value + value)
        bend = chosen * (curve + (1.0 - chosen) * slope * slope) / size
        outer += float(seen @ (W / beta * bend) ** 2)
        inner += float(seen @ (chosen * V * V * sharpness))
    if not pair.conjugates_known:
        response, inner_response = weight_responses(pair, place, mesh.weights)
        outer, inner = outer * response / W**2, inner * inner_response / V**2
    return Ratios(pool_ratio * outer, pool_ratio * inner)
