"""Columns become numbers, gaps are filled and said, and another table is read in the same way."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from gardner.errors import InvalidInputError
from gardner.records.encoding import Encoding, learn_encoding

TABLE = pd.DataFrame(
    {
        "age": [20.0, None, 40.0, 60.0],
        "town": ["Rome", None, "Oslo", "Rome"],
        "smokes": [True, False, True, False],
        "dose": ["1.5", "NA", "2.5", "3.5"],
    }
)


def test_gaps_of_numbers_are_filled_with_the_mean_and_marked() -> None:
    encoding = learn_encoding(TABLE, ["age", "smokes"])
    assert encoding.names == ("age", "age missing", "smokes")
    assert encoding.matrix(TABLE).tolist() == [[20, 0, 1], [40, 1, 0], [40, 0, 1], [60, 0, 0]]
    assert encoding.notes[0].startswith("column age: 1 of 4 cells is empty, filled with the mean 40;")


def test_a_missing_text_is_a_kind_of_its_own() -> None:
    encoding = learn_encoding(TABLE, ["town"])
    assert encoding.names == ("town=Oslo", "town=Rome", "town missing")
    assert encoding.matrix(TABLE).tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0]]
    assert encoding.notes == ("column town became 3 columns of zeros and ones",)


def test_a_word_for_nothing_among_numbers_is_a_missing_number() -> None:
    encoding = learn_encoding(TABLE, ["dose"])
    assert encoding.matrix(TABLE)[:, 0].tolist() == [1.5, 2.5, 2.5, 3.5]
    texts = pd.DataFrame({"drink": ["None", "beer", "wine"]})
    assert learn_encoding(texts, ["drink"]).names == ("drink=None", "drink=beer", "drink=wine")


def test_another_table_is_read_in_the_same_way_also_from_a_file() -> None:
    encoding = learn_encoding(TABLE, ["age", "town"])
    kept = Encoding.from_data(json.loads(json.dumps(encoding.as_data())))
    other = pd.DataFrame({"town": ["Paris", "Rome"], "more": [1, 2], "age": [None, 7.0]})
    assert kept.names == encoding.names
    assert kept.matrix(other).tolist() == [[40, 1, 0, 0, 0], [7, 0, 0, 1, 0]]


def test_gaps_where_there_were_none_are_filled_too() -> None:
    encoding = learn_encoding(TABLE.assign(age=[1.0, 2.0, 3.0, 4.0]), ["age", "smokes"])
    assert encoding.matrix(TABLE)[1].tolist() == [2.5, 0.0]


def test_other_columns_are_one_line() -> None:
    encoding = learn_encoding(TABLE, ["age", "town"])
    with pytest.raises(InvalidInputError, match="columns = 'town' is not valid: the table lacks 1 of the 2 columns"):
        encoding.matrix(TABLE[["age"]])
    with pytest.raises(InvalidInputError, match="age = 'old' is not valid: numbers are wanted"):
        encoding.matrix(TABLE.assign(age=["1", "old", "3", "4"]))


def test_ids_are_noticed_and_many_texts_or_nothing_left_out() -> None:
    count = 30
    frame = pd.DataFrame(
        {
            "n": np.arange(count) + 5,
            "patient id": np.arange(count) ** 2,
            "squares": np.arange(count) ** 2,
            "name": [f"n{k}" for k in range(count)],
            "nothing": [None] * count,
        }
    )
    encoding = learn_encoding(frame, list(frame.columns))
    assert encoding.names == ("n", "patient id", "squares")
    assert len(encoding.notes) == 4
    assert encoding.notes[0].endswith(
        "numbers the rows, like an id, and is used as a feature; ignore='n' leaves it out"
    )
    assert "ignore='patient id'" in encoding.notes[1]
    assert encoding.notes[2:] == ("column name left out: 30 different texts", "column nothing left out: it is empty")
    with pytest.raises(InvalidInputError, match="no column is left"):
        learn_encoding(frame, ["name"])


def test_an_id_with_rows_that_are_there_twice_is_noticed() -> None:
    ids = [*range(1000, 1050), *range(1000, 1010)]
    frame = pd.DataFrame({"customer_nr": ids, "room number": [k % 9 for k in range(60)]})
    notes = learn_encoding(frame, ["customer_nr", "room number"]).notes
    assert [note.split()[1] for note in notes] == ["customer_nr"]


def test_dates_are_texts_whatever_their_type() -> None:
    days = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-01", "2020-01-09"]))
    days = days.mask(days.dt.day == 9)
    frame = pd.DataFrame({"day": days, "wait": days - days[0], "x": [1.0, 2.0, 3.0, 4.0]})
    encoding = learn_encoding(frame, ["day", "wait"])
    assert encoding.names[:3] == ("day=2020-01-01", "day=2020-01-02", "day missing")
    assert encoding.matrix(frame).sum(axis=1).tolist() == [2.0] * 4  # one kind of each column


def test_many_columns_make_few_notes() -> None:
    frame = pd.DataFrame({f"t{k}": ["a", "b", "a"] for k in range(15)} | {f"x{k}": [1.0, None, 2.0] for k in range(2)})
    notes = learn_encoding(frame.assign(same="one"), [*frame.columns, "same"]).notes
    assert len(notes) == 3
    assert notes[0].startswith("15 columns became columns of zeros and ones: t0 (2), t1 (2)")
    assert notes[0].endswith("(15 in all)")
    assert notes[1].endswith("which: x0 (1), x1 (1)")
    assert notes[2] == "column same left out: every row has the same text"


def test_infinity_is_refused_by_name_and_row() -> None:
    frame = pd.DataFrame({"x": [1.0, np.inf], "z": [1e308, 1e308]})
    with pytest.raises(InvalidInputError, match="x = inf is not valid: row 1: features are finite numbers"):
        learn_encoding(frame, ["x", "z"]).matrix(frame)
    assert learn_encoding(frame, ["z"]).matrix(frame).tolist() == [[1e308], [1e308]]
