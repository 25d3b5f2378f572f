"""Active learning, round by round: fit → measure → query → label.

The first batch is random and the same for all strategies on a seed [cui2020, Algorithm 1]. Quality
is always measured by AMP, whatever the strategy used to choose.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from gardner.errors import InvalidInputError
from gardner.experiment.loop.training import Training
from gardner.experiment.rounds import Round, Run, Seconds, label_count, measured, random_streams
from gardner.inference.message_passing import Variances
from gardner.inference.posterior import Posterior
from gardner.model import GLM, PERCEPTRON, Instance
from gardner.model.arrays import Floating, Integers
from gardner.strategies import Choice, Strategy, StrategyError, View

T = TypeVar("T")

# The residual at which AMP stops in a loop, in units of a prior weight. It leaves ln v some 1e-7
# off per weight, where runs differ by 1e-3 from seed to seed (docs/reproduction).
TOLERANCE = 1e-5
_TEST = int.from_bytes(b"test", "big")


@dataclass
class Clock:
    """Seconds by purpose; what runs inside another is not counted twice."""

    spent: dict[str, float] = field(default_factory=lambda: {"scoring": 0.0, "fitting": 0.0, "querying": 0.0})

    def time(self, purpose: str, function: Callable[[], T]) -> T:
        """What a function returns, its time counted."""
        inner, begin = sum(self.spent.values()), time.perf_counter()
        result = function()
        self.spent[purpose] += time.perf_counter() - begin - (sum(self.spent.values()) - inner)
        return result

    def read(self) -> Seconds:
        """The seconds since the last reading."""
        result = Seconds(**self.spent)
        self.spent = dict.fromkeys(self.spent, 0.0)
        return result


def run(
    instance: Instance,
    strategy: Strategy,
    *,
    budget: float,
    batch_size: int,
    seed: int,
    model: GLM = PERCEPTRON,
    teacher: GLM | None = None,
    variances: Variances = "vector",
    tolerance: float = TOLERANCE,
    test_rows: int = 0,
    threads: int | None = None,
) -> Run:
    """Spend a budget of labels (per weight) on a pool.

    ``model`` is what the student believes; ``teacher`` the model the instance was drawn from, where
    it is another one.

    >>> from gardner.model import draw_instance
    >>> from gardner.strategies import make_strategy
    >>> problem = draw_instance(features=200, pool_ratio=3.0, seed=0, dtype=np.float32)
    >>> curve = run(problem, make_strategy("agnostic"), budget=0.6, batch_size=10, seed=0)
    >>> last = curve.rounds[-1]
    >>> last.labels, abs(last.log_volume + 0.6 * math.log(2.0)) < 0.02
    (120, True)
    """
    total = label_count(budget, batch_size, *instance.rows.shape)
    _check_labels(instance, model)
    model = model.of_size(instance.rows.shape[1])
    training = Training(instance, total, model, variances, tolerance, threads)
    first, rng = random_streams(seed)
    training.change(first.permutation(len(instance.rows))[: min(batch_size, total)])
    test = _test_set(instance, teacher or model, test_rows, seed)
    clock, rounds, seconds = Clock(), list[Round](), list[Seconds]()
    while True:
        posterior = clock.time("fitting", training.posterior)
        rounds.append(_measure(posterior, instance, training.count, rounds[-1] if rounds else None, test))
        if training.count >= total:
            seconds.append(clock.read())
            break
        view = _view(instance, training, strategy, min(batch_size, total - training.count), rng, clock, model)
        choice = clock.time("querying", functools.partial(strategy.query, view))
        training.change(*check_choice(choice, view, strategy))
        seconds.append(clock.read())
    return Run(rounds, training.indices.copy(), bool(strategy.informed), seconds)


def _check_labels(instance: Instance, model: GLM) -> None:
    """AMP in a loop checks nothing: a student of ±1 labels must not be handed real ones."""
    labels = model.channel.labels
    if labels and not np.isin(instance.labels, labels).all():
        raise InvalidInputError(
            "model.channel", model.channel, f"it knows the labels {labels} only, and the teacher gives others"
        )


def _view(
    instance: Instance, training: Training, strategy: Strategy, batch_size: int,
    rng: np.random.Generator, clock: Clock, model: GLM,
) -> View:  # fmt: skip
    def posterior() -> Posterior:
        return clock.time("fitting", training.posterior)

    def fields() -> tuple[Floating, Floating]:
        found = posterior()
        mean, variance = clock.time("scoring", lambda: found.fields(instance.rows))
        return np.asarray(mean), np.asarray(variance)

    hidden = instance.labels if strategy.informed else None
    return View(
        instance.rows,
        training.indices.copy(),
        training.labels.copy(),
        batch_size,
        rng,
        posterior,
        fields,
        model,
        hidden,
    )


def _measure(
    posterior: Posterior, instance: Instance, count: int, before: Round | None, test: tuple[Floating, Floating] | None
) -> Round:
    mean = np.asarray(posterior.mean, dtype=np.float64)
    products = float(mean @ instance.teacher), float(mean @ mean), float(np.linalg.norm(instance.teacher))
    correct = None
    if test is not None and posterior.model.channel.labels:
        correct = float(np.mean(np.where(test[0] @ mean < 0.0, -1.0, 1.0) == test[1]))
    return measured(posterior, products, count, before, correct)


def _test_set(instance: Instance, teacher: GLM, count: int, seed: int) -> tuple[Floating, Floating] | None:
    if count == 0:
        return None
    rng = np.random.default_rng([_TEST, seed])
    rows = rng.standard_normal((count, instance.rows.shape[1])) / math.sqrt(instance.rows.shape[1])
    return rows, teacher.channel.sample(rows @ instance.teacher, rng)


def check_choice(choice: Choice, view: View, strategy: Strategy) -> tuple[Integers, Integers | None]:
    """The indices of a choice, or an error that says how it breaks the contract."""
    name = getattr(strategy, "name", type(strategy).__name__)
    if not isinstance(choice, Choice):
        raise StrategyError(f"{name}.query returned {type(choice).__name__}", hint="return a Choice(indices)")
    indices = _check_indices(choice.indices, name, view)
    dropped = None if choice.dropped is None else _vector(choice.dropped, f"{name} dropped")
    if dropped is not None and dropped.size:
        if not strategy.informed:
            raise StrategyError(f"{name} gave labelled rows back", hint="only informed strategies may exchange rows")
        if np.unique(dropped).size != dropped.size or not np.isin(dropped, view.queried).all():
            raise StrategyError(f"{name} dropped rows it does not have", hint="dropped rows must be in view.queried")
    wanted = min(view.batch_size, view.unlabelled.size)
    if indices.size - (0 if dropped is None else dropped.size) != wanted:
        raise StrategyError(f"{name} returned {indices.size} rows", hint=f"{wanted} were asked for (view.batch_size)")
    return indices, dropped


def _vector(given: object, beginning: str) -> Integers:
    hint = "indices are a vector of whole numbers"
    try:
        indices = np.asarray(given)
    except ValueError:  # of uneven parts, such as (indices, None)
        raise StrategyError(f"{beginning} something uneven", hint=hint) from None
    if indices.ndim != 1 or (indices.dtype.kind not in "iu" and indices.size):
        raise StrategyError(f"{beginning} {indices.dtype} of shape {indices.shape}", hint=hint)
    return indices.astype(np.int64)


def _check_indices(given: object, name: str, view: View) -> Integers:
    indices = _vector(given, f"{name} returned")
    if indices.size and not 0 <= indices.min() <= indices.max() < view.pool.shape[0]:
        raise StrategyError(
            f"{name} returned a row outside the pool", hint=f"rows go from 0 to {view.pool.shape[0] - 1}"
        )
    if np.unique(indices).size != indices.size:
        raise StrategyError(f"{name} returned a row twice", hint="each row can be asked for once")
    known = indices[np.isin(indices, view.queried)]
    if known.size:
        raise StrategyError(f"{name} returned row {known[0]}, which is labelled", hint="choose among view.unlabelled")
    return indices
