"""What labels are worth: derivatives against differences, and the argument that greedy is optimal,
step by step.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.model import GLM, PERCEPTRON, parse_channel, parse_prior
from gardner.model.arrays import Floats
from gardner.rules import Rule, load_rule
from gardner.rules.known import Agnostic, PartlyRandom, PosteriorCommittee, Random, TargetMargin
from gardner.theory import label_value, learning_curve
from gardner.theory.formula.pair import Pair
from gardner.theory.inputs import check_pair
from gardner.theory.learning_curves.adjoint import BackwardRound, Costate, RoundValue
from gardner.theory.learning_curves.choice import take
from gardner.theory.learning_curves.curve import Question
from gardner.theory.learning_curves.evolution import Labelled, first_solution, label_entropies
from gardner.theory.learning_curves.grid import Grid
from gardner.theory.learning_curves.rounds import Batch, State, batches, evolve
from gardner.theory.learning_curves.value import Objective, values_of

CELLS = 1024
BIT = math.log(2.0)


def model_of(prior: str, channel: str) -> GLM:
    return GLM(parse_prior(prior), parse_channel(channel))


def rerun(pair: Pair, plan: list[Batch], states: list[State], index: int, moved: Floats) -> tuple[float, float]:
    """Information and V at the end if one round asks for other rows; without noise information is
    −ln v.
    """
    grid = Grid(pair.student.prior.second_moment, CELLS)
    before = states[index - 1]
    pool, labelled, V, volume = before.there.pool, before.there.labelled, before.solved.V, 0.0
    for batch in plan[index:]:
        taken = take(batch.rule, pool, grid, V, pair.student.channel, batch.size).masses + moved
        rows = Labelled(pair, grid, grid.waves(labelled + taken), V)
        solved = first_solution(rows)
        pool = grid.spread(grid.waves(pool - taken), V - solved.V)
        labelled, V, volume = rows.spread(math.log(V / solved.V)), solved.V, solved.log_volume
        moved = np.zeros_like(moved)
    return -volume, V


@pytest.mark.parametrize(
    ("rule", "parameters", "prior"),
    [
        ("agnostic", {}, "gaussian"),
        ("agnostic", {}, "gauss-bernoulli:0.3"),
        ("random", {}, "gaussian"),
        ("posterior-committee", {"members": 5}, "gaussian:2"),
        ("partly-random", {"share": 0.3}, "gaussian"),
        ("target-margin", {"margin": 0.4}, "gaussian"),
        ("pruning", {"first": 0.8}, "gaussian"),
    ],
)
def test_the_adjoint_is_the_derivative(rule: str, parameters: dict[str, object], prior: str) -> None:
    """Rows moved from one field to another in one round, the rule going on: against differences of
    whole runs.
    """
    model = model_of(prior, "sign")
    pair, made = check_pair(model, None), load_rule(rule, parameters)
    plan = batches(made, 1.6, 0.2)
    states = list(evolve(pair, 3.0, plan, CELLS))
    asked = Question.checked(made, model, pool_ratio=3.0, budget=1.6, batch_ratio=0.2, tolerance=1e-5, cells=CELLS)
    grid = Grid(model.prior.second_moment, CELLS)
    V, step = states[-1].solved.V, 1e-5
    by_variance = -_slope_of_accuracy(model, V)
    for index in (1, len(plan) - 2, len(plan) - 1):
        start, end = CELLS // 2 + 1, CELLS // 2 + int(0.5 * math.sqrt(model.prior.second_moment) / grid.width)
        moved = np.zeros(CELLS)
        moved[start], moved[end] = -step, step
        up, down = (rerun(pair, plan, states, index, sign * moved) for sign in (1.0, -1.0))
        objectives: tuple[tuple[Objective, float, float], ...] = (
            ("information", up[0] - down[0], 1.0 / BIT),
            ("accuracy", up[1] - down[1], by_variance),
        )
        for objective, change, unit in objectives:
            one = values_of(asked, plan, objective, CELLS)[index - 1]
            found = one.value[one.mean == grid.omega[end]] - one.value[one.mean == grid.omega[start]]
            assert float(found[0]) == pytest.approx(unit * change / (2.0 * step), rel=2e-4, abs=1e-7)


def _slope_of_accuracy(model: GLM, V: float) -> float:
    """−d accuracy/dV, accuracy = 1 − arccos(√(Q/ρ))/π of a sign."""
    r0 = model.prior.second_moment
    return 0.5 / (math.pi * math.sqrt(V * (r0 - V)))


def backward(pair: Pair, plan: list[Batch], states: list[State]) -> list[tuple[RoundValue, float]]:
    """All rounds of a plan with their Λ, for ln v with its sign turned."""
    grid = Grid(pair.student.prior.second_moment, states[0].there.pool.size)
    told = label_entropies(pair, grid.omega, states[-1].solved.V)
    costate, found = Costate(np.zeros_like(told), told, 0.0), list[tuple[RoundValue, float]]()
    for index in range(len(plan) - 1, 0, -1):
        here = BackwardRound(pair, grid, plan[index].rule, plan[index].size, states[index - 1], states[index])
        slope = here.by_variance(costate) if found else 0.0
        found.append((here.back(costate, slope), slope))
        costate = found[-1][0].before
    return found[::-1]


def test_the_argument_step_by_step() -> None:
    """Λ = ½ A'(b)(p(b) + p(−b)) ≤ 0 for what is to be large; and λ_ℓ − λ_p = min(A, μ) before a
    greedy round.
    """
    pair, cells = check_pair(PERCEPTRON, None), 8192
    plan = batches(Agnostic(), 1.8, 0.1)
    states = list(evolve(pair, 3.0, plan, cells))
    grid = Grid(1.0, cells)
    rounds = backward(pair, plan, states)
    for index, ((_, slope), (later, _)) in enumerate(pairwise(rounds), start=1):
        edge = int(np.flatnonzero(later.share > 0.5)[-1])
        steep = (later.value[edge + 2] - later.value[edge - 1]) / (3.0 * grid.width)
        at_edge = 0.5 * (states[index].there.pool[edge] + states[index].there.pool[edge + 1]) / grid.width
        assert slope == pytest.approx(steep * at_edge, rel=0.05)
        assert slope < 0.0
        difference = later.before.labelled - later.before.pool
        whole = (later.share < 1e-9) | (later.share > 1.0 - 1e-9)
        assert difference[whole] == pytest.approx(np.minimum(later.value, later.marginal)[whole], abs=1e-12)


@pytest.mark.parametrize("objective", ["information", "accuracy"])
@pytest.mark.parametrize("channel", ["sign", "flip:0.05", "probit:0.1", "logistic:3"])
def test_greedy_takes_the_best_rows(channel: str, objective: Objective) -> None:
    """In every round, before and after the bend, rows are worth less the larger |ω|."""
    places = ((1.5, 1.2), (3.0, 1.0), (3.0, 2.5), (10.0, 3.5))
    for alpha, budget in places if channel == "sign" else places[2:3]:
        found = label_value(
            "agnostic",
            model_of("gaussian", channel),
            pool_ratio=alpha,
            budget=budget,
            batch_ratio=budget / 10.0,
            objective=objective,
            cells=CELLS,
        )
        assert found.monotone
        assert found.best_move < 1e-9


@pytest.mark.parametrize("channel", ["sign", "flip:0.05", "flip:0.3", "probit:0.1", "probit:2", "logistic:3"])
def test_what_a_label_tells_falls_with_the_margin(channel: str) -> None:
    """What the argument needs of a channel: I(y; h) and Σ_y e^ψ g² fall with |ω|, at every V."""
    law = parse_channel(channel)
    for V in (1.0, 0.3, 0.03):
        omega = np.linspace(0.0, 5.0, 201) * math.sqrt(V)
        variances = np.full_like(omega, V)
        told = sum(np.exp(psi) * g**2 for psi, g, _ in (law.slopes(y, omega, variances) for y in law.labels))
        information = np.asarray(law.information(omega, variances))
        for falls in (np.asarray(told), information):
            assert np.all(np.diff(falls) <= 1e-12 * falls[0])


@pytest.mark.parametrize("seed", range(4))
def test_greedy_goes_on_best_from_wherever_it_starts(seed: int) -> None:
    """Some rounds of arbitrary rules, then greedy: its rounds and the last arbitrary one see rows
    in its order.
    """
    rng = np.random.default_rng(seed)
    others: list[Rule] = [
        Random(),
        TargetMargin(float(rng.uniform(0.0, 2.0))),
        PosteriorCommittee(int(rng.integers(2, 9))),
        PartlyRandom(float(rng.uniform(0.0, 1.0))),
    ]
    alpha, switch = float(rng.uniform(1.0, 6.0)), int(rng.integers(2, 7))
    budget = float(rng.uniform(0.5, 0.95)) * alpha
    plan = [
        one._replace(rule=others[int(rng.integers(4))] if index <= switch else Agnostic())
        for index, one in enumerate(batches(Agnostic(), budget, budget / 9.0))
    ]
    asked = Question.checked(
        "agnostic", PERCEPTRON, pool_ratio=alpha, budget=budget, batch_ratio=budget / 9.0, tolerance=1e-5, cells=CELLS
    )
    for objective in ("information", "accuracy"):
        assert all(one.monotone for one in values_of(asked, plan, objective, CELLS)[switch - 1 :])


def test_rules_that_can_be_improved() -> None:
    """Negative control: other rules do not take the best rows."""
    for rule in (Random(), TargetMargin(0.5), PosteriorCommittee(5), PartlyRandom(0.5)):
        found = label_value(rule, pool_ratio=3.0, budget=1.5, batch_ratio=0.25, cells=CELLS)
        assert found.best_move > 0.05


def test_a_small_share_at_random_costs_what_the_values_say() -> None:
    share = 1e-3
    greedy, spoilt = (
        learning_curve(rule, pool_ratio=3.0, budget=1.6, batch_ratio=0.2, cells=8192).points[-1]
        for rule in ("agnostic", PartlyRandom(share))
    )
    values = label_value("agnostic", pool_ratio=3.0, budget=1.6, batch_ratio=0.2, cells=8192)
    lost = 0.0
    for one in values.rounds:  # share·κ rows leave the threshold, and come from all that are left
        left = one.pool * (1.0 - one.share)
        lost += 0.2 * share * (one.marginal - float(one.value @ left) / float(left.sum()))
    assert (greedy.information - spoilt.information) / BIT == pytest.approx(lost, rel=0.02)


def test_errors_come_with_every_round() -> None:
    fine, coarse = (
        label_value("agnostic", pool_ratio=3.0, budget=1.0, batch_ratio=0.2, cells=cells) for cells in (8192, 1024)
    )
    assert 0.0 < fine.error < coarse.error < 0.02
    assert fine.status == "solved"
    rough = label_value("agnostic", pool_ratio=10.0, budget=3.5, batch_ratio=0.5, cells=256)
    assert rough.status == "imprecise"
    for one, other in zip(fine.rounds, coarse.rounds, strict=True):
        assert np.interp(other.mean, one.mean, one.value) == pytest.approx(other.value, abs=3.0 * coarse.error)
    frame = fine.to_frame()
    assert set(frame["budget"]) == {one.budget for one in fine.rounds}
    assert frame["share"].between(0.0, 1.0 + 1e-9).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"objective": "luck"}, "objective"),
        ({"batch_ratio": 0.0}, "batch_ratio"),
        ({"batch_ratio": 1.0}, "batch_ratio"),
        ({"model": model_of("gaussian", "linear:0.1")}, "linear"),
        ({"model": model_of("rademacher", "sign"), "budget": 2.0}, "known"),
    ],
)
def test_what_is_refused(change: dict[str, object], words: str) -> None:
    asked: dict[str, object] = {"pool_ratio": 3.0, "budget": 1.0, "batch_ratio": 0.2, "cells": CELLS, **change}
    with pytest.raises(InvalidInputError, match=words):
        label_value("agnostic", **asked)  # type: ignore[arg-type]
