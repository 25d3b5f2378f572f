"""The integral over the ladder of offsets converges, and knows its error."""

from __future__ import annotations

import math

import numpy as np
import scipy.integrate
import scipy.special

from gardner.inference.billiard import DENSITY
from gardner.inference.ladder import Ladder


def test_quadrature_converges_and_knows_its_error() -> None:
    """On the exact bounce rate of a thin wedge; with the slack guessed wrong, rule and half rule
    part company.
    """
    opening = 0.01
    steep = (1.0 + math.cos(opening)) / math.sin(opening)

    def swept(c: float) -> float:  # dZ/dc = 2 φ(c) Φ(c (1 − ρ)/√(1 − ρ²)), ρ = −cos(opening)
        return float(2.0 * math.exp(-0.5 * c * c) / math.sqrt(math.tau) * scipy.special.ndtr(c * steep))

    def bounces(c: float) -> float:
        volume = scipy.integrate.quad(swept, 0.0, c, points=[min(c, opening)], limit=200, epsabs=1e-14)[0]
        return swept(c) / (opening / math.tau + volume) / DENSITY

    for slack, good in ((0.3 * opening, True), (opening, True), (1.0, False)):
        ladder = Ladder.of(slack, walls=2)
        means = np.array([bounces(float(c)) for c in ladder.offsets])
        error = abs(float(ladder.weights @ means) + math.log(opening / math.tau))
        estimate = float((ladder.weights - ladder.coarse) @ means) ** 2 / -math.log(opening / math.tau)
        assert (error < 1e-3) is good
        assert (estimate < 5e-3) is good
