"""The equations of a stationary point of Φ at fixed budget, in a form that stays regular.

The unknowns are the coordinates z of :mod:`gardner.theory.formula.free_entropy`, followed by the
conjugates k where the student's prior has no closed form for them. The equations are four
stationarity conditions, n = ∂Φ/∂φ, and one condition for each conjugate. They leave a curve of
points; :mod:`gardner.theory.curve.stationary` solves for one of them. The conditions are divided by
the power of β with which they vanish, ∂_m by β, ∂_q − ∂_D by β², ∂_D − ∂_V by β(β−1), and by their
own entropic size, so a residual is a relative mismatch of a conjugate parameter. The fourth is the
dilation m∂_m + 2t∂_t + 2D∂_D + 2V∂_V (for the sign channel it reads r = 1): in the pools of α = 100
and more, where V is 10⁻⁴ and less, r would otherwise be lost to rounding. The conditions of the
conjugates say that the weights answer with the overlaps put in, and are relative mismatches of
those.

ln v is the derivative of Φ in β at fixed e = D/W (β < 0) instead of D: at a stationary point that
is the same, and nothing large cancels where W is tiny.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gardner.model import GLM
from gardner.theory.formula.evaluation import Derivatives, Mesh
from gardner.theory.formula.free_entropy import (
    BETA,
    EDGE,
    LN_E,
    LN_GAP_HAT,
    LN_M,
    LN_M_HAT,
    LN_Q_HAT,
    LN_T,
    LN_V,
    PHI,
    Theta,
    gap,
    to_theta,
)
from gardner.theory.formula.information import noise_term
from gardner.theory.formula.pair import Pair, pair_of
from gardner.theory.formula.taylor import Floats

# The relative mismatch of the equations at which Newton stops. Ln v is off by its square, since Σ
# is an extremum (docs/theory.md), so that it is the overlaps and the accuracy that this limits:
# half of it moves the accuracy by 3·10⁻¹⁰ (benchmarks/tolerances.py).
TOLERANCE = 1e-11

# equation, entry of the gradient, factor, and the factor's logarithmic derivatives (coordinate,
# value)
_Term = tuple[int, int, float, tuple[tuple[int, float], ...]]


@dataclass(frozen=True)
class Problem:
    """A model, a pool ratio α, a budget n, and the teacher's model if it is another one."""

    model: GLM
    pool_ratio: float
    budget: float
    teacher: GLM | None = None

    @cached_property
    def pair(self) -> Pair:
        """Student and teacher."""
        return pair_of(self.model, self.teacher)


