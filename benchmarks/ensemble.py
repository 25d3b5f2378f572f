"""Subsets sampled by Markov chains at N = 20 … 200 against the theory of many weights, at α = 3 and
n = 0.6.

python -m benchmarks.ensemble sample FOLDER           # what is not in the folder yet; half an hour of one core in all
python -m benchmarks.ensemble sample FOLDER 20 100    # these sizes only
python -m benchmarks.ensemble print FOLDER            # the tables of docs/ensemble.md, of the sizes that are there

How sizes are put together is in ``gardner.experiment.ensemble.limit``; ``gardner reproduce
ensemble`` makes a page.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from gardner.experiment.ensemble.answer import Ensemble
from gardner.experiment.ensemble.folder import sample
from gardner.experiment.ensemble.limit import drawn_range, limit, paired, value_at
from gardner.experiment.ensemble.question import Question
from gardner.experiment.ensemble.sampling import sample_ensemble
from gardner.reproduce.ensemble import (
    ALPHA,
    BETAS,
    BUDGET,
    DRAWN,
    PLAN,
    beyond,
    known_at,
    predicted,
    range_of,
    theory_curves,
)


def run(folder: Path, sizes: list[int]) -> None:
    """Sample what is missing, and say how long it took."""
    for N in sizes:
        pools, rounds = PLAN[N]
        begin = time.perf_counter()
        runs = sample(Question(N, ALPHA, BUDGET), folder / str(N), pools=pools, rounds=rounds, threads=2)
        wall, cpu = time.perf_counter() - begin, sum(one.seconds for one in runs)
        print(f"N = {N}: {pools} pools, {rounds} rounds, {wall:.0f} s, of chains {cpu:.0f} s", flush=True)


def answers(folder: Path) -> dict[int, Ensemble]:
    """Of the sizes whose folder is complete."""
    found = {}
    for N, (pools, rounds) in PLAN.items():
        blocks = pools * math.ceil(rounds / 50)
        if len(list((folder / str(N) / "parts").glob("*.parquet"))) >= blocks:
            found[N] = sample_ensemble(N, ALPHA, BUDGET, pools=pools, rounds=rounds, out=folder / str(N))
    return found


def show(folder: Path) -> None:
    """Print everything."""
    found, curves = answers(folder), theory_curves()
    ends = range_of(curves["one step"])
    print("| N | pools | rounds | chain seconds | ln v from | to | of the range | 10⁷ random draws | pools not mixed |")
    print("|---|---|---|---|---|---|---|---|---|")
    for N, one in found.items():
        low, high = one.range
        passive = drawn_range(one, DRAWN)
        share = [(b - a) / (ends[1] - ends[0]) for a, b in ((low, high), passive)]
        bad = sum(bool(mixing.troubles) for mixing in one.mixing)
        print(
            f"| {N} | {len(one.mixing)} | {one.rounds} | {one.seconds:.0f} | {low:.4f} | {high:.4f} | {share[0]:.1%} "
            f"| {share[1]:.1%} | {bad} |"
        )
    print("\n| N | exchange rates from | to | longest autocorrelation | fewest effective samples | EP − AMP, N ln v |")
    print("|---|---|---|---|---|---|")
    for N, one in found.items():
        rates = np.concatenate([mixing.exchange for mixing in one.mixing])
        slow = max(mixing.time.max() for mixing in one.mixing)
        few = min(mixing.effective.min() for mixing in one.mixing)
        gap = np.array([N * (witness.ep - witness.amp) for witness in one.witnesses])
        print(
            f"| {N} | {rates.min():.2f} | {rates.max():.2f} | {slow:.1f} | {few:.0f} "
            f"| {gap.mean():+.3f} ± {gap.std():.3f} |"
        )
    for name, label in (("log_partition", "Φ"), ("log_volume", "ln v"), ("complexity", "Σ")):
        table(found, curves, name, label)
    for name, label in (("log_partition", "Φ/|β|"), ("log_volume", "ln v")):
        ends_table(found, curves, name, label)


def ends_table(found: dict[int, Ensemble], curves: dict[str, CubicHermiteSpline], name: str, label: str) -> None:
    """Near the ends, given that theory is true where symmetry holds."""
    print(f"\n| β | {label}, N → ∞, given the middle | χ² | symmetric | one step | off by |")
    print("|---" * 6 + "|")
    for beta in BETAS:
        if beyond(beta):
            value, error, chi = paired(found, name, beta, known_at(curves, beta))
            wanted = [predicted(curve, name, beta) for curve in curves.values()]
            scale = abs(beta) if name == "log_partition" else 1.0
            off = [(value - one) / error for one in wanted]
            print(
                f"| {beta:g} | {value / scale:.5f} ± {error / scale:.5f} | {chi:.1f} | {wanted[0] / scale:.5f} "
                f"| {wanted[1] / scale:.5f} | {off[0]:+.1f}σ, {off[1]:+.1f}σ |"
            )


def table(found: dict[int, Ensemble], curves: dict[str, CubicHermiteSpline], name: str, label: str) -> None:
    """One quantity: sampled, extrapolated, and of the theory."""
    print(f"\n| β | {' | '.join(f'{label}, N = {N}' for N in found)} | N → ∞ | χ² | symmetric | one step | off by |")
    print("|" + "---|" * (len(found) + 6))
    for beta in BETAS:
        cells = [
            f"{value_at(one, name, beta):.4f} ± {value_at(one, f'{name}_stderr', beta):.4f}" for one in found.values()
        ]
        value, error, chi = limit(found, name, beta)
        wanted = [predicted(curve, name, beta) for curve in curves.values()]
        off = [(value - one) / error if error > 1e-8 else 0.0 for one in wanted]
        print(
            f"| {beta:g} | {' | '.join(cells)} | {value:.4f} ± {error:.4f} | {chi:.1f} | {wanted[0]:.4f} "
            f"| {wanted[1]:.4f} | {off[0]:+.1f}σ, {off[1]:+.1f}σ |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("sample", "print"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("sizes", type=int, nargs="*", help="numbers of weights")
    given = parser.parse_args()
    if given.what == "sample":
        run(given.folder, given.sizes or list(PLAN))
    else:
        show(given.folder)


if __name__ == "__main__":
    main()
