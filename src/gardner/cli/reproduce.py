"""``gardner reproduce``: every result of the paper, each with a verdict, on one page."""

from __future__ import annotations

from pathlib import Path

import typer

from gardner.cli.arguments import as_options
from gardner.cli.console import progress_bar
from gardner.cli.interrupt import hint_on_interrupt
from gardner.errors import InvalidInputError


def command(
    names: list[str] = typer.Argument(None, metavar="NAME", help="Which results; all of them by default."),
    out: Path = typer.Option(Path("out"), "--out", "-o", metavar="FOLDER", help="Where the page, tables and runs go."),
    quick: bool = typer.Option(False, "--quick", help="Smaller N and fewer seeds, minutes in all; the default."),
    full: bool = typer.Option(False, "--full", help="The paper's own sizes: hours on two cores."),
    listing: bool = typer.Option(False, "--list", help="List the names and stop."),
    figures: str | None = typer.Option(
        None, "--figures", metavar="FORMAT", help="Also write every figure as svg, png or pdf."
    ),
    workers: int = typer.Option(None, "--workers", "-w", help="Processes on this machine; by default one a core."),
    scheduler: str = typer.Option(None, "--scheduler", metavar="ADDRESS", help="A Dask scheduler, tcp://HOST:PORT."),
    retry_failed: bool = typer.Option(False, "--retry-failed", help="Run again what is there as failed."),
    time_limit: float = typer.Option(None, "--time-limit", help="Seconds a run may take.  [default: 3600]"),
    device: str = typer.Option("cpu", "--device", help="cpu, cuda or auto: runs that a GPU can take are made there."),
) -> None:
    """Compute the results of the paper and write them, with verdicts, to one self-contained page.

    The page (report.html) opens without a network; beside it every table is written as CSV. Runs
    are kept in the same folder as they finish: stopped at any time, the same command goes on from
    there.

    Examples:

        gardner reproduce

        gardner reproduce complexity scaling --out results --figures pdf

        gardner reproduce bounds heuristics --full --scheduler tcp://head:8786
    """
    from gardner.records import printable
    from gardner.reproduce import FULL, QUICK, RECIPES, ReproductionError, reproduce_results

    if listing:
        for name, recipe in RECIPES.items():
            typer.echo(f"{name:17s} {recipe.title}")
        return
    if quick and full:
        raise InvalidInputError("--quick --full", "both", "give one of them")
    hint = f"what is finished is in {out}; the same command goes on from there"
    lost: ReproductionError | None = None
    with hint_on_interrupt(lambda: hint if (out / "results").is_dir() else ""), progress_bar("reproduce") as progress:
        try:
            results = reproduce_results(
                names or None, out, scale=FULL if full else QUICK, figures=figures, workers=workers,
                scheduler=scheduler, retry_failed=retry_failed, time_limit=time_limit, progress=progress, device=device,
            )  # fmt: skip
        except ReproductionError as error:
            lost, results = error, list(error.sections)
    for result in results:
        for verdict in result.verdicts:
            typer.echo(
                f"[{verdict.outcome.value}] {result.name}: {printable(as_options(verdict.text))}"
                f"{'' if verdict.seeds is None else f' (seeds: {verdict.seeds})'}"
            )
    typer.echo(f"wrote {out / 'report.html'}")
    if lost:
        typer.echo(f"error: not all results could be had: {printable(as_options(str(lost)))}", err=True)
        raise typer.Exit(1)
