"""``gardner forecast``: how much active learning would help on a table, before the first label or
from here on.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.markup import escape
from rich.table import Table

from gardner.cli.arguments import as_options
from gardner.cli.console import JSON, output, progress_bar, read_number, to_json
from gardner.cli.out import FIGURES, check_ending, check_place
from gardner.numbers import fixed, is_missing

if TYPE_CHECKING:
    from gardner.records.pool_file import PoolFile
    from gardner.table.forecast.results import Forecast, Needed


def command(
    table: Path = typer.Argument(..., metavar="TABLE", help="CSV, TSV, Parquet or npz."),
    label: str | None = typer.Option(
        None, "--label", "-y", metavar="COLUMN", help="The column of labels, two classes; empty cells have none yet."
    ),
    accuracy: str = typer.Option("0.95", "--accuracy", "-q", metavar="SHARE", help="The accuracy wanted."),
    batch: int = typer.Option(10, "--batch", "-k", help="How many rows are asked for at a time."),
    labels: int | None = typer.Option(None, "--labels", "-n", metavar="COUNT", help="Where the forecast ends."),
    scaling: str = typer.Option("standardised", "--scaling", help="Columns: standardised, or common, on one scale."),
    ignore: list[str] = typer.Option(None, "--ignore", metavar="COLUMN", help="Not a feature; repeatable."),
    identifier: str = typer.Option(None, "--id", metavar="COLUMN", help="A name for each row, not a feature."),
    best: bool = typer.Option(True, "--best/--no-best", help="Also the best subset there is, which takes longer."),
    out: Path | None = typer.Option(None, "--out", "-o", metavar="FILE", help="Draw .svg, .png, .pdf or .html."),
    json: bool = JSON,
) -> None:
    """Accuracy against the number of labels for random choice, for active learning and for the best
    subset.

    From the spectrum of the table alone: labels are assumed to follow a linear rule of no preferred
    direction, without noise. With ten labels or more, alignment and noise are chosen by evidence,
    and the forecast goes on from what these labels give.

    "agnostic" asks for the least certain rows; no rule that does not see hidden labels is known to
    do better. "best" is the most informative subset there is. Intervals hold what the choice of the
    model leaves open and how far forecasts were off on the tables they were measured on.

    Examples:

        gardner forecast pool.csv

        gardner forecast pool.csv --label diagnosis --id patient --accuracy 0.9 --out forecast.svg
    """
    wanted = read_number("accuracy", accuracy)
    check_ending(out, FIGURES)
    from gardner.records.pool_file import read_pool
    from gardner.table.forecast import forecast

    check_place(out)
    pool = read_pool(table, label, ignore=ignore or [], identifier=identifier, kind="classes")
    with progress_bar("forecast") as progress:
        answer = forecast(
            pool.features, pool.labels if label else None, accuracy=wanted, batch_size=batch, most_labels=labels,
            scaling=scaling, best=best, names=pool.names, progress=progress,
        )  # fmt: skip
    if out is not None:
        _draw(answer, out, table.name)
        typer.echo(f"wrote {out}", err=True)
    if json:
        typer.echo(to_json(record(pool, answer)))
    else:
        _print(pool, answer, table.name)


def record(pool: PoolFile, answer: Forecast) -> dict[str, object]:
    """The JSON of a forecast."""
    return {**answer.to_json(), "classes": list(pool.classes), "notes": _notes(pool, answer)}


def _notes(pool: PoolFile, answer: Forecast) -> list[str]:
    return [as_options(note) for note in (*pool.notes, *answer.notes)]


def _draw(answer: Forecast, out: Path, name: str) -> None:
    from gardner.report.figures import save
    from gardner.report.forecast import forecast_chart

    title = f"{name}: {answer.rows} rows, {answer.columns} columns, {answer.labelled} labels"
    save(forecast_chart(answer.to_frame(), answer.accuracy, title), out, title)


def _print(pool: PoolFile, answer: Forecast, name: str) -> None:
    from gardner.records import printable
    from gardner.table.forecast.results import spaced

    rank = f"effective rank {answer.effective_rank:.3g}"
    title = escape(printable(f"{name}: {answer.rows} rows, {answer.columns} columns, {rank}, {answer.labelled} labels"))
    table = Table(title=title, title_justify="left")
    columns = ("labels", "random", "interval", "agnostic", "interval", "best")
    for column in columns:
        table.add_column(column, justify="right")
    for point in (answer.points[index] for index in spaced(len(answer.points))):
        cells = [f"{point.labels}", fixed(point.random, 3), _interval(point.random_low, point.random_high)]
        cells += [fixed(point.agnostic, 3), _interval(point.agnostic_low, point.agnostic_high)]
        table.add_row(*cells, "–" if is_missing(point.best) else fixed(point.best, 3))
    console = output()
    console.print(table)
    for line in _sentences(answer):
        console.print(line, highlight=False, soft_wrap=True)
    for note in _notes(pool, answer):
        typer.echo(f"note: {printable(note)}", err=True)


def _interval(low: float, high: float) -> str:
    return f"{fixed(low, 3)}–{fixed(high, 3)}"


def _sentences(answer: Forecast) -> list[str]:
    """What the table says in words, what is assumed, and how far off it was where it was measured."""
    needed = ", ".join(f"{choice} {_labels(one)}" for choice, one in answer.needed.items())
    lines = [f"labels for accuracy {answer.accuracy:g}: {needed}"]
    if answer.needed["random"].labels <= answer.labelled:
        lines.append("the labels there are should be enough")
    elif not is_missing(answer.saved):
        share = answer.saved / answer.needed["random"].labels
        lines.append(f"active learning saves about {answer.saved:.0f} of them, {100.0 * share:.0f} %")
    lines.append(f"with a label for every row accuracy would be about {answer.pool:.3f}")
    if answer.labelled:
        first = answer.models[0]
        lines.append(
            f"accuracy by now about {answer.now:.3f}; likeliest: alignment {first.alignment:g}, noise {first.noise:g} "
            f"(weight {first.weight:.2f} of {len(answer.models)} models)"
        )
        lines.append(
            "that is a mean over models; gardner query has one, without alignment, and may expect less or more"
        )
        kind = "real labels"
    else:
        lines.append("assumed: labels follow a linear rule of no preferred direction, without noise")
        kind = "random linear labels on real tables"
    factor = math.exp(answer.spread)
    lines.append(f"on {kind} nine in ten forecasts had the share of wrong labels right to a factor of {factor:.2f}")
    return lines


def _labels(one: Needed) -> str:
    """A number of labels with its interval; a dash where the forecast does not get there."""
    if is_missing(one.labels):
        return "–"
    if one.low == one.high:
        return f"{one.labels:.0f}"
    ends = ["–" if is_missing(end) else f"{end:.0f}" for end in (one.low, one.high)]
    return f"{one.labels:.0f} ({ends[0]} to {ends[1]})"
