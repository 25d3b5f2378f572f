"""Each chart compiles to a still picture and shows what its frame holds; names cannot break out of
the picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import vl_convert

from gardner.report.figures import (
    batch_chart,
    learning_chart,
    mixture_chart,
    sampling_chart,
    save,
    specification,
    strategies_chart,
)
from gardner.report.learning import Axis, curves_chart
from gardner.report.measured import ensemble_chart
from gardner.report.style import AnyChart, colours, theme

NASTY = "\"'</script><script>alert(1)</script>"
LN2 = math.log(2.0)


def curves(name: str = "agnostic") -> pd.DataFrame:
    rows = [
        {
            "strategy": strategy,
            "informed": strategy == "informed",
            "budget": budget,
            "log_volume": -rate * budget,
            "log_volume_stderr": error,
            "accuracy": 0.5 + 0.1 * rate * budget,
            "accuracy_stderr": error,
            "seeds": 3,
            "converged": 0.995,
        }
        for strategy, rate, error in ((name, 0.69, 0.01), ("informed", 1.2, math.nan), ("random", 0.6, 0.02))
        for budget in (0.1, 0.2, 0.3)
    ]
    return pd.DataFrame(rows)


def bounds() -> pd.DataFrame:
    rows = [
        {"bound": bound, "budget": n, "log_volume": -rate * n, "accuracy": accuracy, "stability": stability}
        for bound, rate, accuracy, stability in (
            ("minimum", 1.5, 0.7, 0.4),
            ("maximum", 0.2, 0.55, 1.3),
            ("halving", LN2, math.nan, math.nan),
        )
        for n in (0.1, 0.3)
    ]
    return pd.DataFrame(rows)


def sampled() -> tuple[pd.DataFrame, pd.DataFrame]:
    curve = pd.DataFrame({"budget": 0.3, "log_volume": [-0.4, -0.3, -0.2], "complexity": [0.5, 1.0, 0.5]})
    dots = curve.assign(features=[20, 20, 40], complexity_low=0.4, complexity_high=1.1)
    return curve, dots


def ensemble() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    lines = pd.DataFrame({"series": "one step", "log_volume": [-0.4, -0.3, -0.2], "complexity": [0.5, 1.0, 0.5]})
    points = lines.assign(series="chains, N → ∞", complexity_stderr=[0.1, math.nan, 0.1])
    return lines, points, pd.DataFrame({"series": ["swap, N = 400"], "log_volume": [-0.41]})


def mixed(name: str = "mixture(fraction=0.5)") -> tuple[pd.DataFrame, pd.DataFrame]:
    curve = pd.DataFrame({"log_volume": [-1.0, -0.5], "m": [0.8, 0.4]})
    dots = pd.DataFrame(
        {"strategy": [name], "log_volume": -0.7, "log_volume_stderr": math.nan, "m": 0.6, "m_stderr": 0.01}
    )
    return curve, dots


def batches() -> pd.DataFrame:
    rows = [
        {
            "batch_size": k,
            "budget": n,
            "log_volume": -n * LN2 + 1e-3 * k,
            "log_volume_stderr": 1e-4,
            "halving": -n * LN2,
        }
        for k in (1, 10, 100)
        for n in (0.3, 0.6)
    ]
    return pd.DataFrame(rows)


CHARTS: dict[str, Callable[[], AnyChart]] = {
    "strategies": lambda: strategies_chart(curves(), bounds(), "title"),
    "learning": lambda: learning_chart(curves().assign(rule=curves()["strategy"], status="solved"), bounds(), "title"),
    "sampling": lambda: sampling_chart(*sampled(), "title"),
    "ensemble": lambda: ensemble_chart(*ensemble(), "title"),
    "mixture": lambda: mixture_chart(*mixed(), "title"),
    "batch": lambda: batch_chart(batches(), "title"),
    "curves": lambda: curves_chart(*learned(), Axis("budget", "n", logarithmic=True), Axis("error", "error"), "title"),
}


def learned() -> tuple[pd.DataFrame, pd.DataFrame]:
    lines = pd.DataFrame({"series": ["a", "a", "b", "b"], "budget": [1.0, 2.0] * 2, "error": [0.2, 0.1, 0.3, 0.2]})
    return lines, lines.assign(error_stderr=0.01)


def test_what_has_no_logarithm_is_not_drawn_on_such_an_axis() -> None:
    lines, dots = learned()
    upright = Axis("error", "error", logarithmic=True)
    below = dots.assign(error=[0.2, -0.1, 0.3, 0.2])
    spec = specification(curves_chart(lines, below, Axis("budget", "n"), upright, "x"))
    drawn = [row["error"] for row in rows_with(spec, "error_stderr")]
    assert sorted(drawn) == [0.2, 0.2, 0.3]


def rows_with(spec: dict[str, Any], field: str) -> list[dict[str, Any]]:
    return [row for rows in spec["datasets"].values() for row in rows if field in row]


def svg(chart: AnyChart, folder: Path) -> str:
    save(chart, folder / "figure.svg")
    return (folder / "figure.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "ending"),
    [*((name, "svg") for name in CHARTS), ("strategies", "png"), ("strategies", "pdf"), ("strategies", "html")],
)
def test_every_chart_can_be_saved(name: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / "new" / f"figure.{ending}"
    save(CHARTS[name](), path)
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!doctype html>"}
    assert path.read_bytes().lstrip().startswith(starts[ending])


@pytest.mark.parametrize("name", CHARTS)
def test_every_legend_toggles_and_starts_with_everything_shown(name: str) -> None:
    spec = specification(CHARTS[name]())
    (shown,) = [param for param in spec["params"] if param["name"] == "shown"]
    (field,) = shown["select"]["fields"]
    assert shown["bind"] == "legend"
    assert {choice[field] for choice in shown["value"]} == {row[field] for row in rows_with(spec, field)}


def test_still_pictures_show_the_quantity_asked_for(tmp_path: Path) -> None:
    volume = svg(strategies_chart(curves(), bounds(), "title"), tmp_path)
    accuracy = svg(strategies_chart(curves(), bounds(), "title", quantity="accuracy"), tmp_path)
    assert "ln v (log-volume per weight)" in volume
    assert "accuracy of the posterior mean" in accuracy
    assert "accuracy of the posterior mean" not in volume


def test_strategies_and_bounds_tell_where_their_numbers_come_from() -> None:
    rows = rows_with(specification(strategies_chart(curves(), bounds(), "title")), "origin")
    shown = {row["series"]: row for row in rows if row["budget"] == 0.1}
    assert shown["agnostic"]["volume_text"] == "−0.0690 ± 0.0100"
    assert shown["informed *"]["volume_text"] == "−0.1200"  # no error, none invented
    assert shown["agnostic"]["origin"] == "3 seeds, 99.5 % of rounds converged"
    assert shown["minimum"]["origin"] == "theory, replica symmetry stable (ratio 0.40)"
    assert shown["maximum"]["origin"].startswith("theory, replica symmetry broken")
    assert (shown["halving"]["origin"], shown["halving"]["accuracy_text"]) == ("theory", "–")


def test_bands_are_one_standard_error_and_missing_ones_are_left_out() -> None:
    vega = vl_convert.vegalite_to_vega(specification(strategies_chart(curves(), bounds(), "title")))
    transforms = [step for data in vega["data"] for step in data.get("transform", [])]
    formulas = {step["as"]: step["expr"] for step in transforms if step["type"] == "formula"}
    assert formulas["low"] == "datum.value - datum.error"
    assert formulas["high"] == "datum.value + datum.error"
    assert any(step.get("expr") == "isValid(datum.error)" for step in transforms)


def test_gap_to_halving_is_what_the_batch_chart_shows() -> None:
    rows = rows_with(specification(batch_chart(batches(), "title")), "gap_stderr")
    assert {round(row["gap"], 9) for row in rows} == {0.001, 0.01, 0.1}
    assert {row["gap_text"] for row in rows if row["batch_size"] == 10} == {"0.01000 ± 0.00010"}


def test_names_are_text_in_pictures(tmp_path: Path) -> None:
    for chart in (strategies_chart(curves(NASTY), bounds(), NASTY), mixture_chart(*mixed(NASTY), NASTY)):
        picture = svg(chart, tmp_path)
        assert "<script" not in picture
        assert "&lt;script&gt;" in picture
        save(chart, tmp_path / "figure.html")
        assert "<script>alert" not in (tmp_path / "figure.html").read_text("utf-8")


def test_long_runs_are_drawn_whole() -> None:
    frame = curves()
    many = pd.concat([frame.assign(budget=frame["budget"] + k) for k in range(700)])
    assert len(rows_with(specification(strategies_chart(many, bounds(), "title")), "series")) == len(many) + 6


def test_strategies_keep_their_colour_from_figure_to_figure() -> None:
    alone, together = colours(["agnostic"]), colours(["committee(members=3)", "random", "agnostic"])
    assert alone["agnostic"] == together["agnostic"]
    assert len(set(together.values())) == 3


def test_forty_strategies_have_forty_colours_and_a_legend_that_keeps_all() -> None:
    """Vega lists thirty entries unless told otherwise, and cuts long names."""
    names = ["agnostic", *(f"skactiveml.pool.Strategy{index}" for index in range(39))]
    assert len(set(colours(names).values())) == 40
    for dark in (False, True):
        legend: Any = theme(dark=dark)["legend"]
        assert (legend["symbolLimit"], legend["labelLimit"]) == (0, 0)
