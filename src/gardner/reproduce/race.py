"""Strategies on the same pools, next to what is possible: the frames behind charts, boards and verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gardner.experiment.summary import Summary, summarise
from gardner.report.page import Board, Figure
from gardner.report.strategies import Quantity, strategies_chart
from gardner.reproduce.recipe import Progress

Floats = NDArray[np.float64]
_TITLES: dict[Quantity, str] = {"log_volume": "Log-volume", "accuracy": "Accuracy"}


@dataclass(frozen=True)
class Lane:
    """Mean ln v of one strategy with its standard error, and the bounds, at the budgets it was measured at."""

    budget: Floats
    log_volume: Floats
    error: Floats
    minimum: Floats
    typical: Floats
    maximum: Floats
    halving: Floats

    def index(self, budget: float) -> int:
        """Where a budget stands."""
        return int(np.abs(self.budget - budget).argmin())


def _column(values: Iterable[float]) -> Floats:
    return np.array(list(values), dtype=np.float64)


@dataclass(frozen=True)
class Race:
    """Means over seeds at each budget (``curves``), the bounds there, and the summary both come from."""

    curves: pd.DataFrame
    bounds: pd.DataFrame
    summary: Summary

    def of(self, strategy: str) -> Lane:
        """One strategy by budget, with the bounds of its budgets."""
        rows = sorted((row for row in self.summary.rows if row["strategy"] == strategy), key=lambda row: row["budget"])
        known = [self.summary.bounds[row["model"], row["alpha"], row["budget"]] for row in rows]
        return Lane(
            budget=_column(row["budget"] for row in rows),
            log_volume=_column(row["log_volume"] for row in rows),
            error=_column(row["log_volume_stderr"] or math.nan for row in rows),
            minimum=_column(bound.minimum.log_volume for bound in known),
            typical=_column(bound.typical.log_volume for bound in known),
            maximum=_column(bound.maximum.log_volume for bound in known),
            halving=_column(bound.halving for bound in known),
        )

    def difference(self, first: str, second: str, budget: float) -> tuple[float, float]:
        """Mean and standard error of ln v of one strategy less that of another on the same pools."""
        for pair in self.summary.pairs:
            if math.isclose(pair["budget"], budget, abs_tol=1e-9) and {pair["strategy"], pair["versus"]} == {
                first,
                second,
            }:
                sign = 1.0 if pair["strategy"] == first else -1.0
                return sign * pair["log_volume_difference"], pair["log_volume_difference_stderr"] or math.nan
        raise LookupError(f"{first} and {second} do not meet at n = {budget:g}")


def race(frame: pd.DataFrame, budgets: Sequence[float], progress: Progress) -> Race:
    """The race of the runs in a frame, all of one pool ratio."""
    summary = summarise(frame, budgets, progress)
    return Race(pd.DataFrame(summary.rows), bounds_frame(summary), summary)


def bounds_frame(summary: Summary) -> pd.DataFrame:
    """A summary's bounds, one row a kind and budget."""
    rows: list[dict[str, Any]] = []
    for (_, alpha, budget), known in sorted(summary.bounds.items()):
        place = {"alpha": alpha, "budget": budget}
        ends = {"minimum": known.minimum, "maximum": known.maximum}
        points = {kind: None if end.status.value == "unresolved" else end.point for kind, end in ends.items()}
        for kind, point in {**points, "typical": known.typical}.items():
            if point is not None:
                found = {"log_volume": point.log_volume, "accuracy": point.accuracy, "stability": point.stability}
                rows.append(place | {"kind": kind} | found)
        rows.append(place | {"kind": "halving", "log_volume": known.halving})
        pool = known.pool
        rows.append(place | {"kind": "whole pool", "log_volume": pool.log_volume, "accuracy": pool.accuracy})
    return pd.DataFrame(rows, columns=["alpha", "budget", "kind", "log_volume", "accuracy", "stability"])


def charts(found: Race, where: str) -> tuple[Figure, ...]:
    """ln v and accuracy against the budget."""
    told = "; ".join(
        f"{name}: ln v {curve['log_volume'].iloc[-1]:.3f} at budget {curve['budget'].iloc[-1]:g}"
        for name, curve in found.curves.sort_values("budget").groupby("strategy", sort=False)
    )
    return tuple(
        Figure(
            strategies_chart(found.curves, found.bounds, f"{title}, {where}", quantity=quantity),
            f"{title} against the budget n with the bounds, {where}. {told}.",
        )
        for quantity, title in _TITLES.items()
    )


def board(curves: pd.DataFrame, budget: float, caption: str) -> Board:
    """How close each strategy gets at one budget: bits per label, and the way from random choice to its own bound."""
    names = {
        "strategy": "strategy",
        "informed": "informed",
        "alpha": "pool ratio α",
        "features": "weights N",
        "budget": "budget n",
        "bits_per_label": "bits per label",
        "way_to_bound": "way to its bound",
        "log_volume": "ln v",
        "log_volume_stderr": "ln v stderr",
        "accuracy": "accuracy",
        "accuracy_stderr": "accuracy stderr",
        "seeds": "seeds",
        "converged": "converged",
    }
    places = ["alpha", "features", "batch"]
    closest = curves.assign(away=(curves["budget"] - budget).abs())
    best = closest.groupby(places)["away"].transform("min")
    rows = closest[closest["away"] == best].sort_values(["alpha", "way_to_bound"], ascending=[True, False])
    note = (
        "Way to its bound: from a random subset (0 %) to what is possible (100 %), which is one bit a label for "
        "strategies that see a label only after asking for it, and the smallest volume of any subset for those that "
        "read hidden labels."
    )
    return Board(caption=caption, note=note, rows=rows[list(names)].rename(columns=names).reset_index(drop=True))
