"""Every pool strategy of scikit-activeml: run, or refused with the reason."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.anyones import PROBLEM, check_run, needs_extra, play, view_of

from gardner.errors import InvalidInputError
from gardner.model import draw_instance
from gardner.strategies import StrategyError
from gardner.strategies.external import make_strategy

EXERCISED: list[tuple[str, dict[str, Any]]] = [
    ("RandomSampling", {}),
    ("UncertaintySampling", {"method": "least_confident"}),
    ("UncertaintySampling", {"method": "margin_sampling"}),
    ("UncertaintySampling", {"method": "entropy"}),
    ("QueryByCommittee", {}),
    ("QueryByCommittee", {"method": "vote_entropy"}),
    ("ProbabilisticAL", {}),
    ("ProbabilisticAL", {"metric": "rbf"}),
    ("EpistemicUncertaintySampling", {}),
    ("Quire", {}),
    ("FourDs", {}),
    ("CostEmbeddingAL", {}),
    ("GreedySamplingX", {}),
    ("DiscriminativeAL", {}),
    ("BatchBALD", {}),
    ("GreedyBALD", {}),
    ("Clue", {}),
    ("DropQuery", {}),
    ("CoreSet", {}),
    ("TypiClust", {}),
    ("Badge", {}),
    ("ProbCover", {}),
    ("ContrastiveAL", {}),
    ("Falcun", {}),
    ("MaxHerding", {}),
]

SLOW = ["MonteCarloEER", "ValueOfInformationEER"]  # two fits a candidate: on a smaller problem

UNFIT = {
    "ExpectedErrorReduction": "wants a value for enforce_mapping",  # the base class of the two above
    "ExpectedModelChangeMaximization": "regression",
    "ExpectedModelOutputChange": "regression",
    "ExpectedModelVarianceReduction": "regression",
    "KLDivergenceMaximization": "regression",
    "GreedySamplingTarget": "regression",
    "RegressionTreeBasedAL": "regression",
    "SubSamplingWrapper": "wraps another strategy",  # by a function: see EXTRAS
    "ParallelUtilityEstimationWrapper": "wraps another strategy",
}


@needs_extra
@pytest.mark.parametrize(("name", "parameters"), EXERCISED)
def test_scikit_activeml(name: str, parameters: dict[str, Any]) -> None:
    check_run(f"skactiveml.pool.{name}", parameters)


@needs_extra
@pytest.mark.parametrize("name", SLOW)
def test_scikit_activeml_slow(name: str) -> None:
    check_run(f"skactiveml.pool.{name}", {}, draw_instance(12, 2.0, seed=0))


@needs_extra
@pytest.mark.parametrize("name", UNFIT)
def test_scikit_activeml_unfit(name: str) -> None:
    with pytest.raises(StrategyError, match=UNFIT[name]):
        make_strategy(f"skactiveml.pool.{name}", {})


@needs_extra
def test_every_pool_strategy_of_scikit_activeml_is_accounted_for() -> None:
    import skactiveml.pool

    there = {
        name for name, value in vars(skactiveml.pool).items() if inspect.isclass(value) and hasattr(value, "query")
    }
    assert there == {name for name, _ in EXERCISED} | set(SLOW) | set(UNFIT)


@needs_extra
def test_other_contracts_of_scikit_activeml_are_refused() -> None:
    with pytest.raises(StrategyError, match="streams"):
        make_strategy("skactiveml.stream.StreamRandomSampling", {})
    with pytest.raises(StrategyError, match="several annotators"):
        make_strategy("skactiveml.pool.multiannotator.IntervalEstimationThreshold", {})
    with pytest.raises(InvalidInputError, match=r"parameters of UncertaintySampling: method, cost_matrix$"):
        make_strategy("skactiveml.pool.UncertaintySampling", {"methods": "entropy"})
    with pytest.raises(InvalidInputError, match="given by the loop"):
        make_strategy("skactiveml.pool.UncertaintySampling", {"random_state": 0})


@needs_extra
def test_uncertainty_sampling_is_our_logistic_margin() -> None:
    for dtype in (np.float32, np.float64):
        problem = draw_instance(30, 3.0, seed=1, dtype=dtype)
        theirs, ours = (play(name, {}, problem) for name in ("skactiveml.pool:UncertaintySampling", "logistic"))
        assert set(theirs.queried.tolist()) == set(ours.queried.tolist())


@needs_extra
def test_made_in_a_file(mine: Path) -> None:
    entropy = check_run(f"{mine.parent / 'extras.py'}:entropy", {})  # its missing label of -1 is replaced
    direct = play("skactiveml.pool.UncertaintySampling", {"method": "entropy"})
    np.testing.assert_array_equal(entropy.queried, direct.queried)
    check_run(f"{mine.parent / 'extras.py'}:subsampled", {"share": 0.5})


@needs_extra
def test_tie_breaks_do_not_repeat_at_equal_counts() -> None:
    strategy, view = make_strategy("skactiveml.pool:RandomSampling", {}), view_of([0, 1, 2], 5)
    one, two = strategy.query(view), strategy.query(view)
    assert not np.array_equal(one.indices, two.indices)


@needs_extra
@pytest.mark.parametrize(
    "name", ["UncertaintySampling", "QueryByCommittee", "CoreSet", "TypiClust", "DiscriminativeAL"]
)
def test_scikit_activeml_edges(name: str) -> None:
    """A batch larger than what is left, labels of one kind only, and utilities for every unlabelled
    row.
    """
    strategy = make_strategy(f"skactiveml.pool:{name}", {})
    assert sorted(strategy.query(view_of(list(range(85)), 20)).indices) == [85, 86, 87, 88, 89]
    view = view_of(np.flatnonzero(PROBLEM.labels == 1.0)[:3].tolist(), 4)
    choice = strategy.query(view)
    assert np.isin(choice.indices, view.unlabelled).all()
    assert choice.scores is not None
    assert choice.scores.shape == view.unlabelled.shape
