"""What keeps a search from the smallest volume: breaking, finite size, or the search itself?

python -m benchmarks.search run FOLDER 50:8 100:6 200:4    # numbers of weights with their seeds; what is there is kept
python -m benchmarks.search print FOLDER                   # the tables of docs/ensemble.md

On each pool of α = 3, at n = 0.3, 0.6 and 0.9, three searches look for the subset of the smallest
volume: informed AL-AMP, `swap`, and a Markov chain of `gardner sample` that is cooled from β = 0 to
eight times the β at which the symmetric curve ends, one exchange at a time, each with ln Z of its
own fixed point. Effort of the chain is in sweeps: a sweep tries as many exchanges as there are rows
in the subset. In small pools chains at many β that exchange subsets (parallel tempering) look as
well: they come back from β = 0 again and again. ln v is AMP's for all. Printed are the gaps to the
minimum with one step of replica symmetry breaking and to where symmetry breaks, in means over pools
with standard errors, and what a search lies above the best that any of them found on the same
pools. Seconds are of the processor.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait for each other

import numpy as np

import gardner
from gardner.experiment import run
from gardner.experiment.ensemble.tempering import Ladder, find_ladder, temper
from gardner.model import PERCEPTRON, draw_instance
from gardner.strategies.al_amp import Informed
from gardner.strategies.base import Strategy
from gardner.strategies.swap import Swap

ALPHA = 3.0
BUDGETS = (0.3, 0.6, 0.9)
# Sweeps of the chains, one search each: what four times the effort gains is what the search is
# short of.
SWEEPS = (50, 200, 800)
# Steps of β from zero to the coldest.
COOLING = 50
# The coldest β, in units of the β at which the symmetric curve ends.
COLDEST = 8.0
# The largest number of weights for which chains are cooled, and for which they have the longest
# effort.
CHAINS, LONGEST = 200, 100
# Rounds of the chains that exchange subsets, and the largest number of weights for which they look.
ROUNDS, TEMPERED = 1000, 50


def curve(features: int, seed: int, strategy: Strategy) -> dict[str, float]:
    """ln v at each budget."""
    problem = draw_instance(features, ALPHA, seed)
    rounds = run(problem, strategy, budget=BUDGETS[-1], batch_size=max(1, features // 50), seed=seed, threads=1).rounds
    return {f"{n:g}": next(one.log_volume for one in rounds if abs(one.budget - n) < 1e-9) for n in BUDGETS}


def cooled(features: int, seed: int, budget: float, sweeps: int, coldest: float) -> float:
    """The smallest ln v that a chain meets while it is cooled."""
    problem = draw_instance(features, ALPHA, seed)
    rows, labels = np.ascontiguousarray(problem.rows, dtype=np.float64), np.asarray(problem.labels, dtype=np.float64)
    rng, size = np.random.default_rng([seed, sweeps, round(10 * budget)]), round(budget * features)
    order, best = rng.permutation(labels.size).astype(np.int32)[None], math.inf
    for step in range(COOLING):
        ladder = Ladder(np.array([coldest * ((step + 1) / COOLING) ** 2]), order)
        block = temper(rows, labels, size, ladder, max(1, sweeps // COOLING), rng, moves=size)
        order, best = block.order, min(best, float(block.log_evidence.min()) / features)
    return best


def tempered(features: int, seed: int, budget: float, coldest: float) -> float:
    """The smallest ln v that chains at many β meet."""
    problem = draw_instance(features, ALPHA, seed)
    rows, labels = np.ascontiguousarray(problem.rows, dtype=np.float64), np.asarray(problem.labels, dtype=np.float64)
    rng, size = np.random.default_rng([seed, features, round(10 * budget)]), round(budget * features)
    ladder = find_ladder(rows, labels, size, max(coldest, -900.0), 1.0, rng)
    return float(temper(rows, labels, size, ladder, ROUNDS, rng).log_evidence.min()) / features


def ends(rsb: int = 0) -> dict[float, Any]:
    """The bounds of each budget, with one step of breaking if asked for."""
    return {n: gardner.bounds(PERCEPTRON, pool_ratio=ALPHA, budget=n, rsb=rsb) for n in BUDGETS}


def searches(features: int) -> dict[str, Callable[[int, dict[float, Any]], dict[str, float]]]:
    """All searches for one number of weights: of a seed, ln v by budget."""

    def chain(sweeps: int) -> Callable[[int, dict[float, Any]], dict[str, float]]:
        def search(seed: int, known: dict[float, Any]) -> dict[str, float]:
            return {f"{n:g}": cooled(features, seed, n, sweeps, COLDEST * known[n].minimum.point.beta) for n in BUDGETS}

        return search

    found: dict[str, Callable[[int, dict[float, Any]], dict[str, float]]] = {
        "AL-AMP": lambda seed, _: curve(features, seed, Informed()),
        "swap": lambda seed, _: curve(features, seed, Swap("min")),
    }
    if features <= CHAINS:
        found |= {f"chain, {sweeps} sweeps": chain(sweeps) for sweeps in SWEEPS if features <= LONGEST or sweeps < 800}
    if features <= TEMPERED:
        found["tempering"] = lambda seed, known: {
            f"{n:g}": tempered(features, seed, n, 0.5 * COLDEST * known[n].minimum.point.beta) for n in BUDGETS
        }
    return found


def stored(folder: Path, features: int, name: str, seed: int) -> Path:
    return folder / f"{features} {name.replace(',', '').replace(' ', '-')} {seed}.json".replace(" ", "_")


def measure(folder: Path, sizes: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    known = ends()
    for features, seeds in (map(int, size.split(":")) for size in sizes):
        for seed in range(seeds):
            for name, search in searches(features).items():
                path = stored(folder, features, name, seed)
                if path.exists():
                    continue
                begin = time.process_time()
                found = search(seed, known)
                seconds = time.process_time() - begin
                text = json.dumps({"N": features, "name": name, "seed": seed, "ln v": found, "seconds": seconds})
                part = path.with_suffix(".part")
                part.write_text(text + "\n")
                part.replace(path)
                print(text, flush=True)


def show(folder: Path) -> None:
    records = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    known = ends(rsb=1)
    for n in BUDGETS:
        broken = known[n].minimum_1rsb
        print(
            f"\nn = {n:g}: minimum {broken.log_volume:.5f} with one step of breaking, "
            f"{known[n].minimum.log_volume:.5f} symmetric; symmetry breaks at {broken.leaves_at:.5f}\n"
        )
        print("| N | search | seeds | ln v | above the minimum | above the break | share | above the best | seconds |")
        print("|---" * 9 + "|")
        for features in sorted({one["N"] for one in records}):
            of_size = [one for one in records if one["N"] == features]
            plain = np.mean([one["ln v"][f"{n:g}"] for one in of_size if one["name"] == "AL-AMP"]) - broken.log_volume
            best = {
                seed: min(one["ln v"][f"{n:g}"] for one in of_size if one["seed"] == seed)
                for seed in {one["seed"] for one in of_size}
            }
            for name in searches(features):
                mine = [one for one in of_size if one["name"] == name]
                if mine:
                    print(line(mine, n, broken, plain, best))


def line(mine: list[dict[str, Any]], n: float, broken: Any, plain: float, best: dict[int, float]) -> str:
    values = np.array([one["ln v"][f"{n:g}"] for one in mine])
    above = values - np.array([best[one["seed"]] for one in mine])
    error, of_above = (
        part.std(ddof=1) / math.sqrt(part.size) if part.size > 1 else math.nan for part in (values, above)
    )
    gap, seconds = values.mean() - broken.log_volume, np.mean([one["seconds"] for one in mine])
    return (
        f"| {mine[0]['N']} | {mine[0]['name']} | {values.size} | {values.mean():.4f} | {gap:+.4f} ± {error:.4f} "
        f"| {values.mean() - broken.leaves_at:+.4f} | {gap / plain:.2f} | {above.mean():.4f} ± {of_above:.4f} "
        f"| {seconds:.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "print"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("sizes", nargs="*", help="numbers of weights with their seeds, N:SEEDS")
    given = parser.parse_args()
    if given.what == "run":
        measure(given.folder, given.sizes)
    else:
        show(given.folder)


if __name__ == "__main__":
    main()
