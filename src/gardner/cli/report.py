"""``gardner report``: a page of anybody's results."""

from __future__ import annotations

from pathlib import Path

import typer

from gardner.cli.console import progress_bar, read_range


def command(
    folder: Path = typer.Argument(..., metavar="FOLDER", help="Where `gardner bench` wrote."),
    out: Path = typer.Option(Path("report.html"), "--out", "-o", metavar="FILE", help="The page to write."),
    at: list[str] = typer.Option(
        None, "--at", metavar="N", help="Budgets on the curves; repeatable, or a range such as 0.1:2:0.1."
    ),
    figures: str | None = typer.Option(
        None, "--figures", metavar="FORMAT", help="Also write every figure as svg, png or pdf, in figures/ beside it."
    ),
) -> None:
    """Write results of `gardner bench` to one self-contained page: leaderboard, charts next to the
    bounds, tables.

    Examples:

        gardner report results/ -o page.html

        gardner report results/ -o paper/page.html --at 0.1:2:0.1 --figures pdf
    """
    from gardner.records import printable
    from gardner.reproduce import report_results

    with progress_bar("report") as progress:
        page = report_results(folder, out, read_range("at", at or []), figures=figures, progress=progress)
    if page.notice:
        typer.echo(f"note: {printable(page.notice)}", err=True)
    typer.echo(f"wrote {out}")
