"""Matrices and vectors out of every format people have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.array_files import PROBLEM, written

from gardner.errors import InvalidInputError
from gardner.records.array_file import read_matrix, read_vector


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return written(tmp_path)


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
