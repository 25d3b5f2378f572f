"""A fitted table that predicts others: the columns it reads, their scaling, its weights and its
noise.

It is saved without pickle, as arrays and a text in one npz file, and read back only if everything
in it fits together. A file from somebody else can be wrong, but it runs no code.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gardner.errors import GardnerError, InvalidInputError
from gardner.model import Channel, parse_channel
from gardner.model.arrays import Floats
from gardner.records.encoding import Encoding
from gardner.records.user_file import check_regular, reading
from gardner.table.classes.fit import ClassFit
from gardner.table.classes.model import CLASSES_FORMAT, ClassModel, read_classes_model
from gardner.table.model_file import features_of, read_arrays, read_design, read_header, write_model
from gardner.table.scaling import blocks
from gardner.table.weights import Design, Weights

if TYPE_CHECKING:
    import pandas as pd

    from gardner.table.propose import Proposals

_FORMAT = "gardner table model 1"
_ARRAYS = ("mean", "directions", "shares")


@dataclass(frozen=True, eq=False)
class TableModel:
    """What a query has learned, for any table with the same columns.

    ``classes`` are the names of the two classes, in the order of the columns of
    :meth:`predict_proba`; a regression has none, and its numbers are ``shift`` + ``unit`` times
    those of the model.
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
        """Of a query; ``encoding`` says how its columns were read, ``array`` from which array of an
        npz file.
        """
        fit = found.fit
        if isinstance(fit, ClassFit):
            raise GardnerError("this query has three classes or more", hint="model_of(...) has its model")
        names = (
            tuple(name or f"class {index}" for index, name in enumerate(classes)) if fit.model.channel.labels else ()
        )
        return cls(encoding, names, fit.design, fit.weights, found.model.channel, found.shift, found.unit, array)

    def predict_proba(self, table: pd.DataFrame | ArrayLike) -> Floats:
        """Probabilities of the classes, one column each, of every row of a frame or of an array of
        features.
        """
        if not self.classes:
            raise GardnerError("this model is a regression", hint="predict gives its numbers")
        omega, V = self._fields(table)
        columns = [np.exp(self.channel.log_partition(np.full_like(omega, y), omega, V)) for y in self.channel.labels]
        return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)

    def predict(self, table: pd.DataFrame | ArrayLike) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the label of every row, of a regression; of classes that
        of −1 and +1.
        """
        mean, variance = (np.asarray(part) for part in self.channel.predictive(*self._fields(table)))
        return self.shift + self.unit * mean, self.unit * np.sqrt(np.maximum(variance, 0.0))

    def _fields(self, table: pd.DataFrame | ArrayLike) -> tuple[Floats, Floats]:
        features = features_of(table, self.encoding)
        omega, V = np.empty(len(features)), np.empty(len(features))
        for block in blocks(len(features), self.design.columns):
            omega[block], V[block], _ = self.weights.fields(self.design.rows(features[block]))
        return omega, V

    def save(self, path: Path | str) -> None:
        """Write an npz file, in place of what was there."""
        if self.weights.directions is None:
            raise InvalidInputError("method", "amp", "a model is saved with the covariances of its weights", hint="ep")
        header = {
            "format": _FORMAT, "classes": list(self.classes), "shift": self.shift, "unit": self.unit,
            "array": self.array,
        }  # fmt: skip
        arrays = {"mean": self.weights.mean, "directions": self.weights.directions, "shares": self.weights.shares}
        write_model(path, header, arrays, design=self.design, channel=self.channel, encoding=self.encoding)


def model_of(
    found: Proposals, encoding: Encoding, classes: tuple[str, ...], array: str = ""
) -> TableModel | ClassModel:
    """The model of a query, of any number of classes."""
    if isinstance(found.fit, ClassFit):
        return ClassModel(encoding, found.classes, found.fit.design, found.fit.weights, found.model.channel, array)
    return TableModel.of(found, encoding, classes, array)


def load_model(path: Path | str) -> TableModel | ClassModel:
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
        header = read_header(path)
        if header.get("format") == CLASSES_FORMAT:
            return read_classes_model(header, path)
        if header.get("format") != _FORMAT:
            raise ValueError(f"its format is not {_FORMAT!r}")
        return _checked(header, read_arrays(path, _ARRAYS))


def _checked(header: dict[str, Any], arrays: dict[str, Floats]) -> TableModel:
    """The model, if all of it fits together."""
    encoding = Encoding.from_data(header["encoding"])
    design = read_design(header, arrays, encoding)
    count = arrays["shares"].size
    shapes = {"mean": (design.columns,), "directions": (count, design.columns), "shares": (count,)}
    channel = parse_channel(str(header["channel"]))
    shift, unit = float(header["shift"]), float(header["unit"])
    sound = (
        all(arrays[name].shape == shape for name, shape in shapes.items())
        and bool(np.isfinite([shift, unit]).all())
        and len(header["classes"]) == len(channel.labels)
    )
    if not sound:
        raise ValueError("its parts do not fit together")
    weights = Weights(arrays["mean"], arrays["directions"], arrays["shares"])
    classes = tuple(map(str, header["classes"]))
    return TableModel(encoding, classes, design, weights, channel, shift, unit, str(header["array"]))
