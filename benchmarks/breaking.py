"""Ends of curves with one step of replica symmetry breaking, over a grid of pools, budgets and
sides.

    python -m benchmarks.breaking [ALPHA ...] [--budgets N ...]

prints for every end ln v of the symmetric theory with its stability ratio R, where symmetry breaks,
ln v with one step and its error, x, the stability of the broken solution within clusters and
between them, what one step adds to ln v, how far ln v is above that of the whole pool (minima), and
the seconds of CPU time; then how many ends are known, and the worst error. Without arguments: α
from 1 to 30. Budgets run up to nine tenths of the pool, unless they are given.
"""

from __future__ import annotations

import argparse
import time

from gardner.model import PERCEPTRON
from gardner.theory import Side
from gardner.theory.answers.problem import branch, checked_problem
from gardner.theory.breaking.end import broken_end
from gardner.theory.breaking.leaving import ratio
from gardner.theory.breaking.results import BreakingStatus, BrokenEnd
from gardner.theory.curve.ends import Branch
from gardner.theory.random_subset.typical import typical_of

ALPHAS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0)
BUDGETS = (0.05, 0.1, 0.3, 0.6, 1.0, 3.0, 10.0)
SHARES = (0.3, 0.5, 0.7, 0.9)  # of the pool: the wall
HEADING = (
    "alpha      n  side     symmetric        R  breaks at               1RSB   ± error      x"
    "  within  between  correction  resolved  above pool  CPU s  status"
)


def line(followed: Branch, end: BrokenEnd, seconds: float) -> str:
    """A row of the table."""
    problem, last = followed.problem, end.path[-1] if end.path else None
    how = "" if end.status is BreakingStatus.SYMMETRIC else " continuously" if end.continuous else " jumps"
    parts = [
        f"{problem.pool_ratio:5g} {problem.budget:6g}  {followed.side.value}",
        f"{end.symmetric_log_volume:11.7f} {ratio(followed.states[-1]):8.3f}  {end.leaves_at:10.6f}{how:13s}",
        f"{end.log_volume:11.7f} {end.error:9.0e}",
    ]
    if last is not None:
        parts.append(f"{last.breaking_point:6.4f} {last.stability:7.3f} {last.cluster_stability:8.3f}")
    else:
        parts.append(" " * 23)
    above = end.log_volume - typical_of(problem.pair, problem.pool_ratio).log_volume
    parts.append(f"{end.correction:11.2e} {end.resolved!s:>9s} {above:11.3e} {seconds:6.1f}")
    parts.append(f" {end.status.value} {end.reason}")
    return " ".join(parts)


def main() -> None:
    """Print the table and its summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("alphas", type=float, nargs="*", help="pool ratios")
    parser.add_argument("--budgets", type=float, nargs="+", help="labels per weight")
    given = parser.parse_args()
    known, worst, seconds_of_all = 0, 0.0, list[float]()
    print(HEADING)
    for alpha in given.alphas or ALPHAS:
        fixed, shared = {n for n in BUDGETS if n < 0.3 * alpha}, {round(share * alpha, 9) for share in SHARES}
        for budget in [n for n in given.budgets if n < alpha] if given.budgets else sorted(fixed | shared):
            for side in Side:
                followed = branch(checked_problem(PERCEPTRON, alpha, budget), side)
                start = time.process_time()
                end = broken_end(followed)
                seconds_of_all.append(time.process_time() - start)
                print(line(followed, end, seconds_of_all[-1]), flush=True)
                if end.status is not BreakingStatus.UNRESOLVED:
                    known, worst = known + 1, max(worst, end.error)
    print(f"{known} of {len(seconds_of_all)} ends are known, the worst to ±{worst:.0e};", end=" ")
    print(f"at most {max(seconds_of_all):.0f} s of CPU time an end, {sum(seconds_of_all):.0f} s in all")


if __name__ == "__main__":
    main()
