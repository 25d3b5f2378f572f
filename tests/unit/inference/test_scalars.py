"""Compiled scalar functions against the models they stand for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr

from gardner.inference import noisy_scalars, scalars
from gardner.model import (
    Absolute,
    Channel,
    Compiled,
    Flip,
    GaussBernoulli,
    Gaussian,
    Linear,
    Logistic,
    Prior,
    Probit,
    Rademacher,
    Sign,
    library_of,
)

CHANNELS: list[Channel] = [
    Sign(), Flip(0.05), Flip(1e-9), Probit(0.3), Probit(0.0), Logistic(5.0), Linear(0.1), Absolute(0.2),
]  # fmt: skip
PRIORS: list[Prior] = [Gaussian(), Gaussian(2.5), Rademacher(), GaussBernoulli(0.1)]


def test_every_compiled_part_is_tested() -> None:
    assert {compiled_of(channel).name for channel in CHANNELS} == set(noisy_scalars.CHANNELS)
    assert {compiled_of(prior).name for prior in PRIORS} == set(noisy_scalars.PRIORS)


def compiled_of(part: Channel | Prior) -> Compiled:
    assert part.compiled is not None
    return part.compiled


@pytest.mark.parametrize("channel", CHANNELS, ids=str)
@given(omega=st.floats(-1e3, 1e3), V=st.floats(1e-4, 1e3), positive=st.booleans())
def test_compiled_channel_is_the_model(channel: Channel, omega: float, V: float, positive: bool) -> None:
    y = 1.0 if positive else -1.0
    name, parameter = compiled_of(channel)
    compiled = noisy_scalars.CHANNELS[name]
    exact = isinstance(channel, Sign | Probit)
    small, relative = (1e-290, 1e-12) if exact else (1e-12, 1e-10)
    g, minus_slope = channel.derivatives(y, np.asarray(omega), np.asarray(V))
    found = compiled.derivatives(y, omega, V, parameter)
    # where −g' is a difference, digits are lost in units of its larger part
    assert found[0] == pytest.approx(float(g), rel=relative, abs=small)
    assert found[1] == pytest.approx(float(minus_slope), rel=relative, abs=small * (1.0 + 1.0 / V))
    psi = float(channel.log_partition(y, np.asarray(omega), np.asarray(V)))
    assert compiled.log_partition(y, omega, V, parameter) == pytest.approx(psi, rel=1e-12, abs=small)


@pytest.mark.parametrize("prior", PRIORS, ids=str)
@given(A=st.floats(0.0, 1e3), b=st.floats(-300.0, 300.0))
def test_compiled_prior_is_the_model(prior: Prior, A: float, b: float) -> None:
    name, parameter = compiled_of(prior)
    compiled = noisy_scalars.PRIORS[name]
    mean, variance = prior.moments(np.asarray(A), np.asarray(b))
    assert compiled.moments(A, b, parameter) == pytest.approx((float(mean), float(variance)), rel=1e-10, abs=1e-250)
    psi = float(prior.log_partition(np.asarray(A), np.asarray(b)))
    potential = psi - b * float(mean) + 0.5 * A * (float(mean) ** 2 + float(variance))
    size = abs(psi) + abs(b * float(mean)) + A * float(mean) ** 2
    assert compiled.potential(A, b, parameter) == pytest.approx(potential, rel=1e-10, abs=1e-13 * (1.0 + size))


def test_no_flips_are_the_sign() -> None:
    assert Flip(0.0).compiled == Sign().compiled == Compiled("sign")


@given(x=st.floats(-690.0, 0.0))
def test_exponential(x: float) -> None:
    assert scalars.exponential(x) == pytest.approx(math.exp(x), rel=4e-16 * max(1.0, 4.0))


@given(u=st.floats(-1e8, 30.0))
def test_mills_ratio_to_rounding(u: float) -> None:
    """ρ and ρ + u, checked by identities that lose no digits: Laplace's continued fraction far out,
    ln Φ nearby.
    """
    rho, excess = scalars.mills(u)
    on_array = [float(np.asarray(part)[0]) for part in library_of(0.0).mills(np.array([u]))]
    digits = max(1e-14, 2.5e-16 * 0.5 * u * u)  # e^{−u²/2} is known to its exponent times the rounding of a double
    assert [rho, excess] == pytest.approx(on_array, rel=digits, abs=1e-300)
    if u < -5.0:
        rest = 0.0
        for k in range(200, 0, -1):
            rest = k / (-u + rest)
        assert excess == pytest.approx(rest, rel=2e-14)
    else:
        density = -0.5 * u * u - 0.5 * math.log(2 * math.pi)
        assert math.log(rho) == pytest.approx(density - float(log_ndtr(u)), rel=1e-13, abs=1e-13)
