"""What labels are worth, round by round: the answer of ``label_value``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gardner.model import GLM
from gardner.model.arrays import Floats
from gardner.theory.as_json import model_columns
from gardner.theory.learning_curves.results import PointStatus

if TYPE_CHECKING:
    import pandas as pd

# Fields a round has in a table.
_PLACES = 201
# Of the range of values: an error up to which they count as solved.
_PRECISE = 0.01
# Shares this close to 0 or 1 are no cut.
_WHOLE = 1e-9
# Bits by which values may rise with |ω| and still count as falling. In the far tail, at 10⁻⁹ of the
# rows, 2048 cells leave 5·10⁻⁸, and twice as many a quarter of that.
_ROUNDING = 1e-7


@dataclass(frozen=True, eq=False)
class RoundValues:
    """Rows by the mean ω of their field, before one round.

    ``budget`` labels per weight are there after the round, ``variance`` is V before it. ``pool`` is
    the density of the pool's rows at ``mean``, ``share`` the share of them that the rule takes,
    ``value`` A, what a label there adds to the end. ``marginal`` is A of the rows at the threshold.
    ``best_move`` is the most that is gained, a label, by leaving a row that is taken for one that
    is not; it is 0, up to rounding, where the rule takes the best. ``error`` is that of ``value``,
    estimated from half the cells.
    """

    budget: float
    variance: float
    threshold: float
    marginal: float
    mean: Floats
    pool: Floats
    share: Floats
    value: Floats
    error: float = float("nan")

    @property
    def best_move(self) -> float:
        """The best row that is left, less the worst that is taken.

        A cut within a cell reaches into its neighbours, so a row counts as the best of both there.
        """
        beside = np.maximum(np.append(self.value[1:], -np.inf), np.insert(self.value[:-1], 0, -np.inf))
        left = self.value[self.share < 1.0 - _WHOLE]
        taken = np.maximum(self.value, beside)[self.share > _WHOLE]
        return float(left.max() - taken.min()) if left.size else 0.0

    @property
    def monotone(self) -> bool:
        """Whether rows are worth less, the larger |ω|, up to rounding."""
        order = np.argsort(np.abs(self.mean), kind="stable")
        return bool(np.all(np.diff(self.value[order]) <= _ROUNDING))

    def with_error(self, coarse: RoundValues) -> RoundValues:
        """The same with its error: half of what half the cells would change."""
        there = np.interp(self.mean, coarse.mean, coarse.value)
        inside = np.abs(self.mean) <= min(float(coarse.mean[-1]), float(-coarse.mean[0]))
        change = np.abs(self.value - there)[inside]
        return replace(self, error=0.5 * float(change.max()))


@dataclass(frozen=True, eq=False)
class LabelValues:
    """What labels are worth along a rule: what was asked, and the values of every round but the
    random first.
    """

    rule: str
    model: GLM
    pool_ratio: float
    budget: float
    batch_ratio: float
    objective: str
    rounds: tuple[RoundValues, ...]

    @property
    def best_move(self) -> float:
        """The largest of all rounds: 0, up to rounding, where no small change of the rule helps."""
        return max(one.best_move for one in self.rounds)

    @property
    def monotone(self) -> bool:
        """Whether in every round rows are worth less, the larger |ω|."""
        return all(one.monotone for one in self.rounds)

    @property
    def error(self) -> float:
        """The worst of the rounds."""
        return max(one.error for one in self.rounds)

    @property
    def status(self) -> PointStatus:
        """``solved`` where the error is below a hundredth of what labels differ by, else
        ``imprecise``.
        """
        span = max(float(np.ptp(one.value)) for one in self.rounds)
        return PointStatus.SOLVED if self.error <= _PRECISE * span else PointStatus.IMPRECISE

    def to_frame(self) -> pd.DataFrame:
        """One row a round and field, at some 200 fields a round."""
        import pandas as pd  # here, so that the solver starts without it

        shape = {"pool_ratio": self.pool_ratio, "batch_ratio": self.batch_ratio, "objective": self.objective}
        place = {"rule": self.rule, **model_columns(self.model), **shape}
        frames = []
        for one in self.rounds:
            some = np.unique(np.linspace(0, one.mean.size - 1, _PLACES).astype(int))
            columns = {name: getattr(one, name)[some] for name in ("mean", "pool", "share", "value")}
            numbers = {name: getattr(one, name) for name in ("budget", "variance", "threshold", "marginal", "error")}
            frames.append(pd.DataFrame({**place, **numbers, **columns}))
        return pd.concat(frames, ignore_index=True)
