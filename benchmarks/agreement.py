"""AMP against theory for every prior and channel: evidence and overlap of random subsets, over
seeds.

    python -m benchmarks.agreement [--features 2000] [--seeds 10] [pair ...]     a minute; a pair: laplace/flip:0.05

A line a pair: theory (``gardner.theory.typical``), mean over seeds ± spread of one run, how many
converged, and the largest distance in units of the spread. Phase retrieval has no way out of m = 0
by itself: it starts near the teacher.
"""

from __future__ import annotations

import argparse

import numpy as np

from gardner.inference import Start, amp
from gardner.model import GLM, PRIORS, draw_instance, parse_channel, parse_prior
from gardner.theory import typical

CHANNELS = ("sign", "flip:0.05", "probit:0.1", "logistic:3", "linear:0.1", "absolute:0.1")
BUDGET, RETRIEVED = 1.2, 2.0


def measured(model: GLM, budget: float, features: int, seed: int, *, near: bool) -> tuple[float, float, bool]:
    """ln v, overlap with the teacher, and whether AMP converged."""
    problem = draw_instance(features, budget, seed, model)
    start = None
    if near:
        rng = np.random.default_rng(seed)
        guess = 0.9 * problem.teacher + 0.3 * rng.standard_normal(features)
        start = Start(guess, np.full(features, 0.2), np.zeros(len(problem.labels)))
    posterior = amp(problem.rows, problem.labels, model, start=start, decide_empty=False)
    overlap = float(posterior.mean @ problem.teacher) / features
    return posterior.log_volume, overlap, posterior.converged


def line(name: str, features: int, seeds: int) -> str:
    prior, channel = name.split("/")
    model = GLM(parse_prior(prior), parse_channel(channel))
    near = channel.startswith("absolute")
    budget = RETRIEVED if near else BUDGET
    known = typical(model, budget=budget)
    runs = [measured(model, budget, features, seed, near=near) for seed in range(seeds)]
    volumes, overlaps = (np.array([run[part] for run in runs]) for part in (0, 1))
    away = max(
        abs(float(found.mean()) - theory) / float(found.std(ddof=1))
        for found, theory in ((volumes, known.log_volume), (overlaps, known.overlap))
    )
    found = [f"{values.mean():.4f} ± {values.std(ddof=1):.4f}" for values in (volumes, overlaps)]
    settled = f"{sum(run[2] for run in runs)} of {seeds}"
    cells = [
        prior,
        channel,
        f"{budget:g}",
        f"{known.log_volume:.4f}",
        found[0],
        f"{known.overlap:.4f}",
        found[1],
        settled,
    ]
    return f"| {' | '.join(cells)} | {away:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", default=[f"{prior}/{channel}" for prior in PRIORS for channel in CHANNELS])
    parser.add_argument("--features", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=10)
    given = parser.parse_args()
    print("| prior | channel | n | ln v theory | ln v AMP | m theory | m AMP | converged | distance/spread |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in given.pairs:
        print(line(name, given.features, given.seeds), flush=True)


if __name__ == "__main__":
    main()
