"""A point of a complexity curve: order parameters, accuracies, stability, and the figures that
prove it.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gardner.errors import ConvergenceError
from gardner.theory.curve.ends import EndStatus
from gardner.theory.curve.equations import Problem, State
from gardner.theory.curve.stability import Ratios, ratios
from gardner.theory.formula.conjugates import to_k
from gardner.theory.formula.evaluation import make_mesh, quadrature_shift
from gardner.theory.formula.free_entropy import BETA, PHI, Theta, to_coordinates, to_theta
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.quadrature import MAX_PANELS
from gardner.theory.formula.taylor import Floats
from gardner.theory.random_subset.typical import (
    Typical,
    accuracies,
    typical_conjugates,
    typical_of,
    typical_theta,
)

# The error of ln v up to which six decimals are known; beyond, a status is `imprecise`.
PRECISE = 5e-7
# The change of ln v per unit of ln |β| below which it stands still: slopes there are rounding.
_STANDSTILL = 1e-7
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

    ``information`` is what the labels tell about the teacher
    (:mod:`gardner.theory.formula.information`), −ln v without noise. ``accuracy`` is that of a
    student trained on one subset, 1 − arccos(m/√Q)/π; ``subset_averaged_accuracy`` is the paper's 1
    − arccos(m/√q)/π, of a vote over students of all subsets of that volume (real labels: the share
    of the field's variance that is explained). ``stability`` and ``inner_stability`` are the ratios
    of :mod:`gardner.theory.curve.stability`, unstable above 1. ``convex`` marks coexistence: Σ is
    locally convex there and no β makes the point typical. ``residual`` is the largest relative
    mismatch of the saddle-point equations.

    Three estimates say how far the numbers may be off, by refining both integrals and by the
    residual: ``quadrature_error`` that of ln v at the given Σ (of Σ at the given ln v where |β| <
    1), ``accuracy_error`` that of the accuracy, and ``relative_error`` the largest relative one of
    m, q, Q, r and β. ``resolved`` is false where the panels of the outer integral ran out before
    they resolved it.
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
    accuracy_error: float = 0.0
    relative_error: float = 0.0
    resolved: bool = True


def end_status(status: EndStatus, point: Point | None, reason: str) -> tuple[EndStatus, str]:
    """The status of an end and its reason; one that was reached but is not known to six decimals is
    imprecise.
    """
    if point is None or not status.known:
        return status, reason
    return _status(status, reason, _imprecision(point.quadrature_error, point.resolved))


def solved_status(known: Point | Typical) -> tuple[EndStatus, str]:
    """The status of a random subset or of the pool, and its reason, by the measure of ends."""
    return _status(EndStatus.SOLVED, "", _imprecision(known.quadrature_error))


def _status(status: EndStatus, reason: str, imprecision: str) -> tuple[EndStatus, str]:
    return (EndStatus.IMPRECISE, "; ".join(filter(None, (reason, imprecision)))) if imprecision else (status, reason)


def _imprecision(quadrature_error: float, resolved: bool = True) -> str:
    """Why ln v is not known to six decimals; empty where it is."""
    if quadrature_error > PRECISE:
        return f"ln v is known to ±{quadrature_error:.0e} only"
    return "" if resolved else f"the outer integral needs more than {MAX_PANELS} panels"


def order_parameters(pair: Pair, theta: Theta) -> dict[str, float]:
    """The overlaps m, q, Q, r and the two accuracies; t = q − m² and t + D = Q − m² need no
    subtraction.
    """
    return {
        "m": pair.teacher_scale * theta.m,
        "q": theta.q,
        "Q": theta.Q,
        "r": theta.r,
        "accuracy": accuracies(pair, theta.m, theta.t + theta.D, theta.V)[0],
        "subset_averaged_accuracy": accuracies(pair, theta.m, theta.t, theta.V)[0],
    }


def point_of(state: State) -> Point:
    """A solved state with its error estimate and stability."""
    pair, alpha = state.problem.pair, state.problem.pool_ratio
    shift, slope = quadrature_shift(pair, alpha, state.derivatives, state.z, state.mesh)
    stable = ratios(pair, alpha, state.z, state.mesh)
    beta = state.theta.beta
    errors = _errors(state, shift, slope)
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
        quadrature_error=errors.log_volume,
        iterations=state.iterations,
        information=state.information,
        accuracy_error=errors.accuracy,
        relative_error=errors.relative,
        resolved=state.mesh.resolved,
    )


class _Errors(NamedTuple):
    """Estimates of how far a solved point is off."""

    log_volume: float
    accuracy: float
    relative: float


def _errors(state: State, shift: float, slope: Floats) -> _Errors:
    """What a change of Φ by ``shift`` and of its gradient by ``slope``, and the residual, do to a
    point.

    Σ(n, ln v) is the extremum of Φ − β ln v − φn. So a small change of Φ moves Σ at a given ln v by
    ``shift``, and the change of the gradient, δg, by ½ δg·δθ only, where δθ is what it does to the
    order parameters. These feel it in first order. A budget off by δn moves Σ by −φδn.
    """
    with np.errstate(all="ignore"):
        shifted = replace(state, derivatives=replace(state.derivatives, gradient=state.derivatives.gradient + slope))
        mismatch, rows = shifted.equations[0], state.equations[1]
        try:
            # across the branch: along it there is nothing to be off by, ln v says where on it the
            # point is
            change = np.linalg.solve(np.vstack([rows, np.asarray(state.tangent)]), -np.append(mismatch, 0.0))
        except np.linalg.LinAlgError:
            return _Errors(*[math.inf] * 3)
        second = 0.5 * abs(float(slope @ change))
        budget = abs(shifted.labels - state.problem.budget)
        volume = (abs(shift) + second + abs(state.theta.phi) * budget) / max(1.0, abs(state.theta.beta))
        volume += 2.0 * state.residual  # of the control, which is in units of ln v
        moved = Theta(*(float(x) for x in to_theta(state.z + change + state.rounding)))
        here, there = (order_parameters(state.problem.pair, theta)["accuracy"] for theta in (state.theta, moved))
    found = (volume, abs(there - here), float((np.abs(change) + state.rounding).max()))
    return _Errors(*(x if math.isfinite(x) else math.inf for x in found))


def _turns_back(tangent: Floats, log_volume_slope: Floats) -> bool:
    """Whether β falls where ln v rises along the branch; on a wall, where ln v stands still, that
    is only rounding.
    """
    rise, turn = float(tangent @ log_volume_slope), float(tangent[BETA])
    return rise * turn < 0.0 and abs(rise) > _STANDSTILL * abs(turn)


@functools.lru_cache(maxsize=64)
def typical_point(problem: Problem) -> Point:
    """The top of the curve, β = 0: Σ counts all subsets, α ln α − n ln n − (α−n) ln(α−n)."""
    pair, alpha, n = problem.pair, problem.pool_ratio, problem.budget
    known = typical_of(pair, n)
    if known.self_overlap == known.squared_norm:  # all weights known: no order parameter is left
        return replace(whole_pool_point(problem), complexity=_subsets(problem), beta=0.0)
    theta = np.array(typical_theta(pair, alpha, n))
    stable = _top_ratios(problem, theta)
    return Point(
        log_volume=known.log_volume,
        complexity=_subsets(problem),
        beta=0.0,
        phi=float(theta[PHI]),
        **order_parameters(pair, Theta(*map(float, theta))),
        stability=stable.outer,
        inner_stability=stable.inner,
        convex=False,
        residual=known.residual,
        quadrature_error=known.quadrature_error,
        iterations=0,
        information=known.information,
        accuracy_error=known.quadrature_error + known.residual,
        relative_error=known.quadrature_error + known.residual,
        resolved=True,
    )


def _subsets(problem: Problem) -> float:
    """The logarithm of the number of all subsets, per weight."""
    alpha, n = problem.pool_ratio, problem.budget
    return -n * math.log(n / alpha) - (alpha - n) * math.log1p(-n / alpha)


def _top_ratios(problem: Problem, theta: Floats) -> Ratios:
    """The ratios in the limit β → 0; they have one, but the conjugates of other priors do not come
    that close.
    """
    pair = problem.pair
    place = to_coordinates(np.append(theta[:5], 1e-5 if pair.gaussian else 1e-2))
    if not pair.conjugates_known:
        conjugates = typical_conjugates(pair, problem.pool_ratio, problem.budget)
        place = np.append(place, to_k(pair, float(np.sinh(place[BETA])), conjugates))
    try:
        return ratios(pair, problem.pool_ratio, place, make_mesh(pair, place))
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
        r=known.squared_norm,
        accuracy=known.accuracy,
        subset_averaged_accuracy=known.accuracy,
        stability=math.nan,
        inner_stability=math.nan,
        convex=False,
        residual=known.residual,
        quadrature_error=known.quadrature_error,
        iterations=0,
        information=known.information,
        accuracy_error=known.quadrature_error + known.residual,
        relative_error=known.quadrature_error + known.residual,
    )


def frozen_point(problem: Problem, doubting: Point) -> Point:
    """The student whose labels determine its weights, at the volume where the one who still doubts
    (given) ends.

    It agrees with the teacher everywhere; β, φ and the stability ratios belong to the doubting one
    and are NaN here.
    """
    scale, size = problem.pair.teacher_scale, problem.pair.student.prior.second_moment
    return replace(
        doubting,
        beta=math.nan,
        phi=math.nan,
        m=scale * math.sqrt(size),
        q=size,
        Q=size,
        r=size,
        accuracy=1.0,
        subset_averaged_accuracy=1.0,
        stability=math.nan,
        inner_stability=math.nan,
        accuracy_error=0.0,
        relative_error=0.0,
    )


def next_to(top: Point, edge: Point, log_volume: float) -> Point:
    """A point so close to β = 0 that dividing by β² would leave only rounding: the line to a solved
    neighbour.

    The neighbour is 10⁻⁴ of the side away, so what the line misses is of relative order 10⁻⁸; Σ,
    whose slope is −β, is the parabola.
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
        accuracy_error=max(top.accuracy_error, edge.accuracy_error),
        relative_error=max(top.relative_error, edge.relative_error),
        resolved=top.resolved and edge.resolved,
        **mixed,
    )


def between(here: Point, one: Point, other: Point) -> Point:
    """A point whose overlaps are read off the line between two solved neighbours; ln v, Σ and β are
    its own.
    """
    weight = (here.log_volume - one.log_volume) / (other.log_volume - one.log_volume)
    names = [name for name in _SMOOTH if name != "beta"]
    mixed = {name: (1.0 - weight) * getattr(one, name) + weight * getattr(other, name) for name in names}
    apart = max(abs(getattr(other, name) / getattr(one, name) - 1.0) for name in ("m", "q", "Q"))
    return replace(
        here,
        accuracy_error=max(one.accuracy_error, other.accuracy_error) + apart**2,
        relative_error=max(one.relative_error, other.relative_error) + apart**2,
        **mixed,
    )
