"""Random subsets of any pair: known values, limits and closed forms."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import brentq

from gardner import ConvergenceError, InvalidInputError, pool, typical
from gardner.model import (
    GLM,
    PERCEPTRON,
    Absolute,
    Channel,
    Flip,
    GaussBernoulli,
    Gaussian,
    Laplace,
    Linear,
    Logistic,
    Prior,
    Probit,
    Rademacher,
    Sign,
)
from gardner.model.arrays import Array
from gardner.model.numeric import NumericChannel
from gardner.model.special import NUMPY, Library
from gardner.theory import bounds, capacity, complexity_curve

BINARY = GLM(Rademacher(), Sign())


@dataclass(frozen=True)
class Shifted(NumericChannel):
    """Labels of a threshold that is not zero, P(+1|h) = Φ((h − 1.5)/0.1): no symmetry."""

    @property
    def labels(self) -> tuple[float, ...]:
        return (-1.0, 1.0)

    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        return library.log_ndtr(y * (h - 1.5) / 0.1)


@dataclass(frozen=True)
class Doubled(NumericChannel):
    """The probit channel of noise 0.3 without its symmetry."""

    @property
    def labels(self) -> tuple[float, ...]:
        return (-1.0, 1.0)

    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        return library.log_ndtr(y * h / math.sqrt(0.3))


@dataclass(frozen=True)
class Door(NumericChannel):
    """Labels of the size of a field: no sign."""

    @property
    def labels(self) -> tuple[float, ...]:
        return (-1.0, 1.0)

    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        return library.log_ndtr(y * (h * h - 0.5) / 0.3)


def shannon(n: float, gain: float) -> float:
    """(1/N) ln det(1 + gain FFᵀ) of nN rows with entries of variance 1/N [Marchenko–Pastur;
    tulino2004, eq. 1.14].
    """
    edge = (math.sqrt(gain * (1 + math.sqrt(n)) ** 2 + 1) - math.sqrt(gain * (1 - math.sqrt(n)) ** 2 + 1)) ** 2
    return n * math.log(1 + gain - edge / 4) + math.log(1 + n * gain - edge / 4) - edge / (4 * gain)


def ridge(n: float, student: tuple[float, float], teacher: tuple[float, float]) -> float:
    """Evidence per weight of a Gaussian regression: with C = Δ + σ²FFᵀ, −½[n ln 2π + ln det C + Tr
    C⁻¹(Δ⁰ + r⁰FFᵀ)].
    """
    (variance, noise), (r0, noise0) = student, teacher

    def log_det(x: float) -> float:
        return n * math.log(x) + shannon(n, variance / x)

    inverse = (log_det(noise * (1 + 1e-5)) - log_det(noise * (1 - 1e-5))) / (2e-5 * noise)
    misfit = n * r0 / variance + (noise0 - r0 * noise / variance) * inverse
    return -0.5 * (n * math.log(2 * math.pi) + log_det(noise) + misfit)


def test_closed_form_is_that_of_a_random_matrix() -> None:
    rng = np.random.default_rng(1)
    F = rng.normal(size=(720, 1200)) / math.sqrt(1200)
    eigenvalues = np.linalg.eigvalsh(F @ F.T)
    assert np.log1p(5.0 * eigenvalues).sum() / 1200 == pytest.approx(shannon(0.6, 5.0), abs=2e-3)


@pytest.mark.parametrize("n", [0.3, 0.999, 3.0])
@pytest.mark.parametrize("noise", [0.01, 0.5])
@pytest.mark.parametrize("variance", [1.0, 2.5])
def test_regression_has_the_evidence_of_marchenko_and_pastur(n: float, noise: float, variance: float) -> None:
    expected = ridge(n, (variance, noise), (variance, noise))
    assert typical(GLM(Gaussian(variance), Linear(noise)), budget=n).log_volume == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(("student", "teacher"), [((2.0, 0.3), (1.0, 0.1)), ((0.5, 0.1), (1.5, 0.4))])
@pytest.mark.parametrize("n", [0.4, 2.0])
def test_ridge_against_another_teacher(n: float, student: tuple[float, float], teacher: tuple[float, float]) -> None:
    models = [GLM(Gaussian(variance), Linear(noise)) for variance, noise in (student, teacher)]
    result = typical(models[0], budget=n, teacher=models[1])
    assert result.log_volume == pytest.approx(ridge(n, student, teacher), abs=1e-7)
    assert result.residual < 1e-9


def test_binary_weights_are_learned_at_once() -> None:
    """Free entropies cross at n = 1.245 [gyorgyi1990], the uninformed branch ends at its spinodal
    1.493.
    """

    def lead(n: float) -> float:
        volumes = {branch.name: branch.log_volume for branch in typical(BINARY, budget=n).branches}
        return volumes["uninformed"] - volumes["informed"]

    assert brentq(lead, 1.1, 1.4, xtol=1e-6) == pytest.approx(1.245, abs=1e-3)
    assert len(typical(BINARY, budget=1.490).branches) == 2
    assert len(typical(BINARY, budget=1.496).branches) == 1
    assert typical(BINARY, budget=1.24).overlap < 0.7
    for n in (1.25, 1.6, 3.0):
        assert typical(BINARY, budget=n).overlap == 1.0
        assert typical(BINARY, budget=n).log_volume == pytest.approx(-math.log(2.0), abs=1e-9)


@pytest.mark.parametrize(
    ("prior", "channel"),
    [
        (Gaussian(), Flip(1e-12)),
        (Gaussian(), Probit(1e-12)),
        (Gaussian(), Logistic(3e5)),
        (Rademacher(), Probit(1e-12)),
        (GaussBernoulli(), Flip(1e-12)),
        (Laplace(), Flip(1e-12)),
    ],
)
def test_noise_that_vanishes_leaves_the_sign(prior: Prior, channel: Channel) -> None:
    limit, sign = typical(GLM(prior, channel), budget=0.6), typical(GLM(prior, Sign()), budget=0.6)
    assert limit.log_volume == pytest.approx(sign.log_volume, abs=1e-5)
    assert limit.overlap == pytest.approx(sign.overlap, abs=1e-4)
    assert limit.information == pytest.approx(sign.information, abs=1e-4)


@pytest.mark.parametrize("channel", [Flip(0.1), Probit(0.3), Linear(0.2)])
def test_a_mismatch_that_vanishes_is_none(channel: Channel) -> None:
    """The mismatched equations (three overlaps, other conjugates) against the matched ones (one
    overlap).
    """
    for prior, almost in ((Gaussian(), Gaussian(1 + 1e-9)), (GaussBernoulli(0.3), GaussBernoulli(0.3 + 1e-9))):
        matched, other = (
            typical(GLM(prior, channel), budget=0.8),
            typical(GLM(prior, channel), budget=0.8, teacher=GLM(almost, channel)),
        )
        assert other.log_volume == pytest.approx(matched.log_volume, abs=1e-7)
        assert other.overlap == pytest.approx(matched.overlap, abs=1e-6)
        assert other.information == pytest.approx(matched.information, abs=1e-6)


def test_scale_of_weights_is_no_matter_for_the_sign() -> None:
    unit, wide = typical(PERCEPTRON, budget=1.0), typical(GLM(Gaussian(4.0), Sign()), budget=1.0)
    assert wide.log_volume == pytest.approx(unit.log_volume, abs=1e-12)
    assert wide.overlap == pytest.approx(4.0 * unit.overlap, rel=1e-10)


def test_information_is_evidence_less_the_entropy_of_noise() -> None:
    rho = 0.07
    result = typical(GLM(Gaussian(), Flip(rho)), budget=0.9)
    entropy = -rho * math.log(rho) - (1 - rho) * math.log(1 - rho)
    assert result.information == pytest.approx(-result.log_volume - 0.9 * entropy, abs=1e-10)
    probit = Probit(0.3)
    lost = float(np.asarray(probit.noise_entropy(np.zeros(1), np.ones(1)))[0])
    result = typical(GLM(Gaussian(), probit), budget=0.9)
    assert result.information == pytest.approx(-result.log_volume - 0.9 * lost, abs=1e-9)
    # a mutual information cannot exceed that of independent fields
    assert 0.0 < result.information < 0.9 * capacity(probit)


def test_capacity() -> None:
    assert capacity(Sign()) == pytest.approx(math.log(2.0))
    assert capacity(Flip(0.1)) == pytest.approx(math.log(2.0) + 0.1 * math.log(0.1) + 0.9 * math.log(0.9))
    assert capacity(Linear(0.1), 2.0) == pytest.approx(0.5 * math.log(21.0))
    assert 0.0 < capacity(Probit(1.0)) < capacity(Probit(0.1)) < math.log(2.0)


def test_phase_retrieval_knows_nothing_below_its_threshold() -> None:
    """Weak recovery of a real signal from y = |h| starts at n = ½ [mondelli2019] (noise moves it up
    a little).
    """
    little, more = (
        typical(GLM(Gaussian(), Absolute(0.01)), budget=0.3),
        typical(GLM(Gaussian(), Absolute(0.01)), budget=1.5),
    )
    assert little.overlap == 0.0
    assert little.information > 0.0
    assert more.overlap > 0.5
    assert more.branches[0].log_volume == more.log_volume


def test_what_is_refused_says_why() -> None:
    absolute = GLM(Gaussian(), Absolute())
    with pytest.raises(InvalidInputError, match="even channel has no start"):
        bounds(absolute, pool_ratio=3.0, budget=0.6)
    with pytest.raises(InvalidInputError, match="labels are not those"):
        typical(PERCEPTRON, budget=1.0, teacher=GLM(Gaussian(), Linear()))
    with pytest.raises(InvalidInputError, match="only one is linear"):
        pool(absolute, pool_ratio=3.0, teacher=GLM(Gaussian(), Linear()))
    with pytest.raises(InvalidInputError, match="teacher"):
        complexity_curve(PERCEPTRON, pool_ratio=3.0, budget=0.6, teacher="sign")  # type: ignore[arg-type]


@pytest.mark.slow
def test_capacity_without_symmetry_is_not_at_zero_field() -> None:
    channel = Shifted()
    at_zero = float(np.max(np.asarray(channel.information(np.zeros(61), np.geomspace(1e-6, 1.0, 61)))))
    elsewhere = float(np.asarray(channel.information(np.array([0.7]), np.array([0.5])))[0])  # 0.49 + 0.5 < 1
    assert capacity(channel) >= elsewhere > at_zero + 0.1


@pytest.mark.slow
def test_a_channel_without_symmetry_may_learn_from_one_with_it() -> None:
    """The same labels by another formula: a student that is told every label learns what its twin
    learns.
    """
    ours, theirs = GLM(channel=Probit(0.3)), GLM(channel=Doubled())
    expected = typical(ours, budget=0.6)
    for student, teacher in ((ours, theirs), (theirs, ours)):
        found = typical(student, budget=0.6, teacher=teacher)
        assert found.log_volume == pytest.approx(expected.log_volume, abs=1e-7)
        assert found.information == pytest.approx(expected.information, abs=1e-7)


@pytest.mark.slow
def test_an_even_channel_of_ones_own() -> None:
    below = typical(GLM(channel=Door()), budget=0.05)
    assert below.overlap == 0.0
    assert typical(GLM(channel=Door()), budget=8.0).overlap > 0.5
    with pytest.raises(InvalidInputError, match="even channel has no start"):
        bounds(GLM(channel=Door()), pool_ratio=3.0, budget=0.6)


def test_no_bound_by_information_for_a_wrong_student() -> None:
    """A narrow prior takes its surprise for information: no mutual information, so no bound by the
    capacity.
    """
    found = bounds(GLM(Gaussian(0.5), Linear(0.01)), pool_ratio=3.0, budget=0.3, teacher=GLM(Gaussian(), Linear(0.01)))
    assert math.isnan(found.agnostic_information)
    assert bounds(GLM(Gaussian(), Linear(0.01)), pool_ratio=3.0, budget=0.3).agnostic_information > 0.0


def test_a_noiseless_student_of_a_noisy_teacher_has_no_extremes_of_information() -> None:
    """Its evidence goes on without the teacher; what it has of information is NaN, not an arbitrary
    point.
    """
    found = bounds(GLM(channel=Sign()), pool_ratio=3.0, budget=0.3, teacher=GLM(channel=Flip(0.05)))
    assert found.extremes is not None
    assert found.extremes.most_information.beta == 0.0
    assert math.isnan(found.extremes.most_information.information)


def test_a_noiseless_student_of_many_wrong_labels_is_told_so() -> None:
    with pytest.raises(ConvergenceError, match=r"no weights left.*channel with noise"):
        pool(PERCEPTRON, pool_ratio=3.0, teacher=GLM(channel=Flip(0.1)))
