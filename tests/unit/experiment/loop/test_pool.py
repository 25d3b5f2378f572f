"""The loop: what it records is true."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.experiment.loop import training as module
from gardner.experiment.loop.pool import run
from gardner.experiment.loop.training import Training
from gardner.inference.message_passing import amp
from gardner.inference.posterior import Posterior
from gardner.model import PERCEPTRON, draw_instance
from gardner.strategies import make_registered

PROBLEM = draw_instance(100, 3.0, seed=0)


def test_records_are_those_of_a_fresh_fit() -> None:
    result = run(PROBLEM, make_registered("informed", {}), budget=0.5, batch_size=7, seed=0, tolerance=1e-9)
    last = result.rounds[-1]
    afresh = amp(PROBLEM.rows[result.queried], PROBLEM.labels[result.queried], tolerance=1e-10)
    mean, teacher = afresh.mean, PROBLEM.teacher
    cosine = mean @ teacher / np.linalg.norm(mean) / np.linalg.norm(teacher)
    assert last.labels == 50
    assert last.budget == 0.5
    assert last.log_volume == pytest.approx(afresh.log_volume, abs=1e-8)
    assert last.self_overlap == pytest.approx(mean @ mean / 100, abs=1e-7)
    assert last.overlap == pytest.approx(mean @ teacher / np.linalg.norm(teacher) / 10, abs=1e-7)
    assert last.accuracy == pytest.approx(1 - math.acos(cosine) / math.pi, abs=1e-7)
    assert last.status == "converged"


def test_bits_add_up() -> None:
    result = run(PROBLEM, make_registered("agnostic", {}), budget=0.5, batch_size=7, seed=0)
    labels = np.diff([0, *(one.labels for one in result.rounds)])
    bits = np.array([one.bits_per_label for one in result.rounds])
    assert labels @ bits == pytest.approx(-100 * result.rounds[-1].log_volume / math.log(2.0))


def test_accuracy_on_a_test_set_agrees_with_the_exact_one() -> None:
    result = run(PROBLEM, make_registered("random", {}), budget=1.0, batch_size=50, seed=0, test_rows=20000)
    for one in result.rounds:
        assert one.test_accuracy is not None
        assert one.test_accuracy == pytest.approx(one.accuracy, abs=4 * 0.5 / math.sqrt(20000))
    assert run(PROBLEM, make_registered("random", {}), budget=0.1, batch_size=5, seed=0).rounds[0].test_accuracy is None


def test_threads_and_precision() -> None:
    problem = draw_instance(300, 3.0, seed=1, dtype=np.float32)
    one, two = (
        run(problem, make_registered("agnostic", {}), budget=0.6, batch_size=30, seed=0, threads=count)
        for count in (1, 2)
    )
    assert one.rounds == two.rounds
    np.testing.assert_array_equal(one.queried, two.queried)


def test_training_set_stays_contiguous_under_exchanges() -> None:
    training = Training(PROBLEM, 20, PERCEPTRON, "vector", 1e-9, None)
    training.change(np.arange(10))
    first = training.posterior()
    assert training.posterior() is first  # nothing changed, nothing computed
    training.change(np.array([50, 51, 52]), dropped=np.array([3, 7]))
    assert sorted(training.indices.tolist()) == [0, 1, 2, 4, 5, 6, 8, 9, 50, 51, 52]
    np.testing.assert_array_equal(training.labels, PROBLEM.labels[training.indices])
    afresh = amp(PROBLEM.rows[training.indices], PROBLEM.labels[training.indices], tolerance=1e-10)
    assert training.posterior().log_volume == pytest.approx(afresh.log_volume, abs=1e-8)


@pytest.mark.parametrize(
    ("budget", "batch_size", "says"),
    [
        (0.0, 1, "positive"),
        (math.nan, 1, "positive"),
        (4.0, 1, "only 3 rows"),
        (0.001, 1, "no label"),
        (1.0, 0, "at least 1"),
    ],
)
def test_bad_sizes(budget: float, batch_size: int, says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        run(PROBLEM, make_registered("random", {}), budget=budget, batch_size=batch_size, seed=0)


def test_iterations_of_a_warm_start_that_failed_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Posterior] = []

    def failing(rows: Any, labels: Any, model: Any, *, start: Any = None, **options: Any) -> Posterior:
        made.append(amp(rows, labels, model, start=start, max_iterations=2 if start else 1000, **options))
        return made[-1]

    monkeypatch.setattr(module, "amp", failing)
    training = Training(PROBLEM, 50, PERCEPTRON, "vector", 1e-9, None)
    training.change(np.arange(30))
    assert training.posterior().iterations == made[0].iterations
    training.change(np.arange(30, 50))
    last = training.posterior()
    assert [one.converged for one in made] == [True, False, True]
    assert last.iterations == 2 + made[2].iterations
    assert last.log_volume == made[2].log_volume
