"""The grid behind the explorer: bounds, complexity curves and learning curves, one file a task.

    python -m benchmarks.explorer_grid compute FOLDER [--channel sign …] [--minutes 40]
    python -m benchmarks.explorer_grid pack FOLDER

``compute`` goes on where it stopped: a task whose file is there is not run again. ``pack`` writes
``src/gardner/report/explorer/grid.bin`` from the channels whose tasks are all there, and says which
are not. Gaussian weights; matched teacher and student; replica symmetry.

A task is one channel, noise and pool ratio α. Places on every axis are Chebyshev's, so that
polynomials through them do not swing. Along a complexity curve the coordinate is

    w = ± √(1 − Σ/Σ(typical)),      −1 at the smallest volume, 0 at the typical, 1 at the largest.

ln v is a smooth function of w also where the curve is a wall (|β| → ∞): dln v/dw = 2wΣ(typical)/β.
"""

from __future__ import annotations

import argparse
import io
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicHermiteSpline, CubicSpline

from gardner.errors import ConvergenceError
from gardner.model import GLM
from gardner.model.arrays import Floats
from gardner.model.gaussian import Gaussian
from gardner.model.registry import parse_channel
from gardner.records import write_file
from gardner.report.explorer.axes import AXES, BATCHES, LEARNING_MOST, RULES, W_PLACES, Axes
from gardner.report.explorer.packing import STATUSES, packed, stretched
from gardner.theory import Curve, complexity_curve, learning_curve, typical

# What the cells of a learning curve may leave in ln v: a twentieth of the error that the page may
# have.
TOLERANCE = 5e-5
# Where the page looks for the grid.
GRID = Path(__file__).parents[1] / "src" / "gardner" / "report" / "explorer" / "grid.bin"
Arrays = dict[str, Floats]


def model_of(axes: Axes, noise: float) -> GLM:
    return GLM(Gaussian(), parse_channel(axes.name if math.isnan(noise) else f"{axes.name}:{float(noise)!r}"))


def along(curve: Curve) -> Arrays:
    """A complexity curve at the places of w; past an end that is not at Σ = 0 its last values
    stand.
    """
    points = curve.points
    volume, sigma, beta, accuracy, ratio = (
        np.array([getattr(point, name) for point in points])
        for name in ("log_volume", "complexity", "beta", "accuracy", "stability")
    )
    top = int(np.argmin(np.abs(beta)))
    side = np.where(np.arange(len(points)) < top, -1.0, 1.0)
    w = side * np.sqrt(np.clip(1.0 - sigma / sigma[top], 0.0, 1.0))
    w[top] = 0.0
    rising = np.concatenate([[True], np.diff(w) > 0.0])  # a branch that turned back, or rounding at an end
    beside = [top - 1, top + 1]
    curvature = np.interp(0.0, w[beside], beta[beside] / (volume[beside] - volume[top]))  # dβ/dln v, for a limit
    slope = 2.0 * w * sigma[top] / np.where(beta == 0.0, 1.0, beta)
    slope[top] = math.sqrt(2.0 * sigma[top] / curvature)
    keep = np.nonzero(rising)[0]
    w, places = w[keep], np.clip(W_PLACES, w[keep][0], w[keep][-1])
    return {
        "volume": CubicHermiteSpline(w, volume[keep], slope[keep])(places),
        "accuracy": CubicSpline(w, stretched(accuracy[keep]))(places),
        "ratio": np.interp(places, w, ratio[keep]),
        "ends": np.array([w[0], w[-1]]),
        "error": np.array([max(max(point.quadrature_error, point.accuracy_error) for point in points)]),
        "status": np.array(
            [STATUSES.index(curve.ends[end].status.value) for end in ("minimum", "maximum")], dtype=float
        ),
    }


def missing() -> Arrays:
    """A cell that could not be solved."""
    gap = np.full(len(W_PLACES), np.nan)
    unresolved = np.full(2, float(STATUSES.index("unresolved")))
    ends, error = np.full(2, np.nan), np.full(1, np.nan)
    return {"volume": gap, "accuracy": gap, "ratio": gap, "ends": ends, "error": error, "status": unresolved}


