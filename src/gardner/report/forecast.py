"""The chart of a forecast: accuracy against the number of labels, with intervals."""

from __future__ import annotations

import altair as alt
import pandas as pd

from gardner.report.style import GREY, AnyChart, colours, faded, layered, legend_toggle

_NAMES = {"random": "random", "agnostic": "agnostic", "best": "best subset"}


def forecast_chart(frame: pd.DataFrame, accuracy: float, title: str) -> AnyChart:
    """Bands are intervals, the dotted line is the accuracy wanted.

    ``frame``: rows (labels, random, random_low, random_high, agnostic, agnostic_low, agnostic_high,
    best).
    """
    data = _long(frame)
    names = data["choice"].drop_duplicates().tolist()
    shown = legend_toggle("choice", names)
    hues = colours([name for name in names if name != _NAMES["best"]])
    dashes = [[7.0, 3.0] if name == _NAMES["best"] else [1.0, 0.0] for name in names]
    legend = alt.Legend(title=None, symbolType="stroke", symbolSize=600)
    color = alt.Color(
        "choice:N",
        sort=None,
        scale=alt.Scale(domain=names, range=[hues.get(name, GREY) for name in names]),
        legend=legend,
    )
    dash = alt.StrokeDash("choice:N", sort=None, scale=alt.Scale(domain=names, range=dashes), legend=legend)
    base = alt.Chart(data).encode(x=alt.X("labels:Q", title="labels"), color=color)
    band = (
        base.transform_filter("isValid(datum.low)")
        .mark_area(strokeWidth=0)
        .encode(
            y=alt.Y("low:Q", title="accuracy on new rows", scale=alt.Scale(zero=False)),
            y2="high:Q",
            fillOpacity=faded(shown, full=0.15),
        )
    )
    tooltip = [
        alt.Tooltip("choice:N", title="choice"),
        alt.Tooltip("labels:Q", format=".0f"),
        alt.Tooltip("accuracy:Q", format=".3f"),
        alt.Tooltip("low:Q", format=".3f"),
        alt.Tooltip("high:Q", format=".3f"),
    ]
    line = base.mark_line(strokeWidth=2).encode(y="accuracy:Q", strokeDash=dash, opacity=faded(shown), tooltip=tooltip)
    wanted = alt.Chart(pd.DataFrame({"accuracy": [accuracy]})).mark_rule(strokeDash=[1, 4]).encode(y="accuracy:Q")
    return layered(band, line, wanted, title=title).add_params(shown)


def _long(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a point of a curve; points that are not known are left out."""
    parts = []
    for column, name in _NAMES.items():
        part = pd.DataFrame({"labels": frame["labels"].astype(float), "choice": name, "accuracy": frame[column]})
        for end in ("low", "high"):
            part[end] = frame[f"{column}_{end}"] if f"{column}_{end}" in frame else float("nan")
        parts.append(part[part["accuracy"].notna()])
    return pd.concat([part for part in parts if len(part)], ignore_index=True)
