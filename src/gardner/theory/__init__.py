"""What any strategy could reach: the replica-symmetric large-deviation theory of [cui2020].

A question goes down through the rooms, and its answer comes up again:

- :mod:`gardner.theory.answers`: bounds, curves, budgets; what people ask for.
- :mod:`gardner.theory.breaking`: the ends with one step of replica symmetry breaking.
- :mod:`gardner.theory.curve`: stationary points of Φ, followed from the typical subset to both
  ends.
- :mod:`gardner.theory.learning_curves`: what a rule of choice reaches, round by round.
- :mod:`gardner.theory.random_subset`: β = 0, where every curve starts.
- :mod:`gardner.theory.formula`: THE formula (``free_entropy``) and how it is evaluated.

Beside them stand ``inputs`` (what is accepted), ``roots`` and ``parallel`` (several questions at
once).
"""

from gardner.theory.answers.bounds import bounds, bounds_sweep
from gardner.theory.answers.budget import budget_for
from gardner.theory.answers.budget_answer import BudgetAnswer
from gardner.theory.answers.complexity import Curve, complexity_at, complexity_curve, complexity_points
from gardner.theory.answers.end import End
from gardner.theory.answers.extremes import Extremes
from gardner.theory.answers.results import LN2, Bounds
from gardner.theory.breaking.results import BreakingStatus, BrokenEnd, BrokenPoint
from gardner.theory.curve.ends import EndStatus, Side
from gardner.theory.curve.point import Point
from gardner.theory.formula.information import capacity
from gardner.theory.inputs import check_inputs, check_model, check_target
from gardner.theory.learning_curves.curve import learning_curve
from gardner.theory.learning_curves.results import LearningCurve, LearningPoint
from gardner.theory.learning_curves.value import label_value
from gardner.theory.learning_curves.value_results import LabelValues
from gardner.theory.random_subset.typical import Solution, Typical, pool, typical

__all__ = [
    "LN2",
    "Bounds",
    "BreakingStatus",
    "BrokenEnd",
    "BrokenPoint",
    "BudgetAnswer",
    "Curve",
    "End",
    "EndStatus",
    "Extremes",
    "LabelValues",
    "LearningCurve",
    "LearningPoint",
    "Point",
    "Side",
    "Solution",
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
    "complexity_points",
    "label_value",
    "learning_curve",
    "pool",
    "typical",
]
