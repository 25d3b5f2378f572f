"""The ends of the curves: reference values, order relations, limits, and the questions asked
backwards.
"""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gardner import InvalidInputError, bounds, bounds_sweep, budget_for, learning_curve, pool, typical
from gardner.model import PERCEPTRON
from gardner.theory.curve.ends import EndStatus, Side

# computed independently of this code, α = 3: n, ln v min, β, m, q, Q, ln v max, β, m
REFERENCE = [
    (0.3, -0.510001, -5.248, 0.34074, 0.15604, 0.27328, -0.0988886, 74.24, 0.09298),
    (0.6, -0.9625826, -12.793, 0.633324, 0.497257, 0.525962, -0.1755032, 71.82, 0.162123),
]


@pytest.mark.parametrize(("n", "low", "low_beta", "m", "q", "Q", "high", "high_beta", "high_m"), REFERENCE)
def test_reference_ends(
    n: float, low: float, low_beta: float, m: float, q: float, Q: float, high: float, high_beta: float, high_m: float
) -> None:
    result = bounds(pool_ratio=3.0, budget=n)
    least, most = result.minimum.point, result.maximum.point
    assert least is not None
    assert most is not None
    assert least.log_volume == pytest.approx(low, abs=1e-6)
    assert least.beta == pytest.approx(low_beta, rel=1e-4)
    assert (least.m, least.q, least.Q) == pytest.approx((m, q, Q), abs=1e-5)
    assert most.log_volume == pytest.approx(high, abs=1e-6)
    assert most.beta == pytest.approx(high_beta, rel=1e-4)
    assert most.m == pytest.approx(high_m, abs=1e-5)
    assert result.minimum.status is EndStatus.ZERO
    assert result.maximum.status is EndStatus.ZERO
    assert result.minimum.bracket is None
    assert result.residual < 1e-9
    assert result.quadrature_error < 1e-10


@given(alpha=st.floats(math.log(0.5), math.log(1000.0)).map(math.exp), fraction=st.floats(0.005, 0.995))
@settings(max_examples=8)
def test_every_bound_is_resolved_and_ordered(alpha: float, fraction: float) -> None:
    budget = max(0.01, alpha * fraction)
    result = bounds(pool_ratio=alpha, budget=budget)
    whole = pool(pool_ratio=alpha).log_volume
    low, high = result.minimum, result.maximum
    assert low.status is not EndStatus.UNRESOLVED
    assert high.status is not EndStatus.UNRESOLVED
    assert whole - 1e-9 <= low.log_volume <= result.typical.log_volume <= high.log_volume < 0.0
    assert result.halving == max(-budget * math.log(2.0), whole)
    for end in (low, high):
        assert end.point is not None
        assert end.point.r == pytest.approx(1.0, abs=1e-9)
        assert end.point.residual < 1e-6
        assert end.point.quadrature_error < 1e-6
        assert math.isfinite(end.point.stability)
        if end.bracket is not None:
            assert 0.0 <= end.bracket[1] - end.bracket[0] < 1e-5


@pytest.mark.parametrize(
    ("alpha", "budget"),
    [
        (1000.0, 859.0),
        (308.02, 303.8),
        (519.12, 510.19),
        (100.0, 1.0),
        (1000.0, 5.0),
        (84.05, 0.8255),
        (2.0, 0.01),
        (3.0, 0.03),
        (800.0, 792.0),
    ],
)
def test_corners_where_earlier_versions_failed(alpha: float, budget: float) -> None:
    """Folds, edges V + βD → 0, slivers of uncertain labels: each of these was once unresolved or
    wrong.
    """
    result = bounds(pool_ratio=alpha, budget=budget)
    assert result.minimum.status is not EndStatus.UNRESOLVED, result.minimum.reason
    assert result.maximum.status is not EndStatus.UNRESOLVED, result.maximum.reason
    assert result.quadrature_error < 1e-7
    assert result.pool.log_volume - 1e-9 <= result.minimum.log_volume <= result.typical.log_volume
    assert result.typical.log_volume <= result.maximum.log_volume < 0.0


def test_volumes_fall_with_the_budget() -> None:
    results = bounds_sweep(PERCEPTRON, pool_ratio=3.0, budgets=[0.2, 0.5, 0.9, 1.4, 2.0, 2.6, 2.95])
    for quantity in (
        [result.minimum.log_volume for result in results],
        [result.typical.log_volume for result in results],
        [result.maximum.log_volume for result in results],
    ):
        assert quantity == sorted(quantity, reverse=True)


