"""The places of the explorer's grid."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.report.explorer.axes import AXES, LEAST_BUDGET, MOST_SHARE, W_PLACES, between


def test_ends_and_typical_subset_are_places_of_a_curve() -> None:
    assert W_PLACES[[0, 10, -1]] == pytest.approx([-1.0, 0.0, 1.0], abs=1e-15)
    assert np.all(np.diff(W_PLACES) > 0.0)


def test_places_between_two_numbers_contain_them_exactly() -> None:
    places = between(0.5, 100.0, 22)
    assert (places[0], places[-1], len(places)) == (0.5, 100.0, 22)
    assert np.all(np.diff(places) > 0.0)


@pytest.mark.parametrize("name", list(AXES))
def test_budgets_stay_in_every_pool(name: str) -> None:
    for alpha in AXES[name].alphas:
        budgets = AXES[name].budgets(float(alpha))
        assert budgets[[0, -1]] == pytest.approx([LEAST_BUDGET, MOST_SHARE * alpha])
        assert np.all(np.diff(budgets) > 0.0)
