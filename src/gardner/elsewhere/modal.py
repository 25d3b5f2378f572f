"""Our strategies as query strategies of modAL: functions of a learner and a pool.

    learner = ActiveLearner(estimator=…, query_strategy=modal_strategy("query"), X_training=…, y_training=…)
    places, rows = learner.query(X_pool, n_instances=5)

modAL is not imported: what is read from a learner is ``X_training`` and ``y_training``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from gardner.elsewhere.asking import Asking, coded
from gardner.errors import InvalidInputError
from gardner.model import Channel
from gardner.model.arrays import Floating, Integers
from gardner.strategies.real_pool import round_generator


class Learner(Protocol):
    """What is read from a learner."""

    X_training: ArrayLike
    y_training: ArrayLike


def modal_strategy(
    strategy: str = "query",
    parameters: Mapping[str, object] | None = None,
    *,
    rows: str = "table",
    channel: str | Channel | None = None,
    seed: int = 0,
) -> Callable[..., tuple[Integers, Floating]]:
    """A function for modAL's ``query_strategy``; the arguments are those of
    :class:`GardnerStrategy`.

    It answers with places in the pool and with the scores they had. The pool is what is not
    labelled, as modAL has it.

    >>> class Taught:
    ...     X_training, y_training = np.array([[0.0, 1.0], [1.0, 0.0], [4.0, 1.0], [5.0, 0.0]]), np.array([0, 0, 1, 1])
    >>> places, scores = modal_strategy("agnostic")(Taught(), np.array([[0.5, 0.5], [2.5, 0.5], [4.5, 0.5]]))
    >>> places.tolist(), scores.shape
    ([1], (1,))
    """
    asking = Asking(strategy, dict(parameters or {}), rows, channel)
    asking.made()  # refused here, not in the middle of a loop

    def query_strategy(learner: Learner, X_pool: ArrayLike, n_instances: int = 1) -> tuple[Integers, Floating]:
        known, known_labels, pool = np.asarray(learner.X_training), np.asarray(learner.y_training), np.asarray(X_pool)
        if pool.ndim != 2 or not 1 <= n_instances <= len(pool):
            raise InvalidInputError("n_instances", n_instances, f"the pool has {len(pool)} rows")
        labels, classes = coded(known_labels)
        stacked, queried = np.concatenate([known, pool]), np.arange(len(known))
        rng = round_generator(seed, len(known))
        chosen, scores = asking.choose(stacked, queried, labels, classes, n_instances, rng)
        places = chosen - len(known)
        return places, scores[places]

    return query_strategy
