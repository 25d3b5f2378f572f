from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gardner.errors import ConvergenceError
from gardner.model import PERCEPTRON, draw_instance
from gardner.strategies.base import View
from gardner.strategies.students import School

POOL = draw_instance(features=40, pool_ratio=4.0, seed=3, dtype=np.float64)


def asked(indices: Any, seed: int = 0, pool: Any = POOL.rows, labels: Any = POOL.labels) -> View:
    rows = np.asarray(indices)

    def unused() -> Any:
        raise AssertionError("students know no posterior")

    return View(pool, rows, labels[rows], 5, np.random.default_rng(seed), unused, unused, PERCEPTRON)


def beginners(count: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).standard_normal((count, POOL.rows.shape[1]))


def knows(students: Any, view: View) -> bool:
    return bool(((students @ view.pool[view.queried].T) * view.labels > 0.0).all())


def test_students_learn_all_labels_round_by_round() -> None:
    school, students = School(), beginners(4)
    for count in (5, 10, 40, 120, 160):
        view = asked(np.arange(count)[::-1] if count == 5 else np.r_[4, 3, 2, 1, 0, 5:count])
        school.teach(view, students)
        assert knows(students, view)


def test_the_gram_matrix_changes_nothing() -> None:
    """The same student on the same labels in the same order, with fields kept and with fields
    formed anew.
    """
    view_a, view_b = asked(np.arange(100)), asked(np.arange(100))
    with_gram, without = beginners(1), beginners(1)
    School(rate=0.7).teach(view_a, with_gram)
    School(rate=0.7, largest=10).teach(view_b, without)
    np.testing.assert_allclose(with_gram, without, rtol=0.0, atol=1e-10)
    assert not np.allclose(with_gram, beginners(1))


def test_another_set_of_rows_is_another_school_year() -> None:
    school, students, fresh = School(), beginners(3), beginners(3)
    school.teach(asked(np.arange(60)), beginners(3))
    school.teach(asked(np.arange(90, 30, -1), seed=2), students)
    School().teach(asked(np.arange(90, 30, -1), seed=2), fresh)
    np.testing.assert_allclose(students, fresh, atol=1e-10)


def test_the_gram_matrix_is_given_up_where_it_grows_too_large() -> None:
    school, students = School(largest=50**2), beginners(2)
    for count in (30, 50, 51, 120):
        view = asked(np.arange(count))
        school.teach(view, students)
        assert knows(students, view)


def test_contradicting_labels_are_reported() -> None:
    rows = np.vstack([POOL.rows[:1], POOL.rows[:1]])
    with pytest.raises(ConvergenceError, match="after 20 epochs"):
        School(epochs=20).teach(asked([0, 1], pool=rows, labels=np.array([1.0, -1.0])), beginners(1))
