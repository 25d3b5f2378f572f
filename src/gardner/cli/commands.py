"""The commands, and how they are called."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from gardner import __version__
from gardner.cli import (
    bench,
    bounds,
    budget,
    curve,
    explore,
    forecast,
    learning_curve,
    models,
    predict,
    query,
    report,
    reproduce,
    results,
    sample,
    strategies,
    volume,
)
from gardner.cli.environment import check_environment


class Passed(Exception):  # noqa: N818 - it only carries one
    """What a command raised, past typer, which would answer an exit, a closed pipe or the end of a
    file itself.
    """

    def __init__(self, error: BaseException) -> None:
        """Carry it."""
        super().__init__(error)
        self.error = error


class _Group(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """Call the command."""
        try:
            return super().invoke(ctx)
        except (EOFError, KeyboardInterrupt, OSError, SystemExit) as error:
            raise Passed(error) from error


app = typer.Typer(
    name="gardner",
    cls=_Group,
    epilog="Start with: gardner bounds --alpha 3 --budget 0.6",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("bench")(bench.command)
app.command("bounds")(bounds.command)
app.command("budget")(budget.command)
app.command("curve")(curve.command)
app.command("explore")(explore.command)
app.command("forecast")(forecast.command)
app.command("learning-curve")(learning_curve.command)
app.command("models")(models.command)
app.command("predict")(predict.command)
app.command("query")(query.command)
app.command("report")(report.command)
app.command("reproduce")(reproduce.command)
app.command("results")(results.command)
app.command("sample")(sample.command)
app.command("strategies")(strategies.command)
app.command("volume")(volume.command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gardner {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
    debug: bool = typer.Option(False, "--debug", help="Where something fails, say in which line; anywhere."),
) -> None:
    """How good can any pool-based active-learning strategy possibly be, and how close does yours
    get?

    All quantities are per weight (divided by N, the number of weights): the pool holds alpha N
    rows, the budget is n N labels, ln v is the natural logarithm of the Gardner volume v (the share
    of weight vectors the labels still allow).
    """
    del version, debug  # --debug is taken out before, to stand anywhere


def call(arguments: list[str]) -> int:
    """Parse and call; the exit code."""
    check_environment()
    try:
        code = app(arguments, prog_name="gardner", standalone_mode=False)
    except Passed as passed:
        raise passed.error from None
    return code if isinstance(code, int) else 0
