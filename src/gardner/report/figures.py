"""Tidy frames to Altair charts: one definition serves the page (interactive) and papers (SVG, PNG,
PDF).
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import vl_convert

from gardner.errors import InvalidInputError
from gardner.records import write_file
from gardner.report.embed import VEGA_LITE, standalone
from gardner.report.measured import batch_chart, mixture_chart, sampling_chart
from gardner.report.strategies import learning_chart, strategies_chart
from gardner.report.style import (
    GREY,
    HEIGHT,
    PALETTE,
    VOLUME,
    WIDTH,
    AnyChart,
    budget_axis,
    by_budget,
    faded,
    layered,
    legend_toggle,
    theme,
    volume_axis,
)

__all__ = [
    "batch_chart",
    "complexity_chart",
    "learning_chart",
    "magnetization_chart",
    "mixture_chart",
    "pool_size_chart",
    "sampling_chart",
    "save",
    "scaling_chart",
    "specification",
    "still",
    "strategies_chart",
]

_STABLE, _UNSTABLE = "stable", "broken (approximate)"
_DASH = alt.Scale(domain=[_STABLE, _UNSTABLE], range=[[1, 0], [5, 3]])


def _spaced(low: float, high: float) -> alt.Scale:
    return alt.Scale(zero=False, nice=True, domain=[low, high]) if high > low else alt.Scale(zero=False)


def _segments(frame: pd.DataFrame) -> pd.DataFrame:
    """Cut each curve where replica symmetry breaks, so that a stretch has one dash; broken ones
    reach to their neighbours.
    """
    parts = []
    for (alpha, budget), curve in frame.groupby(["pool_ratio", "budget"], sort=True):
        ordered = curve.sort_values("log_volume").reset_index(drop=True)
        broken = ordered["stability"].to_numpy() > 1.0
        starts = np.flatnonzero(np.diff(broken.astype(int))) + 1
        edges = [0, *starts, len(ordered)]
        for index, (start, stop) in enumerate(itertools.pairwise(edges)):
            piece = ordered.iloc[max(start - 1, 0) : stop + 1] if broken[start] else ordered.iloc[start:stop]
            state = _UNSTABLE if broken[start] else _STABLE
            parts.append(piece.assign(symmetry=state, stretch=f"{alpha:g}/{budget:g}/{index}"))
    return pd.concat(parts, ignore_index=True)


def _curve_chart(frame: pd.DataFrame, y: str, label: str, title: str) -> alt.Chart:
    columns = ["log_volume", y, "pool_ratio", "budget", "beta", "accuracy", "stability", "symmetry", "stretch"]
    data = _segments(frame)[list(dict.fromkeys(columns))]
    shown = legend_toggle("budget", sorted(data["budget"].unique()))
    chart: alt.Chart = (
        alt.Chart(data, title=title, width=WIDTH, height=HEIGHT)
        .mark_line(strokeWidth=2)
        .encode(
            x=volume_axis(),
            y=alt.Y(f"{y}:Q", title=label, scale=alt.Scale(domainMin=0)),
            color=by_budget(),
            strokeDash=alt.StrokeDash(
                "symmetry:N", scale=_DASH, legend=alt.Legend(title="replica symmetry", symbolSize=400)
            ),
            detail="stretch:N",
            opacity=faded(shown),
            tooltip=[
                alt.Tooltip("budget:Q", title="budget n"),
                alt.Tooltip("log_volume:Q", title="ln v", format=".5f"),
                alt.Tooltip(f"{y}:Q", format=".5f"),
                alt.Tooltip("beta:Q", title="β", format=".4g"),
                alt.Tooltip("accuracy:Q", format=".4f"),
                alt.Tooltip("stability:Q", title="stability ratio", format=".3f"),
            ],
        )
        .add_params(shown)
    )
    return chart


def complexity_chart(frame: pd.DataFrame, title: str) -> AnyChart:
    """Σ against ln v, one curve a budget; dashed where replica symmetry is broken.

    Where the frame has a ``branch``, the points of one step of breaking are drawn over it.
    """
    if "branch" not in frame:
        return _curve_chart(frame, "complexity", "complexity Σ", title)
    broken = frame["branch"] != "symmetric"
    chart = _curve_chart(frame[~broken], "complexity", "complexity Σ", title)
    if not broken.any():
        return chart
    return layered(chart.properties(title=""), _broken_chart(frame[broken]), title=title)


def _broken_chart(frame: pd.DataFrame) -> alt.Chart:
    """The ends with one step of replica symmetry breaking."""
    columns = ["log_volume", "complexity", "budget", "beta", "breaking_point", "stability", "branch"]
    data = frame[columns].assign(side=np.where(frame["beta"] < 0.0, "minimum", "maximum"))
    chart: alt.Chart = (
        alt.Chart(data)
        .mark_line(strokeWidth=2, color=PALETTE[1], point={"size": 20, "color": PALETTE[1]})
        .encode(
            x=volume_axis(),
            y=alt.Y("complexity:Q"),
            detail=["budget:N", "side:N"],
            tooltip=[
                alt.Tooltip("branch:N", title="replica symmetry breaking"),
                alt.Tooltip("log_volume:Q", title="ln v", format=".5f"),
                alt.Tooltip("complexity:Q", format=".5f"),
                alt.Tooltip("breaking_point:Q", title="breaking point x", format=".3f"),
                alt.Tooltip("stability:Q", title="stability ratio", format=".3f"),
            ],
        )
    )
    return chart


def magnetization_chart(frame: pd.DataFrame, title: str) -> alt.Chart:
    """Teacher–student overlap m against ln v."""
    return _curve_chart(frame, "m", "overlap m of teacher and student", title)


def pool_size_chart(frame: pd.DataFrame, title: str) -> alt.Chart:
    """Minimal volume per pool and the typical one against the budget, with the pools' own volumes
    and the halving bound.

    ``frame``: rows (budget, log_volume, line, bound) with bound one of minimum, typical, pool,
    halving.
    """
    dash = alt.Scale(domain=["minimum", "typical", "pool", "halving"], range=[[1, 0], [1, 0], [6, 3], [2, 2]])
    lines = frame["line"].drop_duplicates().tolist()
    halving = set(frame.loc[frame["bound"] == "halving", "line"])
    hues = [GREY if line in halving else PALETTE[index % len(PALETTE)] for index, line in enumerate(lines)]
    shown = legend_toggle("line", lines)
    base = alt.Chart(frame, title=title, width=WIDTH, height=HEIGHT).encode(
        x=budget_axis(),
        y=alt.Y("log_volume:Q", title=VOLUME, scale=alt.Scale(zero=False)),
        color=alt.Color("line:N", title=None, sort=None, scale=alt.Scale(domain=lines, range=hues)),
        strokeDash=alt.StrokeDash("bound:N", scale=dash, legend=alt.Legend(title=None, symbolSize=400)),
        opacity=faded(shown),
        tooltip=[
            alt.Tooltip("line:N", title=" "),
            alt.Tooltip("bound:N", title="  "),
            alt.Tooltip("budget:Q", format=".3f"),
            alt.Tooltip("log_volume:Q", title="ln v", format=".5f"),
        ],
    )
    chart: alt.Chart = base.mark_line(strokeWidth=2).add_params(shown)
    return chart


def scaling_chart(frame: pd.DataFrame, y: str, label: str, title: str) -> alt.Chart:
    """A quantity of the whole pool against its ratio α, on a logarithmic axis."""
    chart: alt.Chart = (
        alt.Chart(frame, title=title, width=WIDTH, height=HEIGHT)
        .mark_line(point={"size": 45, "color": PALETTE[0]}, strokeWidth=2, color=PALETTE[0])
        .encode(
            x=alt.X("pool_ratio:Q", title="pool ratio α", scale=alt.Scale(type="log")),
            y=alt.Y(f"{y}:Q", title=label, scale=_spaced(*_padded(frame[y]))),
            tooltip=[alt.Tooltip("pool_ratio:Q", format=".5g"), alt.Tooltip(f"{y}:Q", title=label, format=".5f")],
        )
    )
    return chart


def _padded(values: pd.Series[float]) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.05 * (high - low)
    return low - margin, high + margin


def specification(chart: AnyChart) -> dict[str, Any]:
    """The Vega-Lite specification, its data with it, however many rows."""
    with alt.data_transformers.enable("default", max_rows=None):
        result: dict[str, Any] = chart.to_dict()
    return result


# What XML has no place for; vl-convert ends the whole process over one of these in a name.
_FOREIGN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def _writable(value: Any) -> Any:
    """The same value, texts in it without what cannot stand in a picture."""
    if isinstance(value, str):
        return _FOREIGN.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_writable(key): _writable(item) for key, item in value.items()}
    return [_writable(item) for item in value] if isinstance(value, list) else value


_CLIP = re.compile(r"(?<=[\"#])clip\d+\b")


def still(spec: dict[str, Any]) -> str:
    """A specification as SVG that takes its colours from the page around it."""
    config = theme(dark=False) | {"background": "transparent"}
    return _counted_anew(vl_convert.vegalite_to_svg(_writable(spec), vl_version=VEGA_LITE, config=config))


def _counted_anew(picture: str) -> str:
    """The names of clips, which Vega counts through a process, from one on: the same picture has
    the same bytes.
    """
    places = {name: place for place, name in enumerate(dict.fromkeys(_CLIP.findall(picture)), 1)}
    return _CLIP.sub(lambda found: f"clip{places[found[0]]}", picture)


def save(chart: AnyChart, path: Path, title: str = "") -> None:
    """Write a chart as .svg, .png, .pdf or self-contained .html (of that title), by the ending of
    the path.
    """
    write_file(path, _drawn(chart, path.suffix.lower(), title or path.stem))


def _drawn(chart: AnyChart, suffix: str, title: str) -> bytes:
    spec, config = _writable(specification(chart)), theme(dark=False)
    options: dict[str, Any] = {"vl_version": VEGA_LITE, "config": config}
    match suffix:
        case ".svg":
            return _counted_anew(vl_convert.vegalite_to_svg(spec, **options)).encode()
        case ".png":
            return vl_convert.vegalite_to_png(spec, **options, scale=2)
        case ".pdf":
            return vl_convert.vegalite_to_pdf(spec, **options)
        case ".html":
            return standalone(spec, config, title).encode()
        case other:
            raise InvalidInputError("figure format", other, "it must be svg, png, pdf or html")
