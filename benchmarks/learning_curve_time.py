"""Seconds that a learning curve takes, against what is allowed, and how they grow with the number
of rounds.

    python -m benchmarks.learning_curve_time [--repeats 3]

CPU seconds of this process after one short curve (start-up apart), the median of the repeats, least
certain rows first at α = 3 up to n = 2. The exponent is the slope of ln seconds against ln 1/κ from
κ = 0.02 to 0.0025, all on as many cells: 1 is a cost linear in the number of rounds.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time

import numpy as np

from gardner.rules import Rule
from gardner.rules.known import Agnostic, PosteriorCommittee
from gardner.theory import LearningCurve, learning_curve

ALPHA, BUDGET = 3.0, 2.0


def timed(rule: Rule, batch_ratio: float, repeats: int, cells: int | None = None) -> tuple[float, LearningCurve]:
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        curve = learning_curve(rule, pool_ratio=ALPHA, budget=BUDGET, batch_ratio=batch_ratio, cells=cells)
        seconds.append(time.process_time() - start)
    return statistics.median(seconds), curve


def line(name: str, rule: Rule, batch_ratio: float, limit: float, repeats: int) -> None:
    seconds, curve = timed(rule, batch_ratio, repeats)
    worst = curve.discretisation_error
    print(
        f"{name}: {seconds:.2f} s, ratio to the limit of {limit:g} s: {seconds / limit:.2f}, "
        f"error {worst:.1e}, ratio to 1e-5: {worst / 1e-5:.2f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    learning_curve("agnostic", pool_ratio=ALPHA, budget=0.1, batch_ratio=0.05)
    line("agnostic, rounds of 0.01", Agnostic(), 0.01, 2.0, repeats)
    line("agnostic, small rounds", Agnostic(), 0.0, 4.0, repeats)
    line("posterior-committee of 15, small rounds", PosteriorCommittee(15), 0.0, 4.0, repeats)
    ratios = [0.02, 0.01, 0.005, 0.0025]
    seconds = [timed(Agnostic(), ratio, repeats, cells=4096)[0] for ratio in ratios]
    slope = np.polyfit([-math.log(ratio) for ratio in ratios], np.log(seconds), 1)[0]
    print("seconds at " + ", ".join(f"{ratio:g}: {one:.2f}" for ratio, one in zip(ratios, seconds, strict=True)))
    print(f"exponent in 1/kappa: {slope:.2f}")


if __name__ == "__main__":
    main()
