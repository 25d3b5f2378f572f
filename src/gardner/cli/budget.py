"""``gardner budget``: how many labels does a goal cost?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.table import Table

from gardner.cli.console import ALPHA, JSON, output, progress_bar, read_number, to_json
from gardner.numbers import significant

if TYPE_CHECKING:
    from gardner.theory import BudgetAnswer


def command(
    alpha: str = ALPHA,
    log_volume: str | None = typer.Option(None, "--log-volume", metavar="X", help="Goal: ln v per weight, below 0."),
    accuracy: str | None = typer.Option(None, "--accuracy", metavar="X", help="Goal: accuracy between 0.5 and 1."),
    json: bool = JSON,
) -> None:
    """Smallest budget that reaches a volume or an accuracy.

    Three answers: for the best subset of the pool (all labels known beforehand), for a
    label-agnostic strategy (at most one bit a label), and for random choice. For an accuracy, the
    label-agnostic answer is read off the complexity curve at the agnostic volume bound; "agnostic
    floor" is the bound that holds for certain.

    Examples:

        gardner budget --alpha 3 --log-volume -1.3

        gardner budget --alpha 10 --accuracy 0.9 --json
    """
    ratio = read_number("alpha", alpha)
    volume = None if log_volume is None else read_number("log-volume", log_volume)
    goal = None if accuracy is None else read_number("accuracy", accuracy)
    from gardner.theory import budget_for, check_target

    check_target(ratio, volume, goal)
    with progress_bar("budget") as progress:
        answer = budget_for(pool_ratio=ratio, log_volume=volume, accuracy=goal, progress=progress)
    if json:
        typer.echo(to_json(record(answer)))
    else:
        _print(answer)


def _budgets(answer: BudgetAnswer) -> dict[str, float | None]:
    return {
        "best": answer.best,
        "agnostic": answer.agnostic,
        "agnostic_floor": answer.agnostic_floor,
        "random": answer.random,
    }


def record(answer: BudgetAnswer) -> dict[str, object]:
    """The JSON of an answer; residual, quadrature error and stability are those of the best subset's end."""
    target = {"log_volume": answer.log_volume, "accuracy": answer.accuracy}
    point = answer.best_point
    return {
        "alpha": answer.pool_ratio,
        "target": {name: value for name, value in target.items() if value is not None},
        "budget": _budgets(answer),
        "budget_error": {name: answer.errors.get(name) for name in _budgets(answer)},
        "pool": {"log_volume": answer.pool.log_volume, "accuracy": answer.pool.accuracy},
        "stability": None if point is None else point.stability,
        "residual": answer.pool.residual if point is None else point.residual,
        "quadrature_error": answer.pool.quadrature_error if point is None else point.quadrature_error,
        "notes": list(answer.notes),
    }


def _print(answer: BudgetAnswer) -> None:
    goal = f"ln v = {answer.log_volume:g}" if answer.log_volume is not None else f"accuracy = {answer.accuracy:g}"
    table = Table()
    table.add_column("choice")
    table.add_column("labels per weight", justify="right")
    for name, value in _budgets(answer).items():
        error = answer.errors.get(name, 0.0) / value if value else 0.0
        table.add_row(name.replace("_", " "), significant(value, error, 8))
    console = output()
    console.print(f"{goal}, alpha = {answer.pool_ratio:g}", highlight=False)
    console.print(table)
    point = answer.best_point
    if point is not None:
        broken = ", replica-symmetric only" if point.stability > 1.0 else ""
        proof = f"residual {point.residual:.1e}, quadrature error {point.quadrature_error:.1e}"
        console.print(f"best: {proof}, stability {point.stability:.3f}{broken}", highlight=False)
    for note in answer.notes:
        console.print(note, highlight=False)
