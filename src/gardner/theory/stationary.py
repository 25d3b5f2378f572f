"""Stationary points of Φ at fixed budget, by Newton on equations that stay regular.

Six unknowns θ = (m, t, D, V, φ, β), five equations (four stationarity conditions and n = ∂Φ/∂φ) and one *control*
that says which point of the branch is wanted: a log-volume, a complexity, a β, or a distance along the branch. The
conditions are divided by the power of β with which they vanish, ∂_m by β, ∂_q − ∂_D by β², ∂_D − ∂_V by β(β−1), and
by their own entropic size, so a residual is a relative mismatch of a conjugate parameter. The fourth is the dilation
m∂_m + 2t∂_t + 2D∂_D + 2V∂_V (for the sign channel it reads r = 1): in the pools of α = 100 and more, where V is 10⁻⁴
and less, the norm r would otherwise be lost to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gardner.errors import ConvergenceError
from gardner.model import GLM
from gardner.theory.free_entropy import Theta
from gardner.theory.hats import Memory
from gardner.theory.jets import Jet, jet, locate_inner, outer_grid
from gardner.theory.noise import noise_term
from gardner.theory.pair import Pair, pair_of
from gardner.theory.quadrature import Floats, Grid

TOLERANCE = 1e-11  # of the relative mismatch
ACCEPTABLE = 1e-7  # where rounding stops Newton earlier than that
_LONGEST_STEP = 1.0
_MAX_ITERATIONS = 16  # evaluations, each of them judged
_REGRID = 0.35  # coordinates further from where the panels were made want new panels


def to_coordinates(theta: Floats) -> Floats:
    """z = (ln m, ln t, ln(D/W), ln V, asinh φ, asinh β), with D/V in place of D/W for β > 0: every z is allowed."""
    m, t, D, V, phi, beta = theta
    return np.array(
        [np.log(m), np.log(t), np.log(D / (V + min(beta, 0.0) * D)), np.log(V), np.arcsinh(phi), np.arcsinh(beta)]
    )


def to_theta(z: Floats) -> Floats:
    """The inverse: for β < 0, D = Ve/(1+|β|e) with e = D/W keeps W = V + βD positive."""
    ratio, V, beta = np.exp(z[2]), np.exp(z[3]), np.sinh(z[5])
    return np.array([np.exp(z[0]), np.exp(z[1]), ratio * V / (1.0 + max(-beta, 0.0) * ratio), V, np.sinh(z[4]), beta])


def theta_jacobian(z: Floats) -> Floats:
    """∂θ/∂z."""
    m, t, D, V, _, beta = to_theta(z)
    ratio = np.exp(z[2])
    shrink = 1.0 + max(-beta, 0.0) * ratio
    jacobian = np.diag([m, t, D / shrink, V, np.cosh(z[4]), np.cosh(z[5])])
    jacobian[2, 3] = D
    if beta < 0.0:
        jacobian[2, 5] = V * (ratio / shrink) ** 2 * np.cosh(z[5])
    return jacobian


@dataclass(frozen=True)
class Problem:
    """A model, a pool ratio α, a budget n, and the teacher's model if it is another one."""

    model: GLM
    pool_ratio: float
    budget: float
    teacher: GLM | None = None
    memory: Memory = field(default_factory=Memory, compare=False, repr=False)

    @cached_property
    def pair(self) -> Pair:
        """Student and teacher."""
        return pair_of(self.model, self.teacher)


@dataclass(frozen=True)
class State:
    """The equations and their derivatives at a point z, converged or not."""

    problem: Problem
    z: Floats
    grid: Grid
    jet: Jet
    iterations: int = 0
    residual: float = np.inf
    tangent: Floats | None = None

    @cached_property
    def theta(self) -> Theta:
        """Order parameters and fields as numbers."""
        return Theta(*(float(x) for x in to_theta(self.z)))

    @cached_property
    def jacobian(self) -> Floats:
        """∂θ/∂z."""
        return theta_jacobian(self.z)

    @property
    def log_volume(self) -> float:
        """Ln v = ∂Φ/∂β."""
        return float(self.jet.gradient[5])

    @cached_property
    def log_volume_slope(self) -> Floats:
        """∂ ln v/∂z."""
        slope: Floats = self.jet.hessian[5] @ self.jacobian
        return slope

    @property
    def complexity(self) -> float:
        """Σ = Φ − β ln v − φ n."""
        return float(self.jet.value - self.theta.beta * self.jet.gradient[5] - self.theta.phi * self.jet.gradient[4])

    @cached_property
    def information(self) -> float:
        """What the labels of a subset at this point tell about the teacher, per weight."""
        pair, alpha = self.problem.pair, self.problem.pool_ratio
        return noise_term(pair, alpha, to_theta(self.z), self.grid, locate_inner) - self.log_volume

    @cached_property
    def complexity_slope(self) -> Floats:
        """∂Σ/∂z, from the product rule."""
        gradient, hessian, theta = self.jet.gradient, self.jet.hessian, self.theta
        slope = gradient - theta.beta * hessian[5] - theta.phi * hessian[4]
        slope[4] -= gradient[4]
        slope[5] -= gradient[5]
        result: Floats = slope @ self.jacobian
        return result

    @cached_property
    def equations(self) -> tuple[Floats, Floats]:
        """The five equations and their derivatives in z."""
        g, H = self.jet.gradient, self.jet.hessian
        m, t, D, V, _, beta = self.theta
        W, n = self.theta.W, self.problem.budget
        # a mismatch is not asked to beat the rounding of its own terms (∂_t of the energetic part has terms of n/t)
        rounding = np.finfo(float).eps / TOLERANCE / W
        rounding_t = rounding + 0.01 * np.finfo(float).eps / TOLERANCE * n / t
        m_row = H[0] - 2.0 * m * H[1]
        m_row[0] -= 2.0 * g[1]
        dilation = np.array([m, 2.0 * t, 2.0 * D, 2.0 * V])
        dilation_row = dilation @ H[:4] + np.array([g[0], 2.0 * g[1], 2.0 * g[2], 2.0 * g[3], 0.0, 0.0])
        # value, row, power of β that divides it, d(power)/dβ, size of the quotient
        first = (dilation @ g[:4], dilation_row, beta, 1.0, 1.0)
        if self.problem.pair.fixed_norm:  # binary weights: r is given, and Φ is defined there only
            excess = self.theta.r - self.problem.model.prior.second_moment
            first = (excess, np.array([2.0 * m, 1.0, 1.0, 1.0, 0.0, 0.0]), 1.0, 0.0, 1.0)
        conditions = [
            first,
            (g[0] - 2.0 * m * g[1], m_row, beta, 1.0, m / W),
            (g[1] - g[2], H[1] - H[2], beta**2, 2.0 * beta, 0.5 * t / W**2 + rounding_t / abs(beta)),
            (
                g[2] - g[3],
                H[2] - H[3],
                beta * (beta - 1.0),
                2.0 * beta - 1.0,
                0.5 * D / (V * W) + 0.5 * t / W**2 + rounding / abs(beta - 1.0),
            ),
            (g[4] - n, H[4], 1.0, 0.0, n),
        ]
        values = np.array([value / power / size for value, _, power, _, size in conditions])
        rows = np.array([row / power / size for _, row, power, _, size in conditions])
        rows[:, 5] -= [value * dpower / power**2 / size for value, _, power, dpower, size in conditions]
        return values, rows @ self.jacobian


