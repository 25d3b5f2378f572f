"""``gardner query`` on the example's table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "pool.csv"


def test_table_and_json_agree(gardner: Any) -> None:
    arguments = ("query", str(EXAMPLE), "--label", "diagnosis", "--id", "patient", "--batch", "3")
    answer = json.loads(gardner(*arguments, "--json")[1])
    assert answer["labelled"] == 24
    assert answer["unlabelled"] == 276
    assert answer["classes"] == ["benign", "malignant"]
    assert answer["status"] == "converged"
    assert [row["id"] for row in answer["rows"]] == [f"p{row['row']:03d}" for row in answer["rows"]]
    assert all(0.0 < row["bits"] <= 1.0 and 0.0 < row["probability"] < 1.0 for row in answer["rows"])
    shown = gardner(*arguments)[1]
    assert all(row["id"] in shown for row in answer["rows"])
    assert "P(malignant)" in shown
    noise = float(answer["model"]["channel"].removeprefix("probit:"))
    assert f"probit:{noise:.3g}, log-evidence {answer['log_evidence']:.3f} of 24 labels" in shown


def test_the_model_is_told_in_the_words_of_the_options(gardner: Any) -> None:
    arguments = ("query", str(EXAMPLE), "--label", "diagnosis", "--batch", "1", "--channel", "probit:0.25")
    assert json.loads(gardner(*arguments, "--json")[1])["model"] == {"prior": "gaussian", "channel": "probit:0.25"}
    assert "probit:0.25, log-evidence" in gardner(*arguments)[1]


def test_a_channel_that_does_not_fit_the_labels(gardner: Any, tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("x,y\n1,1.5\n2,2.5\n3,3.5\n4,\n")
    code, _, complaint = gardner("query", str(path), "--label", "y", "--channel", "probit:1")
    assert code == 2
    assert complaint.startswith("error: channel = 'probit:1.0' is not valid: labels that are numbers need a linear")


OWN = '''
from gardner.model import Channel, Probit

KNOWN = Probit(0.1)


class Plain(Channel):
    """No dataclass."""

    labels = KNOWN.labels
    log_partition = staticmethod(KNOWN.log_partition)
    derivatives = staticmethod(KNOWN.derivatives)

    def __eq__(self, other):
        return isinstance(other, Plain)

    def __hash__(self):
        return 0
'''


def test_a_channel_that_is_no_dataclass(gardner: Any, tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(OWN)
    channel = f"{tmp_path / 'plain.py'}:Plain"
    code, out, _ = gardner("query", str(EXAMPLE), "--label", "diagnosis", "--batch", "1", "--channel", channel)
    assert code == 0
    assert "Plain, log-evidence" in out.replace("\n", " ")


def test_without_labels_the_channel_tells_what_is_predicted(gardner: Any, tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("a,b,y\n1,2,\n2,1,\n3,5,\n")
    for channel, predicted in (("probit:1", "P(+1)"), ("linear:0.1", "prediction")):
        code, out, complaint = gardner("query", str(path), "--label", "y", "--channel", channel)
        assert code == 0
        assert predicted in out
        assert "no row is labelled yet" in complaint


def test_mistakes_are_one_line_and_exit_code_2(gardner: Any, tmp_path: Path) -> None:
    for arguments in (
        ("query", str(EXAMPLE), "--label", "nothing"),
        ("query", str(tmp_path / "none.csv"), "--label", "y"),
        ("query", str(EXAMPLE), "--label", "diagnosis", "--batch", "0"),
        ("query", str(EXAMPLE), "--label", "diagnosis", "--channel", "nonsense"),
        ("query", str(EXAMPLE), "--label", "diagnosis", "--channel", "linear:0.1"),
        ("query", str(EXAMPLE), "--label", "diagnosis", "--channel", "absolute:0.1"),
        ("query", str(EXAMPLE)),
    ):
        code, _, complaint = gardner(*arguments)
        assert code == 2
        assert len(complaint.strip().splitlines()) == 1
        assert complaint.startswith("error: ")


def test_a_doubtful_fit_is_used_and_said(gardner: Any, tmp_path: Path) -> None:
    """Labelled rows that repeat each other: EP counts them as partly independent."""
    path = tmp_path / "pool.csv"
    path.write_text("a,b,y\n" + "1,2,1\n" * 12 + "2,1,\n0,1,\n1,0,\n")
    arguments = "query", str(path), "--label", "y", "--channel", "probit:0.001", "--batch", "1"
    code, out, err = gardner(*arguments)
    assert code == 0
    assert "doubtful" in out
    assert "warning: ep is doubtful: rows nearly repeat each other" in err
    answer = json.loads(gardner(*arguments, "--json")[1])
    assert answer["status"] == "doubtful"
    assert answer["doubt"] in err


def test_many_classes(gardner: Any, tmp_path: Path) -> None:
    """Texts of ten kinds: a table of the three likeliest, JSON of all, a file that `predict` reads."""
    rng = np.random.default_rng(0)
    table = rng.standard_normal((120, 6))
    kinds = np.array([f"kind {index}" for index in range(10)])[(table @ rng.standard_normal((6, 10))).argmax(axis=1)]
    frame = pd.DataFrame(table, columns=list("abcdef")).assign(y=np.where(np.arange(120) < 80, kinds, ""))
    path, model = tmp_path / "pool.csv", tmp_path / "model.npz"
    frame.to_csv(path, index=False)
    arguments = ("query", path, "--label", "y", "--batch", 3, "--channel", "probit:0.1", "--until", 0.1)
    code, out, _ = gardner(*arguments, "--save", model)
    assert code == 0
    assert "likeliest classes" in out
    assert max(len(line) for line in out.splitlines()) <= 120
    assert "0.1 is reached" in out
    answer = json.loads(gardner(*arguments, "--json")[1])
    assert answer["classes"] == sorted(set(kinds[:80]))
    first = answer["rows"][0]
    assert sum(first["probabilities"].values()) == pytest.approx(1.0)
    assert first["prediction"] == max(first["probabilities"], key=first["probabilities"].get)
    predicted = json.loads(gardner("predict", path, "--model", model, "--json")[1])
    assert predicted["rows"][first["row"]][f"P({first['prediction']})"] == pytest.approx(
        first["probabilities"][first["prediction"]]
    )
    code, _, complaint = gardner("query", path, "--label", "y", "--about", "weights")
    assert code == 2
    assert complaint.startswith("error: about = 'weights' is not valid: with three classes or more")


def test_few_whole_numbers_ask_what_they_are(gardner: Any, tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("a,b,grade\n" + "".join(f"{k % 7},{k % 5},{k % 3 if k < 12 else ''}\n" for k in range(20)))
    arguments = ("query", str(path), "--label", "grade", "--batch", "2")
    code, _, complaint = gardner(*arguments)
    assert code == 2
    assert complaint.strip() == (
        "error: grade = '0, 1, 2' is not valid: 3 different whole numbers can be classes or a regression; "
        "say which: --classes or --regression"
    )
    assert "prediction" in gardner(*arguments, "--regression")[1]
    assert "likeliest classes" in gardner(*arguments, "--classes")[1]
    code, _, complaint = gardner(*arguments, "--classes", "--regression")
    assert (code, len(complaint.strip().splitlines())) == (2, 1)
    code, out, _ = gardner("predict", str(path), "--label", "grade", "--regression")
    assert code == 0
    assert out.startswith("row,prediction,deviation\n")
    assert gardner("predict", str(path), "--label", "grade")[0] == 2


def test_two_numbers_may_be_a_regression(gardner: Any, tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("a,y\n" + "".join(f"{k},{k % 2 if k < 10 else ''}\n" for k in range(15)))
    assert "P(1)" in gardner("query", str(path), "--label", "y")[1]
    assert "prediction" in gardner("query", str(path), "--label", "y", "--regression")[1]
    path.write_text("a,y\n1,red\n2,blue\n3,\n")
    code, _, complaint = gardner("query", str(path), "--label", "y", "--regression")
    assert code == 2
    assert "these are texts" in complaint


def test_a_regression_has_no_accuracy_to_reach_and_plain_spreads(gardner: Any, tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    rng = np.random.default_rng(0)
    lines = [f"{x:.3f},{z:.3f},{1e5 * (x + z):.1f}" if k < 12 else f"{x:.3f},{z:.3f},"
             for k, (x, z) in enumerate(rng.standard_normal((30, 2)))]  # fmt: skip
    path.write_text("\n".join(["x,z,price", *lines]))
    code, _, complaint = gardner("query", path, "--label", "price", "--until", 0.9)
    assert (code, len(complaint.strip().splitlines())) == (2, 1)
    assert "--until = 0.9 is not valid: a regression has no accuracy to be reached" in complaint
    code, out, _ = gardner("query", path, "--label", "price", "--batch", 3)
    assert code == 0
    assert "±" in out
    assert "e+0" not in out


def test_columns_with_one_value_are_named_and_a_rare_class_is_thought_of(gardner: Any, tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("x,same,also,y\n" + "".join(f"{k},7,1,\n" for k in range(6)))
    code, _, notes = gardner("query", path, "--label", "y", "--batch", 2)
    assert code == 0
    assert "note: 2 columns (same, also) left out: every row has the same value" in notes
    assert "note: with a rare class, or with three or more, rows labelled at random are the better" in notes
