from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import log_ndtr, logsumexp

from gardner.errors import ConvergenceError
from gardner.model import Channel, Flip, Logistic, Rademacher, Sign
from gardner.theory.formula.average import INNER_ORDER, Inner
from gardner.theory.formula.expansion import channel_psi, prior_psi
from gardner.theory.formula.quadrature import Grid, peak, refine, stretched_grid, window, window_rule
from gardner.theory.formula.taylor import Floats


def inner(h: float, D: float, V: float, beta: float, order: int = INNER_ORDER) -> float:
    average = Inner(channel_psi(Sign(), 1.0, V), beta, np.array([h]), D)
    return float(average.log_average(average.locate(True), order)[0])


def witness(h: float, D: float, V: float, beta: float) -> float:
    """Ln ∫Dζ Φ((√D ζ + h)/√V)^β by adaptive quadrature around the peak found on a dense grid."""

    def exponent(z: Floats | float) -> Floats:
        value: Floats = beta * log_ndtr((np.sqrt(D) * z + h) / np.sqrt(V)) - 0.5 * np.square(z)
        return value

    widest = 20.0 / np.sqrt(min(1.0, 1.0 + beta * D / V))
    coarse = np.linspace(-5 * widest - abs(beta), 5 * widest + abs(beta), 400_001)
    values = exponent(coarse)
    top, mode = values.max(), coarse[values.argmax()]
    alive = coarse[values > top - 45]
    area = quad(
        lambda z: np.exp(exponent(z) - top), alive[0], alive[-1], points=[mode], limit=500, epsabs=0, epsrel=1e-12
    )[0]
    return float(top + np.log(area) - 0.5 * np.log(2 * np.pi))


