"""Options of a command that follow from fields (:mod:`gardner.experiment.question.fields`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import typer

from gardner.cli.console import read_range
from gardner.errors import InvalidInputError
from gardner.experiment.question.fields import Field


def with_fields(fields: Sequence[Field]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The command with the options of all these fields, after its arguments, in place of
    ``**fields``.
    """

    def derive(function: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(function).parameters.values()
        kept = [one for one in own if one.kind is not one.VAR_KEYWORD]
        arguments = [one for one in kept if isinstance(one.default, typer.models.ArgumentInfo)]
        plain = [one.replace(kind=one.KEYWORD_ONLY) for one in kept if one not in arguments]
        derived = inspect.Signature([*arguments, *map(_option, fields), *plain])
        function.__signature__ = derived  # type: ignore[attr-defined]
        return function

    return derive


def _option(one: Field) -> inspect.Parameter:
    """The option of a field, as typer reads it from a signature."""
    option = typer.Option(
        None,
        *filter(None, (one.option, one.short)),
        help=one.help,
        metavar=one.metavar or "|".join(one.choices) or None,
        show_default=False if one.required else str(one.default) or False,
    )
    kind: Any = list[str] if one.many and not one.counted else one.kind if one.kind in (int, float) else str
    return inspect.Parameter(one.given_as, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)


def read_given(fields: Sequence[Field], given: Mapping[str, Any], command: str) -> dict[str, Any]:
    """The values of the options that were given, or an error that names one that is needed and
    missing.
    """
    there = {name: value for name, value in given.items() if value not in (None, [])}
    for one in fields:
        if one.required and one.given_as not in there and not there.get(one.known_from):
            raise InvalidInputError(one.option, None, "it is needed", hint=f"{command} --help has examples")
    return {one.given_as: _numbers(one, there[one.given_as]) for one in fields if one.given_as in there}


def _numbers(one: Field, given: Any) -> Any:
    """Numbers and ranges of a field that may be several; anything else as it is."""
    if not isinstance(given, list):
        return given
    numbers = read_range(one.option.removeprefix("--"), given)
    return [_whole(one, value) for value in numbers] if one.kind is int else numbers


def _whole(one: Field, value: float) -> int:
    if not value.is_integer():
        raise InvalidInputError(one.option, value, "it must be a whole number")
    return int(value)
