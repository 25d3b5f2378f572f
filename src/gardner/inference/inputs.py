"""What inference accepts, checked at the door with errors that say what to try."""

from __future__ import annotations

from typing import Any, cast

import array_api_compat
import numpy as np
from numpy.typing import ArrayLike, NDArray

from gardner.errors import InvalidInputError
from gardner.model import GLM, library_of
from gardner.model.arrays import ArrayObject, Floats, Namespace

# largest entry of a row: beyond, squares and their products overflow or vanish
SCALES = {"float32": (1e-12, 1e12), "float64": (1e-100, 1e100)}


def as_array(name: str, values: ArrayLike) -> ArrayObject:
    """An array of the library it came from, real and floating; what is no array becomes one of
    NumPy.
    """
    if np.ma.isMaskedArray(values):
        raise InvalidInputError(name, "a masked array", "masks are not understood", hint="drop the masked rows")
    if isinstance(values, np.matrix) or not array_api_compat.is_array_api_obj(values):
        try:
            array: ArrayObject = np.asarray(values)
        except (TypeError, ValueError) as error:
            raise InvalidInputError(name, type(values).__name__, f"it is no array ({error})") from None
    else:
        detach = getattr(values, "detach", None)  # of a tensor that records gradients
        array = cast(ArrayObject, values if detach is None else detach())
    xp = library_of(array).xp
    if array.dtype in (xp.float32, xp.float64):
        return array
    if isinstance(array, np.ndarray) and array.dtype.kind not in "biuf":
        raise InvalidInputError(name, f"dtype {array.dtype}", "it must be numeric")
    if not xp.isdtype(array.dtype, ("bool", "integral", "real floating")):
        raise InvalidInputError(name, f"dtype {array.dtype}", "it must be real")
    return xp.astype(array, xp.float64)


def host(array: ArrayObject) -> NDArray[Any]:
    """The array as one of NumPy, wherever it was."""
    try:
        return np.asarray(array)
    except (TypeError, RuntimeError):  # on a device that NumPy cannot read
        return np.asarray(array_api_compat.to_device(array, "cpu"))


def check_training(rows: ArrayLike, labels: ArrayLike, model: GLM) -> tuple[ArrayObject, ArrayObject]:
    """Rows and labels as floating arrays of one library and precision, finite, of matching shape;
    or an error.

    No rows at all are legal (the posterior is the prior); their shape (0, N) gives N.
    """
    rows, labels = as_array("rows", rows), as_array("labels", labels)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InvalidInputError(
            "rows", f"shape {tuple(rows.shape)}", "rows must be a matrix (labelled rows × features)",
            hint="an empty training set has shape (0, N)",
        )  # fmt: skip
    xp = library_of(rows).xp
    if type(labels) is not type(rows) or labels.dtype != rows.dtype:
        labels = xp.asarray(labels, dtype=rows.dtype)
    if labels.ndim != 1 or labels.shape[0] != rows.shape[0]:
        raise InvalidInputError(
            "labels", f"shape {tuple(labels.shape)}", f"there must be one label a row, {rows.shape[0]} of them"
        )
    if rows.shape[0]:
        check_finite(rows)
        _check_labels(labels, model, xp)
        _check_scale(rows, xp)
    check_variances(rows, model, xp)
    return rows, labels


def deviations(model: GLM) -> Floats:
    """Standard deviations of normal weights, one for all or one a weight: rows times these have a
    standard prior.
    """
    return np.sqrt(model.prior.second_moments)


def check_variances(rows: ArrayObject, model: GLM, xp: Namespace) -> None:
    """Weights of different variances: one a column, and no row without a weight that varies."""
    moments = model.prior.second_moments
    if len(moments) == 1:
        return
    if len(moments) != rows.shape[1]:
        raise InvalidInputError(
            "model.prior", model.prior, f"the rows have {rows.shape[1]} columns, one for each variance is needed",
            hint="rows are those of the eigenbasis; prior.of_size(N) stretches a spectrum",
        )  # fmt: skip
    if rows.shape[0] and moments.min() == 0.0:
        varying = xp.take(rows, xp.asarray(np.flatnonzero(moments)), axis=1)
        idle = xp.max(xp.abs(varying), axis=1) == 0.0
        if bool(xp.any(idle)):
            row = f"row {int(xp.argmax(xp.astype(idle, xp.int8)))}"
            rule = "it is zero wherever weights vary, so its label means nothing"
            raise InvalidInputError("rows", row, rule, hint="drop it")


def check_finite(rows: ArrayObject) -> None:
    """No NaN and no infinity: min and max see every one of them and make no copy of the rows."""
    xp = library_of(rows).xp
    if not (bool(xp.isfinite(xp.max(rows))) and bool(xp.isfinite(xp.min(rows)))):
        first = int(xp.argmin(xp.astype(xp.all(xp.isfinite(rows), axis=1), xp.int8)))
        raise InvalidInputError("rows", f"row {first}", "it holds NaN or infinity", hint="drop or impute such rows")


def _check_labels(labels: ArrayObject, model: GLM, xp: Namespace) -> None:
    if not model.channel.labels:
        finite = xp.isfinite(labels)
        if not bool(xp.all(finite)):
            first = int(xp.argmin(xp.astype(finite, xp.int8)))
            raise InvalidInputError(f"labels[{first}]", float(labels[first]), "a label must be a finite number")
        return
    known = xp.zeros_like(labels, dtype=xp.bool)
    for label in model.channel.labels:
        known = known | (labels == label)
    if not bool(xp.all(known)):
        first = int(xp.argmin(xp.astype(known, xp.int8)))
        names = " or ".join(f"{label:+g}" for label in model.channel.labels)
        raise InvalidInputError(
            f"labels[{first}]", float(labels[first]), f"a label must be {names}", hint="map 0/1 labels with 2*y - 1"
        )


def _check_scale(rows: ArrayObject, xp: Namespace) -> None:
    largest = xp.maximum(xp.max(rows, axis=1), -xp.min(rows, axis=1))
    if bool(xp.any(largest == 0.0)):
        first = int(xp.argmax(xp.astype(largest == 0.0, xp.int8)))
        raise InvalidInputError("rows", f"row {first}", "it is all zeros, so its label means nothing", hint="drop it")
    low, high = SCALES["float32" if rows.dtype == xp.float32 else "float64"]
    strange = (largest < low) | (largest > high)
    if bool(xp.any(strange)):
        first = int(xp.argmax(xp.astype(strange, xp.int8)))
        raise InvalidInputError(
            "rows", f"row {first}", f"its largest entry, {float(largest[first]):.1e}, must lie in {low:g}..{high:g}",
            hint="rescale the rows",
        )  # fmt: skip


def check_settings(tolerance: float, max_iterations: int, damping: float) -> None:
    """The settings of an iteration."""
    if not 0.0 < tolerance < 1.0:
        raise InvalidInputError("tolerance", tolerance, "it must lie between 0 and 1", hint="1e-8 is a good one")
    if max_iterations < 1:
        raise InvalidInputError("max_iterations", max_iterations, "it must be at least 1")
    if not 0.0 <= damping < 1.0:
        raise InvalidInputError("damping", damping, "it must lie in [0, 1)", hint="0 lets the run choose")
