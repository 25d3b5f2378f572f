"""Charts of many strategies."""

from __future__ import annotations

import pandas as pd
import pytest
import vl_convert

from gardner.report.figures import specification
from gardner.report.many import MOST, in_front, panels, said
from gardner.report.tables import table_chart, table_panels

NAMES = [*(f"library.pool.Strategy{index:02d}" for index in range(20)), "query", "random", "table-swap(goal=0.5)"]


def curves(names: list[str]) -> pd.DataFrame:
    rows = [
        {
            "strategy": name, "informed": name.startswith("table"), "labels": labels, "seeds": 3,
            "test_accuracy": 0.7 + 0.001 * labels + 0.002 * place, "test_accuracy_stderr": 0.01,
            "log_loss": 0.5 - 0.002 * place, "log_loss_stderr": 0.01,
        }
        for place, name in enumerate(names)
        for labels in (10, 20, 30)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_of_many_the_best_ours_and_the_informed_are_in_front() -> None:
    chart = table_chart(curves(NAMES), "A title").to_dict()
    (switch,) = chart["params"]
    front = [choice["series"] for choice in switch["value"]]
    assert {"query", "random", "table-swap(goal=0.5) *", "library.pool.Strategy19"} <= set(front)
    assert "library.pool.Strategy00" not in front
    assert len(chart["usermeta"]["series"]) == len(set(chart["usermeta"]["series"].values())) == len(NAMES)


def test_of_few_all_are_in_front_and_nothing_is_said() -> None:
    chart = table_chart(curves(NAMES[:4]), "A title").to_dict()
    assert len(chart["params"][0]["value"]) == 4
    assert said(MOST) == ""
    assert "25 strategies are too many for one picture" in said(25)
    assert in_front(dict.fromkeys(NAMES[:MOST], 0.0)) == NAMES[:MOST]


def test_a_lower_loss_is_better() -> None:
    chart = table_chart(
        curves(NAMES[:20]).assign(log_loss=lambda rows: rows["test_accuracy"]), "Loss", quantity="log_loss"
    )
    front = [choice["series"] for choice in chart.to_dict()["params"][0]["value"]]
    assert front == NAMES[:5]


@pytest.mark.parametrize("bounds", [None, pd.DataFrame({"kind": ["halving"] * 2, "x": [10, 30], "value": [0.7, 0.8]})])
def test_a_panel_for_each_with_its_whole_name(bounds: pd.DataFrame | None) -> None:
    own = table_rows()
    picture = vl_convert.vegalite_to_svg(specification(panels(own, bounds, "Panels", "labels", "accuracy")))
    for index in range(20):
        assert f">Strategy{index:02d}<" in picture
    assert ">table-swap(goal=0.5)<" in picture  # a dot in a parameter is no home of a name
    assert picture.count(">library.pool<") == 20


def table_rows() -> pd.DataFrame:
    rows = curves(NAMES).rename(columns={"strategy": "series", "labels": "x", "test_accuracy": "value"})
    return rows.assign(low=rows["value"] - 0.01, high=rows["value"] + 0.01)


def test_panels_of_a_table_compile() -> None:
    assert "<svg" in vl_convert.vegalite_to_svg(specification(table_panels(curves(NAMES), "Panels")))
