"""A folder of chains: stopped, gone on with, and of something else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gardner.experiment.ensemble import folder
from gardner.experiment.ensemble.folder import sample
from gardner.experiment.ensemble.question import Question
from gardner.experiment.ensemble.tempering import SamplingError, temper

ASKED = Question(8, 3.0, 0.5, lowest=-2.0, highest=3.0)


def _bytes(where: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (where / "parts").glob("*.parquet")}


def test_a_run_that_was_stopped_ends_with_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sample(ASKED, tmp_path / "whole", pools=2, rounds=150, threads=2)
    calls, real = list[int](), temper

    def stopped(*given: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*given, **named)

    monkeypatch.setattr(folder, "temper", stopped)
    with pytest.raises(KeyboardInterrupt):
        sample(ASKED, tmp_path / "parts", pools=2, rounds=150, threads=1)
    assert 0 < len(_bytes(tmp_path / "parts")) < 6
    monkeypatch.undo()
    again = sample(ASKED, tmp_path / "parts", pools=2, rounds=150, threads=1)
    assert _bytes(tmp_path / "whole") == _bytes(tmp_path / "parts")
    assert np.array_equal(whole[1].log_evidence, again[1].log_evidence)


def test_more_rounds_go_on_and_nothing_is_run_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = sample(ASKED, tmp_path, pools=1, rounds=50)
    more = sample(ASKED, tmp_path, pools=1, rounds=100)
    assert np.array_equal(more[0].log_evidence[:50], first[0].log_evidence)
    monkeypatch.setattr(folder, "temper", None)  # whoever calls it fails
    assert np.array_equal(sample(ASKED, tmp_path, pools=1, rounds=100)[0].log_evidence, more[0].log_evidence)


def test_subsets_keep_their_names_from_block_to_block(tmp_path: Path) -> None:
    run = sample(ASKED, tmp_path, pools=1, rounds=100)[0]
    assert (np.sort(run.walker, axis=1) == np.arange(run.betas.size)).all()
    # what stands at a rung moves by one rung a round at most, across the border of blocks too
    where = np.argsort(run.walker, axis=1)
    assert np.abs(np.diff(where[48:53], axis=0)).max() <= 1


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    sample(ASKED, tmp_path, pools=1, rounds=50)
    (tmp_path / "question.json").write_text("{")
    with pytest.raises(SamplingError, match="none that can be read"):
        sample(ASKED, tmp_path, pools=1, rounds=50)
    (tmp_path / "question.json").unlink()
    with pytest.raises(SamplingError, match="something else"):
        sample(ASKED, tmp_path, pools=1, rounds=50)
