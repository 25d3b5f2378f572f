"""One run of one strategy on one seeded instance: here every field of an experiment is declared.

Command-line options, keys of spec files, stored columns, Python arguments and their checks follow
from :class:`Task` (see :mod:`gardner.experiment.question.fields`). A new field is a line here, and
a word in :mod:`gardner.experiment.loop.task` that hands it to the loop.

Nothing heavy is imported: ``gardner --help`` reads this module.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from gardner.errors import InvalidInputError
from gardner.experiment.question.fields import Field, check_share, declared
from gardner.loading import base_name

# Letters of a text in a stored row: what identifies a task is refused beyond, a reason is cut.
# Tables stay readable.
MOST_TEXT = 10_000


def canonical(value: object) -> str:
    """The one JSON text of a value: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class StrategySpec:
    """A strategy by its name (registered, a dotted path, or FILE.py:CLASS) and its parameters."""

    name: str
    parameters: Mapping[str, object] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        """Parameters travel and are stored as JSON: anything else is refused here."""
        name: object = self.name  # whatever the file or the caller gave
        parameters: object = self.parameters
        if not isinstance(name, str) or not name:
            raise InvalidInputError("strategies", name, "a strategy is a name, such as agnostic")
        if not isinstance(parameters, Mapping) or not all(isinstance(key, str) for key in parameters):
            raise InvalidInputError(f"{name}.parameters", parameters, "it must map names to values")
        try:
            length = len(canonical(dict(parameters)))
        except (TypeError, ValueError, RecursionError):
            rule = "values must be finite numbers, texts, booleans or lists of them"
            raise InvalidInputError(f"{name}.parameters", parameters, rule) from None
        if len(name) + length > MOST_TEXT:
            rule = f"name and parameters have at most {MOST_TEXT} letters"
            raise InvalidInputError("strategies", f"{name[:80]} …", rule)
        object.__setattr__(self, "parameters", dict(parameters))  # nobody else's to change

    @property
    def shown(self) -> str:
        """The name in keys and tables. A file has its base name, wherever it lies and wherever the
        command runs.
        """
        return base_name("strategy", self.name)

    @property
    def label(self) -> str:
        """``committee(members=15)``."""
        return label(self.shown, self.parameters)

    @property
    def identity(self) -> tuple[str, str]:
        """What two strategies differ in: 1 and "1" are two values."""
        return self.shown, canonical(self.parameters)

    def without_defaults(self) -> StrategySpec:
        """The same strategy with the parameters left out that say what a registered one does
        anyway.
        """
        from gardner.strategies import registered_strategies

        known = default_parameters(self.name) if self.name in registered_strategies() else {}
        kept = {key: value for key, value in self.parameters.items() if not (key in known and _same(known[key], value))}
        return StrategySpec(self.name, kept)


def _same(default: object, value: object) -> bool:
    kinds = (float, int) if isinstance(default, float) else (type(default),)
    return type(value) in kinds and bool(value == default)


def label(name: str, parameters: Mapping[str, object]) -> str:
    """A strategy in tables, with its parameters as ``--param`` reads them: a text that reads as
    JSON is quoted.
    """
    pairs = ", ".join(f"{key}={_quoted(value)}" for key, value in sorted(parameters.items()))
    return f"{name}({pairs})" if pairs else name


def _quoted(value: object) -> str:
    quoted = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str) or not value or "," in value:
        return quoted
    try:
        json.loads(value)
    except ValueError:
        return value
    return quoted


def default_parameters(name: str) -> dict[str, object]:
    """The parameters of a registered strategy, with their defaults."""
    from gardner.strategies import make_registered

    accepted = inspect.signature(type(make_registered(name, {}))).parameters
    return {key: parameter.default for key, parameter in accepted.items()}


_NAME, _OWN = "NAME[:X]", "Your own: FILE.py:CLASS."


