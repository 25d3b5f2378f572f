"""The file of a fitted table: arrays and a text in one npz, without pickle."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gardner.errors import GardnerError, InvalidInputError
from gardner.model import Channel, describe, parse_channel
from gardner.model.arrays import Floats
from gardner.records import write_file
from gardner.records.encoding import Encoding
from gardner.records.user_file import array_names, load_member
from gardner.table.scaling import SCALINGS, Scaling
from gardner.table.weights import Design

_SCALING = ("kept", "unit", "shift", "factor")


def write_model(
    path: Path | str,
    header: Mapping[str, object],
    arrays: Mapping[str, Floats],
    *,
    design: Design,
    channel: Channel,
    encoding: Encoding,
) -> None:
    """Write an npz file, in place of what was there; what every model has is added."""
    name = describe(channel)
    try:
        known = parse_channel(name) == channel
    except GardnerError:
        known = False
    if not known:
        raise InvalidInputError("channel", name, "a model is saved with a channel of the package only")
    scaling = design.scaling
    whole = {
        **header, "channel": name, "scaling": scaling.name, "deviation": design.deviation,
        "intercept": design.intercept, "encoding": encoding.as_data(),
    }  # fmt: skip
    text = np.frombuffer(json.dumps(whole, allow_nan=False).encode(), dtype=np.uint8)
    content = io.BytesIO()
    parts = {"kept": scaling.kept, "unit": scaling.unit, "shift": scaling.shift, "factor": scaling.factor}
    np.savez_compressed(content, allow_pickle=False, header=text, **arrays, **parts)
    write_file(Path(path), content.getvalue())


def read_header(path: Path) -> dict[str, Any]:
    """The text of a model's file."""
    if "header" not in array_names(path):
        raise ValueError("no model of gardner query --save")
    header = json.loads(np.asarray(load_member(path, "header"), dtype=np.uint8).tobytes())
    if not isinstance(header, dict):
        raise ValueError("no model of gardner query --save")
    return header


def read_arrays(path: Path, names: tuple[str, ...]) -> dict[str, Floats]:
    """Arrays of a model's file by their names, and those of its scaling."""
    if set(array_names(path)) != {"header", *names, *_SCALING}:
        raise ValueError("no model of gardner query --save")
    arrays = {name: np.asarray(load_member(path, name), dtype=np.float64) for name in (*names, *_SCALING)}
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise ValueError("its parts do not fit together")
    return arrays


def read_design(header: dict[str, Any], arrays: dict[str, Floats], encoding: Encoding) -> Design:
    """How rows are scaled, if all of it fits together."""
    kept = arrays["kept"].astype(np.intp)
    numbers = [float(header[name]) for name in ("deviation", "intercept")]
    sound = (
        kept.ndim == 1
        and bool(np.all((kept >= 0) & (kept < len(encoding.names))))
        and all(arrays[name].shape == kept.shape for name in _SCALING)
        and header["scaling"] in SCALINGS
        and bool(np.isfinite(numbers).all())
    )
    if not sound:
        raise ValueError("its parts do not fit together")
    scaling = Scaling(header["scaling"], kept, arrays["unit"], arrays["shift"], arrays["factor"])
    return Design(scaling, *numbers)


def features_of(table: object, encoding: Encoding) -> Floats:
    """The features of a frame, or of an array that has the columns of the encoding."""
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        return encoding.matrix(table)
    features = np.asarray(table, dtype=np.float64)
    if features.ndim != 2 or features.shape[1] != len(encoding.names):
        rule = f"rows of {len(encoding.names)} columns are wanted"
        raise InvalidInputError("table", f"shape {features.shape}", rule)
    return features