@dataclass(frozen=True)
class State:
    """The equations and their derivatives at a point z, converged or not."""

    problem: Problem
    z: Floats
    mesh: Mesh
    derivatives: Derivatives
    iterations: int = 0
    residual: float = np.inf
    tangent: Floats | None = None

    @cached_property
    def theta(self) -> Theta:
        """Order parameters and fields as numbers."""
        return Theta(*(float(x) for x in to_theta(self.z)))

    def _derivative(self, index: int) -> tuple[float, Floats]:
        """∂Φ/∂φ (PHI) or ∂Φ/∂β (BETA) with its slope in the coordinates, which are arsinh φ and
        arsinh β.
        """
        stretch = np.cosh(self.z[index])
        value = float(self.derivatives.gradient[index] / stretch)
        slope: Floats = self.derivatives.hessian[index] / stretch
        slope[index] -= value * np.tanh(self.z[index])
        if index == BETA and self.problem.pair.fixed_norm and self.theta.beta < 0.0:
            more, more_slope = self._held_norm
            return value + more, slope + more_slope
        return value, slope

    @cached_property
    def _held_norm(self) -> tuple[float, Floats]:
        """What ∂Φ/∂β lacks where r = r⁰ is given: λ ∂r/∂β, since at fixed e the norm moves with β.

        λ is the multiplier of r = r⁰; the dilation's derivative of Φ is −2r⁰λ.
        """
        g, H, z = self.derivatives.gradient, self.derivatives.hessian, self.z
        _, _, D, V, _, _ = self.theta
        size = -2.0 * self.problem.pair.student.prior.second_moment
        multiplier, change = ((x[LN_M] + 2.0 * x[LN_T] + 2.0 * x[LN_V]) / size for x in (g, H))
        rise = D * D / V  # ∂r/∂β = ∂D/∂β at fixed e and V
        bend = np.zeros_like(g)
        bend[LN_E], bend[LN_V], bend[BETA] = 2.0 * gap(z) / V, 1.0, 2.0 * D / V * np.cosh(z[BETA])
        return float(multiplier * rise), rise * (change + multiplier * bend)

    @property
    def labels(self) -> float:
        """∂Φ/∂φ: the budget n, once the equations hold."""
        return self._derivative(PHI)[0]

    @property
    def log_volume(self) -> float:
        """Ln v = ∂Φ/∂β."""
        return self._derivative(BETA)[0]

    @property
    def log_volume_slope(self) -> Floats:
        """∂ ln v/∂z."""
        return self._derivative(BETA)[1]

    @property
    def complexity(self) -> float:
        """Σ = Φ − β ln v − φ n."""
        return float(self.derivatives.value - self.theta.beta * self.log_volume - self.theta.phi * self.labels)

    @cached_property
    def information(self) -> float:
        """What the labels of a subset at this point tell about the teacher, per weight."""
        return noise_term(self.problem.pair, self.problem.pool_ratio, self.z, self.mesh.rows) - self.log_volume

    @property
    def complexity_slope(self) -> Floats:
        """∂Σ/∂z, from the product rule."""
        slope: Floats = self.derivatives.gradient.copy()
        slope[PHI] = 0.0  # ∂Φ/∂φ dφ is subtracted again, and so is ln v dβ
        slope[BETA] -= self.log_volume * np.cosh(self.z[BETA])
        slope -= self.theta.beta * self._derivative(BETA)[1] + self.theta.phi * self._derivative(PHI)[1]
        return slope

    @cached_property
    def equations(self) -> tuple[Floats, Floats]:
        """The equations and their derivatives in the coordinates (the sizes they are divided by
        held fixed).
        """
        g, H = self.derivatives.gradient, self.derivatives.hessian
        count = len(g) - 1
        values, rows = np.zeros(count), np.zeros((count, len(g)))
        for equation, index, factor, powers in self._terms():
            values[equation] += factor * g[index]
            rows[equation] += factor * H[index]
            for coordinate, power in powers:
                rows[equation, coordinate] += power * factor * g[index]
        values[4] -= 1.0
        if self.problem.pair.fixed_norm:  # binary weights: r is given, and Φ is defined there only
            m, t, D, V, _, beta = self.theta
            values[0] = self.theta.r - self.problem.pair.student.prior.second_moment
            rows[0] = 0.0
            rows[0, :PHI] = [2.0 * m * m, t, D * (gap(self.z) / V if beta < 0.0 else 1.0), D + V]
            rows[0, BETA] = D * D / V * np.cosh(self.z[BETA]) if beta < 0.0 else 0.0
        return values, rows

    @cached_property
    def _sizes(self) -> tuple[Floats, Floats]:
        """Of the third and fourth equation: the size they are divided by, and what rounding leaves
        open of t and D.

        They are divided by powers of β and β − 1, and ∂_t has terms of n/t. No mismatch is asked to
        beat the rounding of its own terms, so that is part of the size.
        """
        _, t, D, V, _, beta = self.theta
        W, eps = gap(self.z), np.finfo(float).eps
        noise = np.array([(1.0 / W + 0.01 * self.problem.budget / t) / abs(beta), 1.0 / (W * abs(beta - 1.0))]) * eps
        pure = np.array([0.5 * t / W**2, 0.5 * D / (V * W) + 0.5 * t / W**2])
        return pure + noise / TOLERANCE, 4.0 * noise / pure

    @property
    def rounding(self) -> Floats:
        """What rounding leaves open of ln t and ln D: much next to β = 0 and 1, where equations are
        limits.
        """
        values = np.zeros(len(self.z))
        values[LN_T : LN_E + 1] = self._sizes[1]
        return values

    def _terms(self) -> Iterator[_Term]:
        """The equations as sums of terms: a factor times an entry of the gradient g in z.

        ∂_m = g₀/m, ∂_t = g₁/t, and at fixed D ∂_D = g₂/(Dω), ∂_V = (g₃ − g₂/ω)/V, ω = W/V for β < 0
        and 1 otherwise.
        """
        m, t, D, V, _, beta = self.theta
        W, n, stretch = gap(self.z), self.problem.budget, float(np.cosh(self.z[BETA]))
        part, bend = (W / V, D / V * stretch) if beta < 0.0 else (1.0, 0.0)
        once, twice = (BETA, -stretch / beta), (BETA, -2.0 * stretch / beta)
        t_size, D_size = self._sizes[0]
        for index, factor in ((LN_M, 1.0), (LN_T, 2.0), (LN_V, 2.0)):
            yield 0, index, factor / beta, (once,)
        yield 1, LN_M, W / (m * m * beta), ((LN_M, -1.0), once)
        yield 1, LN_T, -2.0 * W / (t * beta), ((LN_M, 1.0), (LN_T, -1.0), once)
        yield 2, LN_T, 1.0 / (t * beta**2 * t_size), ((LN_T, -1.0), twice)
        in_D = ((LN_E, 1.0 - 2.0 * part), (LN_V, -1.0), (BETA, -2.0 * bend))
        yield 2, LN_E, -1.0 / (D * part * beta**2 * t_size), (*in_D, twice)
        power = beta * (beta - 1.0) * D_size
        other = (BETA, -(2.0 * beta - 1.0) / (beta * (beta - 1.0)) * stretch)
        yield 3, LN_E, 1.0 / (D * part * power), (*in_D, other)
        yield 3, LN_E, 1.0 / (V * part * power), ((LN_E, 1.0 - part), (LN_V, -1.0), (BETA, -bend), other)
        yield 3, LN_V, -1.0 / (V * power), ((LN_V, -1.0), other)
        yield 4, PHI, 1.0 / (np.cosh(self.z[PHI]) * n), ((PHI, -float(np.tanh(self.z[PHI]))),)
        if len(self.z) > LN_M_HAT:
            yield from self._answers(once, twice)

    def _answers(self, once: tuple[int, float], twice: tuple[int, float]) -> Iterator[_Term]:
        """The conditions of the conjugates: of m̂, q̂ less Q̂ − q̂, Q̂ − q̂ and A; the weights
        answer with the overlaps.
        """
        m_hat, q_hat, apart = np.exp(self.z[LN_M_HAT:EDGE])
        beta, Q = self.theta.beta, self.theta.Q
        yield 5, LN_M_HAT, 1.0 / (beta * self.theta.m * m_hat), ((LN_M_HAT, -1.0), once)
        size = 0.5 * beta**2 * self.theta.q
        yield 6, LN_Q_HAT, 1.0 / (q_hat * size), ((LN_Q_HAT, -1.0), twice)
        yield 6, LN_GAP_HAT, -1.0 / (apart * size), ((LN_GAP_HAT, -1.0), twice)
        other = 0.5 * beta * (self.theta.V + abs(beta) * Q)
        yield 7, LN_GAP_HAT, 1.0 / (other * apart), ((LN_GAP_HAT, -1.0), once)
        if self.problem.pair.fixed_norm:
            return
        if math.isinf(self.problem.pair.tail_precision):
            stretch, bend = math.cosh(self.z[EDGE]), (EDGE, -math.tanh(self.z[EDGE]))
        else:
            stretch, bend = math.exp(self.z[EDGE]), (EDGE, -1.0)
            if beta > 0.0:  # Δ moves A, which has its own condition: ∂_Δ at fixed A is (g₈/Δ − β g₉/E)
                slope = (BETA, math.cosh(self.z[BETA]) / beta)
                yield 6, EDGE, beta / (stretch * size), (bend, slope, twice)
                yield 7, EDGE, -beta / (stretch * other), (bend, slope, once)
        yield 8, EDGE, 1.0 / (stretch * 0.5 * beta * self.theta.r), (bend, once)
