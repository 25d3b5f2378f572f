"""``gardner budget``: how many labels does a goal cost?"""

from __future__ import annotations

import typer
from rich.table import Table

from gardner.cli.console import ALPHA, JSON, number, output, progress_bar, read_number, to_json


def command(
    alpha: str = ALPHA,
    log_volume: str | None = typer.Option(None, "--log-volume", metavar="X", help="Goal: ln v per weight, below 0."),
    accuracy: str | None = typer.Option(None, "--accuracy", metavar="X", help="Goal: accuracy between 0.5 and 1."),
    json: bool = JSON,
) -> None:
    """Smallest budget that reaches a volume or an accuracy.

    Three answers: for the best subset of the pool (all labels known beforehand), for a label-agnostic strategy (at
    most one bit a label), and for random choice. For an accuracy, the label-agnostic answer is read off the
    complexity curve at the agnostic volume bound; "agnostic floor" is the bound that holds for certain.

    Examples:

        gardner budget --alpha 3 --log-volume -1.3

        gardner budget --alpha 10 --accuracy 0.9 --json
    """
    ratio = read_number("alpha", alpha)
    volume = None if log_volume is None else read_number("log-volume", log_volume)
    goal = None if accuracy is None else read_number("accuracy", accuracy)
    from gardner.theory import budget_for, check_target, warm_up

    check_target(ratio, volume, goal)
    warm_up()
    with progress_bar("budget") as progress:
        answer = budget_for(pool_ratio=ratio, log_volume=volume, accuracy=goal, progress=progress)
    budgets = {
        "best": answer.best,
        "agnostic": answer.agnostic,
        "agnostic_floor": answer.agnostic_floor,
        "random": answer.random,
    }
    if json:
        target = {"log_volume": answer.log_volume, "accuracy": answer.accuracy}
        pool = {"log_volume": answer.pool.log_volume, "accuracy": answer.pool.accuracy}
        typer.echo(
            to_json(
                {
                    "alpha": answer.pool_ratio,
                    "target": {name: value for name, value in target.items() if value is not None},
                    "budget": budgets,
                    "pool": pool,
                    "notes": list(answer.notes),
                }
            )
        )
        return
    goal_text = f"ln v = {answer.log_volume:g}" if answer.log_volume is not None else f"accuracy = {answer.accuracy:g}"
    table = Table(title=f"labels per weight for {goal_text}, alpha = {answer.pool_ratio:g}", title_justify="left")
    table.add_column("choice")
    table.add_column("budget", justify="right")
    for name, value in budgets.items():
        table.add_row(name.replace("_", " "), number(value, 8))
    console = output()
    console.print(table)
    for note in answer.notes:
        console.print(note, highlight=False)
