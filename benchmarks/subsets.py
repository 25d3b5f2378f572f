"""Log-volumes of random subsets of one small pool: how many a second, against a loop over the
readable version.

python -m benchmarks.subsets                   # about a minute
python -m benchmarks.subsets --count 10000000  # the paper's ten million a budget
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from gardner.inference.batched import random_subsets, subset_log_volumes
from gardner.inference.message_passing import amp
from gardner.model import draw_instance

FEATURES, ALPHA, BUDGETS, PIECE = 20, 3.0, (0.3, 0.6, 0.9, 2.7), 1_000_000
WANTED = 100.0
READABLE = 100  # subsets the readable version is timed on


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=400_000, help="subsets a budget")
    count = parser.parse_args().count
    problem = draw_instance(FEATURES, ALPHA, seed=0)
    pool = len(problem.labels)
    rng = np.random.default_rng(0)
    for budget in BUDGETS:
        size = round(budget * FEATURES)
        subset_log_volumes(problem.rows, problem.labels, random_subsets(10, pool, size, rng))  # compile
        seconds, converged, done = 0.0, 0, 0
        subsets = random_subsets(READABLE, pool, size, rng)
        while done < count:
            begin = time.perf_counter()
            subsets = random_subsets(min(PIECE, count - done), pool, size, rng)
            volumes = subset_log_volumes(problem.rows, problem.labels, subsets)
            seconds += time.perf_counter() - begin
            converged += int(volumes.converged.sum())
            done += len(subsets)
        begin = time.perf_counter()
        for subset in subsets[:READABLE]:
            rows, labels = problem.rows[subset], problem.labels[subset]
            amp(rows, labels, twin="readable", tolerance=1e-7, decide_empty=False)  # the same tolerance
        readable = (time.perf_counter() - begin) / READABLE
        rate = count / seconds
        print(
            f"n = {budget}: {rate:,.0f} subsets a second, ten million in {1e7 / rate / 60:.1f} minutes, "
            f"converged {converged / count:.6f}, "
            f"ratio to the readable version {readable * rate:.0f} (wanted {WANTED:g})"
        )


if __name__ == "__main__":
    main()
