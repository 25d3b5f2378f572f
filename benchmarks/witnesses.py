"""Does AMP's volume hold on subsets that were selected, and so are correlated? AMP and EP against
Monte Carlo.

Subsets chosen from a pool of α = 3 by AL-AMP, label-agnostic (least certain rows first) and
label-informed (most surprising rows first), in batches of N/50; at random for comparison. Printed:
ln v by Monte Carlo with its standard error, the deviation of AMP and of EP averaged over seeds with
the standard error of that average, and N times it.

    python -m benchmarks.witnesses                       # N = 50, 100, 200, 400, 8 seeds: ten minutes
    python -m benchmarks.witnesses --features 100 --seeds 2
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

from gardner.inference import Posterior, amp, expectation_propagation, monte_carlo, warm_start
from gardner.model import Instance, draw_instance

ALPHA = 3.0
BUDGETS = (0.3, 0.6, 1.2)


def selections(problem: Instance, kind: str, seed: int) -> Iterator[tuple[float, NDArray[Any]]]:
    """The rows chosen when each budget is reached."""
    features = problem.rows.shape[1]
    batch = max(1, features // 50)
    order = np.random.default_rng(seed).permutation(len(problem.labels))
    chosen = order[: batch if kind != "random" else None]
    posterior: Posterior | None = None
    for budget in BUDGETS:
        wanted = round(budget * features)
        while len(chosen) < wanted:
            start = None if posterior is None else warm_start(posterior, added=len(chosen) - posterior.labels.shape[0])
            rows, labels = problem.rows[chosen], problem.labels[chosen]
            posterior = amp(rows, labels, start=start, tolerance=1e-6, decide_empty=False)
            omega, V = posterior.fields(problem.rows)
            score = (problem.labels * omega if kind == "informed" else np.abs(omega)) / np.sqrt(V)
            score[chosen] = np.inf
            chosen = np.concatenate([chosen, np.argsort(score)[: min(batch, wanted - len(chosen))]])
        yield budget, chosen[:wanted]


def measure(features: int, seed: int, kind: str, stderr: float) -> Iterator[dict[str, Any]]:
    problem = draw_instance(features, ALPHA, seed)
    for budget, chosen in selections(problem, kind, seed):
        rows, labels = problem.rows[chosen], problem.labels[chosen]
        truth = monte_carlo(rows, labels, stderr=stderr, seed=seed, time_limit=math.inf)
        approximations = {"amp": amp(rows, labels), "ep": expectation_propagation(rows, labels)}
        yield {
            "budget": budget,
            "truth": truth.log_volume,
            "stderr": truth.stderr,
            "converged": all(part.converged for part in (truth, *approximations.values())),
            **{name: part.log_volume - truth.log_volume for name, part in approximations.items()},
            "damping": approximations["amp"].damping,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--features", type=int, nargs="+", default=[50, 100, 200, 400])
    parser.add_argument("--selections", nargs="+", default=["random", "agnostic", "informed"])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--stderr", type=float, default=0.0005, help="of ln v, each Monte Carlo run")
    arguments = parser.parse_args()
    columns = "selection", "N", "n", "ln v (mc)", "stderr of one", "AMP − mc", "N·(AMP − mc)", "EP − mc", "N·(EP − mc)"
    print("| " + " | ".join((*columns, "converged")) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for kind in arguments.selections:
        for features in arguments.features:
            runs = [run for seed in range(arguments.seeds) for run in measure(features, seed, kind, arguments.stderr)]
            for budget in BUDGETS:
                print(line(kind, features, budget, [run for run in runs if run["budget"] == budget]), flush=True)


def line(kind: str, features: int, budget: float, runs: list[dict[str, Any]]) -> str:
    cells = [kind, str(features), f"{budget:g}", f"{np.mean([run['truth'] for run in runs]):.4f}"]
    cells.append(f"{np.max([run['stderr'] for run in runs]):.5f}")
    for name in ("amp", "ep"):
        deviations = np.array([run[name] for run in runs])
        # independent problems, each with its own Monte Carlo error: both are in the spread
        error = np.std(deviations, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else runs[0]["stderr"]
        cells.append(f"{deviations.mean():+.5f} ± {error:.5f}")
        cells.append(f"{features * deviations.mean():+.2f}")
    cells.append(f"{sum(run['converged'] for run in runs)}/{len(runs)}")
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
