"""Rounds of no size: runs with rounds of κ, κ/2, κ/4 and κ/8, extrapolated to κ = 0.

A round costs what it does not know of its own labels. That costs ln v an amount of order κ. The
next order is κ^{3/2} where the rule empties a part of the pool: its edge lies off by the width √dQ
of a step. Both are taken out one after the other; the last two answers differ by the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from gardner.theory.learning_curve.results import LearningPoint, PointStatus, nats_to_bits

# Points of the limiting curve, which are the rounds of the coarsest run.
LIMIT_POINTS = 100
# Runs, each of half the rounds of the next: two orders are taken out, and two answers are left to compare.
RUNS = 4
# The powers of κ that are taken out; docs/learning-curves.md says where they come from.
_ORDERS = (1.0, 1.5)
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
        told = nats_to_bits((volume - point.log_volume) / (point.budget - budget))
        points.append(replace(point, bits_per_label=told))
        budget, volume = point.budget, point.log_volume
    return points


def _alike(runs: Sequence[Sequence[LearningPoint]], index: int) -> list[LearningPoint]:
    """The points of all runs at the budget of one point of the first."""
    budget = runs[0][index].budget
    return [min(run, key=lambda point: abs(point.budget - budget)) for run in runs]


def _point(alike: list[LearningPoint], tolerance: float) -> LearningPoint:
    limits = {name: _tends_to([getattr(point, name) for point in alike]) for name in _NUMBERS}
    errors = [_step(alike, name) for name in ("log_volume", "information")]
    error = max(errors) + 3.0 * max(point.discretisation_error for point in alike)
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

    >>> round(_tends_to([1.0 + kappa - kappa**1.5 for kappa in (0.4, 0.2, 0.1, 0.05)]), 12)
    1.0
    """
    return float(_table(values)[-1])


def _step(alike: list[LearningPoint], name: str) -> float:
    last = _table([getattr(point, name) for point in alike])
    return float(abs(last[-1] - last[-2]))


def _table(values: list[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Richardson's extrapolation by all orders: as many answers as there are runs to spare."""
    answers = np.array(values, dtype=np.float64)
    for order in _ORDERS:
        answers = (2.0**order * answers[1:] - answers[:-1]) / (2.0**order - 1.0)
    return answers
