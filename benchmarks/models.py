"""Seconds and statuses of ``bounds`` for every pair of prior and channel, and some mismatched ones, at α = 3, n = 0.6.

    python benchmarks/models.py [name ...]     e.g. rademacher/sign; without names, all

Each line counts compilation too, in seconds by the clock and seconds of processor time (which do not grow when the
machine has other work). The claim: every pair answers within two minutes on two cores, or says why not.
"""

from __future__ import annotations

import sys
import time

from gardner.errors import GardnerError
from gardner.model import (
    CHANNELS,
    GLM,
    PRIORS,
    Flip,
    GaussBernoulli,
    Gaussian,
    Laplace,
    Linear,
    Logistic,
    Probit,
    Sign,
)
from gardner.theory import bounds

ALPHA, BUDGET = 3.0, 0.6


def pairs() -> dict[str, tuple[GLM, GLM | None]]:
    alike: dict[str, tuple[GLM, GLM | None]] = {
        f"{prior}/{channel}": (GLM(PRIORS[prior](), CHANNELS[channel]()), None)
        for channel in CHANNELS
        for prior in PRIORS
    }
    unlike: dict[str, tuple[GLM, GLM | None]] = {
        "ridge (gaussian:2/linear:0.3 from gaussian/linear:0.1)": (
            GLM(Gaussian(2.0), Linear(0.3)),
            GLM(Gaussian(), Linear(0.1)),
        ),
        "gaussian/logistic:3 from gaussian/flip:0.05": (GLM(Gaussian(), Logistic(3.0)), GLM(Gaussian(), Flip(0.05))),
        "gaussian/probit:0.3 from gauss-bernoulli/sign": (
            GLM(Gaussian(), Probit(0.3)),
            GLM(GaussBernoulli(), Sign()),
        ),
        "laplace/linear:0.1 from gauss-bernoulli/linear:0.1": (
            GLM(Laplace(), Linear(0.1)),
            GLM(GaussBernoulli(), Linear(0.1)),
        ),
    }
    return alike | unlike


def _since(start: float, spent: float) -> str:
    return f"{time.perf_counter() - start:.0f} | {time.process_time() - spent:.0f}"


def line(name: str, student: GLM, teacher: GLM | None) -> str:
    start, spent = time.perf_counter(), time.process_time()
    try:
        result = bounds(student, ALPHA, BUDGET, teacher)
    except GardnerError as error:
        return f"| {name} | {_since(start, spent)} | refused: {error} |"
    seconds = _since(start, spent)
    low, top, high = result.minimum, result.typical, result.maximum
    far = result.extremes
    most = (far.most_information.information, far.most_accurate.accuracy) if far is not None else (0.0, 0.0)
    reasons = "; ".join(end.reason for end in (low, high) if end.reason)
    return (
        f"| {name} | {seconds} | {low.status.value} / {high.status.value} | {low.log_volume:.6f} | "
        f"{top.log_volume:.6f} | {high.log_volume:.6f} | {top.information:.6f} | {most[0]:.6f} | {most[1]:.4f} | "
        f"{result.residual:.0e} | {result.quadrature_error:.0e} | {reasons} |"
    )


def main() -> None:
    columns = (
        "pair", "s", "CPU s", "status", "ln v min", "typical", "max", "information typical", "most", "accuracy",
        "residual", "error", "",
    )  # fmt: skip
    print(f"| {' | '.join(columns)} |")
    print("|---" * len(columns) + "|")
    wanted = sys.argv[1:]
    for name, (student, teacher) in pairs().items():
        if not wanted or name in wanted:
            print(line(name, student, teacher), flush=True)


if __name__ == "__main__":
    main()
