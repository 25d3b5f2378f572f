"""``gardner bench`` with priors and channels of one's own, and with the options of AMP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gardner.experiment.stored.reading import read_results
from gardner.experiment.sweep.cluster import local_cluster

SIZES = ["-N", "60", "-a", "3", "-n", "0.3", "-k", "6", "-s", "2"]


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with local_cluster(2) as address:
        yield address


MODEL = """
from dataclasses import dataclass
from gardner.model import Gaussian

@dataclass(frozen=True)
class Wide(Gaussian):
    variance: float = 4.0
"""


def test_models_of_ones_own(gardner: Any, tmp_path: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that names them knows them; who only reads the results does not run anything."""
    (tmp_path / "mine.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    where = ["--out", str(tmp_path / "out"), "--scheduler", scheduler]
    code, out, err = gardner("bench", "random", *SIZES, "--prior", "./mine.py:Wide", *where, "--json")
    assert (code, err) == (0, f"2 tasks in {tmp_path / 'out'}: 2 run now, 0 were there\n")
    (row,) = json.loads(out)["rows"]
    assert row["model"] == "mine.py:Wide / sign"
    plain = json.loads(gardner("bench", "random", *SIZES, "--prior", "gaussian:4", *where, "--json")[1])["rows"]
    for name in ("log_volume", "gap_to_minimum", "gap_to_halving"):  # the size of the weights does not matter to a sign
        assert row[name] == pytest.approx(plain[0][name], abs=1e-5)
    code, out, err = gardner("results", "out", "--at", "0.3", "--json")
    assert (code, [found["model"] for found in json.loads(out)["rows"]]) == (0, ["gaussian:4.0 / sign"])
    assert err.startswith("note: 2 runs left out: their models are not among those of `gardner models` (mine.py:Wide")
    code, out, err = gardner("bench", "random", *SIZES, "--prior", "mine.py:Wide", *where, "--json")
    assert (code, "0 run now, 2 were there" in err) == (0, True)
    assert json.loads(out)["rows"] == [row]


@pytest.mark.parametrize("name", ["prior", "channel", "teacher_prior", "teacher_channel"])
@pytest.mark.parametrize("text", ["hostile.py:X", "hostile.py:X:1", "hostile:X", "hostile.X"])
def test_a_spec_file_runs_no_model(gardner: Any, canary: Path, name: str, text: str) -> None:
    """A file is data; who wants a model of one's own names it on the command line."""
    sizes = "strategies: random, features: 60, pool_ratio: 3, budget: 0.3, batch_size: 6, seeds: 1"
    Path("spec.yaml").write_text(f"{{{sizes}, {name}: '{text}'}}")
    code, out, err = gardner("bench", "spec.yaml")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith(f"error: {name} = '{text}' is not valid: a spec file names models of `gardner models` only")
    assert not canary.exists()


def test_options_of_amp(gardner: Any, tmp_path: Path, scheduler: str) -> None:
    """What a spec file can say, the command line can."""
    where = ["--out", str(tmp_path / "out"), "--scheduler", scheduler]
    options = ["--variances", "scalar", "--dtype", "float64"]
    code, out, _ = gardner("bench", "random", *SIZES, *options, *where, "--json")
    assert code == 0
    assert [row["strategy"] for row in json.loads(out)["rows"]] == ["random(dtype=float64, variances=scalar)"]
    frame = read_results(tmp_path / "out")
    assert (set(frame["variances"]), set(frame["dtype"])) == ({"scalar"}, {"float64"})
