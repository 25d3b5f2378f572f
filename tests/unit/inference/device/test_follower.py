"""A posterior that follows its rows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.experiment.device.pool import stored_pool
from gardner.inference import Status, amp
from gardner.inference.device.follower import Follower
from gardner.model import PERCEPTRON, Instance, draw_instance


def _follower(seed: int = 0, tolerance: float = 1e-6) -> tuple[Follower, Instance]:
    problem = draw_instance(80, 3.0, seed)
    pool = stored_pool(problem)
    return Follower(pool.rows, pool.labels, PERCEPTRON, tolerance=tolerance), problem


def test_it_is_the_posterior_of_the_rows() -> None:
    follower, problem = _follower()
    order = np.random.default_rng(0).permutation(240)
    for count in (20, 30, 60):
        follower.label(order, count)
        found = follower.posterior()
        known = amp(problem.rows[order[:count]], problem.labels[order[:count]], variances="scalar")
        assert found.status is Status.CONVERGED
        assert found.log_volume == pytest.approx(known.log_volume, abs=1e-6)
    mean, variance = follower.fields(60, 240)
    np.testing.assert_allclose(mean, problem.rows[order[60:]] @ np.asarray(known.mean), atol=1e-5)
    again, same, labels = follower.fields_of(order[60:])
    np.testing.assert_array_equal(again, mean)
    np.testing.assert_array_equal(same, variance)
    np.testing.assert_array_equal(labels, problem.labels[order[60:]])


def test_a_warm_start_saves_iterations_and_a_fresh_one_does_not() -> None:
    follower, _ = _follower(tolerance=1e-4)
    order = np.arange(240)
    follower.label(order, 60)
    follower.posterior()
    follower.label(order, 61)
    warm = follower.posterior().iterations
    assert warm < follower.posterior(fresh=True).iterations


def test_following_says_what_was_reached() -> None:
    follower, _ = _follower()
    follower.label(np.arange(240), 60)
    found = follower.posterior(most=2)
    assert (found.iterations, found.status) == (2, Status.UNCONVERGED)
    assert math.isnan(found.log_evidence)


def test_the_kernel_is_refused_where_there_is_no_gpu() -> None:
    pool = stored_pool(draw_instance(20, 2.0, 0))
    with pytest.raises(InvalidInputError, match="needs rows on a GPU"):
        Follower(pool.rows, pool.labels, PERCEPTRON, tolerance=1e-5, twin="kernel")
