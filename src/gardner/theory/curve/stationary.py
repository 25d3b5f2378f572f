"""Solving for a stationary point of Φ at fixed budget, by Newton.

The equations (:mod:`gardner.theory.curve.equations`) leave a curve of points. One *control* says
which of them is wanted: a log-volume, a complexity, a β, or a distance along the branch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gardner.errors import ConvergenceError
from gardner.theory.curve.equations import TOLERANCE, Problem, State
from gardner.theory.formula.conjugates import check_domain
from gardner.theory.formula.evaluation import COARSE, FINE, Mesh, Orders, Peaks, derivatives, make_mesh
from gardner.theory.formula.free_entropy import BETA
from gardner.theory.formula.taylor import Floats

# The mismatch that is accepted where rounding stops Newton earlier; it is reported as the residual.
ACCEPTABLE = 1e-7
# The longest step of Newton, in units of the logarithmic coordinates: beyond a factor e the
# equations are no lines.
_LONGEST_STEP = 1.0
# Evaluations before a start is given up; four to six are usual.
_MAX_ITERATIONS = 16
# Evaluations after which none may be worse than the first.
_PATIENCE = 6
# How far a coordinate may move, in logarithms, before panels are made anew for it.
_REGRID = 0.35

Control = Callable[[State], tuple[float, Floats]]


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
    return lambda state: (float(state.z[BETA] - np.arcsinh(beta)), np.eye(len(state.z))[BETA])


def at_distance(predicted: Floats, tangent: Floats) -> Control:
    """The point in the plane through ``predicted`` across the branch (pseudo-arclength)."""
    return lambda state: (float(tangent @ (state.z - predicted)), tangent)


def evaluate(
    problem: Problem, z: Floats, mesh: Mesh | None = None, orders: Orders = FINE, peaks: Peaks | None = None
) -> State:
    """The equations at z, on panels made for it unless some are given."""
    check_domain(z)
    mesh = make_mesh(problem.pair, z) if mesh is None else mesh
    return State(problem, z, mesh, derivatives(problem.pair, problem.pool_ratio, z, mesh, orders, peaks))


class _Walker:
    """Evaluates the equations from place to place.

    It remembers its panels until a coordinate has moved too far from where they were made, and the
    peaks that were found on them.
    """

    def __init__(self, problem: Problem, orders: Orders) -> None:
        self._problem, self._orders, self._peaks = problem, orders, Peaks()
        self._mesh: Mesh | None = None
        self._made_at: Floats | None = None

    def at(self, z: Floats) -> State:
        """The equations at the next place."""
        if self._made_at is None or np.abs(z - self._made_at).max() > _REGRID:
            self._mesh, self._made_at, self._peaks = None, z, Peaks()
        state = evaluate(self._problem, z, self._mesh, self._orders, self._peaks)
        self._mesh = state.mesh
        return state


def solve(problem: Problem, z: Floats, control: Control, tolerance: float = TOLERANCE) -> State:
    """Newton from z; the answer carries its residual, its iterations and the tangent of the branch.

    Steps are limited to one unit of z. Newton stops at a relative mismatch of 10⁻¹¹
    (``tolerance``), or where rounding lets it go no further if that is below 10⁻⁷; anything else
    raises :class:`ConvergenceError`.
    """
    walker = _Walker(problem, FINE if tolerance <= TOLERANCE else COARSE)
    best: State | None = None
    first = math.inf
    for iteration in range(1, _MAX_ITERATIONS + 1):
        state = walker.at(z)
        mismatch, slopes = _linearised(state, control)
        residual = float(np.abs(mismatch).max())
        stalled = best is not None and residual > 0.5 * best.residual
        if best is None or residual < best.residual:
            best = replace(state, iterations=iteration, residual=residual, tangent=_tangent(state.equations[1]))
        if best.residual < tolerance or (stalled and best.residual < ACCEPTABLE):
            return best
        first = residual if iteration == 1 else first
        if iteration == _MAX_ITERATIONS or (iteration > _PATIENCE and residual > first):
            break
        z = z + _newton_step(mismatch, slopes)
    raise ConvergenceError(f"no convergence in {iteration} evaluations (residual {residual:.1e})")


def _linearised(state: State, control: Control) -> tuple[Floats, Floats]:
    """The mismatches of the equations and of the control, and their derivatives."""
    values, rows = state.equations
    wanted, row = control(state)
    mismatch, slopes = np.append(values, wanted), np.vstack([rows, row])
    if not (np.all(np.isfinite(mismatch)) and np.all(np.isfinite(slopes))):
        raise ConvergenceError("the equations overflowed")
    return mismatch, slopes


def _newton_step(mismatch: Floats, slopes: Floats) -> Floats:
    """Newton's step, no longer than is allowed."""
    try:
        step = np.linalg.solve(slopes, -mismatch)
    except np.linalg.LinAlgError:
        raise ConvergenceError("the equations became singular") from None
    shortened: Floats = step * min(1.0, _LONGEST_STEP / np.abs(step).max())
    return shortened


def _tangent(rows: Floats) -> Floats:
    """Unit vector along the branch: the null vector of the equations."""
    null: Floats = np.linalg.svd(rows)[2][-1]
    return null
