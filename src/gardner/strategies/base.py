"""The contract of a strategy, and the register of those that come with the package.

A strategy is asked once a round. It sees a :class:`View` of the problem and answers with a
:class:`Choice`:

    class Mine:
        informed = False                      # True if it reads labels nobody asked for yet

        def query(self, view: View) -> Choice:
            score = ...                       # one number a row of view.unlabelled, larger = ask sooner
            return choose(view, score)

Parameters are fields of a (data)class. Anything with these two names can be run: register it, or
name its file.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gardner.errors import GardnerError, InvalidInputError
from gardner.inference import Posterior
from gardner.loading import summary_of
from gardner.model import GLM
from gardner.model.arrays import Floating, Integers

Numbers = TypeVar("Numbers", bound=NDArray[np.generic])


class StrategyError(GardnerError):
    """A strategy broke the contract, or cannot do what it was asked for."""


class View:
    """What a strategy may know: the pool, what was asked so far with its labels, and what follows
    from that.
    """

    def __init__(
        self,
        pool: Floating,
        queried: Integers,
        labels: Floating,
        batch_size: int,
        rng: np.random.Generator,
        posterior: Callable[[], Posterior],
        fields: Callable[[], tuple[Floating, Floating]],
        model: GLM,
        hidden_labels: Floating | None = None,
        *,
        table: Floating | None = None,
        classes: int = 2,
        held_out: tuple[Floating, Floating] | None = None,
    ) -> None:
        """Made by the loop. ``hidden_labels`` are given to informed strategies only.

        Where the pool is a real table, ``pool`` has its columns standardised, and an intercept as
        the last; ``table`` has them as they are. Labels of two classes are −1 and +1; of more
        ``classes`` they are 0, 1, …. ``held_out`` has rows to measure on, in the form of ``pool``,
        and their labels: for informed strategies only.
        """
        self.pool = read_only(pool)
        self.table = self.pool if table is None else read_only(table)
        self.classes = classes
        self.queried = read_only(queried)
        self.labels = read_only(labels)
        self.batch_size = batch_size
        self.rng = rng
        self.model = model
        self._posterior, self._fields = posterior, fields
        self._held_out = held_out
        self._hidden_labels = None if hidden_labels is None else read_only(hidden_labels)

    @cached_property
    def unlabelled(self) -> Integers:
        """Indices of the rows nobody asked for yet, rising."""
        free = np.ones(self.pool.shape[0], dtype=bool)
        free[self.queried] = False
        return np.flatnonzero(free)

    @property
    def posterior(self) -> Posterior:
        """What AMP (of a real table: EP) makes of the labels so far; computed when first asked for."""
        return self._posterior()

    @cached_property
    def fields(self) -> tuple[Floating, Floating]:
        """Mean and variance of the field of every row of the pool under the posterior, in one pass."""
        return self._fields()

    @property
    def hidden_labels(self) -> Floating:
        """The labels of the whole pool, for strategies that declare ``informed = True``."""
        if self._hidden_labels is None:
            raise StrategyError(
                "this strategy reads labels that nobody asked for yet", hint="declare informed = True on its class"
            )
        return self._hidden_labels

    @property
    def held_out(self) -> tuple[Floating, Floating] | None:
        """Rows to measure on and their labels, where there are any, for strategies that declare
        ``informed = True``.
        """
        return self._held_out if self._hidden_labels is not None else None


@dataclass(frozen=True)
class Choice:
    """Rows to label next; optionally the score of each unlabelled row, and rows given up in
    exchange.

    ``dropped`` (informed strategies only) are rows of the training set that are exchanged: the set
    grows by ``len(indices) − len(dropped)`` rows, which must be the batch size.
    """

    indices: Integers
    scores: Floating | None = None
    dropped: Integers | None = None


@runtime_checkable
class Strategy(Protocol):
    """Anything that answers queries."""

    @property
    def informed(self) -> bool:
        """Whether it reads labels that nobody asked for yet."""
        ...

    def query(self, view: View) -> Choice:
        """Choose ``view.batch_size`` rows among ``view.unlabelled``."""
        ...


def choose(view: View, scores: Floating) -> Choice:
    """The unlabelled rows of largest score; among equals at the edge, chance decides.

    A strategy that asks for the longest rows, in a run that spends 12 labels on 60 rows:

    >>> class Longest:
    ...     informed = False
    ...
    ...     def query(self, view: View) -> Choice:
    ...         return choose(view, np.linalg.norm(view.pool[view.unlabelled], axis=1))
    >>> import gardner
    >>> problem = gardner.draw_instance(features=20, pool_ratio=3.0, seed=0)
    >>> gardner.run(problem, Longest(), budget=0.6, batch_size=4, seed=0).rounds[-1].labels
    12
    """
    scores = np.asarray(scores)
    if scores.shape != view.unlabelled.shape:
        raise StrategyError(
            f"{scores.shape} scores for {view.unlabelled.size} unlabelled rows", hint="one score a row of unlabelled"
        )
    unknown = int(np.isnan(scores).sum()) if scores.dtype.kind == "f" else 0
    if unknown:
        raise StrategyError(f"{unknown} of {scores.size} scores are NaN", hint="use -inf for rows to leave alone")
    count = view.batch_size
    if count >= scores.size:
        return Choice(view.unlabelled, scores)
    edge = np.partition(scores, scores.size - count)[scores.size - count]
    above = np.flatnonzero(scores > edge)
    level = np.flatnonzero(scores == edge)
    chosen = np.concatenate([above, view.rng.permutation(level)[: count - above.size]])
    return Choice(view.unlabelled[chosen], scores)


def check_binary(view: View, name: str) -> None:
    """Refuse real labels: a classifier has nothing to learn from them."""
    if view.classes > 2:
        raise StrategyError(f"{name} knows two classes", hint="query and random serve more")
    if view.model.channel.labels != (-1.0, 1.0):
        raise StrategyError(f"{name} needs labels -1 and +1", hint="agnostic serves every channel")


def read_only(array: Numbers) -> Numbers:
    """A view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


