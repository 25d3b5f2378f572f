"""Charts, verdicts and tables to one self-contained HTML page that opens without a network."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import altair as alt
import jinja2
import pandas as pd
import vl_convert
from markupsafe import Markup

from gardner.report.figures import VEGA_LITE


@dataclass(frozen=True)
class Verdict:
    """A statement computed from the data, and whether it holds."""

    holds: bool
    text: str


@dataclass(frozen=True)
class Figure:
    """A chart with the words for those who cannot see it."""

    chart: alt.Chart
    alternative: str


@dataclass(frozen=True)
class Section:
    """One result: figures, verdicts, the table behind them and how it was made."""

    name: str
    title: str
    text: str
    figures: tuple[Figure, ...]
    verdicts: tuple[Verdict, ...]
    table: pd.DataFrame
    provenance: str


@dataclass(frozen=True)
class Page:
    """The whole report."""

    title: str
    lead: str
    headline: pd.DataFrame
    headline_caption: str
    sections: tuple[Section, ...]
    provenance: dict[str, str] = field(default_factory=dict)


_EXPORT = "window.vegaEmbed = vegaEmbed;"


def _script_json(value: Any) -> Markup:
    """JSON that is safe inside a <script> element, whatever strings it holds."""
    text = json.dumps(value, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 — every character that could leave the element is escaped above


def _data_link(frame: pd.DataFrame) -> str:
    return "data:text/csv;base64," + base64.b64encode(frame.to_csv(index=False).encode()).decode()


def render(page: Page) -> str:
    """The page as HTML; all text is escaped, the plotting library is inlined once."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.filters["data_link"] = _data_link
    environment.filters["cell"] = lambda value: f"{value:.6g}" if isinstance(value, float) else str(value)
    template = environment.from_string(resources.files(__package__).joinpath("page.html.j2").read_text("utf-8"))
    specs = {
        f"{section.name}-{index}": figure.chart.to_dict()
        for section in page.sections
        for index, figure in enumerate(section.figures)
    }
    library = vl_convert.javascript_bundle(_EXPORT, VEGA_LITE).replace("</script", "<\\/script")
    return template.render(page=page, specs=_script_json(specs), library=Markup(library))  # noqa: S704 — own bundle
