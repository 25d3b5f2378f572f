"""Expectation propagation against volumes that are known exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.linalg
import scipy.stats
from numpy.typing import NDArray
from tests.known_rows import equicorrelated, rotation

from gardner.inference.ep import expectation_propagation

Floats = NDArray[np.float64]


def log_evidence(rows: Floats, labels: Floats | None = None) -> float:
    """ln Z by EP, settled (doubtful where rows repeat); the labels are +1 unless given."""
    posterior = expectation_propagation(rows, np.ones(rows.shape[0]) if labels is None else labels)
    assert posterior.settled
    return posterior.log_evidence


def wedge(degrees: float) -> Floats:
    """Two rows at an angle θ: the wedge between them has Z = (π − θ)/(2π)."""
    theta = math.radians(degrees)
    return np.array([[1.0, 0.0], [math.cos(theta), math.sin(theta)]])


@pytest.mark.parametrize("row", [[1.0], [-3.0, 4.0], [1e-3, 2.0, 1e3, 0.0]])
@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_one_row_halves_the_volume(row: list[float], label: float) -> None:
    posterior = expectation_propagation([row], [label])
    assert posterior.converged
    assert posterior.log_evidence == pytest.approx(-math.log(2.0), rel=1e-12)
    unit = label * np.array(row) / np.linalg.norm(row)
    np.testing.assert_allclose(posterior.mean, math.sqrt(2.0 / math.pi) * unit, atol=1e-9)
    assert posterior.covariance is not None
    np.testing.assert_allclose(posterior.covariance, np.eye(len(row)) - 2.0 / math.pi * np.outer(unit, unit), atol=1e-9)


@pytest.mark.parametrize(("count", "features"), [(2, 2), (10, 10), (10, 25), (100, 100)])
@pytest.mark.parametrize("dense", [False, True])
def test_each_orthogonal_row_halves_the_volume(count: int, features: int, dense: bool) -> None:
    rows = np.eye(features)[:count] @ (rotation(features, seed=0) if dense else np.eye(features))
    labels = np.random.default_rng(0).choice([-1.0, 1.0], count)
    assert log_evidence(rows, labels) == pytest.approx(-count * math.log(2.0), rel=1e-9)


@pytest.mark.parametrize("degrees", [30, 45, 60, 75, 90, 105, 120, 135, 150])
def test_two_rows_at_an_angle(degrees: float) -> None:
    assert log_evidence(wedge(degrees)) == pytest.approx(math.log((180.0 - degrees) / 360.0), rel=0.03)


@pytest.mark.parametrize(
    ("degrees", "difference"),
    [(0.0, -0.1224), (1.0, -0.1169), (5.0, -0.0968), (175.0, 0.0043), (179.0, 0.0044), (179.99, 0.0044)],
)
def test_the_known_error_of_two_rows(degrees: float, difference: float) -> None:
    """ln Z_EP − ln Z: repeated rows are taken for partly independent, thin wedges do little harm."""
    exact = math.log((180.0 - degrees) / 360.0)
    assert log_evidence(wedge(degrees)) - exact == pytest.approx(difference, abs=1e-4)


def test_wedges_in_independent_planes_multiply() -> None:
    rows = scipy.linalg.block_diag(*[wedge(degrees) for degrees in (40, 70, 110, 140)])
    expected = sum(log_evidence(wedge(degrees)) for degrees in (40, 70, 110, 140))
    assert log_evidence(rows) == pytest.approx(expected, rel=1e-9)
    assert log_evidence(rows @ rotation(8, seed=1)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("count", [2, 3, 5, 10, 20, 50])
def test_equicorrelated_orthant(count: int) -> None:
    assert log_evidence(equicorrelated(count, 0.5)) == pytest.approx(-math.log(count + 1.0), rel=0.03)


@pytest.mark.parametrize("correlation", [-0.45, -0.3, 0.0, 0.3, 0.6])
def test_orthant_of_three(correlation: float) -> None:
    exact = math.log(1.0 / 8.0 + 3.0 * math.asin(correlation) / (4.0 * math.pi))
    assert log_evidence(equicorrelated(3, correlation)) == pytest.approx(exact, rel=0.03)


def test_one_feature_converges_however_many_rows_repeat() -> None:
    """All sites share one direction and overshoot together: the step must shrink by itself."""
    for count in (2, 20, 500):
        posterior = expectation_propagation(np.linspace(1.0, 2.0, count)[:, None], np.ones(count))
        assert posterior.settled
        assert -1.5 < posterior.log_evidence < -math.log(2.0)
        assert float(posterior.mean[0]) > 0.0


def test_no_rows_leave_the_prior() -> None:
    posterior = expectation_propagation(np.zeros((0, 4)), np.zeros(0))
    assert posterior.converged
    assert (posterior.log_evidence, posterior.iterations) == (0.0, 0)
    assert posterior.covariance is not None
    np.testing.assert_array_equal(posterior.covariance, np.eye(4))
    np.testing.assert_array_equal(posterior.mean, np.zeros(4))


def test_a_fit_that_is_not_judged_is_the_same_fit() -> None:
    rows = np.random.default_rng(0).standard_normal((20, 4))
    labels = np.where(rows[:, 0] > 0.0, 1.0, -1.0)
    judged, plain = (expectation_propagation(rows, labels, judge=judge) for judge in (True, False))
    assert plain.log_evidence == judged.log_evidence
    assert np.array_equal(np.asarray(plain.mean), np.asarray(judged.mean))
    assert plain.settled
