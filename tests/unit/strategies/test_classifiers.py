"""The classifier that foreign strategies learn with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.anyones import PROBLEM, view_of


def test_one_label_only_gives_the_rule_of_succession() -> None:
    from gardner.strategies.classifiers import learner

    same = np.flatnonzero(PROBLEM.labels == -1.0)[:4].tolist()
    model = learner(view_of(same, 3))
    np.testing.assert_allclose(model.predict_proba(PROBLEM.rows), np.tile([5 / 6, 1 / 6], (90, 1)))
    assert (model.predict(PROBLEM.rows) == -1.0).all()
    assert model.X_training.shape == (4, 30)


def test_a_committee_has_what_modals_functions_ask_for() -> None:
    """The votes of modAL's own vote entropy, counted by hand; classes that a member has not seen
    have no chance.
    """
    from gardner.model import parse_channel
    from gardner.strategies.classifiers import COMMITTEE, committee
    from gardner.strategies.real_pool import RealPool

    rng = np.random.default_rng(0)
    pool = RealPool.of(rng.standard_normal((40, 3)), parse_channel("probit:0.1"))
    for classes, labels in ((2, np.array([-1.0, 1.0] * 4)), (3, np.array([0.0, 1.0, 2.0, 0.0] * 2)), (3, np.ones(8))):
        view = pool.view(np.arange(8), labels, 4, np.random.default_rng(1), classes=classes)
        members = committee(view)
        said = members.vote_proba(view.pool)
        assert said.shape == (40, COMMITTEE, classes)
        assert np.allclose(said.sum(axis=2), 1.0)
        assert members.vote(view.pool).shape == (40, COMMITTEE)
        assert set(np.unique(members.vote(view.pool))) <= set(members.classes_)
        assert np.allclose(members.predict_proba(view.pool), said.mean(axis=1))
        assert len(list(members)) == len(members) == COMMITTEE


def test_a_function_whose_first_argument_is_a_committee_gets_one(tmp_path: Path) -> None:
    from gardner import draw_instance, make_strategy, run

    file = tmp_path / "theirs.py"
    file.write_text(
        "import numpy as np\n"
        "def disagreement(committee, X, n_instances=1):\n"
        "    votes = committee.vote(X)\n"
        "    return np.argsort(np.abs(votes.sum(axis=1)), kind='stable')[:n_instances]\n"
    )
    found = run(draw_instance(20, 3.0, seed=0), make_strategy(f"{file}:disagreement"), budget=0.6, batch_size=4, seed=0)
    assert found.rounds[-1].labels == 12
