"""``gardner predict`` on the example's table, from a file and on the spot."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pandas as pd

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "pool.csv"


def test_from_a_file_and_on_the_spot(gardner: Any, tmp_path: Path) -> None:
    model = tmp_path / "model.npz"
    common = ("--label", "diagnosis", "--id", "patient")
    assert gardner("query", EXAMPLE, *common, "--batch", 1, "--save", model)[0] == 0
    code, printed, _ = gardner("predict", EXAMPLE, "--model", model, "--id", "patient")
    assert code == 0
    table = pd.read_csv(io.StringIO(printed))
    assert list(table.columns) == ["row", "id", "prediction", "P(benign)", "P(malignant)"]
    assert len(table) == 300
    truth = pd.read_csv(EXAMPLE)["diagnosis"][:24]
    assert (table["prediction"][:24] == truth).mean() > 0.9
    answer = json.loads(gardner("predict", EXAMPLE, *common, "--json")[1])
    assert answer["classes"] == ["benign", "malignant"]
    assert abs(answer["rows"][30]["P(benign)"] - table["P(benign)"][30]) < 1e-4


def test_mistakes_are_one_line(gardner: Any, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("x\n1\n")
    model = tmp_path / "model.npz"
    table = tmp_path / "pool.csv"
    table.write_text("a,b,y\n1,2,1\n2,1,0\n3,5,\n")
    assert gardner("query", table, "--label", "y", "--save", model)[0] == 0
    for arguments in (
        ("predict", table),
        ("predict", table, "--label", "y", "--model", model),
        ("predict", other, "--model", model),
        ("predict", table, "--model", other),
        ("predict", table, "--model", model, "--id", "none"),
    ):
        code, _, complaint = gardner(*arguments)
        assert code == 2, arguments
        assert len(complaint.strip().splitlines()) == 1
        assert complaint.startswith("error: ")
