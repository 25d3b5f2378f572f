"""Verdicts with their proofs: witnesses satisfy every label, certificates are verified, linear
programming agrees.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gardner.inference.separable import MARGIN, Separation, VersionSpace, separate
from gardner.model import draw_instance

Floats = NDArray[np.float64]


def unit(rows: Floats, labels: Floats) -> Floats:
    signed = rows * labels[:, None]
    return np.asarray(signed / np.linalg.norm(signed, axis=1, keepdims=True))


def assert_proved(rows: Floats, labels: Floats, result: Separation) -> None:
    """The verdict follows from what came with it."""
    if result.verdict is VersionSpace.OPEN:
        assert result.witness is not None
        assert result.certificate is None
        assert np.all(labels * (rows @ result.witness) > 0.0)
        assert np.linalg.norm(result.witness) == pytest.approx(1.0, abs=1e-12)
    else:
        assert result.verdict is VersionSpace.EMPTY
        assert result.witness is None
        assert result.certificate is not None
        assert np.all(result.certificate >= 0.0)
        assert np.sum(result.certificate) == pytest.approx(1.0, abs=1e-12)
        assert np.linalg.norm(result.certificate @ unit(rows, labels)) <= 2.0 * MARGIN


def decide(rows: Floats, labels: Floats) -> VersionSpace:
    result = separate(rows, labels)
    assert_proved(rows, labels, result)
    return result.verdict


def best_margin_by_linear_programming(signed: Floats) -> float:
    """The slow twin: maximise t with f·x ≥ t, |x_i| ≤ 1."""
    count, features = signed.shape
    solution = scipy.optimize.linprog(
        c=np.append(np.zeros(features), -1.0),
        A_ub=np.column_stack([-signed, np.ones(count)]),
        b_ub=np.zeros(count),
        bounds=[(-1.0, 1.0)] * features + [(None, 1.0)],
        method="highs",
    )
    assert solution.status == 0
    assert solution.fun is not None
    return float(-solution.fun)


def rotation(features: int, rng: np.random.Generator) -> Floats:
    return np.asarray(np.linalg.qr(rng.standard_normal((features, features)))[0])


@pytest.mark.parametrize("features", [1, 2, 10, 100, 300])
@pytest.mark.parametrize("ratio", [0.5, 3.0, 10.0])
def test_a_teachers_labels_are_open(features: int, ratio: float) -> None:
    instance = draw_instance(features, max(ratio, 1.0 / features), seed=features)
    assert decide(instance.rows, instance.labels) is VersionSpace.OPEN


@pytest.mark.parametrize("features", [1, 2, 10, 100, 300])
def test_random_labels_far_beyond_capacity_are_empty(features: int) -> None:
    """Negative control: beyond two labels a weight [cover1965] random labels have no weights."""
    rng = np.random.default_rng(features)
    rows = rng.standard_normal((4 * features + 20, features))
    assert decide(rows, rng.choice([-1.0, 1.0], rows.shape[0])) is VersionSpace.EMPTY


@pytest.mark.parametrize("features", [3, 10, 40])
def test_linear_programming_agrees_at_capacity(features: int) -> None:
    """At M = 2N random labels are open or empty with probability one half, by the smallest of
    margins.
    """
    rng = np.random.default_rng(features)
    seen = set()
    for _ in range(20):
        rows, labels = rng.standard_normal((2 * features, features)), np.ones(2 * features)
        verdict = decide(rows, labels)
        assert (verdict is VersionSpace.OPEN) == (best_margin_by_linear_programming(unit(rows, labels)) > 1e-9)
        seen.add(verdict)
    assert seen == {VersionSpace.OPEN, VersionSpace.EMPTY}


@given(seed=st.integers(0, 10_000), count=st.integers(2, 24), features=st.integers(1, 8))
def test_linear_programming_agrees_on_lattices(seed: int, count: int, features: int) -> None:
    """Entries −1, 0, 1: ties, duplicates, opposite and dependent rows everywhere."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-1, 2, (count, features)).astype(np.float64)
    rows[np.all(rows == 0.0, axis=1), 0] = 1.0
    labels = (
        rng.choice([-1.0, 1.0], count) if seed % 2 else np.where(rows @ rng.standard_normal(features) > 0, 1.0, -1.0)
    )
    expected = best_margin_by_linear_programming(unit(rows, labels)) > 1e-9
    assert decide(rows, labels) is (VersionSpace.OPEN if expected else VersionSpace.EMPTY)


def test_opposite_rows_are_empty_and_one_is_enough() -> None:
    instance = draw_instance(20, 4.0, seed=1)
    rows = np.vstack([instance.rows, -3.0 * instance.rows[:1]])
    labels = np.append(instance.labels, instance.labels[0])
    assert decide(rows, labels) is VersionSpace.EMPTY
    assert decide(rows, np.append(instance.labels, -instance.labels[0])) is VersionSpace.OPEN


