"""Seconds until the command line answers a theorist, against what is allowed.

    python -m benchmarks.answers [--repeats 5]

Each command runs in a fresh process; medians. Nothing is kept between runs but Python's bytecode,
so ``cold`` is the first run after the bytecode has been compiled, ``next`` the median of the others
with other numbers.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

SWEEP = "0.05:1.5:0.05"  # 30 budgets


def seconds(*arguments: str) -> float:
    start = time.perf_counter()
    command = [sys.executable, "-m", "gardner", *arguments]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    return time.perf_counter() - start


def line(name: str, value: float, limit: float) -> None:
    print(f"{name}: {value:.2f} s, ratio to the limit of {limit:g} s: {value / limit:.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    compile_all = [sys.executable, "-m", "compileall", "-q", "src"]
    subprocess.run(compile_all, check=True)  # noqa: S603
    line("gardner bounds --alpha 3 --budget 0.6, cold", seconds("bounds", "--alpha", "3", "--budget", "0.6"), 3.0)
    others = [seconds("bounds", "--alpha", f"{3.0 + 0.1 * k}", "--budget", f"{0.5 + 0.1 * k}") for k in range(repeats)]
    line("… the next questions, median", statistics.median(others), 1.2)
    line("gardner --help, median", statistics.median(seconds("--help") for _ in range(repeats)), 0.3)
    deep = [seconds("budget", "--alpha", "1000", "--accuracy", f"{0.9 + 0.01 * k}") for k in range(min(repeats, 3))]
    line("gardner budget --alpha 1000 --accuracy 0.9, median", statistics.median(deep), 8.0)
    sweep = seconds("bounds", "--alpha", "3", "--budget", SWEEP) / 30.0
    line("gardner bounds with 30 budgets, each", sweep, 0.12)


if __name__ == "__main__":
    main()
