"""The explorer as one page: the grid, the code that interpolates in it, and nothing from elsewhere."""

from __future__ import annotations

import base64
import json
from importlib import resources

import jinja2
from markupsafe import Markup

from gardner.report.embed import policy, script
from gardner.report.explorer.axes import AXES
from gardner.report.explorer.packing import header_of

# The scripts in the order in which they need each other; the page has them as one.
_SCRIPTS = ("interpolate.js", "learning.js", "draw.js", "explorer.js")
# Names and titles of the commands below the charts.
_COMMANDS = (
    ("bounds", "volumes, accuracies"),
    ("curve", "complexity"),
    ("learning", "rules"),
    ("goal", "labels needed"),
)


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _errors() -> object:
    """What ``benchmarks/explorer_errors.py`` found for this grid; None before it ran."""
    place = resources.files(__package__).joinpath("errors.json")
    return json.loads(place.read_text("utf-8")) if place.is_file() else None


def explorer_page() -> str:
    """The page as HTML.

    >>> page = explorer_page()
    >>> "https:" in page, "unsafe-eval" in page
    (False, False)
    """
    grid = resources.files(__package__).joinpath("grid.bin").read_bytes()
    code = script("\n".join(map(_text, _SCRIPTS)))
    names = header_of(grid)
    missing = [name for name in AXES if name not in names]
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_text("explorer.html.j2")).render(
        policy=policy([code], evaluates=False),
        sheet=Markup(_text("explorer.css")),  # noqa: S704 — our own file
        grid=base64.b64encode(grid).decode(),
        code=code,
        commands=_COMMANDS,
        errors=_errors(),
        channels=", ".join(names),
        missing=f"Not in it: {', '.join(missing)}. " if missing else "",
    )
