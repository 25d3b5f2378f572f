"""A run of a rule: densities are conserved, and rounds add up."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.model import GLM, PERCEPTRON, parse_channel, parse_prior
from gardner.rules import load_rule
from gardner.theory.formula.pair import pair_of
from gardner.theory.learning_curves.grid import Grid
from gardner.theory.learning_curves.rounds import batches, evolve


@pytest.mark.parametrize("rule", ["agnostic", "posterior-committee", "target-margin", "pruning"])
@pytest.mark.parametrize("model", [PERCEPTRON, GLM(parse_prior("laplace"), parse_channel("flip:0.1"))])
def test_pool_and_labelled_rows_sum_to_a_normal_density(rule: str, model: GLM) -> None:
    """p + ℓ = αN(0, Q): all rows together do not know who was chosen."""
    grid = Grid(model.prior.second_moment, 1024)
    for state in evolve(pair_of(model), 3.0, batches(load_rule(rule, {}), 1.5, 0.25), 1024):
        Q = model.prior.second_moment - state.solved.V
        np.testing.assert_allclose(state.there.pool + state.there.labelled, 3.0 * grid.normal(Q), rtol=0.0, atol=1e-12)
        assert state.there.labelled.sum() == pytest.approx(state.budget, abs=1e-12)
        assert min(state.there.pool.min(), state.there.labelled.min()) > -1e-15


def test_short_steps_keep_masses_positive_and_variances_right() -> None:
    grid = Grid(1.0, 1024)
    block = np.where(np.abs(grid.omega) < 0.5, 1.0, 0.0)
    block /= block.sum()
    for cells in (0.1, 1.0, 3.0, 30.0):
        spread = grid.spread(grid.waves(block), (cells * grid.width) ** 2)
        assert spread.min() > -1e-15
        gained = float((spread - block) @ grid.omega**2)
        assert gained == pytest.approx((cells * grid.width) ** 2, rel=1e-9)


@pytest.mark.parametrize(("budget", "batch_ratio", "count"), [(2.0, 0.01, 200), (1.0, 0.3, 4), (1.0, 1.0, 1)])
def test_rounds_add_up(budget: float, batch_ratio: float, count: int) -> None:
    plan = batches(load_rule("agnostic", {}), budget, batch_ratio)
    assert len(plan) == count
    assert plan[-1].budget == budget
    assert sum(batch.size for batch in plan) == pytest.approx(budget, abs=1e-12)
    assert all(0.0 < batch.size <= batch_ratio + 1e-12 for batch in plan)
    assert plan[0].rule.blind
