"""Billiard Monte Carlo against exact volumes, brute force and its own error bars."""

from __future__ import annotations

import itertools
import math
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.known_rows import equicorrelated, rotation, wedges

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.inference import Posterior, Status, montecarlo
from gardner.inference.billiard import CHAINS, Walkers, Walls
from gardner.inference.montecarlo import monte_carlo, sample_version_space
from gardner.inference.separable import Separation, VersionSpace
from gardner.inference.wedge import Wedge
from gardner.model import GLM, Probit, Rademacher, draw_instance

Floats = NDArray[np.float64]


def trihedral(rows: Floats) -> float:
    """Z of three rows: 1/8 + Σ arcsin(ρ_ij)/(4π) [the area of a spherical triangle]."""
    cosines = (rows @ rows.T)[np.triu_indices(3, 1)]
    return 0.125 + float(np.sum(np.arcsin(cosines))) / (4.0 * math.pi)


def run(rows: Floats, stderr: float = 0.002, seed: int = 0, samples: int = 16) -> Posterior:
    """Monte Carlo with mixed labels, for rows meant to be all positive."""
    labels = np.where(np.arange(rows.shape[0]) % 3 == 1, -1.0, 1.0)
    options: dict[str, Any] = {"stderr": stderr, "seed": seed, "samples": samples, "threads": 1}
    return monte_carlo(labels[:, None] * rows, labels, **options, time_limit=math.inf)  # however busy the machine is


def deviation(posterior: Posterior, exact: float) -> float:
    """How many of its own standard errors the estimate is off."""
    assert posterior.stderr is not None
    return (posterior.log_volume - exact / posterior.features) / posterior.stderr


UNIT_TRIPLE = np.array([[1.0, 0.2, -0.3], [-0.4, 1.0, 0.5], [-0.6, -0.5, 1.0]])
UNIT_TRIPLE /= np.linalg.norm(UNIT_TRIPLE, axis=1, keepdims=True)
NEARLY_OPPOSITE = np.vstack([np.eye(30), [[-1.0, 1e-3] + [0.0] * 28]])  # a wedge of 1e-3 within an orthant

TRUTHS: dict[str, tuple[Floats, float, float]] = {  # rows, ln Z, wanted standard error of ln v
    "one weight": (np.array([[-3.0]]), -math.log(2.0), 0.002),
    "one weight, three rows": (np.array([[1.0], [2.0], [1e-3]]), -math.log(2.0), 0.002),
    "orthant": (np.eye(5), -5.0 * math.log(2.0), 0.001),
    "dense orthogonal rows": (rotation(12), -12.0 * math.log(2.0), 0.001),
    "fewer rows than weights": (rotation(60)[:20] * np.arange(1.0, 21.0)[:, None], -20.0 * math.log(2.0), 0.0005),
    "many weights": (rotation(200), -200.0 * math.log(2.0), 0.002),
    "wide wedge": (wedges(3.1), math.log(3.1 / math.tau), 0.001),
    "right wedge": (wedges(1.0), math.log(1.0 / math.tau), 0.001),
    "wedge in five dimensions": (wedges(0.3) @ rotation(5)[:2], math.log(0.3 / math.tau), 0.001),
    "thin wedge": (wedges(0.03), math.log(0.03 / math.tau), 0.005),
    "very thin wedge": (wedges(1e-3), math.log(1e-3 / math.tau), 0.02),
    "thin wedge in an orthant": (NEARLY_OPPOSITE, math.log(math.atan(1e-3) / math.tau) - 28.0 * math.log(2.0), 0.002),
    "nearly equal rows": (np.array([[1.0, 0.0], [1.0, 1e-3]]), math.log((math.pi - math.atan(1e-3)) / math.tau), 0.001),
    "two planes in four dimensions": (wedges(0.7, 2) @ rotation(4), 2.0 * math.log(0.7 / math.tau), 0.001),
    "deep": (wedges(0.0423, 200), 200.0 * math.log(0.0423 / math.tau), 0.004),  # ln Z = −1000
    "equicorrelated pair": (equicorrelated(2, 0.5), -math.log(3.0), 0.001),
    "equicorrelated, four": (equicorrelated(4, 0.5), -math.log(5.0), 0.001),
    "equicorrelated, forty": (equicorrelated(40, 0.5), -math.log(41.0), 0.0005),
    "three, nearly coplanar": (equicorrelated(3, -0.49), math.log(trihedral(equicorrelated(3, -0.49))), 0.002),
    "three, nearly parallel": (equicorrelated(3, 0.95), math.log(trihedral(equicorrelated(3, 0.95))), 0.001),
    "skew trihedral": (UNIT_TRIPLE, math.log(trihedral(UNIT_TRIPLE)), 0.001),
    "rows repeated": (np.repeat(UNIT_TRIPLE, 4, axis=0), math.log(trihedral(UNIT_TRIPLE)), 0.001),
}


