"""What a question about budgets is answered with: the question, a budget for each kind of choice,
and how sure they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gardner.model import GLM
from gardner.theory.as_json import (
    Plain,
    Record,
    from_record,
    model_columns,
    model_from,
    model_record,
    or_nan,
    or_null,
    record_of,
    section,
)
from gardner.theory.curve.point import Point
from gardner.theory.learning_curves.results import PointStatus
from gardner.theory.random_subset.typical import Typical

if TYPE_CHECKING:
    import pandas as pd

CHOICES = ("best", "agnostic", "agnostic_floor", "random")


def _given(value: Plain) -> float | None:
    return None if value is None else or_nan(value)


@dataclass(frozen=True)
class BudgetAnswer:
    """Smallest budgets that reach a goal; ``None`` where the pool does not reach it.

    ``agnostic`` is what the best known label-agnostic rule needs, least certain rows first in
    rounds of ``batch_ratio`` (0: small ones); ``agnostic_floor`` what every label-agnostic strategy
    needs at least. ``agnostic_status`` says whether the learning curve was solved to its tolerance.
    ``best_point`` is the end of the curve behind ``best``, with its residual, quadrature error and
    stability. ``errors`` says how far each budget may be off: the error of the goal's quantity at
    the point behind it, divided by its slope in the budget. ``notes`` says why an answer is
    missing.
    """

    model: GLM
    pool_ratio: float
    log_volume: float | None
    accuracy: float | None
    best: float | None
    agnostic: float | None
    agnostic_floor: float | None
    random: float | None
    pool: Typical
    best_point: Point | None = None
    notes: tuple[str, ...] = ()
    errors: dict[str, float] = field(default_factory=dict)
    batch_ratio: float = 0.0
    agnostic_status: PointStatus | None = None

    def to_frame(self) -> pd.DataFrame:
        """One row a kind of choice, the question repeated."""
        import pandas as pd  # here, so that the solver starts without it

        place = {"pool_ratio": self.pool_ratio, "batch_ratio": self.batch_ratio}
        asked = {**model_columns(self.model), **place, "log_volume": self.log_volume, "accuracy": self.accuracy}
        found = [(choice, budget, self.errors.get(choice)) for choice, budget in self.budgets.items()]
        return pd.DataFrame([{**asked, "choice": x, "budget": n, "budget_error": off} for x, n, off in found])

    @property
    def budgets(self) -> dict[str, float | None]:
        """The budget of every kind of choice."""
        return {choice: getattr(self, choice) for choice in CHOICES}

    def to_json(self) -> Record:
        """Plain data for JSON; residual, quadrature error and stability are those of the best
        subset's end.
        """
        target = {"log_volume": self.log_volume, "accuracy": self.accuracy}
        point = self.best_point
        proof = self.pool if point is None else point
        return {
            "model": model_record(self.model),
            "pool_ratio": self.pool_ratio,
            "batch_ratio": self.batch_ratio,
            "target": {name: value for name, value in target.items() if value is not None},
            "budget": dict(self.budgets),
            "budget_error": {choice: self.errors.get(choice) for choice in CHOICES},
            "agnostic_status": None if self.agnostic_status is None else self.agnostic_status.value,
            "pool": self.pool.to_json(),
            "stability": None if point is None else or_null(point.stability),
            "residual": proof.residual,
            "quadrature_error": proof.quadrature_error,
            "notes": list(self.notes),
            "best_point": None if point is None else record_of(point),
        }

    @staticmethod
    def from_json(record: Plain) -> BudgetAnswer:
        """The inverse of :meth:`to_json`."""
        found = section(record, "a budget")
        target, budgets = section(found["target"], "target"), section(found["budget"], "budget")
        errors = section(found["budget_error"], "budget_error")
        point, notes, status = found["best_point"], found["notes"], found["agnostic_status"]
        return BudgetAnswer(
            model_from(found["model"]),
            or_nan(found["pool_ratio"]),
            log_volume=_given(target.get("log_volume")),
            accuracy=_given(target.get("accuracy")),
            best=_given(budgets["best"]),
            agnostic=_given(budgets["agnostic"]),
            agnostic_floor=_given(budgets["agnostic_floor"]),
            random=_given(budgets["random"]),
            pool=Typical.from_json(found["pool"]),
            best_point=None if point is None else from_record(Point, point),
            notes=tuple(map(str, notes)) if isinstance(notes, list) else (),
            errors={choice: or_nan(error) for choice, error in errors.items() if error is not None},
            batch_ratio=or_nan(found["batch_ratio"]),
            agnostic_status=None if status is None else PointStatus(str(status)),
        )
