"""What every channel must satisfy; a new one is picked up by its registry line. Priors:
``test_priors.py``.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import array_api_strict
import jax
import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm
from tests.jax_formula import JAX, double_precision

from gardner.model import (
    CHANNELS,
    PRIORS,
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
    Sign,
    describe,
    library_of,
    parse_channel,
    parse_prior,
)
from gardner.model.external import load_channel, load_prior

OWN = Path(__file__).parents[2] / "docs" / "examples" / "my_model.py"
OF_PRIORS = [
    *map(parse_prior, PRIORS),
    Gaussian(2.5),
    GaussBernoulli(0.05),
    Laplace(3.0),
    load_prior(f"{OWN}:Uniform"),
]
OF_CHANNELS = [
    *map(parse_channel, CHANNELS),
    Flip(0.3),
    Probit(2.0),
    Logistic(5.0),
    Linear(2.0),
    Absolute(1.0),
    load_channel(f"{OWN}:Cauchit:0.5"),
]
channels = pytest.mark.parametrize("channel", OF_CHANNELS, ids=str)
discrete = pytest.mark.parametrize("channel", [part for part in OF_CHANNELS if part.labels], ids=str)
real = pytest.mark.parametrize("channel", [part for part in OF_CHANNELS if not part.labels], ids=str)


def labels_of(channel: Channel) -> tuple[float, ...]:
    return channel.labels or (-0.4, 0.3, 2.0)


def integral(function: Any, low: float, high: float, panels: int = 60) -> float:
    """Gauss–Legendre on panels, one of their edges at zero."""
    node, weight = np.polynomial.legendre.leggauss(40)
    edges = np.unique([low, high, *np.linspace(low, high, panels + 1), *([0.0] if low < 0.0 < high else [])])
    half = 0.5 * np.diff(edges)[:, None]
    return float(np.sum(half * weight * function(0.5 * (edges[1:] + edges[:-1])[:, None] + half * node)))


def probability(channel: Any, y: Any, h: Any) -> Any:
    """P_out(y|h), from the definition of each channel."""
    if isinstance(channel, Sign):
        return 1.0 * (y * h > 0)
    if isinstance(channel, Flip):
        return np.where(y * h > 0, 1.0 - channel.rho, channel.rho)
    if isinstance(channel, Probit):
        return norm.cdf(y * h / math.sqrt(channel.noise))
    if isinstance(channel, Logistic):
        return expit(channel.scale * y * h)
    if isinstance(channel, Linear):
        return norm.pdf(y, h, math.sqrt(channel.noise))
    if isinstance(channel, Absolute):
        return norm.pdf(y, np.abs(h), math.sqrt(channel.noise))
    return np.exp(channel.log_probability(y, h))


def field_average(function: Any, omega: float, V: float) -> float:
    """∫ N(h; ω, V) function(h) dh."""
    reach = 12.0 * math.sqrt(V)
    return integral(lambda h: function(h) * norm.pdf(h, omega, math.sqrt(V)), omega - reach, omega + reach)


def label_sum(channel: Channel, function: Any, omega: float, V: float) -> float:
    """Σ_y or ∫ dy of a function of the label, where the labels of h ~ N(ω, V) can be."""
    if channel.labels:
        return float(sum(function(y) for y in channel.labels))
    reach = abs(omega) + 12.0 * math.sqrt(V + getattr(channel, "noise", 1.0))
    return integral(function, -reach, reach)


@channels
@pytest.mark.parametrize(("omega", "V"), [(0.0, 1.0), (-2.0, 0.3), (4.0, 5.0), (0.3, 0.05)])
def test_channel_log_partition_is_its_integral(channel: Channel, omega: float, V: float) -> None:
    for y in labels_of(channel):
        direct = field_average(lambda h, y=y: probability(channel, y, h), omega, V)
        assert np.exp(channel.log_partition(y, omega, V)) == pytest.approx(direct, abs=1e-10)


@discrete
def test_labels_are_a_distribution(channel: Channel) -> None:
    omega, V = (part.ravel() for part in np.meshgrid(np.linspace(-30.0, 30.0, 41), [1e-3, 0.1, 1.0, 10.0]))
    total = sum(np.exp(channel.log_partition(y, omega, V)) for y in channel.labels)
    np.testing.assert_allclose(total, 1.0, atol=1e-11)
    if channel.odd:
        for y in channel.labels:
            assert -y in channel.labels
            turned = channel.log_partition(-y, -omega, V)
            np.testing.assert_allclose(channel.log_partition(y, omega, V), turned, rtol=1e-12, atol=1e-14)


@real
@pytest.mark.parametrize(("omega", "V"), [(0.0, 1.0), (-1.5, 0.2), (4.0, 3.0)])
def test_real_labels_are_a_density(channel: Channel, omega: float, V: float) -> None:
    assert not channel.odd

    def moment(k: int) -> float:
        return label_sum(channel, lambda y: y**k * np.exp(channel.log_partition(y, omega, V)), omega, V)

    assert moment(0) == pytest.approx(1.0, abs=1e-8)
    mean, variance = channel.predictive(omega, V)
    assert (float(mean), float(variance)) == pytest.approx((moment(1), moment(2) - moment(1) ** 2), rel=1e-7)


@discrete
def test_predictive_mean_and_variance(channel: Channel) -> None:
    omega, V = (part.ravel() for part in np.meshgrid(np.linspace(-5.0, 5.0, 11), [1e-2, 1.0, 10.0]))
    odds = {y: np.exp(channel.log_partition(y, omega, V)) for y in channel.labels}
    mean = sum(y * p for y, p in odds.items())
    variance = sum(y * y * p for y, p in odds.items()) - mean**2
    for found, wanted in zip(channel.predictive(omega, V), (mean, variance), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-10)


@channels
@pytest.mark.parametrize(("omega", "V"), [(0.0, 1.0), (0.7, 0.2), (-1.2, 4.0), (0.2, 30.0), (0.5, 1e-3)])
def test_information_is_that_of_the_joint_law(channel: Channel, omega: float, V: float) -> None:
    """I(y; h) = Σ_y ∫ N(h) P(y|h) ln[P(y|h)/P(y)] dh, between 0 and the entropy of the labels."""

    def divergence(y: float, h: Any) -> Any:
        p = probability(channel, y, h)
        return np.where(p > 0.0, p * (np.log(np.where(p > 0.0, p, 1.0)) - psi), 0.0)

    found = float(channel.information(omega, V))
    assert found >= -1e-15
    if channel.labels:
        direct = 0.0
        for y in channel.labels:
            psi = float(channel.log_partition(y, omega, V))
            direct += field_average(lambda h, y=y: divergence(y, h), omega, V)
        assert found <= math.log(len(channel.labels)) + 1e-12
    else:  # the noise is Gaussian: entropy of the label less that of the noise

        def surprise(y: Any) -> Any:
            psi = channel.log_partition(y, omega, V)
            return -np.exp(psi) * psi

        noise = 0.5 * math.log(2.0 * math.pi * math.e * channel.noise)  # type: ignore[attr-defined]
        direct = label_sum(channel, surprise, omega, V) - noise
    assert found == pytest.approx(direct, rel=1e-6, abs=1e-8)


@channels
@double_precision
def test_information_and_predictive_on_jax(channel: Channel) -> None:
    omega, V = np.array([0.0, 0.7]), np.array([1.0, 0.2])
    with_jax = jax.jit(lambda a, b: (channel.information(a, b, JAX), *channel.predictive(a, b, JAX)))(omega, V)
    on_numpy = (channel.information(omega, V), *channel.predictive(omega, V))
    for one, two in zip(with_jax, on_numpy, strict=True):
        np.testing.assert_allclose(np.asarray(one), two, rtol=1e-9, atol=1e-12)


def _examples(channel: Channel) -> tuple[Any, Any, Any]:
    y = np.array([1.0, -1.0, 1.0] if channel.labels else [1.0, -0.3, 50.0])
    return y, np.array([-3.0, 0.4, 60.0]), np.array([0.1, 1.0, 2.0])


@channels
@double_precision
def test_same_channel_on_every_array_library(channel: Channel) -> None:
    parts = _examples(channel)
    expected = channel.log_partition(*parts)
    y, omega, V = (array_api_strict.asarray(part) for part in parts)
    on_strict = channel.log_partition(y, omega, V, library_of(y))
    np.testing.assert_allclose(np.asarray(on_strict), expected, rtol=1e-13, atol=1e-15)
    for strict, numpy, with_jax in zip(
        channel.derivatives(y, omega, V, library_of(y)),
        channel.derivatives(*parts),
        channel.derivatives(*parts, library=JAX),
        strict=True,
    ):
        np.testing.assert_allclose(np.asarray(strict), numpy, rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(np.asarray(with_jax), numpy, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(np.asarray(channel.log_partition(*parts, library=JAX)), expected, rtol=1e-12, atol=1e-15)


@channels
@double_precision
def test_channel_derivatives_are_the_derivatives(channel: Channel) -> None:
    """Also at ω = 0, where two branches may tie and autodiff of a maximum would go wrong."""
    grid = np.meshgrid([-1.0, 1.0], [-30.0, -9.0, -2.5, -0.4, 0.0, 0.1, 1.0, 8.0], [0.05, 1.0, 5.0])
    y, omega, V = (part.ravel() for part in grid)
    first, second = _two_derivatives(lambda a, x, b: channel.log_partition(a, x, b, JAX), 1)(y, omega, V)
    g, minus_slope = channel.derivatives(y, omega, V)
    np.testing.assert_allclose(g, first, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(minus_slope, -np.asarray(second), rtol=1e-8, atol=1e-10)


def _two_derivatives(psi: Any, at: int) -> Any:
    first = jax.grad(psi, at)
    return jax.jit(jax.vmap(lambda *parts: (first(*parts), jax.grad(first, at)(*parts))))


@channels
def test_channel_samples(channel: Channel) -> None:
    """Labels of many noisy fields follow e^ψ: their frequencies, or their distribution function."""
    omega, V, count = 0.4, 0.7, 200_000
    rng = np.random.default_rng(0)
    labels = channel.sample(omega + np.sqrt(V) * rng.standard_normal(count), rng)
    if channel.labels:
        assert set(labels.tolist()) <= set(channel.labels)
        for y in channel.labels:
            assert np.mean(labels == y) == pytest.approx(float(np.exp(channel.log_partition(y, omega, V))), abs=0.005)
        return
    for a, b in ((-1.0, 0.2), (0.2, 1.0), (1.0, 3.0)):
        wanted = integral(lambda y: np.exp(channel.log_partition(y, omega, V)), a, b)
        assert np.mean((labels > a) & (labels < b)) == pytest.approx(wanted, abs=0.005)
    mean, variance = channel.predictive(omega, V)
    assert (np.mean(labels), np.var(labels)) == pytest.approx((float(mean), float(variance)), abs=0.02)


@pytest.mark.parametrize("part", [*OF_PRIORS, *OF_CHANNELS], ids=str)
def test_models_are_values(part: Any) -> None:
    """Frozen, hashable and equal by content: they key caches and compiled functions."""
    assert part == dataclasses.replace(part)
    assert hash(part) == hash(dataclasses.replace(part))
    with pytest.raises(dataclasses.FrozenInstanceError):
        part.anything = 1


@pytest.mark.parametrize("part", [*OF_PRIORS[:-1], *OF_CHANNELS[:-1]], ids=str)
def test_description_reads_back(part: Any) -> None:
    parse = parse_prior if isinstance(part, Prior) else parse_channel
    assert parse(describe(part)) == part


@pytest.mark.parametrize("near", [Flip(1e-13), Flip(0.0), Probit(1e-13), Probit(0.0)], ids=str)
def test_sign_is_the_limit_without_noise(near: Channel) -> None:
    u = np.linspace(-5.0, 9.0, 29)
    sign = Sign()
    np.testing.assert_allclose(near.log_partition(1.0, u, 1.0), sign.log_partition(1.0, u, 1.0), rtol=1e-5, atol=1e-12)
    np.testing.assert_allclose(near.information(u, 1.0), sign.information(u, 1.0), atol=1e-5)
    for one, two in zip(near.derivatives(-1.0, u[:20], 1.0), sign.derivatives(-1.0, u[:20], 1.0), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5)


def test_most_a_label_can_tell() -> None:
    """One bit for the sign; ln 2 − H[ρ] with flips."""
    flips = 0.1 * math.log(0.1) + 0.9 * math.log(0.9)
    assert float(Sign().information(0.0, 1.0)) == pytest.approx(math.log(2.0), rel=1e-14)
    assert float(Flip(0.1).information(0.0, 1.0)) == pytest.approx(math.log(2.0) + flips, rel=1e-14)


@pytest.mark.parametrize(
    ("x", "v"), [(0.3, 1e-6), (-8.0, 1e-6), (2.0, 1e4), (-300.0, 1e4), (-250.0, 1.0), (-30.0, 25.0)]
)
def test_logistic_over_ten_decades(x: float, v: float) -> None:
    """Against windowed panels of the log-concave integrand in long form."""
    width = math.sqrt(v)
    t = np.linspace(-40.0, 40.0 + width, 1_000_001)
    terms = -0.5 * t * t - np.logaddexp(0.0, -(x + width * t))
    top = terms.max()
    direct = top + math.log(np.sum(np.exp(terms - top)) * (t[1] - t[0]) / math.sqrt(2.0 * math.pi))
    assert float(Logistic().log_partition(1.0, x, v)) == pytest.approx(direct, rel=1e-9, abs=1e-9)
