"""Tables of features and labels, from every format, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gardner.errors import InvalidInputError
from gardner.records.pool_file import read_pool

FRAME = pd.DataFrame(
    {
        "age": [30, 40, 50, 60],
        "smokes": [True, False, True, False],
        "town": ["Rome", "Oslo", "Rome", "Oslo"],
        "note": ["a", "b", "c", "d"],
        "ill": ["yes", "", "no", ""],
    }
)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_texts_numbers_and_empty_labels(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"pool.{ending}"
    if ending == "parquet":
        FRAME.to_parquet(path)
    else:
        FRAME.to_csv(path, sep="\t" if ending == "tsv" else ",", index=False)
    pool = read_pool(path, "ill", ignore=["note"])
    assert pool.names == ("age", "smokes", "town=Oslo", "town=Rome")
    assert pool.features[0].tolist() == [30.0, 1.0, 0.0, 1.0]
    assert pool.labelled.tolist() == [True, False, True, False]
    assert pool.labels[pool.labelled].tolist() == [1.0, -1.0]
    assert pool.classes == ("no", "yes")
    assert pool.notes == ("column town became 2 columns of zeros and ones",)


def test_arrays(tmp_path: Path) -> None:
    rows = np.arange(8.0).reshape(4, 2)
    np.savez(tmp_path / "pool.npz", X=rows, y=np.array([0.0, 1.0, np.nan, np.nan]))
    pool = read_pool(tmp_path / "pool.npz", "y")
    assert np.array_equal(pool.features, rows)
    assert pool.classes == ("0", "1")
    assert pool.labels[:2].tolist() == [-1.0, 1.0]


def test_a_table_without_labels(tmp_path: Path) -> None:
    FRAME[["age", "smokes"]].to_csv(tmp_path / "pool.csv", index=False)
    np.savez(tmp_path / "pool.npz", X=FRAME[["age", "smokes"]].to_numpy(np.float64))
    for name in ("pool.csv", "pool.npz"):
        pool = read_pool(tmp_path / name, None)
        assert pool.features[:, 0].tolist() == [30.0, 40.0, 50.0, 60.0]
        assert not pool.labelled.any()
        assert pool.classes == ("", "")


def test_more_than_two_numbers_are_a_regression(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [0.5, 1.5, 2.5, None]}).to_csv(path, index=False)
    pool = read_pool(path, "y")
    assert pool.classes == ()
    assert pool.labels[:3].tolist() == [0.5, 1.5, 2.5]


def test_a_single_class_seen_so_far(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("x,y\n1,yes\n2,\n3,\n")
    pool = read_pool(path, "y")
    assert pool.classes == ("", "yes")
    assert pool.labels[0] == 1.0


@pytest.mark.parametrize("word", ["None", "NA", "null", "nan", "N/A"])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_class_may_be_called_none(word: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"pool.{ending}"
    path.write_text(f"x,y\n1,Disease\n2,{word}\n3,\n4,{word}\n".replace(",", "\t" if ending == "tsv" else ","))
    pool = read_pool(path, "y")
    assert pool.classes == tuple(sorted(("Disease", word)))
    assert pool.labelled.tolist() == [True, True, False, True]
    assert pool.labels[1] == pool.labels[3] == -pool.labels[0]
    assert pool.notes == (
        f"label {word} is taken as the name of a class; leave the cell empty where there is no label",
    )


def test_blanks_around_a_name_make_no_other_class(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("x,y\n1,yes\n2,yes \n3, no\n4,  \n")
    pool = read_pool(path, "y")
    assert pool.classes == ("no", "yes")
    assert np.array_equal(pool.labels, [1.0, 1.0, -1.0, np.nan], equal_nan=True)


def test_of_several_tables_in_a_file_the_one_with_the_labels_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "pool.npz"
    np.savez(path, X=np.arange(8.0).reshape(4, 2), extra=np.zeros((3, 5)), y=np.array([0.0, 1.0, np.nan, np.nan]))
    assert read_pool(path, "y").names == ("X0", "X1")
    np.savez(path, X=np.zeros((4, 2)), Z=np.zeros((4, 5)), y=np.array([0.0, 1.0, np.nan, np.nan]))
    with pytest.raises(InvalidInputError, match="it must hold one table of features"):
        read_pool(path, "y")


def test_identifiers_are_kept_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("id,x,y\n004,1,a\n1e3,2,b\nNA,3,\n,4,\n")
    assert read_pool(path, "y", identifier="id").ids == ("004", "1e3", "NA", "")


def test_missing_numbers_are_labels_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    for numbers in (("0", "1", "1"), ("0.5", "1.5", "2.5"), ("7", "7", "7")):
        path.write_text("x,y\n1,{}\n2,{}\n3,{}\n4,\n5,NA\n".format(*numbers))
        with pytest.raises(InvalidInputError, match=r"y = 'NA' is not valid: row 4.*leave the cell empty"):
            read_pool(path, "y")


def test_nothing_is_labelled_yet(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("x,y\n1,\n2,\n")
    pool = read_pool(path, "y")
    assert pool.classes == ("", "")
    assert not pool.labelled.any()


def test_columns_of_many_texts_are_left_out_and_told(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    pd.DataFrame({"x": [0.5] * 30, "name": [f"n{k}" for k in range(30)], "y": ["a"] * 30}).to_csv(path, index=False)
    pool = read_pool(path, "y")
    assert pool.names == ("x",)
    assert pool.notes == ("column name left out: 30 different texts",)
    assert read_pool(path, "y", identifier="name").ids[3] == "n3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,z\n1,2\n", "column = 'y' is not valid: pool.csv has none of that name; it has x, z"),
        ("x,y\n", "it has no rows"),
        ("x,y\ninf,a\n2,b\n", "x = inf is not valid: row 0: features are finite numbers"),
        ("y\na\nb\n", "no column is left"),
        ("", "cannot be read"),
        ('x,y\n"1,a\n', "cannot be read"),
    ],
)
def test_what_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match=message):
        read_pool(path, "y")


def test_files_that_are_not_tables(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="it cannot be read"):
        read_pool(tmp_path / "none.csv", "y")
    with pytest.raises(InvalidInputError, match="must end in"):
        read_pool(tmp_path / "table.xlsx", "y")
    (tmp_path / "broken.npz").write_text("no")
    with pytest.raises(InvalidInputError, match="no npz archive"):
        read_pool(tmp_path / "broken.npz", "y")
    np.savez(tmp_path / "objects.npz", X=np.zeros((2, 2)), y=np.array([{}, {}], dtype=object))
    with pytest.raises(InvalidInputError, match="no plain arrays"):
        read_pool(tmp_path / "objects.npz", "y")
    np.savez(tmp_path / "short.npz", X=np.zeros((2, 2)), y=np.zeros(3))
    with pytest.raises(InvalidInputError, match="has 2 rows"):
        read_pool(tmp_path / "short.npz", "y")


def test_texts_of_more_than_two_kinds_are_classes(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("x,y\n1,pear\n2,apple\n3,\n4,fig\n5,apple\n")
    pool = read_pool(path, "y")
    assert pool.classes == ("apple", "fig", "pear")
    assert np.array_equal(pool.labels, [2.0, 0.0, np.nan, 1.0, 0.0], equal_nan=True)
    assert pool.named_labels.tolist() == ["pear", "apple", "", "fig", "apple"]
    path.write_text("x,y\n1,pear\n2,apple\n3,\n")
    two = read_pool(path, "y")
    assert two.named_labels is two.labels
