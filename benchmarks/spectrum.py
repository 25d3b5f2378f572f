"""Weights of different variances, held against determinants and runs, with one verdict each.

    python -m benchmarks.spectrum flat
    python -m benchmarks.spectrum determinants [--features 2000] [--matrices 4]
    python -m benchmarks.spectrum runs [--features 500] [--seeds 10] [--out FOLDER] [--workers 2]

``flat``: a spectrum of equal variances, and one so nearly equal that it takes the general way,
against the Gaussian prior. ``determinants``: linear labels have their evidence and overlaps in
closed form for a given matrix of rows; the theory must agree within the fluctuation between
matrices. ``runs``: Gaussian rows with three covariances, in their eigenbasis. A cell is the mean ln
v of the seeds at a budget, against the learning curve of the rule. Student's t gives each cell a
p-value, without any allowance for the finite size, and Holm's method judges all cells together at 1
%. ``swap`` looks for the smallest volume and must not fall below its bound. The last line is the
negative control: the same runs against the theory without a covariance.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.linalg
from benchmarks.judging import distance_p_value, holm
from numpy.typing import NDArray

from gardner.experiment import Progress, Spec, StrategySpec, Task, read_results, run_tasks
from gardner.inference import infer
from gardner.model import GLM, PERCEPTRON, Gaussian, Linear, Spectrum, describe, draw_instance
from gardner.theory import bounds, learning_curve, typical

Floats = NDArray[np.float64]
# Labels per weight at which cells are compared.
BUDGETS = (0.3, 0.6, 1.2)
POOL_RATIO = 4.0
# Labels per weight that a round of a rule asks for; ``swap`` anneals in every round, and has few.
BATCH_RATIO = 0.02
RULES = ("random", "agnostic")
# Labels per weight and noise of the comparison with determinants, and the alignment of its other
# teacher.
LINEAR_BUDGET, NOISE, ALIGNMENT = 0.6, 0.1, 0.5
LEVEL = 0.01
# How far theory and matrices may be apart, in standard errors of the matrices and in units of 1/N.
MOST_ERRORS, MOST_BIAS = 4.0, 1.0


def spectra(features: int) -> dict[str, Spectrum]:
    """Two decades, Zipf's law, and a tenth of the weights with most of the variance; all of mean 1."""
    shapes = {
        "log-uniform": np.geomspace(1.0, 0.01, features),
        "1/k": 1.0 / np.arange(1, features + 1),
        "two-level": np.where(np.arange(features) < features // 10, 10.0, 0.1),
    }
    return {name: Spectrum(c / c.mean()) for name, c in shapes.items()}


# --- flat


def flat() -> None:
    """Largest differences between a flat spectrum and the Gaussian prior."""
    nearly = 1.0 + 1e-7 * np.array([1.0, -1.0])  # of the second order in 1e-7
    worst = dict[str, float]()
    for name, c in (("flat", np.ones(2)), ("nearly flat", nearly)):
        model = GLM(Spectrum(c))
        for what, measure in _MEASURES.items():
            if what in ("AMP", "EP") and name != "flat":  # 1e-7 is what they would differ by
                continue
            worst[f"{name}: {what}"] = float(np.max(np.abs(measure(model) - measure(PERCEPTRON))))
    for what, value in worst.items():
        print(f"{what}: {value:.1e}")
    print(f"largest difference {max(worst.values()):.1e}, limit 1e-8")


def _bounds(model: GLM) -> Floats:
    found = [bounds(model, pool_ratio=3.0, budget=budget) for budget in (0.3, 0.6, 1.2)]
    return np.array([[one.minimum.log_volume, one.maximum.log_volume, one.pool.log_volume] for one in found])


def _typical(model: GLM) -> Floats:
    found = [typical(model, budget=budget) for budget in (0.1, 0.6, 3.0)]
    return np.array([[one.log_volume, one.overlap, one.accuracy] for one in found])


def _curve(model: GLM) -> Floats:
    curve = learning_curve("agnostic", model, pool_ratio=3.0, budget=0.6, batch_ratio=0.02)
    return np.array([point.log_volume for point in curve.points])


def _inferred(method: str) -> Callable[[GLM], Floats]:
    instance = draw_instance(features=200, pool_ratio=1.0, seed=0)

    def measure(model: GLM) -> Floats:
        posterior = infer(instance.rows, instance.labels, model.of_size(200), method=method)
        return np.append(np.asarray(posterior.mean), posterior.log_volume)

    return measure


_MEASURES: dict[str, Callable[[GLM], Floats]] = {
    "bounds": _bounds,
    "random subsets": _typical,
    "learning curve": _curve,
    "AMP": _inferred("amp"),
    "EP": _inferred("ep"),
}


# --- determinants


def determinant(student: Floats, teacher: Floats, budget: float, rng: np.random.Generator) -> Floats:
    """ln Z, m and Q per weight of linear labels, averaged over teachers and noise, for one matrix
    of rows F.

    With K = F C Fᵀ + Δ and Y = E[y yᵀ] = F T Fᵀ + Δ⁰ the evidence is −½[ln det 2πK + tr K⁻¹Y], and
    the mean C Fᵀ K⁻¹ y has the overlaps tr[T Fᵀ K⁻¹ F C] and tr[C Fᵀ K⁻¹ Y K⁻¹ F C].
    """
    features = len(student)
    rows = rng.standard_normal((round(budget * features), features)) / math.sqrt(features)
    K = (rows * student) @ rows.T + NOISE * np.eye(len(rows))
    factor = scipy.linalg.cholesky(K, lower=True, overwrite_a=True)
    gain = scipy.linalg.solve_triangular(factor, rows, lower=True)  # L⁻¹F
    told = (gain * teacher) @ gain.T  # L⁻¹ (F T Fᵀ) L⁻ᵀ
    inverse = scipy.linalg.solve_triangular(factor, np.eye(len(rows)), lower=True)
    evidence = float(np.trace(told)) + NOISE * float(np.sum(inverse**2))
    evidence += 2.0 * float(np.sum(np.log(np.diag(factor)))) + len(rows) * math.log(2.0 * math.pi)
    m = float(np.sum(gain**2 * student * teacher))
    between = (gain * student**2) @ gain.T  # L⁻¹ F C² Fᵀ L⁻ᵀ
    Q = float(np.sum(between * told)) + NOISE * float(np.sum((inverse.T @ between) * inverse.T))
    return np.array([-0.5 * evidence, m, Q]) / features


def determinants(features: int, matrices: int) -> None:
    """Theory against matrices, matched and mismatched."""
    print("| spectrum | teacher | | theory | matrices | allowed |\n|---|---|---|---|---|---|")
    missed = 0
    for name, prior in spectra(features).items():
        others = {"the same": prior, f"aligned {ALIGNMENT:g}": Spectrum(prior.variances, ALIGNMENT), "flat": Gaussian()}
        for who, teacher in others.items():
            at = typical(GLM(prior, Linear(NOISE)), budget=LINEAR_BUDGET, teacher=GLM(teacher, Linear(NOISE)))
            moments = np.broadcast_to(teacher.second_moments, (features,))
            generators = [np.random.default_rng([features, seed]) for seed in range(matrices)]
            found = np.array([determinant(prior.second_moments, moments, LINEAR_BUDGET, rng) for rng in generators])
            theory = np.array([at.log_volume, at.overlap, at.self_overlap])
            error = found.std(axis=0, ddof=1) / math.sqrt(matrices)
            allowed = MOST_ERRORS * error + MOST_BIAS / features
            for what, *numbers in zip(("ln v", "m", "Q"), theory, found.mean(axis=0), error, allowed, strict=True):
                off = abs(numbers[0] - numbers[1]) > numbers[3]
                missed += off
                shown = f"{numbers[0]:.5f} | {numbers[1]:.5f} ± {numbers[2]:.5f} | {numbers[3]:.5f}"
                print(f"| {name} | {who} | {what} | {shown}{' missed' if off else ''} |", flush=True)
    print(f"{missed} of 27 missed")


# --- runs


@dataclass(frozen=True)
class Cell:
    """One comparison: theory, mean and standard error of the runs, and how unlikely the distance
    is.
    """

    spectrum: str
    strategy: str
    budget: float
    theory: float
    volumes: Floats
    p_value: float

    @property
    def error(self) -> float:
        return float(self.volumes.std(ddof=1)) / math.sqrt(self.volumes.size)


def tasks(features: int, seeds: int) -> list[Task]:
    """All runs."""
    found = list[Task]()
    for prior in spectra(features).values():
        common = {"features": features, "pool_ratio": POOL_RATIO, "budget": BUDGETS[-1], "seeds": seeds}
        for rules, batch_ratio in ((RULES, BATCH_RATIO), (("swap",), BUDGETS[0])):
            spec = Spec(
                [StrategySpec(rule) for rule in rules],
                batch_size=round(batch_ratio * features), prior=describe(prior), **common,
            )  # fmt: skip
            found += spec.tasks()
    return found


def of_rule(rule: str, model: GLM) -> dict[float, float]:
    """ln v of a rule at the budgets; of swap, the smallest volume there is."""
    if rule == "swap":
        later = BUDGETS[1:]  # its first batch is a random one
        return {budget: bounds(model, pool_ratio=POOL_RATIO, budget=budget).minimum.log_volume for budget in later}
    curve = learning_curve(rule, model, pool_ratio=POOL_RATIO, budget=BUDGETS[-1], batch_ratio=BATCH_RATIO)
    found = {round(point.budget, 6): point.log_volume for point in curve.points}
    return {budget: found[budget] for budget in BUDGETS}


def cells(frame: pd.DataFrame, features: int, flat_theory: bool = False) -> list[Cell]:
    """The comparisons of all runs; ``flat_theory`` forgets the covariance."""
    found = []
    for name, prior in spectra(features).items():
        rows = frame[frame["prior"] == describe(prior)]
        for rule in (*RULES, "swap"):
            known = of_rule(rule, PERCEPTRON if flat_theory else GLM(prior))
            for budget, theory in known.items():
                chosen = (rows["strategy"] == rule) & np.isclose(rows["budget"], budget, rtol=0.0, atol=1e-6)
                volumes = rows.loc[chosen, "log_volume"].to_numpy(float)
                judged = np.minimum(volumes, theory) if rule == "swap" else volumes  # above its bound it may be
                p_value = distance_p_value(judged, theory)
                found.append(Cell(name, rule, budget, theory, volumes, p_value))
    return found


def runs(features: int, seeds: int, out: Path, workers: int | None) -> None:
    """Run what is not there yet, and judge it."""
    run_tasks(tasks(features, seeds), out, workers=workers, progress=show)
    frame = read_results(out)
    frame = frame[(frame["features"] == features) & (frame["seed"] < seeds)]
    found = cells(frame, features)
    verdicts = holm([cell.p_value for cell in found], LEVEL)
    print("| spectrum | effective rank | strategy | n | theory | runs | p |\n|---|---|---|---|---|---|---|")
    ranks = {name: prior.effective_rank for name, prior in spectra(features).items()}
    for cell, rejected in zip(found, verdicts, strict=True):
        numbers = f"{cell.theory:.4f} | {cell.volumes.mean():.4f} ± {cell.error:.4f}"
        verdict = f"{cell.p_value:.2g}{' rejected' if rejected else ''}"
        what = f"{cell.spectrum} | {ranks[cell.spectrum]:.0f} | {cell.strategy} | {cell.budget:g}"
        print(f"| {what} | {numbers} | {verdict} |")
    smallest = min(cell.p_value for cell in found)
    print(f"{sum(verdicts)} of {len(found)} cells rejected at {LEVEL:.0%} (Holm); smallest p {smallest:.2g}")
    rules = [cell for cell in found if cell.strategy in RULES]
    worst = max(abs(cell.volumes.mean() - cell.theory) * ranks[cell.spectrum] for cell in rules)
    print(f"largest distance of a mean from the theory: {worst:.2f}/rank")
    print(f"rounds without a converged posterior: {int((frame['status'] != 'converged').sum())} of {len(frame)}")
    wrong = [cell for cell in cells(frame, features, flat_theory=True) if cell.strategy in RULES]
    caught = sum(holm([cell.p_value for cell in wrong], LEVEL))
    print(f"negative control, no covariance: {caught} of {len(wrong)} rejected")


def show(progress: Progress) -> None:
    if progress.done % 10 == 0 or progress.done == progress.total:
        print(f"{progress.done} of {progress.total} runs, {progress.failed} failed", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("flat", "determinants", "runs"))
    parser.add_argument("--features", type=int, default=None, help="2000 of determinants, 500 of runs")
    parser.add_argument("--matrices", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, default=Path("out/spectrum"))
    parser.add_argument("--workers", type=int, default=None)
    given = parser.parse_args()
    if given.part == "flat":
        flat()
    elif given.part == "determinants":
        determinants(given.features or 2000, given.matrices)
    else:
        runs(given.features or 500, given.seeds, given.out, given.workers)


if __name__ == "__main__":
    main()
