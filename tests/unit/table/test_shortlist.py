"""What is kept for the choice of a batch, and what a row tells about the others."""

from __future__ import annotations

import numpy as np

from gardner.table import shortlist


def test_a_long_batch_keeps_a_bounded_list() -> None:
    kept = [shortlist.rows_kept(count, 10**9) for count in (1, 10, 400, 500, 1000, 2500, 5000)]
    assert kept == [2000, 2000, 2000, 2500, 5000, 5000, 10_000]
    assert shortlist.rows_kept(1000, 1200) == 1200


def test_targets_have_their_places_or_none() -> None:
    table = np.arange(12.0).reshape(6, 2)
    places, features = shortlist.located(table, np.array([4, 1]))
    assert places.tolist() == [4, 1]
    assert features.tolist() == [[8.0, 9.0], [2.0, 3.0]]
    places, features = shortlist.located(table, np.array([[1, 2]]))
    assert places.tolist() == [-1]
    assert features.dtype == np.float64


def test_a_row_is_none_of_its_targets() -> None:
    information = np.array([[9.0, 1.0, 3.0], [2.0, 4.0, 6.0], [7.0, 7.0, 7.0]])
    own = np.array([[True, False, False], [False, False, False], [True, True, True]])
    assert shortlist.mean_over_others(information, own).tolist() == [2.0, 4.0, 0.0]
