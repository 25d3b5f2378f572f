"""Which contract a strategy follows, seen from its signatures.

    query(view), informed                                     ours: taken as it is
    query(X, y, …, candidates, batch_size, return_utilities)  scikit-activeml's pool strategies
    f(classifier, X_pool, n_instances=1, …)                   modAL's query strategies
    f(view, …)                                                a plain function
    f(mean, variance, …), a class derived from gardner.rules.Rule   a rule
    f(…), a class                                             makes one of the above from its parameters

What fits none is refused, with a word on what would fit. Nothing is called to find out: a class
must have the right methods, and a function that makes a strategy must stand in the file that was
named or say by its annotation what it returns.
"""

from __future__ import annotations

import copy
import functools
import inspect
import typing
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, TypeVar

from gardner.errors import GardnerError, InvalidInputError
from gardner.rules import as_rule, rule_like
from gardner.strategies.adapters import (
    CLASSES,
    REQUIRED,
    Parameters,
    PoolFunction,
    PoolStrategy,
    ViewFunction,
    is_required,
    signature_of,
)
from gardner.strategies.base import Strategy, StrategyError, View
from gardner.strategies.by_rule import RuleStrategy

T = TypeVar("T")
_FREE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def adapt(found: Any, name: str, parameters: dict[str, object], home: ModuleType | None = None) -> Strategy:
    """A strategy from what a name led to; ``home`` is the module of the file that was named, if it
    was one.
    """
    if inspect.isbuiltin(found):  # sys.exit, os.abort, print
        raise StrategyError(f"{name} is a function that is built into Python, not a strategy", hint=REQUIRED)
    if rule_like(found) and not hasattr(found, "query"):
        return RuleStrategy(as_rule(found, name, parameters))
    if inspect.isclass(found):
        _check_class(found, name)
        return _answering(_construct(found, name, parameters), name)
    if not strategy_like(found):
        raise StrategyError(f"{name} is a {type(found).__name__}, not a strategy", hint=REQUIRED)
    made = _own_copy(found, name)
    if hasattr(made, "query"):
        for key, value in parameters.items():
            raise InvalidInputError(f"{name}.{key}", value, f"{name} is made already", hint="name its class instead")
        return _answering(made, name)
    return _calling(made, name, parameters, maker=_is_maker(found, home))


def _check_class(found: type, name: str) -> None:
    """Refuse what cannot be a strategy before it is called: making an object may open a window, or
    end the process.
    """
    if not strategy_like(found):
        raise StrategyError(f"{name} is a class without query", hint=REQUIRED)
    method = "query" if hasattr(found, "query") else "__call__"
    bound = isinstance(inspect.getattr_static(found, method), staticmethod | classmethod)
    accepted = list(signature_of(getattr(found, method), f"{name}.{method}").values())[0 if bound else 1 :]
    free = [one for one in accepted if one.kind in _FREE]
    if method == "query" and not _is_pool_query(free):
        _check_query(found, name, free)
    elif method == "__call__" and not free:
        raise _unknown_kind(f"{name}.__call__", accepted)


def _is_pool_query(free: list[inspect.Parameter]) -> bool:
    return [one.name.lower() for one in free[:2]] == ["x", "y"]


def _check_query(found: type, name: str, free: list[inspect.Parameter]) -> None:
    """A query of ours: it takes a view, and its class says whether it is informed."""
    if not free:
        raise StrategyError(f"{name}.query() takes no view", hint=REQUIRED)
    annotated = any("informed" in vars(base).get("__annotations__", ()) for base in found.__mro__)
    declared = inspect.getattr_static(found, "informed", None)
    if not (annotated or isinstance(declared, bool) or hasattr(declared, "__get__")):
        raise _unclear(name, free)


def _unclear(name: str, free: list[inspect.Parameter]) -> StrategyError:
    names = [one.name for one in free]
    if names[:1] == ["candidates"]:
        return StrategyError(f"{name} is a strategy for streams", hint="pool strategies have query(X, y, …)")
    return StrategyError(
        f"{name} has query({', '.join(names)}) and does not say whether it is informed",
        hint="declare informed = False, or True if it reads labels nobody asked for yet",
    )


def _is_maker(found: object, home: ModuleType | None) -> bool:
    """Whether a callable that takes no view may be called to make a strategy."""
    while isinstance(found, functools.partial):
        found = found.func
    if home is not None and getattr(found, "__module__", None) == home.__name__:
        return True
    try:
        makes = typing.get_type_hints(found).get("return") if inspect.isfunction(found) else None
    except Exception:  # annotations are anybody's expressions
        return False
    if inspect.isclass(found) or inspect.isclass(makes):
        return strategy_like(found if inspect.isclass(found) else makes) and makes is not type
    return typing.get_origin(makes) is Callable


