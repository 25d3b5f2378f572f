"""Compiled scalar functions against the models they stand for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr

from gardner.inference import scalars
from gardner.model import Channel, Sign, library_of
from gardner.model.channel import Channel as ChannelProtocol

CHANNELS: list[Channel] = [Sign()]


def test_every_compiled_channel_is_tested() -> None:
    assert {type(channel) for channel in CHANNELS} == set(scalars.CHANNELS)
    assert all(isinstance(channel, ChannelProtocol) for channel in CHANNELS)


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: type(channel).__name__)
@given(omega=st.floats(-1e3, 1e3), V=st.floats(1e-4, 1e3), positive=st.booleans())
def test_compiled_channel_is_the_model(channel: Channel, omega: float, V: float, positive: bool) -> None:
    y = 1.0 if positive else -1.0
    compiled = scalars.CHANNELS[type(channel)]
    g, minus_slope = channel.derivatives(y, np.asarray(omega), np.asarray(V))
    assert compiled.derivatives(y, omega, V) == pytest.approx((float(g), float(minus_slope)), rel=1e-12, abs=1e-290)
    psi = float(channel.log_partition(y, np.asarray(omega), np.asarray(V)))
    assert compiled.log_partition(y, omega, V) == pytest.approx(psi, rel=1e-12, abs=1e-290)


@given(x=st.floats(-690.0, 0.0))
def test_exponential(x: float) -> None:
    assert scalars.exponential(x) == pytest.approx(math.exp(x), rel=4e-16 * max(1.0, 4.0))


@given(u=st.floats(-1e8, 30.0))
def test_mills_ratio_to_rounding(u: float) -> None:
    """ρ and ρ + u, checked by identities that lose no digits: Laplace's continued fraction far out, ln Φ nearby."""
    rho, excess = scalars.mills(u)
    on_array = library_of(0.0).mills(np.array([u]))
    assert (rho, excess) == pytest.approx((float(on_array[0][0]), float(on_array[1][0])), rel=1e-14, abs=1e-300)
    if u < -5.0:
        rest = 0.0
        for k in range(200, 0, -1):
            rest = k / (-u + rest)
        assert excess == pytest.approx(rest, rel=2e-14)
    else:
        density = -0.5 * u * u - 0.5 * math.log(2 * math.pi)
        assert math.log(rho) == pytest.approx(density - float(log_ndtr(u)), rel=1e-13, abs=1e-13)
