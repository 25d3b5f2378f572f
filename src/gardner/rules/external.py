"""Anybody's rule by name: a registered one, or a class or a function in a module or a file.

    agnostic                     registered
    path/to/mine.py:Mine         a class with score(mean, variance, channel) or levels(…)
    path/to/mine.py:mine         a function of (mean, variance) or (mean, variance, channel): the score

Naming a file or a module runs it, so :func:`load_rule` is for names that the user gave; a name that
was read back is for ``make_registered_rule``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from gardner.errors import GardnerError, InvalidInputError
from gardner.loading import is_external, load_named
from gardner.model import Channel
from gardner.model.arrays import Floats
from gardner.rules.base import Parameters, Rule, RuleError, made, make_registered_rule

_FIELDS = ("mean", "variance")
_ASKED = (*_FIELDS, "channel")


@dataclass(frozen=True)
class FunctionRule(Rule):
    """A function that scores rows by mean and variance of their fields, and perhaps by the channel.

    >>> FunctionRule(lambda mean, variance: -abs(mean)).score(-2.0, 1.0, None)
    -2.0
    """

    function: Callable[..., Floats]
    parameters: tuple[tuple[str, object], ...] = ()

    def score(self, mean: Floats, variance: Floats, channel: Channel) -> Floats:
        """What the function says of each row."""
        given = {"mean": mean, "variance": variance, "channel": channel}
        wanted = {name: given[name] for name in _ASKED if name in inspect.signature(self.function).parameters}
        return self.function(**wanted, **dict(self.parameters))


def rule_like(found: object) -> bool:
    """Whether something looks like a rule: by its base, or by what its first arguments are called."""
    if inspect.isclass(found):
        return issubclass(found, Rule)
    if isinstance(found, Rule):
        return True
    if not inspect.isfunction(found):
        return False
    return tuple(inspect.signature(found).parameters)[:2] == _FIELDS


def load_rule(name: str, parameters: Parameters) -> Rule:
    """A rule that the user names: registered, or one's own, whose file or module is run.

    >>> load_rule("posterior-committee", {"members": 3})
    PosteriorCommittee(members=3)
    """
    if not is_external(name):
        return make_registered_rule(name, parameters)
    return as_rule(load_named("rule", name, rule_like).value, name, parameters)


def as_rule(found: object, name: str, parameters: Parameters) -> Rule:
    """A rule of what a name led to."""
    if not rule_like(found):
        raise InvalidInputError(
            "rule", name, "it is no rule",
            hint="write a class that derives from gardner.rules.Rule, or a function of (mean, variance)",
        )  # fmt: skip
    if isinstance(found, Rule):
        if parameters:
            raise InvalidInputError("rule", name, "it is made already", hint="name its class instead")
        return found
    if inspect.isclass(found):
        try:
            return made(cast("type[Rule]", found), name, parameters)
        except GardnerError:
            raise
        except (Exception, SystemExit) as error:
            raise RuleError(f"{name} cannot be made: {error}") from None
    accepted = list(inspect.signature(cast("Callable[..., Floats]", found)).parameters)
    for key, value in parameters.items():
        if key not in accepted or key in _ASKED:
            own = ", ".join(one for one in accepted if one not in _ASKED) or "none"
            raise InvalidInputError(f"{name}.{key}", value, f"parameters of {name}: {own}")
    return FunctionRule(cast("Callable[..., Floats]", found), tuple(parameters.items()))
