"""Charts, verdicts and tables to one self-contained HTML page that opens without a network."""

from __future__ import annotations

import base64
from importlib import resources

import jinja2
import pandas as pd
from markupsafe import Markup

from gardner.report.cells import tabulate
from gardner.report.content import Board, Figure, Page, Section, Verdict
from gardner.report.embed import library, policy, script, script_json
from gardner.report.figures import specification
from gardner.report.style import WIDTH, theme

__all__ = ["Board", "Figure", "Page", "Section", "Verdict", "render"]


def _data_link(frame: pd.DataFrame) -> str:
    return "data:text/csv;charset=utf-8;base64," + base64.b64encode(frame.to_csv(index=False).encode()).decode()


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _specs(page: Page) -> dict[str, object]:
    return {
        f"figure-{section.name}-{index}": {**specification(figure.chart), "description": figure.alternative}
        for section in page.sections
        for index, figure in enumerate(section.figures)
    }


def render(page: Page) -> str:
    """The page as HTML; all text is escaped, the plotting library is inlined once."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["data_link"] = _data_link
    environment.filters["tabulate"] = tabulate
    verdicts = [verdict for section in page.sections for verdict in section.verdicts]
    scripts = [library(), script(_asset("page.js"))]
    themes = {"light": theme(dark=False), "dark": theme(dark=True)}
    return environment.from_string(_asset("page.html.j2")).render(
        page=page,
        board=page.board and tabulate(page.board.rows),
        headline=None if page.headline is None else tabulate(page.headline),
        failures=None if page.failures is None or page.failures.empty else tabulate(page.failures),
        held=sum(verdict.holds for verdict in verdicts),
        claimed=len(verdicts),
        sheet=Markup(_asset("page.css")),  # noqa: S704 — our own file
        specs=script_json({"specs": _specs(page), "themes": themes, "width": WIDTH}),
        scripts=scripts,
        policy=policy(scripts),
    )