@given(alpha=st.floats(math.log(0.5), math.log(300.0)).map(math.exp), fraction=st.floats(0.01, 0.9))
@settings(max_examples=6)
def test_more_labels_never_hurt(alpha: float, fraction: float) -> None:
    """All three volumes fall with n; on walls, where the minimum stands still, to the width of the
    brackets.
    """
    fewer, more = (bounds(pool_ratio=alpha, budget=alpha * f) for f in (fraction, 1.1 * fraction))
    assert more.minimum.log_volume <= fewer.minimum.log_volume + 1e-8
    assert more.typical.log_volume < fewer.typical.log_volume
    assert more.maximum.log_volume < fewer.maximum.log_volume


@given(alpha=st.floats(math.log(0.5), math.log(100.0)).map(math.exp), missing=st.floats(1e-5, 1e-3))
@settings(max_examples=5)
def test_the_whole_pool_is_a_limit(alpha: float, missing: float) -> None:
    """As n → α the three volumes close in on the pool's."""
    near = bounds(pool_ratio=alpha, budget=alpha * (1.0 - missing))
    further = bounds(pool_ratio=alpha, budget=alpha * (1.0 - 10.0 * missing))
    width, wider = (b.maximum.log_volume - b.minimum.log_volume for b in (near, further))
    assert 0.0 < width < 0.4 * wider
    assert near.minimum.log_volume - 1e-9 <= near.typical.log_volume <= near.maximum.log_volume


@pytest.mark.parametrize("alpha", [0.5, 3.0, 100.0])
def test_all_volumes_meet_at_the_whole_pool(alpha: float) -> None:
    whole = pool(pool_ratio=alpha).log_volume
    near = bounds(pool_ratio=alpha, budget=0.9999 * alpha)
    assert near.minimum.log_volume == pytest.approx(whole, abs=1e-3)
    assert near.maximum.log_volume == pytest.approx(whole, abs=0.05)
    exact = bounds(pool_ratio=alpha, budget=alpha)
    assert {exact.minimum.log_volume, exact.typical.log_volume, exact.maximum.log_volume} == {whole}


def test_frame_has_a_row_for_each_bound() -> None:
    frame = bounds(pool_ratio=3.0, budget=0.6).to_frame()
    assert list(frame["bound"]) == ["minimum", "typical", "maximum", "halving", "pool"]
    assert frame["log_volume"].iloc[:3].is_monotonic_increasing
    assert list(frame["status"]) == ["zero", "solved", "zero", "bound", "solved"]


@pytest.mark.parametrize(
    ("alpha", "budget"),
    [(0.0, 1.0), (-1.0, 1.0), (3.0, 0.0), (3.0, 3.1), (math.nan, 1.0), (1e9, 1.0), (3.0, 1e-300)],
)
def test_bad_input(alpha: float, budget: float) -> None:
    with pytest.raises(InvalidInputError):
        bounds(pool_ratio=alpha, budget=budget)


def test_budget_for_a_volume_is_the_inverse_of_the_bounds() -> None:
    answer = budget_for(pool_ratio=3.0, log_volume=-1.0)
    assert answer.best is not None
    assert answer.random is not None
    assert bounds(pool_ratio=3.0, budget=answer.best).minimum.log_volume == pytest.approx(-1.0, abs=1e-7)
    assert typical(budget=answer.random).log_volume == pytest.approx(-1.0, abs=1e-8)
    assert answer.agnostic is not None
    assert answer.agnostic_floor is not None
    assert answer.agnostic_floor == pytest.approx(1.0 / math.log(2.0))
    assert answer.best < answer.agnostic_floor < answer.agnostic < answer.random
    curve = learning_curve("agnostic", pool_ratio=3.0, budget=answer.agnostic, batch_ratio=0.0)
    assert curve.points[-1].log_volume == pytest.approx(-1.0, abs=2e-5)
    assert answer.agnostic_status == "solved"
    assert answer.errors["agnostic"] < 1e-4


def test_budget_for_an_accuracy() -> None:
    answer = budget_for(pool_ratio=3.0, accuracy=0.8)
    assert answer.best is not None
    assert answer.agnostic is not None
    assert answer.agnostic_floor is not None
    assert answer.random is not None
    end = bounds(pool_ratio=3.0, budget=answer.best).minimum.point
    assert end is not None
    assert end.accuracy == pytest.approx(0.8, abs=1e-7)
    curve = learning_curve("agnostic", pool_ratio=3.0, budget=answer.agnostic, batch_ratio=0.0)
    assert curve.points[-1].accuracy == pytest.approx(0.8, abs=1e-5)
    assert answer.agnostic_floor < answer.agnostic < answer.random
    assert typical(budget=answer.random).accuracy == pytest.approx(0.8, abs=1e-8)


