"""``gardner volume``: what the labels of given rows leave."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table

from gardner.cli.console import JSON, output, progress_bar, to_json
from gardner.cli.models import CHANNEL, PRIOR, describe_model, read_models
from gardner.numbers import fixed, general

if TYPE_CHECKING:
    from gardner.inference import Posterior

_OTHERS = {"amp": "try --method ep", "ep": "try --method mc, or drop rows that repeat others"}


def command(
    rows: str = typer.Option(
        ..., "--rows", "-r", metavar="FILE", help="Labelled rows, one a line: npy, npz, csv, tsv or parquet."
    ),
    labels: str = typer.Option(
        ...,
        "--labels",
        "-l",
        metavar="FILE",
        help="Their labels, -1 or +1 (or real), in the same order and formats.",
    ),
    method: str = typer.Option(
        "amp",
        "--method",
        "-m",
        metavar="METHOD",
        help="amp (fast, rows with independent entries), ep (rows that do not repeat each other), mc (Monte Carlo: any "
        "rows, with a standard error).",
    ),
    scale: bool = typer.Option(
        False, "--scale", help="Divide rows by sqrt(N). The sign of a field does not feel it, noise does."
    ),
    prior: str = PRIOR,
    channel: str = CHANNEL,
    seed: int = typer.Option(0, "--seed", help="Seed of the Monte Carlo method."),
    stderr: float = typer.Option(0.002, "--stderr", help="Standard error of ln v the Monte Carlo method aims at."),
    time_limit: float = typer.Option(
        60.0, "--time-limit", metavar="S", help="Seconds the Monte Carlo method may take."
    ),
    json: bool = JSON,
) -> None:
    """Gardner volume of labelled rows: the share of weight vectors that give these labels.

    ln v is per weight, the log-evidence is the total. Labels that no weight vector can give leave
    an empty volume: status "empty", log_volume -inf (null in JSON). Status "doubtful" means that
    the method converged on rows it is not made for: a line on stderr ("doubt" in JSON) says why,
    and by how much the log-evidence is probably off.

    Choose one of several arrays or columns of a file with a colon: pool.npz:rows, table.csv:label;
    otherwise every column of a table of rows is a feature, except the labels named out of the same
    table.

    Examples:

        gardner volume --rows F.npy --labels y.npy

        gardner volume --rows data.npz:F --labels data.npz:y --method mc --json
    """
    from gardner.records.array_file import read_matrix, read_vector

    matrix, vector = read_matrix("--rows", rows, without=labels), read_vector("--labels", labels)
    from gardner.inference import infer

    model, _ = read_models(prior, channel, None, None)
    if scale:
        matrix = matrix / math.sqrt(matrix.shape[1])
    with progress_bar(method) as progress:
        options: dict[str, Any] = {} if method == "amp" else {"progress": progress}
        if method == "mc":
            options |= {"seed": seed, "stderr": stderr, "time_limit": time_limit}
        posterior = infer(matrix, vector, model, method=method, **options)
    if json:
        typer.echo(to_json(record(posterior)))
    else:
        _print(posterior, rows)
    if not posterior.converged:
        why = f": {posterior.doubt}; {_OTHERS[posterior.method]}" if posterior.doubt else ""
        typer.echo(f"warning: {posterior.method} is {posterior.status.value}{why}", err=True)


def record(posterior: Posterior) -> dict[str, object]:
    """The JSON of one posterior."""
    stderr = posterior.stderr
    return {
        "method": posterior.method,
        "model": describe_model(posterior.model),
        "features": posterior.features,
        "rows": int(posterior.labels.shape[0]),
        "log_volume": posterior.log_volume,
        "log_evidence": posterior.log_evidence,
        "stderr": stderr,
        "log_evidence_stderr": None if stderr is None else stderr * posterior.features,
        "log_evidence_correction": posterior.correction,
        "status": posterior.status.value,
        "doubt": posterior.doubt,
        "iterations": posterior.iterations,
        "residual": posterior.residual,
        "damping": posterior.damping,
    }


def _print(posterior: Posterior, source: str) -> None:
    title = f"{Path(source).name}: {posterior.labels.shape[0]} rows, {posterior.features} features"
    table = Table(title=title, title_justify="left")
    for column in ("method", "ln v", "log-evidence", "stderr of ln v", "status", "iterations", "residual"):
        table.add_column(column, justify="left" if column in {"method", "status"} else "right")
    table.add_row(
        posterior.method,
        fixed(posterior.log_volume),
        fixed(posterior.log_evidence, 4),
        general(posterior.stderr, 2),
        posterior.status.value,
        str(posterior.iterations),
        general(posterior.residual, 2),
    )
    output().print(table)
