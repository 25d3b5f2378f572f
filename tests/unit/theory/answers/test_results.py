"""A result knows its question, and goes to JSON and back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from gardner import bounds, budget_for, complexity_curve, typical
from gardner.errors import InvalidInputError
from gardner.model import GLM, PERCEPTRON, Flip, Gaussian, Laplace, Linear, Probit, Rademacher, Sign
from gardner.theory import Bounds, BudgetAnswer, Curve, EndStatus, Typical


def there_and_back(record: object) -> Any:
    """Through text, as a file would hold it; NaN is no JSON."""
    return json.loads(json.dumps(record, allow_nan=False))


@pytest.mark.parametrize(
    ("student", "teacher", "pool_ratio", "budget"),
    [
        (PERCEPTRON, None, 3.0, 0.6),
        (PERCEPTRON, None, 3.0, 3.0),  # the whole pool: no β
        (GLM(Rademacher(), Sign()), None, 3.0, 0.9),  # frozen
        (GLM(Laplace(), Sign()), None, 3.0, 0.6),  # condensed
        (GLM(Gaussian(), Probit(0.1)), GLM(Gaussian(), Flip(0.05)), 3.0, 0.6),  # no capacity
        (GLM(Gaussian(), Linear(0.1)), None, 3.0, 0.6),  # real labels
    ],
)
def test_bounds_go_there_and_back(student: GLM, teacher: GLM | None, pool_ratio: float, budget: float) -> None:
    result = bounds(student, pool_ratio=pool_ratio, budget=budget, teacher=teacher)
    record = result.to_json()
    again = Bounds.from_json(there_and_back(record))
    assert again.to_json() == record
    assert again.problem == result.problem
    assert again.problem.pair.student == student
    assert again.problem.pair.teacher == (teacher or student)
    assert again.to_frame().equals(result.to_frame())


@pytest.fixture(scope="module")
def broken() -> Bounds:
    """Bounds with one step of replica symmetry breaking, of a question whose ends take a second
    each.
    """
    return bounds(pool_ratio=1.0, budget=0.1, rsb=1)


def test_ends_with_one_step_of_breaking_go_there_and_back(broken: Bounds) -> None:
    record: Any = broken.to_json()
    assert Bounds.from_json(there_and_back(record)) == broken
    assert list(record["log_volume"])[-2:] == ["minimum_1rsb", "maximum_1rsb"]
    for name, sign in (("minimum", 1.0), ("maximum", -1.0)):
        end, point = broken.broken[name], record["one_step"][name]["point"]
        assert record["log_volume"][f"{name}_1rsb"] == end.log_volume
        assert sign * (end.log_volume - record["log_volume"][name]) > 10.0 * end.error
        assert record["one_step"][name]["resolved"]
        assert 0.0 < point["breaking_point"] < 1.0
        assert point["residual"] < 1e-7
        assert point["quadrature_error"] < 1e-7
        assert point["stability"] > 1.0
    frame = broken.to_frame().set_index("bound")
    assert frame.index.tolist()[-2:] == ["minimum_1rsb", "maximum_1rsb"]
    assert frame.loc["minimum_1rsb", "log_volume"] == broken.broken["minimum"].log_volume
    assert frame.loc["maximum_1rsb", "status"] == "zero"


def test_without_breaking_nothing_is_added() -> None:
    result = bounds(pool_ratio=3.0, budget=0.6)
    assert result.broken == {}
    assert "one_step" not in result.to_json()
    assert list(result.to_frame()["bound"]) == ["minimum", "typical", "maximum", "halving", "pool"]


def test_the_whole_pool_has_nothing_to_break() -> None:
    result = bounds(pool_ratio=3.0, budget=3.0, rsb=1)
    assert {end.status.value for end in result.broken.values()} == {"symmetric"}
    assert result.broken["minimum"].log_volume == result.pool.log_volume
    again = Bounds.from_json(there_and_back(result.to_json()))
    assert again.to_json() == result.to_json()


@pytest.mark.parametrize("rsb", [2, -1, True, 0.5])
def test_other_steps_of_breaking_are_refused(rsb: Any) -> None:
    with pytest.raises(InvalidInputError, match="rsb"):
        bounds(pool_ratio=3.0, budget=0.6, rsb=rsb)
    with pytest.raises(InvalidInputError, match="rsb"):
        complexity_curve(pool_ratio=3.0, budget=0.6, rsb=rsb)


@pytest.mark.slow
def test_a_curve_with_one_step_goes_there_and_back(broken: Bounds) -> None:
    result = complexity_curve(pool_ratio=1.0, budget=0.1, points=5, rsb=1)
    assert Curve.from_json(there_and_back(result.to_json())) == result
    assert result.broken == broken.broken
    frame = result.to_frame()
    assert set(frame["branch"]) == {"symmetric", "one step"}
    assert (frame["branch"] == "symmetric").sum() == 5
    corrected = frame[frame["branch"] == "one step"]
    assert corrected["log_volume"].min() == broken.broken["minimum"].log_volume


def test_what_an_unresolved_end_is_worth_is_decided_once() -> None:
    result = bounds(pool_ratio=3.0, budget=0.6)
    lost = replace(result, minimum=replace(result.minimum, status=EndStatus.UNRESOLVED, reason="lost"))
    assert lost.minimum.log_volume != lost.minimum.log_volume
    assert lost.minimum.stability != lost.minimum.stability
    assert lost.minimum.reached == result.minimum.log_volume
    record: Any = lost.to_json()
    assert record["log_volume"]["minimum"] is None
    assert record["reached"]["minimum"] == result.minimum.log_volume
    frame = lost.to_frame().set_index("bound")
    assert frame["log_volume"].isna().to_dict() == {
        "minimum": True,
        "typical": False,
        "maximum": False,
        "halving": False,
        "pool": False,
    }
    assert Bounds.from_json(there_and_back(record)).to_json() == record


def test_a_random_subset_knows_its_models() -> None:
    result = typical(GLM(Gaussian(), Flip(0.1)), budget=1.0, teacher=GLM(Gaussian(), Flip(0.05)))
    assert (result.student.channel, result.teacher.channel) == (Flip(0.1), Flip(0.05))
    assert Typical.from_json(there_and_back(result.to_json())).to_json() == result.to_json()
    before: Any = result.to_json()
    before["norm"] = before.pop("squared_norm")  # its name until the frames were made alike
    assert Typical.from_json(before).squared_norm == result.squared_norm
    row = result.to_frame().iloc[0]
    assert (row["channel"], row["teacher_channel"], row["budget"]) == ("flip:0.1", "flip:0.05", 1.0)


def test_a_curve_goes_there_and_back() -> None:
    result = complexity_curve(pool_ratio=3.0, budget=0.6, points=5)
    again = Curve.from_json(there_and_back(result.to_json()))
    assert again == result
    assert (again.pool_ratio, again.budget) == (3.0, 0.6)
    assert set(again.ends) == {"minimum", "maximum"}


@pytest.mark.parametrize(
    ("student", "budget", "status"),
    [
        (PERCEPTRON, 0.6, "zero"),
        (PERCEPTRON, 2.7, "bracketed"),
        (GLM(Rademacher(), Sign()), 0.9, "frozen"),
        (GLM(Rademacher(), Sign()), 2.0, "frozen"),  # a random subset determines the weights
    ],
)
def test_a_curve_ends_as_bounds_do(student: GLM, budget: float, status: str) -> None:
    curve = complexity_curve(student, pool_ratio=3.0, budget=budget, points=3)
    result = bounds(student, pool_ratio=3.0, budget=budget)
    assert curve.ends["minimum"].status == status
    ends = {name: end.to_json() for name, end in curve.ends.items()}
    assert ends == {"minimum": result.minimum.to_json(), "maximum": result.maximum.to_json()}
    again = Curve.from_json(there_and_back(curve.to_json()))
    assert again.to_json() == curve.to_json()


def test_every_frame_carries_its_question() -> None:
    """Rows of two models, one below the other, can be told apart."""
    student, teacher = GLM(Gaussian(), Probit(0.1)), GLM(Gaussian(), Flip(0.05))
    answers = (
        bounds(student, pool_ratio=3.0, budget=0.6, teacher=teacher),
        complexity_curve(student, pool_ratio=3.0, budget=0.6, points=3, teacher=teacher),
    )
    names = ["prior", "channel", "teacher_prior", "teacher_channel", "pool_ratio", "budget"]
    wanted = ["gaussian", "probit:0.1", "gaussian", "flip:0.05", 3.0, 0.6]
    for answer in answers:
        frame = answer.to_frame()
        assert list(frame.columns[:6]) == names
        assert all(frame.iloc[row][names].tolist() == wanted for row in range(len(frame)))
    asked = budget_for(pool_ratio=3.0, log_volume=-0.5).to_frame()
    assert asked["choice"].tolist() == ["best", "agnostic", "agnostic_floor", "random"]
    assert asked.iloc[3][["prior", "channel", "pool_ratio", "batch_ratio", "log_volume"]].tolist() == [
        "gaussian", "sign", 3.0, 0.0, -0.5,
    ]  # fmt: skip


@pytest.mark.parametrize("goal", [{"log_volume": -0.5}, {"accuracy": 0.8}, {"accuracy": 0.99}])
def test_a_budget_goes_there_and_back(goal: dict[str, Any]) -> None:
    result = budget_for(pool_ratio=3.0, **goal)
    again = BudgetAnswer.from_json(there_and_back(result.to_json()))
    assert again.to_json() == result.to_json()
    assert again.model == PERCEPTRON


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"model": {"prior": "evil.py:X", "channel": "sign"}}, "prior"),
        ({"pool_ratio": -1.0}, "alpha"),
        ({"points": None}, "points"),
        ({"capacity": "much"}, "number or null"),
    ],
)
def test_bad_records_are_refused_in_one_line(change: dict[str, Any], complaint: str) -> None:
    record = {**bounds(pool_ratio=3.0, budget=0.6).to_json(), **change}
    with pytest.raises(InvalidInputError, match=complaint):
        Bounds.from_json(record)


def test_a_missing_key_is_told() -> None:
    record = bounds(pool_ratio=3.0, budget=0.6).to_json()
    del record["status"]
    with pytest.raises(InvalidInputError, match="has no key 'status'"):
        Bounds.from_json(record)
