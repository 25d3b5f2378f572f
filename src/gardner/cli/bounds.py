"""``gardner bounds``: what any strategy can reach."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table

from gardner.cli.console import ALPHA, JSON, fixed, number, output, progress_bar, read_number, read_range, to_json

if TYPE_CHECKING:
    from gardner.theory import Bounds, Point

_LN2 = math.log(2.0)


def command(
    alpha: str = ALPHA,
    budget: list[str] = typer.Option(
        ..., "--budget", "-n", metavar="N", help="Labels per weight; repeatable, or a range such as 0.1:3:0.1."
    ),
    json: bool = JSON,
) -> None:
    """Smallest, typical and largest Gardner volume of any subset of a pool.

    No strategy can leave the interval from min to max; a label-agnostic one (it sees a label only after asking for it)
    cannot go below "halving", one bit a label; random choice gives "typical". "stability" above 1 means that replica
    symmetry is broken there and the bound is the replica-symmetric approximation.

    Examples:

        gardner bounds --alpha 3 --budget 0.6

        gardner bounds --alpha 10 --budget 0.1:3:0.1 --json > bounds.json
    """
    ratio, budgets = read_number("alpha", alpha), read_range("budget", budget)
    from gardner.model import PERCEPTRON
    from gardner.theory import bounds_sweep, check_inputs, warm_up

    check_inputs(ratio, *budgets)
    warm_up()
    with progress_bar("bounds") as progress:
        results = bounds_sweep(PERCEPTRON, ratio, budgets, progress)
    if json:
        records = [record(result) for result in results]
        typer.echo(to_json(records[0] if len(records) == 1 else records))
    elif len(results) == 1:
        _print_one(results[0])
    else:
        _print_many(results)


def record(result: Bounds) -> dict[str, Any]:
    """The JSON of one budget."""
    ends = {"min": result.minimum, "max": result.maximum}
    found = {name: None if end.status.value == "unresolved" else end.point for name, end in ends.items()}
    points = {"min": found["min"], "typical": result.typical, "max": found["max"]}
    return {
        "alpha": result.pool_ratio,
        "budget": result.budget,
        "log_volume": {
            **{name: _of(point, "log_volume") for name, point in points.items()},
            "halving": result.halving,
            "pool": result.pool.log_volume,
        },
        "information_bits": {
            name: None if point is None else -point.log_volume / _LN2 for name, point in points.items()
        },
        "accuracy": {
            **{name: _of(point, "accuracy") for name, point in points.items()},
            "pool": result.pool.accuracy,
        },
        "beta": {name: _of(point, "beta") for name, point in found.items()},
        "overlaps": {name: {key: _of(point, key) for key in ("m", "q", "Q", "r")} for name, point in points.items()},
        "stability": {name: _of(point, "stability") for name, point in found.items()},
        "inner_stability": {name: _of(point, "inner_stability") for name, point in found.items()},
        "complexity": {name: _of(point, "complexity") for name, point in points.items()},
        "status": {name: end.status.value for name, end in ends.items()},
        "bracket": {name: None if end.bracket is None else list(end.bracket) for name, end in ends.items()},
        "reached": {name: _of(end.point, "log_volume") for name, end in ends.items()},
        "reason": {name: end.reason or None for name, end in ends.items()},
        "residual": result.residual,
        "quadrature_error": result.quadrature_error,
    }


def _of(point: Point | None, key: str) -> Any:
    return None if point is None else getattr(point, key)


def _print_one(result: Bounds) -> None:
    table = Table(title=f"alpha = {result.pool_ratio:g}, budget = {result.budget:g}", title_justify="left")
    for column in ("", "ln v", "bits/weight", "accuracy", "m", "beta", "stability", "status"):
        table.add_column(column, justify="left" if column in {"", "status"} else "right")
    for name, point, status in (
        ("min", result.minimum.point, _status(result, "minimum")),
        ("typical", result.typical, ""),
        ("max", result.maximum.point, _status(result, "maximum")),
    ):
        if point is None:
            table.add_row(name, *["–"] * 6, status)
            continue
        cells = [fixed(point.log_volume), fixed(-point.log_volume / _LN2), fixed(point.accuracy), fixed(point.m)]
        table.add_row(name, *cells, number(point.beta), number(point.stability, 4), status)
    table.add_row("halving", fixed(result.halving), fixed(-result.halving / _LN2), *["–"] * 4, "label-agnostic bound")
    whole = result.pool
    table.add_row(
        "pool", fixed(whole.log_volume), fixed(-whole.log_volume / _LN2), fixed(whole.accuracy), fixed(whole.overlap)
    )
    console = output()
    console.print(table)
    console.print(f"residual {result.residual:.1e}, quadrature error {result.quadrature_error:.1e}", highlight=False)


def _status(result: Bounds, side: str) -> str:
    end = getattr(result, side)
    text = str(end.status.value)
    if end.bracket is not None:
        text += f" within {end.bracket[1] - end.bracket[0]:.0e}"
    if end.status.value == "unresolved":
        text += f": {end.reason}"
    if end.point is not None and end.point.stability > 1.0:
        text += ", replica-symmetric only"
    return text


def _print_many(results: list[Bounds]) -> None:
    table = Table(title=f"alpha = {results[0].pool_ratio:g} (ln v per weight)", title_justify="left")
    columns = ("budget", "min", "typical", "max", "halving", "accuracy min", "accuracy typical", "stability", "status")
    for column in columns:
        table.add_column(column, justify="left" if column == "status" else "right")
    for result in results:
        low, high = result.minimum, result.maximum
        table.add_row(
            number(result.budget),
            fixed(low.log_volume),
            fixed(result.typical.log_volume),
            fixed(high.log_volume),
            fixed(result.halving),
            fixed(None if low.point is None else low.point.accuracy, 4),
            fixed(result.typical.accuracy, 4),
            " / ".join(number(None if end.point is None else end.point.stability, 3) for end in (low, high)),
            " / ".join(end.status.value for end in (low, high)),
        )
    console = output()
    console.print(table)
    worst = max(result.residual for result in results), max(result.quadrature_error for result in results)
    console.print(
        f"pool ln v = {results[0].pool.log_volume:.6f}; worst residual {worst[0]:.1e}, "
        f"worst quadrature error {worst[1]:.1e}",
        highlight=False,
    )
