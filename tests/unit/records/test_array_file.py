"""Matrices and vectors out of every format people have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gardner.errors import InvalidInputError
from gardner.model import draw_instance
from gardner.records.array_file import read_matrix, read_vector

PROBLEM = draw_instance(features=40, pool_ratio=0.8, seed=0)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows, labels = PROBLEM.rows, PROBLEM.labels
    np.save(tmp_path / "F.npy", rows)
    np.save(tmp_path / "y.npy", labels)
    np.savez(tmp_path / "both.npz", rows=rows, labels=labels, other=rows)
    np.savez(tmp_path / "one.npz", anything=rows)
    frame = pd.DataFrame(rows, columns=[f"x{i}" for i in range(40)])
    frame.to_csv(tmp_path / "F.csv", index=False)
    frame.to_csv(tmp_path / "F.TSV", index=False, sep="\t")
    np.savetxt(tmp_path / "plain.csv", rows, delimiter=",")
    frame.to_parquet(tmp_path / "F.parquet")
    pd.DataFrame({"x": rows[:, 0], "label": labels.astype(int)}).to_csv(tmp_path / "y.csv", index=False)
    return tmp_path


@pytest.mark.parametrize(
    "rows", ["F.npy", "both.npz", "both.npz:rows", "one.npz", "F.csv", "F.TSV", "plain.csv", "F.parquet"]
)
def test_matrices(files: Path, rows: str) -> None:
    np.testing.assert_allclose(read_matrix("rows", str(files / rows)), PROBLEM.rows, rtol=1e-12)


@pytest.mark.parametrize("labels", ["y.npy", "both.npz", "y.csv:label"])
@pytest.mark.parametrize("name", ["labels", "--labels"])
def test_vectors(files: Path, labels: str, name: str) -> None:
    """The array of a name in an archive is found, however the argument is written."""
    np.testing.assert_array_equal(read_vector(name, str(files / labels)), PROBLEM.labels)


def test_no_pickles(tmp_path: Path) -> None:
    np.save(tmp_path / "F.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read_matrix("rows", str(tmp_path / "F.npy"))
