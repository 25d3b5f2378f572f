"""How a field of an experiment is declared, and what follows from its declaration.

A field is declared once, in :class:`gardner.experiment.question.task.Task`:

    pool_ratio: Annotated[float, Field("--alpha", "-a", "Rows of the pool per weight.", many=True)]

Its name is the Python argument, the key of a spec file and the column of a stored row; its
annotation says what it must be; a default makes it optional; the options are those of
``gardner bench``. Everything else reads :func:`declared`.

Why plain dataclasses and no library of schemas: msgspec or pydantic would check the types, but the
messages here name the field and say what to try, half of the rules are about several fields at
once, and options, columns and lists of values would still be ours to write. What is left for a
library is less than its import takes.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import typing
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeGuard

from gardner.checks import check_whole
from gardner.errors import InvalidInputError

# Seeds of one sweep; a count that is larger was meant as a seed, and its list would fill memory.
MOST_SEEDS = 1_000_000
# Letters of a text that is no model: no file system has longer paths.
_MOST_LETTERS = 4_096
REQUIRED = inspect.Parameter.empty  # the default of what must be given

Rule = Callable[[str, object], Any]  # the value as it is kept, or an error that names the field


@dataclass(frozen=True)
class Field:
    """A declared field. Name, type (``kind``) and default are read from the dataclass it stands in.

    ``many``: a sweep may list several values, and runs all combinations. ``plural``: the name of
    that list, or of what users give, where it is another word. ``counted``: the list may be given
    as how many, 0, 1, …. ``least``: the smallest whole number. ``stored_as``: the column, where it
    has another name. ``follows``: the field whose value is taken where nothing is said.
    ``known_from``: the field from which it is known, where that one is given. ``rule``: what checks
    a value by its name, where the type does not say what it must be. ``drawn``: it means something
    only for pools that are drawn.
    """

    option: str
    short: str = ""
    help: str = ""
    metavar: str = ""
    many: bool = False
    plural: str = ""
    counted: bool = False
    least: int = 0
    stored_as: str = ""
    follows: str = ""
    known_from: str = ""
    rule: Rule | None = None
    drawn: bool = False
    name: str = ""
    kind: Any = None
    default: Any = REQUIRED

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is REQUIRED

    @property
    def given_as(self) -> str:
        """The name in a sweep: a Python argument, and the key of a spec file."""
        return self.plural or self.name

    @property
    def spellings(self) -> tuple[str, ...]:
        """The keys of a spec file: the name, and the word of the option, which was the key of
        version 0.1.0.
        """
        return tuple(dict.fromkeys((self.given_as, self.option.removeprefix("--").replace("-", "_"))))

    @property
    def column(self) -> str:
        """The name in stored rows."""
        return self.stored_as or self.name

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts there are, for a field that has a few."""
        return typing.get_args(self.kind)

    @property
    def model(self) -> str:
        """``prior`` or ``channel`` for the text of a model, and empty for anything else."""
        last = self.name.rpartition("_")[2]
        return last if self.kind is str and last in ("prior", "channel") else ""

    def check(self, value: object) -> Any:
        """The value as it is kept, or an error that names the field."""
        return (self.rule or self._rule_of_kind())(self.given_as, value)

    def _rule_of_kind(self) -> Rule:
        """What a value of this type must be."""
        if self.choices:
            return functools.partial(_check_choice, self.choices)
        if self.model:
            return functools.partial(_check_model, self.model)
        if self.kind is int:
            return functools.partial(_check_whole, self.least)
        return _check_positive if self.kind is float else _check_text

    def check_all(self, given: object) -> list[Any]:
        """The values of a sweep, each checked and there once."""
        if self.counted and not isinstance(given, Sequence):
            return list(range(self._check_count(given)))
        values = given if self.many and _is_list(given) else [given]
        values = [self.check(value) for value in values]
        check_distinct(self.given_as, values)
        return values

    def _check_count(self, count: object) -> int:
        _check_width(self.given_as, count)
        try:
            return check_whole(self.given_as, count, 1, MOST_SEEDS)
        except InvalidInputError as error:
            raise InvalidInputError(self.given_as, count, f"{error.requirement}, or a list") from None


@functools.cache
def declared(owner: type) -> tuple[Field, ...]:
    """The declared fields of a dataclass, in order."""
    hints = typing.get_type_hints(owner, include_extras=True)
    found = []
    for one in dataclasses.fields(owner):
        kind, *extras = typing.get_args(hints[one.name]) or (hints[one.name],)
        default = REQUIRED if one.default is dataclasses.MISSING else one.default
        about = {"name": one.name, "kind": kind, "default": default}
        found += [dataclasses.replace(extra, **about) for extra in extras if isinstance(extra, Field)]
    return tuple(found)


@contextmanager
def called(names: Mapping[str, str]) -> Iterator[None]:
    """Errors inside call a field as the user does: by the option, or by the key that stands in the
    file.
    """
    try:
        yield
    except InvalidInputError as error:
        if error.name not in names:
            raise
        raise InvalidInputError(names[error.name], error.value, error.requirement, hint=error.hint) from None


def check_distinct(
    name: str, values: Sequence[Hashable], shown: Sequence[object] | None = None, hint: str = "name each once"
) -> None:
    """At least one, and none twice; errors show ``shown`` where values are not for readers."""
    if not values:
        raise InvalidInputError(name, values, "at least one is needed")
    seen = set()
    for value, text in zip(values, shown or values, strict=True):
        if value in seen:
            raise InvalidInputError(name, text, "it is there twice", hint=hint)
        seen.add(value)


def _is_list(given: object) -> TypeGuard[Sequence[object]]:
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)


def _check_width(name: str, value: object) -> None:
    """Whole numbers go into arrays and tables; Python's own have no end, and cannot even be printed
    beyond some.
    """
    if isinstance(value, Integral) and int(value).bit_length() > 63:
        shown = value if abs(int(value)) < 10**30 else f"an integer of {int(value).bit_length()} bits"
        raise InvalidInputError(name, shown, "it must fit into 64 bits")


def _check_whole(least: int, name: str, value: object) -> int:
    _check_width(name, value)
    return check_whole(name, value, least)


def _check_positive(name: str, value: object) -> float:
    _check_width(name, value)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0.0:
        return float(value)
    raise InvalidInputError(name, value, "it must be a positive number", hint="per weight, such as 0.6")


def check_number(name: str, value: object) -> float:
    """The rule of a number that may be negative; its owner says between which ends."""
    _check_width(name, value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise InvalidInputError(name, value, "it must be a number")


def check_share(name: str, value: object) -> float:
    """The rule of a share of rows: from 0 on, and below 1."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0.0 <= value < 1.0:
        return float(value)
    raise InvalidInputError(name, value, "it must be a share of the rows, below 1", hint="such as 0.4")


def _check_text(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > _MOST_LETTERS:
        raise InvalidInputError(name, value, f"it must be a text of at most {_MOST_LETTERS} letters")
    return value


def _check_choice(choices: tuple[str, ...], name: str, value: object) -> object:
    if value not in choices:
        raise InvalidInputError(name, value, f"it must be {' or '.join(choices)}")
    return value


def _check_model(what: str, name: str, text: object) -> str:
    """A registered model in its one spelling, or the name of one's own, which is loaded where tasks
    run.
    """
    from gardner.experiment.question.spectrum_file import with_numbers
    from gardner.model.external import spell_model

    if not isinstance(text, str) or not text:
        raise InvalidInputError(name, text, f"a {what} is a name of `gardner models`, or FILE.py:CLASS")
    with called({what: name}):
        return spell_model(what, with_numbers(text) if what == "prior" else text)
