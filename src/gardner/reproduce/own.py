"""A page of anybody's results: every pool ratio and size met becomes a section, all strategies one board."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from gardner.errors import InvalidInputError
from gardner.records import Store
from gardner.report.page import Page, Section, Verdict
from gardner.reproduce.pages import provenance, write_page
from gardner.reproduce.race import board, bounds_frame, charts, race
from gardner.reproduce.recipe import Progress, origin

POINTS = 12  # budgets on a curve when none are asked for


def report_results(
    folder: Path, path: Path, at: Sequence[float] = (), *, figures: str | None = None, progress: Progress | None = None
) -> Page:
    """Write the page of a folder of results, and its figures beside it if a format is given."""
    frame = Store(folder).read_all()
    runs = frame[frame["status"] != "failed"]
    if not len(runs):
        raise InvalidInputError("results", str(folder), "no run came to an end", hint=f"gardner results {folder}")
    places = sorted(set(zip(runs["pool_ratio"].tolist(), runs["features"].tolist(), strict=True)))
    sections, failures = [], []
    for index, (alpha, features) in enumerate(places):
        part = frame[(frame["pool_ratio"] == alpha) & (frame["features"] == features)]
        share = _part(progress, index, len(places))
        section, failed = _section(part, alpha, features, at, share)
        sections.append(section)
        failures += failed
    curves = pd.concat([section.table for section in sections], ignore_index=True)
    page = Page(
        title="How close does it get?",
        lead=(
            "Strategies asked for labels of rows of a pool; each was measured by the Gardner volume, the share of "
            "weight vectors that its labels still allow. The bounds say what any strategy could reach with as many "
            "labels from such a pool. One bit a label is the most for a strategy that sees a label only after asking."
        ),
        sections=tuple(sections),
        board=board(curves, float(curves["budget"].max()), "How close each strategy gets, at its largest budget"),
        provenance=provenance(f"gardner report {folder}"),
        failures=pd.DataFrame(failures) if failures else None,
    )
    write_page(page, path, figures)
    return page


def _part(progress: Progress | None, index: int, count: int) -> Progress:
    return lambda fraction: progress((index + fraction) / count) if progress else None


def _section(
    frame: pd.DataFrame, alpha: float, features: int, at: Sequence[float], progress: Progress
) -> tuple[Section, list[dict[str, object]]]:
    longest = float(frame["run_budget"].max())
    budgets = at or [float(budget) for budget in np.linspace(longest / POINTS, longest, POINTS)]
    found = race(frame, budgets, progress)
    where = f"α = {alpha:g}, N = {features}"
    section = Section(
        name=f"alpha-{alpha:g}-features-{features}",
        title=f"Pool ratio {alpha:g}, {features} weights",
        text="Lines are means over seeds with their standard errors; grey lines are the bounds for this pool ratio.",
        figures=charts(found, where),
        verdicts=_verdicts(found.curves),
        table=found.curves,
        provenance=" ".join([f"{len(found.curves)} means over seeds.", *found.summary.notes]),
        origin=origin(frame[frame["status"] != "failed"]),
        tables={f"bounds-{alpha:g}-{features}": bounds_frame(found.summary)},
    )
    return section, list(found.summary.failures)


def _verdicts(curves: pd.DataFrame) -> tuple[Verdict, ...]:
    """What a reader should know before believing the lines."""
    unsettled = curves[curves["converged"] < 1.0]
    worst = unsettled.sort_values("converged").iloc[0] if len(unsettled) else None
    told = "" if worst is None else f"; least {worst['converged']:.0%} of the rounds of {worst['strategy']}"
    last = curves.sort_values("budget").drop_duplicates(["strategy", "batch"], keep="last")
    ahead = last[~last["informed"] & (last["way_to_bound"] > 0.0)]
    names = ", ".join(f"{row.strategy} ({row.way_to_bound:.0%})" for row in ahead.itertuples()) or "none"
    return (
        Verdict(worst is None, f"AMP converged in every round measured{told}"),
        Verdict(bool(len(ahead)), f"label-agnostic strategies ahead of random choice, and the way they make: {names}"),
    )
