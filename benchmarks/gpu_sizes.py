"""Strategies at a thousand to a hundred thousand weights, on a GPU, against theory:
docs/finite-size.md.

    python -m benchmarks.gpu_sizes run FILE      # on the machine with the GPU; some minutes on an H200
    python -m benchmarks.gpu_sizes table FILE    # anywhere: next to theory, with a fit in N
    ... --plan effort                            # another file: swap at n = 0.3 against its number of steps

`agnostic` is held against its exact learning curve, `informed` has none and is held against the
minimum of the bounds, `swap` against the same minimum with one step of replica symmetry breaking.
Pools have alpha = 3.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import time
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.gpu_service import service

ALPHA = 3.0
# Strategy, N, seeds, batch in labels per weight, budget, storage, parameters.
PLAN: tuple[tuple[str, int, int, float, float, str, dict[str, Any]], ...] = (
    ("agnostic", 1000, 20, 0.01, 2.0, "float32", {}),
    ("agnostic", 2000, 20, 0.01, 2.0, "float32", {}),
    ("agnostic", 5000, 10, 0.01, 2.0, "float32", {}),
    ("agnostic", 10000, 10, 0.01, 2.0, "float32", {}),
    ("agnostic", 20000, 10, 0.01, 2.0, "float32", {}),
    ("agnostic", 100000, 2, 0.01, 1.2, "bfloat16", {}),
    ("informed", 1000, 20, 0.01, 1.2, "float32", {}),
    ("informed", 2000, 20, 0.01, 1.2, "float32", {}),
    ("informed", 5000, 10, 0.01, 1.2, "float32", {}),
    ("informed", 10000, 10, 0.01, 1.2, "float32", {}),
    ("informed", 20000, 5, 0.01, 1.2, "float32", {}),
    ("informed", 100000, 1, 0.01, 0.6, "bfloat16", {}),
    ("swap", 1000, 8, 0.05, 0.6, "float32", {"steps": 1000}),
    ("swap", 2000, 10, 0.05, 0.9, "float32", {"steps": 1000}),
    ("swap", 5000, 4, 0.05, 0.6, "float32", {"steps": 1000}),
    ("swap", 10000, 4, 0.05, 0.6, "float32", {"steps": 1000}),
    ("swap", 20000, 2, 0.05, 0.6, "float32", {"steps": 1000}),
)
# The same, for one size and several numbers of steps: in each of six rounds, or after half of the
# rows are labelled.
EFFORT: tuple[tuple[str, int, int, float, float, str, dict[str, Any]], ...] = (
    *(("swap", 2000, 8, 0.05, 0.3, "float32", {"steps": steps}) for steps in (250, 1000, 4000, 16000)),
    *(("swap", 2000, 10, 0.15, 0.3, "float32", {"steps": steps}) for steps in (1000, 4000, 16000, 100000)),
)
PLANS = {"sizes": PLAN, "effort": EFFORT}
BUDGETS = (0.3, 0.6, 0.9, 1.2, 2.0)
# Runs at once on one GPU: small ones leave most of it idle, so they share it by NVIDIA's
# multi-process service. Those of a hundred thousand weights are alone.
AT_ONCE = 10


def one(task: Any) -> dict[str, Any]:
    """One run, in a process of its own."""
    from gardner.experiment.device.loop import run_on_device
    from gardner.experiment.device.pool import draw_pool

    name, features, seed, batch, budget, dtype, parameters = task
    pool = draw_pool(features, ALPHA, seed, device="cuda", dtype=dtype)
    begin = time.perf_counter()
    size = round(batch * features)
    rounds = run_on_device(pool, name, parameters, budget=budget, batch_size=size, seed=seed).rounds
    return {
        "strategy": name, "features": features, "seed": seed, "dtype": dtype, "batch": batch, **parameters,
        "seconds": time.perf_counter() - begin, "unconverged": sum(one.status != "converged" for one in rounds),
        "volumes": {f"{n:g}": one.log_volume for n in BUDGETS for one in rounds if abs(one.budget - n) < 1e-9},
    }  # fmt: skip


def run(out: Path, plan: str, only: str | None) -> None:
    """All of a plan; what is in the file already is not run again."""
    found = json.loads(out.read_text()) if out.exists() else []
    there = {tuple(done.get(name, 1000) for name in _KEY) for done in found}
    tasks: list[Any] = [(name, N, seed, *rest) for name, N, seeds, *rest in PLANS[plan] for seed in range(seeds)]
    tasks = [task for task in tasks if (*task[:4], _steps(task)) not in there and only in (None, task[0])]
    small, large = ([task for task in tasks if (task[1] > 20000) is big] for big in (False, True))
    small.sort(key=lambda task: -task[1] * (_steps(task) if task[0] == "swap" else 20))
    for group, at_once in ((small, AT_ONCE), (large, 1)):
        if not group:
            continue
        with service(), multiprocessing.get_context("spawn").Pool(at_once) as pool:
            for done in pool.imap_unordered(one, group):
                found.append(done)
                out.write_text(
                    json.dumps(sorted(found, key=lambda one: (one["strategy"], one["features"], one["seed"])))
                )
                print(json.dumps(done), flush=True)


# What tells one run from another, in the order of a task; runs from before `steps` was kept have a
# thousand.
_KEY = ("strategy", "features", "seed", "batch", "steps")


def _steps(task: Any) -> int:
    return int(task[-1].get("steps", 1000))


def effort_table(file: Path) -> None:
    """The gap of swap to the minimum with one step of breaking, by its number of steps a round."""
    from gardner.theory import bounds

    runs, n = json.loads(file.read_text()), EFFORT[0][4]
    end: Any = bounds(pool_ratio=ALPHA, budget=n, rsb=1)
    print(f"n = {n:g}: ln v of the minimum, symmetric {end.minimum.log_volume:.5f}, ", end="")
    print(f"one step {end.minimum_1rsb.log_volume:.5f}; symmetry breaks at {end.minimum_1rsb.leaves_at:.5f}")
    print("| N | batch | steps | seeds | ln v | gap | seconds a run |\n|---|---|---|---|---|---|---|")
    kinds, gaps = ("features", "batch", "steps"), dict[float, list[tuple[int, float, float]]]()
    for features, batch, steps in sorted({tuple(one[kind] for kind in kinds) for one in runs}):
        mine = [one for one in runs if tuple(one[kind] for kind in kinds) == (features, batch, steps)]
        values = np.array([one["volumes"][f"{n:g}"] for one in mine])
        error, seconds = values.std(ddof=1) / math.sqrt(values.size), np.median([one["seconds"] for one in mine])
        gap = values.mean() - end.minimum_1rsb.log_volume
        mean = f"{values.mean():.5f} ± {error:.5f}"
        print(f"| {features} | {batch:g} | {steps} | {values.size} | {mean} | {gap:.5f} | {seconds:.1f} |")
        gaps.setdefault(batch, []).append((steps, gap, error))
    print("\nthe gap as a power of the number of steps, by weighted least squares of its logarithm:")
    for batch, rows in gaps.items():
        steps_of, gap_of, error_of = (np.array(part) for part in zip(*rows, strict=True))
        fit = np.polyfit(np.log(steps_of), np.log(gap_of), 1, w=gap_of / error_of, cov="unscaled")
        print(f"batch {batch:g}: exponent {fit[0][0]:.3f} ± {fit[1][0, 0] ** 0.5:.3f}")


def table(file: Path) -> None:
    """Means over seeds, next to theory, and a fit of the deviation to a + b/N where there is a
    theory of it.
    """
    from gardner.theory import bounds, learning_curve

    runs = json.loads(file.read_text())
    curve = learning_curve("agnostic", pool_ratio=ALPHA, budget=2.0, batch_ratio=0.01).to_frame()
    exact = {n: float(np.interp(n, curve["budget"], curve["log_volume"])) for n in BUDGETS}
    ends: dict[float, Any] = {n: bounds(pool_ratio=ALPHA, budget=n, rsb=1) for n in (0.3, 0.6, 0.9)}
    print("| strategy | n | N | seeds | ln v | theory | deviation | seconds a run |")
    print("|---|---|---|---|---|---|---|---|")
    fits = []
    for name in ("agnostic", "informed", "swap"):
        for n in BUDGETS:
            rows = []
            for features in sorted({one["features"] for one in runs}):
                mine = [one for one in runs if (one["strategy"], one["features"]) == (name, features)]
                values = np.array([one["volumes"][f"{n:g}"] for one in mine if f"{n:g}" in one["volumes"]])
                if not values.size:
                    continue
                error = values.std(ddof=1) / math.sqrt(values.size) if values.size > 3 else math.nan
                wanted = _wanted(name, n, exact, ends)
                off = values.mean() - wanted
                seconds = np.median([one["seconds"] for one in mine])
                spread = f" ± {error:.5f}" if math.isfinite(error) else ""
                known = (f"{wanted:.5f}", f"{off:+.5f}") if math.isfinite(wanted) else ("–", "–")
                print(
                    f"| {name} | {n:g} | {features} | {values.size} | {values.mean():.5f}{spread} | {known[0]} "
                    f"| {known[1]} | {seconds:.1f} |"
                )
                if math.isfinite(error) and math.isfinite(wanted):
                    rows.append((features, off, error))
            fits += _fit(name, n, rows)
    print("\n| strategy | n | a | b | chi² per degree of freedom |\n|---|---|---|---|---|")
    print("\n".join(fits))
    print("\n| n | N | gap of swap to the minimum, one step | of informed | ratio |\n|---|---|---|---|---|")
    for n, end in ends.items():
        for features in sorted({one["features"] for one in runs}):
            gaps = [_mean(runs, name, features, n) - end.minimum_1rsb.log_volume for name in ("swap", "informed")]
            if all(map(math.isfinite, gaps)):
                print(f"| {n:g} | {features} | {gaps[0]:.5f} | {gaps[1]:.5f} | {gaps[0] / gaps[1]:.3f} |")
    bad = sum(one["unconverged"] for one in runs)
    print(f"\nrounds without a converged posterior: {bad}, in {len(runs)} runs")


def _mean(runs: list[dict[str, Any]], name: str, features: int, n: float) -> float:
    mine = [one["volumes"] for one in runs if (one["strategy"], one["features"]) == (name, features)]
    values = [volumes[f"{n:g}"] for volumes in mine if f"{n:g}" in volumes]
    return float(np.mean(values)) if values else math.nan


def _wanted(name: str, n: float, exact: dict[float, float], ends: dict[float, Any]) -> float:
    if name == "agnostic":
        return exact[n]
    if n not in ends:
        return math.nan
    end = ends[n]
    return float(end.minimum_1rsb.log_volume if name == "swap" else end.minimum.log_volume)


def _fit(name: str, n: float, rows: list[tuple[int, float, float]]) -> list[str]:
    """Weighted least squares of a + b/N."""
    if len(rows) < 3:
        return []
    N, off, error = (np.array(part) for part in zip(*rows, strict=True))
    design = np.stack([np.ones_like(off), 1.0 / N], axis=1) / error[:, None]
    fit = np.linalg.lstsq(design, off / error, rcond=None)[0]
    covariance = np.linalg.inv(design.T @ design)
    chi = float(((off / error - design @ fit) ** 2).sum() / (len(rows) - 2))
    return [
        f"| {name} | {n:g} | {fit[0]:+.5f} ± {covariance[0, 0] ** 0.5:.5f} "
        f"| {fit[1]:+.2f} ± {covariance[1, 1] ** 0.5:.2f} | {chi:.2f} |"
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--plan", choices=tuple(PLANS), default="sizes")
    parser.add_argument("--only", help="one strategy")
    given = parser.parse_args()
    if given.what == "run":
        run(given.file, given.plan, given.only)
    else:
        (table if given.plan == "sizes" else effort_table)(given.file)


if __name__ == "__main__":
    main()
