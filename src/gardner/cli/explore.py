"""``gardner explore``: sliders instead of commands."""

from __future__ import annotations

from pathlib import Path

import typer


def command(
    out: Path = typer.Option(Path("explorer.html"), "--out", "-o", metavar="FILE", help="The page to write."),
    no_open: bool = typer.Option(False, "--no-open", help="Only write the page; do not show it in a browser."),
) -> None:
    """Write one self-contained page with sliders for pool, budget, rounds and noise, and show it in
    a browser.

    It shows bounds, complexity and learning curves at once, interpolated in a grid that comes with
    Gardner, with the error of what is shown and the command that computes it exactly.

    Examples:

        gardner explore

        gardner explore --out explorer.html --no-open
    """
    from gardner.records import write_file
    from gardner.report.explorer.page import explorer_page

    write_file(out, explorer_page().encode())
    typer.echo(f"wrote {out}")
    if no_open:
        return
    import webbrowser

    if not webbrowser.open(out.resolve().as_uri()):
        typer.echo("note: no browser was found; open the file yourself", err=True)
