"""Where an answer goes that is to be kept: a table or a figure, by the ending of its file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from gardner.cli.console import to_json
from gardner.errors import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd

TABLES = frozenset({".parquet", ".csv", ".json"})
FIGURES = frozenset({".svg", ".png", ".pdf", ".html"})
OUT = typer.Option(None, "--out", "-o", metavar="FILE", help="Write .parquet, .csv, .json, .svg, .png, .pdf or .html.")


def check_ending(path: Path | None, endings: frozenset[str] = TABLES | FIGURES) -> None:
    """Refuse a file of a kind that is not written here."""
    if path is not None and path.suffix.lower() not in endings:
        raise InvalidInputError("--out", str(path), f"the ending must be one of {', '.join(sorted(endings))}")


def check_place(path: Path | None) -> None:
    """Refuse a place that cannot be written, right before the work."""
    if path is not None:
        from gardner.records import check_writable

        check_writable(path)


def is_figure(path: Path | None) -> bool:
    """Whether a figure is wanted."""
    return path is not None and path.suffix.lower() in FIGURES


def write(
    path: Path, record: Callable[[], object], frame: Callable[[], pd.DataFrame], draw: Callable[[Path], None]
) -> None:
    """Write the record of an answer as JSON, its frame as CSV or Parquet, or a figure; then say
    where it is.
    """
    from gardner.records import write_file

    match path.suffix.lower():
        case ".json":
            write_file(path, (to_json(record()) + "\n").encode())
        case ".csv":
            write_file(path, frame().to_csv(index=False).encode())
        case ".parquet":
            write_file(path, frame().to_parquet(index=False))
        case _:
            draw(path)
    typer.echo(f"wrote {path}", err=True)
