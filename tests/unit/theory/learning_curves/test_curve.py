"""Learning curves of rules: check values, limits, and identities that hold for every rule."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gardner.errors import GardnerError, InvalidInputError
from gardner.model import GLM, PERCEPTRON, Channel, parse_channel, parse_prior
from gardner.model.arrays import Floats
from gardner.rules import Rule, RuleError, load_rule
from gardner.rules.known import PartlyRandom, PosteriorCommittee, Pruning, TargetMargin
from gardner.theory import LearningCurve, LearningPoint, learning_curve, pool, typical

LN2 = math.log(2.0)


def model_of(prior: str, channel: str) -> GLM:
    return GLM(parse_prior(prior), parse_channel(channel))


@functools.cache
def greedy() -> LearningCurve:
    return learning_curve("agnostic", pool_ratio=3.0, budget=2.0, batch_ratio=0.01)


def at(points: Sequence[LearningPoint], budget: float) -> LearningPoint:
    return min(points, key=lambda point: abs(point.budget - budget))


@pytest.mark.parametrize(
    ("budget", "log_volume", "overlap"),
    [(0.6, -0.415202, 0.350390), (1.2, -0.830219, 0.621823), (1.8, -1.221366, 0.795643), (2.0, -1.301807, 0.823596)],
)
def test_check_values(budget: float, log_volume: float, overlap: float) -> None:
    """An independent computation, α = 3, κ = 0.01, least certain first."""
    point = at(greedy().points, budget)
    assert point.budget == pytest.approx(budget, abs=1e-12)
    assert point.log_volume == pytest.approx(log_volume, abs=3e-6)
    assert point.overlap == pytest.approx(overlap, abs=3e-6)
    assert point.status == "solved"


def test_errors_come_with_every_point() -> None:
    curve = greedy()
    assert len(curve.points) == 200
    assert all(point.discretisation_error < 1e-5 and point.residual < 1e-9 for point in curve.points)
    finer = learning_curve("agnostic", pool_ratio=3.0, budget=0.6, batch_ratio=0.02, cells=8192)
    coarse = learning_curve("agnostic", pool_ratio=3.0, budget=0.6, batch_ratio=0.02, cells=1024)
    gaps = [abs(a.log_volume - b.log_volume) for a, b in zip(finer.points, coarse.points, strict=True)]
    assert max(gaps) < 1.5 * coarse.discretisation_error


def test_price_of_batches() -> None:
    """κ = 0.25 at n = 0.5 is 0.0132 above one bit a label, as simulated."""
    curve = learning_curve("agnostic", pool_ratio=3.0, budget=0.5, batch_ratio=0.25)
    assert curve.points[-1].log_volume + 0.5 * LN2 == pytest.approx(0.0132, abs=5e-5)


MODELS = [
    ("gaussian", "sign"),
    ("gaussian:2", "flip:0.05"),
    ("gaussian", "probit:0.1"),
    ("gauss-bernoulli:0.3", "sign"),
]


@pytest.mark.parametrize(("prior", "channel"), [*MODELS, ("gaussian", "logistic:3"), ("gaussian", "linear:0.1")])
def test_random_is_typical(prior: str, channel: str) -> None:
    model = model_of(prior, channel)
    curve = learning_curve("random", model, pool_ratio=3.0, budget=1.5, batch_ratio=0.25)
    for point in curve.points:
        known = typical(model, budget=point.budget)
        for name in ("log_volume", "information", "overlap", "accuracy", "gibbs_accuracy"):
            assert getattr(point, name) == pytest.approx(getattr(known, name), abs=1e-7), name


@pytest.mark.parametrize("rule", ["agnostic", "posterior-committee", "target-margin", "partly-random"])
@pytest.mark.parametrize(("prior", "channel"), MODELS)
def test_the_whole_pool_is_the_pool(rule: str, prior: str, channel: str) -> None:
    model = model_of(prior, channel)
    whole = pool(model, pool_ratio=1.5)
    for batch_ratio in (1.5, 0.5):  # at once; and in rounds, which end with all rows labelled
        point = learning_curve(rule, model, pool_ratio=1.5, budget=1.5, batch_ratio=batch_ratio).points[-1]
        assert point.log_volume == pytest.approx(whole.log_volume, abs=1e-7)
        assert point.overlap == pytest.approx(whole.overlap, abs=1e-7)


@pytest.mark.parametrize("rule", [PartlyRandom(1.0), PosteriorCommittee(1)])
def test_rules_that_are_random(rule: Rule) -> None:
    point = learning_curve(rule, pool_ratio=3.0, budget=1.0, batch_ratio=0.25).points[-1]
    assert point.log_volume == pytest.approx(-0.5964413, abs=1e-7)


@pytest.mark.parametrize("rule", [PartlyRandom(0.0), TargetMargin(0.0)])
def test_rules_that_are_agnostic(rule: Rule) -> None:
    ours, known = (learning_curve(one, pool_ratio=3.0, budget=1.0, batch_ratio=0.1) for one in (rule, "agnostic"))
    assert ours.points[-1].log_volume == pytest.approx(known.points[-1].log_volume, abs=1e-9)


def test_a_large_committee_is_agnostic() -> None:
    limit = learning_curve("agnostic", pool_ratio=3.0, budget=1.0, batch_ratio=0.1).points[-1].log_volume
    gaps = [
        learning_curve(PosteriorCommittee(K), pool_ratio=3.0, budget=1.0, batch_ratio=0.1).points[-1].log_volume - limit
        for K in (1, 5, 25, 125, 625)
    ]
    assert all(here > there > 0.0 for here, there in itertools.pairwise(gaps))
    assert gaps[-1] < 1e-3 < 0.05 < gaps[0]


def test_linear_labels_give_the_random_curve() -> None:
    curves = [
        learning_curve(rule, model_of("gaussian", "linear:0.1"), pool_ratio=3.0, budget=1.0, batch_ratio=0.25)
        for rule in ("agnostic", "random")
    ]
    assert curves[0].points == curves[1].points


@settings(max_examples=15, deadline=None)
@given(
    alpha=st.floats(0.5, 8.0),
    share=st.floats(0.1, 1.0),
    rounds=st.integers(2, 8),
    rule=st.sampled_from(["agnostic", "posterior-committee", "random", "target-margin", "partly-random"]),
    channel=st.sampled_from(["sign", "flip:0.1", "probit:0.2"]),
)
def test_no_rule_halves_more_than_once_a_label(
    alpha: float, share: float, rounds: int, rule: str, channel: str
) -> None:
    budget = share * alpha
    model = model_of("gaussian", channel)
    curve = learning_curve(rule, model, pool_ratio=alpha, budget=budget, batch_ratio=budget / rounds, cells=1024)
    whole = pool(model, pool_ratio=alpha).log_volume
    for point in curve.points:
        slack = 1e-9 + 2.0 * point.discretisation_error
        assert point.log_volume >= max(-point.budget * LN2, whole) - slack
        assert sum(point.left) == pytest.approx(alpha - point.budget, abs=1e-9)
        assert point.bits_per_label <= 1.0 + slack * rounds / (budget * LN2)
        assert 0.5 <= point.gibbs_accuracy <= point.accuracy <= 1.0


def test_information_is_less_than_evidence_where_there_is_noise() -> None:
    point = learning_curve(
        "agnostic", model_of("gaussian", "flip:0.1"), pool_ratio=3.0, budget=1.0, batch_ratio=0.1
    ).points[-1]
    noise = -0.1 * math.log(0.1) - 0.9 * math.log(0.9)
    assert point.information == pytest.approx(-point.log_volume - noise, abs=1e-9)


@pytest.mark.parametrize("rule", ["agnostic", "target-margin"])
def test_small_rounds_cost_the_entropy_of_their_labels(rule: str) -> None:
    """d ln v/dn = −(mean entropy of the labels asked for) for κ → 0, and the more so the smaller κ
    is.
    """
    gaps = []
    for batch_ratio in (0.04, 0.01):
        curve = learning_curve(rule, pool_ratio=3.0, budget=1.0, batch_ratio=batch_ratio, tolerance=1e-4)
        gaps.append(max(abs(point.bits_per_label - point.asked_bits) for point in curve.points[1:]))
    assert gaps[1] < 0.4 * gaps[0]
    assert gaps[1] < 0.01


def test_the_limit_of_small_rounds() -> None:
    curve = learning_curve("agnostic", pool_ratio=3.0, budget=0.5, batch_ratio=0.0)
    small = learning_curve("agnostic", pool_ratio=3.0, budget=0.5, batch_ratio=0.005).points[-1]
    last = curve.points[-1]
    assert last.budget == 0.5
    assert curve.batch_ratio == 0.0
    assert curve.discretisation_error < 1e-5
    # before the bend every label is fully open: exactly one bit each
    assert all(abs(point.log_volume + point.budget * LN2) < 1e-5 for point in curve.points)
    assert 1e-4 < small.log_volume - last.log_volume < 1e-3


def test_first_order_jump_of_binary_weights() -> None:
    """Random labels: the posterior jumps at n = 1.249 [gyorgyi1990], message passing at n = 1.49."""
    curve = learning_curve("random", model_of("rademacher", "sign"), pool_ratio=3.0, budget=1.6, batch_ratio=0.1)
    told = {round(point.budget, 3): point for point in curve.points}
    assert [told[n].status for n in (1.2, 1.3, 1.4, 1.5, 1.6)] == ["solved", "jumped", "jumped", "known", "known"]
    for n in (1.2, 1.3, 1.4, 1.5):
        branches = typical(model_of("rademacher", "sign"), budget=n).branches
        assert told[n].posterior_log_volume == pytest.approx(branches[0].log_volume, abs=1e-7)
        below = min(branches, key=lambda one: one.overlap)
        assert told[n].log_volume == pytest.approx(below.log_volume, abs=1e-7)
    assert told[1.5].accuracy == 1.0


def test_pruning_keeps_hard_rows_for_good_and_easy_ones_for_bad() -> None:
    hard, easy = (
        learning_curve(Pruning(0.5, keep), pool_ratio=3.0, budget=1.0, batch_ratio=0.25).points
        for keep in ("hard", "easy")
    )
    assert [point.budget for point in hard] == [0.25, 0.5, 1.0]
    assert hard[1].log_volume == pytest.approx(typical(budget=0.5).log_volume, abs=1e-7)
    assert hard[-1].log_volume < typical(budget=1.0).log_volume - 0.01 < easy[-1].log_volume - 0.02


class Mine(Rule):
    """A rule of one's own: the posterior committee of one, as a score that is nearly flat."""

    def __init__(self, value: float) -> None:
        self.value = value

    def score(self, mean: Floats, variance: Floats, channel: Channel) -> Floats:
        del variance, channel
        return np.full_like(mean, self.value)


