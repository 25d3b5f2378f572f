"""Batched AMP: the readable version, very many times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.inference.batched import random_subsets, subset_log_volumes
from gardner.inference.message_passing import amp
from gardner.model import (
    GLM,
    Absolute,
    Flip,
    GaussBernoulli,
    Gaussian,
    Laplace,
    Linear,
    Logistic,
    Probit,
    Rademacher,
    draw_instance,
)

POOL = draw_instance(features=20, pool_ratio=3.0, seed=3)


@pytest.mark.parametrize("size", [1, 6, 12, 18, 54, 60])
def test_equals_the_readable_version(size: int) -> None:
    subsets = random_subsets(15, 60, size, np.random.default_rng(size))
    volumes = subset_log_volumes(POOL.rows, POOL.labels, subsets, tolerance=1e-12)
    assert volumes.converged.all()
    for subset, volume in zip(subsets, volumes.log_volume, strict=True):
        rows, labels = POOL.rows[subset], POOL.labels[subset]
        readable = amp(rows, labels, twin="readable", tolerance=1e-12, decide_empty=False)
        assert readable.settled
        assert volume == pytest.approx(readable.log_volume, rel=1e-9)


def test_default_tolerance_is_fine_enough() -> None:
    subsets = random_subsets(300, 60, 18, np.random.default_rng(0))
    loose, tight = (subset_log_volumes(POOL.rows, POOL.labels, subsets, tolerance=t) for t in (1e-7, 1e-12))
    np.testing.assert_allclose(loose.log_volume, tight.log_volume, atol=1e-6)


def test_threads_do_not_change_a_bit() -> None:
    subsets = random_subsets(9000, 60, 6, np.random.default_rng(0))
    fractions: list[float] = []
    one = subset_log_volumes(POOL.rows, POOL.labels, subsets, threads=1, progress=fractions.append)
    two = subset_log_volumes(POOL.rows, POOL.labels, subsets, threads=2)
    np.testing.assert_array_equal(one.log_volume, two.log_volume)
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_what_does_not_converge_is_marked() -> None:
    """A row and its opposite with the same label leave nothing; AMP runs for ever deeper, and that
    is told.
    """
    rows = np.concatenate([POOL.rows, -POOL.rows[:1]])
    labels = np.append(POOL.labels, POOL.labels[0])
    subsets = np.array([[1, 2, 3, 4], [0, 1, 2, 60], [5, 6, 7, 8]])
    volumes = subset_log_volumes(rows, labels, subsets)
    assert volumes.converged.tolist() == [True, False, True]
    assert volumes.fraction_converged == pytest.approx(2 / 3)
    assert volumes.log_volume[1] < -0.4


def test_resting_means_are_no_convergence() -> None:
    """Two almost opposite rows: forces cancel, the means rest from the start while everything else
    moves.
    """
    rows, labels = np.array([[1.0, 1e-9], [-1.0, 1e-9]]), np.ones(2)
    exact = np.log(1e-9 / np.pi) / 2
    volumes = subset_log_volumes(rows, labels, np.array([[0, 1]]))
    assert volumes.log_volume[0] == pytest.approx(exact, rel=0.05)
    readable = amp(rows, labels, twin="readable")
    assert readable.iterations > 10
    assert readable.log_volume == pytest.approx(exact, rel=0.05)


def test_subsets_are_uniform_and_without_repeats() -> None:
    subsets = random_subsets(20000, 10, 3, np.random.default_rng(0))
    assert (np.diff(np.sort(subsets, axis=1), axis=1) > 0).all()
    triples, counts = np.unique(np.sort(subsets, axis=1), axis=0, return_counts=True)
    assert len(triples) == 120
    chi_squared = float(np.sum((counts - 20000 / 120) ** 2) / (20000 / 120))
    assert chi_squared < 119 + 5 * np.sqrt(2 * 119)
    np.testing.assert_array_equal(subsets, random_subsets(20000, 10, 3, np.random.default_rng(0)))


@pytest.mark.parametrize(
    ("subsets", "says"),
    [
        (np.array([[0, 60]]), "between 0 and 59"),
        (np.array([[-1, 2]]), "between 0 and 59"),
        (np.array([[4, 4]]), "twice"),
        (np.array([[0.5, 1.0]]), "whole numbers"),
        (np.array([1, 2]), "one subset a line"),
    ],
)
def test_bad_subsets(subsets: Any, says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        subset_log_volumes(POOL.rows, POOL.labels, subsets)


def test_bad_size() -> None:
    with pytest.raises(InvalidInputError, match="1 to 10"):
        random_subsets(5, 10, 11, np.random.default_rng(0))


MODELS = [
    pytest.param(GLM(Rademacher(), Flip(0.1)), marks=pytest.mark.slow),  # each of these is compiled anew
    GLM(GaussBernoulli(0.3), Probit(0.2)),
    GLM(Gaussian(2.5), Linear(0.3)),
    pytest.param(GLM(Rademacher(), Absolute(0.3)), marks=pytest.mark.slow),  # half a minute to compile
    pytest.param(GLM(Gaussian(2.5), Logistic(3.0)), marks=pytest.mark.slow),
    GLM(Gaussian(2.5), Absolute(0.3)),  # means and g rest at zero: the variances alone tell
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_every_compiled_model_is_the_readable_one(model: GLM) -> None:
    problem = draw_instance(20, 2.0, 1, model)
    subsets = random_subsets(6, 40, 15, np.random.default_rng(0))
    volumes = subset_log_volumes(problem.rows, problem.labels, subsets, model, tolerance=1e-9)
    for subset, value, converged in zip(subsets, volumes.log_volume, volumes.converged, strict=True):
        one = amp(problem.rows[subset], problem.labels[subset], model, twin="readable", tolerance=1e-9)
        if converged and one.converged:
            assert value == pytest.approx(one.log_volume, abs=1e-6)
    assert volumes.fraction_converged > 0.5


def test_a_prior_without_compiled_functions_is_refused_by_name() -> None:
    with pytest.raises(InvalidInputError, match="gaussian, rademacher, gauss-bernoulli and"):
        subset_log_volumes(np.eye(2), np.ones(2), np.array([[0, 1]]), GLM(Laplace()))
