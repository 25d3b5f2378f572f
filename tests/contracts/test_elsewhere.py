"""Our strategies keep the documented rules of scikit-activeml, whose packages ship no test of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

from gardner.elsewhere.skactiveml import GardnerStrategy
from gardner.strategies import make_registered, registered_strategies

OPEN = [name for name in registered_strategies() if not make_registered(name, {}).informed]
every_strategy = pytest.mark.parametrize("name", OPEN)

_RNG = np.random.default_rng(0)
X = _RNG.standard_normal((40, 4))
TRUTH = np.where(X[:, 0] + 0.1 * _RNG.standard_normal(40) > 0.0, 1.0, -1.0)
Y = np.where(np.arange(40) % 4 == 0, TRUTH, np.nan)
FREE = np.flatnonzero(np.isnan(Y))


def make(name: str, **options: Any) -> Any:
    return GardnerStrategy(name, **{"random_state": 3, "channel": "probit:0.1", **options})


@every_strategy
def test_candidates_are_the_rows_without_a_label(name: str) -> None:
    chosen, utilities = make(name).query(X, Y, batch_size=3, return_utilities=True)
    assert chosen.shape == (3,)
    assert chosen.dtype.kind == "i"
    assert np.unique(chosen).size == 3
    assert np.isin(chosen, FREE).all()
    assert utilities.shape == (3, 40)
    for place in range(3):
        gone = np.union1d(np.setdiff1d(np.arange(40), FREE), chosen[:place])
        np.testing.assert_array_equal(np.flatnonzero(np.isnan(utilities[place])), gone)
    if name != "partly-random":  # a share of whose choices is by chance
        assert utilities[0, chosen[0]] == np.nanmax(utilities[0])


@every_strategy
def test_candidates_by_index(name: str) -> None:
    some = FREE[:7]
    chosen, utilities = make(name).query(X, Y, candidates=some, batch_size=2, return_utilities=True)
    assert np.isin(chosen, some).all()
    assert utilities.shape == (2, 40)
    np.testing.assert_array_equal(np.flatnonzero(~np.isnan(utilities[0])), some)


@every_strategy
def test_candidates_as_rows(name: str) -> None:
    others = np.random.default_rng(1).standard_normal((9, 4))
    chosen, utilities = make(name).query(X, Y, candidates=others, batch_size=2, return_utilities=True)
    assert (chosen.min() >= 0) & (chosen.max() < 9)
    assert utilities.shape == (2, 9)


@every_strategy
def test_seeds_and_what_is_left_alone(name: str) -> None:
    strategy, before = make(name), (X.copy(), Y.copy())
    one, two = (strategy.query(X, Y, batch_size=4) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, clone(strategy).query(X, Y, batch_size=4))
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(Y, before[1])
    assert strategy.get_params()["random_state"] == 3
    state = [make(name, random_state=np.random.RandomState(7)).query(X, Y, batch_size=4) for _ in range(2)]
    np.testing.assert_array_equal(*state)


def _missing(kind: str) -> tuple[NDArray[Any], Any]:
    unknown = np.isnan(Y)
    if kind == "text":
        return np.where(unknown, "nobody knows", np.where(TRUTH > 0.0, "yes", "no")), "nobody knows"
    if kind == "none":
        return np.array([None if one else int(label) for one, label in zip(unknown, TRUTH, strict=True)]), None
    return np.where(unknown, -7, TRUTH > 0.0).astype(int), -7


@pytest.mark.parametrize("name", ["agnostic", "query"])
@pytest.mark.parametrize("kind", ["text", "none", "number"])
def test_missing_labels_of_every_kind_choose_the_same_rows(name: str, kind: str) -> None:
    labels, missing = _missing(kind)
    told = make(name, missing_label=missing).query(X, labels, batch_size=3)
    np.testing.assert_array_equal(told, make(name).query(X, Y, batch_size=3))


@pytest.mark.parametrize("name", ["agnostic", "query", "random"])
def test_without_any_label_and_with_one_class(name: str) -> None:
    assert make(name).query(X, np.full(40, np.nan), batch_size=2).shape == (2,)
    assert make(name).query(X, np.where(TRUTH > 0.0, Y, np.nan), batch_size=2).shape == (2,)


def test_a_batch_that_is_too_large_is_made_smaller_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="batch_size=3"):
        assert make("agnostic").query(X, Y, candidates=FREE[:3], batch_size=5).shape == (3,)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"X": X[:5]}, "inconsistent numbers of samples"),
        ({"X": X[:, 0]}, "2D array"),
        ({"X": np.where(X > 2.0, np.nan, X)}, "NaN"),
        ({"batch_size": 0}, "batch_size"),
        ({"batch_size": 1.5}, "batch_size"),
        ({"return_utilities": "yes"}, "return_utilities"),
        ({"candidates": [400]}, "candidates|indices|index|range"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make("agnostic").query(**{"X": X, "y": Y, **arguments})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"strategy": "informed"}, "reads labels that nobody asked for"),
        ({"strategy": "querry"}, "did you mean query"),
        ({"strategy": "query", "parameters": {"about": "life"}}, "query.about"),
        ({"strategy": "agnostic", "rows": "flat"}, "rows = 'flat'"),
        ({"strategy": "agnostic", "channel": "linear:0.1"}, "classes need a channel"),
        ({"random_state": "today"}, "cannot be used to seed"),
    ],
)
def test_wrong_parameters_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(Exception, match=words):
        GardnerStrategy(**options).query(X, Y)