def flat(rows: Floats) -> bool:
    return int(np.linalg.matrix_rank(rows)) <= 2


@pytest.fixture
def _bouncing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Billiards also where the answer is known in closed form."""
    monkeypatch.setattr(Wedge, "of", lambda *_: None)


@pytest.mark.usefixtures("_bouncing")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "deep" else name for name in TRUTHS]
)
def test_exact_volumes(name: str) -> None:
    rows, exact, stderr = TRUTHS[name]
    posterior = run(rows, stderr)
    assert posterior.status is Status.CONVERGED
    assert posterior.stderr is not None
    assert 0.0 < posterior.stderr <= stderr
    assert abs(deviation(posterior, exact)) < 4.0
    assert deviation(posterior, exact - 0.02 * rows.shape[1]) > 4.0 or stderr >= 0.005  # a wrong truth is found out


@pytest.mark.parametrize("name", [name for name, (rows, _, _) in TRUTHS.items() if flat(rows)])
def test_rows_in_a_plane_are_not_measured(name: str) -> None:
    rows, exact, _ = TRUTHS[name]
    posterior = run(rows, stderr=1e-7)
    assert posterior.status is Status.CONVERGED
    assert posterior.iterations == 0
    assert posterior.stderr is not None
    assert 0.0 < posterior.stderr < 1e-11
    assert abs(deviation(posterior, exact)) < 1.0


@pytest.mark.parametrize("features", [2, 50])
@pytest.mark.parametrize("opening", [1e-4, 1e-8, 1e-11])
def test_two_almost_opposite_rows(opening: float, features: int) -> None:
    """They kept the billiard busy for minutes."""
    rows = wedges(opening) @ rotation(features)[:2]
    posterior = run(rows, stderr=0.002)
    assert posterior.status is Status.CONVERGED
    assert abs(deviation(posterior, math.log(opening / math.tau))) < 1.0


def test_many_rows_of_two_features() -> None:
    angles = np.random.default_rng(0).uniform(-1.5, 1.5, 5000)
    opening = math.pi - float(np.ptp(angles))
    posterior = run(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    assert posterior.status is Status.CONVERGED
    assert posterior.log_evidence == pytest.approx(math.log(opening / math.tau), rel=1e-12)


def test_rows_that_nearly_lie_in_a_plane_do_not() -> None:
    rows = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.8, 1e-6]])
    assert run(rows, stderr=0.01).iterations > 0


def test_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is hit the status says so, and the error is the one reached; the same bytes where it
    is not.
    """
    clock = itertools.count()
    instance = draw_instance(features=20, pool_ratio=1.5, seed=3)
    options: dict[str, Any] = {"stderr": 1e-3, "samples": 40, "threads": 1}
    monkeypatch.setattr("gardner.inference.billiard.time.monotonic", lambda: float(next(clock)))
    begin = next(clock)
    free = monte_carlo(instance.rows, instance.labels, time_limit=math.inf, **options)
    glances, seen = next(clock) - begin, []  # what is counted here are glances at the clock, not seconds
    for share in (0.05, 0.7, 0.9):
        begin = next(clock)
        posterior = monte_carlo(instance.rows, instance.labels, time_limit=share * glances, **options)
        assert next(clock) - begin < share * glances + 100
        assert posterior.status is Status.UNCONVERGED
        seen.append(posterior)
    assert free.status is Status.CONVERGED
    errors = [posterior.stderr or 0.0 for posterior in (free, *seen)]
    assert math.isnan(seen[0].log_evidence)
    assert errors[1] == math.inf
    for posterior, error in zip(seen[1:], errors[2:], strict=True):
        assert 5e-4 < error < 0.1
        assert abs(posterior.log_volume - free.log_volume) < 4.0 * math.hypot(error, errors[0])
        assert posterior.samples is not None
        assert np.all(instance.labels * (posterior.samples @ instance.rows.T) > 0.0)
    again = monte_carlo(instance.rows, instance.labels, time_limit=2.0 * glances, **options)
    np.testing.assert_array_equal(free.samples, again.samples)
    with pytest.raises(ConvergenceError, match="the time limit was reached; raise time_limit"):
        sample_version_space(instance.rows, instance.labels, 500, seed=0, time_limit=50.0)
    for bad in (0.0, -1.0, math.nan):
        with pytest.raises(InvalidInputError, match="time_limit"):
            monte_carlo(np.eye(2), np.ones(2), time_limit=bad)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_stops_all_threads(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    """It is not swallowed by what the other threads say when they are told to stop."""
    calls = itertools.count()

    def clock() -> float:
        if next(calls) > 50 and threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        return 0.0

    walkers = Walkers(Walls.of(rotation(12)), rotation(12).sum(axis=0), seed=0, threads=threads)
    walkers.places = np.repeat(walkers.places, 1000, axis=0)
    monkeypatch.setattr("gardner.inference.billiard.time.monotonic", clock)
    with pytest.raises(KeyboardInterrupt):
        walkers.visit(np.zeros(1000), np.ones(1000, dtype=np.int64))
    assert next(calls) < 1000


def test_more_rows_than_weights_against_brute_force() -> None:
    instance = draw_instance(features=3, pool_ratio=8 / 3, seed=4)
    draws = np.random.default_rng(5).standard_normal((1_000_000, 3))
    share = float(np.mean(np.all(draws @ (instance.rows * instance.labels[:, None]).T > 0.0, axis=1)))
    posterior = monte_carlo(instance.rows, instance.labels, stderr=0.002, seed=4)
    assert posterior.stderr is not None
    error = math.hypot(3.0 * posterior.stderr, math.sqrt((1.0 - share) / share * 1e-6))
    assert abs(posterior.log_evidence - math.log(share)) < 4.0 * error
    assert error < 0.02


def test_error_bars_are_honest() -> None:
    """Over many seeds the deviations scatter as much as the standard errors say, around zero."""
    deviations = [deviation(run(equicorrelated(4, 0.5), 0.005, seed), -math.log(5.0)) for seed in range(30)]
    assert 0.6 < math.sqrt(float(np.mean(np.square(deviations)))) < 1.4
    assert abs(float(np.mean(deviations))) < 0.6


def test_samples_of_an_orthant() -> None:
    """Half-normal coordinates: mean √(2/π), variance 1 − 2/π; drawn points are as good as
    independent.
    """
    turned = rotation(10, seed=3)
    points = sample_version_space(turned, np.ones(10), 2000, seed=0) @ turned.T
    assert points.shape == (2000, 10)
    assert float(points.min()) > 0.0
    spread = math.sqrt((1.0 - 2.0 / math.pi) / 2000)
    assert np.all(np.abs(points.mean(axis=0) - math.sqrt(2.0 / math.pi)) < 4.5 * spread)
    assert abs(float(points.mean()) - math.sqrt(2.0 / math.pi)) < 4.0 * spread / math.sqrt(10.0)
    assert points.var() == pytest.approx(1.0 - 2.0 / math.pi, abs=4.0 * 0.01)


def test_posterior_is_that_of_its_samples() -> None:
    instance = draw_instance(features=30, pool_ratio=1.5, seed=2)
    posterior = monte_carlo(instance.rows, instance.labels, stderr=0.01, samples=100, seed=2)
    assert posterior.samples is not None
    fields = posterior.samples @ instance.rows.T
    assert posterior.samples.shape == (100, 30)
    assert np.all(instance.labels * fields > 0.0)
    np.testing.assert_allclose(posterior.mean, np.mean(posterior.samples, axis=0))
    np.testing.assert_allclose(posterior.omega, fields.mean(axis=0))
    np.testing.assert_allclose(posterior.V, fields.var(axis=0))
    np.testing.assert_array_equal(np.argmax(posterior.predict_proba(instance.rows), axis=1), instance.labels > 0.0)
    assert posterior.method == "mc"
    assert posterior.residual == posterior.stderr
    assert posterior.iterations > 0


def test_same_seed_same_bytes_whatever_the_threads() -> None:
    instance = draw_instance(features=20, pool_ratio=1.5, seed=3)
    one, two, other = (
        monte_carlo(instance.rows, instance.labels, stderr=0.01, seed=seed, threads=threads, samples=40)
        for seed, threads in ((7, 1), (7, 2), (8, 2))
    )
    assert one.log_evidence == two.log_evidence
    assert one.stderr == two.stderr
    np.testing.assert_array_equal(one.samples, two.samples)
    assert one.log_evidence != other.log_evidence
    again = sample_version_space(instance.rows, instance.labels, 5, np.random.default_rng(1))
    np.testing.assert_array_equal(
        again, sample_version_space(instance.rows, instance.labels, 5, np.random.default_rng(1), threads=2)
    )


def test_walkers_do_not_replay_the_rows_of_a_problem_with_the_same_seed() -> None:
    """Children of one seed are the same numbers wherever they are used: as rows there, as
    velocities here.
    """
    instance = draw_instance(features=8, pool_ratio=4.0, seed=0)
    walkers = Walkers(Walls.of(np.eye(8)), np.ones(8), seed=0, threads=1)
    normals = np.concatenate([generator.standard_normal(64) for generator in walkers.generators])
    drawn = instance.rows.ravel() * math.sqrt(8.0)
    assert len(walkers.generators) == CHAINS
    assert not np.any(np.isclose(normals[:, None], drawn, rtol=1e-12, atol=0.0))


def test_contradicting_labels_leave_nothing() -> None:
    rows = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]])
    posterior = monte_carlo(rows, [1.0, -1.0, 1.0])
    assert posterior.status is Status.EMPTY
    assert posterior.log_evidence == -math.inf
    assert posterior.stderr == 0.0
    for array in (posterior.mean, posterior.variance, posterior.omega, posterior.V, posterior.g):
        assert not np.any(array)
    with pytest.raises(ConvergenceError, match="no weights give these labels"):
        sample_version_space(rows, [1.0, -1.0, 1.0], 3, seed=0)


