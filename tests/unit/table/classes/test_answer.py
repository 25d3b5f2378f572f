"""``propose`` with labels that are texts: two kinds are two classes, more are many."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine

from gardner.errors import InvalidInputError
from gardner.model import GLM, Linear, Probit
from gardner.table.propose import Proposals, propose


def wine(labelled: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    data = load_wine()
    order = np.random.default_rng(0).permutation(data.target.size)
    names = np.array(["red", "rosé", "white"])[data.target[order]]
    return data.data[order], names, np.where(np.arange(names.size) < labelled, names, "")


def test_two_kinds_of_texts_are_two_classes() -> None:
    table, names, labels = wine()
    two = names != "rosé"
    texts = propose(table[two], labels[two], 3)
    signs = np.where(labels[two] == "", np.nan, np.where(labels[two] == "white", 1.0, -1.0))
    assert texts.rows == propose(table[two], signs, 3).rows
    assert texts.classes == ("red", "white")


def test_many_classes() -> None:
    table, names, labels = wine()
    found = propose(table, labels, 5)
    assert found.classes == ("red", "rosé", "white")
    assert found.outlook is not None
    assert found.outlook.accuracy > 0.85
    for one in found.rows:
        assert one.row >= 40
        assert sum(one.probabilities) == pytest.approx(1.0)
        assert 0.0 <= one.bits <= -sum(p * np.log2(p) for p in one.probabilities) + 1e-9
        assert np.isnan(one.mean)
    omega, _ = found.fit.fields(table[40:])
    assert np.mean(np.array(found.classes)[omega.argmax(axis=1)] == names[40:]) > 0.9


def test_a_class_without_labels_is_not_invented() -> None:
    table, _, labels = wine()
    table, labels = np.vstack([table, table[:20]]), np.append(labels, np.full(20, ""))
    labels[labels == "rosé"] = ""
    found = propose(table, labels, 1)
    assert found.classes == ("red", "white")


def same(first: Proposals, second: Proposals) -> bool:
    return [one.row for one in first.rows] == [one.row for one in second.rows]


def test_the_sample_of_targets_has_a_seed_and_may_be_given() -> None:
    table, _, labels = wine()
    model = GLM(channel=Probit(0.1))
    assert same(propose(table, labels, 4, model=model, seed=1), propose(table, labels, 4, model=model, seed=1))
    about = propose(table, labels, 2, model=model, target=table[:7])
    assert about.targets == 7


def test_what_is_refused() -> None:
    table, names, labels = wine()
    with pytest.raises(InvalidInputError, match="every row has a label"):
        propose(table, names)
    with pytest.raises(InvalidInputError, match=r"about = 'weights' .* three classes or more"):
        propose(table, labels, about="weights")
    with pytest.raises(InvalidInputError, match=r"channel = 'linear:0.1' .* classes need a channel"):
        propose(table, labels, model=GLM(channel=Linear(0.1)))
    with pytest.raises(InvalidInputError, match="each row has a label"):
        propose(table, labels[:-1])
