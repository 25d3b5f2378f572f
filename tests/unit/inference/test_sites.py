"""One step of expectation propagation: where rounding could eat a site."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.inference.sites import evaluate
from gardner.model import Sign


@pytest.mark.parametrize("depth", [10.0, 100.0, 1e3, 1e4])
def test_sites_of_deep_surprises(depth: float) -> None:
    """1 − V S = (1 − 6/u² + 50/u⁴ − …)/u² loses a few u² units of rounding, no more."""
    other = 1e6  # the site of the second row pins the shared field at −depth standard deviations
    width = 1.0 / math.sqrt(1.0 + other)
    tau, nu = np.array([0.0, other]), np.array([0.0, -depth / width])
    state = evaluate(np.ones((2, 1)), np.ones(2), Sign(), tau, nu)
    assert state is not None
    u = float(state.omega[0] / np.sqrt(state.V[0]))
    assert u == pytest.approx(-depth, rel=1e-9)
    left = (1.0 - 6.0 / u**2 + 50.0 / u**4 - 518.0 / u**6) / u**2
    expected = (1.0 - left) / left / state.V[0]
    assert state.target_tau[0] == pytest.approx(expected, rel=2e-14 * u**2 + 1e4 / u**8)
