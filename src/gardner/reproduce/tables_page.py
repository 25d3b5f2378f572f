"""Sections of a page for runs on real tables; no bound of the theory is drawn beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pandas as pd

from gardner.experiment.results.meaning import with_meaning
from gardner.experiment.results.table_summary import PLACE, table_rows, with_measures
from gardner.records import FAILED
from gardner.report.many import MOST, said
from gardner.report.page import Figure, Section, Verdict, VerdictKind
from gardner.report.tables import table_chart, table_panels
from gardner.reproduce.paired import pairs_of
from gardner.reproduce.recipe import origin

# Seeds below which a reader is warned: with fewer, a standard error is itself known to no better
# than a third.
FEW_SEEDS = 5
_SHOWN = {
    "strategy": "strategy", "labels": "labels", "seeds": "seeds", "test_accuracy": "accuracy",
    "test_accuracy_stderr": "accuracy stderr", "log_loss": "log-loss", "log_loss_stderr": "log-loss stderr",
    "area": "area", "area_stderr": "area stderr", "bits": "bits a label", "informed": "informed",
}  # fmt: skip
_PAIRED = {"area": "area under accuracy", "test_accuracy": "accuracy", "log_loss": "log-loss"}
_TEXT = (
    "Strategies asked for labels of rows of this table; a share of the rows was held out to measure on. Lines are "
    "means over seeds with their standard errors. The bounds of the theory are for Gaussian rows, so none is drawn "
    "here; strategies marked * read labels that nobody asked for, and are the practical upper line."
)


def table_sections(frame: pd.DataFrame, at: Sequence[float] = ()) -> list[Section]:
    """A section for each table and each batch size."""
    if not len(frame):
        return []
    known = with_meaning(frame, {})
    sections = []
    groups: Any = known[known["status"] != FAILED].groupby(PLACE, sort=True)
    for number, (place, runs) in enumerate(groups):
        rows, _ = table_rows(runs, at or sorted(set(runs["labels"].astype(int))))
        sections.append(_section(number, place, pd.DataFrame(rows), runs))
    return sections


def _section(number: int, place: tuple[Any, ...], curves: pd.DataFrame, runs: pd.DataFrame) -> Section:
    data, label = str(curves["data"].iloc[0]), str(place[1])
    where = f"{data}, label {label}, batch {int(place[-1])}"
    final = curves[curves["labels"] == curves.groupby("strategy")["labels"].transform("max")]
    figures = tuple(
        Figure(table_chart(curves, f"{word}, {where}", quantity=name), f"{word} against labels: {where}")
        for name, word in (("test_accuracy", "Accuracy"), ("log_loss", "Log-loss"))
    )
    count = curves["strategy"].nunique()
    if count > MOST:
        panels = table_panels(curves, f"Accuracy, {where}")
        figures += (Figure(panels, f"Accuracy against labels, one panel a strategy: {where}"),)
    return Section(
        name=f"table-{number}-{'-'.join(word for word in re.split(r'[^A-Za-z0-9.+-]+', data) if word)}",
        title=f"Table {where}",
        text=_TEXT + said(count),
        figures=figures,
        verdicts=_verdicts(curves),
        table=pd.DataFrame({word: final[name] for name, word in _SHOWN.items()}).sort_values(
            "accuracy", ascending=False
        ),
        provenance=f"{len(curves)} means over seeds.",
        origin=origin(runs),
        tables={f"curves-{number}": curves},
        shown=True,
        pairs=pairs_of(with_measures(runs), _PAIRED),
    )


def _verdicts(curves: pd.DataFrame) -> tuple[Verdict, ...]:
    """What a reader should know before believing the lines."""
    least = int(curves["seeds"].min())
    worst = float(curves["converged"].min())
    return (
        Verdict(least >= FEW_SEEDS, f"every mean is over at least {FEW_SEEDS} seeds: the fewest are {least}"),
        Verdict(
            worst >= 1.0,
            f"expectation propagation settled without doubt in every round: least {worst:.0%}",
            VerdictKind.FAILURE,
        ),
    )
