"""A page of anybody's results: every model, pool ratio and size met becomes a section, all
strategies one board.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gardner.errors import InvalidInputError
from gardner.experiment.results.meaning import with_meaning, with_models
from gardner.experiment.results.summary import failures
from gardner.experiment.results.table_summary import is_table
from gardner.experiment.stored.reading import read_results
from gardner.numbers import percent, with_error
from gardner.records import FAILED
from gardner.report.many import said
from gardner.report.page import Board, Page, Section, Verdict, VerdictKind
from gardner.report.style import typeset
from gardner.reproduce.comparison import Comparison, board, charts, compare, unspent
from gardner.reproduce.heuristics import SURE
from gardner.reproduce.pages import check_target, provenance, write_page
from gardner.reproduce.paired import pairs_of
from gardner.reproduce.recipe import Progress, origin
from gardner.reproduce.tables_page import FEW_SEEDS, table_sections

# Budgets on a curve when none are asked for; the bounds at each take a second of one core.
POINTS = 12
RANDOM = "random"
LEAD = (
    "Strategies asked for labels of rows of a pool; each was measured by the Gardner volume, the share of "
    "weight vectors that its labels still allow. The bounds say what any strategy could reach with as many "
    "labels from such a pool. One bit a label is the most for a strategy that sees a label only after asking."
)


TABLES_LEAD = (
    "Strategies asked for labels of rows of real tables; each was measured by one model on rows that were held out. "
    "Bits a label are those of the evidence: of two classes at most one is expected under the model."
)


@dataclass(frozen=True, order=True)
class Setting:
    """What runs must share to be compared with the same bounds; the perceptron's model is empty."""

    model: str
    alpha: float
    features: int

    @property
    def where(self) -> str:
        """For titles of figures."""
        return f"α = {self.alpha:g}, N = {self.features}" + (f", {self.model}" if self.model else "")

    @property
    def title(self) -> str:
        """For the heading of its section."""
        return f"Pool ratio {self.alpha:g}, {self.features} weights" + (f", {self.model}" if self.model else "")

    @property
    def slug(self) -> str:
        """The model in names of files."""
        return "".join(f"-{word}" for word in re.split(r"[^\w.+-]+", self.model) if word)

    def rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The part of a frame that is of this setting."""
        same = (frame["pool_ratio"] == self.alpha) & (frame["features"] == self.features)
        return frame[same & (frame["model"] == self.model)]


def report_results(
    folder: Path, path: Path, at: Sequence[float] = (), *, figures: str | None = None, progress: Progress | None = None
) -> Page:
    """Write the page of a folder of results, and its figures beside it if a format is given."""
    check_target(path, figures)
    every = with_models(read_results(folder))
    tables = table_sections(every[is_table(every)], at)
    frame = every[~is_table(every)]
    runs = frame[frame["status"] != FAILED]
    if not len(runs) and not tables:
        raise InvalidInputError("results", str(folder), "no run came to an end", hint=f"gardner results {folder}")
    settings = sorted({Setting(*key) for key in zip(runs["model"], runs["pool_ratio"], runs["features"], strict=True)})
    comparisons = {}
    for index, setting in enumerate(settings):
        part = setting.rows(frame)
        comparisons[setting] = compare(part, at or _budgets(setting.rows(runs)), _part(progress, index, len(settings)))
    shown = {setting: found for setting, found in comparisons.items() if len(found.curves)}
    if not shown and not tables:
        raise _nothing_to_show(folder, at, runs, comparisons)
    lost = failures(every)
    page = Page(
        title="How close does it get?",
        lead=LEAD if shown else TABLES_LEAD,
        sections=(*(_section(setting, found, setting.rows(runs)) for setting, found in shown.items()), *tables),
        board=_board(list(shown.values())) if shown else None,
        provenance=provenance(f"gardner report {folder}"),
        notice=" ".join(
            [
                _warning(every),
                *(_note(setting, found) for setting, found in comparisons.items() if setting not in shown),
            ]
        ).strip(),
        failures=_failed(lost) if lost else None,
    )
    write_page(page, path, figures)
    return page


def _nothing_to_show(
    folder: Path, at: Sequence[float], runs: pd.DataFrame, comparisons: dict[Setting, Comparison]
) -> InvalidInputError:
    longest = float(runs["run_budget"].max())
    if at and min(at) > longest:
        hint = f"the longest has a budget of {longest:g}"
        return InvalidInputError("at", list(at), "no run reaches it", hint=hint)
    notes = {note for found in comparisons.values() for note in found.summary.notes}
    return InvalidInputError("results", str(folder), f"no run can be shown ({'; '.join(sorted(notes))})")


def _failed(lost: list[dict[str, Any]]) -> pd.DataFrame:
    """Failed runs, those together that failed for the same reason on pools of a kind."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for one in lost:
        setting = Setting(one["model"], one["pool_ratio"], one["features"])
        pool = f"{one['data'] or setting.where}, batch {one['batch_size']}, budget {one['budget']:.4g}"
        place = (one["strategy"], pool, one["reason"], one["hint"])
        row = rows.setdefault(
            place, {"strategy": one["strategy"], "informed": one["informed"], "pool": pool, "runs": 0}
        )
        row |= {"runs": row["runs"] + 1, "seeds": [*row.get("seeds", []), one["seed"]]}
        row |= {"reason": one["reason"], "hint": one["hint"]}
    return pd.DataFrame([{**row, "seeds": ", ".join(map(str, sorted(row["seeds"])))} for row in rows.values()])


