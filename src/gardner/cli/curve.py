"""``gardner curve``: how many subsets have which volume."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table

from gardner.cli.console import ALPHA, JSON, RSB, output, progress_bar, read_number, to_json
from gardner.cli.models import CHANNEL, PRIOR, TEACHER_CHANNEL, TEACHER_PRIOR, model_title, read_models
from gardner.cli.out import OUT, check_ending, check_place, write
from gardner.errors import InvalidInputError
from gardner.numbers import known_digits, significant

if TYPE_CHECKING:
    from gardner.model import GLM
    from gardner.theory import Curve

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
    rsb: bool = RSB,
    json: bool = JSON,
    out: Path | None = OUT,
) -> None:
    """Complexity against log-volume at one budget: e^(N*complexity) subsets have that volume.

    The curve runs from the smallest to the largest volume any subset has, through its top at the
    typical one.

    Examples:

        gardner curve --alpha 3 --budget 0.6

        gardner curve --alpha 3 --budget 0.6 --points 81 --out curve.svg

        gardner curve --alpha 3 --budget 0.6 --log-volume -0.9 --json

        gardner curve --alpha 3 --budget 0.6 --rsb --out curve.svg
    """
    ratio, labels = read_number("alpha", alpha), read_number("budget", budget)
    volumes = [read_number("log-volume", text) for text in log_volume]
    check_ending(out)
    if points is not None and volumes:
        raise InvalidInputError("--points", points, "it cannot be combined with --log-volume")
    if rsb and volumes:
        raise InvalidInputError("--rsb", "1", "it cannot be combined with --log-volume: it is about the ends")
    models = read_models(prior, channel, teacher_prior, teacher_channel)
    check_place(out)
    with progress_bar("curve") as progress:
        result = _solve(models, (ratio, labels), points, volumes, int(rsb), progress)
    if out is not None:
        write(out, result.to_json, result.to_frame, lambda path: _draw(result, models, path))
    if json:
        typer.echo(to_json(result.to_json()))
    elif out is None:
        _print(result, model_title(*models))


def _solve(
    models: tuple[GLM, GLM],
    place: tuple[float, float],
    points: int | None,
    volumes: list[float],
    rsb: int,
    progress: Callable[[float], None],
) -> Curve:
    from gardner.theory import check_inputs, complexity_curve, complexity_points

    ratio, labels = place
    check_inputs(ratio, labels)
    model, teacher = models
    if volumes:
        return complexity_points(model, pool_ratio=ratio, budget=labels, log_volumes=volumes, teacher=teacher)
    return complexity_curve(
        model, pool_ratio=ratio, budget=labels, points=points, teacher=teacher, rsb=rsb, progress=progress
    )


def _draw(result: Curve, models: tuple[GLM, GLM], path: Path) -> None:
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
        counted = known_digits(point.complexity, error * max(1.0, abs(point.beta) if point.beta == point.beta else 1.0))
        table.add_row(known_digits(point.log_volume, error), counted, *cells)
    console = output()
    console.print(table)
    for side, end in result.broken.items():
        volume = known_digits(end.log_volume, end.error)
        where = f", symmetry breaks at ln v = {end.leaves_at:.6f}" if end.leaves_at == end.leaves_at else ""
        reason = f" ({end.reason})" if end.reason else ""
        console.print(f"{side} with one step: ln v = {volume}, {end.status.value}{reason}{where}", highlight=False)
    ends = ", ".join(
        f"{side}: {end.status.value}" + (f" ({end.reason})" if end.reason else "") for side, end in result.ends.items()
    )
    worst = max(point.residual for point in result.points), max(point.quadrature_error for point in result.points)
    console.print(
        f"{ends + '; ' if ends else ''}worst residual {worst[0]:.1e}, worst quadrature error {worst[1]:.1e}",
        highlight=False,
    )
