"""``gardner query``: which rows of a table to label next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape
from rich.table import Table

from gardner.cli.arguments import as_options
from gardner.cli.console import JSON, output, progress_bar, to_json
from gardner.cli.models import describe_model
from gardner.numbers import fixed

if TYPE_CHECKING:
    from gardner.experiment.propose import Proposals
    from gardner.records.pool_file import PoolFile


def command(
    table: Path = typer.Argument(..., metavar="TABLE", help="CSV, TSV, Parquet or npz; an empty label is unlabelled."),
    label: str = typer.Option(..., "--label", "-y", metavar="COLUMN", help="The column of labels."),
    batch: int = typer.Option(10, "--batch", "-k", help="How many rows to propose."),
    ignore: list[str] = typer.Option(None, "--ignore", metavar="COLUMN", help="Not a feature; repeatable."),
    identifier: str = typer.Option(None, "--id", metavar="COLUMN", help="A name for each row, shown beside it."),
    channel: str = typer.Option(
        None,
        "--channel",
        help="Noise of the labels, such as probit:1 or flip:0.05; by default chosen by evidence. "
        "Your own: FILE.py:CLASS or MODULE:CLASS; naming it runs it.",
    ),
    json: bool = JSON,
) -> None:
    """Propose the rows whose labels would tell the most, with the bits each is expected to give.

    Two values in the label's column are classes, more numbers a regression. Features are standardised and an intercept
    is added; columns of few different texts become zeros and ones. A linear model with noisy labels is fitted to what
    is labelled by expectation propagation, its noise chosen by the evidence. Rows are numbered from 0.

    Examples:

        gardner query pool.csv --label y --batch 10

        gardner query pool.parquet --label diagnosis --id patient --ignore date --json
    """
    from gardner.experiment.propose import propose
    from gardner.model import GLM
    from gardner.model.external import load_channel
    from gardner.records.pool_file import read_pool

    model = GLM(channel=load_channel(channel)) if channel else None
    pool = read_pool(table, label, ignore=ignore or [], identifier=identifier)
    with progress_bar("query") as progress:
        found = propose(pool.features, pool.labels, batch, model=model, progress=progress)
    if json:
        typer.echo(to_json(record(pool, found)))
    else:
        _print(pool, found, table.name)


def record(pool: PoolFile, found: Proposals) -> dict[str, Any]:
    """The JSON of a proposal."""
    rows = []
    for one in found.rows:
        row: dict[str, Any] = {"row": one.row, "bits": one.bits}
        if pool.ids:
            row["id"] = pool.ids[one.row]
        if found.model.channel.labels:
            row["probability"] = one.probability
        else:
            row |= {"mean": one.mean, "deviation": one.deviation}
        rows.append(row)
    return {
        "rows": rows,
        "labelled": int(pool.labelled.sum()),
        "unlabelled": int((~pool.labelled).sum()),
        "features": len(pool.names),
        "classes": list(pool.classes),
        "model": describe_model(found.model),
        "log_evidence": found.posterior.log_evidence,
        "status": found.posterior.status.value,
        "doubt": found.posterior.doubt,
        "residual": found.posterior.residual,
        "notes": _notes(pool, found),
    }


def _short(model: str) -> str:
    """A channel as its option is written, its parameter to three digits."""
    name, colon, parameter = model.rpartition(":")
    try:
        return f"{name}:{float(parameter):.3g}" if colon else model
    except ValueError:
        return model


def _notes(pool: PoolFile, found: Proposals) -> list[str]:
    notes = [as_options(note) for note in pool.notes]
    if found.dropped:
        notes.append(f"{found.dropped} columns left out: every row has the same value")
    if not pool.labelled.any():
        notes.append("no row is labelled yet: the choice rests on the features alone")
    return notes


def _plain(text: str) -> str:
    """A text of a table as it is: no markup, nothing that drives a terminal."""
    from gardner.records import printable

    return escape(printable(text))


def _print(pool: PoolFile, found: Proposals, name: str) -> None:
    answer = record(pool, found)
    classes = bool(found.model.channel.labels)
    predicted = f"P({pool.classes[1] or '+1'})" if classes else "prediction"
    columns = ["row", *(["id"] if pool.ids else []), "expected bits", _plain(predicted)]
    table = Table(
        title=_plain(f"{name}: {answer['labelled']} labelled, {answer['unlabelled']} not"), title_justify="left"
    )
    for column in columns:
        table.add_column(column, justify="left" if column == "id" else "right")
    for one in found.rows:
        prediction = fixed(one.probability, 3) if classes else f"{one.mean:.4g} ± {one.deviation:.2g}"
        table.add_row(str(one.row), *([_plain(pool.ids[one.row])] if pool.ids else []), fixed(one.bits, 3), prediction)
    output().print(table)
    evidence = f"log-evidence {answer['log_evidence']:.3f} of {answer['labelled']} labels"
    output().print(f"{_plain(_short(answer['model']['channel']))}, {evidence}, {answer['status']}", highlight=False)
    from gardner.records import printable

    for note in answer["notes"]:
        typer.echo(f"note: {printable(note)}", err=True)
    if answer["doubt"]:
        typer.echo(f"warning: ep is doubtful: {answer['doubt']}", err=True)
