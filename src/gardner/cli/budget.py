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
    batch_ratio: str = typer.Option(
        "0",
        "--batch-ratio",
        "-k",
        metavar="K",
        help="Labels per weight in a round of the agnostic choice; 0 is the limit of small rounds.",
    ),
    json: bool = JSON,
) -> None:
    """Smallest budget that reaches a volume or an accuracy.

    Three answers: for the best subset of the pool (all labels known beforehand), for the best
    label-agnostic rule that is known (least certain rows first, by its exact learning curve), and
    for random choice. "agnostic floor" is what every label-agnostic strategy needs: a label tells
    at most one bit. --batch-ratio says what it costs to ask for many labels at once.

    Examples:

        gardner budget --alpha 3 --log-volume -1.3

        gardner budget --alpha 10 --accuracy 0.9 --json

        gardner budget --alpha 100 --accuracy 0.95 --batch-ratio 0.5
    """
    ratio = read_number("alpha", alpha)
    volume = None if log_volume is None else read_number("log-volume", log_volume)
    goal = None if accuracy is None else read_number("accuracy", accuracy)
    rounds = read_number("batch-ratio", batch_ratio)
    from gardner.theory import budget_for, check_target

    check_target(ratio, volume, goal)
    with progress_bar("budget") as progress:
        answer = budget_for(pool_ratio=ratio, log_volume=volume, accuracy=goal, batch_ratio=rounds, progress=progress)
    if json:
        typer.echo(to_json(answer.to_json()))
    else:
        _print(answer)


def _print(answer: BudgetAnswer) -> None:
    goal = f"ln v = {answer.log_volume:g}" if answer.log_volume is not None else f"accuracy = {answer.accuracy:g}"
    table = Table()
    table.add_column("choice")
    table.add_column("labels per weight", justify="right")
    for name, value in answer.budgets.items():
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
    if answer.agnostic_status is not None:
        rounds = f"rounds of {answer.batch_ratio:g}" if answer.batch_ratio else "small rounds"
        error = answer.errors["agnostic"]
        console.print(f"agnostic: {rounds}, error {error:.1e}, {answer.agnostic_status.value}", highlight=False)
    for note in answer.notes:
        console.print(note, highlight=False)
