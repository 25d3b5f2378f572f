"""``python -m tests.fuzz``: many cases, with progress, and those that fail kept; ``make fuzz``
calls it.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from tests.fuzz.case import Case, read_corpus, write_cases
from tests.fuzz.pool import CaseResult, run_cases

_EVERY = 10.0  # seconds between lines of progress


class Progress:
    """Counts and speaks now and then."""

    def __init__(self, total: int) -> None:
        """Nothing is done yet."""
        self.total, self.done, self.failed = total, 0, 0
        self.begin = self.told = time.monotonic()

    def __call__(self, result: CaseResult) -> None:
        """One more case is done."""
        self.done += 1
        if result.wrong:
            self.failed += 1
            print(f"FAILED {result}", flush=True)
        now = time.monotonic()
        if now - self.told > _EVERY or self.done == self.total:
            self.told = now
            rate = self.done / (now - self.begin)
            print(
                f"{self.done} of {self.total} cases, {rate:.1f} a second, {self.failed} failed",
                flush=True,
            )


def main() -> int:
    """Run the corpus, or cases drawn from a seed; the exit code says whether all held."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="cases to draw")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="cheap cases, as in `make test`")
    parser.add_argument("--corpus", nargs="*", metavar="NAME", help="run cases of the corpus")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--failures", type=Path, default=Path("fuzz-failures.json"))
    options = parser.parse_args()
    if options.corpus is not None:
        cases = [
            case
            for case in read_corpus()
            if not (options.quick and case.slow)
            and (not options.corpus or any(name in case.name for name in options.corpus))
        ]
    else:
        from tests.fuzz.grammar import drawn

        cases = drawn(options.count, options.seed, quick=options.quick)
    return _report(cases, options)


def _report(cases: list[Case], options: argparse.Namespace) -> int:
    results = run_cases(cases, options.workers, Progress(len(cases)))
    failed = [result for result in results if result.wrong]
    print(f"{len(results)} cases, {len(failed)} failed", end="")
    if failed:
        write_cases(options.failures, [result.case for result in failed])
        print(f"; they are in {options.failures}, in the format of tests/fuzz/corpus", end="")
    print()
    _remarks(results)
    return int(bool(failed))


def _remarks(results: list[CaseResult]) -> None:
    """What breaks no rule and is worth a look: trouble that nobody foresaw, and the slowest."""
    unforeseen: dict[str, CaseResult] = {}
    for result in results:
        if result.code == 1 and not result.wrong:
            unforeseen.setdefault(result.err.strip().rpartition("\n")[2][:160], result)
    for message, result in unforeseen.items():
        print(f"exit code 1: {message}\n    {result.case}")
    for result in sorted(results, key=lambda one: -one.seconds)[:5]:
        print(f"{result.seconds:.1f} s, {result.work:.1f} s of a processor: {result.case.argv}")


if __name__ == "__main__":
    sys.exit(main())
