"""The command line: what it prints, what it refuses, and how."""

from __future__ import annotations

import dataclasses
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gardner.cli.console import read_range, to_json
from gardner.errors import InvalidInputError


def test_bounds_as_json(gardner: Any) -> None:
    code, out, err = gardner("bounds", "--alpha", "3", "--budget", "0.6", "--json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["log_volume"]["minimum"] == pytest.approx(-0.9625826, abs=1e-6)
    assert record["log_volume"]["maximum"] == pytest.approx(-0.1755032, abs=1e-6)
    assert record["log_volume"]["halving"] == pytest.approx(-0.6 * math.log(2))
    assert set(record["log_volume"]) == {"minimum", "typical", "maximum", "halving", "pool"}
    assert set(record["accuracy"]) == {"minimum", "typical", "maximum", "pool"}
    assert record["accuracy"]["minimum"] > record["accuracy"]["typical"] > record["accuracy"]["maximum"]
    assert set(record["overlaps"]["typical"]) == {"m", "q", "Q", "r"}
    assert record["status"] == {"minimum": "zero", "maximum": "zero"}
    assert record["bracket"] == {"minimum": None, "maximum": None}
    assert record["stability"]["minimum"] == pytest.approx(1.21, abs=0.01)
    assert record["residual"] < 1e-9
    assert record["quadrature_error"] < 1e-9
    assert record["beta"]["minimum"] == pytest.approx(-12.793, rel=1e-4)


@pytest.fixture(scope="module")
def known_ends() -> dict[Any, Any]:
    """Ends with one step of breaking, which take seconds each."""
    return {}


@pytest.fixture
def each_end_once(known_ends: dict[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests ask for the same two ends in four ways; they are computed for the first."""
    from gardner.theory.breaking import end

    compute = end.broken_end

    def once(followed: Any) -> Any:
        key = followed.problem, followed.end.log_volume
        if key not in known_ends:
            known_ends[key] = compute(followed)
        return known_ends[key]

    monkeypatch.setattr(end, "broken_end", once)


@pytest.mark.usefixtures("each_end_once")
def test_bounds_with_one_step_of_breaking(gardner: Any) -> None:
    code, out, err = gardner("bounds", "--alpha", "1", "--budget", "0.1", "--rsb", "--json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["log_volume"]["minimum_1rsb"] == pytest.approx(-0.1157410, abs=1e-6)
    assert record["log_volume"]["maximum_1rsb"] == pytest.approx(-0.0442426, abs=1e-6)
    code, out, _ = gardner("bounds", "--alpha", "1", "--budget", "0.1", "--rsb")
    assert code == 0
    assert "minimum, 1RSB" in out
    assert "-0.115741" in out
    assert "one step only" in out
    code, out, err = gardner("bounds", "--alpha", "3", "--budget", "0.6", "--channel", "flip:0.1", "--rsb")
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert "--rsb" in err


@pytest.mark.usefixtures("each_end_once")
def test_a_curve_with_one_step_of_breaking(gardner: Any, tmp_path: Path) -> None:
    path = tmp_path / "curve.svg"
    code, out, _ = gardner("curve", "-a", "1", "-n", "0.1", "--rsb")
    assert code == 0
    assert "minimum with one step: ln v = -0.115741" in out
    assert gardner("curve", "-a", "1", "-n", "0.1", "--rsb", "--out", str(path))[0] == 0
    assert "<svg" in path.read_text("utf-8")
    code, _, err = gardner("curve", "-a", "1", "-n", "0.1", "--rsb", "--log-volume", "-0.1")
    assert (code, err.startswith("error: ")) == (2, True)


def test_several_budgets_are_a_list_and_brackets_are_told(gardner: Any) -> None:
    code, out, _ = gardner("bounds", "--alpha", "3", "--budget", "2.7:3:0.3", "--json")
    assert code == 0
    near, whole = json.loads(out)
    assert near["status"]["minimum"] == "bracketed"
    low, high = near["bracket"]["minimum"]
    assert 0 <= high - low < 1e-5
    assert high == near["log_volume"]["minimum"]
    assert whole["beta"] == {"minimum": None, "maximum": None}
    assert whole["log_volume"]["minimum"] == whole["log_volume"]["pool"]


def test_bounds_as_a_table(gardner: Any) -> None:
    code, out, _ = gardner("bounds", "-a", "3", "-n", "0.6")
    assert code == 0
    assert "-0.962583" in out
    assert "bits/weight" in out
    assert "replica-symmetric only" in out
    code, out, _ = gardner("bounds", "-a", "3", "-n", "0.6", "-n", "0.3")
    assert code == 0
    assert "-0.510001" in out


def test_budget(gardner: Any) -> None:
    code, out, _ = gardner("budget", "--alpha", "3", "--log-volume", "-0.5", "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["budget"]["best"] == pytest.approx(0.29478, abs=1e-5)
    assert answer["budget"]["agnostic_floor"] == pytest.approx(0.5 / math.log(2))
    assert answer["budget"]["agnostic"] == pytest.approx(0.5 / math.log(2), abs=answer["budget_error"]["agnostic"])
    assert answer["budget"]["agnostic"] >= answer["budget"]["agnostic_floor"]
    assert answer["target"] == {"log_volume": -0.5}
    code, out, _ = gardner("budget", "--alpha", "3", "--accuracy", "0.99")
    assert code == 0
    assert "a pool of alpha >= 44.13" in out


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".json", ".svg", ".png", ".pdf", ".html"])
def test_curve_files(gardner: Any, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / "deep" / f"curve{suffix}"
    code, out, err = gardner("curve", "--alpha", "3", "--budget", "0.6", "--points", "7", "--out", str(target))
    assert code == 0
    assert out == ""
    assert str(target) in err
    assert list(target.parent.iterdir()) == [target]
    if suffix == ".parquet":
        assert len(pd.read_parquet(target)) == 7
    elif suffix == ".csv":
        assert "stability" in pd.read_csv(target).columns
    elif suffix == ".json":
        assert len(json.loads(target.read_text())["points"]) == 7
    else:
        assert target.stat().st_size > 5000


def test_a_failed_curve_leaves_nothing_behind(gardner: Any, tmp_path: Path) -> None:
    code, _, _ = gardner("curve", "-a", "3", "-n", "0.6", "--log-volume", "-7", "--out", str(tmp_path / "curve.csv"))
    assert code == 2
    assert list(tmp_path.iterdir()) == []


def test_curve_as_json_and_table(gardner: Any) -> None:
    code, out, _ = gardner("curve", "--alpha", "3", "--budget", "0.6", "--points", "5", "--json")
    points = json.loads(out)["points"]
    assert code == 0
    assert len(points) == 5
    wanted = [
        "log_volume",
        "complexity",
        "beta",
        "phi",
        "m",
        "q",
        "Q",
        "r",
        "accuracy",
        "stability",
        "residual",
        "quadrature_error",
    ]
    assert set(wanted) <= set(points[0])
    code, out, _ = gardner("curve", "--alpha", "3", "--budget", "0.6", "--log-volume", "-0.5", "--json")
    assert json.loads(out)["points"][0]["complexity"] == pytest.approx(1.404284, abs=1e-5)
    code, out, _ = gardner("curve", "--alpha", "3", "--budget", "0.6")
    assert code == 0
    assert "worst residual" in out


@pytest.mark.parametrize(
    "arguments",
    [
        "bounds --alpha 0 --budget 1",
        "bounds --alpha -3 --budget 1",
        "bounds --alpha nan --budget 1",
        "bounds --alpha three --budget 1",
        "bounds --alpha 3 --budget 0",
        "bounds --alpha 3 --budget 3.5",
        "bounds --alpha 3 --budget much",
        "bounds --alpha 3 --budget 0.1:0.2",
        "bounds --alpha 3 --budget 1:0.5:0.1",
        "bounds --alpha 3 --budget 0.1:1:0",
        "bounds --alpha 3 --budget 0.1:1:1e-9",
        "bounds --alpha 3 --budget 1:1e999999:1",
        "bounds --alpha 1e9 --budget 1",
        "curve --alpha 3 --budget 0.6 --points 9 --log-volume -0.5",
        "curve --alpha 3 --budget 0.6 --out /dev/null/curve.csv",
        "reproduce scaling --out /dev/null/out",
        "bounds --alpha 3",
        "bounds --alpha 3 --budget 1 --frobnicate",
        "budget --alpha 3",
        "budget --alpha 3 --accuracy 0.9 --log-volume -1",
        "budget --alpha 3 --accuracy 1.5",
        "curve --alpha 3 --budget 0.6 --points 1",
        "curve --alpha 3 --budget 0.6 --out curve.txt",
        "curve --alpha 3 --budget 0.6 --log-volume -7",
        "reproduce everything",
        "reproduce scaling --figures gif",
        "nonsense",
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(gardner: Any, arguments: str) -> None:
    code, out, err = gardner(*arguments.split())
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in err


def test_help_is_fast_and_teaches() -> None:
    """A fresh interpreter: --help must not load the solver."""
    script = (
        "import sys; from gardner.cli.commands import app; app(['bounds', '--help'], standalone_mode=False); "
        "print(any(name in sys.modules for name in ('jax', 'numpy', 'scipy')))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert result.stdout.strip().endswith("False")
    assert "gardner bounds --alpha 3 --budget 0.6" in result.stdout


def test_bounds_load_what_they_need() -> None:
    """The question everybody starts with: no table, no plot, no compiler, no cluster."""
    heavy = (
        "jax",
        "pandas",
        "pyarrow",
        "altair",
        "dask",
        "numba",
        "sklearn",
        "scipy.optimize",
        "gardner.theory.breaking.end",
    )
    script = (
        "import sys; from gardner.cli.commands import app; "
        "app(['bounds', '--alpha', '3', '--budget', '3'], standalone_mode=False); "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert result.stdout.strip().endswith("[]")


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    for options in ("", " --json"):
        command = (
            f"'{sys.executable}' -m gardner bounds --alpha 3 --budget 3{options} | head -1; exit ${{PIPESTATUS[0]}}"
        )
        result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)  # noqa: S603, S607
        assert (result.returncode, result.stderr) == (0, "")


def test_no_arguments_is_help(gardner: Any) -> None:
    code, out, err = gardner()
    assert (code, err) == (2, "")
    assert "bounds" in out


def test_unresolved_ends_are_null_not_numbers() -> None:
    """An end that was not found must not look like one to a script that forgets the status."""
    from gardner import bounds
    from gardner.theory import EndStatus

    result = bounds(pool_ratio=3.0, budget=0.6)
    lost = dataclasses.replace(result.minimum, status=EndStatus.UNRESOLVED, reason="lost")
    shown: Any = dataclasses.replace(result, minimum=lost).to_json()
    assert shown["log_volume"]["minimum"] is None
    assert shown["beta"]["minimum"] is None
    assert shown["reason"]["minimum"] == "lost"
    assert shown["reached"]["minimum"] == result.minimum.log_volume
    assert shown["log_volume"]["maximum"] == result.maximum.log_volume


def test_version(gardner: Any) -> None:
    code, out, _ = gardner("--version")
    assert code == 0
    assert out.startswith("gardner ")


def test_ranges_are_decimal() -> None:
    assert read_range("budget", ["0.1:0.5:0.1", "2"]) == [0.1, 0.2, 0.3, 0.4, 0.5, 2.0]
    with pytest.raises(InvalidInputError):
        read_range("budget", ["1:inf:1"])
    with pytest.raises(InvalidInputError, match="start:stop:step"):  # beyond the exponents of decimals
        read_range("budget", ["1e999999:1e9999999:1e-9999"])


def test_json_has_no_nan() -> None:
    assert json.loads(to_json({"a": [math.nan, 1.0, {"b": math.inf}]})) == {"a": [None, 1.0, {"b": None}]}