Factory = TypeVar("Factory", bound=Callable[..., Strategy])
_REGISTER: dict[str, Callable[..., Strategy]] = {}


def register(name: str) -> Callable[[Factory], Factory]:
    """Decorator: make a strategy known under a name."""

    def known(factory: Factory) -> Factory:
        _REGISTER[name] = factory
        return factory

    return known


def registered_strategies() -> dict[str, str]:
    """Name and first paragraph of the documentation of every strategy that comes with the package.

    >>> registered_strategies()["random"]
    'Rows at random: typical subsets, what passive learning gets.'
    """
    return {name: summary_of(factory) for name, factory in sorted(_REGISTER.items())}


def make_registered(name: str, parameters: Mapping[str, object]) -> Strategy:
    """A fresh strategy by its registered name."""
    if name not in _REGISTER:
        near = difflib.get_close_matches(name, _REGISTER, n=1)
        hint = f"did you mean {near[0]}?" if near else "`gardner strategies` lists them; a file is named FILE.py:CLASS"
        raise InvalidInputError("strategy", name, f"it must be one of {', '.join(sorted(_REGISTER))}", hint=hint)
    factory = _REGISTER[name]
    accepted = inspect.signature(factory, eval_str=True).parameters
    for parameter, value in parameters.items():
        if parameter not in accepted:
            known = ", ".join(accepted) or "none"
            raise InvalidInputError(f"{name}.{parameter}", value, f"parameters of {name}: {known}")
        _check_type(f"{name}.{parameter}", value, accepted[parameter].annotation)
    return factory(**parameters)


_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def _check_type(name: str, value: object, wanted: object) -> None:
    """Whatever a command line or a spec handed in, against the annotation; a whole number will do
    for a float.
    """
    if wanted not in _KINDS:
        return
    fits = isinstance(value, int | float if wanted is float else wanted)
    if not fits or (isinstance(value, bool) and wanted is not bool):
        raise InvalidInputError(name, value, f"it must be {_KINDS[wanted]}")
    if isinstance(value, int) and value.bit_length() > 63:  # what an array can hold
        raise InvalidInputError(name, f"an integer of {value.bit_length()} bits", "it must fit into 64 bits")
