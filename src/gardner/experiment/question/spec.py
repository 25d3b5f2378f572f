"""What to run: strategies × seeds × features × pool ratios × batch sizes × budgets.

From Python a :class:`Spec`; from a YAML file the same under the same names (:func:`read_spec`):

    strategies:                     # names, or names with parameters
      - agnostic
      - name: committee
        parameters: {members: 15}
      - my_strategy.py:Mine
    features: [400, 2000]           # one number or a list, here and below
    pool_ratio: 3
    budget: 2
    batch_size: 20
    seeds: 10                       # how many (0 … 9), or a list
    test_rows: 0                    # optional: rows of a test set
    variances: vector               # optional: AMP's variances, vector or scalar
    dtype: float32                  # optional: or float64; on a GPU also bfloat16, float16
    device: cpu                     # optional: where the pool lives, cpu, cuda or auto
    prior: gaussian                 # optional: the law of weights, as in `gardner models`
    channel: flip:0.05              # optional: how labels arise
    teacher_prior: laplace          # optional: the teacher's, if another
    teacher_channel: sign           # optional: the teacher's, if another

In place of features and pool ratio a table with all its labels may be given:

    data: pool.parquet              # CSV, Parquet or npz
    label: y                        # the column of its labels
    test_share: 0.4                 # optional: the share of rows that is held out to measure on
    budget: 100                     # with data it is a number of labels

The words of the options will do as well: ``alpha`` for ``pool_ratio``, ``batch`` for
``batch_size``. Fields are declared in :class:`gardner.experiment.question.task.Task`.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gardner.errors import InvalidInputError
from gardner.experiment.question.fields import Field, called, check_distinct
from gardner.experiment.question.task import FIELDS, MODELS, StrategySpec, Task

# Values in a spec file, aliases followed: a few lines of YAML can stand for more than fits into
# memory.
_MOST_VALUES = 100_000


def _parameter(one: Field) -> inspect.Parameter:
    # what is known from data may be left out, and then Python wants defaults for all that follow
    default = None if one.required else one.default
    return inspect.Parameter(one.given_as, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)


@dataclass(frozen=True, init=False)
class Spec:
    """All combinations of what is listed; checked when it is made.

    The arguments are strategies, and then the fields of a :class:`Task` in their order, those that
    may be several as lists; ``seeds`` is a list or how many.

    >>> spec = Spec([StrategySpec("random")], features=[40], pool_ratio=3, budget=[0.3, 0.6], batch_size=4, seeds=2)
    >>> [(task.seed, task.budget) for task in spec.tasks()]
    [(0, 0.3), (0, 0.6), (1, 0.3), (1, 0.6)]
    """

    strategies: tuple[StrategySpec, ...]
    values: dict[str, list[Any]]  # by the names of fields

    __signature__ = inspect.Signature(
        [inspect.Parameter("strategies", inspect.Parameter.POSITIONAL_OR_KEYWORD), *map(_parameter, FIELDS)]
    )

    def __init__(self, *given: object, **named: object) -> None:
        """Check everything."""
        bound = self.__signature__.bind(*given, **named)
        bound.apply_defaults()
        strategies = tuple(bound.arguments["strategies"])
        values = _checked(_completed(bound.arguments))
        values |= _devices(values, strategies)
        _check_strategies(strategies)
        for sizes in itertools.product(*(values[name] for name in ("features", "pool_ratio", "budget"))):
            check_sizes(*sizes)
        object.__setattr__(self, "strategies", strategies)
        object.__setattr__(self, "values", values)

    def tasks(self) -> list[Task]:
        """Seed by seed, so that what is finished early can already be compared between strategies."""
        strategies = [strategy.without_defaults() for strategy in self.strategies]
        _check_strategies(strategies)
        names = sorted(self.values, key=lambda name: name != "seed")
        return [
            Task(strategy, **dict(zip(names, values, strict=True)))
            for *values, strategy in itertools.product(*(self.values[name] for name in names), strategies)
        ]


def _completed(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a :class:`Spec` with what follows from its data; nothing required may be
    missing then.
    """
    known: dict[str, Any] = {}
    if given["data"]:
        from gardner.experiment.question.table import known_from_data

        known = known_from_data(given)
    complete = {**given, **known}
    for one in FIELDS:
        if one.required and complete[one.given_as] is None:
            raise TypeError(f"missing a required argument: {one.given_as!r}")
    return complete


