"""``gardner forecast``: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

POOL = "docs/examples/pool.csv"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((120, 6))
    labels = np.where(rows @ rng.standard_normal(6) > 0.0, "yes", "no")
    frame = pd.DataFrame(rows, columns=list("abcdef")).assign(y=np.where(np.arange(120) < 20, labels, ""))
    frame = frame.assign(name=range(120))
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_before_any_label(gardner: Any) -> None:
    code, out, err = gardner("forecast", str(ROOT / POOL), "--ignore", "diagnosis", "--id", "patient", "--no-best")
    assert code == 0
    assert "300 rows, 10 columns" in out
    assert "labels for accuracy 0.95: random" in out
    assert "assumed: labels follow a linear rule" in out
    assert "nine in ten forecasts" in out
    assert "directions" in err


def test_json_with_labels(gardner: Any, table: Path) -> None:
    code, out, err = gardner("forecast", str(table), "-y", "y", "--id", "name", "-n", "60", "--no-best", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["labelled"] == 20
    assert found["classes"] == ["no", "yes"]
    assert [found["points"][index]["labels"] for index in (0, -1)] == [20, 60]
    assert set(found["needed"]) == {"random", "agnostic", "best"}
    assert found["needed"]["best"]["labels"] is None
    assert 0.5 < found["now"] < 1.0


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_a_figure(gardner: Any, table: Path, ending: str) -> None:
    place = table.with_suffix(f".{ending}")
    code, _, err = gardner("forecast", str(table), "--ignore", "y", "--ignore", "name", "--no-best", "-o", str(place))
    assert code == 0
    assert f"wrote {place}" in err
    assert "accuracy on new rows" in place.read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--accuracy", "high"], "--accuracy"),
        (["--accuracy", "0.3"], "between 0.5"),
        (["--batch", "0"], "at least 1"),
        (["--out", "x.docx"], "ending"),
        (["--label", "nothing"], "none of that name"),
        (["--scaling", "log"], "standardised, common"),
        (["--label", "a"], "two classes"),
    ],
)
def test_refusals_are_one_line(gardner: Any, table: Path, arguments: list[str], says: str) -> None:
    code, out, err = gardner("forecast", str(table), *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_all_labels_are_there(gardner: Any, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,x\n2,z\n3,x\n")
    code, _, err = gardner("forecast", str(tmp_path / "t.csv"), "-y", "y")
    assert code == 2
    assert "none is left to ask" in err
