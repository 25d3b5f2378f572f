"""The formula, by two routes: the engine's own derivatives against automatic differentiation, and
known limits.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr
from tests.jax_formula import (
    Conjugates,
    Theta,
    closed,
    conjugates_of,
    coupling,
    derivatives_of,
    double_precision,
    energetic,
    gaussian_conjugates,
    padded,
    row_nodes,
    theta_of,
    weight_average,
    weight_nodes,
)

from gardner.model import (
    GLM,
    PERCEPTRON,
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
from gardner.theory.curve.branch import begin
from gardner.theory.curve.equations import Problem
from gardner.theory.formula.evaluation import Mesh, derivatives, make_mesh, outer_grid, quadrature_shift
from gardner.theory.formula.free_entropy import to_coordinates
from gardner.theory.formula.pair import Pair, pair_of
from gardner.theory.formula.quadrature import Grid
from gardner.theory.formula.taylor import Floats
from gardner.theory.formula.weights import weight_grid

overlaps = st.tuples(st.floats(0.05, 0.9), st.floats(0.01, 0.4), st.floats(0.01, 0.4), st.floats(0.05, 0.8))
fields = st.floats(-8.0, 6.0)
PAIR = pair_of(PERCEPTRON)


def place_of(order: tuple[float, ...], phi: float, beta: float) -> Floats:
    return to_coordinates(np.array([*order, phi, beta]))


def same(ours: Any, witness: tuple[float, Floats, Floats], rtol: float, atol: float) -> None:
    assert ours.value == pytest.approx(witness[0], rel=rtol, abs=atol)
    np.testing.assert_allclose(ours.gradient, witness[1], rtol=rtol, atol=atol)
    np.testing.assert_allclose(ours.hessian, witness[2], rtol=10.0 * rtol, atol=10.0 * atol)


@pytest.mark.parametrize(
    "pair",
    [
        PAIR,
        Pair(GLM(Gaussian(1.7), Probit(0.2)), GLM(Laplace(0.6), Flip(0.05))),
        pytest.param(pair_of(GLM(Gaussian(), Flip(0.1))), marks=pytest.mark.slow),
        pytest.param(pair_of(GLM(Gaussian(0.5), Logistic(3.0))), marks=pytest.mark.slow),
    ],
    ids=["sign", "probit from flips", "flip", "logistic"],
)
@double_precision
def test_derivatives_against_automatic_differentiation(pair: Pair) -> None:
    """Value, gradient and Hessian of Φ in the coordinates, the Gaussian part of unexpected labels
    taken out or not.
    """

    def formula(x: Any, nodes: Any) -> Any:
        return closed(pair, 3.0, theta_of(x), nodes, nodes.inner)

    for beta in (-4.0, 0.7, 12.0):
        z = place_of((0.5, 0.1, 0.08, 0.4), -1.0, beta)
        mesh = make_mesh(pair, z)
        witness = derivatives_of(formula, z, padded(pair, theta_of(z), mesh.rows, 200))
        same(derivatives(pair, 3.0, z, mesh), witness, 1e-7, 1e-7)


@pytest.mark.parametrize(
    ("prior", "beta"),
    [
        (Rademacher(), -0.8),
        (GaussBernoulli(), -0.8),
        *(
            pytest.param(*one, marks=pytest.mark.slow)
            for one in ((Rademacher(), 0.6), (GaussBernoulli(), 0.6), (Laplace(), -0.8), (Laplace(), 0.6))
        ),
    ],
    ids=str,
)
@double_precision
def test_conjugates_against_automatic_differentiation(prior: Prior, beta: float) -> None:
    """Coupling and average over weights with their derivatives in overlaps and conjugates."""
    problem = Problem(GLM(prior, Linear(0.1)), 3.0, 0.6)
    pair, z = problem.pair, begin(problem)
    z[5] = np.arcsinh(beta)
    z = z + 0.02 * np.sin(np.arange(len(z)))
    mesh = make_mesh(pair, z)
    assert mesh.weights is not None
    grid = mesh.weights
    nodes = weight_nodes(prior, beta, conjugates_of(pair, z), grid)

    def formula(x: Any) -> Any:
        theta, conjugates = theta_of(x), conjugates_of(pair, x)
        extra = 0.5 * theta.beta * conjugates.r * (1.0 - theta.r) if pair.fixed_norm else 0.0  # r = r⁰, whatever V
        return coupling(theta, conjugates) + extra + weight_average(pair, theta.beta, conjugates, grid, nodes)

    same(derivatives(pair, 0.0, z, mesh), derivatives_of(formula, z), 1e-7, 1e-7)


@pytest.mark.parametrize("beta", [-0.9, pytest.param(2.5, marks=pytest.mark.slow)])
@double_precision
def test_general_form_equals_closed_form(beta: float) -> None:
    """Gaussian student of another variance, teacher of another prior and scale: the conjugates in
    closed form.
    """
    pair = Pair(GLM(Gaussian(1.7), Probit(0.2)), GLM(Laplace(0.6), Flip(0.05)))
    theta = Theta(0.5, 0.1, 0.2, 0.4, -1.0, beta)
    grid = outer_grid(pair, to_coordinates(np.array(theta)))
    rows = row_nodes(pair, theta, grid)
    conjugates = gaussian_conjugates(theta, 1.7)
    xi = weight_grid(pair, conjugates.m, conjugates.q)
    nodes = weight_nodes(pair.student.prior, beta, conjugates, xi)

    def general(h: Any) -> Any:
        prior_part = coupling(theta, Conjugates(*h)) + weight_average(pair, theta.beta, Conjugates(*h), xi, nodes)
        return prior_part + 3.0 * (jax.nn.softplus(theta.phi) + energetic(pair, theta, grid, rows))

    value_and_slope = jax.jit(jax.value_and_grad(general))
    full, slope = value_and_slope(jnp.array(conjugates))
    assert float(full) == pytest.approx(float(closed(pair, 3.0, theta, grid, rows)), abs=1e-8)
    np.testing.assert_allclose(np.asarray(slope), 0.0, atol=1e-7)
    assert np.abs(np.asarray(value_and_slope(1.1 * jnp.array(conjugates))[1])).max() > 1e-3  # negative control


@given(order=overlaps, phi=fields)
def test_at_beta_one_it_is_an_ordinary_glm(order: tuple[float, ...], phi: float) -> None:
    """At β = 1 the inner average is Φ(h/√(r−q)): the RS free entropy with channel weight 1 + e^φ
    P_out.
    """
    m, t, D, V = order
    q, alpha = m * m + t, 2.3
    z = place_of(order, phi, 1.0)

    def integrand(x: float) -> float:
        density = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)
        chosen = np.log1p(np.exp(phi) * ndtr(np.sqrt(q) * x / np.sqrt(D + V)))
        return float(density * ndtr(m * x / np.sqrt(t)) * chosen)

    energy = 2.0 * quad(integrand, -9.0, 9.0, points=[0.0], limit=400, epsabs=1e-13)[0]
    entropic = 0.5 * (np.log(D + V) + t / (D + V) + 1.0 - (q + D + V))
    assert derivatives(PAIR, alpha, z, make_mesh(PAIR, z)).value == pytest.approx(
        entropic + alpha * energy, rel=1e-9, abs=1e-9
    )


@pytest.mark.parametrize("channel", [Sign(), Probit(0.1), Flip(0.05), Logistic(3.0), Linear(0.1)], ids=str)
@pytest.mark.parametrize("beta", [-1.2, 1.7])
def test_gradient_and_hessian_against_finite_differences(channel: Channel, beta: float) -> None:
    pair = pair_of(GLM(Gaussian(), channel))
    z = place_of((0.5, 0.1, 0.2, 0.4), -1.0, beta)
    mesh = make_mesh(pair, z)
    here = derivatives(pair, 3.0, z, mesh)
    for index in range(6):
        step = 1e-5 * np.eye(6)[index]
        up, down = (derivatives(pair, 3.0, z + sign * step, mesh) for sign in (1, -1))
        assert here.gradient[index] == pytest.approx((up.value - down.value) / 2e-5, rel=1e-6, abs=1e-8)
        np.testing.assert_allclose(here.hessian[index], (up.gradient - down.gradient) / 2e-5, rtol=1e-5, atol=1e-6)


def test_error_estimate_sees_a_grid_that_is_too_coarse() -> None:
    """At β = −2409 (α = 3, n = 1.5) panels that do not follow the kink give a false plateau: the
    estimate must shout.
    """
    z = to_coordinates(np.array([0.8284, 0.1372, 6.0e-5, 0.1765, -40.0, -2409.0]))
    edges = np.linspace(-8.6, 8.6, 5)
    blind = Grid(np.stack([edges[:-1], edges[1:]], 1), resolved=True)
    for grid, bound in ((outer_grid(PAIR, z), False), (blind, True)):
        mesh = Mesh(grid)
        shift, slope = quadrature_shift(PAIR, 3.0, derivatives(PAIR, 3.0, z, mesh), z, mesh)
        off = max(abs(slope[5]) / math.cosh(z[5]), abs(shift) / 2409.0)
        assert (off > 1e-7) == bound
