"""What is measured: a round of a run, and the run. The columns of stored rows follow from
:class:`Round`.
"""

from __future__ import annotations

import math
import typing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gardner.checks import check_whole
from gardner.errors import GardnerError, InvalidInputError
from gardner.units import LN2

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gardner.inference.posterior import Posterior

FIRST, _STRATEGY = (int.from_bytes(name, "big") for name in (b"first", b"strategy"))


@dataclass(frozen=True)
class Round:
    """What is known after a round's labels came in. ``bits_per_label`` is the gain of this round's
    labels.

    ``accuracy`` is the share of new rows on which the sign of the mean field agrees with the
    teacher's field before any noise, 1 − arccos(cosine)/π. With real labels there is none:
    ``squared_error`` is what counts. ``self_overlap`` is Q, the squared length of the mean weights
    over N. A real table has no teacher, hence no ``overlap``, ``self_overlap`` and ``accuracy``; it
    has ``test_accuracy`` and ``log_loss`` on the rows held out, in nats.
    """

    labels: int
    budget: float
    log_volume: float
    overlap: float | None
    self_overlap: float | None
    accuracy: float | None
    test_accuracy: float | None
    bits_per_label: float | None
    iterations: int
    residual: float
    damping: float
    status: str
    log_loss: float | None = None

    def squared_error(self, second_moment: float = 1.0) -> float:
        """Mean square of the difference between a new row's mean field and the teacher's.

        It is r⁰ − 2m + Q.
        """
        if self.overlap is None or self.self_overlap is None:
            raise GardnerError("the labels of a table have no teacher", hint="test_accuracy and log_loss are measured")
        return second_moment - 2.0 * self.overlap * math.sqrt(second_moment) + self.self_overlap


@dataclass(frozen=True)
class Seconds:
    """Where the time of a round went: passes over the pool, fits, and the strategy's own."""

    scoring: float
    fitting: float
    querying: float


@dataclass(frozen=True)
class Run:
    """A whole curve: one row a round, the rows asked for at the end in order, and the time beside
    it.
    """

    rounds: list[Round]
    queried: NDArray[np.int64]
    informed: bool
    seconds: list[Seconds] = field(repr=False)


@dataclass(frozen=True)
class Versions:
    """The versions that made a row: those of the process where the task ran, which may be on
    another machine.
    """

    gardner: str
    numpy: str
    numba: str


def plain_types(owner: type) -> dict[str, type]:
    """The fields of a dataclass with their types, as a table knows them: a value or nothing is that
    value's type.
    """
    hints: dict[str, Any] = typing.get_type_hints(owner)
    return {name: next(iter(typing.get_args(kind)), kind) for name, kind in hints.items()}


def random_streams(seed: int) -> tuple[np.random.Generator, np.random.Generator]:
    """For the first batch, which is the same for all strategies on a seed, and for the strategy."""
    import numpy as np  # here: reading this module costs a command nothing

    return np.random.default_rng([FIRST, seed]), np.random.default_rng([_STRATEGY, seed])


def label_count(budget: float, batch_size: int, pool: int, features: int) -> int:
    """How many labels a budget buys, or an error that says what cannot be."""
    check_whole("batch_size", batch_size, 1)
    if not (math.isfinite(budget) and budget > 0.0):
        raise InvalidInputError("budget", budget, "it must be positive", hint="labels per weight, such as 0.6")
    total = round(budget * features)
    if total < 1:
        raise InvalidInputError("budget", budget, f"with {features} features it buys no label")
    if total > pool:
        raise InvalidInputError("budget", budget, f"the pool has only {pool / features:g} rows per weight")
    return total


def measured(
    posterior: Posterior,
    products: tuple[float, float, float],
    count: int,
    before: Round | None,
    test_accuracy: float | None = None,
) -> Round:
    """A round by its posterior; ``products`` are the mean weights times the teacher's, their
    squared length, and the teacher's length.
    """
    along, square, teacher = products
    features, size = posterior.features, math.sqrt(square)
    cosine = along / (size * teacher) if size > 0.0 else 0.0
    volume, labels = (0.0, 0) if before is None else (before.log_volume, before.labels)
    return Round(
        labels=count,
        budget=count / features,
        log_volume=posterior.log_volume,
        # the teacher's norm, √r⁰ + O(1/√N) by chance, is invisible to the sign: taken out
        overlap=along / (teacher * math.sqrt(features)),
        self_overlap=square / features,
        accuracy=1.0 - math.acos(min(1.0, max(-1.0, cosine))) / math.pi if posterior.model.channel.labels else None,
        test_accuracy=test_accuracy,
        bits_per_label=features * (volume - posterior.log_volume) / ((count - labels) * LN2),
        iterations=posterior.iterations,
        residual=posterior.residual,
        damping=posterior.damping,
        status=posterior.status.value,
    )
