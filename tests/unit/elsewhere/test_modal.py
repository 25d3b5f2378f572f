"""Functions for modAL: what they read, what they answer. In modAL's own loop they are tried by
tests/modal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from gardner import InvalidInputError, StrategyError
from gardner.elsewhere.modal import modal_strategy
from gardner.elsewhere.skactiveml import GardnerStrategy


@dataclass
class Learner:
    X_training: Any
    y_training: Any


@pytest.mark.parametrize("name", ["agnostic", "random", "query"])
def test_the_rows_are_those_of_the_other_library(name: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 3))
    y = np.where(X[:, 0] > 0.0, "yes", "no")
    places, scores = modal_strategy(name, seed=5)(Learner(X[:8], y[:8]), X[8:], n_instances=3)
    told = GardnerStrategy(name, random_state=5, missing_label="")
    chosen, utilities = told.query(X, np.where(np.arange(30) < 8, y, ""), batch_size=3, return_utilities=True)
    assert (places + 8).tolist() == chosen.tolist()
    assert scores == pytest.approx(utilities[0, chosen])


def test_what_cannot_work_is_refused_at_once() -> None:
    with pytest.raises(StrategyError, match="reads labels"):
        modal_strategy("swap")
    with pytest.raises(InvalidInputError, match="n_instances = 3"):
        modal_strategy("random")(Learner(np.eye(2), [0, 1]), np.eye(2), n_instances=3)
