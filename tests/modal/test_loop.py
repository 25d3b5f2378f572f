"""Our strategies in modAL's own loop, in an environment of its own (``make test-modal``, part of
``make test-slow``).

modAL's learner asks scikit-learn for an argument that newer versions do not have.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from gardner.elsewhere.modal import modal_strategy

models: Any = pytest.importorskip("modAL.models", reason="only in the environment of `make test-modal`")
pytestmark = pytest.mark.filterwarnings("ignore")


def _loop(strategy: Any, seed: int) -> tuple[list[int], float]:
    """Forty labels of breast cancer, five at a time; the rows asked for, and the accuracy at the
    end.
    """
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    order = np.random.default_rng(seed).permutation(len(y))
    learner = models.ActiveLearner(
        estimator=LogisticRegression(max_iter=1000), query_strategy=strategy,
        X_training=X[order[:10]], y_training=y[order[:10]],
    )  # fmt: skip
    left, asked = order[10:], list[int]()
    for _ in range(6):
        places, rows = learner.query(X[left], n_instances=5)
        assert np.array_equal(rows, X[left][places])
        learner.teach(X[left[places]], y[left[places]])
        asked += left[places].tolist()
        left = np.delete(left, places)
    return asked, float(learner.score(X[left], y[left]))


@pytest.mark.parametrize("name", ["query", "agnostic", "random"])
def test_in_the_loop_of_modal(name: str) -> None:
    asked, accuracy = _loop(modal_strategy(name, seed=1), seed=0)
    again, _ = _loop(modal_strategy(name, seed=1), seed=0)
    assert asked == again
    assert len(set(asked)) == 30
    assert accuracy > (0.85 if name == "random" else 0.93)


def test_modals_functions_in_our_loop() -> None:
    """modAL's uncertainty sampling by name, beside the same written by hand."""
    from gardner import draw_instance, make_strategy, run

    problem = draw_instance(30, 3.0, seed=0)
    theirs = run(problem, make_strategy("modAL.uncertainty.uncertainty_sampling"), budget=0.8, batch_size=3, seed=0)
    ours = run(problem, make_strategy("logistic"), budget=0.8, batch_size=3, seed=0)
    assert np.sort(theirs.queried).tolist() == np.sort(ours.queried).tolist()


@pytest.mark.parametrize("name", ["vote_entropy_sampling", "consensus_entropy_sampling", "max_disagreement_sampling"])
def test_modals_committee_functions_get_a_committee(name: str) -> None:
    from gardner import draw_instance, make_strategy, run

    problem = draw_instance(30, 3.0, seed=0)
    found = run(problem, make_strategy(f"modAL.disagreement.{name}"), budget=0.8, batch_size=4, seed=0)
    assert found.rounds[-1].labels == 24
    assert found.rounds[-1].log_volume < found.rounds[0].log_volume
