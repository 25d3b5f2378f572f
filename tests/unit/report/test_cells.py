"""Tables: numbers of a column agree in their decimals, missing ones are dashes, bars stay within
their frame.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gardner.report.cells import tabulate


def texts(frame: pd.DataFrame, column: str) -> list[str]:
    table = tabulate(frame)
    index = [shown.name for shown in table.columns].index(column)
    return [row.cells[index].text for row in table.rows]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.3, 0.6, 1.2], ["0.3", "0.6", "1.2"]),
        ([3.0, 10.0, 100.0], ["3", "10", "100"]),
        ([-0.83021, None, -1.5], ["−0.830", "–", "−1.500"]),
        ([1e-9, 2e-9], ["1e−09", "2e−09"]),
        ([400, 2000], ["400", "2000"]),
        ([True, False], ["yes", "no"]),
        (np.array([True, False]), ["yes", "no"]),
        (["a", None], ["a", "–"]),
        ([1.5, "many"], ["1.5", "many"]),
        ([0.0, 0.0], ["0", "0"]),
        ([math.inf, 1.0], ["inf", "1"]),
        ([math.nan, math.nan], ["–", "–"]),
    ],
)
def test_columns_are_formatted_as_a_whole(values: list[object], expected: list[str]) -> None:
    assert texts(pd.DataFrame({"x": values}), "x") == expected


def test_errors_stand_beside_their_values_with_digits_to_show_them() -> None:
    frame = pd.DataFrame({"ln v": [-0.8302, -1.3], "ln v stderr": [0.0004, None], "gap stderr": [1.0, 2.0]})
    assert [column.name for column in tabulate(frame).columns] == ["ln v", "gap stderr"]
    assert texts(frame, "ln v") == ["−0.8302 ± 0.0004", "−1.3000"]


def test_informed_rows_are_marked_and_the_column_is_not_shown() -> None:
    table = tabulate(pd.DataFrame({"strategy": ["a", "b", "c"], "informed": [True, False, None]}))
    assert [column.name for column in table.columns] == ["strategy"]
    assert [row.informed for row in table.rows] == [True, False, False]


@given(st.floats(-3.0, 3.0))
def test_bars_stay_within_their_frame_and_numbers_are_not_clipped(share: float) -> None:
    (row,) = tabulate(pd.DataFrame({"way to its bound": [share]})).rows
    (cell,) = row.cells
    assert cell.bar is not None
    assert 0.0 <= cell.bar <= 100.0
    assert float(cell.text.removesuffix(" %").replace("−", "-")) == pytest.approx(100.0 * share, abs=0.0501)
    assert float(cell.key) == share


def test_duplicate_and_unusual_column_names_are_kept() -> None:
    table = tabulate(pd.DataFrame([[1, 2, 3]], columns=["<b>", 7, "<b>"]))
    assert [column.name for column in table.columns] == ["<b>", "7", "<b>"]
    assert [cell.text for cell in table.rows[0].cells] == ["1", "2", "3"]
