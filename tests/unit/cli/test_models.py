"""``gardner models`` and the options that take them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gardner.model import CHANNELS, PRIORS, draw_instance

Run = Callable[..., tuple[int, str, str]]


def test_every_model_is_listed(gardner: Run) -> None:
    found = json.loads(gardner("models", "--json")[1])
    assert [line["name"].partition(":")[0] for line in found["priors"]] == [*PRIORS, "spectrum"]
    assert [line["name"].partition(":")[0] for line in found["channels"]] == list(CHANNELS)
    shown = gardner("models")[1]
    assert "gauss-bernoulli:DENSITY" in shown


def test_bounds_of_a_noisy_channel(gardner: Run) -> None:
    code, out, _ = gardner("bounds", "--alpha", "3", "--budget", "0.6", "--channel", "flip:0.05", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["model"] == found["teacher"] == {"prior": "gaussian", "channel": "flip:0.05"}
    assert found["log_volume"]["typical"] == pytest.approx(-0.393223, abs=1e-5)
    bits = found["information_bits"]
    assert bits["typical"] < bits["agnostic"] < 0.6 * (1.0 + 0.05 * np.log2(0.05) + 0.95 * np.log2(0.95)) + 1e-6
    best = found["extremes"]["most_information"]
    assert best["information_bits"] > bits["minimum"]


def test_volume_of_noisy_labels(gardner: Run, tmp_path: Path) -> None:
    problem = draw_instance(features=60, pool_ratio=1.0, seed=0)
    np.save(tmp_path / "F.npy", problem.rows)
    np.save(tmp_path / "y.npy", problem.labels)
    files = ("--rows", str(tmp_path / "F.npy"), "--labels", str(tmp_path / "y.npy"))
    found = [json.loads(gardner("volume", *files, "--channel", name, "--json")[1]) for name in ("sign", "probit:1")]
    assert found[1]["model"] == {"prior": "gaussian", "channel": "probit:1.0"}
    assert found[1]["log_volume"] < 0.0
    assert found[1]["log_volume"] != found[0]["log_volume"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("bounds", "--alpha", "3", "--budget", "0.6", "--channel", "nonsense"),
        ("bounds", "--alpha", "3", "--budget", "0.6", "--channel", "flip:0.7"),
        ("bounds", "--alpha", "3", "--budget", "0.6", "--prior", "gauss-bernoulli:2"),
        ("bench", "random", "-N", "20", "-a", "3", "-n", "0.5", "-k", "2", "-s", "1", "--channel", "flip:x"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(gardner: Run, arguments: tuple[str, ...]) -> None:
    code, _, complaint = gardner(*arguments)
    assert code == 2
    assert complaint.startswith("error: ")
    assert len(complaint.strip().splitlines()) == 1
