"""The best and the worst point of a curve by what matters: with noise, the smallest evidence is neither.

Information and accuracy are followed along both sides of a curve; an extreme inside is refined between its neighbours
by Brent's method in ln v, one at an end is that end.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from gardner.errors import ConvergenceError
from gardner.theory.branch import Branch, Side
from gardner.theory.point import Point, order_parameters, point_of, typical_point
from gardner.theory.stationary import Problem, State, at_log_volume, solve

_FINE = 1e-4  # of the interval between neighbours; values are off by its square


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


def _value(name: str) -> Callable[[State], float]:
    if name == "information":
        return lambda state: state.information
    return lambda state: order_parameters(state.problem.pair, state.theta)["accuracy"]


def _extreme(sides: dict[Side, Branch], ends: dict[Side, Point | None], top: Point, name: str, sign: float) -> Point:
    """Where sign × quantity is largest."""
    value = _value(name)
    best, best_value = top, sign * float(getattr(top, name))
    if np.isnan(best_value):  # a noiseless student of a noisy teacher: there is no information to speak of
        return top
    for side, followed in sides.items():
        states, end = followed.states, ends[side]
        if not states:
            continue
        values = sign * np.array([value(state) for state in states])
        if end is not None:  # of a frozen end the student who knows the weights counts, not the one who doubts
            values[-1] = sign * float(getattr(end, name))
        index = int(np.argmax(values))
        if not values[index] > best_value:
            continue
        if index == len(states) - 1 and end is not None:
            best, best_value = end, sign * float(getattr(end, name))
            continue
        before = states[index - 1] if index else None
        state = _refined(states[index], before, states[min(index + 1, len(states) - 1)], top, lambda s: sign * value(s))
        best, best_value = point_of(state), sign * value(state)
    return best


def _refined(here: State, before: State | None, after: State, top: Point, value: Callable[[State], float]) -> State:
    """The best state between two neighbours, or the one given if nothing better is found."""
    from scipy.optimize import minimize_scalar  # here: curves without noise need no search

    low, high = sorted((top.log_volume if before is None else before.log_volume, after.log_volume))
    found = {here.log_volume: here}

    def loss(log_volume: float) -> float:
        near = min(found.values(), key=lambda state: abs(state.log_volume - log_volume))
        state = solve(here.problem, near.z, at_log_volume(log_volume))
        found[state.log_volume] = state
        return -value(state)

    # a place that cannot be solved for ends the search: no number would be right for the parabola
    with suppress(ConvergenceError):
        minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": _FINE * (high - low)})
    return max(found.values(), key=value)