def test_ties_are_broken_at_random() -> None:
    point = learning_curve(Mine(-math.inf), pool_ratio=3.0, budget=1.0, batch_ratio=0.25).points[-1]
    assert point.log_volume == pytest.approx(-0.5964413, abs=1e-7)


def test_nan_scores_are_refused() -> None:
    with pytest.raises(RuleError, match="scores of Mine are NaN"):
        learning_curve(Mine(math.nan), pool_ratio=3.0, budget=1.0, batch_ratio=0.25)


QUESTION = {"pool_ratio": 3.0, "budget": 1.0, "batch_ratio": 0.1}


@pytest.mark.parametrize(
    ("rule", "change", "says"),
    [
        ("agnostic", {"batch_ratio": 1.5}, "more labels than the budget"),
        ("agnostic", {"batch_ratio": -0.1}, "must be positive"),
        ("agnostic", {"batch_ratio": math.nan}, "must be finite"),
        ("agnostic", {"batch_ratio": 1e-9}, "rounds"),
        ("agnostic", {"budget": 3.5}, "no more than 3 labels"),
        ("agnostic", {"tolerance": 0.0}, "must be positive"),
        ("agnostic", {"cells": 1001}, "multiple of 4"),
        ("committee", {}, "one of agnostic"),
        ("agnostik", {}, "did you mean agnostic"),
        (3, {}, "name of one"),
        (Pruning(2.0), {}, "fewer than the budget"),
        (Pruning(0.1), {"labelled": 0.05}, "random part of its own"),
        ("agnostic", {"labelled": -0.1}, "not be negative"),
        ("agnostic", {"labelled": 5.0}, "fewer than the budget"),
        ("agnostic", {"model": model_of("gaussian", "absolute")}, "even channel"),
        ("agnostic", {"teacher": model_of("gaussian", "flip:0.1")}, "knows the teacher's model"),
        (
            "posterior-committee",
            {"model": model_of("gaussian", "linear:0.1"), "batch_ratio": 0.0, "budget": -1.0},
            "pos",
        ),
    ],
)
def test_refusals_are_one_line(rule: Rule, change: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidInputError, match=says) as caught:
        learning_curve(rule, **{"model": PERCEPTRON, **QUESTION, **change})  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, GardnerError)


