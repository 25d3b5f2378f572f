"""Seconds and statuses of ``bounds`` for every pair of prior and channel, some mismatched, some
hard.

    python -m benchmarks.models [name ...]     e.g. rademacher/sign; without names, all (4 minutes)

Each question is asked in a fresh process: ``cold`` is the time from its start to the answer,
``warm`` that of the next question (another budget) in the same process. The claims: at most 10 s
cold and 4 s warm at (α, n) = (3, 0.6), (3, 1), (50, 5), and 20 s for the hard ones, or the reason
why there is no answer. The last lines print the worst of each and how many exceed what is allowed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from typing import Any

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
    parse_channel,
    parse_prior,
)
from gardner.theory import bounds

PLACES = ((3.0, 0.6), (3.0, 1.0), (50.0, 5.0))
COLD, WARM, HARD = 10.0, 4.0, 20.0  # seconds that are allowed
OTHER = 1.01  # the next question: another budget


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
    hard: dict[str, tuple[GLM, GLM | None]] = {
        f"hard: {prior}/{channel}": (GLM(parse_prior(prior), parse_channel(channel)), None)
        for prior, channel in (
            ("gaussian", "flip:0.4999"),
            ("gaussian", "probit:1"),
            ("gaussian", "probit:1e6"),
            ("gauss-bernoulli:1e-3", "sign"),
        )
    }
    return alike | unlike | hard


def ask(name: str, alpha: float, budget: float) -> None:
    """In a fresh process: two questions, each a line of JSON."""
    student, teacher = pairs()[name]
    for n in (budget, budget * OTHER):
        start = time.perf_counter()
        try:
            result = bounds(student, pool_ratio=alpha, budget=n, teacher=teacher)
        except GardnerError as error:
            print(json.dumps({"refused": str(error), "seconds": time.perf_counter() - start}), flush=True)
            continue
        ends = (result.minimum, result.maximum)
        answer = {
            "status": [end.status.value for end in ends],
            "volumes": [ends[0].log_volume, result.typical.log_volume, ends[1].log_volume],
            "error": float(result.quadrature_error),
            "reason": "; ".join(end.reason for end in ends if end.reason),
            "seconds": time.perf_counter() - start,
        }
        print(json.dumps(answer), flush=True)


def measured(name: str, alpha: float, budget: float) -> tuple[float, float, dict[str, Any]]:
    """Seconds cold and warm, and the first answer."""
    command = [sys.executable, __file__, "--ask", name, str(alpha), str(budget)]
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as process:  # noqa: S603
        lines = iter(process.stdout or ())
        first = json.loads(next(lines))
        cold = time.perf_counter() - start
        second = json.loads(next(lines))
    return cold, float(second["seconds"]), first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--ask", nargs=3, metavar=("NAME", "ALPHA", "BUDGET"), help="one question, in this process")
    options = parser.parse_args()
    if options.ask:
        ask(options.ask[0], float(options.ask[1]), float(options.ask[2]))
        return
    columns = ("pair", "α", "n", "cold s", "warm s", "status", "ln v min", "typical", "max", "error", "")
    print(f"| {' | '.join(columns)} |")
    print("|---" * len(columns) + "|")
    seconds: dict[str, list[tuple[float, float, str]]] = {"": [], "hard": []}
    for name in pairs():
        if options.names and name not in options.names:
            continue
        for alpha, budget in PLACES if not name.startswith("hard") else PLACES[:1]:
            cold, warm, answer = measured(name, alpha, budget)
            kind, where = "hard" if name.startswith("hard") else "", f"{name} at ({alpha:g}, {budget:g})"
            seconds[kind].append((cold, warm, where))
            row = f"| {name} | {alpha:g} | {budget:g} | {cold:.1f} | {warm:.1f} | "
            if "refused" in answer:
                print(f"{row}refused | | | | | {answer['refused']} |", flush=True)
                continue
            status, volumes = answer["status"], answer["volumes"]
            values = " | ".join(f"{value:.6f}" for value in volumes)
            print(f"{row}{' / '.join(status)} | {values} | {answer['error']:.0e} | {answer['reason']} |", flush=True)
    for what, limits in (("", (COLD, WARM)), ("hard", (HARD, HARD))):
        for index, (word, limit) in enumerate(zip(("cold", "warm"), limits, strict=True)):
            if seconds[what]:
                worst = max(seconds[what], key=lambda entry: entry[index])
                over = sum(float(entry[index]) > limit for entry in seconds[what])
                told = f"{what} {word}: worst {worst[index]:.1f} s ({worst[2]}), ratio to the limit"
                print(f"{told} {float(worst[index]) / limit:.2f}; {over} of {len(seconds[what])} above it".strip())


if __name__ == "__main__":
    main()