@dataclass(frozen=True)
class Task:
    """One run of one strategy on one seeded instance."""

    strategy: StrategySpec
    features: Annotated[
        int, Field("--features", "-N", "Weights N; repeatable, here and below.", least=1, many=True, known_from="data")
    ]
    pool_ratio: Annotated[
        float, Field("--alpha", "-a", "Pool ratio: rows of the pool per weight.", many=True, known_from="data")
    ]
    budget: Annotated[
        float,
        Field("--budget", "-n", "Labels per weight to spend; with --data, labels.", many=True, stored_as="run_budget"),
    ]
    batch_size: Annotated[int, Field("--batch", "-k", "Labels asked for in one round.", least=1, many=True)]
    seed: Annotated[
        int, Field("--seeds", "-s", "How many seeded pools: 0, 1, …", many=True, plural="seeds", counted=True)
    ]
    test_rows: Annotated[
        int, Field("--test-rows", "", "Also measure accuracy on a test set of so many rows.", drawn=True)
    ] = 0
    variances: Annotated[
        Literal["vector", "scalar"],
        Field("--variances", "", "AMP's variances: one a weight and row, or one for all.", drawn=True),
    ] = "vector"
    dtype: Annotated[
        Literal["float32", "float64", "bfloat16", "float16"],
        Field("--dtype", "", "Precision of the pool; the last two are for a GPU.", drawn=True),
    ] = "float32"
    device: Annotated[
        Literal["cpu", "cuda", "auto"],
        Field("--device", "", "Where the pool lives: auto takes a GPU that PyTorch can use.", drawn=True),
    ] = "cpu"
    prior: Annotated[
        str, Field("--prior", "", f"Prior of weights; see `gardner models`. {_OWN}", _NAME, drawn=True)
    ] = "gaussian"
    channel: Annotated[str, Field("--channel", "", f"How labels arise, such as flip:0.05. {_OWN}", _NAME)] = "sign"
    teacher_prior: Annotated[
        str, Field("--teacher-prior", "", "The teacher's prior, if another.", _NAME, follows="prior", drawn=True)
    ] = ""
    teacher_channel: Annotated[
        str, Field("--teacher-channel", "", "The teacher's channel, if another.", _NAME, follows="channel", drawn=True)
    ] = ""
    data: Annotated[
        str, Field("--data", "", "A table with all labels in place of drawn pools: CSV, Parquet or npz.", "FILE")
    ] = ""
    label_column: Annotated[str, Field("--label", "-y", "The column of its labels.", "COLUMN", plural="label")] = ""
    test_share: Annotated[
        float,
        Field("--test", "", "Share of its rows that is held out to measure on; 0.4 unless given.", rule=check_share),
    ] = 0.0

    def __post_init__(self) -> None:
        """What follows another field has its value where nothing else is said."""
        for one in FIELDS:
            if one.follows and not getattr(self, one.name):
                object.__setattr__(self, one.name, getattr(self, one.follows))

    @property
    def shown(self) -> Task:
        """The task as its key and its rows know it: files have their base names, wherever they lie."""
        return self.renamed(base_name)

    def renamed(self, change: Callable[[str, str], str]) -> Task:
        """The task with other names of its strategy and its models; ``change`` gets what it is, and
        its name.
        """
        from gardner.model.external import rename_model

        strategy = StrategySpec(change("strategy", self.strategy.name), self.strategy.parameters)
        models: dict[str, Any] = {one.name: rename_model(one.model, getattr(self, one.name), change) for one in MODELS}
        return dataclasses.replace(self, strategy=strategy, data=change("data", self.data), **models)

    @property
    def labels(self) -> int:
        """How many labels the budget buys."""
        return round(self.budget * self.features)

    def columns(self, code: str) -> dict[str, Any]:
        """What identifies the task in its rows; ``budget`` there is a round's, so the whole one is
        ``run_budget``.
        """
        shown = self.shown
        return {
            "key": self.key(code),
            "code": code,
            "strategy": shown.strategy.name,
            "parameters": canonical(shown.strategy.parameters),
            **{one.column: getattr(shown, one.name) for one in FIELDS},
        }

    def to_json(self) -> str:
        """The one text of the task; :meth:`from_json` reads it."""
        return canonical(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Task:
        """The task a text stands for."""
        record = json.loads(text)
        return cls(**{**record, "strategy": StrategySpec(**record["strategy"])})

    def key(self, code: str) -> str:
        """Sixteen letters that stand for the task and the code that runs it, with what files of
        one's own do.
        """
        return hashlib.sha256(f"{self.shown.to_json()} {code}".encode()).hexdigest()[:16]


FIELDS: tuple[Field, ...] = declared(Task)
MODELS: tuple[Field, ...] = tuple(one for one in FIELDS if one.model)  # student's and teacher's
MODEL_NAMES = tuple(one.name for one in MODELS)
