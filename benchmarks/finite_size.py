"""How the ln v of runs tends to the theory of its rule as the number of weights grows.

    python -m benchmarks.finite_size [--rule agnostic] [--most 8000] [--workers 2]     about ten minutes

Runs with N = 100 … 1000 (α = 3, κ = 0.05) are averaged over many seeds, and less the theory's ln v
at n = 0.3, 0.6 and 1.2. The differences are fitted by c_n N^−γ: one exponent for all budgets, as
they come from the same runs (their covariance is taken into account). The last line has γ with its
standard error, and χ² of the fit. Seeds are 0, 1, …; smaller N get more of them.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from gardner.experiment import run
from gardner.model import draw_instance
from gardner.strategies import make_registered
from gardner.theory import learning_curve

SIZES = (100, 140, 200, 300, 500, 1000)
BUDGETS, POOL_RATIO, BATCH_RATIO = (0.3, 0.6, 1.2), 3.0, 0.05
CHUNK = 50

Floats = NDArray[np.float64]


def volumes(rule: str, features: int, first: int) -> list[list[float]]:
    """ln v at the budgets, a line a seed, of seeds ``first``, ``first`` + 1, …"""
    found = []
    for seed in range(first, first + CHUNK):
        problem = draw_instance(features, POOL_RATIO, seed, dtype=np.float64)
        batch = round(BATCH_RATIO * features)
        result = run(problem, make_registered(rule, {}), budget=BUDGETS[-1], batch_size=batch, seed=seed, threads=1)
        known = {round(one.budget, 6): one.log_volume for one in result.rounds}
        found.append([known[budget] for budget in BUDGETS])
    return found


def seeds_of(features: int, most: int) -> int:
    """Fewer seeds for larger N, so that every size takes about the same time."""
    return max(CHUNK, round(most * SIZES[0] / features / CHUNK) * CHUNK)


def measured(rule: str, most: int, workers: int) -> dict[int, Floats]:
    """ln v of all runs by N."""
    found: dict[int, Floats] = {}
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        for features in SIZES:
            parts = pool.map(functools.partial(volumes, rule, features), range(0, seeds_of(features, most), CHUNK))
            found[features] = np.concatenate([np.array(part) for part in parts])
    return found


def fitted(means: Floats, covariances: list[Floats]) -> tuple[float, float, float]:
    """γ, its standard error, and χ² per degree of freedom of d_n(N) = c_n (N/100)^−γ."""
    whitening = [np.linalg.inv(np.linalg.cholesky(one)) for one in covariances]
    scale = np.array(SIZES) / SIZES[0]

    def misfit(unknowns: Floats) -> Floats:
        curves = np.outer(scale ** -unknowns[0], unknowns[1:])
        parts = [white @ (mean - curve) for white, mean, curve in zip(whitening, means, curves, strict=True)]
        return np.concatenate(parts)

    best = least_squares(misfit, np.concatenate([[1.0], means[0]]), x_scale=np.concatenate([[1.0], abs(means[0])]))
    slopes = np.asarray(best.jac)
    error = math.sqrt(float(np.linalg.inv(slopes.T @ slopes)[0, 0]))
    return float(best.x[0]), error, 2.0 * float(best.cost) / (means.size - best.x.size)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rule", default="agnostic")
    parser.add_argument("--most", type=int, default=8000, help="seeds at the smallest N")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    curve = learning_curve(given.rule, pool_ratio=POOL_RATIO, budget=BUDGETS[-1], batch_ratio=BATCH_RATIO)
    known = {round(point.budget, 6): point.log_volume for point in curve.points}
    theory = np.array([known[budget] for budget in BUDGETS])
    found = measured(given.rule, given.most, given.workers)
    print(f"{given.rule}: (ln v of runs - theory) N, standard error of the last digits")
    print("| N | seeds |" + "".join(f" n = {budget:g} |" for budget in BUDGETS))
    print("|---" * (2 + len(BUDGETS)) + "|")
    means, covariances = [], []
    for features, values in found.items():
        away = values - theory
        means.append(away.mean(axis=0))
        covariances.append(np.cov(away.T) / len(away))
        errors = np.sqrt(np.diag(covariances[-1]))
        cells = " | ".join(f"{m * features:.3f} ± {e * features:.3f}" for m, e in zip(means[-1], errors, strict=True))
        print(f"| {features} | {len(away)} | {cells} |")
    exponent, error, misfit = fitted(np.array(means), covariances)
    print(f"exponent of 1/N: {exponent:.2f} ± {error:.2f}, chi² per degree of freedom {misfit:.2f}")


if __name__ == "__main__":
    main()
