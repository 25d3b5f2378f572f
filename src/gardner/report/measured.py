"""Charts of what was measured, on what theory says: sampled subsets, mixtures of samples, batch
sizes.
"""

from __future__ import annotations

import altair as alt
import pandas as pd

from gardner.report.style import (
    GREY,
    PALETTE,
    VOLUME,
    AnyChart,
    by_budget,
    colours,
    error_bars,
    faded,
    layered,
    legend_toggle,
    texts_with_error,
    volume_axis,
)

_THEORY, _MEASURED = "theory", "measured"
_COMPLEXITY, _OVERLAP, _GAP = "complexity Σ", "overlap m of teacher and student", "ln v − halving bound"


def sampling_chart(curve: pd.DataFrame, dots: pd.DataFrame, title: str) -> AnyChart:
    """Complexity counted from sampled subsets (dots, error bars) on the theory's curve.

    ``curve``: rows (budget, log_volume, complexity). ``dots``: rows (budget, features, log_volume,
    complexity, complexity_low, complexity_high).
    """
    shown = legend_toggle("budget", sorted(set(curve["budget"]) | set(dots["budget"])))
    y = alt.Y("complexity:Q", title=_COMPLEXITY, scale=alt.Scale(domainMin=0))
    budget = alt.Tooltip("budget:Q", title="budget n")
    volume = alt.Tooltip("log_volume:Q", title="ln v", format=".4f")
    features = alt.Tooltip("features:O", title="features N")
    counted = {"complexity": "Σ (counted)", "complexity_low": "at least", "complexity_high": "at most"}
    numbers = [alt.Tooltip(f"{field}:Q", title=name, format=".4f") for field, name in counted.items()]
    channels = {"color": by_budget(), "opacity": faded(shown)}
    line = (
        alt.Chart(curve[["budget", "log_volume", "complexity"]].sort_values(["budget", "log_volume"]))
        .mark_line(strokeWidth=1.8)
        .encode(
            x=volume_axis(),
            y=y,
            tooltip=[budget, volume, alt.Tooltip("complexity:Q", title="Σ (theory)", format=".4f")],
            **channels,
        )
    )
    measured = alt.Chart(dots)
    low = alt.Y("complexity_low:Q", title=_COMPLEXITY)
    bars = measured.mark_rule(strokeWidth=1.4, clip=True).encode(
        x=volume_axis(), y=low, y2="complexity_high:Q", **channels
    )
    legend = alt.Legend(symbolFillColor=GREY, symbolStrokeColor=GREY)
    points = measured.mark_point(filled=True, size=45).encode(
        x=volume_axis(),
        y=y,
        shape=alt.Shape("features:N", title="features N", legend=legend),
        tooltip=[budget, features, volume, *numbers],
        **channels,
    )
    return layered(line, bars, points, title=title).add_params(shown)


def ensemble_chart(lines: pd.DataFrame, points: pd.DataFrame, ends: pd.DataFrame, title: str) -> AnyChart:
    """Complexity of theories and of chains at several N (lines), of limits and of draws (dots), and
    ends of searches.

    ``lines``: rows (series, log_volume, complexity). ``points``: the same with complexity_stderr.
    ``ends``: rows (series, log_volume), drawn as rules.
    """
    kinds = list(dict.fromkeys([*lines["series"], *points["series"], *ends["series"]]))
    named = colours(kinds)
    shown = legend_toggle("series", kinds)
    scale = alt.Scale(domain=kinds, range=[named[kind] for kind in kinds])
    legend = alt.Legend(title=None, symbolType="circle", symbolOpacity=1, labelLimit=260)
    channels = {"color": alt.Color("series:N", sort=None, scale=scale, legend=legend), "opacity": faded(shown)}
    x, y = volume_axis(), alt.Y("complexity:Q", title=_COMPLEXITY, scale=alt.Scale(domainMin=0))
    tooltip = [
        alt.Tooltip("series:N", title="what"),
        alt.Tooltip("log_volume:Q", title="ln v", format=".4f"),
        alt.Tooltip("complexity:Q", title="Σ", format=".4f"),
    ]
    line = (
        alt.Chart(lines[["series", "log_volume", "complexity"]].sort_values(["series", "log_volume"]))
        .mark_line(strokeWidth=1.8, clip=True)
        .encode(x=x, y=y, tooltip=tooltip, **channels)
    )
    measured = alt.Chart(points)
    bars = error_bars(measured, alt.Y("low:Q", title=_COMPLEXITY), "complexity", x=x, **channels)
    dots = measured.mark_point(filled=True, size=40, clip=True).encode(x=x, y=y, tooltip=tooltip, **channels)
    rules = alt.Chart(ends).mark_rule(strokeWidth=1.8, strokeDash=[6, 3])
    found = rules.encode(x=x, tooltip=[tooltip[0], tooltip[1]], **channels)
    return layered(line, bars, dots, found, title=title).add_params(shown)


