"""What a question about a learning curve is answered with: the question, a point a round, and how
sure each is.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from gardner.errors import InvalidInputError
from gardner.model import GLM
from gardner.rules import RULES, FunctionRule, Rule, make_registered_rule
from gardner.theory.as_json import Plain, Record, model_columns, model_from, model_record, or_nan, or_null, section
from gardner.units import LN2

if TYPE_CHECKING:
    import pandas as pd


JUDGED = ("log_volume", "information", "overlap", "accuracy")  # numbers whose error a point knows


class PointStatus(StrEnum):
    """How a point of a learning curve is known.

    ``solved``: to the tolerance. ``imprecise``: not to the tolerance. ``jumped``: message passing
    is still on the branch from below, and the posterior has jumped ahead of it. ``known``: the
    weights are known.
    """

    SOLVED = "solved"
    IMPRECISE = "imprecise"
    JUMPED = "jumped"
    KNOWN = "known"


@dataclass(frozen=True)
class LearningPoint:
    """The state after a round of labels.

    ``log_volume`` is ln v per weight; ``information`` what the labels tell of the teacher, in nats
    per weight; ``bits_per_label`` by how much ln v fell in this round, in bits per label;
    ``overlap`` Q; ``accuracy`` that of the posterior mean, ``gibbs_accuracy`` of one student drawn
    from the posterior. ``threshold`` is the score of the last row that was taken (its level, for a
    rule with levels), NaN where the choice was random. ``asked_bits`` is the mean entropy of the
    labels asked for in this round. ``left`` are the rows left in the pool, per weight, by the
    entropy of their label in tenths of the largest, from certain to open. ``posterior_log_volume``
    and ``posterior_overlap`` belong to the largest free entropy: they differ from the branch from
    below after a first-order transition. ``discretisation_error`` is the worst of ln v,
    information, overlap and accuracy, estimated from half the cells.
    """

    budget: float
    log_volume: float
    information: float
    bits_per_label: float
    overlap: float
    accuracy: float
    gibbs_accuracy: float
    threshold: float
    asked_bits: float
    posterior_log_volume: float
    posterior_overlap: float
    status: PointStatus
    residual: float
    discretisation_error: float
    left: tuple[float, ...] = ()

    def to_json(self) -> Record:
        """Plain data for JSON."""
        found: Record = {}
        for one in dataclasses.fields(self):
            value = getattr(self, one.name)
            found[one.name] = or_null(value) if isinstance(value, float) else value
        return {**found, "status": self.status.value, "left": list(self.left)}

    @staticmethod
    def from_json(record: Plain) -> LearningPoint:
        """The inverse of :meth:`to_json`."""
        found = section(record, "a point")
        named = ("status", "left")
        numbers = {x.name: or_nan(found[x.name]) for x in dataclasses.fields(LearningPoint) if x.name not in named}
        left = found["left"]
        listed = tuple(or_nan(one) for one in left) if isinstance(left, list) else ()
        return LearningPoint(**numbers, status=PointStatus(str(found["status"])), left=listed)


@dataclass(frozen=True)
class LearningCurve:
    """The learning curve of a rule: what was asked, and a point a round."""

    rule: Rule
    model: GLM
    pool_ratio: float
    budget: float
    batch_ratio: float
    points: tuple[LearningPoint, ...]
    labelled: float = 0.0  # labels per weight before the first round

    @property
    def rule_name(self) -> str:
        """The name of the rule; of one's own, that of its class or function."""
        return rule_name(self.rule)

    @property
    def residual(self) -> float:
        """The worst of the points."""
        return max(point.residual for point in self.points)

    @property
    def discretisation_error(self) -> float:
        """The worst of the points."""
        return max(point.discretisation_error for point in self.points)

    def to_frame(self) -> pd.DataFrame:
        """One row a point, the question repeated; ``left_0`` … are the tenths of ``left``."""
        import pandas as pd  # here, so that the solver starts without it

        models = model_columns(self.model)
        place = {"rule": self.rule_name, **models, "pool_ratio": self.pool_ratio, "batch_ratio": self.batch_ratio}
        rows = []
        for point in self.points:
            plain = {one.name: getattr(point, one.name) for one in dataclasses.fields(point) if one.name != "left"}
            bins = {f"left_{index}": share for index, share in enumerate(point.left)}
            rows.append({**place, **plain, "status": point.status.value, **bins})
        return pd.DataFrame(rows)

    def to_json(self) -> Record:
        """Plain data for JSON: rule and models by their names."""
        return {
            "rule": self.rule_name,
            "parameters": rule_parameters(self.rule),
            "model": model_record(self.model),
            "pool_ratio": self.pool_ratio,
            "budget": self.budget,
            "batch_ratio": self.batch_ratio,
            "labelled": self.labelled,
            "points": [point.to_json() for point in self.points],
        }

    @staticmethod
    def from_json(record: Plain) -> LearningCurve:
        """The inverse of :meth:`to_json`, for rules and models of the package: names are looked up,
        never run.

        >>> from gardner.theory import learning_curve
        >>> curve = learning_curve("random", pool_ratio=3.0, budget=0.2, batch_ratio=0.1)
        >>> LearningCurve.from_json(curve.to_json()) == curve
        True
        """
        found = section(record, "a learning curve")
        points = found["points"]
        if not isinstance(points, list):
            raise InvalidInputError("record", points, "points must be a list")
        return LearningCurve(
            rule=make_registered_rule(str(found["rule"]), dict(section(found["parameters"], "parameters"))),
            model=model_from(found["model"]),
            pool_ratio=or_nan(found["pool_ratio"]),
            budget=or_nan(found["budget"]),
            batch_ratio=or_nan(found["batch_ratio"]),
            points=tuple(LearningPoint.from_json(point) for point in points),
            labelled=or_nan(found.get("labelled", 0.0)),
        )


def rule_name(rule: Rule) -> str:
    """How a rule is called: by its registered name, or as its class or function."""
    if isinstance(rule, FunctionRule):
        return str(getattr(rule.function, "__name__", "function"))
    names = {kind: name for name, kind in RULES.items()}
    return names.get(type(rule), type(rule).__name__)


def rule_parameters(rule: Rule) -> Record:
    """The parameters of a rule, as far as they are plain."""
    if isinstance(rule, FunctionRule):
        return {key: value for key, value in rule.parameters if isinstance(value, bool | int | float | str)}
    listed = getattr(rule, "__dataclass_fields__", {})
    named = {name: getattr(rule, name) for name, one in listed.items() if one.init}
    return {key: value for key, value in named.items() if isinstance(value, bool | int | float | str)}


def nats_to_bits(value: float) -> float:
    """Divided by ln 2."""
    return value / LN2