@given(
    h=st.floats(-2.0, 3.0),
    ratio=st.floats(0.001, 1.5),
    V=st.floats(0.05, 0.9),
    edge=st.floats(0.02, 0.98),
    positive=st.floats(0.1, 80.0),
)
def test_inner_average_against_adaptive_quadrature(
    h: float, ratio: float, V: float, edge: float, positive: float
) -> None:
    """Both signs of β; for β < 0 up to the edge V + βD → 0 where the peak is wide and far
    off-centre.
    """
    D = ratio * V
    for beta in (-(1.0 - edge) / ratio, positive):
        if abs(beta) < 300:
            assert inner(h, D, V, beta) == pytest.approx(witness(h, D, V, beta), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("beta", [-1e2, -1e4, -1e6, 1e2, 1e4, 1e6])
def test_inner_average_at_extreme_beta(beta: float) -> None:
    """At |β| = 10⁶ with βD fixed the integral is a Laplace limit; order 28 and 60 must agree."""
    D = 0.3 / abs(beta)
    for h in (-1.0, 0.0, 0.7, 2.0):
        assert inner(h, D, 0.4, beta) == pytest.approx(inner(h, D, 0.4, beta, order=60), rel=1e-12, abs=1e-11)


@given(a=st.floats(-0.98, 50.0), b=st.floats(-30.0, 30.0))
def test_window_on_a_gaussian(a: float, b: float) -> None:
    """∫Dz exp(−a z²/2 + b z) = (1+a)^(−1/2) exp(b²/(2(1+a)))."""

    def value(z: Floats) -> Floats:
        return -0.5 * a * z * z + b * z

    at = peak(value, lambda z: (value(z), -a * z + b, np.full_like(z, -a)), 1)
    z, log_weights = window_rule(at, INNER_ORDER)
    expected = -0.5 * np.log(1 + a) + b * b / (2 * (1 + a))
    assert logsumexp(value(z) + log_weights) == pytest.approx(expected, rel=1e-10, abs=1e-10)


def test_a_peak_is_found_where_newton_alone_would_jump_about() -> None:
    """−5 √(1 + z²/s²) is almost |z|: Newton's steps from far away leave the bracket."""
    scale, centre = 1e-3, 7.0

    def slopes(z: Floats) -> tuple[Floats, Floats, Floats]:
        x = (z - centre) / scale
        root = np.sqrt(1.0 + x * x)
        return -5.0 * scale * root * 1e2, -5e2 * x / root, -5e2 / scale / root**3

    at = peak(lambda z: slopes(z)[0], slopes, 1)
    assert at.mode[0] == pytest.approx(centre, abs=1e-3)
    assert at.left[0] < centre < at.right[0]


@pytest.mark.parametrize("gain", [0.5, 3.0, 30.0])
def test_a_window_holds_two_peaks(gain: float) -> None:
    """exp(gain ln cosh(1.5 z) − z²/2) has two peaks for gain × 2.25 > 1; Newton from zero would
    miss both.
    """

    def exponent(z: Floats) -> Floats:
        value: Floats = gain * (np.logaddexp(1.5 * z, -1.5 * z) - math.log(2.0))
        return value

    z, log_weights = window_rule(window(exponent, 1), 28)
    centre = 1.5 * gain
    top = float(exponent(np.array(centre))) - 0.5 * centre**2
    area = 2.0 * quad(lambda x: math.exp(exponent(x) - 0.5 * x * x - top), 0.0, centre + 12.0, points=[centre])[0]
    expected = top + math.log(area) - 0.5 * math.log(2 * math.pi)
    assert logsumexp(exponent(z) + log_weights) == pytest.approx(expected, abs=1e-7 * (1 + gain))


@pytest.mark.parametrize("channel", [Flip(0.2), Logistic(5.0)])
def test_inner_average_where_nothing_is_concave(channel: Channel) -> None:
    """β < 0 and a noisy channel: the integrand over ζ may have two peaks, and the average must hold
    both.
    """
    D, V, beta = 0.3, 0.4, -9.0
    h = np.array([-2.0, 0.0, 1.5, 3.0, 4.0])
    average = Inner(channel_psi(channel, 1.0, V), beta, h, D)
    ours = average.log_average(average.locate(False))
    z = np.linspace(-40.0, 40.0, 20_001)
    for value, centre in zip(ours, h, strict=True):
        psi = np.asarray(channel.log_partition(1.0, centre + math.sqrt(D) * z, V))
        expected = logsumexp(beta * psi - 0.5 * z * z) + math.log((z[1] - z[0]) / math.sqrt(2 * math.pi))
        assert value == pytest.approx(expected, abs=1e-8)


def test_a_far_peak_is_found() -> None:
    """A wrong label at large β: flat around ζ = 0, and far out, where the field turns, a higher
    peak.

    Version 0.1.0 searched from zero outwards, saw nothing at ±10 and stopped.
    """
    D, V, beta, h = 0.04, 1e-3, 120.0, np.array([-4.2])
    average = Inner(channel_psi(Flip(0.05), 1.0, V), beta, h, D)
    z = np.linspace(-40.0, 60.0, 400_001)
    psi = np.asarray(Flip(0.05).log_partition(1.0, h[0] + math.sqrt(D) * z, V))
    expected = logsumexp(beta * psi - 0.5 * z * z) + math.log((z[1] - z[0]) / math.sqrt(2 * math.pi))
    assert average.log_average(average.locate(False))[0] == pytest.approx(expected, abs=1e-7)
    assert expected > beta * math.log(0.05) + 50.0  # the peak at zero would have given that without the 50


def _integrate(grid: Grid, function: object) -> float:
    assert callable(function)
    eta, weights = grid.normal()
    return float((weights * function(eta)).sum())


@pytest.mark.parametrize("sharpness", [1.0, 1e2, 1e4])
def test_refine_finds_a_kink(sharpness: float) -> None:
    def kink(x: Floats) -> Floats:
        return np.logaddexp(0.0, sharpness * (x - 0.3137)) / sharpness

    grid = refine(lambda eta: np.stack([kink(eta) * np.exp(-0.5 * eta**2)]), np.array([-8.6, 0.0, 8.6]))
    assert grid.resolved
    expected = quad(
        lambda x: float(kink(np.array(x))) * np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi),
        -8.6,
        8.6,
        points=[0.3137, 0.3137 - 20 / sharpness, 0.3137 + 20 / sharpness],
        limit=500,
        epsabs=1e-14,
    )[0]
    assert _integrate(grid, kink) == pytest.approx(expected, abs=1e-10)


