"""Charts and page: text is escaped, stretches carry the right dash."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from gardner.errors import InvalidInputError
from gardner.report.figures import complexity_chart, save, scaling_chart
from gardner.report.page import Figure, Page, Section, Verdict, render

NASTY = "</script><script>alert(1)</script>"


def curve_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "alpha": 3.0,
            "budget": 0.6,
            "log_volume": [-0.9, -0.7, -0.5, -0.3, -0.2],
            "complexity": [0.0, 1.0, 1.5, 1.0, 0.0],
            "m": [0.6, 0.5, 0.4, 0.3, 0.2],
            "beta": [-9.0, -2.0, 0.0, 5.0, 50.0],
            "accuracy": 0.7,
            "stability": [1.2, 0.5, 0.1, 0.7, 3.0],
        }
    )


def page(name: str = NASTY) -> Page:
    frame = pd.DataFrame({"alpha": [1.0, 10.0], "value": [2.0, 3.0], "note": [name, name]})
    figure = Figure(scaling_chart(frame, "value", name, name), name)
    section = Section("sec", name, name, (figure,), (Verdict(True, name), Verdict(False, name)), frame, name)
    return Page(name, name, frame, name, (section,), {name: name})


def test_text_with_markup_is_shown_as_text() -> None:
    html = render(page())
    assert NASTY not in html
    assert "&lt;/script&gt;" in html
    specs = html.split('id="specs">')[1].split("</script>")[0]
    assert json.loads(specs)["sec-0"]["title"] == NASTY


def test_curves_are_dashed_where_symmetry_is_broken() -> None:
    spec = complexity_chart(curve_frame(), "title").to_dict()
    (rows,) = spec["datasets"].values()
    stretches = {row["stretch"]: row["symmetry"].split()[0] for row in rows}
    assert list(stretches.values()) == ["broken", "stable", "broken"]
    first = [row["log_volume"] for row in rows if row["stretch"].endswith("/0")]
    assert first == [-0.9, -0.7]  # the broken stretch reaches to its stable neighbour


def test_unknown_figure_format(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="svg"):
        save(complexity_chart(curve_frame(), "title"), tmp_path / "figure.gif")
