"""Strategies on the same pools, next to what is possible: the frames behind charts, boards and
verdicts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gardner.errors import InvalidInputError
from gardner.experiment.results.means import Row
from gardner.experiment.results.summary import Summary, summarise
from gardner.model.arrays import Floats
from gardner.numbers import fixed, rounded_down
from gardner.report.many import MOST
from gardner.report.page import Board, Figure
from gardner.report.strategies import Quantity, strategies_chart, strategies_panels
from gardner.report.style import typeset
from gardner.reproduce.recipe import Progress
from gardner.units import LN2

_TITLES: dict[Quantity, str] = {"log_volume": "Log-volume", "accuracy": "Accuracy"}
_WORDS: dict[Quantity, str] = {"log_volume": "ln v", "accuracy": "accuracy"}
_SETTING = ["model", "pool_ratio", "features"]


@dataclass(frozen=True)
class StrategyCurve:
    """Mean ln v of one strategy with its standard error, and the bounds, at the budgets it was
    measured at.
    """

    budget: Floats
    log_volume: Floats
    error: Floats
    minimum: Floats
    typical: Floats
    maximum: Floats
    halving: Floats
    seeds: int

    def index(self, budget: float) -> int:
        """Where a budget stands."""
        return int(np.abs(self.budget - budget).argmin())

    def above_minimum(self, budget: float) -> float:
        """How far ln v stays above the smallest there is."""
        return float((self.log_volume - self.minimum)[self.index(budget)])


def _column(values: Iterable[float]) -> Floats:
    return np.array(list(values), dtype=np.float64)


@dataclass(frozen=True)
class Comparison:
    """Means over seeds at each budget (``curves``), the bounds there, and the summary both come
    from.
    """

    curves: pd.DataFrame
    bounds: pd.DataFrame
    summary: Summary

    @property
    def seeds(self) -> int:
        """The fewest pools behind a mean."""
        return int(self.curves["seeds"].min())

    def of(self, strategy: str) -> StrategyCurve:
        """One strategy by budget, with the bounds of its budgets."""
        rows = sorted((row for row in self.summary.rows if row["strategy"] == strategy), key=lambda row: row["budget"])
        known = [self.summary.bounds[row["model"], row["pool_ratio"], row["budget"]] for row in rows]
        return StrategyCurve(
            budget=_column(row["budget"] for row in rows),
            log_volume=_column(row["log_volume"] for row in rows),
            error=_column(_known(row["log_volume_stderr"]) for row in rows),
            minimum=_column(bound.minimum.log_volume for bound in known),
            typical=_column(bound.typical.log_volume for bound in known),
            maximum=_column(bound.maximum.log_volume for bound in known),
            halving=_column(bound.halving for bound in known),
            seeds=min(row["seeds"] for row in rows),
        )

    def difference(self, first: str, second: str, budget: float, batch: int | None = None) -> tuple[float, float]:
        """Mean and standard error of ln v of one strategy less that of another on the same pools.

        ``batch`` is needed only where they meet in more than one.
        """
        pairs = [
            pair for pair in self._pairs(first, second, batch) if math.isclose(pair["budget"], budget, abs_tol=1e-9)
        ]
        if len(pairs) != 1:
            often = "in more than one batch size" if pairs else "nowhere"
            raise LookupError(f"{first} and {second} meet {often} at n = {budget:g}")
        sign = 1.0 if pairs[0]["strategy"] == first else -1.0
        return sign * pairs[0]["log_volume_difference"], _known(pairs[0]["log_volume_difference_stderr"])

    def meetings(self, first: str, second: str, batch: int) -> list[float]:
        """The budgets at which two strategies were measured on the same pools, in order."""
        return sorted(pair["budget"] for pair in self._pairs(first, second, batch))

    def _pairs(self, first: str, second: str, batch: int | None) -> list[Row]:
        both = {first, second}
        return [
            pair
            for pair in self.summary.pairs
            if {pair["strategy"], pair["versus"]} == both and batch in (None, pair["batch_size"])
        ]


def _known(error: float | None) -> float:
    """A standard error, NaN where one seed has none."""
    return math.nan if error is None else error


def compare(frame: pd.DataFrame, budgets: Sequence[float], progress: Progress) -> Comparison:
    """Compare the runs of a frame, all of one model, pool ratio and size: others have other bounds."""
    summary = summarise(frame, budgets, progress)
    settings = {tuple(row[name] for name in _SETTING) for row in summary.rows}
    if len(settings) > 1:
        raise InvalidInputError("runs", sorted(settings), "a comparison has one model, pool ratio and size")
    return Comparison(pd.DataFrame(summary.rows), bounds_frame(summary), summary)


_SHOWN = ["bound", "log_volume", "accuracy", "stability"]


def bounds_frame(summary: Summary) -> pd.DataFrame:
    """A summary's bounds, one row a model, pool ratio, budget and bound."""
    frames = []
    for (model, alpha, budget), known in sorted(summary.bounds.items()):
        shown = known.to_frame().dropna(subset=["log_volume"])
        frames.append(shown[_SHOWN].assign(model=model, pool_ratio=alpha, budget=budget))
    columns = ["model", "pool_ratio", "budget", *_SHOWN]
    return pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)


