"""The chart of strategies on a real table: accuracy or log-loss against the number of labels. No bound is drawn."""

from __future__ import annotations

import altair as alt
import pandas as pd

from gardner.report.style import AnyChart, colours, faded, layered, legend_toggle, texts_with_error

# Strategies at most that have a band for their standard error: more would cover each other.
_MOST_BANDS = 8


def table_chart(curves: pd.DataFrame, title: str, *, quantity: str = "test_accuracy") -> AnyChart:
    """Means over seeds against labels; bands are one standard error.

    ``curves``: rows (strategy, informed, labels, seeds, and ``quantity`` with its standard error).
    """
    words = {"test_accuracy": "accuracy on held-out rows", "log_loss": "log-loss on held-out rows, in nats"}
    named = curves["strategy"].where(~curves["informed"].astype(bool), curves["strategy"] + " *")
    error = curves[f"{quantity}_stderr"].astype(float).fillna(0.0)
    value = curves[quantity].astype(float)
    data = pd.DataFrame(
        {
            "series": named, "labels": curves["labels"].astype(int), "value": value, "low": value - error,
            "high": value + error, "seeds": curves["seeds"].astype(int), "text": texts_with_error(curves, quantity),
        }
    )  # fmt: skip
    names = data["series"].drop_duplicates().tolist()
    shown, paint = legend_toggle("series", names), colours(names)
    scale = alt.Scale(domain=names, range=[paint[name] for name in names])
    color = alt.Color("series:N", title="strategy", sort=None, scale=scale, legend=alt.Legend(symbolOpacity=1))
    x, y = alt.X("labels:Q", title="labels"), alt.Y("value:Q", title=words[quantity], scale=alt.Scale(zero=False))
    base = alt.Chart(data)
    tooltip = [
        alt.Tooltip("series:N", title="strategy"), alt.Tooltip("labels:Q"),
        alt.Tooltip("text:N", title=words[quantity]), alt.Tooltip("seeds:Q"),
    ]  # fmt: skip
    lines = base.mark_line(strokeWidth=2, point=True).encode(
        x=x, y=y, color=color, opacity=faded(shown), tooltip=tooltip
    )
    band = base.mark_area().encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=color, opacity=faded(shown, 0.15))
    layers = [band, lines] if len(names) <= _MOST_BANDS else [lines]
    return layered(*layers, title=title).add_params(shown)
