from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr

from gardner.model import PERCEPTRON
from gardner.theory.free_entropy import (
    Hats,
    Theta,
    closed,
    gaussian_hats,
    general,
)
from gardner.theory.jets import jet, outer_grid, quadrature_shift
from gardner.theory.pair import pair_of
from gardner.theory.precision import double_precision
from gardner.theory.quadrature import CHUNK, Floats, Grid

overlaps = st.tuples(st.floats(0.05, 0.9), st.floats(0.01, 0.4), st.floats(0.01, 0.4), st.floats(0.05, 0.8))
fields = st.floats(-8.0, 6.0)
negative = st.floats(0.05, 0.9)  # 1 + βD/V


def theta_of(order: tuple[float, ...], phi: float, beta: float) -> Floats:
    return np.array([*order, phi, beta])


MOST_CHUNKS = 10
PAIR = pair_of(PERCEPTRON)


def nodes_of(grid: Grid) -> tuple[jax.Array, jax.Array]:
    """All nodes as one array of fixed length (weight zero beyond), so that each formula is compiled once."""
    parts = grid.chunks()
    padding = (MOST_CHUNKS - len(parts)) * CHUNK
    eta = np.pad(np.concatenate([eta for eta, _ in parts]), (0, padding))
    weights = np.pad(np.concatenate([weights for _, weights in parts]), (0, padding))
    return jnp.asarray(eta), jnp.asarray(weights)


@jax.jit
def closed_value(theta: jax.Array, eta: jax.Array, weights: jax.Array, alpha: float = 3.0) -> Any:
    return closed(PAIR, alpha, Theta(*theta), eta, weights)


@jax.jit
def general_value(theta: jax.Array, hats: jax.Array, eta: jax.Array, weights: jax.Array) -> Any:
    return general(PAIR, 3.0, Theta(*theta), Hats(*hats), eta, weights)


@given(order=overlaps, phi=fields, edge=negative, positive=st.floats(0.2, 30.0))
def test_general_form_equals_closed_form(order: tuple[float, ...], phi: float, edge: float, positive: float) -> None:
    """The hats of a Gaussian prior, put into the general formula, give the closed one."""

    @double_precision
    def both(beta: float) -> tuple[float, float]:
        theta = theta_of(order, phi, beta)
        eta, weights = nodes_of(outer_grid(PAIR, theta))
        hats = jnp.array(gaussian_hats(Theta(*theta)))
        return float(closed_value(theta, eta, weights)), float(general_value(theta, hats, eta, weights))

    for beta in (-(1.0 - edge) * order[3] / order[2], positive):
        special, full = both(beta)
        assert full == pytest.approx(special, abs=1e-9 * (1.0 + abs(beta)) * (1.0 + abs(special)))


@double_precision
def test_general_form_is_stationary_in_the_hats() -> None:
    theta = np.array([0.5, 0.1, 0.2, 0.4, -1.0, -1.2])
    eta, weights = nodes_of(outer_grid(PAIR, theta))
    hats = jnp.array(gaussian_hats(Theta(*theta)))
    slope = jax.jit(jax.grad(general_value, argnums=1))
    np.testing.assert_allclose(np.asarray(slope(theta, hats, eta, weights)), 0.0, atol=1e-9)
    assert np.abs(np.asarray(slope(theta, 1.1 * hats, eta, weights))).max() > 1e-3  # negative control


@given(order=overlaps, phi=fields)
def test_at_beta_one_it_is_an_ordinary_glm(order: tuple[float, ...], phi: float) -> None:
    """At β = 1 the inner average is Φ(h/√(r−q)): the RS free entropy with channel weight 1 + e^φ P_out."""
    m, t, D, V = order
    q, alpha = m * m + t, 2.3

    @double_precision
    def ours() -> float:
        theta = theta_of(order, phi, 1.0)
        return float(closed_value(theta, *nodes_of(outer_grid(PAIR, theta)), alpha))

    def integrand(x: float) -> float:
        density = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)
        chosen = np.log1p(np.exp(phi) * ndtr(np.sqrt(q) * x / np.sqrt(D + V)))
        return float(density * ndtr(m * x / np.sqrt(t)) * chosen)

    energetic = 2.0 * quad(integrand, -9.0, 9.0, points=[0.0], limit=400, epsabs=1e-13)[0]
    entropic = 0.5 * (np.log(D + V) + t / (D + V) + 1.0 - (q + D + V))
    assert ours() == pytest.approx(entropic + alpha * energetic, rel=1e-9, abs=1e-9)


@double_precision
def test_gradient_and_hessian_against_finite_differences() -> None:
    theta = np.array([0.5, 0.1, 0.2, 0.4, -1.0, -1.2])
    grid = outer_grid(PAIR, theta)
    here = jet(PAIR, 3.0, theta, grid)
    for index in range(6):
        step = np.zeros(6)
        step[index] = 1e-5
        up, down = (jet(PAIR, 3.0, theta + sign * step, grid) for sign in (1, -1))
        assert here.gradient[index] == pytest.approx((up.value - down.value) / 2e-5, rel=1e-6, abs=1e-8)
        np.testing.assert_allclose(here.hessian[index], (up.gradient - down.gradient) / 2e-5, rtol=1e-5, atol=1e-6)


@double_precision
def test_error_estimate_sees_a_grid_that_is_too_coarse() -> None:
    """At β = −2409 (α = 3, n = 1.5) panels that do not follow the kink give a false plateau: the estimate must
    shout."""
    theta = np.array([0.8284, 0.1372, 6.0e-5, 0.1765, -40.0, -2409.0])
    edges = np.linspace(-8.6, 8.6, 5)
    blind = Grid(np.stack([edges[:-1], edges[1:]], 1), resolved=True)
    good = outer_grid(PAIR, theta)
    for grid, bound in ((good, False), (blind, True)):
        shift, slope = quadrature_shift(PAIR, 3.0, jet(PAIR, 3.0, theta, grid), theta, grid)
        assert (max(abs(slope[5]), abs(shift) / 2409.0) > 1e-7) == bound
