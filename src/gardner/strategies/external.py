"""Anyone's strategy by name: a registered one, a dotted path, or an object in a file.

    agnostic                                    registered
    skactiveml.pool.UncertaintySampling         dotted; package.module:Class is the same
    path/to/my_strategy.py:MyStrategy           a file

What the name leads to may follow our contract, scikit-activeml's or modAL's: ``recognise`` says
how it is told. Naming a file or a module runs it, so :func:`make_strategy` and :func:`source_of`
are for names that the user gave; a name that was read from a row is for ``make_registered``.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from gardner.model.loading import is_external, load_named, named_file
from gardner.strategies.base import Strategy, make_registered
from gardner.strategies.recognise import adapt, strategy_like

__all__ = ["is_external", "make_strategy", "source_of"]


def make_strategy(name: str, parameters: dict[str, Any]) -> Strategy:
    """A fresh strategy: parameters are keywords of a class, or of a function at each call.

    >>> make_strategy("mixture", {"fraction": 0.2})
    Mixture(fraction=0.2, rest='random')
    """
    if not is_external(name):
        return make_registered(name, parameters)
    found = load_named("strategy", name, strategy_like)
    home = found.module if found.named_file else None
    return adapt(found.value, found.attribute.rpartition(".")[2], parameters, home)


def source_of(name: str) -> Path | None:
    """The file whose bytes define an external strategy; None for those of the package and for
    compiled ones.

    What that file imports is not part of it.

    >>> source_of("agnostic") is None
    True
    """
    if not is_external(name):
        return None
    given = named_file("strategy", name)
    if given is not None:
        return given
    found = load_named("strategy", name, strategy_like)
    file: str | None = None
    if inspect.isclass(found.value) or inspect.isfunction(found.value):
        try:
            file = inspect.getsourcefile(inspect.unwrap(found.value))
        except TypeError:  # a class that was not read from a file
            file = None
    file = file or getattr(found.module, "__file__", None)
    return Path(file) if file is not None and Path(file).is_file() else None  # some modules are frozen into Python
