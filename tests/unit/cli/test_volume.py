"""``gardner volume``: files in, one answer out."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.array_files import PROBLEM, written

from gardner.inference import infer


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return written(tmp_path)


@pytest.fixture
def volume(gardner: Any) -> Any:
    return lambda *arguments: gardner("volume", *arguments)


@pytest.mark.parametrize("method", ["amp", "ep", "mc"])
def test_json(volume: Any, files: Path, method: str) -> None:
    code, out, err = volume("--rows", files / "F.npy", "--labels", files / "y.npy", "--method", method, "--json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    expected = infer(PROBLEM.rows, PROBLEM.labels, method=method)
    assert record["log_volume"] == expected.log_volume
    assert record["log_evidence"] == pytest.approx(40 * record["log_volume"])
    assert record["status"] == "converged"
    assert (record["method"], record["features"], record["rows"]) == (method, 40, 32)
    assert (record["stderr"] is not None) == (method == "mc")
    assert record["iterations"] > 0
    assert record["residual"] == expected.residual


def test_table(volume: Any, files: Path) -> None:
    code, out, _ = volume("--rows", files / "F.npy", "--labels", files / "y.npy", "--scale")
    assert code == 0
    assert f"{infer(PROBLEM.rows, PROBLEM.labels).log_volume:.6f}" in out  # the sign channel does not feel the scale
    assert "converged" in out


def test_labels_out_of_the_same_table_are_no_feature(volume: Any, tmp_path: Path) -> None:
    frame = pd.DataFrame(PROBLEM.rows, columns=[f"x{i}" for i in range(40)]).assign(label=PROBLEM.labels)
    frame.to_csv(tmp_path / "all.csv", index=False)
    frame.convert_dtypes().to_parquet(tmp_path / "all.parquet")
    for name in ("all.csv", "all.parquet"):
        table = tmp_path / name
        record = json.loads(volume("--rows", table, "--labels", f"{table}:label", "--json")[1])
        assert record["features"] == 40
        assert record["log_volume"] == pytest.approx(infer(PROBLEM.rows, PROBLEM.labels).log_volume, abs=1e-9)


def test_empty_volume(volume: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "F.npy", np.array([[1.0, 2.0], [1.0, 2.0]]))
    np.save(tmp_path / "y.npy", np.array([1, -1]))
    for method in ("amp", "ep", "mc"):
        arguments = ("--rows", tmp_path / "F.npy", "--labels", tmp_path / "y.npy", "--method", method)
        code, out, err = volume(*arguments, "--json")
        assert code == 0
        record = json.loads(out)
        assert record["log_volume"] is None
        assert record["status"] == "empty"
        assert "empty" in err
        assert not any(isinstance(value, float) and math.isnan(value) for value in record.values())
        assert "-inf" in volume(*arguments)[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--rows", "nowhere.npy", "--labels", "y.npy"), "no such file"),
        (("--rows", "F.npy", "--labels", "F.npy"), "one column is wanted"),
        (("--rows", "F.npy", "--labels", "y.csv"), "one column is wanted"),
        (("--rows", "F.npy", "--labels", "y.csv:nolabel"), "has the columns x, label"),
        (("--rows", "both.npz:nothing", "--labels", "y.npy"), "rows, labels, other"),
        (("--rows", "F.npy:0", "--labels", "y.npy"), "one array"),
        (("--rows", "F.npy", "--labels", "y.npy", "--method", "magic"), "amp, ep, mc"),
        (("--rows", "text.txt", "--labels", "y.npy"), "npy"),
        (("--rows", "broken.npy", "--labels", "y.npy"), "cannot be read"),
        (("--rows", "words.csv", "--labels", "y.npy"), "numbers are wanted"),
        (("--rows", "plain.csv", "--labels", "half.npy"), "labels[0] = 0.5"),
        (("--rows", "truncated.npz", "--labels", "y.npy"), "cannot be read"),
        (("--rows", "archive.npy", "--labels", "y.npy"), "not what its name says"),
        (("--rows", "array.npz", "--labels", "y.npy"), "not what its name says"),
        (("--rows", "zero.npy", "--labels", "y.npy", "--scale"), "a matrix is wanted"),
        (("--rows", "index.csv", "--labels", "y.npy"), "index=False"),
        (("--rows", "F.npy", "--labels", "y.npy", "--method", "mc", "--seed", "-1"), "seed"),
        (("--rows", "F.npy", "--labels", "y.npy", "--method", "mc", "--stderr", "1e-200"), "stderr"),
    ],
)
def test_errors_are_one_line(volume: Any, files: Path, arguments: tuple[str, ...], says: str) -> None:
    (files / "text.txt").write_text("1 2")
    (files / "broken.npy").write_bytes(b"\x93NUMPY no")
    (files / "words.csv").write_text("a,b\nx,1\ny,2\n")
    np.save(files / "half.npy", 0.5 * PROBLEM.labels**2)
    (files / "truncated.npz").write_bytes((files / "both.npz").read_bytes()[:300])
    (files / "archive.npy").write_bytes((files / "both.npz").read_bytes())
    (files / "array.npz").write_bytes((files / "F.npy").read_bytes())
    np.save(files / "zero.npy", np.array(1.0))
    pd.DataFrame(PROBLEM.rows).to_csv(files / "index.csv")
    placed = [str(files / text) if "." in text else text for text in arguments]
    code, out, err = volume(*placed)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(("method", "other"), [("amp", "--method ep"), ("ep", "--method mc")])
def test_a_doubtful_result_says_so(volume: Any, tmp_path: Path, method: str, other: str) -> None:
    """24 copies of a row: AMP −2.4, EP −1.15, exactly −0.69."""
    np.save(tmp_path / "F.npy", np.tile(PROBLEM.rows[:1], (24, 1)))
    np.save(tmp_path / "y.npy", np.ones(24))
    given = "--rows", tmp_path / "F.npy", "--labels", tmp_path / "y.npy", "--method", method
    code, out, err = volume(*given)
    assert (code, err.count("\n")) == (0, 1)
    assert err.startswith(f"warning: {method} is doubtful: ")
    assert other in err
    assert "doubtful" in out
    record = json.loads(volume(*given, "--json")[1])
    assert record["status"] == "doubtful"
    assert record["doubt"] in err
    assert record["log_evidence_correction"] > 0.3
