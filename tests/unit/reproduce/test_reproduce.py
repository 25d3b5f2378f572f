"""The recipes: their frames, verdicts and files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from gardner.reproduce import RECIPES, reproduce
from gardner.reproduce.scaling import table


def test_scaling_page_is_complete_and_repeatable(tmp_path: Path) -> None:
    told: list[float] = []
    (section,) = reproduce(["scaling"], tmp_path, figures="svg", progress=told.append)
    assert all(verdict.holds for verdict in section.verdicts)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    page = (tmp_path / "report.html").read_bytes()
    assert len(pd.read_csv(tmp_path / "tables" / "scaling.csv")) == 25
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {"scaling-0.svg", "scaling-1.svg"}
    assert not list(tmp_path.rglob("*.part"))
    reproduce(["scaling"], tmp_path)
    assert (tmp_path / "report.html").read_bytes() == page


def test_scaling_constants() -> None:
    frame = table(lambda _: None)
    assert frame["scaled_volume"].iloc[-1] == pytest.approx(0.8417, abs=1e-4)
    assert frame["scaled_error"].iloc[-1] == pytest.approx(0.442, abs=1e-3)


def test_every_recipe_has_a_name_and_a_title() -> None:
    assert list(RECIPES) == ["complexity", "complexity-10", "pool-size", "scaling"]
    assert all(recipe.title for recipe in RECIPES.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["complexity", "complexity-10", "pool-size"])
def test_theory_recipes(name: str, tmp_path: Path) -> None:
    (section,) = reproduce([name], tmp_path)
    open_questions = [verdict for verdict in section.verdicts if "replica symmetry" in verdict.text]
    others = [verdict for verdict in section.verdicts if verdict not in open_questions]
    assert all(verdict.holds for verdict in others)
    assert section.table["quadrature_error"].max() < 1e-5
