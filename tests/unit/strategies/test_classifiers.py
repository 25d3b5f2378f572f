"""The classifier that foreign strategies learn with."""

from __future__ import annotations

import numpy as np
from tests.anyones import PROBLEM, view_of


def test_one_label_only_gives_the_rule_of_succession() -> None:
    from gardner.strategies.classifiers import learner

    same = np.flatnonzero(PROBLEM.labels == -1.0)[:4].tolist()
    model = learner(view_of(same, 3))
    np.testing.assert_allclose(model.predict_proba(PROBLEM.rows), np.tile([5 / 6, 1 / 6], (90, 1)))
    assert (model.predict(PROBLEM.rows) == -1.0).all()
    assert model.X_training.shape == (4, 30)
