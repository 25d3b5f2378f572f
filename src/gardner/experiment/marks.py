"""What a stored row means: the name of its strategy, its models, and how old the code is that made it.

Everything here comes from texts that were read back, so nothing is imported: models are looked up among those that are
registered, and of a strategy's file only the bytes are read.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import pandas as pd

from gardner.errors import InvalidInputError
from gardner.experiment.spec import MODEL, Task, label, stored_version
from gardner.experiment.stored import parse_parameters
from gardner.model import GLM, parse_channel, parse_prior
from gardner.strategies.external import is_external

TODAY, UNKNOWN, OTHER = range(3)  # the code that made a row; in this order rows are preferred
_MODELS_TOLD = 3  # models not known here that a note names


def with_models(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a column ``model``: ``prior / channel``, with the teacher's if it is another, and empty for the
    perceptron, which goes without saying."""
    frame = frame.fillna({name: Task.__dataclass_fields__[name].default for name in MODEL})  # before there were models
    return frame.assign(model=_models(frame))


def marked(frame: pd.DataFrame, current: Mapping[str, str]) -> pd.DataFrame:
    """The frame with label, model and age of every row."""
    frame = with_models(frame)
    return frame.assign(label=_labels(frame), age=_ages(frame, current))


def _labels(frame: pd.DataFrame) -> pd.Series[str]:
    """A strategy with its parameters, and with the options of AMP if they are not the usual ones."""
    usual = {name: Task.__dataclass_fields__[name].default for name in ("variances", "dtype")}

    @functools.cache
    def told(name: str, parameters: str, *options: str) -> str:
        unusual = {key: value for key, value in zip(usual, options, strict=True) if value != usual[key]}
        return label(name, {**parse_parameters(parameters), **unusual})

    columns = [frame[name] for name in ("strategy", "parameters", *usual)]
    return pd.Series([told(*row) for row in zip(*columns, strict=True)], index=frame.index, dtype=object)


def _models(frame: pd.DataFrame) -> pd.Series[str]:
    @functools.cache
    def told(prior: str, channel: str, *teacher: str) -> str:
        if (prior, channel, *teacher) == ("gaussian", "sign") * 2:
            return ""
        return f"{prior} / {channel}" + ("" if teacher == (prior, channel) else f" (teacher {' / '.join(teacher)})")

    rows = zip(*(frame[name] for name in MODEL), strict=True)
    return pd.Series([told(*row) for row in rows], index=frame.index, dtype=object)


def _ages(frame: pd.DataFrame, current: Mapping[str, str]) -> pd.Series[int]:
    """Whether rows are of today's code, of a strategy whose file is not found from here, or of other code."""
    ours = functools.cache(stored_version)  # those of the package have one version between them
    names = frame["strategy"].unique()
    versions = {name: current.get(name) or ours(name if is_external(name) else "") for name in names}
    found = [
        UNKNOWN if versions[name] is None else TODAY if versions[name] == code else OTHER
        for name, code in zip(frame["strategy"], frame["code"], strict=True)
    ]
    return pd.Series(found, index=frame.index, dtype=int)


def registered(runs: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The runs whose models are known here; of others the names are told, for the text in a row is never run."""

    @functools.cache
    def known(*names: str) -> bool:
        try:
            parse_models(names)
        except InvalidInputError:
            return False
        return True

    kept = pd.Series([known(*row) for row in zip(*(runs[name] for name in MODEL), strict=True)], runs.index, dtype=bool)
    lost = runs[~kept]
    if not len(lost):
        return runs, []
    told = "; ".join(sorted(lost["model"].unique())[:_MODELS_TOLD])
    return runs[kept], [
        f"{lost['key'].nunique()} runs left out: their models are not among those of `gardner models` ({told})"
    ]


def parse_models(names: Sequence[str]) -> tuple[GLM, GLM]:
    """Student and teacher of the four names in a row."""
    student, teacher = (GLM(parse_prior(prior), parse_channel(channel)) for prior, channel in (names[:2], names[2:]))
    return student, teacher