def charts(found: Comparison, where: str) -> tuple[Figure, ...]:
    """ln v and accuracy against the budget; of many strategies also a panel for each."""
    figures = tuple(
        Figure(
            strategies_chart(found.curves, found.bounds, f"{title}, {where}", quantity=quantity),
            f"{title} against the budget n with the bounds, {where}. {_last_values(found.curves, quantity)}.",
        )
        for quantity, title in _TITLES.items()
    )
    if found.curves["strategy"].nunique() <= MOST:
        return figures
    title = f"ln v less the bound of one bit a label, {where}"
    panels = strategies_panels(found.curves, found.bounds, title)
    return (*figures, Figure(panels, f"{title}, against the budget n, one panel a strategy."))


def _last_values(curves: pd.DataFrame, quantity: Quantity) -> str:
    """Each strategy where it has spent most but not all of the pool: there all would be one."""
    parts = []
    for name, curve in curves.sort_values("budget").groupby("strategy", sort=False):
        spent = unspent(curve)
        last = (spent if len(spent) else curve).iloc[-1]
        parts.append(f"{name}: {_WORDS[quantity]} {typeset(fixed(last[quantity], 3))} at budget {last['budget']:g}")
    return "; ".join(parts)


def unspent(curves: pd.DataFrame) -> pd.DataFrame:
    """The rows with something left to choose; a pool has round(αN) rows."""
    labels, pool = (np.round(curves[name] * curves["features"]) for name in ("budget", "pool_ratio"))
    return curves[labels < pool]


def board(curves: pd.DataFrame, budget: float, caption: str) -> Board:
    """How close each strategy gets, where it is nearest to a budget: bits per label, and the way to
    its own bound.
    """
    known = bool(curves["gap_to_theory"].notna().any())
    names = {
        "strategy": "strategy",
        **({"model": "model"} if curves["model"].any() else {}),
        "informed": "informed",
        "pool_ratio": "pool ratio α",
        "way_to_bound": "way to its bound",
        "way_to_bound_stderr": "way to its bound stderr",
        "bits_per_label": "bits per label",
        "bits_per_label_stderr": "bits per label stderr",
        "log_volume": "ln v",
        "log_volume_stderr": "ln v stderr",
        "accuracy": "accuracy",
        "accuracy_stderr": "accuracy stderr",
        **({"gap_to_theory": "gap to theory", "gap_to_theory_stderr": "gap to theory stderr"} if known else {}),
        "features": "weights N",
        "budget": "budget n",
        "seeds": "seeds",
        "converged": "converged",
    }
    nearest = curves.assign(away=(curves["budget"] - budget).abs()).sort_values("away", kind="stable")
    rows = nearest.drop_duplicates(["strategy", "batch_size", *_SETTING])
    rows = rows.sort_values([*_SETTING, "way_to_bound"], ascending=[True, True, True, False])
    rows = rows.assign(converged=rows["converged"].map(rounded_down))  # so that 1 is all
    rows = rows.assign(bits_per_label_stderr=rows["log_volume_stderr"] / (LN2 * rows["budget"]))
    settled = bool((rows["converged"] >= 1.0).all())  # rounds that did not settle keep their column
    alike = ("pool_ratio", "features", "budget", "seeds", *(["converged"] if settled else []))
    same = [name for name in alike if rows[name].nunique() == 1]
    shared = ", ".join(f"{names[name]} {rows[name].iloc[0]:g}" for name in same)
    names = {name: word for name, word in names.items() if name not in same}
    note = (
        "Way to its bound: from a random subset (0 %) to what is possible (100 %), which is one bit a label for "
        "strategies that see a label only after asking for it, and the smallest volume of any subset for those that "
        "read hidden labels. ± is one standard error."
    ) + (f" The same for all: {shared}." if shared else "")
    return Board(caption=caption, note=note, rows=rows[list(names)].rename(columns=names).reset_index(drop=True))
