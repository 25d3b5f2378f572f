"""The charts of strategies against the bounds: log-volume or accuracy against the budget."""

from __future__ import annotations

from typing import Literal

import altair as alt
import numpy as np
import pandas as pd

from gardner.model.arrays import Floating
from gardner.numbers import fixed, is_missing, percent
from gardner.report.many import in_front, panels, toggled
from gardner.report.style import (
    GREY,
    VOLUME,
    AnyChart,
    budget_axis,
    colours,
    faded,
    layered,
    legend_toggle,
    texts_with_error,
    typeset,
)

Quantity = Literal["log_volume", "accuracy"]

_DASHES: dict[str, list[float]] = {
    "minimum": [7, 3],
    "typical": [6, 2, 1.5, 2],
    "maximum": [3, 3],
    "halving": [1.5, 2],
    "pool": [1, 4],
}
# Dashes and gaps of a line without gaps, in pixels.
_SOLID: list[float] = [1, 0]
# Dashes and gaps of a bound without a pattern of its own, in pixels.
_OTHER: list[float] = [5, 2, 2, 2]
# Dashes and gaps of the theory of a strategy, in pixels: dots, finer than those of any bound.
_FINE: list[float] = [2, 1.5]
_THEORY = ", theory"
_INFORMED = " *"


def strategies_chart(
    curves: pd.DataFrame, bounds: pd.DataFrame, title: str, *, quantity: Quantity = "log_volume"
) -> AnyChart:
    """Strategies (bands: one standard error) against the bounds; a switch shows log-volume or
    accuracy.

    ``curves``: rows (strategy, informed, budget, log_volume, log_volume_stderr, accuracy,
    accuracy_stderr, seeds, converged). With columns ``theory`` and ``theory_accuracy``, a thin line
    of the same colour is what theory says of a strategy. ``bounds``: rows (bound, budget,
    log_volume, accuracy, stability), bound one of minimum, typical, maximum, halving, pool.
    ``quantity`` is what a still picture shows and what the switch shows first.
    """
    parts = [part for part in (_strategy_rows(curves), _theory_rows(curves)) if len(part)]
    rows = pd.concat(parts, ignore_index=True) if parts else _strategy_rows(curves)
    return _against_bounds(rows, bounds, title, quantity)


def learning_chart(
    curves: pd.DataFrame, bounds: pd.DataFrame, title: str, *, quantity: Quantity = "log_volume"
) -> AnyChart:
    """Learning curves of rules, computed for many weights, against the bounds.

    ``curves``: rows (rule, budget, log_volume, accuracy, status). ``bounds`` and ``quantity`` as
    for :func:`strategies_chart`.
    """
    rows = pd.DataFrame(
        {
            "series": curves["rule"],
            "role": "strategy",
            **{name: curves[name].astype(float) for name in ("budget", "log_volume", "accuracy")},
            "volume_text": [typeset(fixed(value, 4)) for value in curves["log_volume"]],
            "accuracy_text": [typeset(fixed(value, 4)) for value in curves["accuracy"]],
            "origin": [f"theory, {status}" for status in curves["status"]],
        }
    )
    return _against_bounds(rows, bounds, title, quantity)


def _against_bounds(rows: pd.DataFrame, bounds: pd.DataFrame, title: str, quantity: Quantity) -> AnyChart:
    data = pd.concat([rows, _bound_rows(bounds)], ignore_index=True)
    names = data["series"].drop_duplicates().tolist()
    front = _front(rows, names)
    shown = legend_toggle("series", front)
    hues = _hues(data, names, front)
    color, dash = _paint(data, names, hues, front)
    switch = alt.param(
        name="quantity",
        value=quantity,
        bind=alt.binding_radio(options=["log_volume", "accuracy"], labels=["ln v", "accuracy"], name="Show "),
    )
    base = (
        alt.Chart(data)
        .transform_calculate(value="datum[quantity]", error="datum[quantity + '_stderr']")
        .transform_filter("isValid(datum.value)")
    )
    low, value = (alt.Y(f"{name}:Q", scale=alt.Scale(zero=False), title=None) for name in ("low", "value"))
    band = (
        base.transform_filter("isValid(datum.error)")
        .transform_calculate(low="datum.value - datum.error", high="datum.value + datum.error")
        .mark_area(strokeWidth=0)
        .encode(x=budget_axis(), y=low, y2="high:Q", color=color, fillOpacity=faded(shown, full=0.25))
    )
    width = alt.condition("datum.role == 'strategy'", alt.value(2.2), alt.value(1.3))
    line = base.mark_line().encode(
        x=budget_axis(), y=value, color=color, strokeDash=dash, strokeWidth=width, opacity=faded(shown)
    )
    layers = (band, line, _nearest(base, value, color, shown), _quantity_label())
    return toggled(layered(*layers, title=title, offset=6), dict(zip(names, hues, strict=True)), switch, shown)


