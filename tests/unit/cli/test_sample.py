"""``gardner sample``: what it prints, that it goes on, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SMALL = ("sample", "--alpha", "3", "--budget", "0.6", "--lowest", "-3", "--highest", "5", "--rounds", "100")


def test_json_and_table_say_the_same_and_a_short_run_warns(gardner: Any, tmp_path: Path) -> None:
    asked = (*SMALL, "--features", "10", "--pools", "2", "--out", tmp_path / "chains")
    code, out, err = gardner(*asked, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["question"]["features"] == 10
    assert (found["pools"], found["rounds"]) == (2, 100)
    assert found["status"] == "not mixed"
    assert "warning: the chains of pool 0 did not mix: " in err
    assert {"time", "effective", "exchange", "accepted", "lost", "returns"} <= set(found["chains"][0])
    assert all(abs(one["ep"] - one["amp"]) < 0.1 for one in found["witnesses"])
    code, table, _ = gardner(*asked)
    assert code == 0
    assert f"{found['curve'][0]['log_volume']:.4f}" in table
    assert "exchange rates" in table


def test_a_folder_of_another_question_is_refused(gardner: Any, tmp_path: Path) -> None:
    asked = (*SMALL, "--pools", "1", "--out", tmp_path / "chains")
    assert gardner(*asked, "--features", "10")[0] == 0
    code, out, err = gardner(*asked, "--features", "11")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "answers another question, features 10, pool_ratio 3, budget 0.6" in err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--budget", "3.5"), "the pool has only 3 rows a weight"),
        (("--budget", "3"), "leave nothing to exchange"),
        (("--highest", "1e9"), "at most 1000"),
        (("--lowest", "-inf"), "not below -1000"),
        (("--lowest", "nan"), "below 0"),
        (("--features", "3"), "at least 4"),
        (("--features", "100000"), "the largest"),
        (("--alpha", "1e308"), "the largest"),
        (("--pools", "0"), "at least 1"),
        (("--rounds", "10"), "at least 50"),
    ],
)
def test_what_is_refused_in_one_line(gardner: Any, tmp_path: Path, given: tuple[str, str], said: str) -> None:
    code, out, err = gardner(*SMALL, "--features", "10", "--out", tmp_path / "chains", *given)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
