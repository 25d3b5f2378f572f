from __future__ import annotations

import jax
import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from tests.jax_formula import double_precision, inverse_mills, log_ndtr

from gardner.model.special import log_normal


def test_log_normal_everywhere() -> None:
    u = np.concatenate([np.linspace(-40, 40, 20001), -np.logspace(1, 5, 500)])
    value, rest, rho, excess = log_normal(u)
    np.testing.assert_allclose(value, scipy.special.log_ndtr(u), rtol=4e-14, atol=1e-30)
    ratio = np.sqrt(2 / np.pi) / scipy.special.erfcx(-u / np.sqrt(2))
    np.testing.assert_allclose(rho[u < 10.0], ratio[u < 10.0], rtol=4e-14)
    far = -np.logspace(2, 6, 200)
    np.testing.assert_allclose(log_normal(far)[3], -1.0 / far * (1.0 - 2.0 / far**2), rtol=2e-7)
    near = np.abs(u) < 5.0
    np.testing.assert_allclose(rest[near], value[near] + 0.5 * u[near] ** 2, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(excess[near], (rho + u)[near], rtol=1e-11)


@double_precision
def test_the_witness_has_the_same_functions() -> None:
    """jax.scipy.special.erfcx (0.10.2) returns 0 between 26.543 and 26.642, u ≈ −37.6 here; this
    one must not.
    """
    u = np.concatenate([np.linspace(-40, 10, 50001), -np.logspace(1, 5, 500)])
    value, _, rho, _ = log_normal(u)
    np.testing.assert_allclose(np.asarray(inverse_mills(jax.numpy.asarray(u))), rho, rtol=4e-14)
    np.testing.assert_allclose(np.asarray(log_ndtr(jax.numpy.asarray(u))), value, rtol=4e-14, atol=1e-30)


_slope, _curvature = jax.jit(jax.grad(log_ndtr)), jax.jit(jax.grad(jax.grad(log_ndtr)))


@double_precision
def derivatives(u: float) -> tuple[float, float]:
    return float(_slope(u)), float(_curvature(u))


@given(st.floats(-200.0, 8.0))
def test_derivatives_against_finite_differences(u: float) -> None:
    first, second = derivatives(u)
    step = 1e-5 * max(1.0, abs(u))
    around = scipy.special.log_ndtr(np.array([u - step, u + step]))
    assert first == pytest.approx((around[1] - around[0]) / (2 * step), rel=1e-5, abs=1e-9)
    mills = np.sqrt(2 / np.pi) / scipy.special.erfcx(-np.array([u - step, u + step]) / np.sqrt(2))
    assert second == pytest.approx((mills[1] - mills[0]) / (2 * step), rel=1e-4, abs=1e-7)