def strategies_panels(curves: pd.DataFrame, bounds: pd.DataFrame, title: str) -> AnyChart:
    """A small panel for each strategy: ln v less the bound of strategies that see a label only
    after asking for it.

    That bound is the dashed line at zero. Where it is not known, ln v itself is shown, with the
    bounds there are.
    """
    rows = _strategy_rows(curves).sort_values(["series", "budget"])
    halving = bounds[bounds["bound"] == "halving"].set_index("budget")["log_volume"].astype(float)
    best = rows["budget"].map(halving)
    known = bounds.dropna(subset=["log_volume"]).rename(columns={"budget": "x", "log_volume": "value"})
    word = "ln v"
    less: Floating = np.zeros(len(rows))
    if len(rows) and best.notna().all():
        known, word = known[known["bound"] == "halving"].assign(value=0.0), "above the bound"
        less = best.to_numpy(float)
    value, error = rows["log_volume"] - less, rows["log_volume_stderr"].fillna(0.0)
    own = {"series": rows["series"], "x": rows["budget"], "value": value, "low": value - error, "high": value + error}
    return panels(pd.DataFrame(own), known[["bound", "x", "value"]], title, "budget n", word)


def _front(rows: pd.DataFrame, names: list[str]) -> list[str]:
    """What is not faint at first: the bounds, of many strategies some, and their theory."""
    strategies = rows[rows["role"] == "strategy"].sort_values("budget").groupby("series", sort=False)["log_volume"]
    last = {str(name): -float(value) for name, value in strategies.last().items()}
    shown = {*in_front(last, [name for name in last if name.endswith(_INFORMED)])}
    return [name for name in names if name.removesuffix(_THEORY) in shown or name.removesuffix(_THEORY) not in last]


def _hues(data: pd.DataFrame, names: list[str], front: list[str]) -> list[str]:
    """Strategies in colours, those in front in the ones easiest to tell apart; bounds in grey."""
    strategies = data.loc[data["role"] == "strategy", "series"].drop_duplicates().tolist()
    ordered = [name for name in front if name in strategies] + strategies
    hue_of = colours(list(dict.fromkeys(name.removesuffix(_INFORMED) for name in ordered)))
    return [hue_of.get(name.removesuffix(_INFORMED).removesuffix(_THEORY), GREY) for name in names]


def _paint(data: pd.DataFrame, names: list[str], hues: list[str], front: list[str]) -> tuple[alt.Color, alt.StrokeDash]:
    """Strategies in colour, bounds in grey dashes; what is in front, in one legend."""
    strategies = data.loc[data["role"] == "strategy", "series"].drop_duplicates().tolist()
    theory = set(data.loc[data["role"] == "theory", "series"])
    dashes = [
        _SOLID if name in strategies else _FINE if name in theory else _DASHES.get(name, _OTHER) for name in names
    ]
    note = "* reads hidden labels" if any(name.endswith(_INFORMED) for name in strategies) else None
    legend = alt.Legend(title=note, symbolType="stroke", symbolSize=600, values=front)
    return (
        alt.Color("series:N", sort=None, scale=alt.Scale(domain=names, range=hues), legend=legend),
        alt.StrokeDash("series:N", sort=None, scale=alt.Scale(domain=names, range=dashes), legend=legend),
    )


