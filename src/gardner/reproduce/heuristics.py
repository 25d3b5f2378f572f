"""The paper's comparison of label-agnostic strategies: AL-AMP, logistic and perceptron margins,
committees, α = 10.
"""

from __future__ import annotations

import itertools

import pandas as pd

from gardner.experiment import Spec, StrategySpec
from gardner.report.page import Section, Verdict
from gardner.reproduce.comparison import Comparison, charts, compare
from gardner.reproduce.deciding import against
from gardner.reproduce.recipe import Recipe, Workspace, origin, settled

# The pool ratio of the paper's figure.
ALPHA = 10.0
# Its budgets, in labels per weight.
BUDGETS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0)
# The budgets at which the order of strategies is read.
COMPARED = (1.0, 2.0, 3.0)
# Members of the committees; the paper's has 15.
COMMITTEES = (3, 15, 45)
# Of ln v per weight: a difference that hardly shows in the paper's figure.
BARELY = 0.01
# Standard errors beyond which a difference is one: chance alone exceeds them once in twenty.
SURE = 2.0


def committee(members: int) -> StrategySpec:
    """A committee of so many students; without its parameter if that is the default."""
    return StrategySpec("committee", {"members": members}).without_defaults()


def specs(workspace: Workspace) -> list[Spec]:
    """Batches of N/100."""
    features, seeds = workspace.sizes(2000)
    single = [StrategySpec(name) for name in ("agnostic", "logistic", "perceptron", "random")]
    committees = [committee(members) for members in COMMITTEES]
    return [Spec([*single, *committees], [features], [ALPHA], [3.0], [features // 100], seeds)]


def run_comparison(workspace: Workspace) -> tuple[pd.DataFrame, Comparison]:
    """The runs, and their comparison with the bounds."""
    frame = workspace.part(0.0, 0.7).bench(specs(workspace))
    return frame, compare(frame, BUDGETS, workspace.part(0.7, 1.0).progress)


def _run(workspace: Workspace) -> Section:
    frame, found = run_comparison(workspace)
    return Section(
        name=RECIPE.name,
        title=RECIPE.title,
        text=(
            "Every strategy chooses by its own estimate of what is uncertain; what it chose is always measured by AMP. "
            "A single logistic regression comes close to AL-AMP, a single perceptron less so. Members of a committee "
            "are trained by stochastic gradient descent from random starts."
        ),
        figures=charts(found, f"α = {ALPHA:g}, N = {int(frame['features'].iloc[0])}"),
        verdicts=(*_order(found), _size(found), settled(frame)),
        table=found.curves,
        provenance=f"{len(found.curves)} means over seeds.",
        origin=origin(frame),
        tables={"heuristics-theory": found.bounds},
    )


def _order(found: Comparison) -> tuple[Verdict, ...]:
    """Neighbours in the paper's order, on the same pools."""
    order = ["agnostic", "logistic", "perceptron", committee(15).label, "random"]
    verdicts = []
    for first, second in itertools.pairwise(order):
        gaps = {budget: found.difference(first, second, budget) for budget in COMPARED}
        differences = ", ".join(f"{_paired(*gap)} at n = {budget:g}" for budget, gap in gaps.items())
        holds = all(gap < -SURE * error for gap, error in gaps.values())
        text = f"{first} ahead of {second}, paired difference of ln v: {differences}"
        verdicts.append(Verdict(holds, text, against(gaps.values(), found.seeds), found.seeds))
    return tuple(verdicts)


def _paired(gap: float, error: float) -> str:
    return f"{gap:+.4f} ± {error:.4f}{'' if abs(gap) > SURE * error else ' (not told apart)'}"


def _size(found: Comparison) -> Verdict:
    labels = [committee(members).label for members in COMMITTEES]
    gaps = [
        (f"K = {small} → {large}", found.difference(labels[i + 1], labels[i], budget), budget)
        for i, (small, large) in enumerate(itertools.pairwise(COMMITTEES))
        for budget in COMPARED
    ]
    differences = ", ".join(f"{name}: {_paired(*gap)} at n = {budget:g}" for name, gap, budget in gaps)
    return Verdict(
        all(abs(gap) < BARELY for _, (gap, _), _ in gaps),
        f"a larger committee barely helps (paper; here: less than {BARELY:g} in ln v): {differences}",
        against(((abs(gap) - BARELY, error) for _, (gap, error), _ in gaps), found.seeds),
        found.seeds,
    )


RECIPE = Recipe("heuristics", "Label-agnostic strategies, α = 10", _run)
