"""Discrete weights can be known exactly: where the curve of a student who still doubts has to stop.

The teacher itself is one of the students, so Z ≥ P_X(x⁰) ∏_μ P_out(y^μ|h⁰^μ), that is

    information = −ln v + (1/N) Σ_{μ∈S} ln P_out(y^μ|h⁰^μ) ≤ H,      H the entropy of a weight (ln 2
    if binary).

Replica symmetry around a doubting student does not know that and runs past it: where its
information reaches H, the posterior jumps onto the teacher (a first-order transition, as in
``Typical.branches``). Without noise ln v ≥ −H for every subset, so the end of the curve is that
point; its status is ``frozen``. A teacher of another prior need not be one of the students; then
only the latter is left: a version space that is not empty holds one of e^{NH} students.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gardner.errors import ConvergenceError
from gardner.theory.curve.ends import Branch, EndStatus, Side
from gardner.theory.curve.equations import Problem, State
from gardner.theory.curve.stationary import at_log_volume, solve
from gardner.theory.formula.taylor import Floats
from gardner.theory.random_subset.fixed_points import fixed_points
from gardner.theory.random_subset.state_evolution import weight_entropy
from gardner.theory.roots import root_between

REASON = "the labels of such a subset determine the weights"
# The share of the first step at which the curve is entered: at β = 0 itself its equations are a
# limit.
_BESIDE = 1e-3


def is_frozen(problem: Problem) -> bool:
    """Whether a random subset of that budget determines the weights already."""
    return fixed_points(problem.pair, problem.budget)[0].V == 0.0


def limit(problem: Problem) -> float:
    """H where it is the most that can be known, else infinity."""
    pair = problem.pair
    if pair.student.prior != pair.teacher.prior and not pair.student.channel.noiseless:
        return math.inf
    return weight_entropy(pair)


def stop(problem: Problem) -> Callable[[State], bool]:
    """Says of a point of the lower branch that it lies beyond the limit: from there on nothing
    exists.
    """
    entropy = limit(problem)
    return lambda state: math.isfinite(entropy) and _known(state) > entropy


def _known(state: State) -> float:
    """What is known at a point."""
    return -state.log_volume if state.problem.pair.student.channel.noiseless else state.information


def cut(branch: Branch) -> Branch:
    """The part of a branch where the student still doubts."""
    entropy = limit(branch.problem)
    if not math.isfinite(entropy) or not branch.states:
        return branch
    if branch.side is Side.MIN and is_frozen(branch.problem):
        return replace(branch, states=[], status=EndStatus.FROZEN, reason=REASON)
    excess = np.array([_known(state) for state in branch.states]) - entropy
    beyond = np.flatnonzero(excess > 0.0)
    if branch.side is Side.MAX:
        first = int(beyond[-1]) + 1 if len(beyond) else 0
        return replace(branch, states=branch.states[first:])
    if not len(beyond):
        return branch
    inside = branch.states[: beyond[0]]
    try:
        crossing = _crossing(_start(branch, inside), branch.states[beyond[0]], entropy)
    except ConvergenceError as error:
        reason = f"the point where the weights become known could not be solved for ({error.what})"
        return replace(branch, states=inside, status=EndStatus.UNRESOLVED, reason=reason)
    return replace(branch, states=[*inside, crossing], status=EndStatus.FROZEN, reason=REASON)


class _Place(NamedTuple):
    """A point of the curve by its coordinates and ln v."""

    z: Floats
    log_volume: float


def _start(branch: Branch, inside: list[State]) -> _Place:
    """The last point before the crossing; if there is none, one next to the typical subset, where β
    is not zero yet.
    """
    if inside:
        return _Place(inside[-1].z, inside[-1].log_volume)
    top, first = fixed_points(branch.problem.pair, branch.problem.budget)[0].log_volume, branch.states[0]
    return _Place(branch.start + _BESIDE * (first.z - branch.start), top + _BESIDE * (first.log_volume - top))


def _crossing(inside: _Place, outside: State, entropy: float) -> State:
    """The state between two points whose information is H."""
    if outside.problem.model.channel.noiseless:
        return _at(inside, outside, -entropy)

    def excess(log_volume: float) -> float:
        return _at(inside, outside, log_volume).information - entropy

    if excess(inside.log_volume) >= 0.0:  # the typical subset all but determines the weights
        return _at(inside, outside, inside.log_volume)
    ends = inside.log_volume, outside.log_volume
    return _at(inside, outside, root_between(excess, *ends, what="freezing volume", absolute=1e-10))


def _at(inside: _Place, outside: State, log_volume: float) -> State:
    """The state of given ln v between two points."""
    weight = (log_volume - inside.log_volume) / (outside.log_volume - inside.log_volume)
    guess = inside.z + weight * (outside.z - inside.z)
    for start in (guess, inside.z, outside.z):
        try:
            return solve(outside.problem, start, at_log_volume(log_volume))
        except ConvergenceError as error:
            failure = error
    raise failure
