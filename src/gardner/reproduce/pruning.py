"""Error against labels on logarithmic axes: a power law for random data, and what choosing makes of
it.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from gardner.model import PERCEPTRON
from gardner.report.learning import Axis, curves_chart
from gardner.report.page import Figure, Verdict, VerdictKind
from gardner.reproduce.recipe import Workspace
from gardner.rules import Rule
from gardner.rules.known import Agnostic, Pruning
from gardner.theory import LN2, learning_curve, typical
from gardner.theory.parallel import answers

# κ of the greedy curves, labels per weight in a round.
STEP = 0.1
# Pool ratios, and the budgets to which greedy is followed there: beyond the bend.
GREEDY = ((10.0, 6.0), (100.0, 8.5))
# Ratios of the pools that are pruned.
POOLS = (2.0, 10.0, 100.0)
# Shares of the pool that pruning keeps.
KEPT = (0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
# Random labels per weight by which pruning ranks the rest.
FIRST = 0.5
_RANDOM = "random"
# Labels per weight from where the power law is read.
_TAIL = 30.0
# Labels per weight at which random choice is drawn.
_BUDGETS = np.logspace(-1.0, 3.0, 41)


def error_lines(workspace: Workspace) -> pd.DataFrame:
    """Rows (series, rule, alpha, budget, error): of random labels, of greedy choice, and of pruned
    pools.
    """
    rows = [_row(_RANDOM, _RANDOM, math.inf, float(n), typical(PERCEPTRON, budget=float(n)).accuracy) for n in _BUDGETS]
    greedy = answers(_greedy, list(GREEDY), workspace.workers, workspace.progress)
    pruned = [_pruned(alpha, keep) for alpha in POOLS for keep in ("hard", "easy")]
    return pd.DataFrame([*rows, *(row for part in (*greedy, *pruned) for row in part)])


def _row(series: str, rule: str, alpha: float, budget: float, accuracy: float) -> dict[str, object]:
    return {"series": series, "rule": rule, "alpha": alpha, "budget": budget, "error": 1.0 - accuracy}


def _greedy(place: tuple[float, float]) -> list[dict[str, object]]:
    alpha, budget = place
    points = _points(Agnostic(), alpha, budget, STEP)
    return [_row(f"greedy, α = {alpha:g}", "agnostic", alpha, n, accuracy) for n, accuracy in points]


def _pruned(alpha: float, keep: str) -> list[dict[str, object]]:
    name = f"pruned, {keep}, α = {alpha:g}"
    rows = []
    for share in KEPT:
        first = min(FIRST, 0.5 * share * alpha)
        _, accuracy = _points(Pruning(first, keep), alpha, share * alpha, first)[-1]
        rows.append(_row(name, f"keep {keep}", alpha, share * alpha, accuracy))
    return rows


def _points(rule: Rule, alpha: float, budget: float, step: float) -> list[tuple[float, float]]:
    curve = learning_curve(rule, PERCEPTRON, pool_ratio=alpha, budget=budget, batch_ratio=step, tolerance=1e-4)
    return [(point.budget, point.accuracy) for point in curve.points]


def error_figure(lines: pd.DataFrame) -> Figure:
    """Both axes by their logarithm: a power law is straight, an exponential falls off it."""
    x, y = Axis("budget", "labels per weight n", True), Axis("error", "error of the posterior mean", True)
    chart = curves_chart(lines, lines.iloc[:0], x, y, "Error against labels: random, chosen, pruned")
    ends = lines.sort_values("budget").groupby("series", sort=False).last()
    listed = "; ".join(f"{name}: {row['error']:.4f} at n = {row['budget']:g}" for name, row in ends.iterrows())
    return Figure(chart, f"Error against labels on logarithmic axes. {listed}")


def error_verdicts(lines: pd.DataFrame) -> tuple[Verdict, ...]:
    """The exponents, and which rows to keep."""
    return (_power_law(lines), _exponential(lines), _which_rows(lines))


def _power_law(lines: pd.DataFrame) -> Verdict:
    tail = lines[(lines["rule"] == _RANDOM) & (lines["budget"] >= _TAIL)]
    exponent, constant = np.polyfit(np.log(tail["budget"]), np.log(tail["error"]), 1)
    return Verdict(
        abs(exponent + 1.0) < 0.01,
        f"random labels: error = {math.exp(constant):.4f} n^{exponent:.4f} beyond n = {_TAIL:g} (−1 within 0.01)",
        VerdictKind.FINDING,
        beyond=True,
    )


def _exponential(lines: pd.DataFrame) -> Verdict:
    """Before the pool runs out of open rows, a label halves V, and the error goes like √V, a share
    of e^{−n ln 2}.
    """
    last, _ = GREEDY[-1]
    greedy = lines[(lines["rule"] == "agnostic") & (lines["alpha"] == last) & lines["budget"].between(3.0, 5.0)]
    rate = -float(np.polyfit(greedy["budget"], np.log(greedy["error"]), 1)[0])
    return Verdict(
        abs(rate / LN2 - 1.0) < 0.05,
        f"greedy: the error falls like e^(−{rate:.3f} n) from n = 3 to 5; one bit a label: {LN2:.3f} (within 5 %)",
        VerdictKind.FINDING,
        beyond=True,
    )


def _which_rows(lines: pd.DataFrame) -> Verdict:
    """Of a student who knows the model: hard rows are the ones to keep, from every pool."""
    holds, by_pool = True, list[str]()
    blind = lines[lines["rule"] == _RANDOM]
    for alpha in POOLS:
        ratios = {}
        for keep in ("hard", "easy"):
            kept = lines[(lines["rule"] == f"keep {keep}") & (lines["alpha"] == alpha)]
            random = np.exp(np.interp(np.log(kept["budget"]), np.log(blind["budget"]), np.log(blind["error"])))
            ratios[keep] = (kept["error"] / random).to_numpy()
        holds &= bool(np.all(ratios["hard"] < 1.0) and np.all(ratios["easy"] > 1.0))
        by_pool.append(f"α = {alpha:g}: {ratios['hard'].min():.3f} and {ratios['easy'].max():.3f}")
    text = "keep hard rows, of small and large pools: error over that of as many random labels, the least if hard rows"
    text = f"{text} and the most if easy ones are kept: {'; '.join(by_pool)}"
    return Verdict(holds, text, VerdictKind.FINDING, beyond=True)
