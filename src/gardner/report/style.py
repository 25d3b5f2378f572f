"""What all charts share: sizes, colours that read on white and on near-black, axes, legends that
toggle, the theme.
"""

from __future__ import annotations

import colorsys
import itertools
from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from gardner.numbers import with_error

AnyChart = alt.Chart | alt.LayerChart | alt.FacetChart

# Pixels from side to side of a chart; two stand beside each other on a page.
WIDTH = 520
# Pixels from top to bottom of a chart.
HEIGHT = 340
# The opacity of a line that the legend switched off: still there, and in nobody's way.
FADED = 0.08
# The step between hues, in turns, that fills a circle most evenly however many there are.
_GOLDEN = 0.6180339887
VOLUME = "ln v (log-volume per weight)"
GREY = "#868e99"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

# Strategies of the paper keep their colour from figure to figure; others take what is left, in
# order.
PALETTE = ("#3a86c8", "#e0702f", "#2a9d78", "#c2559d", "#8b6cd9", "#b58a17", "#d4505c", "#3aa3b5", "#7d9b3f", "#a9745b")
_KEPT = {
    "agnostic": "#3a86c8",
    "informed": "#e0702f",
    "swap": "#2a9d78",
    "random": "#c2559d",
    "logistic": "#b58a17",
    "perceptron": "#3aa3b5",
    "least-informative": "#8b6cd9",
}


def colours(names: Sequence[str]) -> dict[str, str]:
    """A colour for each strategy, no two the same: past the end of the palette come hues between
    those of before.

    >>> many = [f"strategy {index}" for index in range(60)]
    >>> len(set(colours(many).values()))
    60
    """
    chosen = {name: _KEPT[name] for name in names if name in _KEPT}
    others = [name for name in dict.fromkeys(names) if name not in chosen]
    every = itertools.chain(PALETTE, map(_further, itertools.count()))
    free = (colour for colour in every if colour not in chosen.values())
    return chosen | dict(zip(others, free, strict=False))


def _further(index: int) -> str:
    """A colour after those of the palette: hues in steps of the golden ratio, dark, middle and
    light in turn.
    """
    red, green, blue = colorsys.hls_to_rgb((0.05 + index * _GOLDEN) % 1.0, (0.42, 0.55, 0.66)[index % 3], 0.5)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def legend_toggle(field: str, values: Sequence[str] | Sequence[float]) -> alt.Parameter:
    """A selection holding all values at first; a click on an entry of the legend takes it out or
    puts it back.
    """
    start = [{field: value} for value in values]
    return alt.selection_point(name="shown", fields=[field], bind="legend", toggle="true", value=start, clear=False)


def faded(shown: alt.Parameter, full: float = 1.0) -> Any:
    """The opacity that shows what is chosen and fades the rest."""
    return alt.condition(shown, alt.value(full), alt.value(FADED * full))


def volume_axis() -> alt.X:
    """ln v along the bottom."""
    return alt.X("log_volume:Q", title=VOLUME, scale=alt.Scale(zero=False))


def budget_axis() -> alt.X:
    """n along the bottom."""
    return alt.X("budget:Q", title="budget n (labels per weight)")


def by_budget() -> alt.Color:
    """Budgets from violet to yellow, without the ends of the scheme that vanish on black or on
    white.
    """
    scheme = alt.SchemeParams(name="plasma", extent=[0.25, 0.82])
    return alt.Color("budget:O", title="budget n", scale=alt.Scale(scheme=scheme), legend=alt.Legend(symbolOpacity=1))


def typeset(number: str) -> str:
    """A number as a page shows it, with a true minus."""
    return number.replace("-", "−")


def texts_with_error(frame: pd.DataFrame, name: str, decimals: int = 4) -> list[str]:
    """Column ``name`` with its standard errors, as readers see it in a tooltip."""
    pairs = zip(frame[name], frame[f"{name}_stderr"], strict=True)
    return [typeset(with_error(value, error, decimals)) for value, error in pairs]


def error_bars(base: alt.Chart, low: alt.X | alt.Y, value: str, **channels: Any) -> alt.Chart:
    """Rules of one standard error either way along the axis of ``low``; none where there is no
    error.
    """
    axis, error = ("x" if isinstance(low, alt.X) else "y"), f"datum.{value}_stderr"
    chart: alt.Chart = (
        base.transform_filter(f"isValid({error})")
        .transform_calculate(low=f"datum.{value} - {error}", high=f"datum.{value} + {error}")
        .mark_rule(strokeWidth=1.4)
        .encode(**{axis: low, f"{axis}2": "high:Q"}, **channels)
    )
    return chart


def layered(*layers: alt.Chart, title: str, offset: int = 12) -> alt.LayerChart:
    """Layers of one picture."""
    return alt.LayerChart(layer=list(layers), title=alt.TitleParams(title, offset=offset), width=WIDTH, height=HEIGHT)


def theme(*, dark: bool) -> dict[str, object]:
    """The Vega-Lite configuration of a light or dark surrounding; papers get the light one."""
    ink, soft, grid = ("#dfe4ea", "#a3acb8", "#2b323c") if dark else ("#20262e", "#59636f", "#e6e9ed")
    return {
        "background": "transparent" if dark else "white",
        "font": FONT,
        "view": {"stroke": None},
        "title": {"color": ink, "anchor": "start", "fontSize": 14, "fontWeight": 600, "offset": 12},
        "axis": {
            "labelColor": soft,
            "titleColor": ink,
            "gridColor": grid,
            "domainColor": soft,
            "tickColor": soft,
            "labelFontSize": 11,
            "titleFontSize": 12,
            "titleFontWeight": 500,
            "titlePadding": 8,
        },
        "axisY": {"domain": False, "ticks": False, "labelPadding": 6},
        "axisX": {"grid": False, "labelSeparation": 6, "tickCount": {"expr": "ceil(width / 70)"}},
        "legend": {
            "labelColor": ink,
            "titleColor": soft,
            "labelFontSize": 12,
            "titleFontSize": 11,
            "titleFontWeight": 500,
            "labelLimit": 0,  # a name is never cut: two could end up as the same text
            "titleLimit": 280,
            "symbolLimit": 0,  # Vega would list thirty entries and drop the rest, the bounds first
            "symbolStrokeWidth": 2,
        },
        "style": {"guide-title": {"fill": ink, "fontWeight": 500}, "guide-label": {"fill": soft}},
        "rule": {"color": soft},
        "text": {"color": ink},
    }
