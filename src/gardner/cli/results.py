"""``gardner results``: what was measured, next to what is possible."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table

from gardner.cli.console import JSON, output, progress_bar, read_range, to_json
from gardner.cli.plain_table import make_table, plain
from gardner.cli.real_results import print_tables
from gardner.numbers import fixed, percent, with_error

if TYPE_CHECKING:
    import pandas as pd

    from gardner.experiment.results.meaning import NamedModels
    from gardner.experiment.results.summary import Summary

# Failed tasks in a table, which fits a screen; --json has all of them.
_FAILURES_SHOWN = 10


def command(
    folder: Path = typer.Argument(..., metavar="FOLDER", help="Where `gardner bench` wrote."),
    at: list[str] = typer.Option(
        None, "--at", metavar="N", help="Budget (labels per weight); repeatable, or a range such as 0.1:2:0.1."
    ),
    verify: bool = typer.Option(False, "--verify", help="Only check that every part is as it was written."),
    json: bool = JSON,
) -> None:
    """Mean and standard error against budget, next to the bounds, and paired differences between
    strategies.

    A run counts at a budget with its first round that reaches it; without --at the table has four
    budgets, quarters of the longest run. Gaps are ln v minus the bound: to "halving", max(-n ln 2,
    ln v(alpha)), which no label-agnostic strategy passes on average, and to "minimum", which no
    subset passes. Strategies marked * read hidden labels. The gap "to theory" is that to what
    `gardner learning-curve` says of the rule of the same name with as many labels a round, for many
    weights; other strategies have none. Runs on real tables (`bench --data`) have no bounds beside
    them, and a budget there is a number of labels.

    With --verify each part is sound, without checksum (of version 0.1.0) or damaged; if any is
    damaged the exit code is 1. Remove a damaged file and run the same `gardner bench` again: only
    that task is run, to the same rows.

    Examples:

        gardner results results/ --at 0.3 --at 0.6

        gardner results results/ --at 0.1:2:0.1 --json > table.json

        gardner results results/ --verify
    """
    budgets = read_range("at", at or [])
    if verify:
        _verify(folder, json=json)
        return
    from gardner.experiment.stored.reading import read_results

    frame = read_results(folder)
    if frame.empty:
        typer.echo(f"note: {folder} holds no results yet", err=True)
    show(frame, budgets, json=json)


def show(
    frame: pd.DataFrame,
    budgets: list[float],
    *,
    json: bool,
    current: dict[str, str] | None = None,
    named: NamedModels | None = None,
) -> Summary:
    """Print the summary of a frame.

    ``current`` has versions of code that are known, by strategy, ``named`` the models that this
    command names.
    """
    from gardner.experiment.results.summary import summarise

    with progress_bar("bounds") as progress:
        summary = summarise(frame, budgets, progress, current, named)
    if json:
        typer.echo(to_json(summary.record()))
    else:
        _print_rows(summary)
        _print_pairs(summary)
        print_tables(summary.tables, summary.table_pairs)
        if any(row["informed"] for row in [*summary.rows, *summary.tables, *summary.failures]):
            output().print("* reads labels that nobody asked for yet", highlight=False)
        _print_failures(summary)
    for note in summary.notes:
        typer.echo(f"note: {plain(note)}", err=True)
    return summary


def _verify(folder: Path, *, json: bool) -> None:
    from gardner.experiment.stored.reading import verify_results

    found = verify_results(folder)
    if json:
        typer.echo(to_json([{"part": name, "state": state, "reason": reason} for name, state, reason in found]))
    else:
        for name, state, reason in found:
            typer.echo(plain(f"{name}: {state}" + (f" ({reason})" if reason else "")))
    damaged = sum(state == "damaged" for _, state, _ in found)
    typer.echo(f"{len(found)} parts in {folder}: {damaged} damaged", err=True)
    if damaged:
        raise typer.Exit(1)


def _place(row: dict[str, Any]) -> tuple[str, int, float, int]:
    return row["model"], row["features"], row["pool_ratio"], row["batch_size"]


def _title(place: tuple[str, int, float, int]) -> str:
    model, features, alpha, batch = place
    return f"N = {features}, alpha = {alpha:g}, batch {batch}" + (f", {model}" if model else "")


def _print_rows(summary: Summary) -> None:
    tested = any(row["test_accuracy"] is not None for row in summary.rows)
    known = any(row["theory"] is not None for row in summary.rows)
    missed = any(row["converged"] < 1.0 for row in summary.rows)
    for place, rows in groupby(summary.rows, _place):
        columns = ["budget", "strategy", "seeds", "ln v", "accuracy", *(["on test rows"] if tested else [])]
        gaps = [f"gap to\n{goal}" for goal in ("halving", "minimum", *(["theory"] if known else []))]
        table = make_table(_title(place), *columns, "bits/label", *gaps, *(["converged"] if missed else []))
        for budget, group in groupby(rows, lambda row: float(row["budget"])):
            table.add_section()
            for row in group:
                table.add_row(
                    f"{budget:g}",
                    plain(row["strategy"] + (" *" if row["informed"] else "")),
                    str(row["seeds"]),
                    with_error(row["log_volume"], row["log_volume_stderr"]),
                    with_error(row["accuracy"], row["accuracy_stderr"]),
                    *([with_error(row["test_accuracy"], row["test_accuracy_stderr"])] if tested else []),
                    fixed(row["bits_per_label"], 3),
                    fixed(row["gap_to_halving"], 4),
                    fixed(row["gap_to_minimum"], 4),
                    *([with_error(row["gap_to_theory"], row["gap_to_theory_stderr"])] if known else []),
                    *([f"{percent(row['converged'])}%"] if missed else []),
                )
            _add_bounds(table, summary, (place[0], place[2], budget))
        output().print(table)
    if summary.rows and not missed:
        output().print("every posterior converged", highlight=False)


def _add_bounds(table: Table, summary: Summary, place: tuple[str, float, float]) -> None:
    known, budget = summary.bounds[place], place[2]
    low = known.minimum
    for name, volume, accuracy in (
        ("typical", known.typical.log_volume, known.typical.accuracy),
        ("halving", known.halving, None),
        ("minimum" if low.found is not None else "minimum (unresolved)", low.log_volume, None),
    ):
        table.add_row(f"{budget:g}", plain(name, "dim"), "", fixed(volume, 4), fixed(accuracy, 4))


def _print_pairs(summary: Summary) -> None:
    for place, rows in groupby(summary.pairs, _place):
        title = f"paired differences, {_title(place)}"
        table = make_table(title, "budget", "strategy", "seeds", "ln v", "accuracy")
        for row in rows:
            table.add_row(
                f"{row['budget']:g}",
                plain(f"{row['strategy']} - {row['versus']}"),
                str(row["seeds"]),
                with_error(row["log_volume_difference"], row["log_volume_difference_stderr"]),
                with_error(row["accuracy_difference"], row["accuracy_difference_stderr"]),
            )
        output().print(table)


def _print_failures(summary: Summary) -> None:
    if not summary.failures:
        return
    table = make_table(f"{len(summary.failures)} failed", "strategy", "N", "alpha", "seed", "reason", "hint")
    for row in summary.failures[:_FAILURES_SHOWN]:
        cells = (
            plain(row["strategy"] + (" *" if row["informed"] else "")),
            str(row["features"]),
            f"{row['pool_ratio']:g}",
            str(row["seed"]),
            plain(row["reason"]),
            plain(row["hint"]),
        )
        table.add_row(*cells)
    output().print(table)
    if len(summary.failures) > _FAILURES_SHOWN:
        output().print(f"and {len(summary.failures) - _FAILURES_SHOWN} more: --json lists all", highlight=False)
