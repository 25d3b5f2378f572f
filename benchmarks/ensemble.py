"""Subsets sampled by Markov chains at N = 20 … 200 against the theory of many weights, at α = 3 and n = 0.6.

python benchmarks/ensemble.py sample FOLDER           # what is not in the folder yet; half an hour of one core in all
python benchmarks/ensemble.py sample FOLDER 20 100    # these sizes only
python benchmarks/ensemble.py print FOLDER            # the tables of docs/ensemble.md, of the sizes that are there

The prediction at N weights is Φ_N = Φ − ½ ln(N)/N + b/N + c/N². The first correction is known: subsets of
fixed size are a Gaussian cut out of those of any size. At β = 0 it is Stirling's.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.interpolate import CubicHermiteSpline

from gardner.experiment.ensemble.answer import Answer, summarise_chains
from gardner.experiment.ensemble.folder import sample
from gardner.experiment.ensemble.question import Question
from gardner.theory import complexity_curve

ALPHA, BUDGET = 3.0, 0.6
# Pools and rounds at each number of weights: pools differ more than chains err, so small sizes have many pools.
PLAN = {20: (60, 1000), 30: (50, 1000), 50: (40, 1000), 100: (16, 1000), 200: (4, 400)}
# The β that the tables show: the ends of the ladder, and both sides of where symmetry breaks (−8.5 and 25.6).
SHOWN = (-20.0, -12.0, -8.0, -4.0, -2.0, -1.0, 0.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0, 100.0)
# Random subsets that the paper drew, which is what the chains are held against.
DRAWN = 1e7


def run(folder: Path, sizes: list[int]) -> None:
    """Sample what is missing, and say how long it took."""
    for N in sizes:
        pools, rounds = PLAN[N]
        begin = time.perf_counter()
        runs = sample(Question(N, ALPHA, BUDGET), folder / str(N), pools=pools, rounds=rounds, threads=2)
        wall, cpu = time.perf_counter() - begin, sum(one.seconds for one in runs)
        print(f"N = {N}: {pools} pools, {rounds} rounds, {wall:.0f} s, of chains {cpu:.0f} s", flush=True)


def answers(folder: Path) -> dict[int, Answer]:
    """Of the sizes whose folder is complete."""
    found = {}
    for N, (pools, rounds) in PLAN.items():
        blocks = pools * math.ceil(rounds / 50)
        if len(list((folder / str(N) / "parts").glob("*.parquet"))) >= blocks:
            question = Question(N, ALPHA, BUDGET)
            found[N] = summarise_chains(question, sample(question, folder / str(N), pools=pools, rounds=rounds))
    return found


def theory() -> dict[str, CubicHermiteSpline]:
    """Φ(β) with and without a step of breaking; its slope is ln v."""
    frame = complexity_curve(pool_ratio=ALPHA, budget=BUDGET, points=61, rsb=1).to_frame()
    symmetric = frame[frame["branch"] == "symmetric"].sort_values("beta")
    step = frame[frame["branch"] == "one step"].sort_values("beta")
    low, high = step[step["beta"] < 0.0], step[step["beta"] > 0.0]
    inside = symmetric[(symmetric["beta"] > low["beta"].max()) & (symmetric["beta"] < high["beta"].min())]
    return {"symmetric": _spline(symmetric), "one step": _spline(pd.concat([low, inside, high]))}


def _spline(points: pd.DataFrame) -> CubicHermiteSpline:
    """Beyond its ends Φ = β ln v: only the best subsets count."""
    points = points.drop_duplicates("beta")
    beta, volume = points["beta"].to_numpy(), points["log_volume"].to_numpy()
    phi = points["complexity"].to_numpy() + beta * volume
    first, last = 2.0 * beta[0], 2.0 * beta[-1] + 100.0
    beta = np.concatenate([[first], beta, [last]])
    phi = np.concatenate([[phi[0] + volume[0] * (first - beta[1])], phi, [phi[-1] + volume[-1] * (last - beta[-2])]])
    return CubicHermiteSpline(beta, phi, np.concatenate([volume[:1], volume, volume[-1:]]))


def extrapolated(found: dict[int, Answer], name: str, beta: float) -> tuple[float, float, float]:
    """A curve's value at β for N → ∞, its error, and χ² a degree of freedom."""
    sizes = np.array([N for N, one in found.items() if len(one.mixing) > 2], dtype=float)
    values, errors = (np.array([at(found[int(N)], column, beta) for N in sizes]) for column in (name, f"{name}_stderr"))
    errors = np.maximum(errors, 1e-9)  # at β = 0 the number of subsets is known
    if name != "log_volume":
        values = values + 0.5 * np.log(sizes) / sizes
    design = np.stack([np.ones(sizes.size), 1.0 / sizes, 1.0 / sizes**2], axis=1)[:, : max(2, sizes.size - 1)]
    scaled = design / errors[:, None]
    fit = np.linalg.lstsq(scaled, values / errors, rcond=None)[0]
    left = sizes.size - design.shape[1]
    chi = float((((values - design @ fit) / errors) ** 2).sum() / left)
    return float(fit[0]), float(math.sqrt(np.linalg.inv(scaled.T @ scaled)[0, 0])), chi


def at(answer: Answer, name: str, beta: float) -> float:
    """A column of the curve at a β, between its points."""
    return float(np.interp(beta, answer.curve["beta"], answer.curve[name]))


def show(folder: Path) -> None:
    """Print everything."""
    found, curves = answers(folder), theory()
    ends = curves["one step"].derivative()([-1e3, 1e3])
    print("| N | pools | rounds | chain seconds | ln v from | to | of the range | 10⁷ random draws | pools not mixed |")
    print("|---|---|---|---|---|---|---|---|---|")
    for N, one in found.items():
        low, high = one.range
        passive = drawn_range(one, N)
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


def drawn_range(one: Answer, N: int) -> tuple[float, float]:
    """Mean ln v where 10⁷ draws of all subsets leave one: Σ = Σ(0) − ln(10⁷)/N on both sides."""
    curve = one.curve
    level = float(curve["complexity"].max()) - math.log(DRAWN) / N
    inside = curve[curve["complexity"] >= level]["log_volume"]
    return float(inside.min()), float(inside.max())


def table(found: dict[int, Answer], curves: dict[str, CubicHermiteSpline], name: str, label: str) -> None:
    """One quantity: sampled, extrapolated, and of the theory."""
    print(f"\n| β | {' | '.join(f'{label}, N = {N}' for N in found)} | N → ∞ | χ² | symmetric | one step | off by |")
    print("|" + "---|" * (len(found) + 6))
    for beta in SHOWN:
        cells = [f"{at(one, name, beta):.4f} ± {at(one, f'{name}_stderr', beta):.4f}" for one in found.values()]
        value, error, chi = extrapolated(found, name, beta)
        wanted = [predicted(curve, name, beta) for curve in curves.values()]
        off = [(value - one) / error if error > 1e-8 else 0.0 for one in wanted]
        print(
            f"| {beta:g} | {' | '.join(cells)} | {value:.4f} ± {error:.4f} | {chi:.1f} | {wanted[0]:.4f} "
            f"| {wanted[1]:.4f} | {off[0]:+.1f}σ, {off[1]:+.1f}σ |"
        )


def predicted(curve: CubicHermiteSpline, name: str, beta: float) -> float:
    """Φ, ln v = dΦ/dβ, or Σ = Φ − β ln v."""
    volume, phi = float(curve.derivative()(beta)), float(curve(beta))
    return {"log_partition": phi, "log_volume": volume, "complexity": phi - beta * volume}[name]


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
