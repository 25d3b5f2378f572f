"""Many small subsets at once, on any array library."""

from __future__ import annotations

import array_api_strict
import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.inference import random_subsets, subset_log_volumes
from gardner.inference.device.subsets import stacked_log_volumes
from gardner.model import GLM, PERCEPTRON, Gaussian, Linear, Probit, Rademacher, draw_instance


@pytest.mark.parametrize("model", [PERCEPTRON, GLM(Gaussian(), Linear(0.1)), GLM(Rademacher(), Probit(0.1))], ids=str)
@pytest.mark.parametrize("library", ["numpy", "strict"])
def test_same_as_one_after_the_other(model: GLM, library: str) -> None:
    problem = draw_instance(20, 3.0, 0, model)
    subsets = random_subsets(200, 60, 12, np.random.default_rng(0)).astype(np.int64)
    known = subset_log_volumes(problem.rows, problem.labels, subsets, model)
    parts = (problem.rows, problem.labels, subsets)
    rows, labels, chosen = parts if library == "numpy" else map(array_api_strict.asarray, parts)
    found = stacked_log_volumes(rows, labels, chosen, model, stack=64 * 240)
    both = np.asarray(found.converged) & known.converged
    assert both.mean() > 0.98
    np.testing.assert_allclose(np.asarray(found.log_volume)[both], known.log_volume[both], atol=2e-6)


def test_what_swings_is_damped() -> None:
    problem = draw_instance(8, 20.0, 3)
    subsets = random_subsets(300, 160, 32, np.random.default_rng(1)).astype(np.int64)
    known = subset_log_volumes(problem.rows, problem.labels, subsets)
    found = stacked_log_volumes(problem.rows, problem.labels, subsets)
    assert np.asarray(found.converged).mean() >= known.converged.mean() - 0.01
    both = np.asarray(found.converged) & known.converged
    np.testing.assert_allclose(np.asarray(found.log_volume)[both], known.log_volume[both], atol=1e-4)


def test_what_cannot_be() -> None:
    problem = draw_instance(8, 2.0, 0)
    with pytest.raises(InvalidInputError, match="row indices lie between 0 and 15"):
        stacked_log_volumes(problem.rows, problem.labels, np.array([[16]]))
    with pytest.raises(InvalidInputError, match="whole numbers, one subset a line"):
        stacked_log_volumes(problem.rows, problem.labels, np.array([1, 2]))
    nothing = stacked_log_volumes(problem.rows, problem.labels, np.empty((0, 3), dtype=np.int64))
    assert nothing.log_volume.shape == (0,)
