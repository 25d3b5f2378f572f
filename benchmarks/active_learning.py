"""Agnostic AL-AMP: the product's loop against a plain NumPy one, and how its time grows with N.

1. N = 2000, α = 3, k = 20 up to n = 2, against a NumPy float64 loop that does the same rounds: the
   same criterion, batch, tolerance and warm starts, F² stored, four products an iteration.
2. Growth of the time with N at fixed k/N, where the pool is out of cache: the exponent of N. A
   whole run is N²-sized passes times rounds times iterations, both of which are constant at fixed
   k/N, so 2 is the ideal.
3. Share of the time outside compiled kernels.

    python -m benchmarks.active_learning             # several minutes
    python -m benchmarks.active_learning --quick     # N = 600 and a smaller range
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from gardner.experiment.loop.pool import TOLERANCE, run
from gardner.inference import kernel, threads
from gardner.model import PERCEPTRON, Instance, draw_instance
from gardner.strategies import make_registered

ALPHA = 3.0
WANTED, EXPONENT, SHARE = 6.0, 2.3, 0.15
REPEATS = 3


def plain(problem: Instance, budget: float, batch: int, first: Any) -> tuple[float, float]:
    """The paper's Algorithm 1 in NumPy; returns seconds and the final ln v's stand-in, the norm of
    the mean.
    """
    pool, labels = problem.rows.astype(np.float64), problem.labels.astype(np.float64)
    squares_of_pool = pool * pool
    features = pool.shape[1]
    begin = time.perf_counter()
    chosen = np.array(first)
    mean, variance, g = np.zeros(features), np.ones(features), np.zeros(len(chosen))
    while True:
        rows, squares, y = pool[chosen], squares_of_pool[chosen], labels[chosen]
        while True:
            V = squares @ variance
            omega = rows @ mean - V * g
            before = g
            g, minus_slope = map(np.asarray, PERCEPTRON.channel.derivatives(y, omega, V))
            precision = squares.T @ minus_slope
            new, variance = map(np.asarray, PERCEPTRON.prior.moments(precision, precision * mean + rows.T @ g))
            change = float(np.sqrt(np.mean((new - mean) ** 2) + np.mean((g - before) ** 2 * V)))
            mean = new
            if change < TOLERANCE:
                break
        if len(chosen) >= round(budget * features):
            return time.perf_counter() - begin, float(mean @ mean) / features
        margin = np.abs(pool @ mean) / np.sqrt(squares_of_pool @ variance)
        margin[chosen] = np.inf
        chosen = np.concatenate([chosen, np.argsort(margin)[:batch]])
        g = np.concatenate([g, np.zeros(batch)])


class Stopwatch:
    """Wall-clock time inside the compiled passes, by wrapping the one door they go through."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.original = threads.run_all

    def __enter__(self) -> Stopwatch:
        def timed(*arguments: Any) -> None:
            begin = time.perf_counter()
            self.original(*arguments)
            self.seconds += time.perf_counter() - begin

        setattr(kernel, "run_all", timed)  # noqa: B010
        return self

    def __exit__(self, *_: object) -> None:
        setattr(kernel, "run_all", self.original)  # noqa: B010


def product(problem: Instance, budget: float, batch: int) -> tuple[float, float, Any, float]:
    """Seconds, the norm of the final mean, the first batch and the share of time outside kernels."""
    strategy = make_registered("agnostic", {})
    with Stopwatch() as watch:
        begin = time.perf_counter()
        result = run(problem, strategy, budget=budget, batch_size=batch, seed=0)
        seconds = time.perf_counter() - begin
    return seconds, float(result.rounds[-1].self_overlap or 0.0), result.queried[:batch], 1.0 - watch.seconds / seconds


def _medians(runs: list[Any], columns: tuple[int, ...]) -> list[float]:
    return [float(np.median([run[column] for run in runs])) for column in columns]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    features, budget, batch = (600, 2.0, 6) if quick else (2000, 2.0, 20)
    product(draw_instance(100, ALPHA, 0, dtype=np.float32), 0.5, 10)  # compile
    problem = draw_instance(features, ALPHA, 0, dtype=np.float32)
    ours, theirs = [], []
    for _ in range(REPEATS):  # in turn, so that a busy minute of a shared machine meets both
        ours += [product(problem, budget, batch) for _ in range(2)]
        theirs.append(plain(problem, budget, batch, ours[0][2]))
    (seconds, norm, outside), (baseline, other) = _medians(ours, (0, 1, 3)), _medians(theirs, (0, 1))
    print(
        f"agnostic AL-AMP, N = {features}, alpha = {ALPHA:g}, k = {batch}, n = {budget:g}, medians of "
        f"{len(ours)} and {len(theirs)} runs: {seconds:.2f} s, plain NumPy {baseline:.2f} s, "
        f"ratio {baseline / seconds:.1f} (wanted {WANTED:g}); "
        f"squared norms of the final means {norm:.4f} and {other:.4f}"
    )
    print(f"share of time outside kernels {outside:.3f} (wanted below {SHARE})")
    sizes = (300, 600, 1200) if quick else (1500, 3000, 6000)
    times = [product(draw_instance(size, ALPHA, 0, dtype=np.float32), 1.0, size // 50)[0] for size in sizes]
    exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    table = ", ".join(f"{size}: {seconds:.2f} s" for size, seconds in zip(sizes, times, strict=True))
    print(f"growth with N at k = N/50, n = 1: {table}; exponent {exponent:.2f} (wanted at most {EXPONENT})")


if __name__ == "__main__":
    main()
