"""Whether the device path is right: kernel and choice of rows against float64 on the CPU, for
benchmarks/gpu.py.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch

from gardner.experiment.device.choice import make_chooser, surprises
from gardner.experiment.device.pool import DevicePool, draw_pool
from gardner.inference.device.follower import Follower
from gardner.inference.device.fused import FusedIteration
from gardner.inference.device.iteration import PlainIteration
from gardner.inference.device.stored import StoredRows
from gardner.model import GLM, PERCEPTRON, Flip, Gaussian, Probit

MODELS = {"sign": PERCEPTRON, "probit:0.1": GLM(Gaussian(), Probit(0.1)), "flip:0.05": GLM(Gaussian(), Flip(0.05))}
PRECISIONS = ("float32", "bfloat16", "float16")


def check() -> dict[str, Any]:
    """A few iterations by the kernel and in float64 on the CPU, from the same rows and the same
    start.
    """
    found = {}
    for features, ratio in ((200, 3.0), (1001, 2.0), (2000, 1.5), (20000, 0.05), (50000, 0.02), (100000, 0.01)):
        for precision in PRECISIONS:
            for name, model in MODELS.items():
                if features > 2000 and name != "sign":
                    continue
                worst = _compare(features, ratio, precision, model)
                found[f"{features} {precision} {name}"] = worst
                print(
                    f"check: N = {features:6d} {precision:8s} {name:10s} worst relative difference {worst:.1e}",
                    flush=True,
                )
    return found


def _compare(features: int, ratio: float, precision: str, model: GLM) -> float:
    pool = draw_pool(features, ratio, int(time.time_ns() % 2**31), model, device="cuda", dtype=precision)
    exact = in_double(pool)
    order = np.random.default_rng().permutation(pool.rows.count)[: max(1, pool.rows.count * 2 // 3)]
    kernel, plain = FusedIteration(pool.rows, pool.labels, model), PlainIteration(exact.rows, exact.labels, model)
    whole = torch.as_tensor(np.concatenate([order, np.setdiff1d(np.arange(pool.rows.count), order)]))
    worst = 0.0
    kernel.label(whole.int().cuda(), order.size, slice(0, order.size))
    plain.label(whole, order.size, slice(0, order.size))
    for keep in (0.0, 0.3, 0.0):
        kernel.advance(keep, 1e-30, 1)
        plain.advance(keep, 1e-30, 1)
        (mine, my_weights), (theirs, their_weights) = kernel.found(), plain.found()
        pairs = [
            (mine.omega, theirs.omega),
            (mine.V, theirs.V),
            (mine.g, theirs.g),
            (kernel.mean[:features], plain.mean),
        ]
        pairs += [(my_weights.b, their_weights.b), (mine.precision, theirs.precision)]
        for got, wanted in pairs:
            a, b = (torch.as_tensor(part).double().cpu() for part in (got, wanted))
            worst = max(worst, float((a - b).norm() / b.norm()))
    begin, count = order.size, pool.rows.count
    got_dots: Any = kernel.dots(whole.int().cuda(), begin, count)
    wanted_dots: Any = plain.dots(whole, begin, count)
    got, wanted = got_dots.double().cpu(), wanted_dots
    return max(worst, float((got - wanted).norm() / wanted.norm()))


class _Doubles(StoredRows):
    """Rows in double precision, for the comparison alone."""

    def pieces(self, order: Any) -> Any:
        """All at once."""
        yield slice(0, int(order.shape[0])), self.entries[order][:, : self.features]


def in_double(pool: DevicePool) -> DevicePool:
    """The same pool in double precision, on the CPU."""
    entries: Any = pool.rows.entries
    entries = entries.cpu().double()
    rows = _Doubles(entries, pool.rows.features, (entries * entries).sum(dim=1))
    labels: Any = pool.labels
    teacher: Any = pool.teacher
    return DevicePool(rows, teacher.cpu().double(), labels.cpu().double())


def rounds() -> dict[str, Any]:
    """From the labelled rows of each tenth round: what would the CPU choose in float64, and how far
    apart are they?
    """
    found = {}
    for name in ("agnostic", "informed"):
        pool = draw_pool(2000, 3.0, 3, device="cuda")
        exact = in_double(pool)
        chooser = make_chooser(name)
        mine = Follower(pool.rows, pool.labels, PERCEPTRON, tolerance=1e-6)
        rng = np.random.default_rng(0)
        mine.label(rng.permutation(pool.rows.count), 20)
        differing, worst, asked = 0, 0.0, 0
        for turn in range(120):
            mine.posterior()
            order = chooser.grow(mine, 20, rng)
            if turn % 10 == 0:
                theirs = Follower(exact.rows, exact.labels, PERCEPTRON, tolerance=1e-9)
                theirs.label(mine.order, mine.count)
                theirs.posterior()
                scores = _scores(name, theirs)
                wanted = set(mine.order[mine.count :][np.argsort(-scores, kind="stable")[:20]].tolist())
                got = set(order[mine.count : mine.count + 20].tolist())
                value = dict(zip(mine.order[mine.count :].tolist(), scores.tolist(), strict=True))
                edge = min(value[row] for row in wanted)
                worst = max([worst, *(edge - value[row] for row in got - wanted)])
                differing, asked = differing + len(got - wanted), asked + 20
            mine.label(order, mine.count + 20)
        found[name] = {"differing": differing, "asked": asked, "worst": worst}
        print(
            f"rounds: {name}: {differing} of {asked} rows differ from the CPU's; "
            f"their scores are at most {worst:.1e} from the edge",
            flush=True,
        )
    return found


def _scores(name: str, follower: Follower) -> Any:
    if name == "informed":
        return np.asarray(surprises(follower))
    mean, variance = (np.asarray(part) for part in follower.fields(follower.count, follower.rows.count))
    return -np.abs(mean) / np.sqrt(variance)
