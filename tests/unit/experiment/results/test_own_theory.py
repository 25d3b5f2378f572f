"""Measured strategies next to their own theory: which have one, and that it is that of their
rounds.
"""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from gardner.errors import GardnerError
from gardner.experiment.question.task import MODEL_NAMES
from gardner.experiment.results.own_theory import own_theory
from gardner.experiment.results.summary import summarise
from gardner.rules.known import Pruning
from gardner.theory import learning_curve, typical


def points(strategy: str, labels: list[int], *, batch: int = 10, parameters: str = "{}", **models: str) -> pd.DataFrame:
    """Where a strategy was measured, with a hundred weights and a pool of three hundred rows."""
    usual = dict(zip(MODEL_NAMES, ("gaussian", "sign", "gaussian", "sign"), strict=True))
    place: dict[str, Any] = {"strategy": strategy, "label": strategy, "parameters": parameters, "model": ""}
    place |= {**usual, **models, "features": 100, "pool_ratio": 3.0, "batch_size": batch}
    return pd.DataFrame([{**place, "labels": count, "budget": count / 100} for count in labels])


def volumes(frame: pd.DataFrame) -> dict[int, float]:
    found = own_theory(frame, {}, lambda _: None)
    return {place.labels: point.log_volume for place, point in found.items()}


def test_theory_has_the_rounds_of_the_run() -> None:
    curve = learning_curve("agnostic", pool_ratio=3.0, budget=0.6, batch_ratio=0.1)
    told = volumes(points("agnostic", [30, 60]))
    assert told == pytest.approx({30: curve.points[2].log_volume, 60: curve.points[5].log_volume})


def test_the_last_round_of_a_run_may_be_smaller() -> None:
    curve = learning_curve("agnostic", pool_ratio=3.0, budget=0.55, batch_ratio=0.2)
    told = volumes(points("agnostic", [40, 55], batch=20))
    assert told == pytest.approx({40: curve.points[1].log_volume, 55: curve.points[2].log_volume})


def test_pruning_is_random_first_and_then_one_choice() -> None:
    told = volumes(points("pruning", [20, 30, 80], parameters='{"first": 0.3, "keep": "easy"}'))
    pruned = learning_curve(Pruning(0.3, "easy"), pool_ratio=3.0, budget=0.8, batch_ratio=0.3).points[-1]
    assert told[20] == pytest.approx(typical(budget=0.2).log_volume, abs=1e-6)
    assert told[30] == pytest.approx(typical(budget=0.3).log_volume, abs=1e-6)
    assert told[80] == pytest.approx(pruned.log_volume)


@pytest.mark.parametrize(
    "frame",
    [
        points("informed", [30]),
        points("committee", [30]),
        points("mine.py:Rule", [30]),
        points("agnostic", [30], parameters='{"nonsense": 1}'),
        points("posterior-committee", [30], parameters='{"members": 0}'),
        points("agnostic", [30], teacher_channel="flip:0.1"),
        points("agnostic", [30], channel="absolute", teacher_channel="absolute"),
        points("agnostic", [30]).iloc[:0],
    ],
)
def test_without_theory(frame: pd.DataFrame) -> None:
    assert volumes(frame) == {}


def test_many_rounds_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gardner.experiment.results.own_theory.MOST_ROUNDS", 10)
    assert volumes(points("agnostic", [22], batch=2)) == {}


def test_trouble_of_theory_is_no_trouble_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise GardnerError("no")

    monkeypatch.setattr("gardner.theory.learning_curve", fails)
    assert volumes(points("agnostic", [13], batch=13)) == {}


def test_gaps_and_their_errors() -> None:
    from gardner.experiment.stored.reading import read_results

    row = next(
        row for row in summarise(read_results("docs/examples/results"), [0.6]).rows if row["strategy"] == "agnostic"
    )
    curve = learning_curve("agnostic", pool_ratio=3.0, budget=0.6, batch_ratio=0.1)
    assert row["theory"] == pytest.approx(curve.points[-1].log_volume)
    assert row["theory_accuracy"] == pytest.approx(curve.points[-1].accuracy)
    assert row["gap_to_theory"] == pytest.approx(row["log_volume"] - row["theory"])
    assert row["gap_to_theory_stderr"] == pytest.approx(math.hypot(row["log_volume_stderr"], row["theory_error"]))
