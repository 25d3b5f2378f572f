"""``gardner query`` on the example's table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "pool.csv"


def test_table_and_json_agree(gardner: Any) -> None:
    arguments = ("query", str(EXAMPLE), "--label", "diagnosis", "--id", "patient", "--batch", "3")
    told = json.loads(gardner(*arguments, "--json")[1])
    assert told["labelled"] == 24
    assert told["unlabelled"] == 276
    assert told["classes"] == ["benign", "malignant"]
    assert told["status"] == "converged"
    assert [row["id"] for row in told["rows"]] == [f"p{row['row']:03d}" for row in told["rows"]]
    assert all(0.0 < row["bits"] <= 1.0 and 0.0 < row["probability"] < 1.0 for row in told["rows"])
    shown = gardner(*arguments)[1]
    assert all(row["id"] in shown for row in told["rows"])
    assert "P(malignant)" in shown


def test_mistakes_are_one_line_and_exit_code_2(gardner: Any, tmp_path: Path) -> None:
    for arguments in (
        ("query", str(EXAMPLE), "--label", "nothing"),
        ("query", str(tmp_path / "none.csv"), "--label", "y"),
        ("query", str(EXAMPLE), "--label", "diagnosis", "--batch", "0"),
        ("query", str(EXAMPLE), "--label", "diagnosis", "--channel", "nonsense"),
        ("query", str(EXAMPLE)),
    ):
        code, _, complaint = gardner(*arguments)
        assert code == 2
        assert len(complaint.strip().splitlines()) == 1
        assert complaint.startswith("error: ")
