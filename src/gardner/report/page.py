"""Charts, verdicts and tables to one self-contained HTML page that opens without a network."""

from __future__ import annotations

import base64
import re
from importlib import resources

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup, escape
from scipy.stats import t as student

from gardner.numbers import is_missing
from gardner.report.cells import tabulate
from gardner.report.content import Board, Figure, Page, Pairs, Section, Verdict, VerdictKind
from gardner.report.embed import library, policy, script, script_json
from gardner.report.figures import specification, still
from gardner.report.style import WIDTH, theme

__all__ = ["Board", "Figure", "Page", "Pairs", "Section", "Verdict", "VerdictKind", "render"]

# Names that Vega gives to parts of a picture; two pictures on a page must not share them.
_LOCAL = re.compile(r"\b(?:clip|gradient_)\d+\b")


# The minus of a number in running text.
_MINUS = re.compile(r"(?<![\w.-])-(?=\d)")


def _minus(text: str) -> str:
    """A sentence with true minus signs.

    >>> _minus("ln v = -0.5 at N-1")
    'ln v = −0.5 at N-1'
    """
    return _MINUS.sub("−", text)


def _breakable(text: str) -> Markup:
    """A name that may go to the next line before its parameters.

    >>> str(_breakable("committee(members=3)"))
    'committee<wbr>(members=3)'
    """
    return escape(text).replace("(", Markup("<wbr>("))


def _data_link(frame: pd.DataFrame) -> str:
    return "data:text/csv;charset=utf-8;base64," + base64.b64encode(frame.to_csv(index=False).encode()).decode()


def _pairs_json(pairs: Pairs) -> Markup:
    """Runs by strategy and seed, and the quantiles of Student's t for two seeds and more."""
    runs: dict[str, dict[str, list[float | None]]] = {}
    for row in pairs.values.to_dict("records"):
        values = [None if is_missing(row[name]) else round(float(row[name]), 6) for name in pairs.measures]
        runs.setdefault(str(row["strategy"]), {})[str(row["seed"])] = values
    quantiles = np.round(student.ppf(0.975, np.arange(1, 101)), 4).tolist()
    return script_json({"measures": list(pairs.measures), "runs": runs, "quantiles": quantiles})


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _specs(page: Page) -> dict[str, dict[str, object]]:
    return {
        f"figure-{section.name}-{index}": {**specification(figure.chart), "description": figure.alternative}
        for section in page.sections
        for index, figure in enumerate(section.figures)
    }


_GROUPS = (
    ("Failures of this run", "failed", (VerdictKind.FAILURE,)),
    ("New: against what was said, or beyond it", "new", (VerdictKind.FINDING, VerdictKind.NEW)),
    ("This run is too small to tell", "could not be told", (VerdictKind.OPEN,)),
    ("Holds", "agree", (VerdictKind.HOLDS,)),
)


def _groups(page: Page) -> list[dict[str, object]]:
    """Every verdict once, with its section, by what became of it."""
    pairs = [(section, verdict) for section in page.sections for verdict in section.verdicts]
    return [
        {"title": title, "word": word, "found": [pair for pair in pairs if pair[1].outcome in outcomes]}
        for title, word, outcomes in _GROUPS
    ]


def _stills(specs: dict[str, dict[str, object]]) -> dict[str, Markup]:
    """Every chart as a picture without scripts: for print, and where none may run. Names in it are
    its own.
    """
    return {
        name: Markup(_LOCAL.sub(rf"still{index}-\g<0>", still(spec)))  # noqa: S704 — Vega escapes text
        for index, (name, spec) in enumerate(specs.items())
    }


def _count(failures: pd.DataFrame) -> int:
    """Runs: a row is one, or says how many it stands for."""
    return int(failures["runs"].sum()) if "runs" in failures else len(failures)


def render(page: Page) -> str:
    """The page as HTML; all text is escaped, the plotting library is inlined once."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["data_link"] = _data_link
    environment.filters["tabulate"] = tabulate
    environment.filters["typeset"] = _minus
    environment.filters["breakable"] = _breakable
    environment.filters["pairs_json"] = _pairs_json
    verdicts = [verdict for section in page.sections for verdict in section.verdicts]
    specs = _specs(page)
    scripts = [library(), script(_asset("page.js"))]
    themes = {"light": theme(dark=False), "dark": theme(dark=True)}
    return environment.from_string(_asset("page.html.j2")).render(
        page=page,
        groups=_groups(page),
        stills=_stills(specs),
        board=page.board and tabulate(page.board.rows),
        headline=None if page.headline is None else tabulate(page.headline),
        failures=None if page.failures is None or page.failures.empty else tabulate(page.failures),
        failed=0 if page.failures is None else _count(page.failures),
        held=sum(verdict.holds for verdict in verdicts),
        claimed=len(verdicts),
        sheet=Markup(_asset("page.css")),  # noqa: S704 — our own file
        specs=script_json({"specs": specs, "themes": themes, "width": WIDTH}),
        scripts=scripts,
        policy=policy(scripts),
    )
