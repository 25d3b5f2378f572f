"""Sweeps: two workers against one, and what a task costs beside its own time.

python -m benchmarks.sweep          # about two minutes

Workers are started and warm before the clock runs: a sweep of hours does not feel those seconds.
One worker and two take turns, and the best turn of each counts: what else runs on the machine must
not decide.
"""

from __future__ import annotations

import argparse
import itertools
import os
import tempfile
import time
from pathlib import Path

from gardner.experiment import Spec, StrategySpec, local_cluster, run_tasks
from gardner.records import Store

WANTED_RATIO, WANTED_OVERHEAD = 1.8, 20.0
TRIVIAL = 200  # tasks that take a millisecond each
TURNS = 3


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
        "--seeds", type=int, default=24, help="tasks of N = 400; a quarter of it for N = 2000, at least 2"
    )
    seeds = parser.parse_args().seeds
    cases = {400: spec(400, 2.0, 4, seeds), 2000: spec(2000, 1.0, 20, max(2, seeds // 4))}
    walls: dict[tuple[int, int], list[float]] = {(features, workers): [] for features in cases for workers in (1, 2)}
    with tempfile.TemporaryDirectory() as name, local_cluster(1) as one, local_cluster(2) as two:
        folder = Path(name)
        addresses = {1: one, 2: two}
        for workers, address in addresses.items():
            seconds(spec(20, 0.5, 2, 20), address, folder / f"warm-{workers}")
        for turn, (features, what), workers in itertools.product(range(TURNS), cases.items(), addresses):
            wall, _ = seconds(what, addresses[workers], folder / f"{features}-{workers}-{turn}")
            walls[features, workers].append(wall)
        wall, own = seconds(spec(20, 0.2, 2, TRIVIAL, first=100), one, folder / "trivial")
    overhead = 1e3 * (wall - own) / TRIVIAL
    best = {case: min(turns) for case, turns in walls.items()}
    for features in cases:
        ratio = best[features, 1] / best[features, 2]
        wanted = f" (wanted {WANTED_RATIO:g})" if features == 400 else ""
        print(
            f"N = {features}: 1 worker {best[features, 1]:.2f} s, 2 workers {best[features, 2]:.2f} s, "
            f"ratio {ratio:.2f}{wanted}"
        )
    print(f"overhead {overhead:.1f} ms a task (wanted less than {WANTED_OVERHEAD:g}), {TRIVIAL} tasks on one worker")
    print(f"load of this machine while it ran: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
