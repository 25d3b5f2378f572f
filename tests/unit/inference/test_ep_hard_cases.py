"""Expectation propagation where it is hard: thin cones, deep surprises, contradictions, too little
time.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from gardner.errors import ConvergenceError
from gardner.inference import Status, ep
from gardner.inference.ep import expectation_propagation
from gardner.inference.separable import Separation, VersionSpace
from gardner.model import draw_instance

Floats = NDArray[np.float64]


@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-6])
def test_thin_cones_converge(width: float) -> None:
    """Every row nearly at right angles to the teacher; the normal equations alone lose all digits
    at 1e-6.

    Stretching space along the teacher maps one width to another: ln v per constraint direction
    falls as ln(width).
    """
    rng = np.random.default_rng(7)
    teacher = rng.standard_normal(20)
    teacher /= np.linalg.norm(teacher)
    rows = rng.standard_normal((300, 20))
    rows -= np.outer((1.0 - width) * (rows @ teacher), teacher)
    posterior = expectation_propagation(rows, np.sign(rows @ teacher))
    assert posterior.converged
    wide = expectation_propagation(rows + np.outer(9.0 * (rows @ teacher), teacher), posterior.labels)
    assert posterior.log_evidence - wide.log_evidence == pytest.approx(-19.0 * math.log(10.0), rel=0.02)


def test_contradictions_leave_nothing() -> None:
    posterior = expectation_propagation([[1.0, 0.0], [2.0, 0.0]], [1.0, -1.0])
    assert posterior.status is Status.EMPTY
    assert posterior.log_evidence == -math.inf
    assert posterior.covariance is not None
    for array in (posterior.mean, posterior.variance, posterior.covariance, posterior.omega, posterior.V, posterior.g):
        np.testing.assert_array_equal(array, np.zeros_like(array))
    with pytest.raises(ConvergenceError, match="no weights"):
        posterior.checked()


def test_random_labels_leave_nothing() -> None:
    rng = np.random.default_rng(8)
    posterior = expectation_propagation(rng.standard_normal((60, 10)), rng.choice([-1.0, 1.0], 60))
    assert (posterior.status, posterior.log_evidence) == (Status.EMPTY, -math.inf)


def test_an_open_question_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ep, "separate", lambda *_: Separation(VersionSpace.UNDECIDED))
    instance = draw_instance(10, 2.0, seed=9)
    assert expectation_propagation(instance.rows, instance.labels).status is Status.UNDECIDED
    short = expectation_propagation(instance.rows, instance.labels, max_iterations=1)
    assert short.status is Status.UNCONVERGED


def test_too_few_iterations_are_reported() -> None:
    instance = draw_instance(20, 3.0, seed=10)
    posterior = expectation_propagation(instance.rows, instance.labels, max_iterations=3)
    assert posterior.status is Status.UNCONVERGED
    assert posterior.iterations == 3
    assert posterior.residual > 1e-8
    with pytest.raises(ConvergenceError):
        posterior.checked()


def test_a_tolerance_out_of_reach_is_reported() -> None:
    instance = draw_instance(5, 2.0, seed=10)
    posterior = expectation_propagation(instance.rows, instance.labels, tolerance=1e-30, max_iterations=60)
    assert posterior.status is Status.UNCONVERGED
    assert posterior.residual < 1e-12


def test_damping_changes_the_way_not_the_end() -> None:
    instance = draw_instance(20, 3.0, seed=11)
    free = expectation_propagation(instance.rows, instance.labels)
    damped = expectation_propagation(instance.rows, instance.labels, damping=0.5)
    assert damped.converged
    assert damped.damping >= 0.5
    assert damped.iterations > free.iterations
    assert damped.log_evidence == pytest.approx(free.log_evidence, rel=1e-9)


def test_progress_ends_at_one() -> None:
    seen: list[float] = []
    instance = draw_instance(20, 3.0, seed=11)
    expectation_propagation(instance.rows, instance.labels, progress=seen.append)
    assert seen[0] == 0.0
    assert seen[-1] == 1.0
    assert all(0.0 <= fraction <= 1.0 for fraction in seen)