def solved(model: GLM, alpha: float, budget: float) -> Arrays:
    try:
        return along(complexity_curve(model, pool_ratio=alpha, budget=budget))
    except (ConvergenceError, FloatingPointError, ValueError, IndexError) as error:
        print(f"  alpha {alpha:g}, budget {budget:g}: {error}", file=sys.stderr)
        return missing()


def learned(model: GLM, alpha: float) -> Iterator[tuple[str, Floats]]:
    """Learning curves by rule and batch ratio: a row a whole round with ln v, accuracy, error."""
    for batch in BATCHES:
        rounds = math.floor(min(alpha, LEARNING_MOST) / batch + 1e-9)
        for rule in RULES:
            found = np.zeros((0, 3))
            if rounds:
                curve = learning_curve(
                    rule, model, pool_ratio=alpha, budget=rounds * batch, batch_ratio=batch, tolerance=TOLERANCE
                )
                found = np.array([(at.log_volume, at.accuracy, at.discretisation_error) for at in curve.points])
            yield f"{rule} {batch:g}", found


def task(axes: Axes, noise: float, alpha: float) -> Arrays:
    """Everything of one pool ratio."""
    model = model_of(axes, noise)
    cells = [solved(model, alpha, budget) for budget in axes.budgets(alpha)]
    found = {name: np.stack([cell[name] for cell in cells]) for name in cells[0]}
    return {**found, **dict(learned(model, alpha))}


def random_choice(axes: Axes, noise: float) -> Arrays:
    """Random choice, which does not depend on the pool."""
    points = [typical(model_of(axes, noise), budget=budget) for budget in axes.random_budgets]
    return {
        "volume": np.array([point.log_volume for point in points]),
        "accuracy": stretched(np.array([point.accuracy for point in points])),
        "error": np.array([point.quadrature_error for point in points]),
    }


def written(path: Path, arrays: Arrays) -> None:
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)  # type: ignore[arg-type]  # its stubs take no names from a dictionary
    write_file(path, content.getvalue())


def tasks(folder: Path, axes: Axes) -> Iterator[tuple[Path, float, float | None]]:
    """The files of a channel: one a noise for random choice, one a noise and pool ratio."""
    for i, noise in enumerate(axes.noises):
        yield folder / axes.name / f"{i:02d}-random.npz", noise, None
        for j, alpha in enumerate(axes.alphas):
            yield folder / axes.name / f"{i:02d}-{j:02d}.npz", noise, alpha


def compute(folder: Path, channels: list[str], minutes: float) -> None:
    begin = time.perf_counter()
    for name in channels:
        axes = AXES[name]
        for path, noise, alpha in tasks(folder, axes):
            if path.exists():
                continue
            if time.perf_counter() - begin > 60.0 * minutes:
                print("the time is up; the same command goes on from here")
                return
            start = time.process_time()
            written(path, random_choice(axes, noise) if alpha is None else task(axes, noise, alpha))
            took = time.process_time() - start
            print(f"{name} noise {noise:.4g} alpha {alpha or math.nan:.4g}: {took:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["compute", "pack"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--channel", nargs="+", choices=list(AXES), default=list(AXES))
    parser.add_argument("--minutes", type=float, default=90.0)
    given = parser.parse_args()
    if given.action == "compute":
        compute(given.folder, given.channel, given.minutes)
        return
    found = {}
    for name in given.channel:
        paths = [path for path, _, _ in tasks(given.folder, AXES[name])]
        left = sum(not path.exists() for path in paths)
        if left:
            print(f"{name}: {left} of {len(paths)} tasks are not there; it is left out")
            continue
        found[name] = {path.stem: dict(np.load(path, allow_pickle=False)) for path in paths}
    content = packed(found)
    write_file(GRID, content)
    print(f"{GRID.name}: {len(content)} bytes, {', '.join(found)}")


if __name__ == "__main__":
    main()
