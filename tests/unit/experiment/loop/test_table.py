"""The loop on a real table: what is measured, who sees what, and the same choices in other
libraries' loops.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from gardner import make_strategy, parse_channel
from gardner.elsewhere.skactiveml import GardnerStrategy
from gardner.experiment.loop.table import run_on_table
from gardner.experiment.question.labelled_table import LabelledTable
from gardner.experiment.rounds import Run
from gardner.inference import infer
from gardner.model import GLM, Gaussian
from gardner.strategies import Choice, View
from gardner.strategies.real_pool import RealPool, round_generator

CHANNEL = parse_channel("probit:0.08")


def _table(load: Any, rows: int = 240) -> LabelledTable:
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))[:rows]
    return LabelledTable(X[order], y[order].astype(np.int64), tuple(map(str, np.unique(y))))


CANCER = _table(load_breast_cancer)


def play(strategy: Any, table: LabelledTable = CANCER, labels: int = 40, seed: int = 1) -> Run:
    made = make_strategy(strategy) if isinstance(strategy, str) else strategy
    return run_on_table(table, made, labels=labels, batch_size=8, seed=seed, channel=CHANNEL, test_share=0.4)


def test_the_evidence_is_that_of_a_chain() -> None:
    """Bits add up to those of all labels, by an inference that knows nothing of rounds."""
    run = play("random")
    assert [one.labels for one in run.rounds] == [8, 16, 24, 32, 40]
    inside, _ = CANCER.split(0.4, 1)
    pool = RealPool.of(CANCER.features[inside], CHANNEL)
    labels = np.where(CANCER.codes[inside][run.queried] == 1, 1.0, -1.0)
    whole = infer(pool.rows[run.queried], labels, GLM(Gaussian(), CHANNEL), method="ep").log_evidence
    assert sum(8 * float(one.bits_per_label or 0.0) for one in run.rounds) == pytest.approx(-whole / np.log(2.0))
    assert all(one.overlap is None and one.accuracy is None for one in run.rounds)


def test_accuracy_and_loss_are_those_of_held_out_rows() -> None:
    last = play("query").rounds[-1]
    assert last.test_accuracy is not None
    assert last.log_loss is not None
    assert 0.9 < last.test_accuracy <= 1.0
    assert 0.02 < last.log_loss < 0.25
    assert (last.test_accuracy * 96) % 1 == pytest.approx(0.0, abs=1e-9)


def test_a_search_that_reads_labels_is_ahead() -> None:
    """On the goal that it has: held-out accuracy, or surprise."""
    options: dict[str, Any] = {"labels": 24, "seed": 2}
    plain = play("random", **options).rounds[-1]
    found = play(make_strategy("table-swap", {"steps": 25}), **options).rounds[-1]
    assert (found.test_accuracy or 0.0) > (plain.test_accuracy or 1.0)
    surprising = play(make_strategy("table-swap", {"goal": "evidence", "steps": 10}), **options).rounds[-1]
    assert surprising.log_volume < plain.log_volume


def test_many_classes() -> None:
    wine = _table(load_wine, 178)
    for name in ("query", "random", "skactiveml.pool.UncertaintySampling"):
        last = play(name, wine, labels=32).rounds[-1]
        assert last.test_accuracy is not None
        assert last.test_accuracy > 0.85
        assert last.bits_per_label is None
    with pytest.raises(Exception, match="two classes"):
        play("agnostic", wine)


def test_who_sees_what() -> None:
    class Curious:
        informed = False

        def query(self, view: View) -> Choice:
            assert view.held_out is None
            with pytest.raises(Exception, match="informed = True"):
                _ = view.hidden_labels
            assert view.table.shape == (144, 30)
            assert view.pool.shape == (144, 31)
            assert np.allclose(view.pool[:, -1], np.sqrt(1.08))
            return Choice(view.unlabelled[: view.batch_size])

    class Told(Curious):
        informed = True

        def query(self, view: View) -> Choice:
            assert view.held_out is not None
            rows, labels = view.held_out
            assert rows.shape == (96, 31)
            assert set(labels) == {-1.0, 1.0}
            return Choice(view.unlabelled[: view.batch_size])

    assert play(Curious()).queried.size == play(Told()).queried.size == 40


@pytest.mark.parametrize("name", ["query", "agnostic", "random", "posterior-committee", "logistic"])
def test_the_same_rows_in_scikit_activemls_loop(name: str) -> None:
    """The same seed, the same posterior, the same rows, round by round."""
    run = play(name)
    inside, _ = CANCER.split(0.4, 1)
    X, truth = CANCER.features[inside], CANCER.codes[inside]
    y = np.full(inside.size, np.nan)
    y[run.queried[:8]] = truth[run.queried[:8]]
    strategy = GardnerStrategy(name, random_state=1)
    for begin in range(8, 40, 8):
        asked = strategy.query(X, y, batch_size=8)
        assert sorted(asked) == sorted(run.queried[begin : begin + 8])
        y[asked] = truth[asked]


@pytest.mark.parametrize("name", ["UncertaintySampling", "RandomSampling"])
def test_theirs_choose_the_same_rows_in_their_loop(name: str) -> None:
    from skactiveml import pool
    from skactiveml.classifier import SklearnClassifier

    from gardner.strategies.classifiers import SETTINGS, Logistic

    run = play(f"skactiveml.pool.{name}")
    inside, _ = CANCER.split(0.4, 1)
    rows = RealPool.of(CANCER.features[inside], CHANNEL).rows
    truth = np.where(CANCER.codes[inside] == 1, 1.0, -1.0)
    y = np.full(inside.size, np.nan)
    y[run.queried[:8]] = truth[run.queried[:8]]
    for begin in range(8, 40, 8):
        rng = round_generator(1, begin)
        options: dict[str, Any] = {}
        if name == "UncertaintySampling":
            seed = int(rng.integers(2**31 - 1))
            options["clf"] = SklearnClassifier(Logistic(**SETTINGS), classes=[-1, 1], random_state=seed)
        theirs = getattr(pool, name)(random_state=int(rng.integers(2**31 - 1)))
        asked = theirs.query(rows, y, batch_size=8, **options)
        assert sorted(asked) == sorted(run.queried[begin : begin + 8])
        y[asked] = truth[asked]
