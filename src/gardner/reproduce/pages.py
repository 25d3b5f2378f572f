"""Pages on disk: the HTML, a CSV a table, a file a figure, each written whole or not at all."""

from __future__ import annotations

import importlib.metadata
import platform
from pathlib import Path

from gardner import __version__
from gardner.errors import InvalidInputError
from gardner.records import check_writable, is_door, write_file
from gardner.report.figures import save
from gardner.report.page import Page, render

FORMATS = ("svg", "png", "pdf")
_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "altair")


def check_target(path: Path, figures: str | None) -> None:
    """A place for the page and a format figures can be written in, or none; asked before the work,
    not after.
    """
    if path.is_dir():
        raise InvalidInputError("page", str(path), "it is a folder", hint=f"such as {path / 'report.html'}")
    if figures is not None and figures not in FORMATS:
        raise InvalidInputError("figure format", figures, f"it must be one of {', '.join(FORMATS)}")
    if figures is not None and is_door(path):
        raise InvalidInputError("page", str(path), "there is no place for figures beside it", hint="name a file")
    check_writable(path)


def provenance(command: str) -> dict[str, str]:
    """What was run, and by which versions."""
    versions = {package: importlib.metadata.version(package) for package in _PACKAGES}
    return {"command": command, "gardner": __version__, "python": platform.python_version(), **versions}


def write_page(page: Page, path: Path, figures: str | None = None) -> None:
    """The page at ``path``; beside it ``tables/`` and, if a format is given, ``figures/``.

    A pipe or a device takes the page alone.
    """
    check_target(path, figures)
    for section in () if is_door(path) else page.sections:
        for name, table in {section.name: section.table, **section.tables}.items():
            write_file(path.parent / "tables" / f"{name}.csv", table.to_csv(index=False).encode())
        for index, figure in enumerate(section.figures if figures else ()):
            save(figure.chart, path.parent / "figures" / f"{section.name}-{index}.{figures}")
    write_file(path, render(page).encode())
