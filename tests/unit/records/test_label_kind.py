"""Classes or numbers: what is told, and what is asked."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.records.label_kind import MOST_CLASSES, label_kind


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], "classes"),
        ([7.0], "classes"),
        ([0.0, 1.0], "classes"),
        ([-3.0, 12.0], "classes"),
        ([0.1], "regression"),
        ([0.5, 1.0, 2.0], "regression"),
        (list(range(MOST_CLASSES + 1)), "regression"),
    ],
)
def test_what_labels_are(values: list[float], expected: str) -> None:
    assert label_kind(np.array(values, dtype=np.float64)) == expected


@pytest.mark.parametrize("values", [[0.5, 1.5], [1.0, 2.0, 3.0], list(range(MOST_CLASSES))])
def test_what_is_asked(values: list[float]) -> None:
    numbers = np.array(values, dtype=np.float64)
    with pytest.raises(InvalidInputError, match=r"can be classes or a regression; say which: kind='classes' or"):
        label_kind(numbers)
    assert label_kind(numbers, "regression") == "regression"
