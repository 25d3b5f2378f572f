"""What a stored row means: the name of its strategy, its models, and how old the code is that made
it.

Everything here comes from texts that were read back, so nothing is imported: models are looked up
among those that are registered and those that the user named on this command line, and a strategy's
file is only looked at.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import cast

import pandas as pd

from gardner.errors import InvalidInputError
from gardner.experiment.question.task import FIELDS, MODEL_NAMES, MODELS, Task, label
from gardner.experiment.stored.reading import fill_defaults, parse_parameters
from gardner.experiment.stored.sources import Name, external_names, stored_version
from gardner.model import GLM, Channel, Prior, parse_channel, parse_prior
from gardner.model.spectrum_text import shorten

TODAY, UNKNOWN, OTHER = range(3)  # the code that made a row; in this order rows are preferred
# Models not known here that a note names, so that it stays a line.
_MODELS_SHOWN = 3

# models that the user named on this command line, by the names that rows have
NamedModels = Mapping[Name, Prior | Channel]


def with_models(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a column ``model``: ``prior / channel``, with the teacher's if it is another,
    and empty for the perceptron, which goes without saying."""
    frame = fill_defaults(frame)
    return frame.assign(model=_models(frame))


def with_meaning(frame: pd.DataFrame, current: Mapping[str, str]) -> pd.DataFrame:
    """The frame with label, model and age of every row; ``current`` has the code of today by
    strategy, where known.
    """
    frame = with_models(frame)
    return frame.assign(label=_labels(frame), age=_ages(frame, current))


def names_in_row(strategy: str, models: Sequence[str]) -> tuple[Name, ...]:
    """The names that made a row."""
    return ("strategy", strategy), *((one.model, text) for one, text in zip(MODELS, models, strict=True))


def _labels(frame: pd.DataFrame) -> pd.Series[str]:
    """A strategy with its parameters, and with the options of AMP if they are not the usual ones."""
    usual = {one.name: one.default for one in FIELDS if one.choices}

    @functools.cache
    def text(name: str, parameters: str, *options: str) -> str:
        unusual = {key: value for key, value in zip(usual, options, strict=True) if value != usual[key]}
        return label(name, {**parse_parameters(parameters), **unusual})

    columns = [frame[name] for name in ("strategy", "parameters", *usual)]
    return pd.Series([text(*row) for row in zip(*columns, strict=True)], index=frame.index, dtype=object)


def _models(frame: pd.DataFrame) -> pd.Series[str]:
    @functools.cache
    def text(prior: str, channel: str, *teacher: str) -> str:
        if (prior, channel, *teacher) == (Task.prior, Task.channel) * 2:
            return ""
        known = "" if teacher == (prior, channel) else f" (teacher {' / '.join(map(shorten, teacher))})"
        return f"{shorten(prior)} / {channel}{known}"

    rows = zip(*(frame[name] for name in MODEL_NAMES), strict=True)
    return pd.Series([text(*row) for row in rows], index=frame.index, dtype=object)


def _ages(frame: pd.DataFrame, current: Mapping[str, str]) -> pd.Series[int]:
    """Whether rows are of today's code, of a strategy or model whose file is not found from here,
    or of other code.
    """

    @functools.cache
    def version(*names: str) -> str | None:  # those of the package have one version between them
        return stored_version(tuple(("strategy", name) for name in names))

    @functools.cache
    def today(strategy: str, *models: str) -> str | None:
        return current.get(strategy) or version(*external_names(names_in_row(strategy, models)))

    def age(code: str, *names: str) -> int:
        known = today(*names)
        return UNKNOWN if known is None else TODAY if known == code else OTHER

    columns = [frame[name] for name in ("code", "strategy", *MODEL_NAMES)]
    return pd.Series([age(*row) for row in zip(*columns, strict=True)], index=frame.index, dtype=int)


def with_known_models(runs: pd.DataFrame, named: NamedModels) -> tuple[pd.DataFrame, list[str]]:
    """The runs whose models are known here; of others the names are shown, for the text in a row is
    never run.
    """

    @functools.cache
    def known(*names: str) -> bool:
        try:
            find_models(names, named)
        except InvalidInputError:
            return False
        return True

    rows = zip(*(runs[name] for name in MODEL_NAMES), strict=True)
    kept = pd.Series([known(*row) for row in rows], runs.index, dtype=bool)
    lost = runs[~kept]
    if not len(lost):
        return runs, []
    shown = "; ".join(sorted(lost["model"].unique())[:_MODELS_SHOWN])
    return runs[kept], [
        f"{lost['key'].nunique()} runs left out: their models are not among those of `gardner models` ({shown}); "
        "of your own, the same `gardner bench` shows them"
    ]


def find_models(names: Sequence[str], named: NamedModels) -> tuple[GLM, GLM]:
    """Student and teacher of the four names in a row."""

    def model(prior: str, channel: str) -> GLM:
        one, other = named.get(("prior", prior)), named.get(("channel", channel))
        return GLM(cast(Prior, one or parse_prior(prior)), cast(Channel, other or parse_channel(channel)))

    return model(*names[:2]), model(*names[2:])
