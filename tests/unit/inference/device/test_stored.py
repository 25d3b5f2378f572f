"""Rows as a device keeps them."""

from __future__ import annotations

import array_api_strict
import numpy as np

from gardner.experiment.device.pool import stored_pool
from gardner.inference.device import stored
from gardner.model import draw_instance


def test_products_and_sums_are_those_of_the_rows() -> None:
    problem = draw_instance(37, 2.0, 0)
    rows = stored_pool(problem).rows
    order = np.array([5, 1, 40, 73])
    weights = np.array([0.5, -1.0, 2.0, 3.0], dtype=np.float32)
    vector = np.linspace(-1.0, 1.0, 37, dtype=np.float32)
    assert rows.entries.shape == (74, 40)  # filled up to whole pieces of 16 bytes
    np.testing.assert_allclose(rows.dots(order, vector), problem.rows[order] @ vector, rtol=1e-5)
    np.testing.assert_allclose(rows.sum(order, weights), weights @ problem.rows[order], rtol=1e-4, atol=1e-7)
    squares = rows.sum(order, weights, squared=True)
    np.testing.assert_allclose(squares, weights @ problem.rows[order] ** 2, rtol=1e-4, atol=1e-8)
    np.testing.assert_allclose(rows.norms, (problem.rows**2).sum(axis=1), rtol=1e-6)


def test_pieces_put_together_are_the_whole() -> None:
    problem = draw_instance(20, 3.0, 0)
    rows, whole = stored_pool(problem, array_api_strict.zeros(1)).rows, stored.PIECE
    order = array_api_strict.asarray(np.arange(60))
    vector = array_api_strict.ones(20, dtype=array_api_strict.float32)
    at_once = np.asarray(rows.dots(order, vector))
    try:
        stored.PIECE = 100  # five rows at a time
        assert len(list(rows.pieces(order))) == 12
        np.testing.assert_array_equal(np.asarray(rows.dots(order, vector)), at_once)
    finally:
        stored.PIECE = whole
