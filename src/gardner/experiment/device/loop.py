"""Active learning on a device, round by round: fit → measure → choose → label."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from gardner.experiment.device.choice import Chooser, make_chooser
from gardner.experiment.device.pool import DevicePool
from gardner.experiment.rounds import Round, Run, Seconds, label_count, measured, random_streams
from gardner.inference.device.follower import Follower
from gardner.inference.message_passing import Variances
from gardner.inference.posterior import Posterior
from gardner.model import GLM, PERCEPTRON, library_of
from gardner.model.arrays import Integers

# The residual at which AMP stops, in units of a prior weight: that of the loop on the CPU.
TOLERANCE = 1e-5


def run_on_device(
    pool: DevicePool,
    strategy: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    budget: float,
    batch_size: int,
    seed: int,
    model: GLM = PERCEPTRON,
    variances: Variances = "scalar",
    tolerance: float = TOLERANCE,
    twin: Literal["auto", "kernel", "readable"] = "auto",
) -> Run:
    """Spend a budget of labels (per weight) on a pool.

    The first batch is the one of :func:`gardner.run` on the same seed.

    >>> import gardner
    >>> from gardner.experiment.device.pool import stored_pool
    >>> problem = gardner.draw_instance(features=200, pool_ratio=3.0, seed=0)
    >>> curve = run_on_device(stored_pool(problem), "agnostic", budget=0.6, batch_size=10, seed=0)
    >>> last = curve.rounds[-1]
    >>> last.labels, round(last.log_volume, 2)
    (120, -0.4)
    """
    features, count = pool.rows.features, pool.rows.count
    total = label_count(budget, batch_size, count, features)
    chooser = make_chooser(strategy, parameters)
    student = model.of_size(features)
    follower = Follower(pool.rows, pool.labels, student, tolerance=tolerance, variances=variances, twin=twin)
    first, rng = random_streams(seed)
    follower.label(_first_order(first.permutation(count), min(batch_size, total)), min(batch_size, total))
    rounds, seconds, begin = list[Round](), list[Seconds](), time.perf_counter()
    teacher = Teacher(pool)
    while True:
        posterior = follower.posterior()
        fitted = time.perf_counter()
        rounds.append(measured(posterior, teacher.products(posterior), follower.count, rounds[-1] if rounds else None))
        if follower.count >= total:
            seconds.append(Seconds(0.0, fitted - begin, 0.0))
            break
        _grow(follower, chooser, min(batch_size, total - follower.count), rng)
        end = time.perf_counter()
        seconds.append(Seconds(0.0, fitted - begin, end - fitted))
        begin = end
    return Run(rounds, follower.order[:total].copy(), chooser.informed, seconds)


def _first_order(shuffled: Integers, size: int) -> Integers:
    """Some rows at random, then all others as they stand in the pool."""
    return np.concatenate([shuffled[:size], np.sort(shuffled[size:])])


def _grow(follower: Follower, chooser: Chooser, size: int, rng: np.random.Generator) -> None:
    count = follower.count + size
    order = chooser.grow(follower, size, rng)
    if follower.count < count:  # a search has labelled its rows on the way
        follower.label(order, count)


class Teacher:
    """The teacher's weights, for what is measured by them."""

    def __init__(self, pool: DevicePool) -> None:
        """Its length is known once and for all."""
        self.xp, self.weights = library_of(pool.teacher).xp, pool.teacher
        self.length = float(self.xp.sum(pool.teacher * pool.teacher)) ** 0.5

    def products(self, posterior: Posterior) -> tuple[float, float, float]:
        """The mean weights times the teacher's, their squared length, and the teacher's length."""
        mean = posterior.mean
        return float(self.xp.sum(mean * self.weights)), float(self.xp.sum(mean * mean)), self.length
