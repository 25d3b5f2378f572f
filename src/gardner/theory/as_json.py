"""Results as plain data and back: dictionaries of texts, numbers and lists that JSON can hold, and
the columns by which rows of a frame know their models.

What is not known is NaN in Python and null in JSON. A model is written as the texts of its prior
and channel, so only models that :func:`gardner.model.parse_prior` and
:func:`gardner.model.parse_channel` know can be read back: data is never run as code.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import TypeVar

from gardner.errors import InvalidInputError
from gardner.model import GLM, describe, parse_channel, parse_prior

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
Record = dict[str, Plain]
Answer = TypeVar("Answer")


def or_null(value: float | None) -> float | None:
    """A number, or null where it is not known."""
    return None if value is None or math.isnan(value) else value


def or_nan(value: Plain) -> float:
    """The number of a record, or NaN where that is null."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInputError("record", value, "it must be a number or null")
    return float(value)


def model_record(model: GLM) -> Record:
    """A model in the words of the command line."""
    return {"prior": describe(model.prior), "channel": describe(model.channel)}


def model_columns(student: GLM, teacher: GLM | None = None) -> Record:
    """Models as columns of a frame: the student's, and the teacher's where it can be another."""
    columns = model_record(student)
    return columns if teacher is None else {**columns, **{f"teacher_{x}": y for x, y in model_record(teacher).items()}}


def model_from(record: Plain) -> GLM:
    """The model of a record."""
    found = section(record, "a model")
    return GLM(parse_prior(str(found["prior"])), parse_channel(str(found["channel"])))


def record_of(answer: object) -> Record:
    """The fields of a flat dataclass, in order."""
    if not dataclasses.is_dataclass(answer):
        raise TypeError(f"{type(answer).__name__} has no fields")
    found: Record = {}
    for one in dataclasses.fields(answer):
        value = getattr(answer, one.name)
        found[one.name] = or_null(value) if isinstance(value, float) else value
    return found


def from_record(kind: type[Answer], record: Plain) -> Answer:
    """A flat dataclass from its record; null becomes NaN."""
    found = section(record, kind.__name__)
    names = [one.name for one in dataclasses.fields(kind)]  # type: ignore[arg-type] # checked by the caller's types
    return kind(**{name: math.nan if found[name] is None else found[name] for name in names})


def section(record: Plain, what: str) -> _Section:
    """A part of a record that must be there; a key that it lacks is an error that says so."""
    if not isinstance(record, Mapping):
        raise InvalidInputError("record", record, f"{what} must be an object with keys")
    return _Section(record, what)


class _Section(dict[str, Plain]):
    """A dictionary that names a missing key in its error."""

    def __init__(self, record: Mapping[str, Plain], what: str) -> None:
        super().__init__(record)
        self._what = what

    def __missing__(self, key: str) -> Plain:
        raise InvalidInputError("record", sorted(self), f"{self._what} has no key {key!r}")
