"""A fitted table that predicts others: the columns it reads, their scaling, its weights and its noise.

It is saved without pickle, as arrays and a text in one npz file, and read back only if everything
in it fits together. A file from somebody else can be wrong, but it runs no code.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gardner.errors import GardnerError, InvalidInputError
from gardner.model import Channel, describe, parse_channel
from gardner.records import write_file
from gardner.records.encoding import Encoding
from gardner.records.user_file import array_names, check_regular, load_member, reading
from gardner.table.scaling import SCALINGS, Floats, Scaling, blocks
from gardner.table.weights import Design, Weights

if TYPE_CHECKING:
    import pandas as pd

    from gardner.table.propose import Proposals

_FORMAT = "gardner table model 1"
_ARRAYS = ("mean", "directions", "shares", "kept", "unit", "shift", "factor")


@dataclass(frozen=True, eq=False)
class TableModel:
    """What a query has learned, for any table with the same columns.

    ``classes`` are the names of the two classes, in the order of the columns of :meth:`predict_proba`; a regression has
    none, and its numbers are ``shift`` + ``unit`` times those of the model.
    """

    encoding: Encoding
    classes: tuple[str, ...]
    design: Design
    weights: Weights
    channel: Channel
    shift: float = 0.0
    unit: float = 1.0
    array: str = ""

    @classmethod
    def of(cls, found: Proposals, encoding: Encoding, classes: tuple[str, ...], array: str = "") -> TableModel:
        """Of a query; ``encoding`` says how its columns were read, ``array`` from which array of an npz file."""
        fit = found.fit
        names = (
            tuple(name or f"class {index}" for index, name in enumerate(classes)) if fit.model.channel.labels else ()
        )
        return cls(encoding, names, fit.design, fit.weights, found.model.channel, found.shift, found.unit, array)

    def predict_proba(self, table: pd.DataFrame | ArrayLike) -> Floats:
        """Probabilities of the classes, one column each, of every row of a frame or of an array of features."""
        if not self.classes:
            raise GardnerError("this model is a regression", hint="predict gives its numbers")
        omega, V = self._fields(table)
        columns = [np.exp(self.channel.log_partition(np.full_like(omega, y), omega, V)) for y in self.channel.labels]
        return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)

    def predict(self, table: pd.DataFrame | ArrayLike) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the label of every row, of a regression; of classes that of −1 and +1."""
        mean, variance = (np.asarray(part) for part in self.channel.predictive(*self._fields(table)))
        return self.shift + self.unit * mean, self.unit * np.sqrt(np.maximum(variance, 0.0))

    def _fields(self, table: pd.DataFrame | ArrayLike) -> tuple[Floats, Floats]:
        import pandas as pd

        if isinstance(table, pd.DataFrame):
            features = self.encoding.matrix(table)
        else:
            features = np.asarray(table, dtype=np.float64)
            if features.ndim != 2 or features.shape[1] != len(self.encoding.names):
                rule = f"rows of {len(self.encoding.names)} columns are wanted"
                raise InvalidInputError("table", f"shape {features.shape}", rule)
        omega, V = np.empty(len(features)), np.empty(len(features))
        for block in blocks(len(features), self.design.columns):
            omega[block], V[block], _ = self.weights.fields(self.design.rows(features[block]))
        return omega, V

    def save(self, path: Path | str) -> None:
        """Write an npz file, in place of what was there."""
        name = describe(self.channel)
        try:
            known = parse_channel(name) == self.channel
        except GardnerError:
            known = False
        if not known:
            raise InvalidInputError("channel", name, "a model is saved with a channel of the package only")
        if self.weights.directions is None:
            raise InvalidInputError("method", "amp", "a model is saved with the covariances of its weights", hint="ep")
        scaling = self.design.scaling
        header: dict[str, Any] = {
            "format": _FORMAT, "channel": name, "classes": list(self.classes), "shift": self.shift, "unit": self.unit,
            "scaling": scaling.name, "deviation": self.design.deviation, "intercept": self.design.intercept,
            "encoding": self.encoding.as_data(), "array": self.array,
        }  # fmt: skip
        arrays = {
            "mean": self.weights.mean, "directions": self.weights.directions, "shares": self.weights.shares,
            "kept": scaling.kept, "unit": scaling.unit, "shift": scaling.shift, "factor": scaling.factor,
        }  # fmt: skip
        content = io.BytesIO()
        text = np.frombuffer(json.dumps(header, allow_nan=False).encode(), dtype=np.uint8)
        np.savez_compressed(content, allow_pickle=False, header=text, **arrays)
        write_file(Path(path), content.getvalue())


def load_model(path: Path | str) -> TableModel:
    """A model that ``gardner query --save`` or :meth:`TableModel.save` wrote.

    >>> import tempfile
    >>> import pandas as pd
    >>> from gardner import propose
    >>> from gardner.records.encoding import learn_encoding
    >>> table = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]})
    >>> encoding = learn_encoding(table, ["x"])
    >>> found = propose(encoding.matrix(table), [0, 0, np.nan, np.nan, 1, 1], 1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     TableModel.of(found, encoding, ("no", "yes")).save(f"{folder}/model.npz")
    ...     chances = load_model(f"{folder}/model.npz").predict_proba(table)
    >>> chances.shape, bool(chances[0, 1] < 0.5 < chances[5, 1])
    ((6, 2), True)
    """
    path = Path(path)
    check_regular("model", path)
    with reading("model", path):
        if set(array_names(path)) != {"header", *_ARRAYS}:
            raise ValueError("no model of gardner query --save")
        header = json.loads(np.asarray(load_member(path, "header"), dtype=np.uint8).tobytes())
        if not isinstance(header, dict) or header.get("format") != _FORMAT:
            raise ValueError(f"its format is not {_FORMAT!r}")
        return _checked(header, {name: load_member(path, name) for name in _ARRAYS})


def _checked(header: dict[str, Any], arrays: dict[str, Any]) -> TableModel:
    """The model, if all of it fits together."""
    floats = {name: np.asarray(array, dtype=np.float64) for name, array in arrays.items() if name != "kept"}
    kept = np.asarray(arrays["kept"], dtype=np.intp)
    encoding = Encoding.from_data(header["encoding"])
    columns, count = kept.size, floats["shares"].size
    shapes = {"mean": (columns + 1,), "directions": (count, columns + 1), "shares": (count,)}
    shapes |= dict.fromkeys(("unit", "shift", "factor"), (columns,))
    channel = parse_channel(str(header["channel"]))
    numbers = [float(header[name]) for name in ("deviation", "intercept", "shift", "unit")]
    sound = (
        all(floats[name].shape == shape and np.isfinite(floats[name]).all() for name, shape in shapes.items())
        and kept.ndim == 1
        and bool(np.all((kept >= 0) & (kept < len(encoding.names))))
        and header["scaling"] in SCALINGS
        and bool(np.isfinite(numbers).all())
        and len(header["classes"]) == len(channel.labels)
    )
    if not sound:
        raise ValueError("its parts do not fit together")
    scaling = Scaling(header["scaling"], kept, floats["unit"], floats["shift"], floats["factor"])
    return TableModel(
        encoding, tuple(map(str, header["classes"])), Design(scaling, numbers[0], numbers[1]),
        Weights(floats["mean"], floats["directions"], floats["shares"]), channel, numbers[2], numbers[3],
        str(header["array"]),
    )  # fmt: skip
