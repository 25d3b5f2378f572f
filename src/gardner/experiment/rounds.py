"""What is measured: a round of a run, and the run. The columns of stored rows follow from
:class:`Round`.
"""

from __future__ import annotations

import math
import typing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gardner.errors import GardnerError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Round:
    """What is known after a round's labels came in. ``bits_per_label`` is the gain of this round's
    labels.

    ``accuracy`` is the share of new rows on which the sign of the mean field agrees with the
    teacher's field before any noise, 1 − arccos(cosine)/π. With real labels there is none:
    ``squared_error`` is what counts. A real table has no teacher, hence no ``overlap``, ``norm`` and
    ``accuracy``; it has ``test_accuracy`` and ``log_loss`` on the rows held out, in nats.
    """

    labels: int
    budget: float
    log_volume: float
    overlap: float | None
    norm: float | None
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

        It is r⁰ − 2m + q.
        """
        if self.overlap is None or self.norm is None:
            raise GardnerError("the labels of a table have no teacher", hint="test_accuracy and log_loss are measured")
        return second_moment - 2.0 * self.overlap * math.sqrt(second_moment) + self.norm


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
    """The releases that made a row: those of the process where the task ran, which may be on
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
