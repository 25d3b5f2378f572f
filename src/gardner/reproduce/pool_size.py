"""The paper's second figure: minimal and typical volume against the budget, for α = 3, 10 and 100."""

from __future__ import annotations

import numpy as np
import pandas as pd

from gardner.model import PERCEPTRON
from gardner.report.figures import pool_size_chart
from gardner.report.page import Figure, Section, Verdict, VerdictKind
from gardner.reproduce.recipe import Recipe, Workspace, certificate, perceptron_bounds
from gardner.theory import LN2, Bounds, EndStatus, pool, typical
from gardner.theory.parallel import answers

# The pool ratios of the paper's figure.
POOLS = (3.0, 10.0, 100.0)
# Its budgets, in labels per weight, denser where curves bend.
BUDGETS = tuple(float(n) for n in np.round(np.concatenate([np.arange(0.05, 1.0, 0.1), np.arange(1.0, 3.0, 0.25)]), 2))
# The last budget, in labels per weight: the whole of the smallest pool.
LARGEST_BUDGET = 3.0
# How far above the pool's ln v a minimum counts as having come down to it, in nats per weight.
CLOSE = 0.05


def _minima(workspace: Workspace) -> list[Bounds]:
    cases = [(alpha, budget) for alpha in POOLS for budget in (*BUDGETS, LARGEST_BUDGET) if budget <= alpha]
    return answers(perceptron_bounds, cases, workspace.workers, workspace.progress)


def _lines(results: list[Bounds]) -> pd.DataFrame:
    rows = [
        {
            "budget": result.budget,
            "log_volume": result.minimum.log_volume,
            "line": f"α = {result.pool_ratio:g}",
            "bound": "minimum",
        }
        for result in results
    ]
    for alpha in POOLS:
        level = pool(PERCEPTRON, pool_ratio=alpha).log_volume
        rows += [
            {"budget": budget, "log_volume": level, "line": f"α = {alpha:g}", "bound": "pool"}
            for budget in (0.0, LARGEST_BUDGET)
        ]
    for budget in (*BUDGETS, LARGEST_BUDGET):
        rows.append(
            {
                "budget": budget,
                "log_volume": typical(PERCEPTRON, budget=budget).log_volume,
                "line": "random",
                "bound": "typical",
            }
        )
        rows.append({"budget": budget, "log_volume": -budget * LN2, "line": "one bit a label", "bound": "halving"})
    return pd.DataFrame(rows)


def _verdicts(results: list[Bounds]) -> tuple[Verdict, ...]:
    resolved = [result for result in results if result.minimum.status is not EndStatus.UNRESOLVED]
    ordered = all(
        result.pool.log_volume - 1e-9 <= result.minimum.log_volume <= result.typical.log_volume for result in resolved
    )
    beaten = [result for result in resolved if result.minimum.log_volume < -result.budget * LN2]
    beats = all(result in beaten for result in resolved if 0.9 * result.pool.log_volume < -result.budget * LN2)
    reached = []
    for alpha in POOLS:
        near = [
            r.budget for r in resolved if r.pool_ratio == alpha and r.minimum.log_volume - r.pool.log_volume < CLOSE
        ]
        reached.append((alpha, min(near) if near else None))
    first = ", ".join(
        f"α = {alpha:g}: n = {budget:g}" if budget else f"α = {alpha:g}: not by 3" for alpha, budget in reached
    )
    return (
        Verdict(
            len(resolved) == len(results),
            f"every minimum was found ({len(resolved)} of {len(results)})",
            VerdictKind.FAILURE,
        ),
        Verdict(ordered, "pool ≤ minimum ≤ typical for every budget and pool", VerdictKind.FAILURE),
        Verdict(
            beats,
            f"the best subset gains more than one bit a label until nine tenths of the pool's information are used up "
            f"({len(beaten)} of {len(resolved)} cases)",
            VerdictKind.FINDING,
        ),
        Verdict(
            all(budget is not None for _, budget in reached),
            f"a few labels per weight come within {CLOSE:g} of the whole pool's ln v, first at {first}",
            VerdictKind.FINDING,
        ),
    )


def _run(workspace: Workspace) -> Section:
    results = _minima(workspace)
    lines = _lines(results)
    frame = pd.concat([result.to_frame() for result in results], ignore_index=True)
    return Section(
        name=RECIPE.name,
        title=RECIPE.title,
        text=(
            "The smallest volume any subset has falls much faster than that of a random one and soon runs into the "
            "volume of the whole pool (dashed). A label-agnostic strategy cannot fall below the dotted line, one bit a "
            "label."
        ),
        figures=(
            Figure(
                pool_size_chart(lines, "Minimal and typical volume"),
                "Minimal log-volume against budget for pools of ratio 3, 10 and 100, with the typical one, the whole "
                "pools and the halving bound.",
            ),
        ),
        verdicts=_verdicts(results),
        table=frame,
        provenance=certificate(frame.dropna(subset=["residual"])),
    )


RECIPE = Recipe("pool-size", "What a larger pool buys", _run)