def test_a_fixed_grid_misses_the_kink() -> None:
    """Negative control: the same integral on panels that do not know of the kink is visibly wrong."""

    def kink(x: Floats) -> Floats:
        return np.maximum(x - 0.3137, 0.0)

    edges = np.linspace(-8.6, 8.6, 5)
    blind = Grid(np.stack([edges[:-1], edges[1:]], 1), resolved=True)
    exact = quad(lambda x: float(kink(np.array(x))) * np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi), 0.3137, 8.6)[0]
    assert abs(_integrate(blind, kink) - exact) > 1e-4
    assert abs(_integrate(blind.bisected(), kink) - _integrate(blind, kink)) > 1e-5


def test_refine_says_when_it_gives_up() -> None:
    rng = np.random.default_rng(0)
    noisy = refine(lambda eta: rng.normal(size=(1, len(eta))), np.array([-1.0, 1.0]))
    assert not noisy.resolved


@pytest.mark.parametrize("scale", [1e-4, 0.1, 5.0])
def test_stretched_grid_integrates_narrow_features(scale: float) -> None:
    grid = stretched_grid(scale)
    expected = 1.0 / np.sqrt(1.0 + 1.0 / scale**2)
    assert _integrate(grid, lambda eta: np.exp(-0.5 * (eta / scale) ** 2)) == pytest.approx(expected, rel=1e-10)


def binary_inner(centre: float, spread: float, beta: float, order: int = INNER_ORDER) -> float:
    average = Inner(prior_psi(Rademacher(), 0.0), beta, np.array([centre]), spread, turns=True)
    return float(average.log_average(average.locate(True), order)[0])


def binary_witness(centre: float, spread: float, beta: float) -> float:
    """Ln ∫Dλ cosh(√s λ + c)^β on a fine uniform grid, which converges exponentially."""
    z = np.linspace(-40.0, 40.0, 800_001)
    fields = centre + math.sqrt(spread) * z
    exponent = beta * (np.logaddexp(fields, -fields) - math.log(2.0)) - 0.5 * z * z
    return float(logsumexp(exponent) + math.log(z[1] - z[0]) - 0.5 * math.log(2.0 * math.pi))


@pytest.mark.parametrize(
    ("centre", "spread", "beta"),
    [
        (12.55, 1.5126578405, -9.4692108173),  # Newton jumped to and fro here for ever, just inside its bracket
        (3.0, 6.9, -0.3),  # the cosh turns within a seventh of the peak's width, far from its mode
        (0.4, 6.7, -0.55),
        (8.0, 5.2, -1.59),
        (-12.0, 3.3, -3.6),
    ],
)
def test_binary_weights_at_negative_beta(centre: float, spread: float, beta: float) -> None:
    """The first was off by 6·10⁻⁴ and the second by 10⁻⁸; 28 nodes between two cuts give 10⁻¹⁰."""
    assert binary_inner(centre, spread, beta) == pytest.approx(binary_witness(centre, spread, beta), rel=1e-10)


def test_a_peak_that_is_not_found_is_an_error() -> None:
    """A slope that never changes sign has no peak; nothing may be made up for it."""

    def slopes(z: Floats) -> tuple[Floats, Floats, Floats]:
        return z, z + 1.0 + np.exp(-z), np.zeros_like(z)

    with pytest.raises(ConvergenceError, match="peak"):
        peak(lambda z: z, slopes, 1)


def test_rounding_does_not_split_panels() -> None:
    rng = np.random.default_rng(0)

    def rough(x: Floats) -> Floats:
        return np.stack([np.exp(-x * x), 1e-3 + 1e-6 * rng.standard_normal(x.shape)])

    edges = np.linspace(-2.0, 2.0, 5)
    assert not refine(rough, edges, tolerance=1e-9).resolved
    calm = refine(rough, edges, tolerance=1e-9, noise=np.array([1e-15, 1e-5]))
    assert calm.resolved
    assert len(calm.edges) < 20