def _checked(given: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The values of every field, by its name."""
    values: dict[str, list[Any]] = {}
    for one in FIELDS:
        value = given[one.given_as]
        follows = one.follows and not value
        values[one.name] = values[one.follows] if follows else one.check_all(value)
    return values


def _devices(values: Mapping[str, list[Any]], strategies: Sequence[StrategySpec]) -> dict[str, list[Any]]:
    """Where pools live, ``auto`` replaced; nothing to say where that is the CPU, as usual."""
    if set(values["device"]) == {"cpu"} and set(values["dtype"]) <= {"float32", "float64"}:
        return {}
    from gardner.experiment.question.device import settled

    return settled(values, [(one.name, one.parameters) for one in strategies])


def check_sizes(features: int, pool_ratio: float, budget: float) -> None:
    """A pool that can be, and a budget that it can pay."""
    if not pool_ratio * features * features < 2.0**63:
        raise InvalidInputError("pool_ratio", pool_ratio, f"no machine holds such a pool for {features} features")
    pool = round(pool_ratio * features)
    if budget > pool_ratio + 1.0 or not 1 <= round(budget * features) <= pool:  # the first: a product may overflow
        rule = f"with {features} features and a pool of {pool} rows it must lie in [{1 / features:g}, {pool_ratio:g}]"
        raise InvalidInputError("budget", budget, rule)


def _check_strategies(strategies: Sequence[StrategySpec]) -> None:
    hint = "name each once; parameters have defaults, and files are told apart by their names without folders"
    check_distinct("strategies", [one.identity for one in strategies], [one.label for one in strategies], hint)


# --- from a file


def read_spec(path: Path | str) -> Spec:
    """A spec from a YAML file; the format is at the top of this module.

    >>> spec = read_spec("docs/examples/committees.yaml")
    >>> spec.strategies[0].label, spec.values["features"], len(spec.tasks())
    ('committee(members=45)', [2000], 20)
    """
    from gardner.records.user_file import check_regular, reading  # not at the top: workers need none of it

    check_regular("spec", Path(path))
    with reading("spec", path):
        found = yaml.load(Path(path).read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - a safe loader
    _check_size(found, str(path))
    if not isinstance(found, dict):
        raise InvalidInputError("spec", str(path), "it must map keys to values", hint=f"keys: {_allowed()}")
    names = {spelling: one.given_as for one in FIELDS for spelling in one.spellings} | {"strategies": "strategies"}
    given: dict[str, Any] = {}
    written: dict[str, str] = {}  # the keys as they stand in the file, by name
    for key, value in found.items():
        if key not in names:
            raise InvalidInputError("spec key", key, f"it must be one of {_allowed()}")
        if names[key] in written:
            raise InvalidInputError("spec key", key, f"it is there twice, also as {written[names[key]]}")
        written[names[key]] = key
        if value is not None:
            given[names[key]] = value
    needed = [one.given_as for one in FIELDS if one.required and not given.get(one.known_from)]
    for name in ("strategies", *needed):
        if name not in given:
            raise InvalidInputError(written.get(name, name), None, f"{Path(path).name} must give it")
    with called(written):
        _check_registered(given)
        return Spec(**given | {"strategies": _strategies(given["strategies"])})


def _check_registered(given: Mapping[str, object]) -> None:
    """Data must not become code: a model of one's own is named where one types, not in a file."""
    from gardner.model.external import external_name

    for one in MODELS:
        text = given.get(one.name)
        if isinstance(text, str) and external_name(one.model, text):
            hint = f"name your own on the command line: {one.option} FILE.py:CLASS"
            raise InvalidInputError(one.name, text, "a spec file names models of `gardner models` only", hint=hint)


def _check_size(found: object, path: str) -> None:
    """A few lines of aliases can stand for billions of values, or for themselves: count before
    anything else does.
    """
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
    return ", ".join(("strategies", *(one.given_as for one in FIELDS)))


def _strategies(given: object) -> list[StrategySpec]:
    return [_strategy(entry) for entry in (given if isinstance(given, list) else [given])]


def _strategy(entry: object) -> StrategySpec:
    if isinstance(entry, str):
        return StrategySpec(entry)
    if not isinstance(entry, dict) or not {"name"} <= set(entry) <= {"name", "parameters"}:
        raise InvalidInputError("strategies", entry, "a strategy is a name, or a mapping with name and parameters")
    return StrategySpec(entry["name"], entry.get("parameters") or {})


class _Loader(yaml.SafeLoader):
    """YAML takes the last of two equal keys without a word; here it is an error."""

    def compose_mapping_node(self, anchor: Any) -> Any:
        """What is written is checked, before merge keys (``<<: *anchor``) bring in what they may
        override.
        """
        node: Any = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            known = (key.tag, str(key.value))
            if known in seen:
                raise InvalidInputError("spec key", key.value, "it is there twice")
            seen.add(known)
        return node
