"""Which labels are names of classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from gardner.errors import InvalidInputError
from gardner.table.classes.labels import MOST_CLASSES, read_names


def test_names_and_what_is_none() -> None:
    found = read_names(pd.Series(["b", None, "a", pd.NA, "c", " ", float("nan")], dtype=object))
    assert found is not None
    assert found[0] == ("a", "b", "c")
    assert np.array_equal(found[1], [1.0, np.nan, 0.0, np.nan, 2.0, np.nan, np.nan], equal_nan=True)


def test_blanks_around_a_name_make_no_other_class() -> None:
    found = read_names(["a ", "a", " b", "c"])
    assert found is not None
    assert found[0] == ("a", "b", "c")


def test_a_list_with_nan_has_no_class_of_that_name() -> None:
    found = read_names(["b", float("nan"), "a"])  # type: ignore[arg-type]
    assert found is not None
    assert found[0] == ("a", "b")


def test_whole_numbers_as_texts_are_in_their_order() -> None:
    found = read_names(["10", "9", "2", ""])
    assert found is not None
    assert found[0] == ("2", "9", "10")


@pytest.mark.parametrize("labels", [[1.0, 2.0, np.nan], ["1.5", "2", "3"], ["", ""], ["a", 1, "b"], [["a"], ["b"]]])
def test_what_are_no_names(labels: list[object]) -> None:
    assert read_names(labels) is None  # type: ignore[arg-type]


def test_numbers_are_names_where_that_is_asked_for() -> None:
    found = read_names(np.array([10.0, 2.0, np.nan, 3.0]), numbers=True)
    assert found is not None
    assert found[0] == ("2", "3", "10")
    assert np.array_equal(found[1], [2.0, 0.0, np.nan, 1.0], equal_nan=True)
    assert read_names([1.5, 2.0, 3.0], numbers=True) is None
    assert read_names([10, 2, 2]) is None


def test_too_many() -> None:
    with pytest.raises(InvalidInputError, match="at most 100 classes"):
        read_names([f"name {index}" for index in range(MOST_CLASSES + 1)])
