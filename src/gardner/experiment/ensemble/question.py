"""What is sampled: the subsets of a budget, of pools of one size, between two inverse temperatures.

Its fields are declared once, as those of a task are (:mod:`gardner.experiment.question.fields`):
the options of ``gardner sample`` follow. Nothing heavy is imported, since ``gardner --help`` reads
this module.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

from gardner.errors import InvalidInputError
from gardner.experiment.question.fields import Field, check_number, declared

if TYPE_CHECKING:
    from gardner.experiment.ensemble.chain import Floats

# The largest |β|: ln Z by AMP is right to 10⁻⁴ here, and a move is decided by β ln Z, which must be
# right to 0.1.
LARGEST = 1000.0
# The fewest weights for which AMP says anything.
FEWEST = 4
# Entries of a pool at most: 800 MB, and chains on a hundredth of it take hours.
ENTRIES = 100_000_000
# Pools and rounds where nothing is said. From two pools on there are errors over pools.
POOLS, ROUNDS = 4, 2000


@dataclass(frozen=True)
class Question:
    """Which ensemble: pools of αN rows with the seeds ``seed``, ``seed`` + 1, …, and all their
    subsets of nN rows.

    >>> Question(features=100, pool_ratio=3.0, budget=0.6).size
    60
    """

    features: Annotated[int, Field("--features", "-N", "Number of weights.", metavar="N", least=FEWEST)]
    pool_ratio: Annotated[float, Field("--alpha", "-a", "Pool ratio: rows of the pool per weight.", metavar="A")]
    budget: Annotated[float, Field("--budget", "-n", "Labels per weight.", metavar="N")]
    lowest: Annotated[
        float, Field("--lowest", help="The lowest inverse temperature, below 0.", metavar="B", rule=check_number)
    ] = -20.0
    highest: Annotated[
        float, Field("--highest", help="The highest inverse temperature, above 0.", metavar="B", rule=check_number)
    ] = 100.0
    seed: Annotated[int, Field("--seed", help="Seed of the first pool; the others follow.", metavar="S")] = 0

    def __post_init__(self) -> None:
        """Check it."""
        for one in FIELDS:
            object.__setattr__(self, one.name, one.check(getattr(self, one.name)))
        if self.pool_ratio * self.features**2 > ENTRIES:
            raise InvalidInputError(
                "features", self.features, f"a pool of {ENTRIES:,} entries is the largest", hint="ask for fewer"
            )
        if self.budget > self.pool_ratio:
            raise InvalidInputError(
                "budget", self.budget, f"the pool has only {self.pool_ratio:g} rows a weight", hint="ask for fewer"
            )
        if not 0 < self.size < self.pool_size:
            raise InvalidInputError(
                "budget", self.budget, f"{self.size} of {self.pool_size} rows leave nothing to exchange"
            )
        if not -LARGEST <= self.lowest < 0.0:
            raise InvalidInputError("lowest", self.lowest, f"it must lie below 0 and not below {-LARGEST:g}", hint=_WHY)
        if not 0.0 < self.highest <= LARGEST:
            raise InvalidInputError("highest", self.highest, f"it must lie above 0, at most {LARGEST:g}", hint=_WHY)

    @property
    def pool_size(self) -> int:
        """Rows of the pool."""
        return round(self.pool_ratio * self.features)

    @property
    def size(self) -> int:
        """Rows of a subset."""
        return round(self.budget * self.features)

    @property
    def log_count(self) -> float:
        """ln of the number of subsets: ln Ξ(0)."""
        from gardner.experiment.ensemble.reweighting import log_subsets

        return log_subsets(self.pool_size, self.size)

    def pool(self, index: int) -> tuple[Floats, Floats]:
        """Rows and labels of one of the pools."""
        import numpy as np

        from gardner.model import draw_instance

        instance = draw_instance(self.features, self.pool_ratio, self.seed + index)
        return np.ascontiguousarray(instance.rows, dtype=np.float64), np.asarray(instance.labels, dtype=np.float64)

    def to_json(self) -> dict[str, float]:
        """As plain data."""
        return asdict(self)


_WHY = "there the weight of a subset is finer than AMP's ln Z"
FIELDS = declared(Question)
