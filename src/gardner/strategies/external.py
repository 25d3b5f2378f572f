"""Anyone's strategy by name: a registered one, a dotted path, or an object in a file.

    agnostic                                    registered
    skactiveml.pool.UncertaintySampling         dotted; package.module:Class is the same
    path/to/my_strategy.py:MyStrategy           a file

What the name leads to may follow our contract, scikit-activeml's or modAL's: ``contracts`` says how
they are known. Naming a file or a module runs it, so :func:`make_strategy` is for names that the
user gave; a name that was read from a row is for ``make_registered``.
"""

from __future__ import annotations

from collections.abc import Mapping

from gardner.loading import is_external, load_named
from gardner.strategies.base import Strategy, make_registered
from gardner.strategies.contracts import adapt, strategy_like


def make_strategy(name: str, parameters: Mapping[str, object] | None = None) -> Strategy:
    """A fresh strategy: parameters are keywords of a class, or of a function at each call.

    >>> make_strategy("mixture", {"fraction": 0.2})
    Mixture(fraction=0.2, rest='random')
    """
    parameters = dict(parameters or {})
    if not is_external(name):
        return make_registered(name, parameters)
    found = load_named("strategy", name, strategy_like)
    home = found.module if found.named_file else None
    return adapt(found.value, found.attribute.rpartition(".")[2], parameters, home)
