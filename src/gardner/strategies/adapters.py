"""Other libraries' strategies behind our contract.

Foreign strategies see rows and labels asked for, nothing else: agnostic by construction. Their
randomness follows ``view.rng``: ``random_state`` is drawn anew for every query (a fixed one repeats
its tie-breaks), and the global states that some draw from are seeded for the query and put back.
"""

from __future__ import annotations

import importlib.util
import inspect
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from gardner.model.arrays import Floating, Integers
from gardner.strategies.base import Choice, StrategyError, View

Parameters = Mapping[str, inspect.Parameter]
# The labels, as other libraries list classes.
CLASSES = [-1, 1]
MODELS = ("clf", "ensemble", "estimator", "discriminator")  # what we can give a pool strategy
REQUIRED = (
    "a strategy has query(view) and informed, or scikit-activeml's query(X, y, …), "
    "or is a function of a view or modAL's of (classifier, X_pool)"
)


class PoolStrategy:
    """A scikit-activeml pool strategy."""

    informed = False

    def __init__(self, strategy: Any, name: str) -> None:
        """Refuse here what cannot work later."""
        self.strategy, self.name = strategy, name
        self.accepted = _query_parameters(strategy, name)
        self.models = [model for model in MODELS if model in self.accepted]
        _check_pool_strategy(name, self.accepted)
        if self.models and importlib.util.find_spec("skactiveml") is None:
            raise StrategyError(
                f"{name} wants {self.models[0]}, a classifier of scikit-activeml",
                hint="pip install 'gardner[scikit-activeml]'",
            )
        for one in layers(strategy):
            if hasattr(one, "missing_label"):
                one.missing_label = np.nan

    def query(self, view: View) -> Choice:
        """Hand over the pool with NaN where there is no label yet."""
        labels = np.full(view.pool.shape[0], np.nan)
        labels[view.queried] = view.labels
        options: dict[str, object] = {model: self._model(model, view) for model in self.models}
        options |= {"batch_size": min(view.batch_size, view.unlabelled.size), "return_utilities": True}
        options = {key: value for key, value in options.items() if key in self.accepted}
        options |= {key: True for key, one in self.accepted.items() if key.startswith("fit_") and is_required(one)}
        for one in layers(self.strategy):
            if hasattr(one, "random_state"):
                one.random_state = _seed(view.rng)
            if hasattr(one, "classes"):
                one.classes = class_list(view)
        with global_randomness(view.rng):
            answer = self.strategy.query(view.pool, labels, **options)
        indices, utilities = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, None)
        return Choice(_array(indices, self.name), _first_utilities(utilities, view))

    def _model(self, wanted: str, view: View) -> Any:
        from gardner.strategies.classifiers import model_for

        return model_for(wanted, self.strategy, view.rng, class_list(view))


class PoolFunction:
    """A modAL-style callable. One that takes no ``n_instances`` is asked again on what is left of
    the pool.

    One whose first argument is called ``committee`` gets several learners, any other gets one.
    """

    informed = False

    def __init__(
        self, function: Callable[..., object], name: str, accepted: Parameters, options: dict[str, object]
    ) -> None:
        """Keep what to call it with."""
        self.function, self.name, self.options = function, name, options
        self.seeded = "random_state" in accepted
        self.by_committee = next(iter(accepted), "") == "committee"
        self.batches = "n_instances" in accepted or any(one.kind is one.VAR_KEYWORD for one in accepted.values())

    def query(self, view: View) -> Choice:
        """Hand over the unlabelled rows only; indices come back relative to them."""
        from gardner.strategies.classifiers import committee, learner

        classifier = committee(view) if self.by_committee else learner(view)
        size, left, chosen = min(view.batch_size, view.unlabelled.size), view.unlabelled, list[Integers]()
        options = dict(self.options)
        with global_randomness(view.rng):
            for _ in range(1 if self.batches else size):
                options |= {"n_instances": size} if self.batches else {}
                options |= {"random_state": _seed(view.rng)} if self.seeded else {}
                answer = self.function(classifier, view.pool[left], **options)
                places = self._places(answer, size if self.batches else 1, left.size)
                chosen.append(left[places])
                left = np.delete(left, places)
        return Choice(np.concatenate(chosen) if chosen else np.empty(0, np.int64))

    def _places(self, answer: Any, asked: int, size: int) -> Integers:
        pair = isinstance(answer, tuple) and len(answer) == 2
        if pair and not (asked == 2 and all(isinstance(one, int | np.integer) for one in answer)):
            answer = answer[0]  # (indices, metrics) or (indices, rows)
        places = np.atleast_1d(_array(answer, self.name))
        if places.ndim != 1 or places.dtype.kind not in "iu":
            raise StrategyError(
                f"{self.name} returned {places.dtype} of shape {places.shape}",
                hint="indices are a vector of whole numbers, or (indices, metrics)",
            )
        if places.size and not 0 <= places.min() <= places.max() < size:
            raise StrategyError(
                f"{self.name} returned a row outside the pool", hint=f"indices refer to the {size} rows it was given"
            )
        return places.astype(np.int64)


