"""Results next to the bounds: means over seeds against budget, and paired differences between
strategies.

At an asked budget n a run counts with its first round that holds at least round(n N) labels;
nothing is interpolated, and the budget shown is the one that round has. Bounds are taken at that
budget.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from gardner.errors import InvalidInputError
from gardner.experiment.question.labelled_table import split_name
from gardner.experiment.question.task import MODEL_NAMES
from gardner.experiment.results.meaning import (
    OTHER,
    TODAY,
    UNKNOWN,
    NamedModels,
    find_models,
    names_in_row,
    with_known_models,
    with_meaning,
)
from gardner.experiment.results.means import (
    Row,
    asked_or_quarters,
    mean,
    mean_if_known,
    pairs,
    rounds_that_count,
    with_share_converged,
)
from gardner.experiment.results.own_theory import Measured, own_theory
from gardner.experiment.results.table_summary import is_table, table_rows
from gardner.experiment.stored.sources import external_names
from gardner.records import FAILED
from gardner.units import LN2

if TYPE_CHECKING:
    from gardner.model import GLM
    from gardner.theory import Bounds, LearningPoint

_PLACE = ["model", "features", "pool_ratio", "batch_size"]
_SAME = ["label", "data", *_PLACE, "seed"]  # runs that agree in these tell the same story, perhaps to another length

Place = tuple[str, float, float]  # model, α, n


@dataclass(frozen=True)
class Summary:
    """Rows of the table, paired differences, failures, the bounds at every (α, n) met, and what
    readers must know. Runs on real tables (``tables``) stand apart: the bounds are not theirs.
    """

    rows: list[Row]
    pairs: list[Row]
    failures: list[Row]
    bounds: dict[Place, Bounds]
    notes: list[str]
    tables: list[Row] = field(default_factory=list)
    table_pairs: list[Row] = field(default_factory=list)

    def record(self) -> dict[str, list[Row]]:
        """The JSON of ``gardner results``; real tables have parts of their own."""
        found = {"rows": self.rows, "pairs": self.pairs, "failures": self.failures}
        return found | ({"tables": self.tables, "table_pairs": self.table_pairs} if self.tables else {})


def summarise(
    frame: pd.DataFrame,
    at: Sequence[float] = (),
    progress: Callable[[float], None] = lambda _: None,
    current: Mapping[str, str] | None = None,
    named: NamedModels | None = None,
) -> Summary:
    """The table of a store's frame at the budgets asked for, by default quarters of the longest
    run.

    ``current`` has the version of today's code by strategy, for those whose file cannot be found by
    its base name; ``named`` has models that the user named, by (prior or channel, name in a row).

    >>> from gardner.experiment.stored.reading import read_results
    >>> found = summarise(read_results("docs/examples/results"), at=[0.6])
    >>> [(row["strategy"], row["seeds"], round(row["bits_per_label"], 3)) for row in found.rows]
    [('agnostic', 2, 1.006), ('random', 2, 0.907)]
    """
    if any(not (math.isfinite(budget) and budget > 0.0) for budget in at):
        raise InvalidInputError("at", list(at), "budgets must be positive")
    every = with_meaning(frame, current or {})
    real = is_table(every)
    frame = every[~real]
    runs, notes = with_known_models(frame[frame["status"] != FAILED], named or {})
    longest = float(runs["run_budget"].max()) if len(runs) else 0.0
    points = _points(runs, asked_or_quarters(at, longest)) if len(runs) else runs.assign(share=pd.Series(dtype=float))
    notes += _notes(frame, points)
    missing = [budget for budget in at if budget > longest]
    if missing and len(runs):
        notes.append(f"no run reaches a budget of {', '.join(f'{budget:g}' for budget in missing)}")
    notes += _left_out(runs, points)
    bounds = _bounds(points, named or {}, lambda done: progress(0.5 * done))
    theory = own_theory(points, named or {}, lambda done: progress(0.5 + 0.5 * done))
    groups = [
        (dict(zip(("label", *_PLACE, "labels"), key, strict=True)), group)
        for key, group in points.groupby(["label", *_PLACE, "labels"], sort=True)
    ]
    rows = [_row(place, group, bounds) | _next_to_theory(place, group, theory) for place, group in groups]
    rows.sort(key=lambda row: [row[name] for name in (*_PLACE, "budget", "log_volume")])
    notes += _notes(every[real], every[real])
    return Summary(rows, _pairs(points), _failures(every), bounds, notes, *table_rows(every[real], at))


def failures(frame: pd.DataFrame) -> list[Row]:
    """The failed tasks of a frame, as :func:`summarise` tells them, without its bounds."""
    return _failures(with_meaning(frame, {}))


def _points(runs: pd.DataFrame, asked: Sequence[float]) -> pd.DataFrame:
    """The round that counts for each budget and seed.

    Of the first rounds of several runs that reach a budget: today's code before other, the fewest
    labels before more.
    """
    ranked = with_share_converged(runs)
    ranked = ranked.sort_values(["age", "labels", "test_rows", "key"], ascending=[True, True, False, True])
    wanted = [(budget * ranked["features"]).round().clip(lower=1) for budget in asked]
    return rounds_that_count(ranked, wanted, _SAME)


def _notes(frame: pd.DataFrame, points: pd.DataFrame) -> list[str]:
    """What readers must know of the code that made the rows they see."""
    notes = []
    runs = points.drop_duplicates("key")
    old = runs[runs["age"] == OTHER]
    if len(old):
        note = f"{len(old)} of {len(runs)} runs were made by other code than today's"
        failed = _tasks(frame[(frame["status"] == FAILED) & (frame["age"] == TODAY)])
        again = len(_tasks(old) & failed)
        note += f"; under today's code {again} of their tasks failed" if again else ""
        left = "the others" if again else "them"
        notes.append(note + (f"; `gardner bench` would redo {left}" if again < len(old) else ""))
    unknown = frame.loc[frame["age"] == UNKNOWN, ["strategy", *MODEL_NAMES]].drop_duplicates()
    rows = [external_names(names_in_row(strategy, models)) for strategy, *models in unknown.itertuples(index=False)]
    for name in dict.fromkeys(name for row in rows for name in row):
        notes.append(f"the source of {name} is not found from here: its runs may be of other code than today's")
    return notes


def _left_out(runs: pd.DataFrame, points: pd.DataFrame) -> list[str]:
    """What is in no row since it ends before the first budget, where others do not."""
    whole, shown = (set(part[["label", *_PLACE]].itertuples(index=False, name=None)) for part in (runs, points))
    if not shown or whole == shown:
        return []
    ended = [
        f"{name} (N = {features}, alpha = {alpha:g}, batch {batch}{', ' if model else ''}{model})"
        for name, model, features, alpha, batch in sorted(whole - shown)
    ]
    return [f"left out, as it ends before the first budget here: {'; '.join(ended)}"]


def _tasks(frame: pd.DataFrame) -> set[tuple[object, ...]]:
    return set(frame[[*_SAME, "run_budget"]].itertuples(index=False, name=None))


@functools.lru_cache(maxsize=1024)
def _bound(student: GLM, teacher: GLM, alpha: float, budget: float) -> Bounds:
    """The bounds at a place, once a process: tables and charts meet the same ones again and again."""
    from gardner.theory import bounds

    return bounds(student, pool_ratio=alpha, budget=budget, teacher=teacher)


def _bounds(points: pd.DataFrame, named: NamedModels, progress: Callable[[float], None]) -> dict[Place, Bounds]:
    columns = ("model", "pool_ratio", "budget", *MODEL_NAMES)
    places = sorted(set(points[list(columns)].itertuples(index=False, name=None)))
    result = {}
    for index, (model, alpha, budget, *names) in enumerate(places):
        # a pool of round(αN) rows may hold a little more than α
        result[model, alpha, budget] = _bound(*find_models(names, named), alpha, min(budget, alpha))
        progress((index + 1) / len(places))
    return result


def _row(place: Row, group: pd.DataFrame, bounds: dict[Place, Bounds]) -> Row:
    budget = place["labels"] / place["features"]
    known = bounds[place["model"], place["pool_ratio"], budget]
    volume, volume_error = mean(group["log_volume"])
    accuracy, accuracy_error = mean(group["accuracy"])
    tested, tested_error = mean_if_known(group["test_accuracy"])
    low = known.minimum
    informed = bool(group["informed"].any())
    least = low.log_volume
    goal = least if informed else known.halving
    # ln v is no information with noise, nor where both are NaN: the student's model is not the
    # teacher's
    noisy = not (known.discrete and known.capacity >= known.label_entropy - 1e-9)
    return {
        "strategy": place["label"],
        "model": place["model"],
        "features": int(place["features"]),
        "pool_ratio": float(place["pool_ratio"]),
        "batch_size": int(place["batch_size"]),
        "budget": budget,
        "seeds": len(group),
        "log_volume": volume,
        "log_volume_stderr": volume_error,
        "accuracy": accuracy,
        "accuracy_stderr": accuracy_error,
        "test_accuracy": tested,
        "test_accuracy_stderr": tested_error,
        "bits_per_label": None if noisy else -volume / (LN2 * budget),
        "gap_to_halving": None if math.isnan(known.halving) else volume - known.halving,
        "gap_to_minimum": None if math.isnan(least) else volume - least,
        **_ways(volume, volume_error, known.typical.log_volume, math.nan if noisy else goal),
        "converged": float(group["share"].mean()),
        "informed": informed,
    }


def _next_to_theory(place: Row, group: pd.DataFrame, theory: Mapping[Measured, LearningPoint]) -> Row:
    """What theory says for many weights, and how far the mean lies from it; None where there is
    none.
    """
    point = theory.get(Measured(*(place[name] for name in ("label", *_PLACE, "labels"))))
    if point is None:
        return dict.fromkeys(("theory", "theory_accuracy", "theory_error", "gap_to_theory", "gap_to_theory_stderr"))
    volume, spread = mean(group["log_volume"])
    error = point.discretisation_error
    return {
        "theory": point.log_volume,
        "theory_accuracy": None if math.isnan(point.accuracy) else point.accuracy,
        "theory_error": error,
        "gap_to_theory": volume - point.log_volume,
        "gap_to_theory_stderr": None if spread is None else math.hypot(spread, error),
    }


def _ways(volume: float, error: float | None, random: float, goal: float) -> Row:
    """The share of the way, and its standard error: the bounds themselves have none beside that of
    runs.
    """
    way = _way(volume, random, goal)
    spread = None if way is None or error is None else error / (random - goal)
    return {"way_to_bound": way, "way_to_bound_stderr": spread}


def _way(volume: float, random: float, goal: float) -> float | None:
    """The share of the way from a random subset to the goal; where the two are one there is no way
    to go.
    """
    return None if math.isnan(goal) or random - goal < 1e-9 else (random - volume) / (random - goal)


def _pairs(points: pd.DataFrame) -> list[Row]:
    """Differences first − second between strategies on the same pools, over the seeds that both
    have.
    """
    result: list[Row] = []
    groups: Any = points.groupby([*_PLACE, "labels"], sort=True)
    for (model, features, alpha, batch, labels), group in groups:
        for first, second, differences in pairs(group, ("log_volume", "accuracy")):
            row: Row = {
                "strategy": first,
                "versus": second,
                "model": model,
                "features": int(features),
                "pool_ratio": float(alpha),
            }
            row |= {"batch_size": int(batch), "budget": labels / features, "seeds": len(differences["accuracy"])}
            for name, values in differences.items():
                row[f"{name}_difference"], row[f"{name}_difference_stderr"] = mean(values)
            result.append(row)
    return result


def _failures(frame: pd.DataFrame) -> list[Row]:
    """Failed tasks, those left out that today's code has done, and those of other code that any
    code has done.
    """
    runs = frame[frame["status"] != FAILED]
    done = {age: _tasks(part) for age, part in ((TODAY, runs[runs["age"] == TODAY]), (OTHER, runs))}
    result = []
    for row in frame[frame["status"] == FAILED].to_dict("records"):
        if tuple(row[name] for name in (*_SAME, "run_budget")) in done.get(row["age"], done[TODAY]):
            continue
        result.append(
            {
                "strategy": row["label"],
                "model": row["model"],
                "features": row["features"],
                "pool_ratio": row["pool_ratio"],
                "batch_size": row["batch_size"],
                "budget": row["run_budget"],
                "data": split_name(row["data"])[0],
                "seed": row["seed"],
                "informed": None if pd.isna(row["informed"]) else bool(row["informed"]),
                "reason": row["reason"],
                "hint": row["hint"],
            }
        )
    return sorted(
        result, key=lambda row: (row["strategy"], row["features"], row["pool_ratio"], row["budget"], row["seed"])
    )
