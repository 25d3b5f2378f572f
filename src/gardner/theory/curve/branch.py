"""Following a branch at fixed budget from the typical subset to the end of the complexity curve.

The branch is a curve in the six unknowns; it is followed by its length (in logarithmic
coordinates), so folds in β and walls where ln v stands still while |β| grows by decades are walked
through alike. It ends where Σ = 0, or where the rest is bracketed: past a point, ln v can move by
at most Σ/|β|, since dΣ/d ln v = −β and Σ is concave there; and without noise no subset has a
smaller volume than the whole pool.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gardner.errors import ConvergenceError
from gardner.theory.curve.ends import Branch, EndStatus, Side, reach_of
from gardner.theory.curve.equations import TOLERANCE, Problem, State
from gardner.theory.curve.stationary import at_beta, at_complexity, at_distance, solve
from gardner.theory.formula.conjugates import to_k
from gardner.theory.formula.free_entropy import BETA, LN_T, to_coordinates
from gardner.theory.formula.taylor import Floats
from gardner.theory.random_subset.typical import typical_conjugates, typical_of, typical_theta

# Lengths of steps are in units of the logarithmic coordinates. benchmarks/tolerances.py halves and
# doubles each number: ln v at the ends moves by 3·10⁻¹² at most, so they buy patience and speed,
# not digits.

# How far ln v may still go, Σ/|β| in nats per weight, for an end to count as found; the bracket is
# stated with it.
BRACKETED = 1e-5
# The same reach below which a failing step ends the walk, instead of being shortened.
_GOOD_ENOUGH = 1e-6
# The same reach below which nothing is gained by going on.
_TIGHT = 1e-9
# The same reach below which an end is imprecise, and not unresolved.
_NEARLY = 1e-3
# The |β| beyond which ln v stands still: walls, where it moves by less than 1/|β| in all.
_WALL = 1e4
# A step back of ln v by no more than this, in nats per weight, is rounding and no fold.
_NOISE = 1e-9
# The |β| at which a walk ends: Σ/|β| is far below what is printed.
_LARGEST_BETA = 1e9
# Steps tried per side: "unresolved" beats a hang, and a count does not depend on the machine.
_MOST_STEPS = 400
# The shortest step of a Gaussian prior; five failures in a row before it are a branch that ends.
_SHORTEST_STEP = 1e-5
# The shortest step with conjugates among the unknowns, where a failed one costs seconds.
_SHORTEST_WITH_CONJUGATES = 1e-2
# The shortest step where the end is nearly reached, and little can be gained.
_SHORTEST_NEAR_END = 0.1
# The longest step round a turning point of ln v: between two ends of a longer one Σ may have been
# negative.
_TURN = 0.03
# The relative mismatch at which a point is good enough to go on from; the last one is solved to
# full precision.
_WALKING = 1e-6
# The budget, in labels per weight, up to which every point needs full precision: equations are
# ill-conditioned there.
_TINY = 0.01
# The pool ratio beyond which every point needs it, for the same reason.
_LARGE = 100.0
# The first step; steps then grow and shrink by how easily points are solved.
_FIRST_STEP = 0.6
# The longest step: a factor e^2.5 in an overlap.
_LONGEST_STEP = 2.5
# What a prediction may add to the tangent, as a share of the step: on walls tangents carry
# rounding.
_MOST_BEND = 0.3
# The least cosine between the tangents of neighbouring points: 60 degrees, beyond which it may be
# another branch.
_STRAIGHT = 0.5


Stop = Callable[[State], bool]


def follow(problem: Problem, side: Side, stop: Stop = lambda _: False, *, precise: bool = False) -> Branch:
    """Follow one side to its end; never raises for numerical reasons, the status tells.

    ``stop`` says of a point that the rest is not wanted; the branch then ends there unresolved.
    ``precise`` solves every point fully, not only the last: for who wants the points themselves.
    Where the end is lost without it, the side is followed once more with it.
    """
    tolerance = TOLERANCE if precise else _walking(problem)
    found = _followed(problem, side, stop, tolerance)
    lost = found.known_end is None and not (found.end is not None and stop(found.end))
    return _followed(problem, side, stop, TOLERANCE) if lost and tolerance > TOLERANCE else found


def _followed(problem: Problem, side: Side, stop: Stop, tolerance: float) -> Branch:
    """One side, its points on the way solved to a tolerance and the last one fully."""
    states: list[State] = []
    start, floor = np.full(6, np.nan), -math.inf
    try:
        with np.errstate(all="ignore"):  # overflow and NaN are looked for where they matter
            start, floor = begin(problem), _floor(problem, side)
            status, reason = _walk(problem, _Way(side, stop, floor, tolerance), start, states)
    except ConvergenceError as error:
        status, reason = EndStatus.UNRESOLVED, error.what
    except (ArithmeticError, np.linalg.LinAlgError) as error:  # overflow, division by zero
        status, reason = EndStatus.UNRESOLVED, f"the numbers left the range of double precision ({error})"
    if status is EndStatus.UNRESOLVED and states and states[-1].complexity < 0.0:
        states.pop()  # no subset has that volume
    if states:
        states[-1] = _settled(states[-1])
    reach = reach_of(states[-1], floor) if status is EndStatus.UNRESOLVED and states else math.inf
    if reach < BRACKETED:
        status = EndStatus.BRACKETED
    elif reach < _NEARLY:
        status, reason = EndStatus.IMPRECISE, f"ln v can go no further than {reach:.0e}; {reason}"
    return Branch(problem, side, start, states, status, reason, floor)


def _settled(state: State) -> State:
    """The same point of the branch, solved to full precision; where that fails, as it is (its
    residual tells).
    """
    if state.residual <= TOLERANCE:
        return state
    try:
        with np.errstate(all="ignore"):
            return solve(state.problem, state.z, at_distance(state.z, np.asarray(state.tangent)))
    except ConvergenceError:
        return state


def _floor(problem: Problem, side: Side) -> float:
    """The pool's ln v: without noise every subset leaves at least the weights that all labels
    leave.
    """
    pair = problem.pair
    if side is Side.MAX or pair.regression or not (pair.matched and pair.student.channel.noiseless):
        return -math.inf
    return typical_of(pair, problem.pool_ratio).log_volume


def begin(problem: Problem) -> Floats:
    """The coordinates of the typical subset, with the conjugates of a prior without closed form."""
    where = (problem.pair, problem.pool_ratio, problem.budget)
    place = to_coordinates(np.array(typical_theta(*where)))
    if problem.pair.conjugates_known:
        return place
    return np.append(place, to_k(problem.pair, 0.0, typical_conjugates(*where)))


class _Way(NamedTuple):
    """How a side is to be walked: where to stop, how far ln v can go, and how precisely."""

    side: Side
    stop: Stop
    floor: float
    tolerance: float


def _walk(problem: Problem, way: _Way, start: Floats, states: list[State]) -> tuple[EndStatus, str]:
    """Append solved points until the branch ends; returns how it ended."""
    states.append(_first(problem, way, start))
    tangent = _oriented(states[0], way.side.sign * np.eye(len(start))[BETA])  # away from β = 0
    step, easy = _FIRST_STEP, 3 if way.tolerance > TOLERANCE else 4  # evaluations
    path = [(states[0].z, tangent)]
    for _ in range(_MOST_STEPS):
        last = states[-1]
        if last.complexity <= 0.0:
            states[-1] = _zero(problem, states[-2].z if len(states) > 1 else start, states)
            return EndStatus.ZERO, ""
        if way.stop(last):
            return EndStatus.UNRESOLVED, "not followed further"
        reach = reach_of(last, way.floor)
        if reach < _TIGHT or abs(last.theta.beta) > _LARGEST_BETA:
            return (EndStatus.BRACKETED, "") if reach < BRACKETED else (EndStatus.UNRESOLVED, "|β| beyond 1e9")
        try:
            new = _next(problem, way, last, _ahead(path, step))
        except ConvergenceError as error:
            if reach < _GOOD_ENOUGH:
                return EndStatus.BRACKETED, ""
            step *= 0.4
            if step < (_SHORTEST_NEAR_END if reach < _NEARLY else _shortest_step(problem)):
                return EndStatus.UNRESOLVED, f"the branch could not be followed further ({error.what})"
            continue
        states.append(new)
        path = [path[-1], (new.z, _oriented(new, new.z - last.z))]
        step = min(
            _LONGEST_STEP, step * (1.7 if new.iterations <= easy else 1.2 if new.iterations <= easy + 1 else 0.7)
        )
    return EndStatus.UNRESOLVED, f"no end within {_MOST_STEPS} steps"


def _ahead(path: list[tuple[Floats, Floats]], step: float) -> Floats:
    """A predicted step: the cubic through the last two points and tangents goes on.

    What it adds to the tangent is at most a third of the step: on walls tangents carry rounding
    noise.
    """
    here, tangent = path[-1]
    if len(path) == 1:
        return step * tangent
    before, old = path[0]
    chord = here - before
    h = float(np.linalg.norm(chord))
    # z(s) = here + s·tangent + s²·bend + s³·twist, with z(−h) = before and z'(−h) = old
    bend = (2.0 * tangent + old) / h - 3.0 * chord / h**2
    twist = (tangent + old) / h**2 - 2.0 * chord / h**3
    turn = step * bend + step * step * twist
    size = float(np.linalg.norm(turn))
    return step * (tangent + (turn if size < _MOST_BEND else turn * (_MOST_BEND / size)))


def _shortest_step(problem: Problem) -> float:
    """When to give up; with conjugates among the unknowns a failed step is costly."""
    return _SHORTEST_STEP if problem.pair.gaussian else _SHORTEST_WITH_CONJUGATES


def _walking(problem: Problem) -> float:
    """The mismatch a point may have on the way.

    With conjugates among the unknowns, at tiny budgets and in large pools, the equations are too
    ill-conditioned for less than full precision.
    """
    easy = problem.pair.conjugates_known and problem.budget > _TINY and problem.pool_ratio <= _LARGE
    return _WALKING if easy else TOLERANCE


def _oriented(state: State, direction: Floats) -> Floats:
    """The unit tangent of the branch, pointing along ``direction``."""
    tangent = np.asarray(state.tangent)
    return tangent if tangent @ direction > 0.0 else -tangent


def _first(problem: Problem, way: _Way, start: Floats) -> State:
    """The first point beyond β = 0; at small budgets curves are flat, and β further out keeps clear
    of rounding.
    """
    furthest = 0.3 * min(max(0.1 / problem.budget, 1.0), 10.0)
    for beta in furthest * np.array([1.0, 0.3, 0.1, 0.03, 0.01]):
        target = way.side.sign * (beta if abs(beta - 1.0) > 0.05 else 0.9)  # at β = 1 the equations are a limit
        guess = start.copy()
        guess[BETA] = np.arcsinh(target)
        try:
            return solve(problem, guess, at_beta(target), way.tolerance)
        except ConvergenceError as error:
            failure = error
    raise ConvergenceError(f"no point next to the typical subset ({failure.what})")


def _next(problem: Problem, way: _Way, last: State, ahead: Floats) -> State:
    """One step along the branch; a landing that turned round or jumped to another branch is
    refused.
    """
    predicted, step = last.z + ahead, float(np.linalg.norm(ahead))
    tangent = ahead / step
    new = solve(problem, predicted, at_distance(predicted, tangent), way.tolerance)
    # at tiny t = q − m² the coordinate ln t carries rounding noise that nothing else feels
    if np.linalg.norm(np.delete(new.z - predicted, LN_T)) > 0.75 * step:
        raise ConvergenceError("the corrector moved further than the predictor")
    if abs(np.asarray(new.tangent) @ tangent) < _STRAIGHT and step > 1e-2:
        raise ConvergenceError("the branch bends too sharply for the step")
    sign = way.side.sign
    backwards = sign * (new.log_volume - last.log_volume) < -_NOISE
    if new.theta.beta * last.theta.beta <= 0.0 or (backwards and abs(last.theta.beta) > _WALL):
        raise ConvergenceError("the branch turned back")
    # a turning point of ln v between the two; the slope tells, also where ln v is still beyond the
    # last one's
    rises = sign * float(ahead @ last.log_volume_slope) > 0.0
    falls = sign * float(_oriented(new, new.z - last.z) @ new.log_volume_slope) < 0.0
    turns = rises and (backwards or (falls and abs(new.theta.beta) < _WALL))
    if turns and step > _TURN:  # between there and here Σ may have been negative
        raise ConvergenceError("the branch turns back in ln v")
    return new


def _zero(problem: Problem, inside: Floats, states: list[State]) -> State:
    """Σ = 0 between the last positive point and the first negative one: Newton from the secant,
    else halving.
    """
    positive = states[-2].complexity if len(states) > 1 else np.inf
    outside = states[-1]
    for _ in range(30):
        weight = 0.5 if not np.isfinite(positive) else positive / (positive - outside.complexity)
        chord = outside.z - inside
        try:
            found = solve(problem, inside + weight * chord, at_complexity(0.0))
            if np.linalg.norm(found.z - outside.z) < 2.0 * np.linalg.norm(chord):
                return found
        except ConvergenceError:
            pass
        halfway = inside + 0.5 * chord
        middle = solve(problem, halfway, at_distance(halfway, chord / np.linalg.norm(chord)))
        if middle.complexity > 0.0:
            inside, positive = middle.z, middle.complexity
        else:
            outside = middle
    raise ConvergenceError("Σ = 0 could not be isolated")
