"""Information of two labels: against the exact one of a bivariate normal field, and within what a
label can tell.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from gardner.model import Channel, Flip, Linear, Logistic, Probit, Sign
from gardner.table.score import entropy, latent, pair_information, sharpness, signs_information


def exact(means: tuple[float, float], correlation: float) -> float:
    """I(sign h; sign h') in nats of a bivariate normal field of unit variances."""
    both = float(multivariate_normal([0.0, 0.0], [[1.0, correlation], [correlation, 1.0]]).cdf(means))
    first, second = (float(norm.cdf(mean)) for mean in means)
    joint = np.array([[both, first - both], [second - both, 1.0 - first - second + both]])
    apart = np.outer([first, 1.0 - first], [second, 1.0 - second])
    joint = np.maximum(joint, 1e-15)
    return float(np.sum(joint * np.log(joint / np.array([[apart[0, 0], apart[0, 1]], [apart[1, 0], apart[1, 1]]]))))


def approximate(means: tuple[float, float], correlation: float, channel: Channel) -> float:
    omega, V = np.array(means), np.ones(2) - (channel.linear_noise or 0.0)
    sharp, most = sharpness(channel, omega, V), entropy(channel, omega, V)
    return float(pair_information(np.array([[correlation]]), sharp[:1], sharp[1:], most[:1], most[1:])[0, 0])


@pytest.mark.parametrize("means", [(0.0, 0.0), (0.5, -0.3), (1.0, 1.0), (-1.5, 0.2)])
@pytest.mark.parametrize("correlation", [0.05, 0.2, -0.2, 0.4])
def test_against_the_exact_information(means: tuple[float, float], correlation: float) -> None:
    """First order in the correlation: off by a share of about the correlation itself."""
    truth = exact(means, correlation)
    assert approximate(means, correlation, Sign()) == pytest.approx(truth, rel=1.6 * abs(correlation) + 0.02, abs=1e-6)


@pytest.mark.parametrize("means", [(0.0, 0.0), (0.5, -0.3), (1.0, 1.0), (-1.5, 0.2)])
@pytest.mark.parametrize("correlation", [0.2, -0.6, 0.95])
def test_signs_are_exact(means: tuple[float, float], correlation: float) -> None:
    first, second = (np.array([mean]) for mean in means)
    found = signs_information(first, second, np.array([correlation]))[0]
    assert found == pytest.approx(exact(means, correlation), rel=1e-3, abs=1e-6)


def test_fewer_nodes_do_where_signs_are_loosely_tied() -> None:
    rng = np.random.default_rng(0)
    first, correlation = rng.uniform(-4.0, 4.0, 2000), rng.uniform(-1.0, 1.0, 2000)
    for mean in (-3.0, 0.0, 1.5):
        quick, slow = (signs_information(first, np.asarray(mean), correlation, quick=one) for one in (True, False))
        assert np.allclose(quick, slow, rtol=0.0, atol=1e-10)


def test_a_channel_as_noise_before_a_sign() -> None:
    omega, V = np.array([-1.0, 0.5]), np.array([0.4, 2.0])
    u, total = latent(Probit(0.3), omega, V)
    assert np.allclose(total, V + 0.3)
    assert np.allclose(u, omega / np.sqrt(V + 0.3))
    assert (latent(Flip(0.2), omega, V)[1] > V).all()


def test_near_copies_tell_no_more_than_there_is_to_tell() -> None:
    for means in ((0.0, 0.0), (2.0, 2.0), (3.0, -1.0)):
        found = approximate(means, 0.9999, Sign())
        assert found <= entropy(Sign(), np.array(means), np.ones(2)).min() + 1e-12
    assert approximate((0.0, 0.0), 0.9999, Sign()) <= math.log(2.0)


def test_two_numbers_are_exact() -> None:
    assert approximate((0.3, -2.0), 0.6, Linear(0.5)) == pytest.approx(-0.5 * math.log(1.0 - 0.36))


@pytest.mark.parametrize("channel", [Sign(), Probit(0.3), Flip(0.1), Logistic(), Linear(0.2)])
def test_sharpness_is_the_mean_square_of_g(channel: Channel) -> None:
    """E[−g'] = E[g²], since the probabilities of all labels sum to one."""
    omega, V = np.array([-1.0, 0.0, 2.0]), np.array([0.5, 1.0, 2.0])
    found = sharpness(channel, omega, V)
    if channel.labels:
        square = sum(
            np.exp(channel.log_partition(np.full(3, y), omega, V))
            * channel.derivatives(np.full(3, y), omega, V)[0] ** 2
            for y in channel.labels
        )
        assert np.allclose(found, square, rtol=1e-6)
    else:
        assert np.allclose(found, 1.0 / (V + 0.2))


def test_entropy_of_a_label() -> None:
    assert entropy(Sign(), np.zeros(1), np.ones(1))[0] == pytest.approx(math.log(2.0))
    assert entropy(Sign(), np.array([60.0]), np.ones(1))[0] == pytest.approx(0.0, abs=1e-12)
    assert np.isinf(entropy(Linear(1.0), np.zeros(1), np.ones(1))[0])
