"""A fitted table of three classes or more that predicts others, and its file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gardner.errors import GardnerError
from gardner.model import Channel, parse_channel
from gardner.model.arrays import Floats
from gardner.records.encoding import Encoding
from gardner.table.classes.fit import with_noise
from gardner.table.classes.largest import chances
from gardner.table.classes.weights import ClassWeights
from gardner.table.model_file import features_of, read_arrays, read_design, write_model
from gardner.table.scaling import blocks
from gardner.table.weights import Design

if TYPE_CHECKING:
    import pandas as pd

CLASSES_FORMAT = "gardner table model of classes 1"
_ARRAYS = ("basis", "mean", "known")


@dataclass(frozen=True, eq=False)
class ClassModel:
    """What a query has learned, for any table with the same columns; ``classes`` in the order of
    the probabilities.
    """

    encoding: Encoding
    classes: tuple[str, ...]
    design: Design
    weights: ClassWeights
    channel: Channel
    array: str = ""

    def predict_proba(self, table: pd.DataFrame | ArrayLike) -> Floats:
        """Probabilities of the classes, one column each, of every row of a frame or of an array of
        features.
        """
        features = features_of(table, self.encoding)
        probabilities = np.empty((len(features), len(self.classes)))
        for block in blocks(len(features), self.design.columns):
            rows = self.design.rows(features[block])
            fields = self.weights.fields(rows, self.weights.inner(rows))
            probabilities[block] = chances(*with_noise(self.channel, *fields))
        return probabilities

    def predict(self, table: pd.DataFrame | ArrayLike) -> tuple[Floats, Floats]:
        """There is no number to predict."""
        del table
        raise GardnerError("this model has classes", hint="predict_proba gives their probabilities")

    def save(self, path: Path | str) -> None:
        """Write an npz file, in place of what was there."""
        header = {"format": CLASSES_FORMAT, "classes": list(self.classes), "array": self.array}
        arrays = {"basis": self.weights.basis, "mean": self.weights.mean, "known": self.weights.known}
        write_model(path, header, arrays, design=self.design, channel=self.channel, encoding=self.encoding)


def read_classes_model(header: dict[str, Any], path: Path) -> ClassModel:
    """The model of a file, if all of it fits together."""
    arrays = read_arrays(path, _ARRAYS)
    encoding = Encoding.from_data(header["encoding"])
    design = read_design(header, arrays, encoding)
    basis, mean, known = (arrays[name] for name in _ARRAYS)
    classes = tuple(map(str, header["classes"]))
    channel = parse_channel(str(header["channel"]))
    coordinates = (len(basis) or design.columns - 1) + 1
    sound = (
        len(classes) > 2
        and len(set(classes)) == len(classes)
        and set(channel.labels) == {-1.0, 1.0}
        and basis.ndim == 2
        and basis.shape[1] == design.columns - 1
        and mean.shape == (len(classes), coordinates)
        and known.shape == (len(classes), coordinates, coordinates)
    )
    if not sound:
        raise ValueError("its parts do not fit together")
    return ClassModel(encoding, classes, design, ClassWeights(basis, mean, known), channel, str(header["array"]))
