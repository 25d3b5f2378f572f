"""``gardner curve``: how many subsets have which volume."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table

from gardner.cli.console import ALPHA, JSON, output, progress_bar, read_number, to_json
from gardner.cli.models import CHANNEL, PRIOR, TEACHER_CHANNEL, TEACHER_PRIOR, describe_model, model_title, read_models
from gardner.errors import InvalidInputError
from gardner.numbers import known, significant

if TYPE_CHECKING:
    from gardner.model import GLM
    from gardner.theory import Curve

_TABLES = {".parquet", ".csv", ".json"}
_FIGURES = {".svg", ".png", ".pdf", ".html"}
_SHOWN = ("log_volume", "complexity", "beta", "phi", "m", "q", "Q", "r", "accuracy", "information", "stability")


def command(
    alpha: str = ALPHA,
    budget: str = typer.Option(..., "--budget", "-n", metavar="N", help="Labels per weight."),
    points: int | None = typer.Option(None, "--points", metavar="K", help="Solve K points, equally spaced in ln v."),
    log_volume: list[str] = typer.Option([], "--log-volume", metavar="X", help="Solve at this ln v only (repeatable)."),
    prior: str = PRIOR,
    channel: str = CHANNEL,
    teacher_prior: str = TEACHER_PRIOR,
    teacher_channel: str = TEACHER_CHANNEL,
    json: bool = JSON,
    out: Path | None = typer.Option(
        None, "--out", "-o", metavar="FILE", help="Write .parquet, .csv, .json, .svg, .png, .pdf or .html."
    ),
) -> None:
    """Complexity against log-volume at one budget: e^(N*complexity) subsets have that volume.

    The curve runs from the smallest to the largest volume any subset has, through its top at the
    typical one.

    Examples:

        gardner curve --alpha 3 --budget 0.6

        gardner curve --alpha 3 --budget 0.6 --points 81 --out curve.svg

        gardner curve --alpha 3 --budget 0.6 --log-volume -0.9 --json
    """
    ratio, labels = read_number("alpha", alpha), read_number("budget", budget)
    volumes = [read_number("log-volume", text) for text in log_volume]
    if out is not None and out.suffix.lower() not in _TABLES | _FIGURES:
        endings = ", ".join(sorted(_TABLES | _FIGURES))
        raise InvalidInputError("--out", str(out), f"the ending must be one of {endings}")
    if points is not None and volumes:
        raise InvalidInputError("--points", points, "it cannot be combined with --log-volume")
    models = read_models(prior, channel, teacher_prior, teacher_channel)
    if out is not None:
        from gardner.records import check_writable

        check_writable(out)  # a place that cannot be written is refused before the work
    with progress_bar("curve") as progress:
        result = _solve(models, ratio, labels, points, volumes, progress)
    if out is not None:
        _write(result, models, out)
        typer.echo(f"wrote {out}", err=True)
    if json:
        typer.echo(to_json(record(result, models)))
    elif out is None:
        _print(result, model_title(*models))


def _solve(
    models: tuple[GLM, GLM],
    ratio: float,
    labels: float,
    points: int | None,
    volumes: list[float],
    progress: Callable[[float], None],
) -> Curve:
    from gardner.theory import Curve, check_inputs, complexity_at, complexity_curve

    check_inputs(ratio, labels)
    model, teacher = models
    if not volumes:
        return complexity_curve(model, ratio, labels, points=points, progress=progress, teacher=teacher)
    solved = tuple(complexity_at(model, ratio, labels, volume, teacher=teacher) for volume in volumes)
    return Curve(ratio, labels, solved, {}, {})


def record(result: Curve, models: tuple[GLM, GLM]) -> dict[str, object]:
    """The JSON of a curve."""
    return {
        "model": describe_model(models[0]),
        "teacher": describe_model(models[1]),
        "alpha": result.pool_ratio,
        "budget": result.budget,
        "status": result.status,
        "reason": {side: reason or None for side, reason in result.reason.items()},
        "points": [vars(point) for point in result.points],
    }


def _write(result: Curve, models: tuple[GLM, GLM], path: Path) -> None:
    from gardner.records import write_file

    suffix = path.suffix.lower()
    if suffix == ".json":
        write_file(path, (to_json(record(result, models)) + "\n").encode())
    elif suffix == ".csv":
        write_file(path, result.to_frame().to_csv(index=False).encode())
    elif suffix == ".parquet":
        write_file(path, result.to_frame().to_parquet(index=False))
    else:
        from gardner.report.figures import complexity_chart, save

        place = f"alpha = {result.pool_ratio:g}, budget = {result.budget:g}{model_title(*models)}"
        title = f"Complexity against log-volume, {place}"
        save(complexity_chart(result.to_frame(), title), path, title)


def _print(result: Curve, model: str) -> None:
    table = Table(title=f"alpha = {result.pool_ratio:g}, budget = {result.budget:g}{model}", title_justify="left")
    for name in _SHOWN:
        table.add_column(name.replace("_", " "), justify="right")
    for point in result.points:
        error, relative = point.quadrature_error, point.relative_error
        cells = [significant(getattr(point, name), relative) for name in _SHOWN[2:]]
        # ln v is off by that much at a given Σ, so Σ by |β| times as much at a given ln v
        counted = known(point.complexity, error * max(1.0, abs(point.beta) if point.beta == point.beta else 1.0))
        table.add_row(known(point.log_volume, error), counted, *cells)
    console = output()
    console.print(table)
    ends = ", ".join(
        f"{side}: {status}" + (f" ({result.reason[side]})" if result.reason[side] else "")
        for side, status in result.status.items()
    )
    worst = max(point.residual for point in result.points), max(point.quadrature_error for point in result.points)
    console.print(
        f"{ends + '; ' if ends else ''}worst residual {worst[0]:.1e}, worst quadrature error {worst[1]:.1e}",
        highlight=False,
    )
