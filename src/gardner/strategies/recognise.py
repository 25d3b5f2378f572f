"""What kind of strategy an object is, told by its signatures.

    query(view), informed                                     ours: taken as it is
    query(X, y, …, candidates, batch_size, return_utilities)  scikit-activeml's pool strategies
    f(classifier, X_pool, n_instances=1, …)                   modAL's query strategies
    f(view, …)                                                a plain function
    f(…), a class                                             makes one of the above from its parameters

What fits none is refused, and told what would fit.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

from gardner.errors import GardnerError, InvalidInputError
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

_FREE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def adapt(found: Any, name: str, parameters: dict[str, Any]) -> Strategy:
    """A strategy from what a name led to."""
    if inspect.isclass(found):
        if not strategy_like(found):
            raise StrategyError(f"{name} is a class without query", hint=REQUIRED)
        return _answering(_construct(found, name, parameters), name)
    made = _own_copy(found, name)
    if hasattr(made, "query") or not callable(made):
        for key, value in parameters.items():
            raise InvalidInputError(f"{name}.{key}", value, f"{name} is made already", hint="name its class instead")
        return _answering(made, name)
    return _calling(made, name, parameters)


def _own_copy(found: Any, name: str) -> Any:
    """Runs must not share what an object remembers; functions stay themselves."""
    try:
        return copy.deepcopy(found)
    except Exception as error:
        hint = "name its class, or a function that makes it"
        raise StrategyError(f"{name} cannot be copied for each run: {error}", hint=hint) from error


def strategy_like(found: Any) -> bool:
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
        return _calling(strategy, name, {}, made=True)
    free = [one.name for one in signature_of(strategy.query, f"{name}.query").values() if one.kind in _FREE]
    if [one.lower() for one in free[:2]] == ["x", "y"]:
        return PoolStrategy(strategy, name)
    if free[:1] == ["candidates"]:
        raise StrategyError(f"{name} is a strategy for streams", hint="pool strategies have query(X, y, …)")
    if not isinstance(getattr(strategy, "informed", None), bool):
        raise StrategyError(
            f"{name} has query({', '.join(free)}) and does not say whether it is informed",
            hint="declare informed = False, or True if it reads labels nobody asked for yet",
        )
    ours: Strategy = strategy
    return ours


def _calling(function: Callable[..., Any], name: str, parameters: dict[str, Any], made: bool = False) -> Strategy:
    """A callable: of a view, of a classifier and a pool, or one that makes a strategy."""
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
    if required or made or any(one.kind is one.VAR_POSITIONAL for one in accepted.values()):
        signature = ", ".join(str(one) for one in accepted.values())
        raise StrategyError(f"{name}({signature}) cannot be told for a strategy", hint=REQUIRED)
    strategy = _construct(function, name, parameters)
    if inspect.isclass(strategy) or not strategy_like(strategy):
        raise StrategyError(f"{name}() made {strategy!r:.80}, not a strategy", hint=REQUIRED)
    return _answering(strategy, name)


def _construct(maker: Callable[..., Any], name: str, parameters: dict[str, Any]) -> Any:
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
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise StrategyError(
            f"{name} refuses its parameters {parameters}: {reason}", hint=_known(name, accepted)
        ) from error


def _check_parameters(name: str, accepted: Parameters, parameters: dict[str, Any], given: list[str]) -> None:
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