def _nearest(base: alt.Chart, value: alt.Y, color: alt.Color, shown: alt.Parameter) -> alt.Chart:
    """The dot nearest to the pointer, with its numbers."""
    hover = alt.selection_point(name="hover", on="pointerover", nearest=True, empty=False, clear="pointerout")
    # Vega-Lite 6.4 looks for text fields of the nearest dot in the wrong place, so the expression
    # is spelled out
    row = "(datum.datum || datum)"
    budget = f"'budget n': format({row}.budget, '.4~f')"
    shown_as = {"ln v": "volume_text", "accuracy": "accuracy_text", "from": "origin"}
    lines = [f"'line': {row}.series", budget, *(f"'{name}': {row}.{field}" for name, field in shown_as.items())]
    chart: alt.Chart = (
        base.transform_filter(shown)
        .mark_point(size=55, filled=True, tooltip=alt.ExprRef("{" + ", ".join(lines) + "}"))
        .encode(x=budget_axis(), y=value, color=color, opacity=alt.condition(hover, alt.value(1.0), alt.value(0.0)))
        .add_params(hover)
    )
    return chart


def _quantity_label() -> alt.Chart:
    """What the upright axis shows. Vega-Lite's axis titles cannot follow a switch, so this one is a
    mark.
    """
    text = alt.ExprRef(f"quantity == 'accuracy' ? 'accuracy of the posterior mean' : {VOLUME!r}")
    chart: alt.Chart = alt.Chart(alt.InlineData(values=[{}])).mark_text(
        text=text, tooltip=None, x=0, y=-12, align="left", fontSize=12, fontWeight=500
    )
    return chart


def _strategy_rows(curves: pd.DataFrame) -> pd.DataFrame:
    informed = curves["informed"].astype(bool)
    return pd.DataFrame(
        {
            "series": curves["strategy"].where(~informed, curves["strategy"] + _INFORMED),
            "role": "strategy",
            # columns without a single value (errors of one seed) are of no type, and their NaN
            # would reach the JSON
            **{name: curves[name].astype(float) for name in ("budget", "log_volume", "log_volume_stderr")},
            **{name: curves[name].astype(float) for name in ("accuracy", "accuracy_stderr")},
            "volume_text": texts_with_error(curves, "log_volume"),
            "accuracy_text": texts_with_error(curves, "accuracy"),
            "origin": [
                f"{seeds:.0f} seed{'' if seeds == 1 else 's'}, {percent(share, 2)} % of rounds converged"
                for seeds, share in zip(curves["seeds"], curves["converged"], strict=True)
            ],
        }
    )


def _theory_rows(curves: pd.DataFrame) -> pd.DataFrame:
    """The learning curves of those strategies that have one."""
    columns = ["series", "role", "budget", "log_volume", "accuracy", "volume_text", "accuracy_text", "origin"]
    if "theory" not in curves or not curves["theory"].notna().any():
        return pd.DataFrame(columns=columns)
    known = curves[curves["theory"].notna()]
    volume, accuracy = (known[name].astype(float) for name in ("theory", "theory_accuracy"))
    rows = {
        "series": known["strategy"] + _THEORY,
        "role": "theory",
        "budget": known["budget"].astype(float),
        "log_volume": volume,
        "accuracy": accuracy,
        "volume_text": [typeset(fixed(value, 4)) for value in volume],
        "accuracy_text": [typeset(fixed(value, 4)) for value in accuracy],
        "origin": "learning curve of its rule",
    }
    return pd.DataFrame(rows)[columns]


def _bound_rows(bounds: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "series": bounds["bound"],
            "role": "bound",
            **{name: bounds[name].astype(float) for name in ("budget", "log_volume", "accuracy")},
            "volume_text": [typeset(fixed(value, 4)) for value in bounds["log_volume"]],
            "accuracy_text": [typeset(fixed(value, 4)) for value in bounds["accuracy"]],
            "origin": [_symmetry(value) for value in bounds["stability"]],
        }
    )


def _symmetry(stability: float) -> str:
    if is_missing(stability):
        return "theory"
    return f"theory, replica symmetry {'broken' if stability > 1.0 else 'stable'} (ratio {stability:.2f})"
