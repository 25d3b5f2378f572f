"""AMP, EP and Monte Carlo on cones whose volume is known: which method may be believed where.

python -m benchmarks.truths     # a table, a few seconds
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait for each other

import numpy as np
from numpy.typing import NDArray

from gardner.inference import infer

Floats = NDArray[Any]


def dense(rows: Floats, features: int, seed: int = 0) -> Floats:
    """The same cone, turned at random in a space of more dimensions."""
    basis = np.linalg.qr(np.random.default_rng(seed).standard_normal((features, rows.shape[1])))[0]
    return np.asarray(rows @ basis.T)


def pair(degrees: float) -> Floats:
    angle = math.radians(degrees)
    return np.array([[1.0, 0.0], [math.cos(angle), math.sin(angle)]])


def wedges(degrees: float, count: int) -> Floats:
    return np.kron(np.eye(count), pair(degrees))


def equicorrelated(count: int) -> Floats:
    """Unit rows with scalar products ½: P(all positive) = 1/(M+1)."""
    return np.linalg.cholesky(0.5 * np.eye(count) + 0.5)


def truths() -> Iterator[tuple[str, Floats, float]]:
    """Name, rows (all labels +1) and ln Z."""
    yield "orthogonal, axes, M = N = 10", np.eye(10), -10 * math.log(2)
    yield "orthogonal, dense, M = 20, N = 200", dense(np.eye(20), 200), -20 * math.log(2)
    yield "orthogonal, dense, M = 100, N = 200", dense(np.eye(100), 200), -100 * math.log(2)
    yield "orthogonal, dense, M = N = 200", dense(np.eye(200), 200), -200 * math.log(2)
    for degrees in (1, 5, 10, 20, 30, 45, 60, 90, 120, 150, 175, 179):
        yield f"two rows at {degrees}°, N = 100", dense(pair(degrees), 100), math.log((180 - degrees) / 360)
    for copies in (2, 5, 20):
        yield f"{copies} copies of a row, N = 100", dense(np.ones((copies, 1)), 100), -math.log(2)
    for degrees in (60, 120):
        name = f"wedge of {degrees}° in 50 planes"
        yield name, dense(wedges(degrees, 50), 100), 50 * math.log((180 - degrees) / 360)
    for count in (3, 10, 50):
        yield f"equicorrelated ½, M = {count}, N = 100", dense(equicorrelated(count), 100), -math.log(count + 1)


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    print("| cone | exact ln Z | AMP | EP | Monte Carlo ± stderr | AMP error | EP error |")
    print("|---|---|---|---|---|---|---|")
    for name, rows, exact in truths():
        labels = np.ones(len(rows))
        results = {method: infer(rows, labels, method=method) for method in ("amp", "ep")}
        # a standard error of 0.2 % of the truth
        monte_carlo = infer(rows, labels, method="mc", stderr=0.002 * abs(exact) / rows.shape[1], time_limit=math.inf)
        cells = [name, f"{exact:.4f}"]
        for result in results.values():
            cells.append(f"{result.log_evidence:.4f}" + ("" if result.converged else f" ({result.status.value})"))
        cells.append(f"{monte_carlo.log_evidence:.4f} ± {(monte_carlo.stderr or 0.0) * rows.shape[1]:.4f}")
        for result in results.values():
            cells.append(f"{round(100 * (result.log_evidence / exact - 1), 2) + 0.0:+.2f} %")  # no zero has a sign
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
