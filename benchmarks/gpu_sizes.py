"""Strategies at a thousand to a hundred thousand weights, on a GPU, against theory: docs/finite-size.md.

    python benchmarks/gpu_sizes.py run FILE      # on the machine with the GPU; about five minutes on an H200
    python benchmarks/gpu_sizes.py table FILE    # anywhere: next to theory, with a fit in N

`agnostic` is held against its exact learning curve, `informed` has none and is held against the minimum of the
bounds, `swap` against the same minimum with one step of replica symmetry breaking. Pools have alpha = 3.
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
    ("swap", 2000, 8, 0.05, 0.6, "float32", {"steps": 1000}),
    ("swap", 5000, 4, 0.05, 0.6, "float32", {"steps": 1000}),
    ("swap", 10000, 4, 0.05, 0.6, "float32", {"steps": 1000}),
    ("swap", 20000, 2, 0.05, 0.6, "float32", {"steps": 1000}),
)
BUDGETS = (0.3, 0.6, 1.2, 2.0)
# Runs at once on one GPU: small ones leave most of it idle. Those of a hundred thousand weights are alone.
AT_ONCE = 8


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
        "strategy": name, "features": features, "seed": seed, "dtype": dtype, "batch": batch,
        "seconds": time.perf_counter() - begin, "unconverged": sum(one.status != "converged" for one in rounds),
        "volumes": {f"{n:g}": one.log_volume for n in BUDGETS for one in rounds if abs(one.budget - n) < 1e-9},
    }  # fmt: skip


def run(out: Path, only: str | None) -> None:
    """All of the plan; what is in the file already is not run again."""
    found = json.loads(out.read_text()) if out.exists() else []
    there = {(done["strategy"], done["features"], done["seed"]) for done in found}
    tasks: list[Any] = [(name, N, seed, *rest) for name, N, seeds, *rest in PLAN for seed in range(seeds)]
    tasks = [task for task in tasks if task[:3] not in there and only in (None, task[0])]
    small, large = ([task for task in tasks if (task[1] > 20000) is big] for big in (False, True))
    small.sort(key=lambda task: -task[1] * (50 if task[0] == "swap" else 1))
    for group, at_once in ((small, AT_ONCE), (large, 1)):
        with multiprocessing.get_context("spawn").Pool(at_once) as pool:
            for done in pool.imap_unordered(one, group):
                found.append(done)
                out.write_text(
                    json.dumps(sorted(found, key=lambda one: (one["strategy"], one["features"], one["seed"])))
                )
                print(json.dumps(done), flush=True)


def table(file: Path) -> None:
    """Means over seeds, next to theory, and a fit of the deviation to a + b/N where there is a theory of it."""
    from gardner.theory import bounds, learning_curve

    runs = json.loads(file.read_text())
    curve = learning_curve("agnostic", pool_ratio=ALPHA, budget=2.0, batch_ratio=0.01).to_frame()
    exact = {n: float(np.interp(n, curve["budget"], curve["log_volume"])) for n in BUDGETS}
    ends = {n: bounds(pool_ratio=ALPHA, budget=n, rsb=1) for n in (0.3, 0.6)}
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
    bad = sum(one["unconverged"] for one in runs)
    print(f"\nrounds without a converged posterior: {bad}, in {len(runs)} runs")


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
    parser.add_argument("--only", help="one strategy")
    given = parser.parse_args()
    if given.what == "run":
        run(given.file, given.only)
    else:
        table(given.file)


if __name__ == "__main__":
    main()
