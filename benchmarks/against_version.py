"""This version against an earlier one by the clock: the work of ``amp.py``, ``active_learning.py``
and ``theory.py``.

    python -m benchmarks.against_version [COMMIT] [--only amp-vector bounds …] [--rounds 7]

The earlier version is checked out beside this one (``git worktree``). Each has a process of its
own, which stays alive, and the two are asked in turn, so that a busy minute of a shared machine
meets both. Printed are medians over the rounds of processor seconds and of wall-clock seconds, and
their ratio, this version's over the earlier one's. At most 1.05 is wanted. The answers stand beside
them: what is compared must be the same work. The default COMMIT is the last one before the redesign
that gave the theory its rooms; its answers and its loop are those of 0.1.0.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EARLIER = "1be10ca"
LIMIT = 1.05
TASKS = ("amp-scalar", "amp-vector", "active-learning", "bounds", "models")
WORK = '''
import functools, gc, json, os, sys, time
import numpy as np
from gardner import bounds
from gardner.experiment import run
from gardner.inference import amp
from gardner.model import GLM, draw_instance, parse_channel, parse_prior
from gardner.strategies import make_registered

@functools.cache
def drawn(features, ratio):
    return draw_instance(features, ratio, 0, dtype=np.float32)

def iterations(variances):
    """Thirty iterations of AMP on 160 MB, as in amp.py."""
    problem = drawn(2000, 10.0)
    found = amp(problem.rows, problem.labels, variances=variances, max_iterations=30, tolerance=1e-30,
                decide_empty=False)
    return found.log_evidence

def learning():
    """The loop of active_learning.py at N = 1000."""
    result = run(drawn(1000, 3.0), make_registered("agnostic", {}), budget=1.0, batch_size=10, seed=0)
    return result.rounds[-1].log_volume

def forget():
    for one in gc.get_objects():
        if type(one) is functools._lru_cache_wrapper and str(getattr(one, "__module__", "")).startswith("gardner."):
            one.cache_clear()

def ends(*questions):
    """Both ends of curves, nothing remembered."""
    forget()
    total = 0.0
    for prior, channel, alpha, budget in questions:
        found = bounds(GLM(parse_prior(prior), parse_channel(channel)), pool_ratio=alpha, budget=budget)
        total += found.minimum.point.log_volume + found.maximum.point.log_volume
    return total

works = {
    "amp-scalar": lambda: iterations("scalar"),
    "amp-vector": lambda: iterations("vector"),
    "active-learning": learning,
    "bounds": lambda: ends(*(("gaussian", "sign", 3.0, n) for n in (0.1, 0.5, 0.9, 1.7, 2.5))),
    "models": lambda: ends(("gaussian", "probit:0.1", 3.0, 0.6), ("rademacher", "sign", 3.0, 0.6)),
}
for line in sys.stdin:
    wall, processor = time.perf_counter(), time.process_time()
    answer = works[line.strip()]()
    seconds = time.perf_counter() - wall, time.process_time() - processor
    print(json.dumps([*seconds, float(answer)]), flush=True)
'''


class Version:
    """A process that works with one version's source."""

    def __init__(self, source: Path) -> None:
        """Start it."""
        environment = os.environ | {"PYTHONPATH": str(source / "src")}
        self.process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", WORK], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, task: str) -> tuple[float, float, float]:
        """Wall-clock seconds, processor seconds and the answer of a piece of work."""
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("a process without pipes")
        self.process.stdin.write(task + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process ended in {task}")
        wall, processor, answer = json.loads(line)
        return wall, processor, answer

    def close(self) -> None:
        """End it."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait()


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """The source tree of a commit, for as long as it is needed."""
    git = ["git", "-C", str(ROOT), "worktree"]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "earlier"
        subprocess.run([*git, "add", "--detach", str(place), commit], check=True, capture_output=True)  # noqa: S603
        try:
            yield place
        finally:
            subprocess.run([*git, "remove", "--force", str(place)], check=True, capture_output=True)  # noqa: S603


def compare(task: str, now: Version, before: Version, rounds: int) -> float:
    """Print a line about a task; returns the ratio of processor seconds."""
    answers = [version.ask(task)[2] for version in (now, before)]  # compiled and warm from here on
    runs: dict[str, list[tuple[float, float, float]]] = {"now": [], "before": []}
    for index in range(rounds):
        turn = [("now", now), ("before", before)]
        for name, version in turn if index % 2 else turn[::-1]:
            runs[name].append(version.ask(task))
    wall, processor = (
        [statistics.median(run[column] for run in runs[name]) for name in ("now", "before")] for column in (0, 1)
    )
    ratio = processor[0] / processor[1]
    print(
        f"{task}: processor {processor[0]:.3f} s, before {processor[1]:.3f} s, ratio {ratio:.3f} "
        f"(wanted at most {LIMIT}); wall clock {wall[0]:.3f} s, before {wall[1]:.3f} s, ratio {wall[0] / wall[1]:.3f}; "
        f"answers {answers[0]:.9g} and {answers[1]:.9g}",
        flush=True,
    )
    return ratio


def main() -> None:
    """A line a task, and how many exceed the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?", default=EARLIER)
    parser.add_argument("--only", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with checked_out(options.commit) as place:
        now, before = Version(ROOT), Version(place)
        try:
            ratios = [compare(task, now, before, options.rounds) for task in options.only]
        finally:
            now.close()
            before.close()
    slower = sum(ratio > LIMIT for ratio in ratios)
    print(f"{slower} of {len(ratios)} slower than {LIMIT} times version {options.commit}")


if __name__ == "__main__":
    main()