def mixture_chart(curve: pd.DataFrame, dots: pd.DataFrame, title: str) -> AnyChart:
    """Overlap m of what mixtures of samples reach (dots, one standard error) on the theory's curve.

    ``curve``: rows (log_volume, m). ``dots``: rows (strategy, log_volume, log_volume_stderr, m,
    m_stderr).
    """
    kinds = [_THEORY, _MEASURED]
    shown = legend_toggle("origin", kinds)
    scale = alt.Scale(domain=kinds, range=[GREY, PALETTE[1]])
    legend = alt.Legend(title=None, symbolType="circle", symbolOpacity=1)
    channels = {"color": alt.Color("origin:N", sort=None, scale=scale, legend=legend), "opacity": faded(shown)}
    x, y = volume_axis(), alt.Y("m:Q", title=_OVERLAP, scale=alt.Scale(zero=False))
    line = (
        alt.Chart(curve[["log_volume", "m"]].assign(origin=_THEORY).sort_values("log_volume"))
        .mark_line(strokeWidth=2)
        .encode(
            x=x,
            y=y,
            tooltip=[
                alt.Tooltip("log_volume:Q", title="ln v (theory)", format=".4f"),
                alt.Tooltip("m:Q", title="m (theory)", format=".4f"),
            ],
            **channels,
        )
    )
    texts = {"volume_text": texts_with_error(dots, "log_volume"), "m_text": texts_with_error(dots, "m")}
    measured = alt.Chart(dots.assign(origin=_MEASURED, **texts))
    points = measured.mark_point(filled=True, size=60).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("strategy:N"),
            alt.Tooltip("volume_text:N", title="ln v"),
            alt.Tooltip("m_text:N", title="overlap m"),
        ],
        **channels,
    )
    upright = error_bars(measured, alt.Y("low:Q", title=_OVERLAP), "m", x=x, **channels)
    level = error_bars(measured, alt.X("low:Q", title=VOLUME), "log_volume", y=y, **channels)
    return layered(line, upright, level, points, title=title).add_params(shown)


def batch_chart(frame: pd.DataFrame, title: str) -> AnyChart:
    """How far above halving a strategy stays, against its batch size k on a logarithmic axis; bars:
    one standard error.

    ``frame``: rows (batch_size, budget, log_volume, log_volume_stderr, halving).
    """
    data = frame.assign(gap=frame["log_volume"] - frame["halving"]).sort_values(["budget", "batch_size"])
    data = data.rename(columns={"log_volume_stderr": "gap_stderr"})
    data["gap_text"] = texts_with_error(data, "gap", 5)
    shown = legend_toggle("budget", sorted(data["budget"].unique()))
    x = alt.X(
        "batch_size:Q",
        title="batch size k (labels asked for at once)",
        scale=alt.Scale(type="log", nice=False, padding=14),
        axis=alt.Axis(
            values=sorted(float(size) for size in data["batch_size"].unique()), format="d", labelOverlap="greedy"
        ),
    )
    y = alt.Y("gap:Q", title=_GAP)
    channels = {"color": by_budget(), "opacity": faded(shown)}
    base = alt.Chart(data[["batch_size", "budget", "gap", "gap_stderr", "gap_text"]])
    zero = alt.Chart(alt.InlineData(values=[{"gap": 0}])).mark_rule(strokeDash=[2, 2], color=GREY).encode(y=y)
    line = base.mark_line(strokeWidth=2).encode(x=x, y=y, **channels)
    points = base.mark_point(filled=True, size=55).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("batch_size:Q", title="batch size k"),
            alt.Tooltip("budget:Q", title="budget n"),
            alt.Tooltip("gap_text:N", title="ln v − halving"),
        ],
        **channels,
    )
    bars = error_bars(base, alt.Y("low:Q", title=_GAP), "gap", x=x, **channels)
    return layered(zero, bars, line, points, title=title).add_params(shown)