def test_no_rows_leave_the_prior() -> None:
    posterior = monte_carlo(np.empty((0, 3)), np.empty(0), samples=500)
    assert posterior.status is Status.CONVERGED
    assert (posterior.log_evidence, posterior.stderr) == (0.0, 0.0)
    assert posterior.samples is not None
    assert posterior.samples.shape == (500, 3)
    assert abs(float(np.mean(posterior.samples))) < 4.0 / math.sqrt(1500.0)
    np.testing.assert_array_equal(posterior.variance, np.ones(3))
    assert sample_version_space(np.empty((0, 3)), [], 7, seed=1).shape == (7, 3)


def test_what_cannot_be_measured_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    short = monte_carlo(np.eye(4), np.ones(4), stderr=1e-5, most_bounces=10_000)
    assert short.status is Status.UNCONVERGED
    assert abs(deviation(short, -4.0 * math.log(2.0))) < 4.0  # no worse for being short
    thin = monte_carlo(wedges(1e-9, 2), np.ones(4), samples=2)
    assert thin.status is Status.UNCONVERGED
    assert math.isnan(thin.log_evidence)
    assert thin.stderr == math.inf
    monkeypatch.setattr(montecarlo, "separate", lambda *_: Separation(VersionSpace.UNDECIDED))
    undecided = monte_carlo(np.eye(4), np.ones(4))
    assert undecided.status is Status.UNDECIDED
    np.testing.assert_array_equal(undecided.predict_proba(np.eye(4)), np.full((4, 2), 0.5))


