"""What any strategy could reach: the replica-symmetric large-deviation theory of [cui2020].

The data flow is the import order: :mod:`pair` (who learns from whom), :mod:`quadrature` (nodes),
:mod:`taylor` (numbers with derivatives), :mod:`expansion` (ψ with its derivatives), :mod:`average`
(the inner integral) and :mod:`sums` (the outer ones) → :mod:`free_entropy` (THE formula, with
:mod:`regression` for real labels and :mod:`hats` for priors without closed form), :mod:`jets`
(evaluated) → :mod:`state_evolution` and :mod:`fixed_points` (β = 0), :mod:`typical`, :mod:`noise`
(information) and :mod:`stationary` (Newton) → :mod:`branch` (continuation) → :mod:`complexity`
(curves) → :mod:`bounds` (ends and extremes) → :mod:`inverse` (the questions asked backwards).
"""

from gardner.theory.bounds import Bounds, End, bounds, bounds_sweep
from gardner.theory.branch import Side, Status
from gardner.theory.complexity import Curve, complexity_at, complexity_curve
from gardner.theory.extremes import Extremes
from gardner.theory.inputs import check_inputs, check_model, check_target
from gardner.theory.inverse import BudgetAnswer, budget_for
from gardner.theory.noise import capacity
from gardner.theory.point import Point
from gardner.theory.typical import Solution, Typical, pool, typical

__all__ = [
    "Bounds",
    "BudgetAnswer",
    "Curve",
    "End",
    "Extremes",
    "Point",
    "Side",
    "Solution",
    "Status",
    "Typical",
    "bounds",
    "bounds_sweep",
    "budget_for",
    "capacity",
    "check_inputs",
    "check_model",
    "check_target",
    "complexity_at",
    "complexity_curve",
    "pool",
    "typical",
]
