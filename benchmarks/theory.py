"""The α = 3 figure of the paper against the paper's own way of computing it.

Product: :func:`gardner.theory.curve.branch.follow`, both sides of every budget to their ends, every
point solved to full precision. Baseline (``benchmarks/paper_iteration.py``): the saddle-point
equations of the paper [cui2020, App. C, (SP1)–(SP2), corrected as in docs/theory.md], iterated to a
fixed point at the very (n, β) the product chose. It is spared the product's harder half: it is told
the β and need not find the end of a curve. Two variants run, both in one compiled loop on the
product's own quadrature (kept while the overlaps hardly move), differences of overlaps formed
without cancellation, φ solved for inside every sweep so that the budget is held, starts
extrapolated along the branch:

- ``printed``: the sweep of the paper as it stands, undamped; points that diverge are named;
- ``improved``: written to win, with damping that adapts to the dominant eigenvalue of the
  iteration.

Each contestant runs in a fresh process with no compilation cache; clocks start after the imports,
so the compilation of the baselines counts (the product has none; seconds of the median curve are
free of it). A point of a baseline counts as solved if it converged and agrees with the product's.

    python -m benchmarks.theory                     # the whole figure, about two minutes
    python -m benchmarks.theory --budgets 0.3 1.5   # a quick run
    python -m benchmarks.theory --relaxation 2      # let the improved baseline over-relax as well
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from typing import Any

import numpy as np
from benchmarks.paper_iteration import ALPHA, Point, Rules, Run, run_baseline

from gardner.model import PERCEPTRON
from gardner.theory.curve.branch import follow
from gardner.theory.curve.ends import Side
from gardner.theory.curve.equations import Problem

BUDGETS = tuple(round(0.1 + 0.2 * i, 1) for i in range(14))
TARGET = 5.0


def run_product(budgets: list[float]) -> Run:
    """Both sides of every budget, each point solved to full precision as a curve's are."""
    run = Run()
    for n in budgets:
        began = time.perf_counter()
        for side in Side:
            for s in follow(Problem(PERCEPTRON, ALPHA, n), side, precise=True).states:
                run.points.append(Point(n, side.value, list(s.theta), s.residual, s.iterations))
        run.seconds[n] = time.perf_counter() - began
    return run


def alone(function: Callable[..., Run], *arguments: Any) -> Run:
    """A result computed in a process of its own, so that neither contestant finds the other's
    compiled code.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(function, *arguments).result()


def print_table(product: Run, baseline: Run) -> None:
    print("budget  points   product s  baseline s  baseline solved  Newton steps/point  sweeps/point")
    for n, seconds in product.seconds.items():
        points = [p for p in baseline.points if p.budget == n]
        solved = sum(p.outcome == "solved" for p in points)
        steps, sweeps = (float(np.mean([getattr(p, name) for p in points])) for name in ("iterations", "sweeps"))
        other = baseline.seconds[n]
        print(f"{n:6.1f}{len(points):8d}{seconds:12.2f}{other:12.2f}{solved:17d}{steps:20.1f}{sweeps:14.1f}")


def summary(product: Run, baseline: Run) -> dict[str, float]:
    """Totals; a curve is both sides of one budget, and the median over curves is free of
    compilation.
    """
    points = baseline.points
    totals: dict[str, float] = {"points": len(points)}
    totals["baseline solved"] = sum(p.outcome == "solved" for p in points)
    totals["largest disagreement"] = max(p.difference or 0.0 for p in points)
    for name, run, solved in (("product", product, len(points)), ("baseline", baseline, totals["baseline solved"])):
        seconds = list(run.seconds.values())
        totals[f"{name} solved points per second"] = solved / sum(seconds)
        totals[f"{name} seconds per curve, mean"] = float(np.mean(seconds))
        totals[f"{name} seconds per curve, median"] = float(np.median(seconds))
    totals["product Newton steps per point"] = float(np.mean([p.iterations for p in points]))
    totals["baseline sweeps per point"] = float(np.mean([p.sweeps for p in points]))
    rate = totals["baseline solved points per second"]
    totals["ratio"] = totals["product solved points per second"] / rate if rate else math.inf
    return totals


def print_totals(variant: str, totals: dict[str, float], points: list[Point]) -> None:
    for name, value in totals.items():
        if name != "ratio":
            print(f"{name}: {value:.4g}")
    for outcome in ("not converged", "other solution", "not attempted"):
        named = [f"n={p.budget:g}, beta={p.beta:.6g}" for p in points if p.outcome == outcome]
        print(f"baseline {outcome}: {len(named)}", *named, sep="\n  ")
    print(f"ratio product/{variant} in solved points per second: {totals['ratio']:.2f} (target {TARGET:g})\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budgets", type=float, nargs="+", default=list(BUDGETS))
    parser.add_argument("--relaxation", type=float, default=1.0, help="the largest factor on an improved step")
    parser.add_argument("--seconds-per-point", type=float, default=20.0, help="the baseline's limit for one point")
    parser.add_argument("--seconds", type=float, default=400.0, help="the baseline's limit for everything")
    parser.add_argument("--json", action="store_true", help="print totals and points as JSON instead")
    options = parser.parse_args()
    os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "false"  # read by the two processes when they import JAX
    product = alone(run_product, options.budgets)
    limits = (options.seconds_per_point, options.seconds)
    variants = {"printed": Rules(1.0, True, *limits), "improved": Rules(options.relaxation, False, *limits)}
    results = {}
    for variant, rules in variants.items():
        baseline = alone(run_baseline, product.points, rules)
        totals = summary(product, baseline)
        results[variant] = {"totals": totals, "points": [asdict(p) for p in baseline.points]}
        if not options.json:
            print(f"--- product against the paper's iteration, {variant}")
            print_table(product, baseline)
            print_totals(variant, totals, baseline.points)
    if options.json:
        print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