def _own_copy(found: T, name: str) -> T:
    """Runs must not share what an object remembers; functions stay themselves."""
    try:
        return copy.deepcopy(found)
    except Exception as error:
        hint = "name its class, or a function that makes it"
        raise StrategyError(f"{name} cannot be copied for each run: {error}", hint=hint) from error


def strategy_like(found: object) -> bool:
    """Whether it could be a strategy, seen from outside."""
    if inspect.ismodule(found):
        return False
    if inspect.isclass(found):
        return hasattr(found, "query") or any("__call__" in vars(base) for base in found.__mro__)
    return hasattr(found, "query") or callable(found)


def _answering(strategy: Any, name: str) -> Strategy:
    """An object made, behind our contract."""
    if not hasattr(strategy, "query"):
        if hasattr(type(strategy), "query"):  # scikit-activeml's wrappers have the query of what is inside
            hint = "put a function that makes it with one into a file and name that: FILE.py:FUNCTION"
            raise StrategyError(f"{name} wraps another strategy and was given none", hint=hint)
        if not callable(strategy):
            raise StrategyError(f"{name} is a {type(strategy).__name__}, not a strategy", hint=REQUIRED)
        return _calling(strategy, name, {}, maker=False)
    free = [one for one in signature_of(strategy.query, f"{name}.query").values() if one.kind in _FREE]
    if _is_pool_query(free):
        return PoolStrategy(strategy, name)
    if not isinstance(getattr(strategy, "informed", None), bool):
        raise _unclear(name, free)
    ours: Strategy = strategy
    return ours


def _calling(function: Callable[..., object], name: str, parameters: dict[str, object], maker: bool) -> Strategy:
    """A callable: of a view, of a classifier and a pool, or a ``maker``, one that makes a strategy."""
    accepted = signature_of(function, name)
    free = [one for one in accepted.values() if one.kind in _FREE]
    required = [one for one in free if one.default is one.empty and one.name not in parameters]
    if free and (free[0].name == "view" or free[0].annotation in (View, "View")):
        _check_parameters(name, accepted, parameters, given=[free[0].name])
        return ViewFunction(function, name, parameters)
    if len(free) >= 2 and ("n_instances" in accepted or len(required) >= 2):
        given = [free[0].name, free[1].name, "n_instances", "random_state"]
        _check_parameters(name, accepted, parameters, given)
        return PoolFunction(function, name, accepted, parameters)
    if len(required) == 1:
        _check_parameters(name, accepted, parameters, given=[required[0].name])
        return ViewFunction(function, name, parameters)
    if required or not maker or any(one.kind is one.VAR_POSITIONAL for one in accepted.values()):
        raise _unknown_kind(name, accepted.values())
    strategy = _construct(function, name, parameters)
    if inspect.isclass(strategy) or not strategy_like(strategy):
        raise StrategyError(f"{name}() made {strategy!r:.80}, not a strategy", hint=REQUIRED)
    return _answering(strategy, name)


def _unknown_kind(name: str, accepted: Iterable[inspect.Parameter]) -> StrategyError:
    return StrategyError(f"{name}({', '.join(map(str, accepted))}) cannot be told for a strategy", hint=REQUIRED)


def _construct(maker: Callable[..., object], name: str, parameters: dict[str, object]) -> object:
    """Call a class or a function with the parameters; whatever it objects to is said on one line."""
    accepted = signature_of(maker, name)
    foreign = "missing_label" in accepted
    if "classes" in accepted and is_required(accepted["classes"]) and hasattr(maker, "query"):
        parameters = {"classes": CLASSES, **parameters}
    _check_parameters(name, accepted, parameters, given=["missing_label", "random_state"] if foreign else [])
    try:
        return maker(**parameters)
    except GardnerError:
        raise
    except (Exception, SystemExit) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise StrategyError(
            f"{name} refuses its parameters {parameters}: {reason}", hint=_known(name, accepted)
        ) from error


def _check_parameters(name: str, accepted: Parameters, parameters: dict[str, object], given: list[str]) -> None:
    """Parameters by name: known, not ours to give, and none missing."""
    anything = any(one.kind is one.VAR_KEYWORD for one in accepted.values())
    for key, value in parameters.items():
        if key in given:
            raise InvalidInputError(f"{name}.{key}", value, "it is given by the loop", hint="leave it out")
        if key not in accepted and not anything:
            raise InvalidInputError(f"{name}.{key}", value, _known(name, accepted, given))
    for key, one in accepted.items():
        if is_required(one) and key not in parameters and key not in given:
            raise StrategyError(f"{name} wants a value for {key}", hint="give it as a parameter")


def _known(name: str, accepted: Parameters, given: list[str] | None = None) -> str:
    names = [str(one).split(":")[0].split("=")[0] for key, one in accepted.items() if key not in (given or [])]
    return f"parameters of {name}: {', '.join(names) or 'none'}"
