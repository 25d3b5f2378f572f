"""The readable iteration over stored rows is that of AMP."""

from __future__ import annotations

import array_api_strict
import numpy as np
import pytest

from gardner.experiment.device.pool import stored_pool
from gardner.inference.device.iteration import PlainIteration
from gardner.inference.message_passing import Start, Variances, cold_start, passage
from gardner.model import GLM, Absolute, Flip, GaussBernoulli, Gaussian, Linear, Probit, Rademacher, draw_instance

MODELS = [
    GLM(Gaussian(), Probit(0.1)),
    GLM(GaussBernoulli(0.3), Flip(0.05)),
    GLM(Rademacher(), Linear(0.1)),
    GLM(Gaussian(), Absolute(0.2)),
]


@pytest.mark.parametrize("variances", ["scalar", "vector"])
@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("library", ["numpy", "strict"])
def test_takes_the_steps_of_amp(model: GLM, variances: Variances, library: str) -> None:
    problem = draw_instance(60, 2.0, 1, model)
    pool = stored_pool(problem, None if library == "numpy" else array_api_strict.zeros(1))
    one = PlainIteration(pool.rows, pool.labels, model, scalar=variances == "scalar")
    order = np.arange(60) if library == "numpy" else array_api_strict.asarray(np.arange(60))
    one.label(order, 40, slice(0, 40))
    state, keep = cold_start(problem.rows[:40], model), 0.3
    for _ in range(4):
        one.advance(keep, 1e-30, 1)
        found = passage(problem.rows[:40], problem.labels[:40], state, model, variances)
        b = found.precision * state.mean + found.force
        mean, variance = model.prior.moments(found.precision, b)
        mine, weights = one.found()
        for got, wanted in ((mine.omega, found.omega), (mine.V, found.V), (mine.g, found.g), (weights.mean, mean)):
            np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=2e-3, atol=2e-4)
        state = Start(mean + keep * (state.mean - mean), variance + keep * (state.variance - variance), found.g)


def test_rows_that_stay_keep_their_messages_and_new_ones_have_none() -> None:
    pool = stored_pool(draw_instance(30, 2.0, 0))
    one = PlainIteration(pool.rows, pool.labels, GLM(Gaussian(), Probit(0.1)))
    order = np.arange(60)
    one.label(order, 10, slice(0, 10))
    one.advance(0.0, 1e-5, 100)
    before = np.array(one.g)
    one.label(order, 12, slice(10, 12))
    np.testing.assert_array_equal(one.g, [*before, 0.0, 0.0])
    order[[3, 20]] = order[[20, 3]]
    one.label(order, 12, np.array([3]))
    assert one.g[3] == 0.0
    assert one.g[4] == before[4]
    one.reset()
    assert not np.asarray(one.g).any()
