"""The command line: parse, call, print. Imports are lazy, so ``gardner --help`` answers at once."""

from __future__ import annotations

import os
import sys

import typer

from gardner import __version__
from gardner.cli import bench, bounds, budget, curve, models, query, report, reproduce, results, strategies, volume
from gardner.errors import GardnerError

app = typer.Typer(
    name="gardner",
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
app.command("models")(models.command)
app.command("query")(query.command)
app.command("report")(report.command)
app.command("reproduce")(reproduce.command)
app.command("results")(results.command)
app.command("strategies")(strategies.command)
app.command("volume")(volume.command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"gardner {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """How good can any pool-based active-learning strategy possibly be, and how close does yours get?

    All quantities are per weight (divided by N, the number of weights): the pool holds alpha N rows, the budget is n N
    labels, ln v is the natural logarithm of the Gardner volume v (the share of weight vectors the labels still allow).
    """
    del version


def main() -> None:
    """Run the command line; an error of the Gardner family is one line on stderr and exit code 2."""
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except GardnerError as error:
        _fail(str(error))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains again at exit
        sys.exit(0)
    except OSError as error:
        _fail(
            f"{error.strerror or error}: {error.filename or 'output'}; check that the place exists and can be written"
        )
    except (typer.Abort, KeyboardInterrupt):
        typer.echo("interrupted", err=True)
        sys.exit(130)
    except Exception as error:
        # usage errors of the command-line parser, whose class typer does not export (it carries its own copy of click)
        if not hasattr(error, "format_message"):
            raise
        _fail(error.format_message())
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    if message:  # the parser has nothing to add where it printed the help
        typer.echo("error: " + " ".join(message.split()), err=True)
    sys.exit(2)