def test_a_curve_goes_on_from_random_labels() -> None:
    """The first point is a random subset; a first round of that size is the same thing."""
    begun = learning_curve("agnostic", pool_ratio=3.0, budget=0.6, batch_ratio=0.1, labelled=0.2)
    assert [point.budget for point in begun.points] == pytest.approx([0.2, 0.3, 0.4, 0.5, 0.6])
    assert begun.points[0].log_volume == pytest.approx(typical(budget=0.2).log_volume, abs=2e-5)
    assert begun.points[-1].accuracy > typical(budget=0.6).accuracy
    same = learning_curve("agnostic", pool_ratio=3.0, budget=0.2 + 0.2, batch_ratio=0.2)
    whole = learning_curve("agnostic", pool_ratio=3.0, budget=0.4, batch_ratio=0.2, labelled=0.2)
    assert whole.points[-1].log_volume == pytest.approx(same.points[-1].log_volume, abs=1e-9)
    assert LearningCurve.from_json(begun.to_json()) == begun


def test_json_and_frame() -> None:
    curve = learning_curve(
        load_rule("posterior-committee", {"members": 3}), pool_ratio=3.0, budget=1.0, batch_ratio=0.1
    )
    record = curve.to_json()
    assert record["rule"] == "posterior-committee"
    assert record["parameters"] == {"members": 3}
    assert LearningCurve.from_json(record) == curve
    frame = curve.to_frame()
    assert len(frame) == 10
    assert frame["log_volume"].tolist() == [point.log_volume for point in curve.points]
    np.testing.assert_allclose(frame[[f"left_{k}" for k in range(10)]].sum(axis=1), 3.0 - frame["budget"], atol=1e-9)
