"""A spectrum from a file that the user names: eigenvalues, or a table whose covariance is taken.

Here alone ``spectrum:FILE`` is read, where a command or a spec is told of it. From then on the
prior is the text with its numbers (:mod:`gardner.model.spectrum_text`): what is stored, sent to
workers or read back names no file.
"""

from __future__ import annotations

import numpy as np

from gardner.checks import spells_number
from gardner.errors import InvalidInputError
from gardner.model import Spectrum, describe
from gardner.model.arrays import Floats
from gardner.model.spectrum_text import is_spectrum

# Digits of eigenvalues that are computed: beyond, libraries of linear algebra differ, and so would
# keys of tasks.
_DIGITS = 10
# The share of the largest eigenvalue up to which one is zero but for rounding.
_NOTHING = 1e-12


def read_spectrum(source: str, alignment: float = 0.0) -> Spectrum:
    """The spectrum in a file (npy, npz, csv, tsv or parquet; FILE:NAME chooses an array or a
    column).

    One column or one line of numbers are the variances themselves. Several columns are a table:
    rows are samples, and the eigenvalues of the covariance of its columns are taken. Columns in
    different units are best divided by their standard deviations first.
    """
    from gardner.records.array_file import read_matrix  # not at the top: workers need none of it

    numbers = np.asarray(read_matrix("prior", source), dtype=np.float64)
    if 1 in numbers.shape:
        return Spectrum(numbers.reshape(-1), alignment)
    return Spectrum(covariance_spectrum(numbers, source), alignment)


def covariance_spectrum(table: Floats, source: str = "table") -> Floats:
    """Eigenvalues of the covariance of the columns of a table, the largest first; one a column.

    >>> covariance_spectrum(np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 2.0], [-1.0, 2.0]]))
    array([1., 1.])
    """
    if not np.all(np.isfinite(table)):
        row = int(np.argmin(np.all(np.isfinite(table), axis=1)))
        raise InvalidInputError("prior", source, f"row {row} holds NaN or infinity", hint="drop or impute such rows")
    centred = table - table.mean(axis=0)
    scale = float(np.max(np.abs(centred)))
    if not scale > 0.0:
        raise InvalidInputError("prior", source, "all its columns are constant, so that they have no covariance")
    singular = np.linalg.svd(centred / scale, compute_uv=False)
    values = np.zeros(table.shape[1])
    values[: len(singular)] = singular**2 / len(table)
    values[values < _NOTHING * values[0]] = 0.0
    return np.array([float(f"{value:.{_DIGITS}g}") for value in values * scale**2])


def with_numbers(text: str) -> str:
    """The text of a prior, the numbers of a file in the place of its name.

    >>> with_numbers("gaussian:2"), with_numbers("spectrum:2,1")
    ('gaussian:2', 'spectrum:2,1')
    """
    given = text.partition(":")[2]
    if not is_spectrum(text) or not given or _are_numbers(given):
        return text
    source, _, last = given.rpartition(":")
    if source and _are_numbers(last):
        return describe(read_spectrum(source, float(last)))
    return describe(read_spectrum(given))


def _are_numbers(text: str) -> bool:
    """Whether it is a list of numbers, as the text of a spectrum has; a file may be called ``2``,
    not ``2,1``.
    """
    return all(spells_number(part.rpartition("x")[2]) for part in text.replace(":", ",").split(","))
