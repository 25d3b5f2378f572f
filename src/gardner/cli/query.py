"""``gardner query``: which rows of a table to label next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape
from rich.table import Table

from gardner.cli.arguments import CLASSES, REGRESSION, as_options, label_kind_of
from gardner.cli.console import JSON, output, progress_bar, to_json
from gardner.cli.models import describe_model
from gardner.numbers import fixed

if TYPE_CHECKING:
    from gardner.records.pool_file import PoolFile
    from gardner.table.outlook import Outlook
    from gardner.table.propose import Proposal, Proposals


def command(
    table: Path = typer.Argument(..., metavar="TABLE", help="CSV, TSV, Parquet or npz; an empty label is unlabelled."),
    label: str = typer.Option(..., "--label", "-y", metavar="COLUMN", help="The column of labels."),
    batch: int = typer.Option(10, "--batch", "-k", help="How many rows to propose."),
    classes: bool = CLASSES,
    regression: bool = REGRESSION,
    ignore: list[str] = typer.Option(None, "--ignore", metavar="COLUMN", help="Not a feature; repeatable."),
    identifier: str = typer.Option(None, "--id", metavar="COLUMN", help="A name for each row, shown beside it."),
    target: Path | None = typer.Option(
        None, "--target", metavar="TABLE", help="Rows whose labels you want to predict; by default the unlabelled ones."
    ),
    about: str = typer.Option(
        "predictions", "--about", help="What a label should tell about: predictions (labels of other rows) or weights."
    ),
    scaling: str = typer.Option(
        None,
        "--scaling",
        help="standardised columns, common scale, or unit rows; by default chosen by evidence.",
    ),
    channel: str = typer.Option(
        None,
        "--channel",
        help="Noise of the labels, such as probit:1 or flip:0.05; by default chosen by evidence. "
        "Your own: FILE.py:CLASS or MODULE:CLASS; naming it runs it.",
    ),
    until: float | None = typer.Option(None, "--until", metavar="P", help="Say when this accuracy is expected."),
    save: Path | None = typer.Option(None, "--save", metavar="FILE", help="Write the model, for `gardner predict`."),
    seed: int = typer.Option(0, "--seed", help="Of the sample of rows that bits are about."),
    json: bool = JSON,
) -> None:
    """Propose the rows whose labels would tell the most about those of the other rows, in bits a
    row.

    Two values in the label's column are classes, and so are texts of any number of kinds; many
    numbers are a regression; of few whole numbers say which (--classes or --regression). Missing
    features are filled in; columns of few different texts become zeros and ones. A linear model
    with noisy labels is fitted to what is labelled by expectation propagation; the scaling of its
    columns and its noise are chosen by evidence. Rows are numbered from 0.

    Without any label the first rows cover the table. Where a class is rare, or there are three or
    more, label rows at random first, until two classes have appeared. Label some at random in any
    case: a fair estimate of the accuracy needs them.

    Examples:

        gardner query pool.csv --label y --batch 10

        gardner query pool.parquet --label diagnosis --id patient --ignore date --until 0.95 --json
    """
    from gardner.errors import InvalidInputError
    from gardner.model import GLM
    from gardner.model.external import load_channel
    from gardner.records.pool_file import read_pool, read_table
    from gardner.table.propose import propose

    if until is not None and not 0.0 < until < 1.0:
        raise InvalidInputError("--until", until, "it is an accuracy, between 0 and 1")
    model = GLM(channel=load_channel(channel)) if channel else None
    kind = label_kind_of(classes, regression)
    pool = read_pool(table, label, ignore=ignore or [], identifier=identifier, kind=kind)
    if until is not None and pool.kind == "regression":
        raise InvalidInputError("--until", until, "a regression has no accuracy to be reached", hint="leave it out")
    wanted = pool.encoding.matrix(read_table(target, array=pool.array)) if target else None
    with progress_bar("query") as progress:
        proposals = propose(
            pool.features, pool.named_labels, batch, kind=kind or (pool.kind if pool.labelled.any() else None),
            model=model, scaling=scaling, about=about, target=wanted, seed=seed, progress=progress,
        )  # fmt: skip
    if save is not None:
        from gardner.table.model import model_of

        model_of(proposals, pool.encoding, pool.classes, pool.array).save(save)
    if json:
        typer.echo(to_json(record(pool, proposals, until)))
    else:
        _print(pool, proposals, table.name, until)


def record(pool: PoolFile, proposals: Proposals, until: float | None = None) -> dict[str, Any]:
    """The JSON of a proposal."""
    rows = []
    for one in proposals.rows:
        row: dict[str, Any] = {"row": one.row, "bits": one.bits}
        if pool.ids:
            row["id"] = pool.ids[one.row]
        if one.probabilities:
            row["prediction"] = proposals.classes[_likeliest(one)[0]]
            row["probabilities"] = dict(zip(proposals.classes, one.probabilities, strict=True))
        elif proposals.model.channel.labels:
            row["probability"] = one.probability
        else:
            row |= {"mean": one.mean, "deviation": one.deviation}
        rows.append(row)
    return {
        "rows": rows,
        "about": proposals.about,
        "targets": proposals.targets,
        "labelled": int(pool.labelled.sum()),
        "unlabelled": int((~pool.labelled).sum()),
        "features": len(pool.names),
        "classes": list(proposals.classes or pool.classes),
        "scaling": proposals.scaling,
        "sharpness": proposals.sharpness,
        "model": describe_model(proposals.model),
        "log_evidence": proposals.posterior.log_evidence,
        "tried": [{"scaling": one.scaling, "log_evidence": one.log_evidence} for one in proposals.tried],
        "status": proposals.posterior.status.value,
        "doubt": proposals.posterior.doubt,
        "residual": proposals.posterior.residual,
        "expected_accuracy": proposals.outlook.accuracy if proposals.outlook else None,
        "expected_accuracy_within": proposals.outlook.within if proposals.outlook else None,
        "expected_gain": proposals.outlook.gain if proposals.outlook else None,
        "expected_gain_within": proposals.outlook.gain_within if proposals.outlook else None,
        "reached": proposals.outlook.reached(until) if proposals.outlook and until is not None else None,
        "notes": _notes(pool, proposals),
    }


# Columns that a note names; of more it says how many there are.
_NAMED = 12


def _short(model: str) -> str:
    """A channel as its option is written, its parameter to three digits."""
    name, colon, parameter = model.rpartition(":")
    try:
        return f"{name}:{float(parameter):.3g}" if colon else model
    except ValueError:
        return model


def _notes(pool: PoolFile, proposals: Proposals) -> list[str]:
    notes = [as_options(note) for note in pool.notes]
    if proposals.dropped:
        kept = set(proposals.fit.design.scaling.kept.tolist())
        names = [name for place, name in enumerate(pool.names) if place not in kept]
        shown = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
        columns = f"column {shown}" if len(names) == 1 else f"{len(names)} columns ({shown})"
        notes.append(f"{columns} left out: every row has the same value")
    if not pool.labelled.any():
        notes.append("no row is labelled yet: the choice rests on the features alone, and covers them")
        if proposals.model.channel.labels:
            notes.append("with a rare class, or with three or more, rows labelled at random are the better first ones")
    return notes + list(proposals.fit.notes)


def _plain(text: str) -> str:
    """A text of a table as it is: no markup, nothing that drives a terminal."""
    from gardner.records import printable

    return escape(printable(text))


_SCALINGS = {
    "standardised": "standardised columns",
    "common": "one scale for all columns",
    "unit": "rows of length one",
}


def _print(pool: PoolFile, proposals: Proposals, name: str, until: float | None) -> None:
    from gardner.records import printable

    answer = record(pool, proposals, until)
    output().print(_table(pool, proposals, f"{name}: {answer['labelled']} labelled, {answer['unlabelled']} not"))
    kinds = f" in {len(proposals.classes)} classes" if len(proposals.classes) > 2 else ""
    evidence = f"log-evidence {answer['log_evidence']:.3f} of {answer['labelled']} labels{kinds}"
    model = f"{_SCALINGS[proposals.scaling]}, {_plain(_short(answer['model']['channel']))}"
    output().print(f"{model}, {evidence}, {answer['status']}", highlight=False)
    if proposals.outlook is not None and pool.labelled.any():
        output().print(_expected(proposals.outlook, until), highlight=False)
    for note in answer["notes"]:
        typer.echo(f"note: {printable(note)}", err=True)
    if answer["doubt"]:
        typer.echo(f"warning: ep is doubtful: {answer['doubt']}", err=True)


def _table(pool: PoolFile, proposals: Proposals, title: str) -> Table:
    predicted = "prediction"
    if len(proposals.classes) > 2:
        predicted = "likeliest classes"
    elif proposals.model.channel.labels:
        predicted = f"P({pool.classes[1] or '+1'})"
    bits = "bits about another row" if proposals.about == "predictions" else "bits about the weights"
    table = Table(title=_plain(title), title_justify="left")
    for column in ["row", *(["id"] if pool.ids else []), bits, _plain(predicted)]:
        table.add_column(column, justify="left" if column in ("id", "likeliest classes") else "right")
    for one in proposals.rows:
        name = [_plain(pool.ids[one.row])] if pool.ids else []
        table.add_row(str(one.row), *name, fixed(one.bits, 4), _prediction(one, proposals))
    return table


def _prediction(one: Proposal, proposals: Proposals) -> str:
    """The label of a row: the chances of up to three classes, of one of two, or a number."""
    if one.probabilities:
        return ", ".join(
            f"{_plain(proposals.classes[place])} {fixed(one.probabilities[place], 2)}" for place in _likeliest(one)[:3]
        )
    if proposals.model.channel.labels:
        return fixed(one.probability, 3)
    return f"{_rounded(one.mean, 4)} ± {_rounded(one.deviation, 2)}"


def _rounded(value: float, digits: int) -> str:
    """A number to so many digits, written plainly: 254000, not 2.54e+05."""
    return f"{float(f'{value:.{digits}g}'):.12g}"


def _likeliest(one: Proposal) -> list[int]:
    """The classes by falling probability."""
    return sorted(range(len(one.probabilities)), key=lambda place: -one.probabilities[place])


def _expected(outlook: Outlook, until: float | None) -> str:
    """The accuracy to expect, how far off it may be, what the batch adds, and whether it is enough."""
    lines = [f"this model expects an accuracy of {fixed(outlook.accuracy, 3)} on the rows without a label"]
    if outlook.within is not None:
        lines[0] += f", right to {fixed(outlook.within, 2)} in nine of ten real cases"
    if outlook.gain is not None:
        lines.append(f"this batch is expected to add {fixed(outlook.gain, 3)}")
        if outlook.gain_within is not None:
            lines[-1] += f", right to {fixed(outlook.gain_within, 2)}"
    if until is not None:
        lines.append(f"{until:g} is {'reached' if outlook.reached(until) else 'not reached yet'}")
    return "\n".join(lines)
