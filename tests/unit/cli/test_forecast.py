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


def test_the_best_subset_is_printed_in_every_line(gardner: Any) -> None:
    code, out, _ = gardner("forecast", str(ROOT / POOL), "--ignore", "diagnosis", "--id", "patient", "--labels", "60")
    lines = [line.split("│") for line in out.splitlines() if line.startswith("│")]
    assert code == 0
    assert len(lines) == 6
    for line in lines:
        random, agnostic, best = (float(line[index]) for index in (2, 4, 6))
        assert random <= agnostic <= best <= 0.987
    assert "with a label for every row accuracy would be about 0.987" in out


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("a,b\n1,2\n", 2, "two rows or more"),
        ("a,b\n1,1\n1,1\n1,1\n", 2, "every column has one value only"),
        ("a,b,c\n1,1,7\n2,,7\n0,3,7\n5,2,7\n", 0, "1 column left out"),
        ("a,b,c\n1,1,7\n2,,7\n0,3,7\n5,2,7\n", 0, "column b: 1 of 4 cells is empty, filled"),
        ("a,b,c,d\n1,2,3,4\n2,1,5,9\n0,3,1,1\n", 0, "fewer rows than columns"),
        ("a,b\ninf,1\n2,3\n", 2, "inf"),
    ],
)
def test_odd_tables_are_one_line_or_said_aloud(gardner: Any, tmp_path: Path, text: str, code: int, says: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    done, out, err = gardner("forecast", str(tmp_path / "t.csv"), "--no-best")
    assert (done, bool(out)) == (code, code == 0)
    assert says in err
    assert code == 0 or err.count("\n") == 1


def test_a_copy_of_the_label_among_the_features_is_said_aloud(gardner: Any, table: Path) -> None:
    frame = pd.read_csv(table)
    frame.assign(outcome=frame["y"].map({"yes": 1.0, "no": 0.0})).to_csv(table, index=False)
    code, _, err = gardner("forecast", str(table), "-y", "y", "--id", "name", "--no-best", "-n", "40")
    assert code == 0
    assert "outcome" in err


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
        (["--label", "a"], "whole numbers or texts"),
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
