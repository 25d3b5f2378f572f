"""Problems drawn from a seed."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.model import draw_instance


def test_same_seed_same_bytes() -> None:
    one, two, other = (draw_instance(40, 2.5, seed) for seed in (7, 7, 8))
    assert one.rows.shape == (100, 40)
    for name in ("rows", "teacher", "labels"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()
        assert getattr(one, name).tobytes() != getattr(other, name).tobytes()


def test_rows_have_variance_one_over_features_and_labels_are_true() -> None:
    problem = draw_instance(400, 5.0, 0, dtype=np.float32)
    assert problem.rows.dtype == problem.labels.dtype == np.float32
    assert 400 * np.mean(problem.rows.astype(float) ** 2) == pytest.approx(1.0, abs=0.01)
    fields = problem.rows.astype(float) @ problem.teacher
    clear = np.abs(fields) > 1e-5  # rounding of the product may turn the others
    np.testing.assert_array_equal(np.sign(fields[clear]), problem.labels[clear])


def test_larger_pool_begins_with_the_smaller_one() -> None:
    small, large = draw_instance(30, 1.0, 0), draw_instance(30, 50.0, 0)
    np.testing.assert_array_equal(large.rows[:30], small.rows)
    np.testing.assert_array_equal(large.teacher, small.teacher)


def test_streams_are_not_those_of_anyone_who_spawns_from_the_same_seed() -> None:
    problem = draw_instance(50, 2.0, 0)
    for child in (np.random.default_rng(0), *np.random.default_rng(0).spawn(8)):
        draws = child.standard_normal(5000)
        assert not np.isin(problem.teacher, draws).any()
        assert not np.isin(problem.rows[0] * np.sqrt(50), draws).any()


def test_bad_sizes() -> None:
    with pytest.raises(InvalidInputError, match="features"):
        draw_instance(0, 3.0, 0)
    with pytest.raises(InvalidInputError, match="negative"):
        draw_instance(10, 1.0, -1)
    with pytest.raises(InvalidInputError, match="empty pool"):
        draw_instance(10, 0.01, 0)
