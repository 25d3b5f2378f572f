"""Weights of different variances: the prior itself, and what it refuses."""

from __future__ import annotations

import math
import pickle
from typing import Any

import array_api_strict
import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.model import GLM, Gaussian, Rademacher, Spectrum, draw_instance, library_of

VARIANCES = [2.5, 0.5, 0.0, 1.0]


def test_each_weight_has_the_formula_of_its_variance() -> None:
    spectrum = Spectrum(VARIANCES)
    A, b = np.array([0.3, 2.0, 1.0, 0.0]), np.array([1.0, -2.0, 5.0, 0.5])
    value, (mean, variance) = np.asarray(spectrum.log_partition(A, b)), spectrum.moments(A, b)
    for k, c in enumerate(VARIANCES):
        if c == 0.0:  # a weight without effect is zero, whatever it is told
            assert (value[k], np.asarray(mean)[k], np.asarray(variance)[k]) == (0.0, 0.0, 0.0)
            continue
        alone = Gaussian(c)
        assert value[k] == pytest.approx(alone.log_partition(A[k], b[k]), abs=1e-15)
        expected = [float(part) for part in alone.moments(A[k], b[k])]
        assert [np.asarray(mean)[k], np.asarray(variance)[k]] == pytest.approx(expected, abs=1e-15)


def test_other_array_libraries_and_precisions() -> None:
    spectrum, b = Spectrum(VARIANCES), np.array([1.0, -2.0, 5.0, 0.5])
    strict = array_api_strict.asarray(b)
    there = spectrum.moments(1.5, strict, library_of(strict))[0]
    np.testing.assert_allclose(np.asarray(there), np.asarray(spectrum.moments(1.5, b)[0]))
    single = b.astype(np.float32)
    assert np.asarray(spectrum.log_partition(1.5, single)).dtype == np.float32


def test_alignment_moves_variance_between_directions() -> None:
    plain, aligned, against = (Spectrum(VARIANCES, s) for s in (0.0, 1.0, -1.0))
    assert plain.second_moments.tolist() == VARIANCES
    squares = np.square(VARIANCES)
    np.testing.assert_allclose(aligned.second_moments, squares * np.mean(VARIANCES) / np.mean(squares))
    np.testing.assert_allclose(against.second_moments, np.array([4.0, 4.0, 0.0, 4.0]) / 3.0)  # zero stays zero
    assert [one.second_moment for one in (plain, aligned, against)] == [1.0, 1.0, 1.0]
    assert aligned.second_moments.mean() == pytest.approx(1.0)


def test_equal_variances_are_one_law() -> None:
    assert Spectrum([0.5, 0.5, 0.5]).one_normal_law
    assert Gaussian(2.0).one_normal_law
    assert not Spectrum(VARIANCES).one_normal_law
    assert not Rademacher().one_normal_law


def test_a_spectrum_of_another_size_keeps_its_mean() -> None:
    spectrum = Spectrum(np.geomspace(0.01, 1.0, 30))
    for count in (7, 30, 31, 60, 1000):
        other = spectrum.of_size(count)
        assert len(other.variances) == count
        assert other.second_moment == pytest.approx(spectrum.second_moment, rel=1e-12)
        assert min(spectrum.variances) <= min(other.variances) <= max(other.variances) <= max(spectrum.variances)
    assert spectrum.of_size(30) is spectrum
    assert Gaussian().of_size(7) is not None
    assert GLM().of_size(50) == GLM()


def test_samples_have_the_variances() -> None:
    draws = np.stack([Spectrum(VARIANCES).sample(4, np.random.default_rng(seed)) for seed in range(4000)])
    np.testing.assert_allclose(np.mean(draws**2, axis=0), VARIANCES, rtol=0.1)
    instance = draw_instance(8, 2.0, 0, GLM(Spectrum(VARIANCES)))
    assert np.count_nonzero(instance.teacher) == 6  # two of eight weights are without effect


def test_equal_numbers_make_equal_priors() -> None:
    one, two = Spectrum(VARIANCES), Spectrum(np.array(VARIANCES))
    assert one == two
    assert hash(one) == hash(two)
    assert one != Spectrum(VARIANCES, 0.5)
    assert one != Spectrum(VARIANCES[::-1])  # a weight is a direction, and has its place
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - our own
    assert repr(Spectrum(VARIANCES, 0.5)) == "Spectrum(4 variances from 0 to 2.5, alignment=0.5)"


def test_effective_rank() -> None:
    assert Spectrum([3.0] * 5).effective_rank == pytest.approx(5.0)
    assert Spectrum([1.0, 0.0, 0.0]).effective_rank == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("variances", "message"),
    [
        ([], "two numbers or more"),
        ([2.0], "use gaussian:2"),
        ([1.0, -0.5], "number 2 of the spectrum: a variance is finite and not negative"),
        ([math.nan, 1.0], "number 1 of the spectrum"),
        ([1.0, math.inf], "finite"),
        ([0.0, 0.0], "at least one variance must be positive"),
        (np.eye(2), "one number a weight"),
        (["a", "b"], "list of numbers"),
        (7.0, "list of numbers"),
    ],
)
def test_no_spectrum(variances: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message) as caught:
        Spectrum(variances)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("alignment", [math.nan, math.inf, 25.0, "much", True])
def test_no_alignment(alignment: Any) -> None:
    with pytest.raises(InvalidInputError, match="alignment"):
        Spectrum([1.0, 2.0], alignment)
