"""Charts of learning curves: lines that were computed, dots that were measured, on straight or
logarithmic axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from gardner.report.style import PALETTE, AnyChart, error_bars, faded, layered, legend_toggle


@dataclass(frozen=True)
class Axis:
    """A column, its title, and whether it is drawn by its logarithm."""

    field: str
    title: str
    logarithmic: bool = False

    @property
    def scale(self) -> alt.Scale:
        """As the axis says; a straight one need not begin at zero."""
        return alt.Scale(type="log") if self.logarithmic else alt.Scale(zero=False)

    def drawable(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The rows that have a place on this axis."""
        return frame[frame[self.field] > 0.0] if self.logarithmic and len(frame) else frame


def curves_chart(lines: pd.DataFrame, dots: pd.DataFrame, x: Axis, y: Axis, title: str) -> AnyChart:
    """Theory as lines, runs as dots with bars of one standard error.

    ``lines``: rows (series, and the columns of both axes). ``dots``: rows (series, the column of x,
    that of y and its ``_stderr``); it may be empty. What has no logarithm is not drawn on such an
    axis.
    """
    names = lines["series"].drop_duplicates().tolist()
    hues = [PALETTE[index % len(PALETTE)] for index in range(len(names))]
    shown = legend_toggle("series", names)
    legend = alt.Legend(title=None, symbolType="stroke", symbolSize=500, symbolOpacity=1)
    colour = alt.Color("series:N", sort=None, scale=alt.Scale(domain=names, range=hues), legend=legend)
    channels: dict[str, Any] = {"color": colour, "opacity": faded(shown)}
    across = alt.X(f"{x.field}:Q", title=x.title, scale=x.scale)
    upright = alt.Y(f"{y.field}:Q", title=y.title, scale=y.scale)
    tooltip = [
        alt.Tooltip("series:N", title=" "),
        alt.Tooltip(f"{x.field}:Q", title=x.title, format=".4~g"),
        alt.Tooltip(f"{y.field}:Q", title=y.title, format=".5~g"),
    ]
    lines, dots = (x.drawable(y.drawable(frame)) for frame in (lines, dots))
    computed = alt.Chart(lines[["series", x.field, y.field]])
    line = computed.mark_line(strokeWidth=2).encode(x=across, y=upright, tooltip=tooltip, **channels)
    if not len(dots):
        return layered(line, title=title).add_params(shown)
    measured = alt.Chart(dots[["series", x.field, y.field, f"{y.field}_stderr"]])
    bars = error_bars(measured, alt.Y("low:Q", title=y.title, scale=y.scale), y.field, x=across, **channels)
    points = measured.mark_point(filled=True, size=45).encode(x=across, y=upright, tooltip=tooltip, **channels)
    return layered(line, bars, points, title=title).add_params(shown)
