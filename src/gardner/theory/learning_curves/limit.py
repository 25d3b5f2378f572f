"""Rounds of no size: runs with rounds of κ, κ/2, κ/4, …, extrapolated to κ = 0.

A run that stands for small rounds (:func:`~gardner.theory.learning_curves.rounds.evolve`,
``gradual``) misses ln v by amounts of order κ² and κ³ where all is smooth. Where the rule empties a
part of the pool, its edge lies off by the width √dQ of a step: that makes orders κ and κ^{3/2}.
Which it is, the runs themselves say: halved rounds change the answer four times less in the first
case. The orders are taken out one after the other; the last two answers differ by the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from gardner.theory.learning_curves.results import JUDGED, LearningPoint, PointStatus, nats_to_bits

# Points of the curve, which are the rounds of the coarsest run.
LIMIT_POINTS = 25
# Orders in κ that are taken out, where all is smooth and where a part of the pool has an edge.
_SMOOTH, _EDGED = (2.0, 3.0), (1.0, 1.5, 2.0)
# log₂ of the factor between two changes, from where they count as fourfold; 2 would be exactly
# that.
_FOURFOLD = 1.85
# Runs at least: three changes say which orders there are.
LEAST_RUNS = 4
# Runs at most, each twice as long as the one before; a point that wants more is imprecise.
MOST_RUNS = 7
_NUMBERS = tuple(
    one.name
    for one in fields(LearningPoint)
    if one.name not in ("budget", "bits_per_label", "status", "residual", "discretisation_error", "left")
)


def extrapolated(runs: Sequence[Sequence[LearningPoint]], tolerance: float) -> list[LearningPoint]:
    """The points of the first run, each number as it tends to for rounds of no size."""
    points, budget, volume = list[LearningPoint](), 0.0, 0.0
    for index in range(len(runs[0])):
        point = _point(_alike(runs, index), tolerance)
        bits_per_label = nats_to_bits((volume - point.log_volume) / (point.budget - budget))
        points.append(replace(point, bits_per_label=bits_per_label))
        budget, volume = point.budget, point.log_volume
    return points


def _alike(runs: Sequence[Sequence[LearningPoint]], index: int) -> list[LearningPoint]:
    """The points of all runs at the budget of one point of the first."""
    budget = runs[0][index].budget
    return [min(run, key=lambda point: abs(point.budget - budget)) for run in runs]


def _point(alike: list[LearningPoint], tolerance: float) -> LearningPoint:
    limits = {name: _tends_to([getattr(point, name) for point in alike]) for name in _NUMBERS}
    errors = [_step(alike, name) for name in JUDGED]
    error = max(errors) + 1.5 * max(point.discretisation_error for point in alike)
    status = alike[-1].status if error <= tolerance else PointStatus.IMPRECISE
    left = tuple(_tends_to(list(shares)) for shares in zip(*(point.left for point in alike), strict=True))
    residual = max(point.residual for point in alike)
    return replace(
        alike[-1],
        **limits,
        budget=alike[0].budget,
        left=left,
        status=status,
        residual=residual,
        discretisation_error=error,
    )


def _tends_to(values: list[float]) -> float:
    """The limit of values at κ, κ/2, …

    >>> round(_tends_to([1.0 + kappa - kappa**1.5 for kappa in (0.4, 0.2, 0.1, 0.05, 0.025)]), 12)
    1.0
    >>> round(_tends_to([1.0 + kappa**2 - kappa**3 for kappa in (0.1, 0.05, 0.025, 0.0125)]), 12)
    1.0
    """
    return _answers(values)[-1]


def _step(alike: list[LearningPoint], name: str) -> float:
    """By how much the last two answers differ."""
    last, before = _answers([getattr(point, name) for point in alike])[::-1][:2]
    return abs(last - before)


def _answers(values: list[float]) -> list[float]:
    """Richardson's extrapolation by all orders: the last two answers; of four runs by fewer orders,
    the first.
    """
    orders = _SMOOTH if _is_smooth(values) else _EDGED
    answers = np.array(values, dtype=np.float64)
    for order in orders:
        before, answers = answers, (2.0**order * answers[1:] - answers[:-1]) / (2.0**order - 1.0)
    return [float(before[-1]) if answers.size < 2 else float(answers[-2]), float(answers[-1])]


def _is_smooth(values: list[float]) -> bool:
    """Whether each halving of the rounds changed the value four times less than the one before,
    ever more closely.
    """
    changes = np.abs(np.diff(values))[-3:]
    if changes.size < 3 or not np.all(changes > 0.0):
        return False
    before, last = np.log2(changes[:-1] / changes[1:])
    return bool(last >= _FOURFOLD and abs(last - 2.0) <= abs(before - 2.0) + 0.02)
