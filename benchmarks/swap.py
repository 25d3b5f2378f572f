"""How near does `swap` come to the extremes of the volume? Its gap to theory, and a check of its
volumes.

Pools of α = 3, batches of N/50, one curve to n = 0.6 a seed. Printed at n = 0.3 and 0.6: ln v of
AL-AMP (informed, or least informative first for the largest volume) and of `swap`, the end of the
complexity curve (replica symmetric; at the largest volume that symmetry is broken, and the end may
be out of reach), both gaps with standard errors over seeds and their ratio; then, where Monte Carlo
is cheap, the deviation of AMP and EP from it on the rows `swap` ends with.

    python -m benchmarks.swap                            # N = 1000, 3 seeds, both directions: two minutes on one core
    python -m benchmarks.swap --features 500 --seeds 2 --directions min --steps 300
"""

from __future__ import annotations

import argparse
import math
import os
import time
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait for each other

import numpy as np

import gardner
from gardner.experiment import Run, run
from gardner.inference import amp, expectation_propagation, monte_carlo
from gardner.model import PERCEPTRON, draw_instance
from gardner.strategies.al_amp import Informed, LeastInformative
from gardner.strategies.base import Strategy
from gardner.strategies.swap import Swap

ALPHA = 3.0
BUDGETS = (0.3, 0.6)
RIVALS: dict[str, Strategy] = {"min": Informed(), "max": LeastInformative()}


def curve(features: int, seed: int, strategy: Strategy, budget: float = BUDGETS[-1]) -> tuple[Run, float]:
    problem = draw_instance(features, ALPHA, seed, dtype=np.float32)
    begin = time.process_time()
    result = run(problem, strategy, budget=budget, batch_size=max(1, features // 50), seed=seed, threads=1)
    return result, time.process_time() - begin


def at(result: Run, budget: float) -> float:
    return next(done.log_volume for done in result.rounds if abs(done.budget - budget) < 1e-9)


def spread(values: Any) -> str:
    values = np.asarray(values)
    error = np.std(values, ddof=1) / np.sqrt(values.size) if values.size > 1 else np.nan
    return f"{values.mean():+.4f} ± {error:.4f}"


def compare(direction: str, features: int, seeds: int, steps: int) -> None:
    plain, swapped = (
        [curve(features, seed, one) for seed in range(seeds)] for one in (RIVALS[direction], Swap(direction, steps))
    )
    unconverged = sum(done.status != "converged" for result, _ in swapped for done in result.rounds)
    print(f"\n{direction}: N = {features}, {seeds} seeds, {steps} steps a round; {unconverged} rounds did not converge")
    print("| n | AL-AMP | swap | end of the curve | gap of AL-AMP | gap of swap | ratio | CPU seconds a curve |")
    print("|---" * 8 + "|")
    for budget in BUDGETS:
        bounds = gardner.bounds(PERCEPTRON, pool_ratio=ALPHA, budget=budget)
        end = (bounds.minimum if direction == "min" else bounds.maximum).log_volume
        volumes = [np.array([at(result, budget) for result, _ in runs]) for runs in (plain, swapped)]
        gaps = [part - end if direction == "min" else end - part for part in volumes]
        cells = [f"{budget}", *(f"{part.mean():.4f}" for part in volumes), f"{end:.4f}", *map(spread, gaps)]
        cells += [f"{gaps[1].mean() / gaps[0].mean():.2f}", f"{np.mean([seconds for _, seconds in swapped]):.0f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


def confirm(direction: str, features: int, seeds: int, steps: int, stderr: float) -> None:
    print(f"\n{direction}: the volumes confirmed, N = {features}")
    print("| n | seed | ln v (mc) | AMP − mc | EP − mc | converged |")
    print("|---" * 6 + "|")
    for budget in BUDGETS:
        for seed in range(seeds):
            chosen = curve(features, seed, Swap(direction, steps), budget)[0].queried
            problem = draw_instance(features, ALPHA, seed, dtype=np.float32)
            rows, labels = problem.rows[chosen].astype(np.float64), problem.labels[chosen]
            truth = monte_carlo(rows, labels, stderr=stderr, seed=seed, threads=1, time_limit=math.inf)
            others = amp(rows, labels), expectation_propagation(rows, labels)
            cells = [f"{truth.log_volume:.5f} ± {truth.stderr:.5f}"]
            for part in others:
                deviation = part.log_volume - truth.log_volume
                cells.append(f"{deviation:+.5f} ({deviation / (truth.stderr or np.nan):+.1f} standard errors)")
            print(
                f"| {budget} | {seed} | {' | '.join(cells)} | {all(p.converged for p in (truth, *others))} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--features", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=Swap().steps)
    parser.add_argument("--directions", nargs="+", choices=list(RIVALS), default=list(RIVALS))
    parser.add_argument("--confirm-features", type=int, default=200)
    parser.add_argument("--stderr", type=float, default=0.0005, help="of ln v, each Monte Carlo run")
    arguments = parser.parse_args()
    for direction in arguments.directions:
        if arguments.features:
            compare(direction, arguments.features, arguments.seeds, arguments.steps)
        if arguments.confirm_features:
            confirm(direction, arguments.confirm_features, arguments.seeds, arguments.steps, arguments.stderr)


if __name__ == "__main__":
    main()