@pytest.mark.parametrize("angle", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("others", [0, 30])
def test_nearly_opposite_rows_leave_a_thin_cone(angle: float, others: int) -> None:
    """A wedge of that angle is thin but has volume; the other rows keep clear of it."""
    rng = np.random.default_rng(3)
    rows = np.zeros((2 + others, 8))
    rows[0, 0], rows[1, 0], rows[1, 1] = 1.0, -1.0, angle
    rows[2:] = rng.standard_normal((others, 8))
    rows[2:] *= np.sign(rows[2:, 1:] @ np.array([1.0] + [0.5] * 6))[:, None]
    rows[2:, 0] = 0.0
    assert decide(rows @ rotation(8, rng), np.ones(2 + others)) is VersionSpace.OPEN


@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-6])
def test_thin_cones_in_many_dimensions(width: float) -> None:
    """Every row nearly at right angles to the teacher: all margins are small at once."""
    rng = np.random.default_rng(4)
    teacher = rng.standard_normal(30)
    teacher /= np.linalg.norm(teacher)
    rows = rng.standard_normal((300, 30))
    rows -= np.outer((1.0 - width) * (rows @ teacher), teacher)
    assert decide(rows, np.sign(rows @ teacher)) is VersionSpace.OPEN


def test_a_single_positive_dependency_is_found() -> None:
    """Negative control: N rows in general position and minus a positive mixture of some of them."""
    rng = np.random.default_rng(5)
    for used in (2, 5, 20):
        rows = rng.standard_normal((20, 20))
        mixture = rng.uniform(1e-3, 1.0, used) @ rows[:used]
        assert decide(np.vstack([rows, -mixture]), np.ones(21)) is VersionSpace.EMPTY
        assert decide(np.vstack([rows, mixture]), np.ones(21)) is VersionSpace.OPEN


def test_rows_in_a_subspace() -> None:
    rng = np.random.default_rng(6)
    flat = rng.standard_normal((60, 5)) @ rng.standard_normal((5, 40))
    assert decide(flat, np.sign(flat @ rng.standard_normal(40))) is VersionSpace.OPEN
    assert decide(flat, rng.choice([-1.0, 1.0], 60)) is VersionSpace.EMPTY


def test_one_feature() -> None:
    assert decide(np.array([[2.0], [-1.0], [1e-9]]), np.array([1.0, -1.0, 1.0])) is VersionSpace.OPEN
    assert decide(np.array([[2.0], [-1.0], [1e-9]]), np.array([1.0, -1.0, -1.0])) is VersionSpace.EMPTY


def test_the_scale_of_rows_does_not_matter() -> None:
    instance = draw_instance(10, 3.0, seed=7)
    scale = 10.0 ** np.random.default_rng(7).uniform(-200.0, 200.0, (30, 1))
    assert separate(instance.rows * scale, instance.labels).verdict is VersionSpace.OPEN
    flipped = instance.labels * np.random.default_rng(8).choice([-1.0, 1.0], 30)
    assert separate(instance.rows * scale, flipped).verdict is decide(instance.rows, flipped)


def test_a_row_of_zeros_has_no_weights() -> None:
    result = separate(np.array([[1.0, 0.0], [0.0, 0.0]]), np.ones(2))
    assert result.verdict is VersionSpace.EMPTY
    assert result.certificate is not None
    assert result.certificate.tolist() == [0.0, 1.0]


def test_no_rows_leave_everything_open() -> None:
    assert separate(np.zeros((0, 3)), np.zeros(0)).verdict is VersionSpace.OPEN


@pytest.mark.parametrize("guess", [np.zeros(10), np.full(10, np.nan), -np.ones(10), 1e-30 * np.ones(10)])
def test_a_guess_is_checked_not_believed(guess: Floats) -> None:
    instance = draw_instance(10, 3.0, seed=9)
    result = separate(instance.rows, instance.labels, guess=guess)
    assert_proved(instance.rows, instance.labels, result)
    assert result.verdict is VersionSpace.OPEN


def test_a_good_guess_is_the_witness() -> None:
    instance = draw_instance(10, 3.0, seed=9)
    result = separate(instance.rows, instance.labels, guess=5.0 * instance.teacher, time_limit=-1.0)
    assert result.witness is not None
    np.testing.assert_allclose(result.witness, instance.teacher / np.linalg.norm(instance.teacher), rtol=1e-14)


def test_out_of_time_is_undecided() -> None:
    """Negative control: nothing is claimed without proof."""
    instance = draw_instance(10, 3.0, seed=9)
    result = separate(instance.rows, instance.labels, time_limit=-1.0)
    assert result == Separation(VersionSpace.UNDECIDED)
