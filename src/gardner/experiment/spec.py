"""What to run: strategies × seeds × features × pool ratios × batch sizes × budgets.

From Python a :class:`Spec`; from a YAML file the same under the names of the command line (:func:`read_spec`):

    strategies:                     # names, or names with parameters
      - agnostic
      - name: committee
        parameters: {members: 15}
      - my_strategy.py:Mine
    features: [400, 2000]           # one number or a list, here and below
    alpha: 3
    budget: 2
    batch: 20
    seeds: 10                       # how many (0 … 9), or a list
    test_rows: 0                    # optional: rows of a test set
    variances: vector               # optional: AMP's variances, vector or scalar
    dtype: float32                  # optional: of the pool, float32 or float64
    channel: flip:0.05              # optional, as prior, teacher_prior and teacher_channel: `gardner models`

A task is one run of one strategy on one seeded instance. Its key is a hash of the task and of the sources that make its
rows (:func:`code_version`): a result is found again as long as neither changed.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import yaml

import gardner
from gardner.errors import InvalidInputError
from gardner.experiment.checks import (
    check_distinct,
    check_models,
    check_positive,
    check_sizes,
    check_whole,
    seeds_up_to,
)
from gardner.model import GLM, parse_channel, parse_prior
from gardner.records import MOST_TEXT

MODEL = ("prior", "channel", "teacher_prior", "teacher_channel")
Variances = Literal["vector", "scalar"]
Precision = Literal["float32", "float64"]
_SOURCES = ("experiment/loop.py", "experiment/training.py", "strategies/*.py", "inference/*.py", "model/*.py")


def canonical(value: Any) -> str:
    """The one JSON text of a value: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class StrategySpec:
    """A strategy by its name (registered, a dotted path, or FILE.py:CLASS) and its parameters."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Parameters travel and are stored as JSON: anything else is refused here."""
        name: Any = self.name  # whatever the file or the caller gave
        parameters: Any = self.parameters
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
        """The name in keys and tables. A file has its base name, wherever it lies and wherever the command runs."""
        file, _, attribute = self.name.rpartition(":")
        return f"{Path(file).name}:{attribute}" if file.endswith(".py") else self.name

    @property
    def label(self) -> str:
        """``committee(members=15)``."""
        return label(self.shown, self.parameters)

    @property
    def identity(self) -> tuple[str, str]:
        """What two strategies differ in: 1 and "1" are two values."""
        return self.shown, canonical(self.parameters)

    def without_defaults(self) -> StrategySpec:
        """The same strategy with the parameters left out that say what a registered one does anyway."""
        from gardner.strategies import registered

        known = default_parameters(self.name) if self.name in registered() else {}
        kept = {key: value for key, value in self.parameters.items() if not (key in known and _same(known[key], value))}
        return StrategySpec(self.name, kept)


def _same(default: Any, value: Any) -> bool:
    kinds = (float, int) if isinstance(default, float) else (type(default),)
    return type(value) in kinds and bool(value == default)


def label(name: str, parameters: Mapping[str, Any]) -> str:
    """A strategy in tables, with its parameters as ``--param`` reads them: a text that reads as JSON is quoted."""
    told = ", ".join(f"{key}={_told(value)}" for key, value in sorted(parameters.items()))
    return f"{name}({told})" if told else name


def _told(value: Any) -> str:
    quoted = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str) or not value or "," in value:
        return quoted
    try:
        json.loads(value)
    except ValueError:
        return value
    return quoted


def default_parameters(name: str) -> dict[str, Any]:
    """The parameters of a registered strategy, with their defaults."""
    from gardner.strategies import make_registered

    accepted = inspect.signature(type(make_registered(name, {}))).parameters
    return {key: parameter.default for key, parameter in accepted.items()}