Control = Callable[[State], tuple[float, Floats]]
_BETA_AXIS = np.eye(6)[5]


def at_log_volume(log_volume: float) -> Control:
    """The point of given ln v."""
    return lambda state: (state.log_volume - log_volume, state.log_volume_slope)


def at_complexity(complexity: float) -> Control:
    """The point of given Σ, in units of ln v (dΣ/d ln v = −β)."""

    def control(state: State) -> tuple[float, Floats]:
        unit = 1.0 + abs(state.theta.beta)
        return (state.complexity - complexity) / unit, state.complexity_slope / unit

    return control


def at_beta(beta: float) -> Control:
    """The point of given β."""
    return lambda state: (float(state.z[5] - np.arcsinh(beta)), _BETA_AXIS)


def at_distance(predicted: Floats, tangent: Floats) -> Control:
    """The point in the plane through ``predicted`` across the branch (pseudo-arclength)."""
    return lambda state: (float(tangent @ (state.z - predicted)), tangent)


def evaluate(problem: Problem, z: Floats, grid: Grid | None = None) -> State:
    """The equations at z, on panels made for it unless some are given."""
    theta = to_theta(z)
    if not np.all(np.isfinite(theta)) or theta[:4].min() <= 0.0:
        raise ConvergenceError("the iteration left the domain of the free entropy")
    grid = outer_grid(problem.pair, theta) if grid is None else grid
    return State(problem, z, grid, jet(problem.pair, problem.pool_ratio, theta, grid, problem.memory))


def solve(problem: Problem, z: Floats, control: Control) -> State:
    """Newton from z; the answer carries its residual, its iterations and the tangent of the branch.

    Steps are limited to one unit of z. Newton stops at a relative mismatch of 10⁻¹¹, or where rounding lets it go no
    further if that is below 10⁻⁷; anything else raises :class:`ConvergenceError`.
    """
    problem.memory.restart()
    made_at, state = z, evaluate(problem, z)
    best: State | None = None
    for iteration in range(1, _MAX_ITERATIONS + 1):
        values, rows = state.equations
        wanted, row = control(state)
        residual = float(np.abs(np.append(values, wanted)).max())
        system = np.vstack([rows, row])
        if not np.isfinite(residual) or not np.all(np.isfinite(system)):
            raise ConvergenceError("the equations overflowed")
        if best is None or residual < best.residual:
            stalled = best is not None and residual > 0.5 * best.residual
            best = State(problem, state.z, state.grid, state.jet, iteration, residual, _tangent(rows))
        else:
            stalled = True
        if best.residual < TOLERANCE or (stalled and best.residual < ACCEPTABLE):
            _keep_hats(best)
            return best
        if iteration == _MAX_ITERATIONS:
            break
        try:
            step = np.linalg.solve(system, -np.append(values, wanted))
        except np.linalg.LinAlgError:
            raise ConvergenceError("the equations became singular") from None
        z = state.z + step * min(1.0, _LONGEST_STEP / np.abs(step).max())
        far = np.abs(z - made_at).max() > _REGRID
        grid, made_at = (None, z) if far else (state.grid, made_at)
        state = evaluate(problem, z, grid)
    raise ConvergenceError(f"no convergence in {_MAX_ITERATIONS} evaluations (residual {residual:.1e})")


def _keep_hats(state: State) -> None:
    """The hats of a solved point are where those of its neighbours are looked for."""
    problem = state.problem
    if not problem.pair.gaussian:
        problem.memory.remember(*problem.memory.nearest(to_theta(state.z)))
        problem.memory.restart()


def _tangent(rows: Floats) -> Floats:
    """Unit vector along the branch: the null vector of the five equations."""
    null: Floats = np.linalg.svd(rows)[2][-1]
    return null
