"""Spectra from files that the user names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gardner.errors import InvalidInputError
from gardner.experiment.question.fields import declared
from gardner.experiment.question.spectrum_file import covariance_spectrum, read_spectrum, with_numbers
from gardner.experiment.question.task import Task
from gardner.model import Spectrum

Run = Callable[..., tuple[int, str, str]]


def test_one_column_is_the_variances(tmp_path: Path) -> None:
    values = np.array([2.0, 1.0, 0.5])
    np.save(tmp_path / "eigenvalues.npy", values)
    (tmp_path / "column.csv").write_text("variance\n2\n1\n0.5\n")
    (tmp_path / "line.tsv").write_text("2\t1\t0.5\n")
    np.savez(tmp_path / "several.npz", other=np.eye(2), eigenvalues=values)
    for name in ("eigenvalues.npy", "column.csv", "line.tsv", "several.npz:eigenvalues"):
        assert read_spectrum(str(tmp_path / name)) == Spectrum(values)
    assert read_spectrum(str(tmp_path / "line.tsv"), 0.5) == Spectrum(values, 0.5)


def test_a_table_has_a_covariance(tmp_path: Path) -> None:
    table = np.random.default_rng(0).standard_normal((50, 6)) @ np.diag([3.0, 1.0, 1.0, 0.5, 0.1, 0.0]) + 7.0
    np.save(tmp_path / "table.npy", table)
    found = np.array(read_spectrum(str(tmp_path / "table.npy")).variances)
    expected = np.linalg.eigvalsh(np.cov(table.T, bias=True))[::-1]
    np.testing.assert_allclose(found, np.maximum(expected, 0.0), atol=1e-9 * expected[0])
    assert found[-1] == 0.0  # a constant column is a weight without effect, not one that rounding makes


def test_fewer_rows_than_columns_leave_zeros() -> None:
    found = covariance_spectrum(np.random.default_rng(0).standard_normal((4, 9)))
    assert (found > 0.0).tolist() == [True] * 3 + [False] * 6


def test_the_file_is_read_once_and_then_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "eigenvalues.csv"
    file.write_text("2\n1\n")
    prior = next(one for one in declared(Task) if one.name == "prior")
    assert prior.check(f"spectrum:{file}") == "spectrum:2.0,1.0"
    assert with_numbers(f"spectrum:{file}:0.5") == "spectrum:2.0,1.0:0.5"
    assert with_numbers("spectrum:2x1,3") == "spectrum:2x1,3"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("2\n-1\n", "not negative"),
        ("0\n0\n", "must be positive"),
        ("2\n", "two numbers or more"),
        ("a,b\n1,2\n1,2\n", "constant"),
        ("x\n1\nNA\n", "a feature has a value"),
        ("", "cannot be read"),
    ],
)
def test_a_file_that_is_none_is_one_line(gardner: Run, tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "spectrum.csv"
    file.write_text(content)
    options = ("--alpha", "3", "--budget", "0.6", "--batch-ratio", "0.3", "--prior", f"spectrum:{file}")
    code, _, err = gardner("learning-curve", "agnostic", *options)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_a_table_with_nan_says_where() -> None:
    with pytest.raises(InvalidInputError, match="row 1 holds NaN"):
        covariance_spectrum(np.array([[1.0, 2.0], [np.nan, 1.0], [0.0, 0.0]]))
