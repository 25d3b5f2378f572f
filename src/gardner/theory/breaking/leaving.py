"""Where the branch of broken symmetry leaves the symmetric one.

At x = 1 the broken free entropy is the symmetric one, whatever d: clusters are not counted yet.
They begin to matter where S(d) = ∂Φ₁/∂x at x = 1, which is negative as long as replica symmetry
holds, comes up to zero for some d. For small d it is ¼(β/W)²(R − 1)d², R the stability ratio
(docs/theory.md, section 7). If it comes up at d = 0 first, symmetry breaks continuously, where R =
1. If it comes up at some d > 0 first, symmetry breaks there, discontinuously, where R is still
below 1. R may even stay below 1 up to the end of the curve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gardner.errors import ConvergenceError
from gardner.theory.breaking.clusters import split_at_one, steepness
from gardner.theory.breaking.free_entropy import Place, evaluate, to_coordinates
from gardner.theory.breaking.points import Solved, at_x_one, first_point, steps_at
from gardner.theory.curve.ends import Branch
from gardner.theory.curve.equations import Problem, State
from gardner.theory.curve.stability import ratios
from gardner.theory.curve.stationary import at_distance, solve
from gardner.theory.formula.free_entropy import Theta
from gardner.theory.roots import root_between

# The smallest d that is looked at, in units of W/|β|: S is quadratic there, and far above rounding.
_NEAREST = 0.02
# The largest d, as a share of D: the hump of S was never seen beyond.
_FURTHEST = 0.95
# The factor between neighbouring d: S has one hump, over a factor of about 5.
_FACTOR = 1.4
# The S that counts as positive, in nats per weight: rounding makes 10⁻¹³.
_POSITIVE = 1e-10
# The d·f'² and d|β|/W below which S is its first term, ¼(β/W)²(R − 1)d². The next term is smaller
# by about this over |R − 1|, which must be small too.
_SMALL = 0.05
# How much finer windows are taken a second time, to see how many digits of S are right.
_FINER = 1.5
# The share of S that may change then: its sign is what counts.
_UNSURE = 0.1
# Halvings of the step of the symmetric branch in which symmetry breaks: Newton does the rest.
_HALVINGS = 7
# What the d of the largest S is multiplied by in search of the solution at x = 1; one or two do.
_TRIED = (1.0, 0.8, 1.25, 0.6, 1.6, 0.4)
# The share of the d it started from below which a solution at x = 1 has slipped back to the
# symmetric one.
_SLIPPED = 0.2


@dataclass(frozen=True)
class Departure:
    """The symmetric state next to where symmetry breaks; the first point of the broken branch, or
    why there is none.
    """

    state: State
    first: Solved | None
    continuous: bool
    reason: str = ""

    @property
    def log_volume(self) -> float:
        """Ln v where symmetry breaks."""
        return self.state.log_volume if self.continuous or self.first is None else self.first.at.log_volume


def departure(followed: Branch) -> tuple[Departure | None, State | None]:
    """Where symmetry breaks along a side, or none if nothing was seen to break it; and the last
    state proven symmetric.

    Proven is a state up to which clusters of all sizes were looked at: on walls some need too fine
    a grid.
    """
    before: State | None = None
    proven: State | None = None
    complete = True
    for state in followed.states:
        found = widest(state)
        if ratio(state) > 1.0 or found.split > _POSITIVE:
            if before is None:
                raise ConvergenceError("replica symmetry is broken from the first point on")
            return _departed(followed.problem, before, state), proven
        complete = complete and found.complete
        before, proven = state, state if complete else proven
    return None, proven


def _departed(problem: Problem, below: State, above: State) -> Departure:
    """Between two neighbours: at R = 1, unless some S(d) is positive there."""
    if ratio(above) > 1.0:
        above = _at_one(problem, below, above)
        if widest(above).split <= _POSITIVE:
            try:
                return Departure(above, first_point(problem, above.theta), True)
            except ConvergenceError as error:
                return Departure(above, None, True, error.what)
    for _ in range(_HALVINGS):
        middle = 0.5 * (below.z + above.z)
        chord = above.z - below.z
        state = solve(problem, middle, at_distance(middle, chord / float(np.linalg.norm(chord))))
        below, above = (below, state) if widest(state).split > _POSITIVE else (state, above)
    return _jumped(problem, above, widest(above).d)


def _jumped(problem: Problem, state: State, d: float) -> Departure:
    """The point at x = 1 from a state at which clusters of that d just count, or of a d not far
    from it.
    """
    reason = ""
    for share in _TRIED:
        start = min(share * d, _FURTHEST * state.theta.D)
        try:
            found = at_x_one(problem, _divided(state.theta, start))
        except ConvergenceError as error:
            reason = error.what
            continue
        if found.at.place.d > _SLIPPED * d:
            return Departure(state, found, False)
    return Departure(state, None, False, f"the clusters at x = 1 were not found ({reason})")


def ratio(state: State) -> float:
    """The stability ratio R of a symmetric state."""
    return ratios(state.problem.pair, state.problem.pool_ratio, state.z, state.mesh).outer


def _divided(theta: Theta, d: float) -> Place:
    """The symmetric point with clusters of that d, x = 1."""
    return Place(theta.m, theta.t, d, theta.D - d, theta.V, 1.0, theta.phi, theta.beta)


class Hump(NamedTuple):
    """The d at which S is largest, that S, and whether all d could be looked at."""

    d: float
    split: float
    complete: bool


def widest(state: State) -> Hump:
    """The largest S among the d that are looked at."""
    theta = state.theta
    nearest, furthest = _NEAREST * theta.W / abs(theta.beta), _FURTHEST * theta.D
    count = max(2, 1 + round(math.log(max(furthest / nearest, 2.0)) / math.log(_FACTOR)))
    sizes = np.geomspace(min(nearest, 0.5 * furthest), furthest, count)
    values = np.array([split_of(state, float(d)) for d in sizes])
    best = int(np.argmax(values))
    return Hump(float(sizes[best]), float(values[best]), bool(np.all(np.isfinite(values))))


def split_of(state: State, d: float) -> float:
    """S(d); −∞ where its averages are out of reach."""
    at = _divided(state.theta, d)
    u = to_coordinates(at)
    try:
        value = evaluate(state.problem, u, steps_at(state.problem, u)).split * d * d
    except ConvergenceError:  # mostly too many rows × nodes
        value = _split_by_windows(state, at) if at.beta < 0.0 else -math.inf
    return value if math.isfinite(value) else -math.inf


def _split_by_windows(state: State, at: Place) -> float:
    """By its first term where that is enough, else by windows, which are looked at twice."""
    problem, excess = state.problem, ratio(state) - 1.0
    channel = problem.pair.student.channel
    if not (at.W > 0.0 and at.U > 0.0):
        return -math.inf
    try:
        small = at.d * max(steepness(channel, at) ** 2, -at.beta / at.W)
        if small < _SMALL and small < _UNSURE * abs(excess):
            return 0.25 * (at.beta * at.d / state.theta.W) ** 2 * excess
        value, finer = (split_at_one(channel, problem.pool_ratio, at, fineness) for fineness in (1.0, _FINER))
    except ConvergenceError:
        return -math.inf
    return finer if abs(finer - value) < _UNSURE * abs(finer) else -math.inf


def _at_one(problem: Problem, below: State, above: State) -> State:
    """Where R = 1 between two neighbours, by the share of the way from one to the other."""
    known: dict[float, State] = {}
    chord = above.z - below.z
    along = chord / float(np.linalg.norm(chord))

    def excess(share: float) -> float:
        place = below.z + share * chord
        known[share] = solve(problem, place, at_distance(place, along))
        return ratio(known[share]) - 1.0

    share = root_between(excess, 0.0, 1.0, what="end of replica symmetry", absolute=1e-9)
    if share not in known:
        excess(share)
    return known[share]
