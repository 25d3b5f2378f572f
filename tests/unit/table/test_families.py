"""Models to choose from: what ends at the edge of its search is said, and a rare class can be told
as rare.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.table.families import FLIP, PROBIT, REGRESSION, Family
from gardner.table.propose import propose


@pytest.mark.parametrize("family", [PROBIT, FLIP, REGRESSION])
def test_a_parameter_at_the_edge_of_its_search_is_said(family: Family) -> None:
    assert family.at_edge(family.start) == []
    for place, (low, high) in enumerate(family.bounds):
        for end, word in ((low, "lower"), (high, "upper")):
            at = [*family.start]
            at[place] = end
            said = family.at_edge(tuple(at))
            assert said == [f"the {family.names[place]} went to the {word} end of its search, {math.exp(end):.2g}"]


def test_it_is_said_of_a_query() -> None:
    """Numbers that follow a rule without any noise: the noise of the fit goes as low as it may."""
    table = np.random.default_rng(0).standard_normal((400, 2))
    numbers = np.where(np.arange(400) < 390, table @ [1.0, 2.0], np.nan)
    assert any("noise went to the lower end of its search" in note for note in propose(table, numbers, 1).fit.notes)


def test_a_rare_class_is_predicted_as_rare() -> None:
    """Columns that tell nothing: 5 % of 200 labels are positive, and so is what is expected of
    other rows.
    """
    rng = np.random.default_rng(0)
    table = rng.standard_normal((600, 20))
    labels = np.where(np.arange(600) < 200, np.where(np.arange(600) % 20 == 0, 1.0, -1.0), np.nan)
    found = propose(table, labels, 400).rows
    assert np.mean([one.probability for one in found]) == pytest.approx(0.05, abs=0.03)
