"""The largest of several normal numbers: by other integrals, by differences, and by symmetry."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm

from gardner.table.classes.largest import chances, entropy, slopes

RNG = np.random.default_rng(0)


def some(kinds: int, rows: int = 6) -> tuple[np.ndarray, np.ndarray]:
    return 1.5 * RNG.standard_normal((rows, kinds)), np.exp(RNG.uniform(-1.0, 1.0, (rows, kinds)))


def test_two_classes_are_a_probit() -> None:
    mean, T = some(2)
    wanted = ndtr((mean[:, 0] - mean[:, 1]) / np.sqrt(T.sum(axis=1)))
    assert chances(mean, T)[:, 0] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("kinds", [3, 10])
def test_against_adaptive_quadrature(kinds: int) -> None:
    mean, T = some(kinds, 2)
    found = chances(mean, T)
    for m, deviation, probability in zip(mean, np.sqrt(T), found, strict=True):
        for c in range(kinds):

            def integrand(u: float, c: int = c, m: np.ndarray = m, deviation: np.ndarray = deviation) -> float:
                below = ndtr((u - m) / deviation)
                return float(norm.pdf(u, m[c], deviation[c]) * np.prod(np.delete(below, c)))

            ends = float((m - 8.0 * deviation).min()), float((m + 8.0 * deviation).max())
            assert probability[c] == pytest.approx(quad(integrand, *ends, limit=200)[0], abs=1e-7)


def test_they_add_up_and_follow_the_classes() -> None:
    mean, T = some(5, 40)
    found = chances(mean, T)
    assert found.sum(axis=1) == pytest.approx(np.ones(40), abs=1e-12)
    order = RNG.permutation(5)
    assert chances(mean[:, order], T[:, order]) == pytest.approx(found[:, order], abs=1e-9)
    assert chances(mean + 7.0, T) == pytest.approx(found, abs=1e-9)
    assert entropy(np.full((1, 5), 0.2)) == pytest.approx([np.log(5.0)])


def test_a_sure_class_leaves_the_others_a_chance() -> None:
    found = chances(np.array([[40.0, 0.0, 0.0]]), np.ones((1, 3)))[0]
    assert 0.0 < found[1] < 1e-9
    assert found[0] == pytest.approx(1.0)


@pytest.mark.parametrize("kinds", [2, 4])
def test_slopes_are_the_derivatives(kinds: int) -> None:
    mean, T = some(kinds)
    probability, matrix = slopes(mean, T)
    assert probability == pytest.approx(chances(mean, T))
    for j in range(kinds):
        step = np.zeros(kinds)
        step[j] = 1e-4
        wanted = (chances(mean + step, T) - chances(mean - step, T)) / 2e-4
        assert matrix[:, :, j] == pytest.approx(wanted, abs=1e-6)
