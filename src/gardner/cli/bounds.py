"""``gardner bounds``: what any strategy can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.table import Table

from gardner.cli.console import ALPHA, JSON, RSB, output, progress_bar, read_number, read_range, to_json
from gardner.cli.models import CHANNEL, PRIOR, TEACHER_CHANNEL, TEACHER_PRIOR, model_title, read_models
from gardner.numbers import MISSING, general, known_digits, significant
from gardner.units import LN2

if TYPE_CHECKING:
    from gardner.theory import Bounds, BrokenEnd, End, EndStatus, Point


def command(
    alpha: str = ALPHA,
    budget: list[str] = typer.Option(
        ..., "--budget", "-n", metavar="N", help="Labels per weight; repeatable, or a range such as 0.1:3:0.1."
    ),
    prior: str = PRIOR,
    channel: str = CHANNEL,
    teacher_prior: str = TEACHER_PRIOR,
    teacher_channel: str = TEACHER_CHANNEL,
    rsb: bool = RSB,
    json: bool = JSON,
) -> None:
    """Smallest, typical and largest Gardner volume of any subset of a pool.

    No strategy can leave the interval from minimum to maximum; a label-agnostic one (it sees a
    label only after asking for it) cannot go below "halving", one bit a label; random choice gives
    "typical". "stability" above 1 means that replica symmetry is broken there and the bound is the
    replica-symmetric approximation. --rsb adds both ends with one step of replica symmetry
    breaking, which is better there, in some ten seconds a budget.

    With noise, ln v is the evidence of the labels, and the subset of the smallest one is that of
    the most wrong labels. The rows "informed most" and "accurate most" are then the best points of
    the curve, whose points are the typical subsets of each evidence; subsets chosen by another rule
    can lie beyond them.

    Examples:

        gardner bounds --alpha 3 --budget 0.6

        gardner bounds --alpha 10 --budget 0.1:3:0.1 --json > bounds.json

        gardner bounds --alpha 3 --budget 0.6 --channel flip:0.05

        gardner bounds --alpha 3 --budget 0.6 --rsb
    """
    ratio, budgets = read_number("alpha", alpha), read_range("budget", budget)
    student, teacher = read_models(prior, channel, teacher_prior, teacher_channel)
    from gardner.theory import bounds_sweep, check_inputs

    check_inputs(ratio, *budgets)
    with progress_bar("bounds") as progress:
        results = bounds_sweep(
            student,
            pool_ratio=ratio,
            budgets=budgets,
            teacher=teacher,
            rsb=int(rsb),
            progress=progress,
            workers=None,
        )
    if json:
        records = [result.to_json() for result in results]
        typer.echo(to_json(records[0] if len(records) == 1 else records))
    elif len(results) == 1:
        _print_one(results[0], model_title(student, teacher))
    else:
        _print_many(results, model_title(student, teacher))


def _rows(result: Bounds) -> list[tuple[str, Point | None, str]]:
    """What to print: the ends and the typical subset, and with noise the best ones by information
    and accuracy.
    """
    rows: list[tuple[str, Point | None, str]] = [
        ("minimum", result.minimum.found, _status(result.minimum)),
        ("typical", result.typical, _remark(*result.statuses["typical"])),
        ("maximum", result.maximum.found, _status(result.maximum)),
    ]
    if result.minimum.doubting is not None:
        rows.append(("minimum, doubting", result.minimum.doubting, "the student of that volume who is not sure yet"))
    best = result.extremes
    if best.most_information != result.minimum.point:
        rows.append(("informed most", best.most_information, "most information along the curve"))
    if best.most_accurate != result.minimum.point:
        rows.append(("accurate most", best.most_accurate, "highest accuracy along the curve"))
    return rows


def _print_one(result: Bounds, model: str) -> None:
    table = Table(title=f"alpha = {result.pool_ratio:g}, budget = {result.budget:g}{model}", title_justify="left")
    for column in ("", "ln v", "bits/weight", "accuracy", "m", "beta", "stability", "status"):
        table.add_column(column, justify="left" if column in {"", "status"} else "right")
    for name, point, status in _rows(result):
        if point is None:
            table.add_row(name, *[MISSING] * 6, status)
            continue
        error, relative = point.quadrature_error, point.relative_error
        cells = [known_digits(point.log_volume, error), known_digits(point.information / LN2, error / LN2)]
        cells += [known_digits(point.accuracy, point.accuracy_error), known_digits(point.m, relative * abs(point.m))]
        table.add_row(
            name, *cells, significant(point.beta, relative), significant(point.stability, relative, 4), status
        )
    for name, end in result.broken.items():
        table.add_row(f"{name}, 1RSB", *_broken_cells(end))
    whole, error = result.pool, result.pool.quadrature_error
    halving = known_digits(result.halving, error), known_digits(result.agnostic_information / LN2, error / LN2)
    table.add_row("halving", *halving, *[MISSING] * 4, "label-agnostic bound")
    cells = [known_digits(whole.log_volume, error), known_digits(whole.information / LN2, error / LN2)]
    cells += [known_digits(x, error + whole.residual) for x in (whole.accuracy, whole.overlap)]
    table.add_row("pool", *cells, "", "", _remark(*result.statuses["pool"]))
    console = output()
    console.print(table)
    console.print(f"residual {result.residual:.1e}, quadrature error {result.quadrature_error:.1e}", highlight=False)


def _broken_cells(end: BrokenEnd) -> list[str]:
    """An end with one step of breaking: as a row of the table, and what to know about it."""
    cells = [known_digits(end.log_volume, end.error), known_digits(-end.log_volume / LN2, end.error / LN2)]
    point = end.point
    if point is None:
        return [*cells, *[MISSING] * 4, _broken_status(end)]
    worst = max(point.stability, point.cluster_stability)
    overlaps = [
        known_digits(point.accuracy, point.quadrature_error, 4),
        known_digits(point.m, point.quadrature_error, 4),
    ]
    return [*cells, *overlaps, general(point.beta, 5), general(worst, 4), _broken_status(end)]


def _broken_status(end: BrokenEnd) -> str:
    """How an end with one step is known, its breaking point, and whether one step is enough."""
    text = str(end.status.value)
    if end.bracket is not None:
        text += f" within {end.bracket[1] - end.bracket[0]:.0e}"
    if end.status.value == "symmetric":
        return f"{text}: replica symmetry holds up to the end"
    if end.reason:
        text += f": {end.reason}"
    if end.point is not None:
        text += f", x = {end.point.breaking_point:.3f}"
    if end.path and max(end.path[-1].stability, end.path[-1].cluster_stability) > 1.0:
        text += ", one step only"
    if end.log_volume == end.log_volume and not end.resolved:
        text += ", no difference resolved"
    return text


def _remark(status: EndStatus, reason: str) -> str:
    """What to know of a random subset or of the pool: nothing where it is solved."""
    return f"{status.value}: {reason}" if reason else ""


def _status(end: End) -> str:
    text = str(end.status.value)
    if end.bracket is not None:
        text += f" within {end.bracket[1] - end.bracket[0]:.0e}"
    if end.status.value in {"unresolved", "imprecise"}:
        text += f": {end.reason}"
    if end.found is None and end.point is not None:
        text += f"; reached ln v = {end.reached:.6g}"
    if end.stability > 1.0:
        text += ", replica-symmetric only"
    return text


def _volume(point: Point | None) -> str:
    return MISSING if point is None else known_digits(point.log_volume, point.quadrature_error)


def _accuracy(point: Point | None) -> str:
    return MISSING if point is None else known_digits(point.accuracy, point.accuracy_error, 4)


def _print_many(results: list[Bounds], model: str) -> None:
    table = Table(title=f"alpha = {results[0].pool_ratio:g}{model} (ln v per weight)", title_justify="left")
    columns = ["budget", "minimum", "typical", "maximum", "halving", "accuracy minimum", "accuracy typical"]
    columns += ["stability", "status"]
    if results[0].broken:
        columns[4:4] = ["minimum 1RSB", "maximum 1RSB"]
    for column in columns:
        table.add_column(column, justify="left" if column == "status" else "right")
    for result in results:
        low, high, broken = result.minimum, result.maximum, result.broken.values()
        table.add_row(
            general(result.budget),
            _volume(low.found),
            _volume(result.typical),
            _volume(high.found),
            *(known_digits(end.log_volume, end.error) for end in broken),
            known_digits(result.halving, result.pool.quadrature_error),
            _accuracy(low.found),
            _accuracy(result.typical),
            " / ".join(general(end.stability, 3) for end in (low, high)),
            " / ".join([low.status.value, high.status.value, *(end.status.value for end in broken)]),
        )
    console = output()
    console.print(table)
    whole = results[0].pool
    worst = max(result.residual for result in results), max(result.quadrature_error for result in results)
    console.print(
        f"pool ln v = {known_digits(whole.log_volume, whole.quadrature_error)}; worst residual {worst[0]:.1e}, "
        f"worst quadrature error {worst[1]:.1e}",
        highlight=False,
    )
