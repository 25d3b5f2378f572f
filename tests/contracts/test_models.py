"""What every prior and channel must satisfy; a new one is picked up by adding it to the lists."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any

import array_api_strict
import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from gardner.model import Channel, Gaussian, Prior, Sign, library_of
from gardner.theory.precision import double_precision
from gardner.theory.special import JAX

PRIORS: list[Prior] = [Gaussian()]
CHANNELS: list[Channel] = [Sign()]
priors = pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
channels = pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: type(channel).__name__)


def prior_density(prior: Prior, x: float) -> float:
    assert isinstance(prior, Gaussian)
    return float(norm.pdf(x))


def channel_probability(channel: Channel, y: float, h: float) -> float:
    assert isinstance(channel, Sign)
    return float(y * h > 0)


@priors
@given(A=st.floats(0.0, 30.0), b=st.floats(-8.0, 8.0))
def test_prior_log_partition_is_its_integral(prior: Prior, A: float, b: float) -> None:
    centre = b / (1.0 + A)
    direct = quad(
        lambda x: prior_density(prior, x) * np.exp(-0.5 * A * x * x + b * x), centre - 12, centre + 12, epsabs=0
    )[0]
    assert prior.log_partition(A, b) == pytest.approx(np.log(direct), rel=1e-9, abs=1e-9)


@channels
@given(omega=st.floats(-4.0, 4.0), V=st.floats(0.05, 5.0))
def test_channel_log_partition_is_its_integral(channel: Channel, omega: float, V: float) -> None:
    for y in (-1.0, 1.0):
        span = (omega - 12 * np.sqrt(V), omega + 12 * np.sqrt(V))
        direct = quad(
            lambda h, y=y: channel_probability(channel, y, h) * norm.pdf(h, omega, np.sqrt(V)),
            *span,
            points=[0.0],
            limit=200,
        )[0]
        assert np.exp(channel.log_partition(y, omega, V)) == pytest.approx(direct, abs=1e-8)


@channels
@given(omega=st.floats(-30.0, 30.0), V=st.floats(1e-3, 10.0))
def test_labels_are_a_distribution(channel: Channel, omega: float, V: float) -> None:
    total = 0.0
    for y, count in channel.label_classes:
        images = [(y, omega), (-y, omega)][: int(count)]
        total += sum(float(np.exp(channel.log_partition(label, field, V))) for label, field in images)
    assert total == pytest.approx(1.0, abs=1e-12)


@priors
def test_second_moment(prior: Prior) -> None:
    moment = quad(lambda x: x * x * prior_density(prior, x), -12, 12)[0]
    assert prior.second_moment == pytest.approx(moment, rel=1e-9)


@priors
@double_precision
def test_prior_mean_and_variance_by_autodiff(prior: Prior) -> None:
    """Dψ/db and d²ψ/db² are the mean and variance of the tilted prior."""
    A, b = 1.7, -0.9
    weight = [
        quad(lambda x, k=k: x**k * prior_density(prior, x) * np.exp(-0.5 * A * x * x + b * x), -12, 12)[0]
        for k in range(3)
    ]
    mean, variance = weight[1] / weight[0], weight[2] / weight[0] - (weight[1] / weight[0]) ** 2

    def psi(x: Any) -> Any:
        return prior.log_partition(A, x, JAX)

    assert float(jax.grad(psi)(b)) == pytest.approx(mean, rel=1e-7)
    assert float(jax.grad(jax.grad(psi))(b)) == pytest.approx(variance, rel=1e-7)


@channels
@double_precision
def test_same_lines_on_every_array_library(channel: Channel) -> None:
    y, omega, V = np.array([1.0, -1.0, 1.0]), np.array([-3.0, 0.4, 60.0]), np.array([0.1, 1.0, 2.0])
    expected = channel.log_partition(y, omega, V)
    y_, omega_, V_ = (array_api_strict.asarray(part) for part in (y, omega, V))
    on_strict = channel.log_partition(y_, omega_, V_, library_of(y_))
    np.testing.assert_allclose(np.asarray(on_strict), expected, rtol=1e-13)
    for strict, numpy, with_jax in zip(
        channel.derivatives(y_, omega_, V_, library_of(y_)),
        channel.derivatives(y, omega, V),
        channel.derivatives(y, omega, V, JAX),
        strict=True,
    ):
        np.testing.assert_allclose(np.asarray(strict), numpy, rtol=1e-14)
        np.testing.assert_allclose(np.asarray(with_jax), numpy, rtol=1e-10)
    np.testing.assert_allclose(np.asarray(channel.log_partition(y, omega, V, JAX)), expected, rtol=1e-12)


@priors
@given(A=st.floats(0.0, 30.0), b=st.floats(-8.0, 8.0))
def test_prior_moments_are_the_derivatives(prior: Prior, A: float, b: float) -> None:
    mean, variance = prior.moments(A, b)
    with_jax = _prior_derivatives(prior, A, b)
    assert (float(mean), float(variance)) == pytest.approx(with_jax, rel=1e-9, abs=1e-12)


@channels
@given(omega=st.floats(-30.0, 8.0), V=st.floats(0.05, 5.0), positive=st.booleans())
def test_channel_derivatives_are_the_derivatives(channel: Channel, omega: float, V: float, positive: bool) -> None:
    y = 1.0 if positive else -1.0
    g, minus_slope = channel.derivatives(y, omega, V)
    with_jax = _channel_derivatives(channel, y, omega, V)
    assert (float(g), float(minus_slope)) == pytest.approx(with_jax, rel=1e-9, abs=1e-12)


@lru_cache
def _compiled_derivatives(part: Any) -> Any:
    """First and second derivative in the field, compiled once a model: ψ_X(A, b) in b, ψ_Y(y, ω, V) in ω."""
    if isinstance(part, Prior):
        return jax.jit(lambda A, b: _two_derivatives(lambda x: part.log_partition(A, x, JAX), b))
    return jax.jit(lambda y, omega, V: _two_derivatives(lambda x: part.log_partition(y, x, V, JAX), omega))


def _two_derivatives(psi: Any, x: Any) -> Any:
    return jax.grad(psi)(x), jax.grad(jax.grad(psi))(x)


@double_precision
def _prior_derivatives(prior: Any, A: float, b: float) -> tuple[float, float]:
    first, second = _compiled_derivatives(prior)(A, b)
    return float(first), float(second)


@double_precision
def _channel_derivatives(channel: Any, y: float, omega: float, V: float) -> tuple[float, float]:
    first, second = _compiled_derivatives(channel)(y, omega, V)
    return float(first), -float(second)


@priors
def test_prior_samples(prior: Prior) -> None:
    draws = prior.sample(200_000, np.random.default_rng(0))
    assert np.mean(draws**2) == pytest.approx(prior.second_moment, rel=0.02)


@channels
def test_channel_samples(channel: Channel) -> None:
    """Labels of many noisy fields come with the frequency e^ψ."""
    omega, V, count = 0.4, 0.7, 200_000
    rng = np.random.default_rng(0)
    labels = channel.sample(omega + np.sqrt(V) * rng.standard_normal(count), rng)
    assert set(labels.tolist()) <= set(channel.labels)
    for y in channel.labels:
        assert np.mean(labels == y) == pytest.approx(float(np.exp(channel.log_partition(y, omega, V))), abs=0.005)


@pytest.mark.parametrize("part", [*PRIORS, *CHANNELS], ids=lambda part: type(part).__name__)
def test_models_are_values(part: Any) -> None:
    """Frozen, hashable and equal by content: they key caches and compiled functions."""
    assert part == dataclasses.replace(part)
    assert hash(part) == hash(dataclasses.replace(part))
    with pytest.raises(dataclasses.FrozenInstanceError):
        part.anything = 1
