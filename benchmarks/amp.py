"""How close one AMP iteration comes to one read of memory, and what warm starts save.

1. Fraction of memory bandwidth: time of one AMP iteration (everything: both products, g, prior,
   damping bookkeeping) against a multi-threaded read of the same float32 array as fast as it goes,
   in turns in the same run (medians).
2. Ratio to a straightforward NumPy iteration in float64 with stored F² (four products). Where
   NumPy's products run at memory speed too, they read 32 bytes an entry of F against our 4: then 8
   is the limit, at a fraction of 1.
3. Iterations of an agnostic active-learning run, each round started from the last posterior or from
   the prior.

    python -m benchmarks.amp             # about a minute
    python -m benchmarks.amp --rows 5000
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gardner.inference.compiler import kept
from gardner.inference.kernel import Sweeper, block_bounds
from gardner.inference.message_passing import Start, Variances, amp, cold_start, warm_start
from gardner.inference.posterior import Posterior
from gardner.inference.threads import run_all, thread_count
from gardner.model import PERCEPTRON, Compiled, Instance, draw_instance

FRACTION = {"scalar": 0.7, "vector": 0.45}
RATIO = {"scalar": 8.0, "vector": 5.0}


@kept(fast=True)
def total(rows: NDArray[Any], result: NDArray[Any]) -> None:
    """The fastest way to read an array: add it up, several sums at a time."""
    flat = rows.reshape(-1)
    value = flat.dtype.type(0)
    for i in range(flat.size):
        value += flat[i]
    result[0] = value


def timed(function: Callable[[], object]) -> float:
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def iteration(problem: Instance, variances: Variances) -> Callable[[], Start]:
    """One whole AMP iteration, as in ``amp``, on buffers made once."""
    sweeper = Sweeper(problem.rows, problem.labels, Compiled("sign"), scalar=variances == "scalar")
    start = amp(problem.rows, problem.labels, variances=variances, max_iterations=3, decide_empty=False)
    old, old_variance, old_g = (np.asarray(part) for part in (start.mean, start.variance, start.g))

    def run() -> Start:
        _, V, g, precision, force = sweeper(old, old_variance, old_g)
        mean, variance = map(np.asarray, PERCEPTRON.prior.moments(precision, precision * old + force))
        float(np.mean((mean - old) ** 2) + np.mean((g - old_g) ** 2 * V))
        return Start(mean, variance, g)

    return run


def straightforward(problem: Instance) -> Callable[[], Start]:
    """The listing of the paper in NumPy: float64, F² stored, four products."""
    rows, labels = problem.rows.astype(np.float64), problem.labels.astype(np.float64)
    squares = rows * rows
    start = cold_start(rows, PERCEPTRON)

    def run() -> Start:
        V = squares @ start.variance
        omega = rows @ start.mean - V * start.g
        g, minus_slope = map(np.asarray, PERCEPTRON.channel.derivatives(labels, omega, V))
        precision = squares.T @ minus_slope
        field = precision * np.asarray(start.mean) + rows.T @ g
        mean, variance = map(np.asarray, PERCEPTRON.prior.moments(precision, field))
        return Start(mean, variance, g)

    return run


def bandwidth(features: int, count: int, repeats: int) -> None:
    problem = draw_instance(features, count / features, seed=0, dtype=np.float32)
    bounds = block_bounds(*problem.rows.shape)
    sums = np.empty((len(bounds), 1), dtype=np.float32)
    tasks = [(problem.rows[a:b], sums[k]) for k, (a, b) in enumerate(bounds)]
    threads = thread_count(None)
    contestants: dict[str, Callable[[], object]] = {
        "read": lambda: run_all(total, tasks, threads),
        "scalar": iteration(problem, "scalar"),
        "vector": iteration(problem, "vector"),
    }
    for function in contestants.values():
        function()  # compile, touch memory
    # in turns, so that the machine's mood is the same for all; medians, because bandwidth has lucky
    # moments
    rounds = [{name: timed(function) for name, function in contestants.items()} for _ in range(repeats)]
    times = {name: float(np.median([one[name] for one in rounds])) for name in contestants}
    # by itself: the threads of the linear algebra library keep spinning after each product and
    # would slow the others
    baseline = straightforward(problem)
    times["numpy"] = float(np.median([timed(baseline) for _ in range(repeats)]))
    size = problem.rows.nbytes
    print(f"N = {features}, M = {count}, float32, {size / 2**20:.0f} MiB, {threads} threads")
    print(f"read:   {1e3 * times['read']:7.2f} ms  {size / times['read'] / 1e9:6.1f} GB/s")
    print(f"numpy:  {1e3 * times['numpy']:7.2f} ms  (float64, F stored with its squares, four products)")
    for name in ("scalar", "vector"):
        fraction, ratio = times["read"] / times[name], times["numpy"] / times[name]
        print(
            f"{name}: {1e3 * times[name]:7.2f} ms  fraction of bandwidth {fraction:.2f} (wanted {FRACTION[name]}), "
            f"ratio to numpy {ratio:.1f} (wanted {RATIO[name]:g})"
        )


def warm_starts(features: int, tolerance: float) -> None:
    """Agnostic AL-AMP, α = 3, up to n = 1: rounds of 1 % of N."""
    problem = draw_instance(features, 3.0, seed=0, dtype=np.float32)
    batch = features // 100
    chosen = np.random.default_rng(0).permutation(len(problem.labels))[:batch]
    counts: dict[str, list[int]] = {"cold": [], "warm": []}
    posterior: Posterior | None = None
    while len(chosen) <= features:
        rows, labels = problem.rows[chosen], problem.labels[chosen]
        start = None if posterior is None else warm_start(posterior, added=batch)
        posterior = amp(rows, labels, start=start, tolerance=tolerance, decide_empty=False).checked()
        counts["warm"].append(posterior.iterations)
        counts["cold"].append(amp(rows, labels, tolerance=tolerance, decide_empty=False).iterations)
        omega, V = posterior.fields(problem.rows)
        margin = np.abs(omega) / np.sqrt(V)
        margin[chosen] = np.inf
        chosen = np.concatenate([chosen, np.argsort(margin)[:batch]])
    warm, cold = np.mean(counts["warm"]), np.mean(counts["cold"])
    print(
        f"agnostic run to n = 1, N = {features}, tolerance {tolerance:g}: {warm:.1f} iterations a round warm, "
        f"{cold:.1f} cold, ratio {cold / warm:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--features", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--repeats", type=int, default=25)
    arguments = parser.parse_args()
    bandwidth(arguments.features, arguments.rows, arguments.repeats)
    for tolerance in (1e-4, 2e-6):
        warm_starts(1000, tolerance)


if __name__ == "__main__":
    main()
