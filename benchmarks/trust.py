"""When AMP and EP say "doubtful": never on Gaussian pools, always where they are wrong.

1. False alarms: rows with independent Gaussian entries, N = 50 to 400, α = 0.2 to 10; and subsets
   that AL-AMP selected from pools of α = 3. Every alarm is a false one. (Claim: at most 1 %.)
2. Detection: rows that are not such, with the error of ln Z and its estimate. The truth is exact
   where it is known, by Monte Carlo elsewhere. Wrong means off by more than 6 %, twice what is
   tolerated.
3. Time: what the estimate adds to a run.

    python -m benchmarks.trust                  # 1056 pools and 192 subsets: three minutes
    python -m benchmarks.trust --draws 4 --seeds 1
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait for each other

import numpy as np
from benchmarks.truths import dense, truths
from benchmarks.witnesses import ALPHA, selections
from numpy.typing import NDArray

from gardner.inference import Posterior, Status, infer, monte_carlo
from gardner.inference.trust import TOLERANCE, neglected_by_amp
from gardner.model import draw_instance

Floats = NDArray[Any]

FEATURES = (50, 100, 200, 400)
RATIOS = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
METHODS = ("amp", "ep")


def share(posterior: Posterior) -> float:
    """The estimated error relative to ln Z."""
    return abs((posterior.correction or 0.0) / posterior.log_evidence)


def false_alarms(name: str, problems: Iterator[tuple[Floats, Floats]]) -> None:
    alarms, largest, count = dict.fromkeys(METHODS, 0), dict.fromkeys(METHODS, 0.0), 0
    for rows, labels in problems:
        count += 1
        for method in METHODS:
            posterior = infer(rows, labels, method=method)
            alarms[method] += posterior.status is Status.DOUBTFUL
            largest[method] = max(largest[method], share(posterior))
    for method in METHODS:
        rate = f"{alarms[method]} of {count} ({100 * alarms[method] / count:.2f} %)"
        print(f"| {name} | {method} | {rate} | {100 * largest[method]:.2f} % |", flush=True)


def gaussian(features: int, draws: int) -> Iterator[tuple[Floats, Floats]]:
    for seed in range(draws):
        for ratio in RATIOS:
            problem = draw_instance(features=features, pool_ratio=ratio, seed=seed)
            yield problem.rows, problem.labels


def selected(kind: str, seeds: int) -> Iterator[tuple[Floats, Floats]]:
    for features in FEATURES:
        for seed in range(seeds):
            problem = draw_instance(features=features, pool_ratio=ALPHA, seed=seed)
            for _, chosen in selections(problem, kind, seed):
                yield problem.rows[chosen], problem.labels[chosen]


def tables() -> Iterator[tuple[str, Floats]]:
    """Tables that are not independent Gaussian entries, and some that only look as if they were
    not; 100 rows.
    """
    rng = np.random.default_rng(0)
    rows, columns = 100, 100
    noise = rng.standard_normal((rows, columns))
    yield "one row 100 times larger", noise * np.where(np.arange(rows) == 0, 100.0, 1.0)[:, None]
    yield "rows of very different size", noise * np.exp(rng.standard_normal((rows, 1)))
    yield "one constant column", np.column_stack([noise[:, 1:], np.ones(rows)])
    yield "columns of very different size", noise * np.exp(rng.standard_normal(columns))
    yield "entries with mean 1 and deviation 1", noise + 1.0
    yield "zeros and ones", (rng.random((rows, columns)) < 0.5).astype(np.float64)
    yield "2 % ones, the rest nearly zero", np.where(rng.random((rows, columns)) < 0.02, 1.0, 1e-6 * noise)
    yield "Student's t, 2 degrees", rng.standard_t(2, (rows, columns))
    yield "Cauchy", rng.standard_cauchy((rows, columns))
    yield "rank 10", rng.standard_normal((rows, 10)) @ rng.standard_normal((10, columns))
    yield "rank 50", rng.standard_normal((rows, 50)) @ rng.standard_normal((50, columns))
    yield "every row twice", np.repeat(noise[: rows // 2], 2, axis=0)
    yield "every row twice, 10° apart", np.repeat(noise[: rows // 2], 2, axis=0) + 0.125 * noise
    images = np.maximum(rng.standard_normal((rows, 12)) @ rng.standard_normal((12, columns)) + 0.5, 0.0)
    yield "images (rank 12, cut at 0)", images


def real() -> Iterator[tuple[str, Floats, Floats]]:
    from sklearn.datasets import load_breast_cancer, load_digits

    from gardner.table.scaling import standardised

    for name, data in (("breast cancer", load_breast_cancer()), ("digits, odd or even", load_digits())):
        rows = standardised(data.data)
        labels = np.where(data.target % 2 == 0, -1.0, 1.0)
        for count in (10, 40, 80):
            yield f"{name}, {count} labels", rows[:count], labels[:count]


def cases() -> Iterator[tuple[str, Floats, Floats, float]]:
    """Name, rows, labels and ln Z."""
    for name, rows, exact in truths():
        yield name, rows, np.ones(len(rows)), exact
    yield "24 copies of a row, N = 50", dense(np.ones((24, 1)), 50), np.ones(24), -float(np.log(2.0))
    teacher = np.random.default_rng(1).standard_normal(100)
    made = [(name, rows, np.sign(rows @ teacher)) for name, rows in tables()]
    for name, rows, labels in [*made, *real()]:
        precision = 0.005 * abs(infer(rows, labels, method="ep").log_volume)
        yield name, rows, labels, monte_carlo(rows, labels, stderr=precision).log_evidence


def detection() -> None:
    print("\n| rows | ln Z | method | error | estimate | status |")
    print("|---|---|---|---|---|---|")
    wrong, told = dict.fromkeys(METHODS, 0), dict.fromkeys(METHODS, 0)
    for name, rows, labels, truth in cases():
        for method in METHODS:
            posterior = infer(rows, labels, method=method)
            error, size = truth - posterior.log_evidence, abs(posterior.log_evidence)
            estimate = "–" if posterior.correction is None else f"{posterior.correction:+.3f}"
            line = f"| {name} | {truth:.3f} | {method} | {error:+.3f} ({100 * error / size:+.1f} %) | {estimate} "
            print(f"{line}| {posterior.status.value} |", flush=True)
            if abs(error) > 2.0 * TOLERANCE * size:
                wrong[method] += 1
                told[method] += not posterior.converged
    for method in METHODS:
        print(f"{method}: wrong by more than 6 % in {wrong[method]} cases, and did not say converged in {told[method]}")


def timing() -> None:
    """Processor time, of one thread."""
    print("\n| N | α | amp, ms | its estimate, ms | share |")
    print("|---|---|---|---|---|")
    for features, ratio in ((100, 1.0), (400, 3.0), (2000, 1.0), (2000, 3.0)):
        problem = draw_instance(features=features, pool_ratio=ratio, seed=0)
        found = infer(problem.rows, problem.labels)
        A = (1.0 - found.variance) / found.variance
        fields = found.omega, found.V, A, found.variance
        whole = spent(infer, problem.rows, problem.labels, threads=1)
        part = spent(neglected_by_amp, problem.rows, problem.labels, found.model.channel, *fields, scalar=False)
        print(f"| {features} | {ratio:g} | {1e3 * whole:.1f} | {1e3 * part:.1f} | {100 * part / whole:.1f} % |")


def spent(function: Callable[..., object], *arguments: Any, **options: Any) -> float:
    times = []
    for _ in range(7):
        begin = time.process_time()
        function(*arguments, **options)
        times.append(time.process_time() - begin)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=44, help="pools of each size and ratio")
    parser.add_argument("--seeds", type=int, default=8, help="pools of each size from which subsets are selected")
    arguments = parser.parse_args()
    print("| rows | method | false alarms | largest estimate |")
    print("|---|---|---|---|")
    for features in FEATURES:
        false_alarms(f"Gaussian, N = {features}, α = 0.2 to 10", gaussian(features, arguments.draws))
    for kind in ("agnostic", "informed"):
        false_alarms(f"{kind} selection, N = 50 to 400, n = 0.3 to 1.2", selected(kind, arguments.seeds))
    detection()
    timing()


if __name__ == "__main__":
    main()
