"""AMP beyond the perceptron: both twins, regression in closed form, and answers that are honest
where it fails.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.errors import GardnerError, InvalidInputError
from gardner.inference import Start, amp
from gardner.model import (
    CHANNELS,
    GLM,
    Absolute,
    Flip,
    Gaussian,
    Laplace,
    Linear,
    Rademacher,
    draw_instance,
    parse_channel,
)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("variances", ["vector", "scalar"])
def test_kernel_is_the_readable_pass(channel: str, variances: str) -> None:
    model = GLM(Gaussian(1.5), parse_channel(channel))
    problem = draw_instance(60, 1.5, 0, model)
    start = Start(0.5 * problem.teacher, np.full(60, 0.7), np.zeros(90))
    one, two = (
        amp(problem.rows, problem.labels, model, start=start, variances=variances, twin=twin, max_iterations=3)  # type: ignore[arg-type]
        for twin in ("kernel", "readable")
    )
    for name in ("mean", "variance", "omega", "V", "g"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-9, atol=1e-11)
    assert one.log_evidence == pytest.approx(two.log_evidence, rel=1e-9)


def test_regression_is_ridge_regression() -> None:
    model = GLM(Gaussian(2.0), Linear(0.1))
    problem = draw_instance(400, 1.5, 0, model)
    posterior = amp(problem.rows, problem.labels, model).checked()
    ridge = np.linalg.solve(
        problem.rows.T @ problem.rows / 0.1 + np.eye(400) / 2.0, problem.rows.T @ problem.labels / 0.1
    )
    kernel = 2.0 * problem.rows @ problem.rows.T + 0.1 * np.eye(600)
    sign, log_determinant = np.linalg.slogdet(2.0 * math.pi * kernel)
    evidence = -0.5 * log_determinant - 0.5 * problem.labels @ np.linalg.solve(kernel, problem.labels)
    assert sign == 1.0
    assert np.sqrt(np.mean((posterior.mean - ridge) ** 2)) < 1e-6
    assert posterior.log_volume == pytest.approx(evidence / 400, abs=0.01)
    mean, variance = posterior.predict(problem.rows[:5])
    np.testing.assert_allclose(mean, problem.rows[:5] @ posterior.mean)
    assert np.all(variance > 0.1)
    with pytest.raises(GardnerError, match="real numbers"):
        posterior.predict_proba(problem.rows[:5])


def test_real_labels_must_be_finite() -> None:
    with pytest.raises(InvalidInputError, match=r"labels\[1\].*finite"):
        amp(np.eye(2), np.array([0.5, np.nan]), GLM(Gaussian(), Linear()))
    with pytest.raises(InvalidInputError, match="a label must be -1 or"):
        amp(np.eye(2), np.array([0.5, 1.0]), GLM(Gaussian(), Flip()))


def test_the_prior_is_a_fixed_point_of_the_absolute_value() -> None:
    model = GLM(Gaussian(), Absolute(0.1))
    problem = draw_instance(200, 0.3, 0, model)  # with many more rows, rounding is enough to leave it
    posterior = amp(problem.rows, problem.labels, model)
    assert posterior.converged
    np.testing.assert_allclose(posterior.mean, 0.0, atol=1e-9)
    assert np.ptp(posterior.variance) > 0.0


def test_a_run_that_breaks_says_so() -> None:
    """Negative control: contradicting labels without noise give weights ±1 no posterior, and AMP
    does not pretend.
    """
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((900, 100)) / 10.0
    posterior = amp(rows, np.where(rng.random(900) < 0.5, -1.0, 1.0), GLM(Rademacher()))
    assert not posterior.converged
    noisy = amp(rows, np.where(rng.random(900) < 0.5, -1.0, 1.0), GLM(Laplace(), Flip(0.3)))
    assert noisy.converged
