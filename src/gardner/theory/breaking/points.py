"""Points of the branch of broken symmetry, and the way from its first one to Σ = 0.

Points are solved by Newton with differences for derivatives: fields are tabulated anew only where
D, V or β change. Along the branch x falls.
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
    Steps,
    evaluate,
    reached,
    to_coordinates,
    to_place,
)
from gardner.theory.breaking.rows import tabulate
from gardner.theory.curve.equations import Problem
from gardner.theory.formula.free_entropy import Theta
from gardner.theory.formula.taylor import Floats

# The relative mismatch of the equations at which Newton stops.
TOLERANCE = 1e-9
# The mismatch that is accepted where rounding stops Newton earlier: ln v then moves in its eighth
# digit.
ACCEPTABLE = 1e-7
# Of a coordinate, to both sides, for derivatives: good to 10⁻¹⁰, as rounding and curvature balance.
_DIFFERENCE = 1e-5
# Evaluations of the equations before a start is given up; three to five are usual.
_MAX_ITERATIONS = 10
# The longest step of Newton, in units of the coordinates.
_LONGEST_MOVE = 0.5
# The shares of a step of Newton that are tried where the whole would leave the domain, U > 0.
_SHARES = (1.0, 0.5, 0.25, 0.1)
# The d|β|/W tried for the first point: small enough to start from d = 0, far above rounding (d³).
# On walls the fields of small d need too fine a grid.
_FIRST_GAPS = (0.01, 0.03, 0.1, 0.2)
# The first step along the branch, in units of the coordinates.
_FIRST_STEP = 0.3
# The longest step: of 0.6, points take three evaluations.
_LONGEST_STEP = 0.6
# The shortest step: seven failures in a row before it are a branch that ends.
_SHORTEST_STEP = 1e-3
# How far ln v may still go, Σ/|β| in nats per weight, where a failing step ends the walk: a bracket
# says the rest.
_GOOD_ENOUGH = 1e-5
# What a step grows by after a success.
_GROWTH = 1.5
# What it shrinks by after a failure.
_SHRINK = 0.4
# Steps tried: an honest "unresolved" beats a hang. The longest branch seen takes 25.
_MOST_STEPS = 60
# The spacing of the nodes in units of √V and √d: sums over Gaussians of that width are exact to
# 10⁻³⁰.
_FINE = 0.5
# The same in units of 1/|L'|: sums over the kink of F are off by 10⁻¹¹.
_KINK = 0.8
# The spacing of the rows' fields in units of √d and √t: a logarithm of averages is summed there,
# which is sharper.
_ROW_FINE = 0.25
# Nodes with which it is looked for.
_KINK_NODES = 400

# Coordinates whose change wants new fields: D, V and β.
_ROWS = (3, 4, BETA)
Control = Callable[[Evaluation, Floats], float]


@dataclass(frozen=True)
class Solved:
    """A solved point of the branch, with the tangent there."""

    u: Floats
    at: Evaluation
    residual: float
    tangent: Floats
    steps: Steps


def steps_at(problem: Problem, u: Floats) -> Steps:
    """The grid that a place wants: every Gaussian is resolved, and the kink of F.

    F turns where φ + L(h) = 0, over a width 1/|L'|: its nearest pole lies π/|L'| beside the real
    line, so that sums of spacing s are off by e^{−2π²/(s|L'|)}.
    """
    at = to_place(u)
    if not (at.W > 0.0 and at.U > 0.0):
        raise ConvergenceError("the average over students does not exist there")
    low, high, pulled, wide = reached(at)
    h = np.linspace(-low - pulled, high + wide, _KINK_NODES)
    fields = tabulate(problem.pair.student.channel, h, at.D, at.V, at.beta)
    odds = at.phi + fields.value
    turns = np.flatnonzero(odds[1:] * odds[:-1] <= 0.0)
    steepest = float(np.abs(fields.slope[turns]).max()) if turns.size else 1.0
    # G is smooth over √d, or as smooth as F where d is tiny
    smooth = max(math.sqrt(at.d * min(1.0, at.U / at.W)), min(1.0 / steepest, math.sqrt(at.V)))
    nodes = min(_KINK / steepest, _FINE * math.sqrt(min(at.V, at.d)))
    return Steps(nodes, _ROW_FINE * min(math.sqrt(at.t), smooth))


def newton(problem: Problem, u: Floats, control: Control, steps: Steps) -> Solved:
    """The point next to u at which the equations hold, and the control vanishes."""
    best: Solved | None = None
    step: Floats = np.zeros_like(u)
    for _ in range(_MAX_ITERATIONS):
        u, here = _moved(problem, u, step, steps)
        values, rows = _linearised(problem, u, here, control, steps)
        residual = float(np.abs(values).max())
        if not np.isfinite(residual) or not np.all(np.isfinite(rows)):
            raise ConvergenceError("the equations of broken symmetry overflowed")
        stalled = best is not None and 0.5 * best.residual < residual < ACCEPTABLE
        if best is None or residual < best.residual:
            best = Solved(u, here, residual, np.linalg.svd(rows[:-1])[2][-1], steps)
        if best.residual < TOLERANCE or stalled:
            return best
        try:
            step = np.asarray(np.linalg.solve(rows, -values), dtype=np.float64)
        except np.linalg.LinAlgError:
            raise ConvergenceError("the equations of broken symmetry became singular") from None
        step *= min(1.0, _LONGEST_MOVE / float(np.abs(step).max()))
    raise ConvergenceError(f"no convergence of broken symmetry (residual {residual:.0e})")


def _moved(problem: Problem, u: Floats, step: Floats, steps: Steps) -> tuple[Floats, Evaluation]:
    """The place a step away and what holds there; a shorter step where averages would not exist."""
    for share in _SHARES:
        try:
            return u + share * step, evaluate(problem, u + share * step, steps)
        except ConvergenceError as error:
            failure = error
            if not step.any():
                break
    raise failure


def _linearised(problem: Problem, u: Floats, here: Evaluation, control: Control, steps: Steps) -> tuple[Floats, Floats]:
    """The equations and the control, and their derivatives by central differences."""
    rows = np.empty((len(u), len(u)))
    for index in range(len(u)):
        sides = []
        for sign in (1.0, -1.0):
            moved = u.copy()
            moved[index] += sign * _DIFFERENCE
            there = evaluate(problem, moved, steps, None if index in _ROWS else here)
            sides.append(np.append(there.equations, control(there, moved)))
        rows[:, index] = (sides[0] - sides[1]) / (2.0 * _DIFFERENCE)
    return np.append(here.equations, control(here, u)), rows


def first_point(problem: Problem, theta: Theta) -> Solved:
    """The first point of the branch beyond d = 0: as close to it as the grid allows."""
    for gap in _FIRST_GAPS:
        try:
            return _first(problem, theta, gap * theta.W / abs(theta.beta))
        except ConvergenceError as error:
            failure = error
    raise failure


def _first(problem: Problem, theta: Theta, d: float) -> Solved:
    """The point of that d, x from where the last equation vanishes."""

    def start(x: float) -> Floats:
        place = Place(theta.m, theta.t, d, theta.D - 0.5 * d, theta.V, x, theta.phi, theta.beta)
        return to_coordinates(place)

    steps = steps_at(problem, start(1.0))
    low, high = (evaluate(problem, start(x), steps).equations[-1] for x in (0.5, 1.0))
    guess = 0.5 - 0.5 * low / (high - low) if high != low else 1.0  # the last equation is nearly straight in x
    wanted = math.log(d)
    return newton(problem, start(min(max(guess, 0.05), 2.0)), lambda here, _: math.log(here.place.d) - wanted, steps)


def at_x_one(problem: Problem, place: Place) -> Solved:
    """The point at x = 1 next to a place."""
    u = to_coordinates(place)
    return newton(problem, u, lambda _, u: float(u[LN_X]), steps_at(problem, u))


def at_zero(problem: Problem, near: Solved, steps: Steps) -> Solved:
    """The point of the branch at Σ = 0, in units of ln v."""
    size = abs(near.at.place.beta)
    return newton(problem, near.u, lambda here, _: here.complexity / size, steps)


def walk(problem: Problem, first: Solved, widening: bool) -> tuple[list[Solved], str]:
    """The branch from its first point until Σ < 0; a reason if it could not be followed so far.

    It goes to larger d where it is ``widening`` from d = 0, and else to smaller x.
    """
    path, step = [first], _FIRST_STEP
    if first.at.complexity < 0.0:
        return path, ""
    forwards = first.tangent[LN_GAP] if widening else -first.tangent[LN_X]
    tangent = first.tangent if forwards > 0.0 else -first.tangent
    for _ in range(_MOST_STEPS):
        last = path[-1]
        predicted = last.u + step * tangent
        along = tangent

        def distance(_: Evaluation, u: Floats, predicted: Floats = predicted, along: Floats = along) -> float:
            return float(along @ (u - predicted))

        try:
            new = newton(problem, predicted, distance, steps_at(problem, predicted))
            if float(np.linalg.norm(new.u - predicted)) > 0.5 * step:
                raise ConvergenceError("the corrector moved too far")
        except ConvergenceError as error:
            step *= _SHRINK
            if step < _SHORTEST_STEP or last.at.complexity < _GOOD_ENOUGH * abs(last.at.place.beta):
                return path, error.what
            continue
        path.append(new)
        if new.at.complexity < 0.0:
            return path, ""
        tangent = new.tangent if float(new.tangent @ tangent) > 0.0 else -new.tangent
        step = min(_LONGEST_STEP, step * _GROWTH)
    return path, f"no end within {_MOST_STEPS} steps"
