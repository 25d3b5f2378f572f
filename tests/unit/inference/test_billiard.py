"""The compiled billiard against a slow twin that reckons by angles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from gardner.inference.billiard import Walls, fly
from gardner.model import draw_instance

Floats = NDArray[np.float64]


@pytest.mark.parametrize("offset", [0.0, 0.3])
def test_slow_twin_of_the_billiard(offset: float) -> None:
    instance = draw_instance(features=5, pool_ratio=2.0, seed=1)
    rows = instance.rows * instance.labels[:, None]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    fast, slow, tally = instance.teacher.copy(), instance.teacher.copy(), np.zeros(10, dtype=np.int64)
    total, _ = fly(Walls.of(rows), offset, 20, fast, np.random.default_rng(2), tally)
    bare, again = Walls(rows, np.ascontiguousarray(rows.T), np.empty((0, 0))), instance.teacher.copy()
    assert fly(bare, offset, 20, again, np.random.default_rng(2), np.zeros(10, dtype=np.int64))[0] == total
    rng, hits = np.random.default_rng(2), np.zeros(10, dtype=np.int64)
    for _ in range(20):
        slow = trajectory(rows, offset, slow, rng.standard_normal(5), hits)
    np.testing.assert_allclose(fast, slow, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(fast, again, rtol=0.0, atol=1e-9)
    assert total == hits.sum() > 20
    np.testing.assert_array_equal(tally, hits)


def trajectory(rows: Floats, offset: float, x: Floats, v: Floats, hits: NDArray[np.int64]) -> Floats:
    """A quarter of a period, by angles: f·x(t) = R cos(t − φ) meets −c at φ ± arccos(−c/R)."""
    left = 0.5 * math.pi
    while True:
        a, b = rows @ x, rows @ v
        radius, phase = np.hypot(a, b), np.arctan2(b, a)
        half = np.arccos(np.clip(-offset / radius, -1.0, 1.0))
        times = np.stack([(phase + half) % math.tau, (phase - half) % math.tau])
        times[:, radius < offset] = np.inf
        times[times < 1e-9] = np.inf  # the wall just left
        times[times > math.tau - 1e-9] = np.inf
        soonest = times.min(axis=0)
        wall = int(np.argmin(soonest))
        step = min(float(soonest[wall]), left)
        x, v = math.cos(step) * x + math.sin(step) * v, math.cos(step) * v - math.sin(step) * x
        if step == left:
            return x
        v = v - 2.0 * (rows[wall] @ v) * rows[wall]
        left -= step
        hits[wall] += 1
