"""A point of a complexity curve: order parameters, accuracies, stability, and the figures that prove it."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import numpy as np

from gardner.errors import ConvergenceError
from gardner.theory.free_entropy import Theta
from gardner.theory.hats import Memory, to_k
from gardner.theory.jets import outer_grid, quadrature_shift
from gardner.theory.pair import Pair
from gardner.theory.quadrature import Floats
from gardner.theory.stability import Ratios, ratios
from gardner.theory.stationary import Problem, State, to_theta
from gardner.theory.typical import accuracies, typical_hats, typical_of, typical_theta

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
    "information",
)


@dataclass(frozen=True)
class Point:
    """A point of the complexity curve with its order parameters, its stability and its proof.

    ``information`` is what the labels tell about the teacher (:mod:`gardner.theory.noise`), −ln v without noise.
    ``accuracy`` is that of a student trained on one subset, 1 − arccos(m/√Q)/π; ``subset_averaged_accuracy`` is the
    paper's 1 − arccos(m/√q)/π, of a vote over students of all subsets of that volume (real labels: the share of the
    field's variance that is explained). ``stability`` and
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
    information: float


def order_parameters(pair: Pair, theta: Theta) -> dict[str, float]:
    """The overlaps m, q, Q, r and the two accuracies; t = q − m² and t + D = Q − m² need no subtraction."""
    return {
        "m": pair.teacher_scale * theta.m,
        "q": theta.q,
        "Q": theta.Q,
        "r": theta.r,
        "accuracy": accuracies(pair, theta.m, theta.t + theta.D, theta.V)[0],
        "subset_averaged_accuracy": accuracies(pair, theta.m, theta.t, theta.V)[0],
    }


def point_of(state: State) -> Point:
    """A solved state with its error estimate and stability; call it under double precision."""
    problem, theta = state.problem, to_theta(state.z)
    pair, alpha, memory = problem.pair, problem.pool_ratio, problem.memory
    shift, slope = quadrature_shift(pair, alpha, state.jet, theta, state.grid, memory)
    stable = ratios(pair, alpha, theta, state.grid, memory)
    beta = state.theta.beta
    return Point(
        log_volume=state.log_volume,
        complexity=state.complexity,
        beta=beta,
        phi=state.theta.phi,
        **order_parameters(pair, state.theta),
        stability=stable.outer,
        inner_stability=stable.inner,
        convex=_turns_back(np.asarray(state.tangent), state.log_volume_slope),
        residual=state.residual,
        quadrature_error=float(max(abs(slope[5]), abs(shift) / max(1.0, abs(beta)))),
        iterations=state.iterations,
        information=state.information,
    )


def _turns_back(tangent: Floats, log_volume_slope: Floats) -> bool:
    """Whether β falls where ln v rises along the branch; on a wall, where ln v stands still, that is only rounding."""
    rise, turn = float(tangent @ log_volume_slope), float(tangent[5])
    return rise * turn < 0.0 and abs(rise) > _STANDSTILL * abs(turn)


@functools.lru_cache(maxsize=64)
def typical_point(problem: Problem) -> Point:
    """The top of the curve, β = 0: Σ counts all subsets, α ln α − n ln n − (α−n) ln(α−n)."""
    pair, alpha, n = problem.pair, problem.pool_ratio, problem.budget
    known = typical_of(pair, n)
    if known.self_overlap == known.norm:  # all weights known: no order parameter is left
        return replace(whole_pool_point(problem), complexity=_subsets(problem), beta=0.0)
    theta = np.array(typical_theta(pair, alpha, n))
    stable = _top_ratios(problem, theta)
    return Point(
        log_volume=known.log_volume,
        complexity=_subsets(problem),
        beta=0.0,
        phi=float(theta[4]),
        **order_parameters(pair, Theta(*map(float, theta))),
        stability=stable.outer,
        inner_stability=stable.inner,
        convex=False,
        residual=known.residual,
        quadrature_error=known.quadrature_error,
        iterations=0,
        information=known.information,
    )


def _subsets(problem: Problem) -> float:
    """The logarithm of the number of all subsets, per weight."""
    alpha, n = problem.pool_ratio, problem.budget
    return -n * math.log(n / alpha) - (alpha - n) * math.log1p(-n / alpha)


def _top_ratios(problem: Problem, theta: Floats) -> Ratios:
    """The ratios in the limit β → 0; they have one, but the hats of other priors do not come that close."""
    pair, near = problem.pair, 1e-5 if problem.pair.gaussian else 1e-2
    at = np.append(theta[:5], near)
    memory = Memory()
    if not pair.gaussian:
        memory.remember(theta, to_k(typical_hats(pair, problem.pool_ratio, problem.budget)))
    try:
        return ratios(pair, problem.pool_ratio, theta if pair.gaussian else at, outer_grid(pair, at), memory)
    except ConvergenceError:
        return Ratios(math.nan, math.nan)


def whole_pool_point(problem: Problem) -> Point:
    """Budget n = α: one subset, the pool itself; β and φ are undefined (NaN) and Q = q."""
    known = typical_of(problem.pair, problem.budget)
    return Point(
        log_volume=known.log_volume,
        complexity=0.0,
        beta=math.nan,
        phi=math.nan,
        m=known.overlap,
        q=known.self_overlap,
        Q=known.self_overlap,
        r=known.norm,
        accuracy=known.accuracy,
        subset_averaged_accuracy=known.accuracy,
        stability=math.nan,
        inner_stability=math.nan,
        convex=False,
        residual=known.residual,
        quadrature_error=known.quadrature_error,
        iterations=0,
        information=known.information,
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
