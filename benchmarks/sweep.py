"""Sweeps: two workers against one, and what a task costs beside its own time.

python benchmarks/sweep.py          # about two minutes

Workers are started and warm before the clock runs: a sweep of hours does not feel those seconds.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from gardner.experiment import Spec, StrategySpec, local_cluster, run_tasks
from gardner.records import Store

WANTED_RATIO, WANTED_OVERHEAD = 1.8, 20.0
TRIVIAL = 200  # tasks that take a millisecond each


def spec(features: int, budget: float, batch: int, seeds: int, first: int = 0) -> Spec:
    return Spec([StrategySpec("agnostic")], [features], [3.0], [budget], [batch], range(first, first + seeds))


def seconds(what: Spec, address: str, folder: Path) -> tuple[float, float]:
    """Wall-clock time of a sweep, and the sum of what its tasks took themselves."""
    tasks = what.tasks()
    begin = time.perf_counter()
    outcome = run_tasks(tasks, folder, scheduler=address)
    wall = time.perf_counter() - begin
    if outcome.failed or outcome.ran != len(tasks):
        raise SystemExit("tasks failed: no figure")
    store = Store(folder)
    return wall, sum(store.read_timings(key)["seconds"] for key in outcome.keys)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--seeds", type=int, default=8, help="tasks of N = 400; a quarter of it for N = 2000, at least 2"
    )
    seeds = parser.parse_args().seeds
    cases = {400: spec(400, 2.0, 4, seeds), 2000: spec(2000, 1.0, 20, max(2, seeds // 4))}
    walls: dict[tuple[int, int], float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for workers in (1, 2):
            with local_cluster(workers) as address:
                seconds(spec(20, 0.5, 2, 20), address, folder / f"warm-{workers}")
                for features, what in cases.items():
                    walls[features, workers], _ = seconds(what, address, folder / f"{features}-{workers}")
                if workers == 1:
                    wall, own = seconds(spec(20, 0.2, 2, TRIVIAL, first=100), address, folder / "trivial")
                    overhead = 1e3 * (wall - own) / TRIVIAL
    for features in cases:
        ratio = walls[features, 1] / walls[features, 2]
        wanted = f" (wanted {WANTED_RATIO:g})" if features == 400 else ""
        print(
            f"N = {features}: 1 worker {walls[features, 1]:.2f} s, 2 workers {walls[features, 2]:.2f} s, "
            f"ratio {ratio:.2f}{wanted}"
        )
    print(f"overhead {overhead:.1f} ms a task (wanted less than {WANTED_OVERHEAD:g}), {TRIVIAL} tasks on one worker")
    print(f"load of this machine while it ran: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
