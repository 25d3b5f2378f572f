"""The accuracy to expect: of classes that follow the model it is what one finds."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.table.classes.batch import choose_rows
from gardner.table.classes.fit import fit_classes
from gardner.table.classes.outlook import expected_accuracy
from gardner.table.scaling import spread_of


def test_expected_is_found() -> None:
    rng = np.random.default_rng(0)
    table = rng.standard_normal((600, 4))
    codes = (table @ rng.standard_normal((4, 3)) + 0.3 * rng.standard_normal((600, 3))).argmax(axis=1)
    places = np.arange(50, 600)
    fit = fit_classes(table[:50], codes[:50], 3, spread_of(table))
    few, many = (
        expected_accuracy(fit, choose_rows(table, places, count, fit=fit, targets=places[::4])) for count in (2, 30)
    )
    measured = np.mean(fit.fields(table[50:])[0].argmax(axis=1) == codes[50:])
    assert few.accuracy == many.accuracy == pytest.approx(measured, abs=0.05)
    assert few.gain is not None
    assert many.gain is not None
    assert 0.0 <= few.gain < many.gain < 1.0 - many.accuracy
    assert many.reached(0.5)
    assert not many.reached(0.999)