def test_agnostic_answer_in_rounds() -> None:
    """Larger rounds cost more; at the budget found, a run of such rounds is where it should be."""
    answers = [budget_for(pool_ratio=3.0, log_volume=-0.8, batch_ratio=kappa).agnostic for kappa in (0.0, 0.1, 0.4)]
    budgets = [answer for answer in answers if answer is not None]
    assert len(budgets) == 3
    assert all(here < there for here, there in itertools.pairwise(budgets))
    for budget, kappa in zip(budgets[1:], (0.1, 0.4), strict=True):
        last = learning_curve("agnostic", pool_ratio=3.0, budget=budget, batch_ratio=kappa).points[-1]
        assert last.log_volume == pytest.approx(-0.8, abs=1e-5)


@pytest.mark.slow
def test_agnostic_answer_near_the_whole_pool() -> None:
    answer = budget_for(pool_ratio=3.0, log_volume=-1.3557)
    assert answer.agnostic is not None
    assert answer.best is not None
    assert answer.random is not None
    assert answer.best < answer.agnostic < answer.random <= 3.0


@pytest.mark.parametrize(
    ("batch_ratio", "says"), [(-0.1, "must be positive"), (3.5, "the pool has"), (math.nan, "fin")]
)
def test_bad_rounds_of_a_budget(batch_ratio: float, says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        budget_for(pool_ratio=3.0, log_volume=-1.0, batch_ratio=batch_ratio)


def test_goals_at_the_edges() -> None:
    """What the whole pool reaches costs the whole pool; a tiny goal still has its floor."""
    whole = pool(pool_ratio=1000.0)
    for answer in (
        budget_for(pool_ratio=1000.0, log_volume=whole.log_volume),
        budget_for(pool_ratio=1000.0, accuracy=whole.accuracy),
    ):
        assert (answer.best, answer.agnostic, answer.random) == (1000.0, 1000.0, 1000.0)
    tiny = budget_for(pool_ratio=3.0, log_volume=-1e-5)
    assert tiny.best is None
    assert tiny.agnostic_floor == pytest.approx(1e-5 / math.log(2.0))
    assert tiny.agnostic == pytest.approx(1e-5 / math.log(2.0), rel=1e-3)
    assert tiny.notes


def test_answers_carry_their_proof() -> None:
    point = budget_for(pool_ratio=3.0, log_volume=-1.0).best_point
    assert point is not None
    assert point.log_volume == pytest.approx(-1.0, abs=1e-7)
    assert point.residual < 1e-7
    assert point.quadrature_error < 1e-9
    assert point.stability > 0.0


def test_unreachable_goals_say_which_pool_would_do() -> None:
    answer = budget_for(pool_ratio=3.0, accuracy=0.99)
    assert answer.best is None
    assert answer.random is None
    assert "44.13" in answer.notes[0]


@pytest.mark.parametrize(
    "goal",
    [
        {},
        {"log_volume": -1.0, "accuracy": 0.7},
        {"log_volume": 0.5},
        {"log_volume": -1e-9},
        {"accuracy": 0.4},
        {"accuracy": 0.50001},
        {"accuracy": math.nan},
    ],
)
def test_bad_goals(goal: dict[str, float]) -> None:
    with pytest.raises(InvalidInputError):
        budget_for(PERCEPTRON, pool_ratio=3.0, log_volume=goal.get("log_volume"), accuracy=goal.get("accuracy"))


def test_progress_is_told() -> None:
    told: list[float] = []
    bounds_sweep(PERCEPTRON, pool_ratio=3.0, budgets=[0.3, 0.6], progress=told.append)
    assert told == [0.5, 1.0]


def test_sides_have_signs() -> None:
    assert (Side.MIN.sign, Side.MAX.sign) == (-1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.5, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0])
@pytest.mark.parametrize("fraction", [0.005, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.985, 0.99, 0.995])
def test_the_whole_range(alpha: float, fraction: float) -> None:
    """Every α from 0.5 to 1000 and n/α from 0.005 to 0.995 is answered, resolved and certified."""
    result = bounds(pool_ratio=alpha, budget=max(0.01, alpha * fraction))
    assert result.minimum.status is not EndStatus.UNRESOLVED, result.minimum.reason
    assert result.maximum.status is not EndStatus.UNRESOLVED, result.maximum.reason
    assert result.pool.log_volume - 1e-9 <= result.minimum.log_volume <= result.typical.log_volume
    assert result.typical.log_volume <= result.maximum.log_volume < 0.0
    assert result.quadrature_error < 1e-6
    assert result.residual < 1e-6
