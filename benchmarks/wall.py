"""The wall: how far the smallest volume is above that of the whole pool, and what breaking can do
there.

    python -m benchmarks.wall [ALPHA ...]

prints, for budgets from one to nine tenths of the pool, the symmetric minimum, its excess over the
pool's ln v, β and the stability ratio R at the end, and the most that replica symmetry breaking can
move it: whether symmetry was seen to break, and Σ/|β| at the point where it does, or at the last
one where it is known to hold, since past that point ln v goes no further than this, nor below the
pool. Without arguments: α = 3, 10 and 100.
"""

from __future__ import annotations

import argparse

import numpy as np

from gardner.errors import ConvergenceError
from gardner.model import PERCEPTRON
from gardner.theory import Side
from gardner.theory.answers.problem import branch, checked_problem
from gardner.theory.breaking.leaving import departure, ratio
from gardner.theory.random_subset.typical import typical_of

ALPHAS = (3.0, 10.0, 100.0)
# Differences of ln v below this are not printed: where a branch is left on the wall, and so what is
# left above the pool there, is a matter of rounding: two printings differed by a factor of three.
LEAST = 1e-8
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def shown(difference: float, form: str) -> str:
    """A difference of ln v, or that it is too small to be known."""
    return format(difference, form) if difference >= LEAST else f"< {LEAST:.0e}"


@np.errstate(all="ignore")
def line(alpha: float, budget: float) -> str:
    """A row of the table."""
    followed = branch(checked_problem(PERCEPTRON, alpha, budget), Side.MIN)
    last = followed.end
    if last is None:
        return f"{alpha:5g} {budget:6g}  {followed.status.value}: {followed.reason}"
    pool = typical_of(followed.problem.pair, alpha).log_volume
    excess, beta = last.log_volume - pool, f"{last.theta.beta:.2e}"
    start = f"{alpha:5g} {budget:6g}  {last.log_volume:12.8f}  {shown(excess, '.3e'):>10s}"
    start += f"  {beta if excess >= LEAST else '–':>10s}  {ratio(last):6.3f}  {followed.status.value:10s}"
    try:
        left, proven = departure(followed)
    except ConvergenceError as error:
        return f"{start}  not known: {error.what}"
    state = proven if left is None else left.state
    if state is None:
        return f"{start}  not known"
    pace = abs(state.complexity / state.theta.beta)
    breaks = "yes" if left is not None else "no" if proven is last else "not known"
    return f"{start}  {breaks:9s}  {shown(min(pace, state.log_volume - pool), '.1e')}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("alphas", type=float, nargs="*", default=ALPHAS, metavar="ALPHA")
    alphas = parser.parse_args().alphas
    print("alpha      n  symmetric min  above pool        beta       R  status      breaks     ln v may move by")
    for alpha in alphas:
        for share in SHARES:
            print(line(alpha, round(share * alpha, 9)), flush=True)


if __name__ == "__main__":
    main()
