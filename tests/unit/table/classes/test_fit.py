"""Many classes fitted: renaming changes nothing, rare stays rare, probabilities are right on
average.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.model import GLM, Gaussian, Logistic, Probit, Sign
from gardner.table.classes import fit as module
from gardner.table.classes.fit import ClassFit, fit_classes
from gardner.table.classes.largest import chances
from gardner.table.scaling import spread_of


def problem(count: int, columns: int, kinds: int, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Labels of the largest of noisy fields; the last class is made rare by a shift."""
    rng = np.random.default_rng(3)
    table = rng.standard_normal((count, columns))
    fields = table @ rng.standard_normal((columns, kinds)) + 0.5 * rng.standard_normal((count, kinds))
    fields[:, -1] -= shift
    return table, fields.argmax(axis=1)


def predicted(fit: ClassFit, table: np.ndarray) -> np.ndarray:
    return chances(*fit.noisy(*fit.fields(table)))


def test_probabilities_are_right_on_average() -> None:
    table, codes = problem(1000, 5, 4)
    found = fit_classes(table[:100], codes[:100], 4, spread_of(table))
    probability = predicted(found, table[100:])
    right = probability.argmax(axis=1) == codes[100:]
    assert right.mean() > 0.7
    assert probability.max(axis=1).mean() == pytest.approx(right.mean(), abs=0.06)
    assert probability.mean(axis=0) == pytest.approx(np.bincount(codes[100:]) / 900.0, abs=0.06)
    assert found.posterior.log_evidence == pytest.approx(sum(one.log_evidence for one in found.posteriors))
    assert len(found.tried) == 3


def test_renaming_classes_renames_the_answer() -> None:
    table, codes = problem(120, 4, 3)
    model = GLM(Gaussian(), Probit(0.1))
    spread, order = spread_of(table), np.array([2, 0, 1])
    first = predicted(fit_classes(table[:60], codes[:60], 3, spread, model=model), table)
    second = predicted(fit_classes(table[:60], order[codes[:60]], 3, spread, model=model), table)
    assert second[:, order] == pytest.approx(first, abs=1e-6)


def test_a_rare_class_is_predicted_as_rare() -> None:
    table, codes = problem(2000, 4, 3, shift=2.0)
    share = float(np.mean(codes == 2))
    assert 0.005 < share < 0.05
    known = np.concatenate([np.flatnonzero(codes == 2)[:2], np.flatnonzero(codes != 2)[:98]])
    found = fit_classes(table[known], codes[known], 3, spread_of(table))
    assert predicted(found, table)[:, 2].mean() < 0.06


def test_sharpness_makes_left_out_labels_likelier() -> None:
    """Easy labels, of one direction among many: a prior that counts all alike is too cautious."""
    rng = np.random.default_rng(0)
    table = rng.standard_normal((400, 12))
    table[:, 0] *= 6.0
    codes = np.digitize(table[:, 0], [-4.0, 4.0])
    found = fit_classes(table[:60], codes[:60], 3, spread_of(table), scaling="standardised")
    plain = chances(*found.noisy(found.fields(table[60:])[0] / found.sharpness, found.fields(table[60:])[1]))
    rows = np.arange(340)
    loss, plain_loss = (-np.mean(np.log(one[rows, codes[60:]])) for one in (predicted(found, table[60:]), plain))
    assert loss <= plain_loss + 0.01
    assert math.isfinite(found.sharpness)


def test_other_channels_and_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table, codes = problem(60, 3, 3)
    spread = spread_of(table)
    other = fit_classes(table[:40], codes[:40], 3, spread, model=GLM(Gaussian(), Logistic(5.0)))
    assert np.mean(predicted(other, table).argmax(axis=1) == codes) > 0.6
    assert predicted(other, table).sum(axis=1) == pytest.approx(np.ones(60))
    with pytest.raises(InvalidInputError, match="scaling = 'none'"):
        fit_classes(table, codes, 3, spread, scaling="none")
    with pytest.raises(ConvergenceError, match="no weights give these labels"):
        fit_classes(table, codes, 3, spread, model=GLM(Gaussian(), Sign()))
    monkeypatch.setattr(module, "MOST_ENTRIES", 20)
    with pytest.raises(InvalidInputError, match="with 3 classes at most 2 labels or columns"):
        fit_classes(table, codes, 3, spread)
