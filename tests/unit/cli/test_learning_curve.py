"""``gardner learning-curve``: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gardner.theory import LearningCurve

BRIEF = ("--alpha", "3", "--budget", "0.6", "--batch-ratio", "0.1")


def test_json(gardner: Any) -> None:
    names = ("agnostic", "posterior-committee", "random")
    code, out, err = gardner(
        "learning-curve", *names, "--param", "posterior-committee.members=15", *BRIEF, "--json"
    )  # fmt: skip
    assert (code, err) == (0, "")
    curves = json.loads(out)["curves"]
    assert [curve["rule"] for curve in curves] == list(names)
    assert curves[1]["parameters"] == {"members": 15}
    volumes = [curve["points"][-1]["log_volume"] for curve in curves]
    assert volumes == sorted(volumes)
    assert volumes[2] == pytest.approx(-0.380201, abs=1e-6)
    for point in curves[0]["points"]:
        wanted = {"budget", "log_volume", "bits_per_label", "overlap", "accuracy", "status", "residual"}
        assert wanted | {"information", "threshold", "left", "discretisation_error"} <= set(point)
    assert [round(point["budget"], 6) for point in curves[0]["points"]] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert LearningCurve.from_json(curves[1]).points[-1].log_volume == volumes[1]


def test_table(gardner: Any) -> None:
    code, out, _ = gardner("learning-curve", "agnostic", "random", *BRIEF)
    assert code == 0
    assert "-0.380201" in out
    assert "bits/label" in out
    assert "worst discretisation error" in out


@pytest.mark.parametrize("ending", ["csv", "parquet", "json", "svg"])
def test_files(gardner: Any, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"curves.{ending}"
    code, out, err = gardner("learning-curve", "agnostic", "random", *BRIEF, "--out", path)
    assert (code, out, err) == (0, "", f"wrote {path}\n")
    if ending == "svg":
        text = path.read_text("utf-8")
        assert all(word in text for word in ("agnostic", "random", "minimum", "halving", "pool"))
    elif ending == "json":
        assert len(json.loads(path.read_text())["curves"]) == 2
    else:
        frame = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
        assert frame.groupby("rule").size().to_dict() == {"agnostic": 6, "random": 6}


def test_own_rule_from_a_file(gardner: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def mine(mean, variance, power=1.0):\n    return -abs(mean) ** power\n")
    code, out, _ = gardner(
        "learning-curve", f"{file}:mine", "agnostic", *BRIEF, "--param", "mine.power=2.0", "--json"
    )  # fmt: skip
    assert code == 0
    own, known = json.loads(out)["curves"]
    assert own["rule"] == f"{file}:mine"
    assert own["parameters"] == {"power": 2.0}
    assert own["points"][-1]["log_volume"] == pytest.approx(known["points"][-1]["log_volume"], abs=1e-5)


def test_the_same_rule_runs_as_a_strategy(gardner: Any, tmp_path: Path) -> None:
    """Theory and simulation are one word apart, for a rule of one's own too."""
    file = tmp_path / "mine.py"
    file.write_text("def mine(mean, variance):\n    return -abs(mean)\n")
    sizes = ("-N", "100", "-a", "3", "-n", "0.6", "-k", "10", "-s", "2", "-w", "1", "-o", tmp_path / "results")
    code, out, _ = gardner("bench", f"{file}:mine", "posterior-committee", *sizes, "--json")
    assert code == 0
    assert "posterior-committee" in out
    assert "mine.py:mine" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("agnostic", "-a", "3", "-n", "0.6", "-k", "0.7"), "more labels than the budget"),
        (("agnostic", "-a", "3", "-n", "3.6"), "no more than 3 labels"),
        (("nobody", *BRIEF), "must be one of agnostic"),
        (("committee", *BRIEF), "must be one of agnostic"),
        (("agnostic", "agnostic", *BRIEF), "there twice"),
        (("agnostic", *BRIEF, "--channel", "absolute"), "even channel"),
        (("agnostic", *BRIEF, "--teacher-channel", "flip:0.1"), "knows the teacher's model"),
        (("agnostic", *BRIEF, "--out", "x.gif"), "the ending must be"),
        (("agnostic", *BRIEF, "--param", "random.x=1"), "the rules of this command are agnostic"),
        (("posterior-committee", *BRIEF, "--param", "posterior-committee.members=x"), "whole number"),
        (("agnostic", "-a", "x", "-n", "1"), "must be a number"),
    ],
)
def test_refusals(gardner: Any, arguments: tuple[str, ...], says: str) -> None:
    code, out, err = gardner("learning-curve", *arguments)
    assert code != 0
    assert out == ""
    assert says in err
    assert err.count("\n") == 1


def test_nan_scores_are_one_line(gardner: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def mine(mean, variance):\n    return mean * float('nan')\n")
    code, _, err = gardner("learning-curve", f"{file}:mine", *BRIEF)
    assert code != 0
    assert "are NaN" in err
    assert err.count("\n") == 1
