"""Checks that several parts make: what passes, and what the error says."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.checks import check_whole
from gardner.errors import InvalidInputError


@pytest.mark.parametrize("value", [1, 7, np.int64(7), np.uint8(1)])
def test_whole_numbers_pass_as_python_has_them(value: int) -> None:
    found = check_whole("batch_size", value, 1, 7)
    assert found == value
    assert type(found) is int


@pytest.mark.parametrize("value", [0, 8, True, 1.0, "1", None, np.nan])
def test_anything_else_is_refused_in_one_line(value: object) -> None:
    with pytest.raises(InvalidInputError, match=r"^batch_size = .* it must be a whole number from 1 to 7$"):
        check_whole("batch_size", value, 1, 7)


def test_there_may_be_no_end() -> None:
    assert check_whole("members", 10**30, 1) == 10**30
    with pytest.raises(InvalidInputError, match="a whole number of at least 1"):
        check_whole("members", -1, 1)
