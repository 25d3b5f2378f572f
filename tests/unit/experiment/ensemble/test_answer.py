"""Σ(ln v) of small pools against all their subsets."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from gardner.experiment.ensemble.answer import kept_rounds, reweighted, summarise_chains
from gardner.experiment.ensemble.chain import Floats
from gardner.experiment.ensemble.folder import PoolRun, sample
from gardner.experiment.ensemble.question import Question
from gardner.experiment.ensemble.reweighting import reweight
from gardner.inference.batched import subset_log_volumes

ASKED = Question(6, 2.0, 0.5, lowest=-4.0, highest=8.0, seed=3)


def _all(index: int) -> Floats:
    """ln Z of all 220 subsets of three rows."""
    rows, labels = ASKED.pool(index)
    subsets = np.array(list(itertools.combinations(range(12), 3)), dtype=np.int32)
    return np.asarray(6 * subset_log_volumes(rows, labels, subsets).log_volume)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[PoolRun]:
    return sample(ASKED, tmp_path_factory.mktemp("chains"), pools=3, rounds=5000)


def test_ln_partition_ln_v_and_complexity_are_those_of_all_subsets(runs: list[PoolRun]) -> None:
    curve = summarise_chains(ASKED, runs).curve
    for beta, noise in ((-4.0, 0.02), (0.0, 1e-9), (8.0, 0.02)):
        point = curve.iloc[(curve["beta"] - beta).abs().argmin()]
        weights = [np.exp(beta * _all(index)) for index in range(3)]
        partition = np.mean([np.log(weight.sum()) for weight in weights]) / 6
        volume = np.mean([weight @ _all(index) / weight.sum() for index, weight in enumerate(weights)]) / 6
        assert point["log_partition"] == pytest.approx(partition, abs=noise)
        assert point["chain_stderr"] <= noise
        assert point["log_volume"] == pytest.approx(volume, abs=0.01)
        assert point["complexity"] == pytest.approx(partition - beta * volume, abs=0.05)


def test_the_histogram_counts_subsets(runs: list[PoolRun]) -> None:
    edges = np.linspace(-4.0, 0.0, 9)
    found = np.exp(reweighted(ASKED, runs[0]).histogram(edges))
    wanted = np.histogram(_all(0), edges)[0]
    assert found.sum() == pytest.approx(wanted.sum(), rel=0.02)
    assert np.abs(found - wanted).max() < 6.0


def test_one_pool_has_no_error_and_unmixed_chains_warn(tmp_path: Path) -> None:
    answer = summarise_chains(ASKED, sample(ASKED, tmp_path, pools=1, rounds=50))
    assert answer.curve["log_volume_stderr"].isna().all()
    assert answer.to_json()["status"] == "not mixed"
    assert "did not mix" in answer.warnings[0]


def test_reweighting_ends_at_the_same_place_wherever_it_starts(runs: list[PoolRun]) -> None:
    whole = reweighted(ASKED, runs[0])
    again = reweight(runs[0].betas, kept_rounds(runs[0]), ASKED.log_count, whole.rungs)
    assert np.allclose(again.log_weight, whole.log_weight, atol=1e-6)
    assert again.iterations <= 1
