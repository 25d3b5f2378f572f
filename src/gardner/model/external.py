"""Anyone's prior or channel by name: a registered one, or a class in a module or a file.

gauss-bernoulli:0.1                 registered, with its first parameter
package.module:Class                importable; :0.1 may follow
path/to/my_model.py:Class           in a file; :0.1 may follow

Naming a file or a module runs it. So ``load_prior`` and ``load_channel`` are for names that the
user gave to this command, also where its tasks run; a text that was read back is for
``parse_prior`` and ``parse_channel``, which load nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from gardner.errors import InvalidInputError
from gardner.loading import is_external, load_named, source_of
from gardner.model.channel import Channel
from gardner.model.prior import Prior
from gardner.model.registry import CHANNELS, PRIORS, describe, make, parse_channel, parse_prior, split


def load_prior(text: str) -> Prior:
    """A prior that the user names: registered, or a class whose file or module is run.

    >>> load_prior("gaussian:2")
    Gaussian(variance=2.0)
    """
    name, _ = split("prior", text)
    return parse_prior(text) if name in PRIORS or not is_external(name) else cast(Prior, _load("prior", text, Prior))


def load_channel(text: str) -> Channel:
    """A channel that the user names: registered, or a class whose file or module is run.

    >>> load_channel("gardner.model.flip:Flip:0.1")
    Flip(rho=0.1)
    """
    name, _ = split("channel", text)
    own = name not in CHANNELS and is_external(name)
    return cast(Channel, _load("channel", text, Channel)) if own else parse_channel(text)


def spell_model(what: str, text: str) -> str:
    """The one spelling of a prior or a channel (``what``); nothing is loaded.

    >>> spell_model("channel", "flip:.05"), spell_model("prior", "mine.py:Mine:2")
    ('flip:0.05', 'mine.py:Mine:2.0')
    """
    if not is_external(split(what, text)[0]):
        return describe(parse_prior(text) if what == "prior" else parse_channel(text))
    return rename_model(what, text, lambda _, name: name)


def rename_model(what: str, text: str, change: Callable[[str, str], str]) -> str:
    """The text of a model under another name, where it is one's own; ``change`` gets ``what`` it
    is, and the name.
    """
    name, values = split(what, text)
    return ":".join([change(what, name), *map(repr, values)]) if is_external(name) else text


def external_name(what: str, text: str) -> str:
    """The name in the text of a model of one's own, without its number; empty for any other text."""
    try:
        name, _ = split(what, text)
    except InvalidInputError:  # gaussian:much
        return ""
    return name if is_external(name) else ""


def model_source(what: str, text: str) -> Path | None:
    """The file that defines a model of one's own; None for a registered one."""
    return source_of(what, split(what, text)[0])


def _load(what: str, text: str, protocol: type) -> Any:
    name, values = split(what, text)
    kind = load_named(what, name, inspect.isclass).value
    _check_class(what, text, kind, protocol)
    made = make(what, text, kind, values)
    try:
        other = make(what, text, kind, values)
        alike = hash(made) == hash(other) and made == other
    except TypeError as error:
        raise InvalidInputError(what, text, f"it cannot be made: {error}") from None
    if not alike:
        raise InvalidInputError(
            what, text, "two of it are never equal, so a student could not know the teacher's model",
            hint="make the class a frozen dataclass",
        )  # fmt: skip
    return made


def _check_class(what: str, text: str, kind: Any, protocol: type) -> None:
    """Whether a class keeps the contract, asked before it is called.

    Making an object may open a window, or end the process.

    Methods stand in the class. What is not a method may also be a field of a dataclass, or
    annotated.
    """
    if not isinstance(kind, type):
        raise InvalidInputError(what, text, f"it is no class but {type(kind).__name__}", hint="write FILE.py:CLASS")
    own = [base for base in kind.__mro__ if base is not protocol]
    declared = {name for base in own for name in (*vars(base), *vars(base).get("__annotations__", ()))}
    missing = [name for name in _members(protocol) if name not in declared]
    missing += [
        name
        for name in _members(protocol)
        if name in declared and inspect.isfunction(vars(protocol)[name]) and not callable(getattr(kind, name, None))
    ]
    if missing:
        raise _lacking(what, text, missing, protocol)
    if not issubclass(kind, protocol):
        home = f"gardner.model.{protocol.__name__}"
        raise InvalidInputError(what, text, f"its class does not derive from {home}", hint=f"write class …({home})")


def _lacking(what: str, text: str, missing: list[str], protocol: type) -> InvalidInputError:
    return InvalidInputError(
        what,
        text,
        f"it lacks {', '.join(sorted(missing))}",
        hint=f"gardner.model.{protocol.__name__} says what it needs",
    )


def _members(protocol: type) -> list[str]:
    return sorted(vars(protocol)["__abstractmethods__"])
