"""``gardner reproduce``: results of the paper, each with a verdict, on one page."""

from __future__ import annotations

from pathlib import Path

import typer

from gardner.cli.console import progress_bar


def command(
    names: list[str] = typer.Argument(None, metavar="NAME", help="Which results; all of them by default."),
    out: Path = typer.Option(Path("out"), "--out", "-o", metavar="FOLDER", help="Where the page and tables go."),
    listing: bool = typer.Option(False, "--list", help="List the names and stop."),
    figures: str | None = typer.Option(
        None, "--figures", metavar="FORMAT", help="Also write every figure as svg, png or pdf."
    ),
) -> None:
    """Compute results of the paper and write them, with verdicts, to one self-contained page.

    The page (report.html) opens without a network; beside it every table is written as CSV.

    Examples:

        gardner reproduce

        gardner reproduce complexity scaling --out results --figures pdf
    """
    from gardner.reproduce import RECIPES, reproduce

    if listing:
        for name, recipe in RECIPES.items():
            typer.echo(f"{name:14s} {recipe.title}")
        return
    with progress_bar("reproduce") as progress:
        results = reproduce(names or None, out, figures=figures, progress=progress)
    for result in results:
        for verdict in result.verdicts:
            typer.echo(f"[{'holds' if verdict.holds else 'fails'}] {result.name}: {verdict.text}")
    typer.echo(f"wrote {out / 'report.html'}")
