"""Answers of other contracts become ours, or an error that says what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.anyones import PROBLEM, play, view_of

from gardner.strategies import Choice, Strategy, StrategyError
from gardner.strategies.external import make_strategy


@pytest.mark.parametrize("attribute", ["modal_with_rows", "modal_single", "modal_seeded", "plain_choice"])
def test_random_ones_follow_the_seed_and_leave_global_states_alone(mine: Path, attribute: str) -> None:
    before = np.random.get_state()[1].tobytes()  # type: ignore[index]  # noqa: NPY002
    one, two = (play(f"{mine}:{attribute}", {}, seed=seed) for seed in (0, 1))
    assert not np.array_equal(one.queried[3:], two.queried[3:])
    assert np.random.get_state()[1].tobytes() == before  # type: ignore[index]  # noqa: NPY002


@pytest.mark.parametrize("attribute", ["modal", "modal_single", "Duck"])
def test_batch_larger_than_what_is_left(mine: Path, attribute: str) -> None:
    queried = list(range(85))
    choice = make_strategy(f"{mine}:{attribute}", {}).query(view_of(queried, 20))
    assert sorted(choice.indices) == [85, 86, 87, 88, 89]


def test_before_both_labels_are_seen(mine: Path) -> None:
    same = np.flatnonzero(PROBLEM.labels == -1.0)[:4].tolist()
    choice = make_strategy(f"{mine}:modal", {}).query(view_of(same, 3))
    np.testing.assert_array_equal(choice.indices, view_of(same, 3).unlabelled[:3])  # equal probabilities, a stable sort


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("[0.5, 1.5, 2.5]", "returned float64"),
        ("[0, 1, len(X)]", "outside the pool; indices refer to the 87 rows"),
        ("[-1, 0, 1]", "outside the pool"),
        ("[0, 0, 1]", "returned a row twice"),
        ("[0]", "returned 1 rows"),
        ("None", "returned object"),
    ],
)
def test_wrong_answers_of_a_modal_function(tmp_path: Path, answer: str, message: str) -> None:
    (tmp_path / "wrong.py").write_text(f"def wrong(classifier, X, n_instances=1): return {answer}")
    with pytest.raises(StrategyError, match=message):
        play(f"{tmp_path / 'wrong.py'}:wrong", {})


def test_a_pair_of_indices_is_not_indices_with_metrics(tmp_path: Path) -> None:
    (tmp_path / "pair.py").write_text("def pair(classifier, X, n_instances=1): return 4, 2")
    strategy = make_strategy(f"{tmp_path / 'pair.py'}:pair", {})
    assert strategy.query(view_of([0], 2)).indices.tolist() == [5, 3]
    assert strategy.query(view_of([0], 1)).indices.tolist() == [5]


@pytest.mark.parametrize("signature", ["classifier, X, n_instances=1", "classifier, X"])
def test_indices_with_no_metrics(tmp_path: Path, signature: str) -> None:
    (tmp_path / "none.py").write_text(
        f"def none({signature}): return list(range({'n_instances' if 'n_inst' in signature else 1})), None"
    )
    assert make_strategy(f"{tmp_path / 'none.py'}:none", {}).query(view_of([0], 3)).indices.tolist() == [1, 2, 3]


def test_a_pair_from_a_function_of_a_view(tmp_path: Path) -> None:
    (tmp_path / "pair.py").write_text("def pair(view): return view.unlabelled[:3], None")
    with pytest.raises(StrategyError, match=r"pair returned \(array.*; indices are a vector"):
        play(f"{tmp_path / 'pair.py'}:pair", {})


def test_a_strategys_own_exception_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def own(view): raise ZeroDivisionError('mine')")
    with pytest.raises(ZeroDivisionError, match="mine"):
        play(f"{tmp_path / 'own.py'}:own", {})


def test_what_is_made_says_whose_it_is(mine: Path) -> None:
    strategies: list[Any] = [make_strategy(f"{mine}:{name}", {}) for name in ("Duck", "modal", "plain")]
    assert [one.name for one in strategies] == ["Duck", "modal", "plain"]
    assert all(isinstance(one, Strategy) for one in strategies)
    assert isinstance(strategies[2].query(view_of([0], 1)), Choice)
