"""The branch of broken symmetry: from where it leaves the symmetric one to its own Σ = 0.

It leaves where the stability ratio R of the symmetric branch is 1. There d = 0 and x has a definite
value x*. If x* < 1, symmetry breaks there, continuously. If x* > 1, the branch is followed to x = 1,
where d > 0 and both free entropies agree: symmetry breaks there, discontinuously and a little
before R = 1. Beyond, x falls. Points are solved by Newton with differences for derivatives: fields
are tabulated anew only where D, V or β change.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gardner.errors import ConvergenceError
from gardner.theory.breaking.free_entropy import (
    BETA,
    LN_GAP,
    LN_X,
    Evaluation,
    Place,
    evaluate,
    to_coordinates,
    to_place,
)
from gardner.theory.breaking.rows import tabulate
from gardner.theory.curve.branch import Branch
from gardner.theory.curve.stability import ratios
from gardner.theory.curve.stationary import Problem, State, at_distance, solve
from gardner.theory.formula.free_entropy import Theta
from gardner.theory.formula.taylor import Floats
from gardner.theory.roots import root_between

TOLERANCE = 1e-9  # of the relative mismatch of the equations
ACCEPTABLE = 1e-7  # where rounding stops Newton earlier than that: ln v then moves in its eighth digit
_DIFFERENCE = 1e-5  # of a coordinate, to both sides: derivatives are good to 10⁻¹⁰, as rounding and curvature balance
_ROWS = (3, 4, BETA)  # coordinates whose change wants new fields: D, V and β
_MAX_ITERATIONS = 10
_LONGEST_MOVE = 0.5  # of a Newton step, in coordinates
_FIRST_GAP = 0.01  # d|β|/W at the first point: small enough to start from d = 0, far above rounding (d³)
_FIRST_STEP, _LONGEST_STEP, _SHORTEST_STEP = 0.3, 0.6, 1e-3  # along the branch, in coordinates
_GROWTH, _SHRINK = 1.5, 0.4
_MOST_STEPS = 120  # an honest "unresolved" beats a hang
_FINE = 0.5  # of √d, √t and √V: the spacing at which sums over Gaussians are exact to 10⁻³⁰
_KINK = 0.8  # of 1/|L'|: sums over the kink of F are off by 10⁻¹¹; an error estimate with half of it looks
_KINK_REACH, _KINK_NODES = 5.0, 400  # where the kink is looked for, in standard deviations of the fields

Control = Callable[[Evaluation, Floats], float]


@dataclass(frozen=True)
class Solved:
    """A solved point of the branch, with the tangent there."""

    u: Floats
    at: Evaluation
    residual: float
    tangent: Floats


def leaving(followed: Branch) -> State | None:
    """Where R passes 1 along the symmetric branch; none if it stays below."""
    before: State | None = None
    for state in followed.states:
        if _ratio(state) > 1.0:
            return None if before is None else _at_one(followed.problem, before, state)
        before = state
    return None


def _ratio(state: State) -> float:
    return ratios(state.problem.pair, state.problem.pool_ratio, state.z, state.mesh).outer


def _at_one(problem: Problem, below: State, above: State) -> State:
    """Where R = 1 between two neighbours, by the share of the way from one to the other."""
    known: dict[float, State] = {}
    chord = above.z - below.z
    along = chord / float(np.linalg.norm(chord))

    def excess(share: float) -> float:
        place = below.z + share * chord
        known[share] = solve(problem, place, at_distance(place, along))
        return _ratio(known[share]) - 1.0

    share = root_between(excess, 0.0, 1.0, what="end of replica symmetry", absolute=1e-9)
    if share not in known:
        excess(share)
    return known[share]


def spacing_at(problem: Problem, u: Floats) -> float:
    """The spacing of the grid that a place wants: every Gaussian is resolved, and the kink of F.

    F turns where φ + L(h) = 0, over a width 1/|L'|: its nearest pole lies π/|L'| beside the real
    line, so that sums of spacing s are off by e^{−2π²/(s|L'|)}.
    """
    at = to_place(u)
    h = np.linspace(-_KINK_REACH * math.sqrt(at.t), _KINK_REACH * math.sqrt(at.q0), _KINK_NODES)
    fields = tabulate(problem.pair.student.channel, h, at.D, at.V, at.beta)
    odds = at.phi + fields.value
    turns = np.flatnonzero(odds[1:] * odds[:-1] <= 0.0)
    steepest = float(np.abs(fields.slope[turns]).max()) if turns.size else 1.0
    return min(_KINK / steepest, *(_FINE * math.sqrt(part) for part in (at.d, at.t, at.V)))


def newton(problem: Problem, u: Floats, control: Control, spacing: float) -> Solved:
    """The point next to u at which the equations hold, and the control vanishes."""
    best: Solved | None = None
    for _ in range(_MAX_ITERATIONS):
        here = evaluate(problem, u, spacing)
        values, rows = _linearised(problem, u, here, control, spacing)
        residual = float(np.abs(values).max())
        if not np.isfinite(residual) or not np.all(np.isfinite(rows)):
            raise ConvergenceError("the equations of broken symmetry overflowed")
        stalled = best is not None and 0.5 * best.residual < residual < ACCEPTABLE
        if best is None or residual < best.residual:
            best = Solved(u, here, residual, np.linalg.svd(rows[:-1])[2][-1])
        if best.residual < TOLERANCE or stalled:
            return best
        try:
            step = np.linalg.solve(rows, -values)
        except np.linalg.LinAlgError:
            raise ConvergenceError("the equations of broken symmetry became singular") from None
        u = u + step * min(1.0, _LONGEST_MOVE / float(np.abs(step).max()))
    raise ConvergenceError(f"no convergence of broken symmetry (residual {residual:.0e})")


def _linearised(
    problem: Problem, u: Floats, here: Evaluation, control: Control, spacing: float
) -> tuple[Floats, Floats]:
    """The equations and the control, and their derivatives by central differences."""
    rows = np.empty((len(u), len(u)))
    for index in range(len(u)):
        sides = []
        for sign in (1.0, -1.0):
            moved = u.copy()
            moved[index] += sign * _DIFFERENCE
            there = evaluate(problem, moved, spacing, None if index in _ROWS else here)
            sides.append(np.append(there.equations, control(there, moved)))
        rows[:, index] = (sides[0] - sides[1]) / (2.0 * _DIFFERENCE)
    return np.append(here.equations, control(here, u)), rows


def first_point(problem: Problem, theta: Theta) -> Solved:
    """The first point of the branch beyond d = 0, x from where the last equation vanishes."""
    d = _FIRST_GAP * theta.W / abs(theta.beta)

    def start(x: float) -> Floats:
        place = Place(theta.m, theta.t, d, theta.D - 0.5 * d, theta.V, x, theta.phi, theta.beta)
        return to_coordinates(place)

    spacing = spacing_at(problem, start(1.0))
    low, high = (evaluate(problem, start(x), spacing).equations[-1] for x in (0.5, 1.0))
    guess = 0.5 - 0.5 * low / (high - low) if high != low else 1.0  # the last equation is nearly straight in x
    wanted = float(np.log(d))
    return newton(problem, start(min(max(guess, 0.05), 2.0)), lambda _, u: float(u[LN_GAP]) - wanted, spacing)


def at_x_one(problem: Problem, near: Solved) -> Solved:
    """The point of the branch at x = 1."""
    return newton(problem, near.u, lambda _, u: float(u[LN_X]), spacing_at(problem, near.u))


def at_zero(problem: Problem, near: Solved, spacing: float) -> Solved:
    """The point of the branch at Σ = 0, in units of ln v."""
    size = abs(near.at.place.beta)
    return newton(problem, near.u, lambda here, _: here.complexity / size, spacing)


def walk(problem: Problem, first: Solved) -> tuple[list[Solved], str]:
    """The branch from its first point until Σ < 0; a reason if it could not be followed so far."""
    path, step = [first], _FIRST_STEP
    tangent = first.tangent if first.tangent[LN_GAP] > 0.0 else -first.tangent
    for _ in range(_MOST_STEPS):
        last = path[-1]
        predicted = last.u + step * tangent
        along = tangent

        def distance(_: Evaluation, u: Floats, predicted: Floats = predicted, along: Floats = along) -> float:
            return float(along @ (u - predicted))

        try:
            new = newton(problem, predicted, distance, spacing_at(problem, predicted))
            if float(np.linalg.norm(new.u - predicted)) > 0.5 * step:
                raise ConvergenceError("the corrector moved too far")
        except ConvergenceError as error:
            step *= _SHRINK
            if step < _SHORTEST_STEP:
                return path, error.what
            continue
        path.append(new)
        if new.at.complexity < 0.0:
            return path, ""
        tangent = new.tangent if float(new.tangent @ tangent) > 0.0 else -new.tangent
        step = min(_LONGEST_STEP, step * _GROWTH)
    return path, f"no end within {_MOST_STEPS} steps"
