"""Parameters of what a command runs: ``--param NAME.KEY=VALUE``."""

from __future__ import annotations

import json
import re
from typing import Any

from gardner.errors import InvalidInputError


def read_parameters(names: list[str], params: list[str], what: str) -> list[tuple[str, dict[str, Any]]]:
    """Parameters by name. A value is JSON where it reads as such (15, 0.5, true, [1, 2]) and text
    otherwise. ``what`` the names are of, in the plural, is for error messages.
    """
    found: dict[str, dict[str, Any]] = {name: {} for name in names}
    for text in params:
        left, equals, value = text.partition("=")
        name, _, key = left.rpartition(".")
        if not (equals and name and key):
            one = "STRATEGY" if what == "strategies" else "RULE"
            raise InvalidInputError("--param", text, f"it must look like {one}.KEY=VALUE")
        name = _full_name(name, names, text, what)
        if key in found[name]:
            raise InvalidInputError("--param", text, f"{left} is there twice")
        try:
            found[name][key] = json.loads(value)
        except ValueError:
            found[name][key] = value
    return [(name, found[name]) for name in names]


def _full_name(name: str, names: list[str], text: str, what: str) -> str:
    """A name of this command, also by its last part alone: Mine for my_strategy.py:Mine."""
    meant = [name] if name in names else [one for one in names if re.split("[.:]", one)[-1] == name]
    if not meant:
        raise InvalidInputError("--param", text, f"the {what} of this command are {', '.join(names)}")
    if len(meant) > 1:
        raise InvalidInputError("--param", text, f"{name} may be {' or '.join(meant)}", hint="write it in full")
    return meant[0]