def _warning(frame: pd.DataFrame) -> str:
    """Where seeds are few: it stands before any number."""
    runs = frame[frame["status"] != FAILED]
    pools: Any = runs.groupby(["data", "model", "pool_ratio", "features"])["seed"].nunique()
    least, most = int(pools.min()), int(pools.max())
    if least >= FEW_SEEDS:
        return ""
    count = f"{least}" if least == most else f"{least} to {most}"
    return f"Seeds are few ({count} a pool): errors are hardly known, and the order of strategies is partly luck."


def _part(progress: Progress | None, index: int, count: int) -> Progress:
    return lambda fraction: progress((index + fraction) / count) if progress else None


def _note(setting: Setting, found: Comparison) -> str:
    """For a setting without a section."""
    return f"Not shown is {setting.where}: {'; '.join(found.summary.notes)}."


def _budgets(runs: pd.DataFrame) -> list[float]:
    """Evenly up to the longest run, and where the longest run of each strategy ends: it would be
    missed otherwise.
    """
    longest = float(runs["run_budget"].max())
    ends = runs.groupby(["strategy", "parameters", "batch_size"])["run_budget"].max()
    return sorted({*np.linspace(longest / POINTS, longest, POINTS).tolist(), *ends.tolist()})


def _named(curves: pd.DataFrame) -> pd.DataFrame:
    """The curves of a setting, strategies named with their batch size if there is more than one."""
    if curves["batch_size"].nunique() < 2:
        return curves
    pairs = zip(curves["strategy"], curves["batch_size"], strict=True)
    return curves.assign(strategy=[f"{strategy}, batch {batch}" for strategy, batch in pairs])


def _board(comparisons: list[Comparison]) -> Board:
    rows = [row for found in comparisons for row in _named(found.curves).to_dict("records")]
    curves = pd.DataFrame(rows)
    return board(curves, float(curves["budget"].max()), "How close each strategy gets, at its largest budget")


def _section(setting: Setting, found: Comparison, runs: pd.DataFrame) -> Section:
    return Section(
        name=f"alpha-{setting.alpha:g}-features-{setting.features}{setting.slug}",
        title=setting.title,
        text="Lines are means over seeds with their standard errors; grey lines are the bounds for this pool ratio. "
        "A dotted line of the same colour is the strategy's own theory, for many weights."
        + said(_named(found.curves)["strategy"].nunique())
        + _few(found),
        figures=charts(replace(found, curves=_named(found.curves)), setting.where),
        verdicts=(_settled(found), *_ahead(found)),
        table=found.curves,
        provenance=" ".join([f"{len(found.curves)} means over seeds.", *found.summary.notes]),
        origin=origin(runs),
        tables={f"bounds-{setting.alpha:g}-{setting.features}{setting.slug}": found.bounds},
        pairs=pairs_of(with_meaning(runs, {}), {"log_volume": "ln v", "accuracy": "accuracy"}),
    )


def _few(found: Comparison) -> str:
    """A warning where seeds are few."""
    least = int(found.curves["seeds"].min())
    seeds = f"{least} seed{'' if least == 1 else 's'}"
    return f" Beware: some means are over {seeds} only, and their errors are hardly known." * (least < FEW_SEEDS)


def _settled(found: Comparison) -> Verdict:
    """What a reader should know before believing the lines."""
    curves = _named(found.curves)
    worst = curves.sort_values("converged").iloc[0]
    least = f"; least {percent(worst['converged'])}% of the rounds of {worst['strategy']}"
    settled = bool(worst["converged"] >= 1.0)
    return Verdict(settled, "AMP converged in every round measured" + ("" if settled else least), VerdictKind.FAILURE)


def _ahead(found: Comparison) -> Iterator[Verdict]:
    """Each label-agnostic strategy against random choice on the same pools, at the last budget
    where both were measured and ln v is information; nothing where there is no such budget, or but
    one pool.
    """
    curves = found.curves.assign(name=_named(found.curves)["strategy"])
    others = unspent(curves[~curves["informed"] & curves["way_to_bound"].notna()])
    groups: Any = others.groupby(["strategy", "batch_size", "name"])
    for (strategy, batch, name), curve in groups:
        met = [budget for budget in found.meetings(strategy, RANDOM, batch) if budget in set(curve["budget"])]
        if strategy.partition("(")[0] == RANDOM or not met:  # with other options of AMP it is still random
            continue
        gap, error = found.difference(strategy, RANDOM, met[-1], batch)
        if math.isnan(gap) or math.isnan(error):
            continue
        yield Verdict(
            gap < -SURE * error,
            f"{name} ahead of random choice on the same pools by more than {SURE:g} standard errors, difference of "
            f"ln v at n = {met[-1]:g}: {typeset(with_error(gap, error))}",
        )