def test_progress_grows_to_one() -> None:
    seen: list[float] = []
    monte_carlo(np.eye(6), np.ones(6), stderr=0.01, progress=seen.append)
    assert seen == sorted(seen)
    assert 0.0 < seen[0] < seen[-1] == 1.0


def test_refusals() -> None:
    for model in (GLM(channel=Probit(0.1)), GLM(Rademacher())):
        with pytest.raises(InvalidInputError, match="sign channel"):
            monte_carlo(np.eye(2), np.ones(2), model)
    with pytest.raises(InvalidInputError, match="stderr"):
        monte_carlo(np.eye(2), np.ones(2), stderr=0.0)
    with pytest.raises(InvalidInputError, match="samples"):
        monte_carlo(np.eye(2), np.ones(2), samples=1)
    with pytest.raises(InvalidInputError, match="count"):
        sample_version_space(np.eye(2), np.ones(2), 0, seed=0)
    with pytest.raises(InvalidInputError, match="must be -1 or \\+1"):
        monte_carlo(np.eye(2), [0.0, 1.0])


@settings(max_examples=8)
@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 9))
def test_symmetries(seed: int, features: int, count: int) -> None:
    """Signs and powers of two change no bit; order and rotation nothing beyond chance; a row only
    takes away.
    """
    instance = draw_instance(features, count / features, seed)
    rows, labels = instance.rows, instance.labels
    first = monte_carlo(rows, labels, stderr=0.01, seed=seed, samples=2, threads=1)
    flips = np.random.default_rng(seed).choice([-2.0, 0.5, 1.0], size=labels.size)
    flipped = monte_carlo(flips[:, None] * rows, np.sign(flips) * labels, stderr=0.01, seed=seed, samples=2, threads=1)
    assert flipped.log_evidence == first.log_evidence
    order = np.random.default_rng(seed).permutation(labels.size)
    turned = monte_carlo(rows[order] @ rotation(features, seed), labels[order], stderr=0.01, seed=seed + 1, samples=2)
    less = monte_carlo(rows[:-1], labels[:-1], stderr=0.01, seed=seed + 2, samples=2, threads=1)
    assert first.stderr is not None
    assert turned.stderr is not None
    assert less.stderr is not None
    assert abs(turned.log_volume - first.log_volume) < 4.5 * math.hypot(first.stderr, turned.stderr)
    assert first.log_volume - less.log_volume < 4.5 * math.hypot(first.stderr, less.stderr)
