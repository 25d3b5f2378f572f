"""Discrete weights can be known exactly: where the curve of a student who still doubts has to stop.

The teacher itself is one of the students, so Z ≥ P_X(x⁰) ∏_μ P_out(y^μ|h⁰^μ), that is

    information = −ln v + (1/N) Σ_{μ∈S} ln P_out(y^μ|h⁰^μ) ≤ H,      H the entropy of a weight (ln 2 if binary).

Replica symmetry around a doubting student does not know that and runs past it: where its information reaches H, the
posterior jumps onto the teacher (a first-order transition, as in ``Typical.branches``). Without noise ln v ≥ −H for
every subset, so the end of the curve is that point; its status is ``frozen``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

from gardner.errors import ConvergenceError
from gardner.theory.branch import Branch, Side, Status
from gardner.theory.fixed_points import fixed_points
from gardner.theory.state_evolution import weight_entropy
from gardner.theory.stationary import Problem, State, at_log_volume, solve

REASON = "the labels of such a subset determine the weights"


def is_frozen(problem: Problem) -> bool:
    """Whether a random subset of that budget determines the weights already."""
    return fixed_points(problem.pair, problem.budget)[0].V == 0.0


def cut(branch: Branch) -> Branch:
    """The part of a branch where the student still doubts."""
    entropy = weight_entropy(branch.problem.pair)
    if not np.isfinite(entropy) or not branch.states:
        return branch
    if branch.side is Side.MIN and is_frozen(branch.problem):
        return replace(branch, states=[], status=Status.FROZEN, reason=REASON)
    excess = np.array([state.information for state in branch.states]) - entropy
    beyond = np.flatnonzero(excess > 0.0)
    if branch.side is Side.MAX:
        first = int(beyond[-1]) + 1 if len(beyond) else 0
        return replace(branch, states=branch.states[first:])
    if not len(beyond) or beyond[0] == 0:
        return branch
    inside, outside = branch.states[beyond[0] - 1], branch.states[beyond[0]]
    states = [*branch.states[: beyond[0]], _crossing(inside, outside, entropy)]
    return replace(branch, states=states, status=Status.FROZEN, reason=REASON)


def _crossing(inside: State, outside: State, entropy: float) -> State:
    """The state between two others whose information is H."""
    problem, low, high = inside.problem, inside.log_volume, outside.log_volume
    if problem.model.channel.noiseless:
        return _at(inside, outside, -entropy)
    volume = float(brentq(lambda x: _at(inside, outside, x).information - entropy, low, high, xtol=1e-10))
    return _at(inside, outside, volume)


def _at(inside: State, outside: State, log_volume: float) -> State:
    """The state of given ln v between two others."""
    weight = (log_volume - inside.log_volume) / (outside.log_volume - inside.log_volume)
    guess = inside.z + weight * (outside.z - inside.z)
    for start in (guess, inside.z, outside.z):
        try:
            return solve(inside.problem, start, at_log_volume(log_volume))
        except ConvergenceError as error:
            failure = error
    raise failure
