"""The chart of strategies on a real table: accuracy or log-loss against the number of labels. No
bound is drawn.
"""

from __future__ import annotations

import altair as alt
import pandas as pd

from gardner.report.many import in_front, panels, toggled
from gardner.report.style import AnyChart, colours, faded, layered, legend_toggle, texts_with_error

# Strategies at most that have a band for their standard error: more would cover each other.
_MOST_BANDS = 8
_INFORMED = " *"
_WORDS = {"test_accuracy": "accuracy on held-out rows", "log_loss": "log-loss on held-out rows, in nats"}


def table_chart(curves: pd.DataFrame, title: str, *, quantity: str = "test_accuracy") -> AnyChart:
    """Means over seeds against labels; bands are one standard error.

    ``curves``: rows (strategy, informed, labels, seeds, and ``quantity`` with its standard error).
    """
    data = _rows(curves, quantity)
    names = data["series"].drop_duplicates().tolist()
    last = data.sort_values("labels").groupby("series")["value"].last()
    sign = 1.0 if quantity == "test_accuracy" else -1.0
    marked = [name for name in names if name.endswith(_INFORMED)]
    front = in_front({name: sign * float(last[name]) for name in names}, marked)
    paint = colours([*front, *names])
    shown = legend_toggle("series", front)
    scale = alt.Scale(domain=names, range=[paint[name] for name in names])
    legend = alt.Legend(symbolOpacity=1, values=front)
    color = alt.Color("series:N", title="strategy", sort=None, scale=scale, legend=legend)
    x, y = alt.X("labels:Q", title="labels"), alt.Y("value:Q", title=_WORDS[quantity], scale=alt.Scale(zero=False))
    base = alt.Chart(data)
    tooltip = [
        alt.Tooltip("series:N", title="strategy"), alt.Tooltip("labels:Q"),
        alt.Tooltip("text:N", title=_WORDS[quantity]), alt.Tooltip("seeds:Q"),
    ]  # fmt: skip
    lines = base.mark_line(strokeWidth=2, point=True).encode(
        x=x, y=y, color=color, opacity=faded(shown), tooltip=tooltip
    )
    band = base.mark_area().encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=color, opacity=faded(shown, 0.15))
    layers = [band, lines] if len(names) <= _MOST_BANDS else [lines]
    return toggled(layered(*layers, title=title), {name: paint[name] for name in names}, shown)


def table_panels(curves: pd.DataFrame, title: str, *, quantity: str = "test_accuracy") -> AnyChart:
    """The same, a small panel for each strategy."""
    data = _rows(curves, quantity).sort_values(["series", "labels"]).rename(columns={"labels": "x"})
    return panels(data, None, title, "labels", _WORDS[quantity].partition(" ")[0])


def _rows(curves: pd.DataFrame, quantity: str) -> pd.DataFrame:
    named = curves["strategy"].where(~curves["informed"].astype(bool), curves["strategy"] + _INFORMED)
    error = curves[f"{quantity}_stderr"].astype(float).fillna(0.0)
    value = curves[quantity].astype(float)
    return pd.DataFrame(
        {
            "series": named, "labels": curves["labels"].astype(int), "value": value, "low": value - error,
            "high": value + error, "seeds": curves["seeds"].astype(int), "text": texts_with_error(curves, quantity),
        }
    )  # fmt: skip
