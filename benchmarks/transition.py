"""The first-order transition of the ensemble in a large pool: can two peaks or hysteresis be seen
at finite N?

python -m benchmarks.transition                   # α = 100, n = 0.5: theory, then chains at N = 20; minutes of one core
python -m benchmarks.transition --features 20 40  # half an hour more

The curve of ln v against β folds: between two β there are two stable points, and in between Σ(ln v)
is not concave. Printed first is what theory says: the fold, the β at which both phases weigh the
same (where a straight line touches Σ twice), their ln v, and how deep Σ lies below that line, Δ. At
N weights the valley between the two peaks of the distribution of ln v is e^{−NΔ} of their height,
if N Δ is larger than the fluctuations.

Then chains (parallel tempering from β = 0) on some pools: at the β at which ln v varies most its
deviation, the share of each tenth of its range, and the deepest valley as a share of the lower of
the two peaks beside it, with what chance makes of a distribution without a valley. And hysteresis:
chains that are cooled through the transition and heated again, at four speeds, and by how much
their ln v differs on the two ways at the same β. For comparison the same at α = 3, n = 0.6, where
nothing folds, from β = −1 to beyond its end.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from gardner.experiment.ensemble.chain import Floats
from gardner.experiment.ensemble.mixing import autocorrelation_time
from gardner.experiment.ensemble.question import Question
from gardner.experiment.ensemble.reweighting import reweight
from gardner.experiment.ensemble.tempering import Ladder, find_ladder, temper
from gardner.theory import complexity_curve

ALPHA, BUDGET = 100.0, 0.5
# What is printed after the theory.
PARTS = ("plain", "peaks", "hysteresis")
# A pool and a budget without a transition.
PLAIN = (3.0, 0.6)
# The β between which chains walk: the transition is near −2.1 for many weights, and lower at few.
LOWEST, HIGHEST = -4.0, 1.0
# Pools, and rounds on each, of which the first fifth is left out.
POOLS, ROUNDS = 4, 6000
# Classes of ln v in the histogram.
CLASSES = 10
# Rounds at each β on the way down and up again, from fast to slow; a round tries every row of the
# subset once.
SPEEDS = (2, 8, 32, 128)
# Ways down and up at each speed.
WAYS = 8


def theory() -> tuple[float, float]:
    """Print the transition for many weights; its β and Δ."""
    frame = complexity_curve(pool_ratio=ALPHA, budget=BUDGET, points=101).to_frame()
    frame = frame.sort_values("log_volume").drop_duplicates("log_volume")
    volume, beta = frame["log_volume"].to_numpy(), frame["beta"].to_numpy()
    curve = CubicHermiteSpline(volume, frame["complexity"].to_numpy(), -beta)
    fine = np.linspace(volume[0], volume[-1], 4001)
    sigma = curve(fine)
    hull = _hull(fine, sigma)
    widest = int(np.argmax(np.diff(fine[hull])))
    low, high = hull[widest], hull[widest + 1]
    slope = (sigma[high] - sigma[low]) / (fine[high] - fine[low])
    gap = sigma[low] + slope * (fine[low : high + 1] - fine[low]) - sigma[low : high + 1]
    deepest = float(gap.max())
    turns = [beta[k] for k in range(1, beta.size - 1) if (beta[k] - beta[k - 1]) * (beta[k + 1] - beta[k]) < 0.0]
    print(f"theory, α = {ALPHA:g}, n = {BUDGET:g}: the curve folds at β = {', '.join(f'{one:.4f}' for one in turns)}")
    print(
        f"both phases weigh the same at β = {-slope:.4f}: ln v = {fine[low]:.4f} (Σ = {sigma[low]:.4f}) and "
        f"{fine[high]:.4f} (Σ = {sigma[high]:.4f}); Σ lies Δ = {deepest:.5f} below the line between them"
    )
    apart = fine[high] - fine[low]
    for features in (20, 40, 100, 300, 1000):
        print(
            f"  N = {features}: valley e^(−NΔ) = {math.exp(-features * deepest):.2g} of the peaks; the transition "
            f"is {4.0 / (features * apart):.3f} wide in β, the fold {max(turns) - min(turns):.3f}"
        )
    print(f"  NΔ = 3 (a valley of a twentieth) needs N = {3.0 / deepest:.0f}\n")
    return -slope, deepest


def _hull(x: Floats, y: Floats) -> list[int]:
    """The indices of the upper concave hull."""
    kept: list[int] = []
    for k in range(x.size):
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            if (y[b] - y[a]) * (x[k] - x[a]) > (y[k] - y[a]) * (x[b] - x[a]):
                break
            kept.pop()
        kept.append(k)
    return kept


def peaks(features: int, deepest: float) -> None:
    """Histograms at the β at which ln v varies most."""
    question = Question(features, ALPHA, BUDGET, LOWEST, HIGHEST)
    print(f"N = {features}, {question.pool_size} rows, {question.size} of them chosen")
    print("| pool | β of most variance | mean ln v | deviation | share of each tenth of the range | valley | chance |")
    print("|---" * 7 + "|")
    for pool in range(POOLS):
        rows, labels = question.pool(pool)
        rng = np.random.default_rng([pool, features])
        ladder = find_ladder(rows, labels, question.size, LOWEST, HIGHEST, rng)
        block = temper(rows, labels, question.size, ladder, ROUNDS, rng)
        samples = block.log_evidence[ROUNDS // 5 :]
        found = reweight(ladder.betas, samples[::2], question.log_count)
        betas = np.linspace(LOWEST, 0.0, 161)
        _, mean, variance = found.log_partition(betas)
        top = int(np.argmax(variance))
        exponent = betas[top] * found.log_evidence + found.log_weight
        weight = np.exp(exponent - exponent.max())
        share, valley = _classes(found.log_evidence / features, weight / weight.sum())
        rung = int(np.abs(ladder.betas - betas[top]).argmin())
        memory = autocorrelation_time(samples[:, rung])
        count = 1.0 / float(((weight / weight.sum()) ** 2).sum()) / max(1.0, 2.0 * memory)
        print(
            f"| {pool} | {betas[top]:.3f} | {mean[top] / features:.3f} | {math.sqrt(variance[top]) / features:.3f} "
            f"| {' '.join(f'{100 * one:.0f}' for one in share)} | {valley:.2f} | {_by_chance(share, count, rng):.2f} |",
            flush=True,
        )
    print(f"theory's valley at this N: {math.exp(-features * deepest):.2f}\n")


def _classes(volume: Floats, weight: Floats) -> tuple[Floats, float]:
    """Shares of equal parts of the range that holds 98 % of the weight, and the deepest valley."""
    order = np.argsort(volume)
    total = np.cumsum(weight[order])
    low, high = (volume[order][np.searchsorted(total, share)] for share in (0.01, 0.99))
    share, _ = np.histogram(volume, np.linspace(low, high, CLASSES + 1), weights=weight)
    return share, _valley(share)


def _valley(share: Floats) -> float:
    """The lowest class as a share of the lower of the highest ones on both sides; 1 where there is
    no valley.
    """
    sides = [(share[k], min(share[:k].max(), share[k + 1 :].max())) for k in range(1, share.size - 1)]
    return float(min([1.0] + [inside / beside for inside, beside in sides if beside > 0.0]))


def _by_chance(share: Floats, count: float, rng: np.random.Generator) -> float:
    """The valley that so many independent samples show, in the mean, where the true shares have
    none.
    """
    top = int(np.argmax(share))
    flat = share.copy()
    flat[:top] = np.maximum.accumulate(share[:top])
    flat[top:] = np.maximum.accumulate(share[top:][::-1])[::-1]
    drawn = rng.multinomial(max(1, round(count)), flat / flat.sum(), size=200)
    return float(np.mean([_valley(one / one.sum()) for one in drawn]))


def hysteresis(question: Question, betas: Floats) -> None:
    """Down through these β and up again."""
    features = question.features
    for rounds in SPEEDS:
        gaps = []
        for way in range(WAYS):
            rows, labels = question.pool(way % POOLS)
            rng = np.random.default_rng([way, features, rounds])
            order = rng.permutation(labels.size).astype(np.int32)[None]
            means = []
            for beta in [*betas, *betas[::-1]]:
                block = temper(
                    rows, labels, question.size, Ladder(np.array([beta]), order), rounds, rng, moves=question.size
                )
                order = block.order
                means.append(block.log_evidence.mean() / features)
            down, up = np.array(means[: betas.size]), np.array(means[betas.size :])[::-1]
            gaps.append(down - up)
        mean, error = np.mean(gaps, axis=0), np.std(gaps, axis=0, ddof=1) / math.sqrt(WAYS)
        worst = int(np.argmax(mean))
        print(
            f"α = {question.pool_ratio:g}, n = {question.budget:g}, N = {features}, {rounds} rounds at each β: "
            f"ln v on the way down lies above that on the way up by {mean[worst]:.3f} ± {error[worst]:.3f} "
            f"at β = {betas[worst]:.1f}, the most",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--features", type=int, nargs="+", default=[20])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="all if none is named")
    given = parser.parse_args()
    begin = time.process_time()
    _, deepest = theory()
    for features in given.features:
        if "plain" in given.parts:
            hysteresis(Question(features, *PLAIN), np.arange(-1.0, -13.75, -0.5))
        if "peaks" in given.parts:
            peaks(features, deepest)
        if "hysteresis" in given.parts:
            hysteresis(Question(features, ALPHA, BUDGET, LOWEST, HIGHEST), np.arange(-1.0, -3.55, -0.1))
        print()
    print(f"{time.process_time() - begin:.0f} s of the processor")


if __name__ == "__main__":
    main()
