"""Charts of many strategies: a few in front and the others faint, and a small panel for each of
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from gardner.report.style import GREY, PALETTE

# Strategies up to which one picture shows all alike: as many colours as are told apart, and a
# legend that fits.
MOST = 12
# The best strategies that are in front of many.
_BEST = 5
# Names that are in front wherever they are: ours, and what all are compared with.
_ALWAYS = ("query", "agnostic", "random")
# Pixels from side to side and from top to bottom of a panel: as wide as the longest name of
# scikit-activeml.
_WIDTH, _HEIGHT = 150, 96
# Panels beside each other where nobody says how much room there is, as on paper; the page counts
# for itself.
_COLUMNS = 5
# A name of a library in two lines, its home above: nothing of it is cut.
_TWO_LINES = r"split(replace(datum.label, /^([A-Za-z_][\w.]*)\.(?=[A-Za-z_]\w*($|\(| ))/, '$1|'), '|')"
_WAYS = "Every strategy has a panel of its own below: its line on the range of all of them."


def in_front(scores: Mapping[str, float], always: Sequence[str] = ()) -> list[str]:
    """Of many names the best, those of ``always`` and our own; of few all. More is better.

    >>> in_front({"random": 0.1, "x": 0.9})
    ['random', 'x']
    >>> in_front({"random": 0.0} | {f"s{index:02d}": index / 20 for index in range(20)})
    ['random', 's15', 's16', 's17', 's18', 's19']
    """
    names = list(scores)
    if len(names) <= MOST:
        return names
    best = sorted(names, key=lambda name: -scores[name])[:_BEST]
    return [name for name in names if name in best or name in always or name.removesuffix(" *") in _ALWAYS]


def said(count: int) -> str:
    """For the text above such pictures; nothing where all strategies are in front."""
    if count <= MOST:
        return ""
    return (
        f" {count} strategies are too many for one picture: at first it shows the best {_BEST} at the end, "
        f"ours and random choice, and the others faintly. Tick others in the list below it. {_WAYS}"
    )


def toggled(chart: alt.LayerChart, paint: Mapping[str, str], *params: alt.Parameter) -> alt.LayerChart:
    """The chart with its switches; the page lists all names, in their colours."""
    return chart.properties(usermeta={"series": dict(paint)}).add_params(*params)


def panels(own: pd.DataFrame, bounds: pd.DataFrame | None, title: str, x: str, y: str) -> alt.FacetChart:
    """A small panel for each series, in the order of rows: its line and error on the range of all
    series.

    ``own``: rows (series, x, value, low, high); ``bounds``: rows (bound, x, value), dashed in every
    panel.
    """
    names = own["series"].drop_duplicates().tolist()
    span = own.groupby("x")["value"].agg(low="min", high="max").reset_index()
    parts = [own.assign(role="own", bound="", panel=own["series"])]
    for name in names:
        parts.append(span.assign(role="all", bound="", panel=name))
        if bounds is not None:
            parts.append(bounds.assign(role="bound", panel=name))
    data = pd.concat(parts, ignore_index=True)[["panel", "role", "bound", "x", "value", "low", "high"]]
    base = alt.Chart(data, width=_WIDTH, height=_HEIGHT)
    across = alt.X("x:Q", title=x, axis=alt.Axis(tickCount=4))
    low = alt.Y("low:Q", title=y, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=4))
    up = alt.Y("value:Q", title=y, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=4))
    tooltip = [
        alt.Tooltip("panel:N", title="strategy"),
        alt.Tooltip("x:Q", title=x),
        alt.Tooltip("value:Q", format=".4f"),
    ]
    layers = (
        _part(base, "all").mark_area(opacity=0.22, color=GREY).encode(x=across, y=low, y2="high:Q"),
        _part(base, "bound")
        .mark_line(color=GREY, strokeWidth=1, strokeDash=[3, 3])
        .encode(x=across, y=up, detail="bound:N"),
        _part(base, "own").mark_area(opacity=0.3, color=PALETTE[0]).encode(x=across, y=low, y2="high:Q"),
        _part(base, "own").mark_line(color=PALETTE[0], strokeWidth=2).encode(x=across, y=up, tooltip=tooltip),
    )
    header = alt.Header(title=None, labelFontSize=10, labelLimit=0, labelExpr=_TWO_LINES)
    facet = alt.Facet("panel:N", sort=names, header=header)
    chart: alt.FacetChart = alt.layer(*layers).facet(facet, columns=_COLUMNS, title=title, spacing=14)
    return chart


def _part(base: alt.Chart, role: str) -> alt.Chart:
    chart: alt.Chart = base.transform_filter(alt.datum.role == role)
    return chart
