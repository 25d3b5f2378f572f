"""What any strategy could reach: the replica-symmetric large-deviation theory of [cui2020].

The data flow is the import order: :mod:`special` and :mod:`quadrature` → :mod:`free_entropy` (THE formula) and
:mod:`jets` (evaluated) → :mod:`typical` (β = 0) and :mod:`stationary` (Newton) → :mod:`branch` (continuation) →
:mod:`complexity` (curves) → :mod:`bounds` (ends) → :mod:`inverse` (the questions asked backwards).
"""

from gardner.theory.bounds import Bounds, End, bounds, bounds_sweep
from gardner.theory.branch import Side, Status
from gardner.theory.complexity import Curve, complexity_at, complexity_curve
from gardner.theory.inputs import check_inputs, check_target
from gardner.theory.inverse import BudgetAnswer, budget_for
from gardner.theory.point import Point
from gardner.theory.typical import Typical, pool, typical
from gardner.theory.warmup import warm_up

__all__ = [
    "Bounds",
    "BudgetAnswer",
    "Curve",
    "End",
    "Point",
    "Side",
    "Status",
    "Typical",
    "bounds",
    "bounds_sweep",
    "budget_for",
    "check_inputs",
    "check_target",
    "complexity_at",
    "complexity_curve",
    "pool",
    "typical",
    "warm_up",
]
