"""What every prior must satisfy; a new one is picked up by its registry line. Channels:
``test_models.py``.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import array_api_strict
import jax
import numpy as np
import pytest
from scipy.stats import laplace, norm
from tests.jax_formula import JAX, double_precision

from gardner.model import PRIORS, GaussBernoulli, Gaussian, Laplace, Prior, Rademacher, library_of, parse_prior
from gardner.model.external import load_prior

OWN = Path(__file__).parents[2] / "docs" / "examples" / "my_model.py"
OF_PRIORS = [
    *map(parse_prior, PRIORS),
    Gaussian(2.5),
    GaussBernoulli(0.05),
    Laplace(3.0),
    load_prior(f"{OWN}:Uniform"),
]
priors = pytest.mark.parametrize("prior", OF_PRIORS, ids=str)


def integral(function: Any, low: float, high: float, panels: int = 60) -> float:
    """Gauss–Legendre on panels, one of their edges at zero."""
    node, weight = np.polynomial.legendre.leggauss(40)
    edges = np.unique([low, high, *np.linspace(low, high, panels + 1), *([0.0] if low < 0.0 < high else [])])
    half = 0.5 * np.diff(edges)[:, None]
    return float(np.sum(half * weight * function(0.5 * (edges[1:] + edges[:-1])[:, None] + half * node)))


def prior_average(prior: Any, function: Any) -> float:
    """∫ P_X(x) function(x) dx, from the definition of each prior."""
    if isinstance(prior, Rademacher):
        return float(0.5 * function(1.0) + 0.5 * function(-1.0))
    if isinstance(prior, GaussBernoulli):
        slab = prior_average(Gaussian(1.0 / prior.density), function)
        return float((1.0 - prior.density) * function(0.0) + prior.density * slab)
    width = math.sqrt(prior.second_moment)
    if isinstance(prior, Gaussian):
        return integral(lambda x: norm.pdf(x, 0.0, width) * function(x), -20.0 * width, 20.0 * width)
    if isinstance(prior, Laplace):
        law = laplace(0.0, width / math.sqrt(2.0))
        return integral(lambda x: law.pdf(x) * function(x), -150.0 * width, 150.0 * width, 600)
    return integral(lambda x: function(x) * np.exp(prior.log_density(x)), *prior.support)


@priors
@pytest.mark.parametrize(("A", "b"), [(0.0, 0.0), (0.0, 0.7), (0.3, -2.0), (2.0, 5.0), (30.0, -8.0), (1e-4, 0.3)])
def test_prior_log_partition_is_its_integral(prior: Prior, A: float, b: float) -> None:
    direct = [prior_average(prior, lambda x, k=k: x**k * np.exp(-0.5 * A * x * x + b * x)) for k in range(3)]
    mean, variance = direct[1] / direct[0], direct[2] / direct[0] - (direct[1] / direct[0]) ** 2
    assert prior.log_partition(A, b) == pytest.approx(math.log(direct[0]), rel=1e-9, abs=1e-9)
    assert [float(part) for part in prior.moments(A, b)] == pytest.approx([mean, variance], rel=1e-8, abs=1e-9)


@priors
def test_second_moment(prior: Prior) -> None:
    assert prior.second_moment == pytest.approx(prior_average(prior, lambda x: x * x), rel=1e-9)
    assert float(prior.moments(0.0, 0.0)[1]) == pytest.approx(prior.second_moment, rel=1e-9)


@priors
@double_precision
def test_same_prior_on_every_array_library(prior: Prior) -> None:
    A, b = np.array([0.0, 1.0, 40.0]), np.array([0.1, -3.0, 7.0])
    A_strict, b_strict = (array_api_strict.asarray(part) for part in (A, b))
    strict = library_of(A_strict)
    expected = (prior.log_partition(A, b), *prior.moments(A, b))
    on_strict = (prior.log_partition(A_strict, b_strict, strict), *prior.moments(A_strict, b_strict, strict))
    with_jax = (prior.log_partition(A, b, JAX), *prior.moments(A, b, JAX))
    for one, two, three in zip(expected, on_strict, with_jax, strict=True):
        np.testing.assert_allclose(np.asarray(two), one, rtol=1e-12)
        np.testing.assert_allclose(np.asarray(three), one, rtol=1e-10)


@priors
@double_precision
def test_prior_moments_are_the_derivatives(prior: Prior) -> None:
    A, b = (part.ravel() for part in np.meshgrid([0.0, 1e-7, 0.01, 1.0, 30.0], [-8.0, -0.9, 0.0, 0.3, 2.0, 8.0]))
    if isinstance(prior, Laplace):  # at A = 0 the integral exists for |b| < λ only
        A, b = A[(A > 1e-3) | (np.abs(b) < prior.rate)], b[(A > 1e-3) | (np.abs(b) < prior.rate)]
    first, second = _two_derivatives(lambda a, x: prior.log_partition(a, x, JAX), 1)(A, b)
    mean, variance = prior.moments(A, b)
    np.testing.assert_allclose(mean, first, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(variance, second, rtol=1e-9, atol=1e-12)


@priors
def test_prior_samples(prior: Prior) -> None:
    draws = prior.sample(200_000, np.random.default_rng(0))
    spread = float(np.std(draws**2)) / math.sqrt(draws.size)
    assert np.mean(draws**2) == pytest.approx(prior.second_moment, abs=4.0 * spread + 1e-12)
    assert np.mean(np.exp(-(draws**2))) == pytest.approx(float(np.exp(prior.log_partition(2.0, 0.0))), abs=0.005)


def _two_derivatives(psi: Any, at: int) -> Any:
    first = jax.grad(psi, at)
    return jax.jit(jax.vmap(lambda *parts: (first(*parts), jax.grad(first, at)(*parts))))
