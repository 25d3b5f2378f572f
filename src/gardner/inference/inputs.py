"""What inference accepts, checked at the door with errors that say what to try."""

from __future__ import annotations

from typing import Any

import numpy as np

from gardner.errors import InvalidInputError
from gardner.model import GLM, library_of
from gardner.model.special import Array


def check_training(rows: Any, labels: Any, model: GLM) -> tuple[Array, Array]:
    """Rows and labels as floating arrays of one library and precision, finite, of matching shape; or an error.

    No rows at all are legal (the posterior is the prior); their shape (0, N) tells N.
    """
    if not hasattr(rows, "ndim"):
        rows = np.asarray(rows)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InvalidInputError(
            "rows", f"shape {tuple(rows.shape)}", "rows must be a matrix (labelled rows × features)",
            hint="an empty training set has shape (0, N)",
        )  # fmt: skip
    rows = _floating("rows", rows)
    xp = library_of(rows).xp
    if not hasattr(labels, "ndim"):
        labels = np.asarray(labels)
    labels = _floating("labels", labels)
    if type(labels) is not type(rows) or labels.dtype != rows.dtype:
        labels = xp.asarray(labels, dtype=rows.dtype)
    if labels.ndim != 1 or labels.shape[0] != rows.shape[0]:
        raise InvalidInputError(
            "labels", f"shape {tuple(labels.shape)}", f"there must be one label a row, {rows.shape[0]} of them"
        )
    _check_values(rows, labels, model, xp)
    return rows, labels


def _floating(name: str, values: Array) -> Array:
    """Whole numbers and booleans as float64; float32 and float64 as they are."""
    xp = library_of(values).xp
    if values.dtype in (xp.float32, xp.float64):
        return values
    if isinstance(values, np.ndarray) and values.dtype.kind not in "biuf":
        raise InvalidInputError(name, f"dtype {values.dtype}", "it must be numeric")
    return xp.astype(values, xp.float64)


def _check_values(rows: Array, labels: Array, model: GLM, xp: Any) -> None:
    if rows.shape[0] == 0:
        return
    # min and max see every NaN and infinity and make no copy of the rows
    if not (bool(xp.isfinite(xp.max(rows))) and bool(xp.isfinite(xp.min(rows)))):
        first = int(xp.argmin(xp.astype(xp.all(xp.isfinite(rows), axis=1), xp.int8)))
        raise InvalidInputError("rows", f"row {first}", "it holds NaN or infinity", hint="drop or impute such rows")
    known = xp.zeros_like(labels, dtype=xp.bool)
    for label in model.channel.labels:
        known = known | (labels == label)
    if not bool(xp.all(known)):
        first = int(xp.argmin(xp.astype(known, xp.int8)))
        names = " or ".join(f"{label:+g}" for label in model.channel.labels)
        raise InvalidInputError(
            f"labels[{first}]", float(labels[first]), f"a label must be {names}", hint="map 0/1 labels with 2*y - 1"
        )
    empty = xp.max(xp.abs(rows), axis=1) == 0.0
    if bool(xp.any(empty)):
        first = int(xp.argmax(xp.astype(empty, xp.int8)))
        raise InvalidInputError("rows", f"row {first}", "it is all zeros, so its label means nothing", hint="drop it")
