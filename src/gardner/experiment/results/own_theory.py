"""What theory says of a measured strategy: the learning curve of the rule of the same name.

Names come from rows that were read back, so they are looked up among the rules of the package and
nothing is run. Strategies that are no such rule, models that learning curves do not cover and runs
of very many rounds have no theory here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from gardner.errors import GardnerError
from gardner.experiment.question.task import MODEL_NAMES
from gardner.experiment.results.meaning import NamedModels, find_models
from gardner.experiment.stored.reading import parse_parameters
from gardner.rules import RULES, Rule, make_registered_rule
from gardner.rules.known import Random

if TYPE_CHECKING:
    from gardner.model import GLM
    from gardner.theory import LearningPoint

# Rounds at most of a run whose theory is computed: that many take some ten seconds.
MOST_ROUNDS = 5000
_RUN = ["strategy", "parameters", "label", "model", *MODEL_NAMES, "features", "pool_ratio", "batch_size"]


class Measured(NamedTuple):
    """Where a strategy was measured: its label, model, weights, pool ratio, batch size and labels."""

    label: str
    model: str
    features: int
    pool_ratio: float
    batch_size: int
    labels: int


def own_theory(
    points: pd.DataFrame, named: NamedModels, progress: Callable[[float], None]
) -> Mapping[Measured, LearningPoint]:
    """The point of theory for each place where a strategy was measured, as far as there is one."""
    found: dict[Measured, LearningPoint] = {}
    groups = [group for _, group in points.groupby(_RUN, sort=True) if group["strategy"].iloc[0] in RULES]
    for index, group in enumerate(groups):
        run = group.iloc[0]
        rule = _rule(str(run["strategy"]), str(run["parameters"]))
        student, teacher = find_models([str(run[name]) for name in MODEL_NAMES], named)
        if rule is not None and student == teacher:
            features, alpha, batch = int(run["features"]), float(run["pool_ratio"]), int(run["batch_size"])
            counts = sorted({int(labels) for labels in group["labels"]})
            for labels, point in _points(rule, student, features, alpha, batch, counts):
                found[Measured(str(run["label"]), str(run["model"]), features, alpha, batch, labels)] = point
        progress((index + 1.0) / len(groups))
    return found


def _rule(name: str, parameters: str) -> Rule | None:
    try:
        return make_registered_rule(name, parse_parameters(parameters))
    except GardnerError:
        return None


def _points(
    rule: Rule, model: GLM, features: int, alpha: float, batch: int, counts: list[int]
) -> list[tuple[int, LearningPoint]]:
    """The points after so many labels, in a run that asks for ``batch`` at a time.

    Rounds end at multiples of the batch; the last round of a run may be smaller. A rule with one
    choice of all has a curve for each number of labels.
    """
    single = rule.first > 0.0
    whole = [] if single else [labels for labels in counts if labels % batch == 0]
    curves = [(labels, [labels]) for labels in counts if labels not in whole]
    if whole:
        curves.append((whole[-1], whole))
    found = []
    for last, asked in curves:
        kappa = rule.first if single else batch / features
        shown = Random() if single and last <= rule.first * features else rule
        for point in _curve(shown, model, alpha, min(last / features, alpha), kappa):
            labels = round(point.budget * features)
            if labels in asked and abs(point.budget * features - labels) < 1e-6 * features:
                found.append((labels, point))
    return found


@functools.lru_cache(maxsize=256)
def _curve(rule: Rule, model: GLM, alpha: float, budget: float, batch_ratio: float) -> tuple[LearningPoint, ...]:
    """The points of a learning curve, once a process; none where theory has no answer."""
    from gardner.theory import learning_curve

    if budget / batch_ratio > MOST_ROUNDS:
        return ()
    try:
        return learning_curve(rule, model, pool_ratio=alpha, budget=budget, batch_ratio=min(batch_ratio, budget)).points
    except GardnerError:
        return ()