@dataclass(frozen=True)
class Task:
    """One run of one strategy on one seeded instance."""

    strategy: StrategySpec
    features: int
    pool_ratio: float
    budget: float
    batch_size: int
    seed: int
    test_rows: int = 0
    variances: Variances = "vector"
    dtype: Precision = "float32"
    prior: str = "gaussian"
    channel: str = "sign"
    teacher_prior: str = "gaussian"
    teacher_channel: str = "sign"

    @property
    def models(self) -> tuple[GLM, GLM]:
        """The student's model and the teacher's."""
        student = GLM(parse_prior(self.prior), parse_channel(self.channel))
        return student, GLM(parse_prior(self.teacher_prior), parse_channel(self.teacher_channel))

    def columns(self, code: str) -> dict[str, Any]:
        """What identifies the task in its rows; ``budget`` there is a round's, so the whole one is ``run_budget``."""
        names = ("features", "pool_ratio", "batch_size", "seed", "test_rows", "variances", "dtype", *MODEL)
        return {
            "key": self.key(code),
            "code": code,
            "strategy": self.strategy.shown,
            "parameters": canonical(self.strategy.parameters),
            "run_budget": self.budget,
            **{name: getattr(self, name) for name in names},
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
        """Sixteen letters that stand for the task and the code that runs it, with the content of a strategy's file."""
        known = dataclasses.replace(self, strategy=StrategySpec(self.strategy.shown, self.strategy.parameters))
        return hashlib.sha256(f"{known.to_json()} {code}".encode()).hexdigest()[:16]


def code_version(strategy: str) -> str:
    """A stamp of the sources that make a run: loop, strategies, inference, model, and the file of a strategy not ours.

    A module that the name leads to is imported: for strategies that the user names, not for those of stored rows.
    What a strategy of one's own imports from elsewhere is not seen. Any edit counts, of a comment too: a run too many
    costs minutes, a stale row in a figure costs more.
    """
    from gardner.strategies.external import source_of

    found = source_of(strategy)
    return stamp(*_SOURCES, also=[found] if found else [])


def stored_version(strategy: str) -> str | None:
    """:func:`code_version` of a strategy whose name was read from a row: nothing is imported.

    None where it is not known: a module would have to be run, or the file is not in this folder.
    """
    from gardner.strategies.external import is_external

    if not is_external(strategy):
        return stamp(*_SOURCES)
    file = Path(strategy.rpartition(":")[0])  # rows hold the names of files without folders
    try:
        known = file.suffix == ".py" and file.name == str(file) and file.is_file()
        return stamp(*_SOURCES, also=[file]) if known else None
    except OSError:  # too long a name, or not ours to read
        return None


def stamp(*patterns: str, also: Sequence[Path] = ()) -> str:
    """A stamp of some of our sources, by patterns of their paths in the package, and of other files."""
    home = Path(inspect.getfile(gardner)).parent
    digest = hashlib.sha256()
    for path in [*(path for pattern in patterns for path in sorted(home.glob(pattern))), *also]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


@dataclass(frozen=True)
class Spec:
    """All combinations of what is listed; checked when it is made."""

    strategies: Sequence[StrategySpec]
    features: Sequence[int]
    pool_ratio: Sequence[float]
    budget: Sequence[float]
    batch_size: Sequence[int]
    seeds: Sequence[int]
    test_rows: int = 0
    variances: Variances = "vector"
    dtype: Precision = "float32"
    prior: str = "gaussian"
    channel: str = "sign"
    teacher_prior: str | None = None  # the student's, if nothing else is said
    teacher_channel: str | None = None

    def __post_init__(self) -> None:
        """Errors name the option of the command line, which is the key of the file."""
        check_whole("features", self.features, 1)
        check_positive("alpha", self.pool_ratio)
        check_positive("budget", self.budget)
        check_whole("batch", self.batch_size, 1)
        check_whole("seeds", self.seeds, 0)
        _check_strategies(self.strategies)
        check_whole("test_rows", [self.test_rows], 0)
        for name, choice, allowed in (("variances", self.variances, Variances), ("dtype", self.dtype, Precision)):
            if choice not in get_args(allowed):
                raise InvalidInputError(name, choice, f"it must be {' or '.join(get_args(allowed))}")
        _ = self._models
        for features, ratio, budget in itertools.product(self.features, self.pool_ratio, self.budget):
            check_sizes(features, ratio, budget)

    @property
    def _models(self) -> dict[str, str]:
        given = {"prior": self.prior, "channel": self.channel}
        given |= {"teacher_prior": self.teacher_prior or self.prior}
        return check_models(given | {"teacher_channel": self.teacher_channel or self.channel})

    def tasks(self) -> list[Task]:
        """Seed by seed, so that what is finished early can already be compared between strategies."""
        strategies = [strategy.without_defaults() for strategy in self.strategies]
        _check_strategies(strategies)
        common: dict[str, Any] = {"test_rows": self.test_rows, "variances": self.variances, "dtype": self.dtype}
        common |= self._models
        axes = (self.seeds, self.features, self.pool_ratio, self.batch_size, self.budget, strategies)
        return [
            Task(strategy, features, float(ratio), float(budget), batch, seed, **common)
            for seed, features, ratio, batch, budget, strategy in itertools.product(*axes)
        ]


def _check_strategies(strategies: Sequence[StrategySpec]) -> None:
    hint = "name each once; parameters have defaults, and files are told apart by their names without folders"
    check_distinct("strategies", [one.identity for one in strategies], [one.label for one in strategies], hint)


_KEYS = {"features": "features", "alpha": "pool_ratio", "budget": "budget", "batch": "batch_size"}
_MOST_VALUES = 100_000
_OPTIONAL = ("test_rows", "variances", "dtype", *MODEL)


def read_spec(path: Path | str) -> Spec:
    """A spec from a YAML file; the format is at the top of this module."""
    from gardner.records.user_file import check_regular, reading  # not at the top: workers need none of it

    check_regular("spec", Path(path))
    with reading("spec", path):
        found = yaml.load(Path(path).read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - a safe loader
    _check_size(found, str(path))
    if not isinstance(found, dict):
        raise InvalidInputError("spec", str(path), "it must map keys to values", hint=f"keys: {_allowed()}")
    for key in found:
        if key not in ("strategies", "seeds", *_KEYS, *_OPTIONAL):
            raise InvalidInputError("spec key", key, f"it must be one of {_allowed()}")
    for key in ("strategies", "seeds", *_KEYS):
        if found.get(key) is None:
            raise InvalidInputError(key, None, f"{Path(path).name} must give it")
    lists: dict[str, Any] = {name: _listed(found[key]) for key, name in _KEYS.items()}
    seeds = found["seeds"] if isinstance(found["seeds"], list) else seeds_up_to(found["seeds"])
    strategies = [_strategy(entry) for entry in _listed(found["strategies"])]
    return Spec(strategies=strategies, seeds=seeds, **lists, **{key: found[key] for key in _OPTIONAL if key in found})


def _check_size(found: Any, path: str) -> None:
    """A few lines of aliases can stand for billions of values, or for themselves: count before anything else does."""
    left, waiting = _MOST_VALUES, [found]
    while waiting:
        value = waiting.pop()
        left -= 1
        if left < 0:
            raise InvalidInputError("spec", path, f"with its aliases it holds more than {_MOST_VALUES} values")
        if isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple | set):
            waiting += value


def _allowed() -> str:
    return ", ".join(("strategies", *_KEYS, "seeds", *_OPTIONAL))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _strategy(entry: Any) -> StrategySpec:
    if isinstance(entry, str):
        return StrategySpec(entry)
    if not isinstance(entry, dict) or not {"name"} <= set(entry) <= {"name", "parameters"}:
        raise InvalidInputError("strategies", entry, "a strategy is a name, or a mapping with name and parameters")
    return StrategySpec(entry["name"], entry.get("parameters") or {})


class _Loader(yaml.SafeLoader):
    """YAML takes the last of two equal keys without a word; here it is an error."""

    def compose_mapping_node(self, anchor: Any) -> Any:
        """What is written is checked, before merge keys (``<<: *anchor``) bring in what they may override."""
        node: Any = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            known = (key.tag, str(key.value))
            if known in seen:
                raise InvalidInputError("spec key", key.value, "it is there twice")
            seen.add(known)
        return node