class ViewFunction:
    """A plain function of the view that returns indices or a :class:`Choice`."""

    informed = False

    def __init__(self, function: Callable[..., object], name: str, options: dict[str, object]) -> None:
        """Keep what to call it with."""
        self.function, self.name, self.options = function, name, options

    def query(self, view: View) -> Choice:
        """Call it."""
        with global_randomness(view.rng):
            answer = self.function(view, **self.options)
        return answer if isinstance(answer, Choice) else Choice(_array(answer, self.name))


@contextmanager
def global_randomness(rng: np.random.Generator) -> Iterator[None]:
    """Global random states seeded from ``rng``, for code that draws from them; put back afterwards."""
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    np.random.seed(_seed(rng))  # noqa: NPY002
    random.seed(_seed(rng))
    try:
        yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)


def class_list(view: View) -> list[int]:
    """The labels, as other libraries list classes."""
    return CLASSES if view.classes == 2 else list(range(view.classes))


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31 - 1))


def layers(strategy: Any) -> Iterator[Any]:
    """A strategy and those it wraps."""
    while strategy is not None:
        yield strategy
        strategy = getattr(strategy, "query_strategy", None)


def _array(answer: object, name: str) -> Integers:
    try:
        return np.asarray(answer)
    except ValueError:  # of uneven parts, such as (indices, None)
        hint = "indices are a vector of whole numbers"
        raise StrategyError(f"{name} returned {' '.join(repr(answer).split())[:80]}", hint=hint) from None


def _first_utilities(utilities: Any, view: View) -> Floating | None:
    """The utilities that the first row of the batch was chosen by, of the unlabelled rows."""
    shape = np.shape(utilities)
    if len(shape) != 2 or shape[0] == 0 or shape[1] != view.pool.shape[0]:
        return None
    return np.asarray(np.asarray(utilities)[0, view.unlabelled])


def _query_parameters(strategy: Any, name: str) -> dict[str, inspect.Parameter]:
    """What query takes; a wrapper passes on what the strategy inside it takes."""
    accepted: dict[str, inspect.Parameter] = {}
    for one in layers(strategy):
        own = signature_of(one.query, f"{name}.query")
        accepted |= {key: value for key, value in own.items() if key not in accepted}
        if not any(value.kind is value.VAR_KEYWORD for value in own.values()):
            break
    return accepted


def _check_pool_strategy(name: str, accepted: Parameters) -> None:
    if "annotators" in accepted:
        raise StrategyError(f"{name} is for several annotators", hint="labels here come from one teacher")
    if "reg" in accepted:
        raise StrategyError(f"{name} is for regression: it wants a regressor", hint="labels here are -1 and 1")
    for key, one in list(accepted.items())[2:]:
        if is_required(one) and key not in MODELS and not key.startswith("fit_"):
            raise StrategyError(
                f"{name}.query wants {key}", hint=f"besides the pool and labels it can have {', '.join(MODELS)}"
            )


def is_required(one: inspect.Parameter) -> bool:
    """Whether a parameter has no default."""
    return one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)


def signature_of(function: Callable[..., object], name: str) -> Parameters:
    """What arguments a callable takes."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise StrategyError(f"{name} does not say what it takes", hint=REQUIRED) from error
