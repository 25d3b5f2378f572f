"""The accuracy to expect: right for labels of the model, corrected by the labelled rows for others."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gardner.model import GLM, Probit
from gardner.table.outlook import added, gain_off_by, off_by, surprise
from gardner.table.propose import Proposals, propose


def fitted(noise: float, seed: int) -> tuple[Proposals, float]:
    """A query with 100 labels of 500, and the true accuracy of its predictor on the others."""
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((500, 6))
    truth = np.sign(table @ rng.standard_normal(6))
    found = propose(table, np.where(np.arange(500) < 100, truth, np.nan), 10, model=GLM(channel=Probit(noise)))
    omega, _ = found.fit.fields(table[100:])
    return found, float(np.mean(np.sign(omega) == truth[100:]))


def test_labels_of_the_model_are_no_surprise() -> None:
    runs = [fitted(0.01, seed) for seed in range(5)]
    assert np.mean([surprise(found.posterior) for found, _ in runs]) == pytest.approx(1.0, abs=0.15)
    off = [found.outlook.accuracy - accuracy for found, accuracy in runs if found.outlook]
    assert abs(np.mean(off)) < 0.02


def test_labels_that_are_right_too_often_raise_what_is_expected() -> None:
    """The model was told of a noise that these labels do not have."""
    for seed in range(3):
        found, accuracy = fitted(3.0, seed)
        assert found.outlook is not None
        assert found.outlook.gain is not None
        alone = 1.0 - (1.0 - found.outlook.accuracy) / surprise(found.posterior)
        assert surprise(found.posterior) < 0.9
        assert abs(found.outlook.accuracy - accuracy) < abs(alone - accuracy)
        assert 0.0 <= found.outlook.gain <= 1.0 - found.outlook.accuracy


def test_without_labels_nothing_is_corrected() -> None:
    table = np.random.default_rng(0).standard_normal((40, 3))
    found = propose(table, np.full(40, np.nan), 3)
    assert found.outlook is not None
    assert surprise(found.posterior) == 1.0
    assert found.outlook.accuracy == pytest.approx(0.5)
    assert found.outlook.within is None


def test_more_labels_leave_less_doubt() -> None:
    errors = [off_by(labels) or 0.0 for labels in (1, 10, 15, 20, 40, 100, 10_000)]
    assert errors == sorted(errors, reverse=True)
    assert off_by(10_000) == off_by(100)
    assert errors[-1] > 0.0
    assert off_by(0) is gain_off_by(0) is None


def test_numbers_are_those_of_the_tables_in_the_docs() -> None:
    """Rounded to two digits, as they are printed."""
    page = (Path(__file__).parents[3] / "docs" / "real-tables.md").read_text("utf-8")
    rows = re.findall(r"^\| query, (two|many) \| (\d+) \|.*\| (0\.\d+) \|$", page, re.MULTILINE)
    gains = re.findall(r"^\| a batch, (two|many) \| (\d+) \|.*\| (0\.\d+) \|$", page, re.MULTILINE)
    assert (len(rows), len(gains)) == (8, 6)
    for found, number in ((rows, off_by), (gains, gain_off_by)):
        for kind, labels, off in found:
            assert number(int(labels), many=kind == "many") == pytest.approx(float(off), abs=0.0051)


def test_a_batch_adds_no_more_than_is_missing() -> None:
    assert 0.01 < added(0.01, 0.8) < added(0.01, 0.8, many=True)
    assert added(0.3, 0.8) == pytest.approx(0.2)
    assert added(-1e-9, 0.8) == 0.0
