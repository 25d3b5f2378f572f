"""A strategy of ours in scikit-activeml's loop, and theirs in ours, choose what they choose at
home.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from skactiveml.classifier import SklearnClassifier
from skactiveml.pool import RandomSampling, UncertaintySampling
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from gardner import draw_instance, make_strategy, run
from gardner.elsewhere.skactiveml import GardnerStrategy
from gardner.experiment import rounds
from gardner.model import Instance
from gardner.strategies.classifiers import SETTINGS, Logistic

PROBLEM = draw_instance(40, 3.0, seed=2, dtype="float64")
ROUNDS, BATCH = 8, 3


def _first(problem: Instance) -> Any:
    """The rows every run begins with."""
    return np.random.default_rng([rounds.FIRST, 0]).permutation(len(problem.rows))[:BATCH]


def _theirs(problem: Instance, strategy: Any, **options: Any) -> list[int]:
    """scikit-activeml's loop, as its tutorials write it."""
    y = np.full(len(problem.rows), np.nan)
    chosen = list(_first(problem))
    y[chosen] = problem.labels[chosen]
    for _ in range(ROUNDS - 1):
        asked = strategy.query(X=problem.rows, y=y, batch_size=BATCH, **options)
        y[asked] = problem.labels[asked]
        chosen += asked.tolist()
    return [int(one) for one in chosen]


def _ours(strategy: str, **parameters: Any) -> Any:
    made = make_strategy(strategy, parameters)
    found = run(PROBLEM, made, budget=ROUNDS * BATCH / 40, batch_size=BATCH, seed=0, tolerance=1e-9).queried
    return np.sort(found.reshape(ROUNDS, BATCH), axis=1).tolist()


def _by_round(chosen: list[int]) -> Any:
    return np.sort(np.reshape(chosen, (ROUNDS, BATCH)), axis=1).tolist()


def test_ours_in_their_loop() -> None:
    """The same posterior of message passing, so the same rows in every round."""
    strategy = GardnerStrategy("agnostic", rows="plain", random_state=0)
    assert _by_round(_theirs(PROBLEM, strategy)) == _ours("agnostic")


def test_theirs_in_our_loop() -> None:
    classifier = SklearnClassifier(Logistic(**SETTINGS), classes=[-1, 1], random_state=0)
    at_home = _theirs(PROBLEM, UncertaintySampling(random_state=0), clf=classifier)
    assert _ours("skactiveml.pool.UncertaintySampling") == _by_round(at_home)


def test_theirs_by_chance_follow_the_same_seeds() -> None:
    """Our loop draws a seed for each of their queries; with these seeds they choose the same at
    home.
    """
    rng = np.random.default_rng([rounds._STRATEGY, 0])

    class Seeded:
        def query(self, **arguments: Any) -> Any:
            seed, *_ = (int(rng.integers(2**31 - 1)) for _ in range(3))  # the other two for global random states
            return RandomSampling(random_state=seed).query(**arguments)

    assert _ours("skactiveml.pool.RandomSampling") == _by_round(_theirs(PROBLEM, Seeded()))


def test_a_user_with_a_real_table() -> None:
    """Breast cancer with the labels it has, 0 and 1: fifty labels are enough for a good classifier."""
    X, truth = load_breast_cancer(return_X_y=True)
    y = np.full(len(truth), np.nan)
    y[:10] = truth[:10]
    strategy = GardnerStrategy("query", random_state=0)
    for _ in range(4):
        asked = strategy.query(X, y, batch_size=10)
        y[asked] = truth[asked]
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    classifier = SklearnClassifier(LogisticRegression(), classes=[0, 1]).fit(scaled, y)
    free = np.isnan(y)
    assert int((~free).sum()) == 50
    assert classifier.score(scaled[free], truth[free]) > 0.95
