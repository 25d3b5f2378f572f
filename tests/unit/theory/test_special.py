from __future__ import annotations

import jax
import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

from gardner.theory.precision import double_precision
from gardner.theory.special import JAX, POLYNOMIAL, inverse_mills, log_ndtr


@double_precision
def test_log_ndtr_everywhere() -> None:
    u = np.concatenate([np.linspace(-40, 40, 20001), -np.logspace(1, 5, 500)])
    np.testing.assert_allclose(
        np.asarray(log_ndtr(jax.numpy.asarray(u))), scipy.special.log_ndtr(u), rtol=4e-14, atol=1e-30
    )


@double_precision
def test_inverse_mills_has_no_bad_spot() -> None:
    """jax.scipy.special.erfcx (0.10.2) returns 0 between 26.543 and 26.642, u ≈ −37.6 here; this one must not."""
    u = np.concatenate([np.linspace(-40, 10, 50001), -np.logspace(1, 5, 500)])
    expected = np.sqrt(2 / np.pi) / scipy.special.erfcx(-u / np.sqrt(2))
    np.testing.assert_allclose(np.asarray(inverse_mills(jax.numpy.asarray(u))), expected, rtol=4e-14)


@double_precision
def test_both_libraries_are_one() -> None:
    u = jax.numpy.linspace(-60.0, 12.0, 5001)
    for one, other in ((JAX.mills(u), POLYNOMIAL.mills(u)), ((JAX.log_ndtr(u),), (POLYNOMIAL.log_ndtr(u),))):
        for first, second in zip(one, other, strict=True):
            np.testing.assert_allclose(np.asarray(first), np.asarray(second), rtol=2e-12, atol=1e-30)


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


def test_double_precision_leaves_jax_alone() -> None:
    def precision() -> str:
        return str(jax.numpy.ones(1).dtype)

    before = precision()

    @double_precision
    def inside() -> str:
        return precision()

    assert inside() == "float64"
    assert precision() == before
