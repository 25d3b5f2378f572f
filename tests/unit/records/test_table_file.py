"""One reader of tables, and one rule for missing values, whichever command reads."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as parquet  # type: ignore[import-untyped]
import pytest

from gardner.errors import InvalidInputError
from gardner.records.array_file import read_matrix, read_vector
from gardner.records.encoding import learn_encoding
from gardner.records.pool_file import read_pool
from gardner.records.table_file import read_frame


def test_only_an_empty_cell_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,NA\n2,\n3,null\n")
    frame = read_frame(path)
    assert frame["b"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,z,y\n1,2,a\n3,,b\n", r"z = 'nothing in row 1' is not valid: a feature has a value"),
        ("x,z,y\n1,2,a\n3,NA,b\n", r"z = 'NA' is not valid: row 1: a feature has a value"),
    ],
)
def test_what_is_exact_refuses_gaps_and_what_is_learned_fills_them(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match=message):
        read_matrix("rows", str(path), without=f"{path}:y")
    assert read_pool(path, "y").names == ("x", "z", "z missing")


def test_an_index_is_left_out_of_what_is_learned_and_refused_by_what_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text(",x,y\n0,1,a\n1,2,b\n")
    pool = read_pool(path, "y")
    assert pool.names == ("x",)
    assert pool.notes == ("column Unnamed: 0 left out: it has no name, like the index of a table",)
    with pytest.raises(InvalidInputError, match="looks like the index of a table; save it without"):
        read_matrix("rows", str(path), without=f"{path}:y")


def test_the_index_of_a_frame_may_name_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "pool.parquet"
    pd.DataFrame({"x": [1.0, 2.0], "y": ["a", ""]}, index=pd.Index(["p7", "p8"], name="patient")).to_parquet(path)
    assert read_pool(path, "y").names == ("x",)
    assert read_pool(path, "y", identifier="patient").ids == ("p7", "p8")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("größe,y\n1,a\n".encode("latin-1"), "not in UTF-8; save it as UTF-8"),
        (b"x;z;y\n1,5;2;a\n2,5;3;b\n", "separated by semicolons; save it with commas, numbers with a point"),
        (b"x;y\n1;a\n2;b\n", "separated by semicolons"),
        (b"x;z;y\n1;2;a\n2,5;3,1;b\n", "separated by semicolons"),
        (b"x\ty\n1\ta\n", "separated by tabs; save it with the ending .tsv"),
        (b"\xef\xbb\xbfx;y\n1;a\n", "separated by semicolons"),
    ],
)
def test_a_text_that_is_written_otherwise_says_how(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_bytes(content)
    for read in (lambda: read_pool(path, "y"), lambda: read_matrix("rows", str(path))):
        with pytest.raises(InvalidInputError, match=message) as caught:
            read()
        assert "\n" not in str(caught.value)


def test_an_index_may_be_left_out_or_name_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    pd.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]}).to_csv(path)
    assert read_pool(path, "y", ignore=["Unnamed: 0"]).names == ("x",)
    assert read_pool(path, "y", identifier="Unnamed: 0").ids == ("0", "1")


def test_words_mean_what_they_say_in_parquet(tmp_path: Path) -> None:
    path = tmp_path / "pool.parquet"
    pd.DataFrame({"x": ["None", "some"], "y": ["a", "b"]}).to_parquet(path)
    assert read_pool(path, "y").names == ("x=None", "x=some")


def test_a_gap_in_the_first_line_is_no_line_of_names(tmp_path: Path) -> None:
    (tmp_path / "F.csv").write_text("1.0,,2.0\n3.0,4.0,5.0\n")
    assert read_frame(tmp_path / "F.csv", named=None).shape == (2, 3)
    with pytest.raises(InvalidInputError, match="1 = 'nothing in row 0' is not valid"):
        read_matrix("rows", str(tmp_path / "F.csv"))


def test_names_that_count_are_names(tmp_path: Path) -> None:
    (tmp_path / "F.csv").write_text("0,1,2\n3,4,5\n")
    assert read_matrix("rows", str(tmp_path / "F.csv")).tolist() == [[3.0, 4.0, 5.0]]
    (tmp_path / "y.csv").write_text("1\n-1\n")
    assert read_vector("labels", str(tmp_path / "y.csv")).tolist() == [1.0, -1.0]


def test_columns_that_are_there_twice_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "twice.parquet"
    column = pa.array([1.0, 2.0])
    parquet.write_table(pa.table([column, column, pa.array(["a", "b"])], names=["x", "x", "y"]), path)
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read_pool(path, "y")


def test_bytes_are_no_feature() -> None:
    frame = pd.DataFrame({"x": [b"bytes", b"more"]})
    with pytest.raises(InvalidInputError, match=r"row 0 holds bytes.*ignore='x', or write it otherwise"):
        learn_encoding(frame, ["x"])
