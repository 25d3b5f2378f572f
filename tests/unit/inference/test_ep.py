"""Expectation propagation against a readable twin, sampling and its own symmetries; other channels;
bad input.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import array_api_strict
import numpy as np
import pytest
import scipy.linalg
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.known_rows import rotation

from gardner import model
from gardner.errors import InvalidInputError
from gardner.inference import Posterior, Status, infer
from gardner.inference.ep import ep_evidence, expectation_propagation
from gardner.model import (
    GLM,
    NUMPY,
    PERCEPTRON,
    Channel,
    Flip,
    Gaussian,
    Library,
    Linear,
    Logistic,
    Prior,
    Sign,
    draw_instance,
)
from gardner.model.arrays import Array

Floats = NDArray[np.float64]


def log_evidence(rows: Floats, labels: Floats | None = None) -> float:
    """ln Z by EP, settled (doubtful where rows repeat); the labels are +1 unless given."""
    posterior = expectation_propagation(rows, np.ones(rows.shape[0]) if labels is None else labels)
    assert posterior.settled
    return posterior.log_evidence


def kernel_twin(rows: Floats, labels: Floats, sweeps: int = 200) -> tuple[float, Floats]:
    """Sequential EP in kernel form, after [rasmussen2006, algorithm 3.5]: ln Z and the means of the
    fields.

    Its evidence is the textbook formula with the site integrals written out.
    """
    K, count, channel = rows @ rows.T, rows.shape[0], Sign()
    tau, nu = np.zeros(count), np.zeros(count)
    for _ in range(sweeps):
        for i in range(count):
            root = np.sqrt(tau)
            B = np.eye(count) + root[:, None] * K * root
            covariance = K - (K * root) @ np.linalg.solve(B, root[:, None] * K)
            a, s = covariance @ nu, np.diag(covariance)
            V = 1.0 / (1.0 / s[i] - tau[i])
            omega = V * (a[i] / s[i] - nu[i])
            g, S = channel.derivatives(labels[i], omega, V)
            tau[i], nu[i] = S / (1.0 - V * S), (g + omega * S) / (1.0 - V * S)
    root = np.sqrt(tau)
    B = np.eye(count) + root[:, None] * K * root
    covariance = K - (K * root) @ np.linalg.solve(B, root[:, None] * K)
    a, s = covariance @ nu, np.diag(covariance)
    V = 1.0 / (1.0 / s - tau)
    omega = V * (a / s - nu)
    L = -0.5 * np.log1p(tau * V) + (nu**2 * V + 2.0 * nu * omega - tau * omega**2) / (2.0 * (1.0 + tau * V))
    psi = channel.log_partition(labels, omega, V)
    return float(np.sum(psi - L) - 0.5 * np.linalg.slogdet(B)[1] + 0.5 * nu @ a), a


# the fixed point


@pytest.mark.parametrize(("features", "ratio"), [(30, 0.5), (30, 1.0), (30, 4.0)])
def test_moments_match_at_the_fixed_point(features: int, ratio: float) -> None:
    """Cavity times true factor has the mean and variance that the posterior gives each field."""
    instance = draw_instance(features, ratio, seed=2)
    posterior = expectation_propagation(instance.rows, instance.labels, tolerance=1e-10)
    a, s = posterior.fields(instance.rows)
    g, S = posterior.model.channel.derivatives(instance.labels, posterior.omega, posterior.V)
    np.testing.assert_allclose(posterior.g, g, rtol=1e-12)
    np.testing.assert_allclose(posterior.omega + posterior.V * g, a, rtol=0, atol=1e-8)
    np.testing.assert_allclose(posterior.V * (1.0 - posterior.V * S), s, rtol=1e-7)
    assert posterior.covariance is not None
    np.testing.assert_allclose(np.diag(posterior.covariance), posterior.variance, rtol=1e-12)
    assert np.all(np.linalg.eigvalsh(posterior.covariance) > 0.0)


@pytest.mark.parametrize(("count", "features"), [(6, 3), (6, 6), (6, 12)])
def test_the_kernel_twin_agrees(count: int, features: int) -> None:
    """Both shapes against the textbook's kernel form, which looks at the rows only through K = F
    Fᵀ.
    """
    rng = np.random.default_rng(count * features)
    rows = rng.standard_normal((count, features))
    labels = np.sign(rows @ rng.standard_normal(features))
    posterior = expectation_propagation(rows, labels, tolerance=1e-13)
    evidence, fields = kernel_twin(rows, labels)
    assert posterior.log_evidence == pytest.approx(evidence, rel=1e-10)
    np.testing.assert_allclose(posterior.fields(rows)[0], fields, rtol=0, atol=1e-9)


def test_columns_of_zeros_change_nothing() -> None:
    """Padding takes a problem from N ≤ M to the span of its rows (M < N)."""
    instance = draw_instance(20, 1.5, seed=3)
    plain = expectation_propagation(instance.rows, instance.labels, tolerance=1e-12)
    padded = expectation_propagation(np.pad(instance.rows, ((0, 0), (0, 15))), instance.labels, tolerance=1e-12)
    assert padded.log_evidence == pytest.approx(plain.log_evidence, rel=1e-11)
    np.testing.assert_allclose(padded.mean, np.pad(plain.mean, (0, 15)), atol=1e-10)
    np.testing.assert_allclose(padded.variance, np.pad(plain.variance, (0, 15), constant_values=1.0), atol=1e-10)
    np.testing.assert_allclose(padded.omega, plain.omega, atol=1e-9)
    assert padded.covariance is not None
    assert plain.covariance is not None
    np.testing.assert_allclose(padded.covariance[:20, :20], plain.covariance, atol=1e-10)


@pytest.mark.parametrize(("orthogonal", "bias"), [(True, 0.0), (False, 0.1)])
def test_sampling_agrees(orthogonal: bool, bias: float) -> None:
    """Throw away prior samples with a wrong label, N = 3: all that is left of the error in general
    is EP's own bias.
    """
    rng = np.random.default_rng(4)
    rows = rotation(3, seed=4)[:2] if orthogonal else rng.standard_normal((5, 3))
    labels = np.sign(rows @ rng.standard_normal(3))
    samples = rng.standard_normal((400_000, 3))
    kept = samples[np.all(samples @ rows.T * labels > 0.0, axis=1)]
    posterior = expectation_propagation(rows, labels)
    tolerance = bias + 5.0 / math.sqrt(kept.shape[0])
    np.testing.assert_allclose(posterior.mean, np.mean(kept, axis=0), atol=tolerance)
    assert posterior.covariance is not None
    np.testing.assert_allclose(posterior.covariance, np.cov(kept.T), atol=tolerance)
    assert posterior.log_evidence == pytest.approx(math.log(kept.shape[0] / 400_000), abs=tolerance)


def test_random_rows_have_the_typical_volume() -> None:
    """The replica method's ln v at two labels a weight, N → ∞ [opper1991]; tolerance from the
    scatter of the runs.
    """
    runs = [draw_instance(60, 2.0, seed) for seed in range(40)]
    values = np.array([log_evidence(run.rows, run.labels) / 60 for run in runs])
    error = float(np.std(values)) / math.sqrt(values.size)
    assert error < 0.03
    assert float(np.mean(values)) == pytest.approx(-1.0310382, abs=3.0 * error)


# symmetries


@given(seed=st.integers(0, 10_000), features=st.integers(1, 6), count=st.integers(1, 9))
def test_symmetries_leave_the_volume_alone(seed: int, features: int, count: int) -> None:
    """Order of rows, signs of (row, label) pairs, orthogonal maps and, for signs, the length of
    rows.
    """
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((count, features))
    labels = np.where(rows @ rng.standard_normal(features) > 0.0, 1.0, -1.0)
    value = log_evidence(rows, labels)
    order, flips = rng.permutation(count), rng.choice([-1.0, 1.0], count)
    scale = 10.0 ** rng.uniform(-3.0, 3.0, (count, 1))
    assert log_evidence(rows[order], labels[order]) == pytest.approx(value, rel=1e-7)
    assert log_evidence(rows * flips[:, None], labels * flips) == pytest.approx(value, rel=1e-7)
    assert log_evidence(rows @ rotation(features, seed), labels) == pytest.approx(value, rel=1e-7)
    assert log_evidence(rows * scale, labels) == pytest.approx(value, rel=1e-7)


def test_the_precision_and_library_of_rows_do_not_matter() -> None:
    instance = draw_instance(10, 3.0, seed=6, dtype=np.float32)
    single = expectation_propagation(instance.rows, instance.labels)
    double = expectation_propagation(instance.rows.astype(np.float64), instance.labels.astype(int))
    strict = expectation_propagation(array_api_strict.asarray(instance.rows), array_api_strict.asarray(instance.labels))
    assert single.mean.dtype == np.float64
    assert single.log_evidence == double.log_evidence == strict.log_evidence


# other channels


@dataclass(frozen=True)
class Probit(Sign):
    """Labels of a field with Gaussian noise: ψ_Y = ln Φ(yω/√(V+Δ)); no label is impossible."""

    noise: float = 1.0

    @property
    def noiseless(self) -> bool:
        return False

    def log_partition(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> Array:
        return Sign.log_partition(self, y, omega, V + self.noise, library)

    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        return Sign.derivatives(self, y, omega, V + self.noise, library)


class Repelling(Probit):
    """P ∝ e^{ch²/2}, c = 0.3: one label leaves a posterior, three of one row do not."""

    def derivatives(self, y: Array, omega: Array, V: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        del y, library
        return 0.3 * omega / (1.0 - 0.3 * V), -0.3 / (1.0 - 0.3 * V)


@pytest.mark.parametrize("noise", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("labels", [(1.0, 1.0), (1.0, -1.0)])
def test_noisy_labels_of_one_row(noise: float, labels: tuple[float, float]) -> None:
    """The noisy fields of two unit rows correlate by 1/(1+Δ): an orthant of two, also where labels
    contradict.
    """
    posterior = expectation_propagation([[1.0], [1.0]], labels, GLM(Gaussian(), Probit(noise)))
    exact = 0.25 + labels[0] * labels[1] * math.asin(1.0 / (1.0 + noise)) / (2.0 * math.pi)
    assert posterior.settled
    assert posterior.log_evidence == pytest.approx(math.log(exact), abs=0.08 if noise < 1.0 else 0.02)


def test_a_channel_without_a_posterior_diverges_and_says_so() -> None:
    """Negative control."""
    posterior = expectation_propagation(np.ones((3, 2)), np.ones(3), GLM(Gaussian(), Repelling()))
    assert posterior.status is Status.DIVERGED
    assert np.all(np.isfinite(posterior.mean))
    assert posterior.damping > 0.99


def test_label_flips_have_sites_of_negative_precision() -> None:
    """Three equal rows, one label against two: exact by one integral, EP close, −g' of the odd one
    out negative.
    """
    model = GLM(Gaussian(), Flip(0.1))
    posterior = expectation_propagation([[1.0], [1.0], [1.0]], [1.0, 1.0, -1.0], model)
    assert posterior.converged
    exact = 0.5 * (0.9**2 * 0.1 + 0.1**2 * 0.9)
    assert posterior.log_evidence == pytest.approx(math.log(exact), abs=0.35)  # equal rows: the worst case of EP
    _, S = model.channel.derivatives(posterior.labels, posterior.omega, posterior.V)
    assert np.asarray(S)[2] < 0.0


@pytest.mark.parametrize("channel", [Flip(0.1), Logistic(3.0), Linear(0.2)], ids=str)
def test_ep_agrees_with_amp_on_every_channel(channel: Channel) -> None:
    model = GLM(Gaussian(1.7), channel)
    problem = draw_instance(300, 1.5, 0, model)
    ep, amp_ = (infer(problem.rows, problem.labels, model, method) for method in ("ep", "amp"))
    assert ep.converged
    assert amp_.converged
    assert ep.log_volume == pytest.approx(amp_.log_volume, abs=0.01)
    assert np.corrcoef(ep.mean, amp_.mean)[0, 1] > 0.99


def test_regression_is_exact() -> None:
    """With Gaussian noise EP is Bayes' rule: ridge regression and the evidence of a Gaussian
    process.
    """
    model = GLM(Gaussian(1.7), Linear(0.3))
    for count in (7, 40):
        problem = draw_instance(20, count / 20, 0, model)
        posterior = expectation_propagation(problem.rows, problem.labels, model)
        kernel = 1.7 * problem.rows @ problem.rows.T + 0.3 * np.eye(count)
        evidence = scipy.stats.multivariate_normal(np.zeros(count), kernel).logpdf(problem.labels)
        mean = 1.7 * problem.rows.T @ np.linalg.solve(kernel, problem.labels)
        covariance = 1.7 * np.eye(20) - 1.7**2 * problem.rows.T @ np.linalg.solve(kernel, problem.rows)
        assert posterior.log_evidence == pytest.approx(evidence, rel=1e-9)
        np.testing.assert_allclose(posterior.mean, mean, atol=1e-8)
        np.testing.assert_allclose(np.asarray(posterior.covariance), covariance, atol=1e-8)
        expected, spread = posterior.predict(problem.rows[:3])
        np.testing.assert_allclose(expected, problem.rows[:3] @ mean, atol=1e-8)
        assert np.all(spread > 0.3)


# input


@dataclass(frozen=True)
class Flat(Prior):
    """A prior that is not the Gaussian."""

    @property
    def second_moment(self) -> float:
        return 1.0

    def log_partition(self, A: Array, b: Array, library: Library = NUMPY) -> Array:
        return Gaussian().log_partition(A, b, library)

    def moments(self, A: Array, b: Array, library: Library = NUMPY) -> tuple[Array, Array]:
        return Gaussian().moments(A, b, library)

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        return rng.uniform(-1.0, 1.0, count)


def run(
    rows: object = ((1.0, 0.0),),
    labels: object = (1.0,),
    model: GLM = PERCEPTRON,
    tolerance: float = 1e-8,
    max_iterations: int = 500,
    damping: float = 0.0,
) -> Posterior:
    return expectation_propagation(
        np.array(rows), np.array(labels), model, tolerance=tolerance, max_iterations=max_iterations, damping=damping
    )


@pytest.mark.parametrize("channel", [model.Probit(0.1), Flip(0.05), Linear(0.2), Sign()])
@pytest.mark.parametrize("shape", [(12, 30), (40, 8)])
def test_the_evidence_alone_is_that_of_the_posterior(channel: Channel, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    rows, glm = rng.standard_normal(shape) / math.sqrt(shape[1]), GLM(Gaussian(2.0), channel)
    fields = rows @ rng.standard_normal(shape[1])
    labels = np.where(fields > 0.0, 1.0, -1.0) if channel.labels else fields
    whole = expectation_propagation(rows, labels, glm, judge=False)
    value, sites = ep_evidence(rows, labels, glm, tolerance=1e-8)
    assert value == pytest.approx(whole.log_evidence, abs=1e-7)
    again, _ = ep_evidence(rows, labels, glm, tolerance=1e-8, start=sites)
    assert again == pytest.approx(value, abs=1e-7)


def test_evidence_of_a_loose_search_is_off_by_the_square_of_its_tolerance() -> None:
    instance = draw_instance(100, 1.0, seed=0)
    glm = GLM(Gaussian(), model.Probit(0.08))
    exact, _ = ep_evidence(instance.rows, instance.labels, glm, tolerance=1e-8)
    loose, _ = ep_evidence(instance.rows, instance.labels, glm, tolerance=1e-3)
    assert abs(loose - exact) < 1e-3


def test_bad_input_is_named() -> None:
    assert run().converged
    with pytest.raises(InvalidInputError, match=r"model\.prior.*Gaussian.*amp"):
        run(model=GLM(Flat(), Sign()))
    for tolerance in (0.0, 1.0, -1e-3, math.nan):
        with pytest.raises(InvalidInputError, match="tolerance"):
            run(tolerance=tolerance)
    with pytest.raises(InvalidInputError, match="max_iterations"):
        run(max_iterations=0)
    for damping in (-0.1, 1.0, math.nan):
        with pytest.raises(InvalidInputError, match="damping"):
            run(damping=damping)
    with pytest.raises(InvalidInputError, match="labels"):
        run(labels=(0.0,))
    with pytest.raises(InvalidInputError, match="rows"):
        run(rows=((math.nan, 0.0),))
    for scale in (1e160, 1e-200):
        with pytest.raises(InvalidInputError, match=r"rows.*rescale"):
            run(rows=((scale, 0.0),))
