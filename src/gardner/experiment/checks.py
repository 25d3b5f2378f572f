"""What a spec may hold; errors name the option of the command line, which is the key of the file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gardner.errors import InvalidInputError
from gardner.model.registry import CHANNELS, PRIORS, describe, parse_channel, parse_prior

MOST_SEEDS = 1_000_000


def check_models(names: Mapping[str, Any]) -> dict[str, str]:
    """Priors and channels in their one spelling. Registered ones only: what a file holds, no key would know."""
    result = {}
    for option, text in names.items():
        kinds, parse = (PRIORS, parse_prior) if option.endswith("prior") else (CHANNELS, parse_channel)
        if not isinstance(text, str) or text.partition(":")[0] not in kinds:
            hint = "models of your own: gardner.experiment.loop.run"
            raise InvalidInputError(option, text, f"it must be one of {', '.join(kinds)}", hint=hint)
        result[option] = describe(parse(text))
    return result


def check_sizes(features: int, ratio: float, budget: float) -> None:
    """A pool that can be, and a budget that it can pay."""
    if not ratio * features * features < 2.0**63:
        raise InvalidInputError("alpha", ratio, f"no machine holds such a pool for {features} features")
    pool = round(ratio * features)
    if budget > ratio + 1.0 or not 1 <= round(budget * features) <= pool:  # the first: a product may overflow
        rule = f"with {features} features and a pool of {pool} rows it must lie in [{1 / features:g}, {ratio:g}]"
        raise InvalidInputError("budget", budget, rule)


def check_whole(name: str, values: Sequence[Any], least: int) -> None:
    """Whole numbers, each once."""
    for value in values:
        check_width(name, value)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise InvalidInputError(name, value, f"it must be a whole number of at least {least}")
    check_distinct(name, values)


def check_width(name: str, value: Any) -> None:
    """Whole numbers go into arrays and tables; Python's own have no end, and cannot even be printed beyond some."""
    if isinstance(value, int) and value.bit_length() > 63:
        told = value if abs(value) < 10**30 else f"an integer of {value.bit_length()} bits"
        raise InvalidInputError(name, told, "it must fit into 64 bits")


def check_positive(name: str, values: Sequence[Any]) -> None:
    """Positive numbers, each once."""
    for value in values:
        check_width(name, value)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number and math.isfinite(value) and value > 0.0):
            raise InvalidInputError(name, value, "it must be a positive number", hint="per weight, such as 0.6")
    check_distinct(name, values)


def check_distinct(
    name: str, values: Sequence[Any], told: Sequence[Any] | None = None, hint: str = "name each once"
) -> None:
    """At least one, and none twice; errors show ``told`` where values are not for readers."""
    if not values:
        raise InvalidInputError(name, values, "at least one is needed")
    seen = set()
    for value, shown in zip(values, told or values, strict=True):
        if value in seen:
            raise InvalidInputError(name, shown, "it is there twice", hint=hint)
        seen.add(value)


def seeds_up_to(count: Any) -> list[int]:
    """0 … count − 1."""
    check_width("seeds", count)
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MOST_SEEDS:
        raise InvalidInputError("seeds", count, f"it must be a whole number from 1 to {MOST_SEEDS}, or a list")
    return list(range(count))
