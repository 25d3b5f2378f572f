"""A point of a complexity curve: order parameters, accuracies, stability, and the figures that prove it."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import numpy as np

from gardner.theory.free_entropy import Theta
from gardner.theory.jets import outer_grid, quadrature_shift
from gardner.theory.quadrature import Floats
from gardner.theory.stability import ratios
from gardner.theory.stationary import Problem, State, to_theta
from gardner.theory.typical import typical, typical_theta

_STANDSTILL = 1e-7  # change of ln v per unit of ln |β|
_SMOOTH = (
    "beta",
    "phi",
    "m",
    "q",
    "Q",
    "r",
    "accuracy",
    "subset_averaged_accuracy",
    "stability",
    "inner_stability",
)


@dataclass(frozen=True)
class Point:
    """A point of the complexity curve with its order parameters, its stability and its proof.

    ``accuracy`` is that of a student trained on one subset, 1 − arccos(m/√Q)/π; ``subset_averaged_accuracy`` is the
    paper's 1 − arccos(m/√q)/π, of a vote over students of all subsets of that volume. ``stability`` and
    ``inner_stability`` are the ratios of :mod:`gardner.theory.stability`, unstable above 1. ``convex`` marks
    coexistence: Σ is locally convex there and no β makes the point typical. ``quadrature_error`` is the change of ln
    v under refinement of both integrals (or that of Σ/max(1, |β|) if larger); ``residual`` is the largest relative
    mismatch of the saddle-point equations.
    """

    log_volume: float
    complexity: float
    beta: float
    phi: float
    m: float
    q: float
    Q: float
    r: float
    accuracy: float
    subset_averaged_accuracy: float
    stability: float
    inner_stability: float
    convex: bool
    residual: float
    quadrature_error: float
    iterations: int


def order_parameters(theta: Theta) -> dict[str, float]:
    """The overlaps m, q, Q, r and the two accuracies; t = q − m² and t + D = Q − m² need no subtraction."""
    return {
        "m": theta.m,
        "q": theta.q,
        "Q": theta.Q,
        "r": theta.r,
        "accuracy": 1.0 - math.atan2(math.sqrt(theta.t + theta.D), theta.m) / math.pi,
        "subset_averaged_accuracy": 1.0 - math.atan2(math.sqrt(theta.t), theta.m) / math.pi,
    }


def point_of(state: State) -> Point:
    """A solved state with its error estimate and stability; call it under double precision."""
    problem, theta = state.problem, to_theta(state.z)
    shift, slope = quadrature_shift(problem.model, problem.pool_ratio, state.jet, theta, state.grid)
    stable = ratios(problem.model, problem.pool_ratio, theta, state.grid)
    beta = state.theta.beta
    return Point(
        log_volume=state.log_volume,
        complexity=state.complexity,
        beta=beta,
        phi=state.theta.phi,
        **order_parameters(state.theta),
        stability=stable.outer,
        inner_stability=stable.inner,
        convex=_turns_back(np.asarray(state.tangent), state.log_volume_slope),
        residual=state.residual,
        quadrature_error=float(max(abs(slope[5]), abs(shift) / max(1.0, abs(beta)))),
        iterations=state.iterations,
    )


def _turns_back(tangent: Floats, log_volume_slope: Floats) -> bool:
    """Whether β falls where ln v rises along the branch; on a wall, where ln v stands still, that is only rounding."""
    rise, turn = float(tangent @ log_volume_slope), float(tangent[5])
    return rise * turn < 0.0 and abs(rise) > _STANDSTILL * abs(turn)


@functools.lru_cache(maxsize=64)
def typical_point(problem: Problem) -> Point:
    """The top of the curve, β = 0: Σ counts all subsets, α ln α − n ln n − (α−n) ln(α−n)."""
    model, alpha, n = problem.model, problem.pool_ratio, problem.budget
    known = typical(model, n)
    theta = np.array(typical_theta(model, alpha, n))
    stable = ratios(model, alpha, theta, outer_grid(model, np.append(theta[:5], 1e-5)))
    return Point(
        log_volume=known.log_volume,
        complexity=-n * math.log(n / alpha) - (alpha - n) * math.log1p(-n / alpha),
        beta=0.0,
        phi=float(theta[4]),
        **order_parameters(Theta(*map(float, theta))),
        stability=stable.outer,
        inner_stability=stable.inner,
        convex=False,
        residual=known.residual,
        quadrature_error=known.quadrature_error,
        iterations=0,
    )


def whole_pool_point(problem: Problem) -> Point:
    """Budget n = α: one subset, the pool itself; β and φ are undefined (NaN) and Q = q."""
    known = typical(problem.model, problem.budget)
    Q = known.overlap
    return Point(
        log_volume=known.log_volume,
        complexity=0.0,
        beta=math.nan,
        phi=math.nan,
        m=Q,
        q=Q,
        Q=Q,
        r=1.0,
        accuracy=known.accuracy,
        subset_averaged_accuracy=known.accuracy,
        stability=math.nan,
        inner_stability=math.nan,
        convex=False,
        residual=known.residual,
        quadrature_error=known.quadrature_error,
        iterations=0,
    )


def next_to(top: Point, edge: Point, log_volume: float) -> Point:
    """A point so close to β = 0 that dividing by β² would leave only rounding: the line to a solved neighbour.

    The neighbour is 10⁻⁴ of the side away, so what the line misses is of relative order 10⁻⁸; Σ, whose slope is −β,
    is the parabola.
    """
    distance = log_volume - top.log_volume
    weight = distance / (edge.log_volume - top.log_volume)
    mixed = {name: (1.0 - weight) * getattr(top, name) + weight * getattr(edge, name) for name in _SMOOTH}
    return replace(
        edge,
        iterations=0,  # none of its own
        log_volume=log_volume,
        complexity=top.complexity - 0.5 * mixed["beta"] * distance,
        residual=max(top.residual, edge.residual),
        quadrature_error=max(top.quadrature_error, edge.quadrature_error),
        **mixed,
    )
