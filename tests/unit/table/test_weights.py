"""The posterior in the span of the labelled rows is that of all columns."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.inference.ep import expectation_propagation
from gardner.model import GLM, Flip, Gaussian, Probit
from gardner.table.scaling import make_scaling, spread_of
from gardner.table.weights import Design, Span, Weights


@pytest.mark.parametrize("columns", [3, 40])
@pytest.mark.parametrize("model", [GLM(Gaussian(), Probit(0.2)), GLM(Gaussian(2.0), Flip(0.1))])
def test_span_and_columns_agree(columns: int, model: GLM) -> None:
    rng = np.random.default_rng(0)
    table = rng.standard_normal((30, columns))
    labels = np.where(table[:12, 0] + 0.3 * rng.standard_normal(12) > 0.0, 1.0, -1.0)
    scaling = make_scaling("standardised", spread_of(table))
    deviation = np.sqrt(model.prior.second_moment)
    design = Design(scaling, float(deviation), 1.5)
    span = Span.of(scaling.rows(table[:12]))
    found = expectation_propagation(span.rows(1.5 / deviation), labels, model)
    weights = span.weights(found, design.columns)
    rows = design.rows(table)
    whole = expectation_propagation(rows[:12], labels, GLM(Gaussian(), model.channel))
    assert whole.log_evidence == pytest.approx(found.log_evidence, abs=1e-6)
    omega, V, projections = weights.fields(rows)
    covariance = rows @ np.asarray(whole.covariance) @ rows.T
    assert np.allclose(omega, rows @ np.asarray(whole.mean), atol=1e-6)
    assert np.allclose(V, np.diag(covariance), atol=1e-6)
    assert np.allclose(weights.covariance(rows, projections, rows, projections), covariance, atol=1e-6)
    assert np.allclose(rows @ weights.gain(rows[20]), covariance[20], atol=1e-6)
    rough = weights.rough_fields(rows, weights.operator(rows[5:9]))
    for found_roughly, exact in zip(rough, (omega, V, covariance[:, 5:9]), strict=True):
        assert np.allclose(found_roughly, exact, atol=1e-5)


def test_what_is_known_to_many_digits_is_not_lost_in_single_precision() -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((6, 4))
    weights = Weights(np.zeros(4), np.eye(4), np.full(4, 1.0 - 1e-9))
    rough = weights.rough_fields(rows, weights.operator(rows))[1]
    assert np.allclose(rough, 1e-9 * np.sum(rows**2, axis=1), rtol=1e-6)
