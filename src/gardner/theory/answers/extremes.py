"""The best and the worst point of a curve by what matters: with noise, the smallest evidence is
neither.

Information and accuracy are followed along both sides of a curve; an extreme inside is refined
between its neighbours to where its slope in ln v vanishes, one at an end is that end.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from gardner.errors import ConvergenceError
from gardner.theory.curve.ends import Branch, Side
from gardner.theory.curve.equations import Problem, State
from gardner.theory.curve.point import Point, order_parameters, point_of, typical_point
from gardner.theory.curve.stationary import at_log_volume, solve
from gardner.theory.formula.free_entropy import Theta, to_theta
from gardner.theory.formula.information import noise_term
from gardner.theory.formula.taylor import Floats
from gardner.theory.roots import root_between

# How well an extreme is located, as a share of the interval between neighbours; values are off by
# its square.
_FINE = 1e-5
# The step along the tangent for a slope, in units of the coordinates; the slope is off by its
# square.
_SHORT = 1e-4


@dataclass(frozen=True)
class Extremes:
    """Points of the curve where information and accuracy are largest and smallest."""

    most_information: Point
    least_information: Point
    most_accurate: Point
    least_accurate: Point


def extremes(problem: Problem, sides: dict[Side, Branch], ends: dict[Side, Point | None]) -> Extremes:
    """The four extremes over both sides and the typical point."""
    top = typical_point(problem)

    def find(name: str, sign: float) -> Point:
        return _extreme(sides, ends, top, name, sign)

    return Extremes(find("information", 1.0), find("information", -1.0), find("accuracy", 1.0), find("accuracy", -1.0))


def _value(state: State, name: str) -> float:
    if name == "information":
        return state.information
    return order_parameters(state.problem.pair, state.theta)["accuracy"]


def _slope(state: State, name: str) -> float:
    """The derivative in ln v along the branch: of the formula, at fixed panels, between two places
    on the tangent.
    """
    tangent, pair = np.asarray(state.tangent), state.problem.pair
    rise = float(tangent @ state.log_volume_slope)

    def noise_or_accuracy(z: Floats) -> float:
        if name == "information":
            return noise_term(pair, state.problem.pool_ratio, z, state.mesh.rows)
        return order_parameters(pair, Theta(*(float(x) for x in to_theta(z))))["accuracy"]

    ahead, behind = (noise_or_accuracy(state.z + sign * _SHORT * tangent) for sign in (1.0, -1.0))
    change = (ahead - behind) / (2.0 * _SHORT * rise)
    return change - 1.0 if name == "information" else change


def _extreme(sides: dict[Side, Branch], ends: dict[Side, Point | None], top: Point, name: str, sign: float) -> Point:
    """Where sign × quantity is largest."""
    best, best_value = top, sign * float(getattr(top, name))
    if np.isnan(best_value):  # a noiseless student of a noisy teacher: there is no information to speak of
        return top
    for side, followed in sides.items():
        states, end = followed.states, ends[side]
        if not states:
            continue
        values = sign * np.array([_value(state, name) for state in states])
        if end is not None:  # of a frozen end the student who knows the weights counts, not the one who doubts
            values[-1] = sign * float(getattr(end, name))
        index = int(np.argmax(values))
        if not values[index] > best_value:
            continue
        if index == len(states) - 1 and end is not None:
            best, best_value = end, sign * float(getattr(end, name))
            continue
        before = states[index - 1] if index else None
        state = _refined(states[index], before, states[min(index + 1, len(states) - 1)], top, name)
        best, best_value = point_of(state), sign * _value(state, name)
    return best


def _refined(here: State, before: State | None, after: State, top: Point, name: str) -> State:
    """The state between two neighbours where the slope vanishes, or the one given if it cannot be
    solved for.
    """
    known = {state.log_volume: state for state in (before, here, after) if state is not None}
    with suppress(ConvergenceError):
        for volume in (top.log_volume if before is None else before.log_volume, after.log_volume):
            if volume not in known:  # at the typical point the equations are a limit
                volume = here.log_volume + 0.9 * (volume - here.log_volume)
                known[volume] = _solved(known, volume)
            if _slope(here, name) * _slope(known[volume], name) < 0.0:
                return _turning(known, here.log_volume, volume, name)
    return here


def _turning(known: dict[float, State], low: float, high: float, name: str) -> State:
    """Where the slope vanishes between two volumes."""

    def slope(log_volume: float) -> float:
        if log_volume not in known:
            known[log_volume] = _solved(known, log_volume)
        return _slope(known[log_volume], name)

    ends = sorted((low, high))
    at = root_between(slope, *ends, what=f"extreme {name}", absolute=_FINE * abs(high - low))
    return known[at] if at in known else _solved(known, at)


def _solved(known: dict[float, State], log_volume: float) -> State:
    near = min(known.values(), key=lambda state: abs(state.log_volume - log_volume))
    return solve(near.problem, near.z, at_log_volume(log_volume))
