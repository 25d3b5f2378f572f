"""Weights of several classes in the span of their rows, against those of one class at a time."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.inference.ep import expectation_propagation
from gardner.model import GLM, Gaussian, Probit
from gardner.table.classes.weights import ClassWeights
from gardner.table.weights import Span


@pytest.mark.parametrize(("labelled", "columns"), [(6, 15), (40, 5)])
def test_as_one_class_at_a_time(labelled: int, columns: int) -> None:
    rng = np.random.default_rng(0)
    span = Span.of(rng.standard_normal((labelled, columns)))
    codes = np.arange(labelled) % 3
    posteriors = [
        expectation_propagation(span.rows(1.2), np.where(codes == kind, 1.0, -1.0), GLM(Gaussian(), Probit(0.1)))
        for kind in range(3)
    ]
    weights = ClassWeights.of(span, posteriors, 2.0)
    rows, others = (np.column_stack([rng.standard_normal((7, columns)), np.full(7, 1.2)]) for _ in range(2))
    inner, other_inner = weights.inner(rows), weights.inner(others)
    omega, V = weights.fields(rows, inner)
    covariance = weights.covariance(rows, inner, others, other_inner)
    gain = weights.gain(rows[0])
    for index, posterior in enumerate(posteriors):
        alone = span.weights(posterior, columns + 1)
        mean, variance, projections = alone.fields(rows)
        assert omega[:, index] == pytest.approx(2.0 * mean)
        assert V[:, index] == pytest.approx(variance)
        wanted = alone.covariance(rows, projections, others, alone.fields(others)[2])
        assert covariance[index] == pytest.approx(wanted, abs=1e-9)
        assert gain[index] == pytest.approx(alone.gain(rows[0]), abs=1e-9)
