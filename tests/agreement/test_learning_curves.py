"""The theory of a rule against the loop that runs it: the same object, N → ∞ and N = 400."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.experiment import run
from gardner.model import GLM, PERCEPTRON, draw_instance, parse_channel
from gardner.rules import load_rule
from gardner.strategies import make_registered
from gardner.theory import learning_curve

FEATURES, SEEDS, BATCH, BUDGETS = 400, 8, 0.05, (0.3, 0.6, 1.2)


def gaps(name: str, rule: str, parameters: dict[str, object], model: GLM = PERCEPTRON) -> list[float]:
    """What runs of a strategy reach less what the theory of a rule says, in standard errors.

    Only budgets that the theory has a point for are compared. An allowance of 5/N covers the finite
    size.
    """
    made = load_rule(rule, dict(parameters))
    theory = learning_curve(made, model, pool_ratio=3.0, budget=BUDGETS[-1], batch_ratio=BATCH)
    known = {round(point.budget, 6): point.log_volume for point in theory.points}
    found = []
    for seed in range(SEEDS):
        problem = draw_instance(FEATURES, 3.0, seed, model)
        strategy = make_registered(name, dict(parameters))
        result = run(problem, strategy, budget=BUDGETS[-1], batch_size=20, seed=seed, model=model)
        found.append({round(one.budget, 6): one.log_volume for one in result.rounds})
    answers = []
    for budget in (one for one in BUDGETS if one in known):
        values = np.array([one[budget] for one in found])
        error = float(values.std(ddof=1)) / math.sqrt(SEEDS)
        answers.append(max(0.0, abs(float(values.mean()) - known[budget]) - 5.0 / FEATURES) / error)
    return answers


@pytest.mark.parametrize(
    ("rule", "parameters", "channel"),
    [
        ("agnostic", {}, "sign"),
        pytest.param("agnostic", {}, "probit:0.1", marks=pytest.mark.slow),
        ("posterior-committee", {"members": 3}, "sign"),
        ("partly-random", {"share": 0.5}, "flip:0.05"),
        ("target-margin", {"margin": 0.7}, "sign"),
        ("pruning", {"first": 0.3, "keep": "hard"}, "sign"),
        pytest.param("pruning", {"first": 0.3, "keep": "easy"}, "sign", marks=pytest.mark.slow),
    ],
)
def test_a_rule_runs_as_its_theory_says(rule: str, parameters: dict[str, object], channel: str) -> None:
    found = gaps(rule, rule, parameters, GLM(channel=parse_channel(channel)))
    assert len(found) == (2 if rule == "pruning" else 3)
    assert max(found) < 3.5


def test_a_strategy_that_reads_labels_disagrees() -> None:
    """Negative control: the informed strategy does not follow the theory of the agnostic one."""
    assert max(gaps("informed", "agnostic", {})) > 10.0
