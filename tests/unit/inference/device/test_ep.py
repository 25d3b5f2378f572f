"""Expectation propagation on any array library is the one of the CPU."""

from __future__ import annotations

from typing import Any

import array_api_strict
import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.inference import expectation_propagation
from gardner.inference.device.ep import ROUGH, expectation_propagation_on
from gardner.model import GLM, PERCEPTRON, Gaussian, Linear, Logistic, Probit, Rademacher, Spectrum, draw_instance

MODELS = [GLM(Gaussian(), Probit(0.1)), GLM(Gaussian(2.0), Logistic()), GLM(Gaussian(0.5), Linear(0.3))]


def _table(model: GLM) -> tuple[Any, Any]:
    """Correlated rows, as those of a table are."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(120, 4)) @ rng.normal(size=(4, 15)) / 4.0 + 0.2 * rng.normal(size=(120, 15))
    return rows, model.channel.sample(rows @ model.prior.sample(15, rng), rng)


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("library", ["numpy", "strict"])
def test_same_posterior(model: GLM, library: str) -> None:
    rows, labels = _table(model)
    known = expectation_propagation(rows, labels, model, judge=False)
    wrap: Any = np.asarray if library == "numpy" else array_api_strict.asarray
    found = expectation_propagation_on(wrap(rows), wrap(labels), model)
    assert found.converged
    assert found.log_evidence == pytest.approx(known.log_evidence, abs=1e-6)
    np.testing.assert_allclose(np.asarray(found.mean), np.asarray(known.mean), atol=1e-7)
    np.testing.assert_allclose(np.asarray(found.covariance), np.asarray(known.covariance), atol=1e-7)


def test_single_precision_alone_is_rough_and_says_how_far_it_came() -> None:
    rows, labels = _table(MODELS[0])
    rough = expectation_propagation_on(rows, labels, MODELS[0], refine=False)
    fine = expectation_propagation_on(rows, labels, MODELS[0])
    assert rough.mean.dtype == np.float32
    assert 1e-8 < rough.residual <= ROUGH
    assert fine.residual <= 1e-8
    assert rough.log_evidence == pytest.approx(fine.log_evidence, abs=0.05)


def test_a_prior_is_asked_what_it_is_and_not_for_its_name() -> None:
    rows, labels = _table(MODELS[0])
    named = expectation_propagation_on(rows, labels, GLM(Gaussian(0.5), Probit(0.1)))
    listed = expectation_propagation_on(rows, labels, GLM(Spectrum([0.5] * 15), Probit(0.1)))
    np.testing.assert_array_equal(listed.mean, named.mean)
    assert listed.log_evidence == named.log_evidence


def test_a_variance_a_column() -> None:
    problem = draw_instance(features=15, pool_ratio=2.0, seed=0)
    with pytest.raises(InvalidInputError, match="15 columns"):
        expectation_propagation_on(problem.rows, problem.labels, GLM(Spectrum([0.5] * 3), Probit(0.1)))


def test_what_it_does_not_serve() -> None:
    for model in (PERCEPTRON, GLM(Rademacher(), Probit(0.1)), GLM(Spectrum([1.0, 2.0]), Probit(0.1))):
        with pytest.raises(InvalidInputError, match="log-concave channels with noise"):
            expectation_propagation_on(np.eye(2), np.ones(2), model)
