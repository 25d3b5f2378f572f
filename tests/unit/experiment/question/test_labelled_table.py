"""A labelled table: what is refused, in one line each, and how it is divided."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gardner import GardnerError
from gardner.experiment.question.labelled_table import read_labelled, stamped_name


def written(folder: Path, labels: Sequence[object], name: str = "pool.csv") -> str:
    rng = np.random.default_rng(0)
    path = folder / name
    pd.DataFrame({"a": rng.standard_normal(len(labels)), "b": rng.random(len(labels)), "y": labels}).to_csv(
        path, index=False
    )
    return str(path)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["x"] * 10, "label = 'y' is not valid: all rows are of one class"),
        (["x", "z", None, "x", "z"], "1 rows have no label, the first is row 2"),
        ([0, 1, float("nan"), 1, 0], "1 rows have no label, the first is row 2"),
        ([0.5, 1.25, 2.0, 3.0], "names of three or more classes are whole numbers or texts"),
    ],
)
def test_labels_that_are_none(tmp_path: Path, labels: list[object], words: str) -> None:
    with pytest.raises(GardnerError, match=words) as raised:
        read_labelled(stamped_name(written(tmp_path, labels)), "y")
    assert "\n" not in str(raised.value)


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    name = stamped_name(written(tmp_path, ["x", "z"] * 5))
    with pytest.raises(GardnerError, match="has none of that name"):
        read_labelled(name, "z")
    with pytest.raises(GardnerError, match="data needs the column of its labels"):
        read_labelled(name, "")


def test_a_file_that_changed(tmp_path: Path) -> None:
    name = stamped_name(written(tmp_path, ["x", "z"] * 5))
    assert stamped_name(name) == name
    written(tmp_path, ["x", "z"] * 6)
    with pytest.raises(GardnerError, match=r"pool\.csv has changed since this sweep began; put the old file back"):
        stamped_name(name)


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.1, r"leaves class z \(2 rows\) out of the held-out rows"), (0.9, "leaves class z .* out of the pool")],
)
def test_a_share_that_leaves_no_class(tmp_path: Path, share: float, words: str) -> None:
    table = read_labelled(stamped_name(written(tmp_path, ["x"] * 18 + ["z"] * 2)), "y")
    with pytest.raises(GardnerError, match=words):
        table.sizes(share)


def test_the_division_has_its_share_of_every_class(tmp_path: Path) -> None:
    table = read_labelled(stamped_name(written(tmp_path, ["x"] * 30 + ["z"] * 20 + ["u"] * 10)), "y")
    assert table.classes == ("u", "x", "z")
    inside, outside = table.split(0.4, seed=3)
    assert np.array_equal(np.sort(np.concatenate([inside, outside])), np.arange(60))
    assert np.bincount(table.codes[outside]).tolist() == [4, 12, 8]
    assert table.sizes(0.4) == (36, 24)
    assert np.array_equal(outside, table.split(0.4, seed=3)[1])
    assert not np.array_equal(outside, table.split(0.4, seed=4)[1])


def test_numbers_of_classes_have_their_order(tmp_path: Path) -> None:
    table = read_labelled(stamped_name(written(tmp_path, [10, 2, 3, 2, 10, 3])), "y")
    assert table.classes == ("2", "3", "10")
    assert table.codes.tolist() == [2, 0, 1, 0, 2, 1]
