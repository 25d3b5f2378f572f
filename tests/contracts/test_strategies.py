"""What every strategy must do; a new one is picked up by its registration."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.experiment import Run, run
from gardner.model import GLM, Flip, Instance, Linear, draw_instance
from gardner.strategies import Choice, Strategy, StrategyError, View, choose, make_registered, registered_strategies

FEATURES, BUDGET = 40, 0.6
PROBLEM = draw_instance(FEATURES, 3.0, seed=0)
every_strategy = pytest.mark.parametrize("name", list(registered_strategies()))


def play(name: str, problem: Instance = PROBLEM, batch_size: int = 4, budget: float = BUDGET, seed: int = 0) -> Run:
    return run(problem, make_registered(name, {}), budget=budget, batch_size=batch_size, seed=seed)


@every_strategy
def test_documented_in_one_line(name: str) -> None:
    line = registered_strategies()[name]
    assert 20 < len(line) < 120
    assert ("reads hidden labels" in line) == make_registered(name, {}).informed


@every_strategy
def test_asks_for_the_budget_without_repeats(name: str) -> None:
    result = play(name)
    assert [one.labels for one in result.rounds] == list(range(4, 25, 4))
    assert np.unique(result.queried).size == 24
    assert all(one.status == "converged" for one in result.rounds)
    assert len(result.seconds) == len(result.rounds)


@every_strategy
def test_reproducible_by_seed(name: str) -> None:
    one, two, other = (play(name, seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.queried, two.queried)
    assert one.rounds == two.rounds
    assert not np.array_equal(one.queried, other.queried)


@every_strategy
def test_first_batch_is_the_same_for_all(name: str) -> None:
    assert play(name).rounds[0] == play("random").rounds[0]


@every_strategy
def test_does_not_touch_pool_or_labels(name: str) -> None:
    problem = draw_instance(FEATURES, 3.0, seed=1)
    before = (problem.rows.tobytes(), problem.labels.tobytes(), problem.teacher.tobytes())
    play(name, problem)
    assert (problem.rows.tobytes(), problem.labels.tobytes(), problem.teacher.tobytes()) == before


def sees_hidden_labels(make: Callable[[Instance], Strategy]) -> bool:
    """Whether queries change when the labels that nobody asked for are redrawn."""
    rng = np.random.default_rng(0)
    first = np.sort(run(PROBLEM, make(PROBLEM), budget=BUDGET, batch_size=4, seed=0).queried)
    hidden = np.setdiff1d(np.arange(len(PROBLEM.labels)), first)
    for _ in range(5):
        labels = PROBLEM.labels.copy()
        labels[hidden] = rng.choice([-1.0, 1.0], size=hidden.size)
        problem = replace(PROBLEM, labels=labels)
        again = run(problem, make(problem), budget=BUDGET, batch_size=4, seed=0)
        if not np.array_equal(np.sort(again.queried), first):
            return True
    return False


@every_strategy
def test_agnostic_ones_never_see_hidden_labels(name: str) -> None:
    assert sees_hidden_labels(lambda _: make_registered(name, {})) == make_registered(name, {}).informed


@dataclass
class Cheat:
    """Negative control: got hold of the labels by the back door and says it did not."""

    labels: Any
    informed = False

    def query(self, view: View) -> Choice:
        return choose(view, self.labels[view.unlabelled])


def test_a_cheat_is_caught() -> None:
    assert sees_hidden_labels(lambda problem: Cheat(problem.labels))


def test_hidden_labels_are_refused_to_the_agnostic() -> None:
    class Sneak:
        informed = False

        def query(self, view: View) -> Choice:
            return choose(view, view.hidden_labels[view.unlabelled])

    with pytest.raises(StrategyError, match="informed = True"):
        run(PROBLEM, Sneak(), budget=BUDGET, batch_size=4, seed=0)


@every_strategy
def test_batch_of_one(name: str) -> None:
    result = play(name, batch_size=1, budget=0.2)
    assert [one.labels for one in result.rounds] == list(range(1, 9))


@every_strategy
def test_batch_larger_than_the_pool(name: str) -> None:
    result = play(name, batch_size=1000, budget=3.0)
    assert np.sort(result.queried).tolist() == list(range(120))
    result = play(name, batch_size=50, budget=3.0)
    assert [one.labels for one in result.rounds] == [50, 100, 120]
    assert np.sort(result.queried).tolist() == list(range(120))


@every_strategy
def test_ties(name: str) -> None:
    """A pool of few distinct rows, each many times: scores tie, nothing breaks, nothing is asked
    for twice.
    """
    base = draw_instance(20, 0.5, seed=2)
    problem = Instance(np.tile(base.rows, (8, 1)), base.teacher, np.tile(base.labels, 8))
    result = run(problem, make_registered(name, {}), budget=1.0, batch_size=5, seed=0)
    assert np.unique(result.queried).size == 20


def test_every_strategy_of_the_paper_is_there() -> None:
    paper = {"agnostic", "informed", "least-informative", "committee", "logistic", "perceptron", "random", "mixture"}
    assert paper <= set(registered_strategies())


@dataclass
class Fixed:
    """Returns what it is told."""

    answer: Any
    informed: bool = False

    def query(self, view: View) -> Any:
        answer = self.answer(view) if callable(self.answer) else self.answer
        return answer if isinstance(answer, Choice) or answer is None else Choice(answer)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda view: view.unlabelled[[0, 0, 1, 2]], "twice"),
        (lambda view: np.append(view.unlabelled[:3], view.queried[0]), "labelled"),
        (lambda view: np.append(view.unlabelled[:3], 120), "outside the pool"),
        (lambda view: np.append(view.unlabelled[:3], -1), "outside the pool"),
        (lambda view: view.unlabelled[:3], "returned 3 rows; 4 were asked for"),
        (lambda view: view.unlabelled[:5], "returned 5 rows"),
        (lambda view: view.unlabelled[:4].astype(float), "whole numbers"),
        (lambda view: view.unlabelled[:4, None], "vector"),
        (None, "returned NoneType; return a Choice"),
        (lambda view: Choice(view.unlabelled[:5], dropped=view.queried[:1]), "only informed"),
        (lambda view: Choice(view.unlabelled[:5], dropped=view.queried[:1] + 0.5), "dropped float64"),
        (lambda view: Choice(view.unlabelled[:5], dropped=view.queried[0]), r"dropped int64 of shape \(\)"),
        (lambda view: Fixed((view.unlabelled[:4], None)).query(view), "returned something uneven"),
        (lambda view: choose(view, np.full(view.unlabelled.size, np.nan)), "116 of 116 scores are NaN"),
        (lambda view: choose(view, np.where(view.unlabelled == 7, np.nan, 1.0)), "1 of 116 scores are NaN"),
    ],
)
def test_broken_answers_are_named(answer: Any, says: str) -> None:
    with pytest.raises(StrategyError, match=says):
        run(PROBLEM, Fixed(answer), budget=BUDGET, batch_size=4, seed=0)


def test_exchanges() -> None:
    """An informed strategy may give rows back; the set stays contiguous and is measured as it is."""
    swap = Fixed(lambda view: Choice(view.unlabelled[:6], dropped=view.queried[1:3]), informed=True)
    result = run(PROBLEM, swap, budget=0.2, batch_size=4, seed=0)
    assert [one.labels for one in result.rounds] == [4, 8]
    assert result.informed
    from gardner.inference.message_passing import amp

    afresh = amp(PROBLEM.rows[result.queried], PROBLEM.labels[result.queried])
    assert result.rounds[-1].log_volume == pytest.approx(afresh.log_volume, abs=1e-5)
    for bad in (lambda view: view.unlabelled[:2], lambda view: view.queried[[0, 0]]):
        broken = Fixed(lambda view, bad=bad: Choice(view.unlabelled[:6], dropped=bad(view)), informed=True)
        with pytest.raises(StrategyError, match="dropped"):
            run(PROBLEM, broken, budget=0.2, batch_size=4, seed=0)


def test_pool_is_read_only_for_strategies() -> None:
    def vandal(view: View) -> Any:
        view.pool[0] = 0.0
        return view.unlabelled[:4]

    with pytest.raises(ValueError, match="read-only"):
        run(PROBLEM, Fixed(vandal), budget=BUDGET, batch_size=4, seed=0)


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("agnostics", {}, "did you mean agnostic"),
        ("nothing-like-it", {}, "gardner strategies"),
        ("committee", {"member": 3}, "parameters of committee: members"),
        ("committee", {"members": 1}, "at least two"),
        ("committee", {"walk": -1}, "negative"),
        ("committee", {"rate": 0.0}, "positive"),
        ("committee", {"epochs": 0}, "at least once"),
        ("perceptron", {"epochs": 0}, "at least once"),
        ("perceptron", {"rate": 1.0}, "parameters of perceptron: epochs"),
        ("logistic", {"C": 0.0}, "positive"),
        ("mixture", {"fraction": 1.5}, "between 0 and 1"),
        ("mixture", {"rest": "none"}, "random or reversed"),
        ("mixture", {"fraction": "abc"}, r"mixture\.fraction = 'abc' .*a number"),
        ("mixture", {"fraction": None}, r"mixture\.fraction = None .*a number"),
        ("mixture", {"fraction": True}, r"mixture\.fraction = True .*a number"),
        ("mixture", {"rest": 1}, r"mixture\.rest = 1 .*a text"),
        ("committee", {"members": "abc"}, r"committee\.members = 'abc' .*a whole number"),
        ("committee", {"members": 3.5}, r"committee\.members = 3\.5 .*a whole number"),
        ("committee", {"members": 10**30}, r"committee\.members = .* 64 bits"),
        ("committee", {"rate": "x"}, r"committee\.rate = 'x' .*a number"),
        ("committee", {"restart": 1}, r"committee\.restart = 1 .*true or false"),
        ("logistic", {"C": [1]}, r"logistic\.C = \[1\] .*a number"),
        ("swap", {"direction": ["min"]}, r"swap\.direction = .*a text"),
    ],
)
def test_bad_names_and_parameters(name: str, parameters: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        make_registered(name, parameters)


def test_a_whole_number_will_do_for_a_float() -> None:
    assert make_registered("logistic", {"C": 3}) == make_registered("logistic", {"C": 3.0})


@pytest.mark.parametrize("name", ["perceptron", "committee"])
def test_a_student_that_gives_up_says_what_to_set(name: str) -> None:
    with pytest.raises(ConvergenceError, match="after 1 epochs; set the strategy's epochs to 10") as caught:
        run(PROBLEM, make_registered(name, {"epochs": 1}), budget=BUDGET, batch_size=4, seed=0)
    told = int(caught.value.hint.split()[-1])
    for _ in range(3):
        with suppress(ConvergenceError):
            run(PROBLEM, make_registered(name, {"epochs": told}), budget=BUDGET, batch_size=4, seed=0)
            return
        told *= 10
    pytest.fail("the hint does not help")


@pytest.mark.parametrize("name", ["perceptron", "committee", "logistic"])
def test_classifiers_refuse_real_labels(name: str) -> None:
    model = GLM(channel=Linear(0.1))
    problem = draw_instance(20, 2.0, 0, model)
    with pytest.raises(StrategyError, match=f"{name} needs labels"):
        run(problem, make_registered(name, {}), budget=0.5, batch_size=4, seed=0, model=model)


@pytest.mark.parametrize("name", ["perceptron", "committee"])
def test_students_of_contradicting_labels_say_so(name: str) -> None:
    model = GLM(channel=Flip(0.2))
    problem = draw_instance(20, 5.0, 0, model)
    with pytest.raises(ConvergenceError, match="labels with noise contradict each other"):
        run(problem, make_registered(name, {"epochs": 30}), budget=4.5, batch_size=30, seed=0, model=model)
