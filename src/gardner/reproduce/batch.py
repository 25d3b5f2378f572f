"""The paper's remark that the batch size hardly matters: agnostic AL-AMP at k from 1 to N/4."""

from __future__ import annotations

import numpy as np

from gardner.experiment import Spec, StrategySpec
from gardner.report.measured import batch_chart
from gardner.report.page import Figure, Section, Verdict
from gardner.reproduce.comparison import Comparison, compare
from gardner.reproduce.deciding import against
from gardner.reproduce.heuristics import BARELY
from gardner.reproduce.recipe import Recipe, Workspace, origin, settled

# The pool ratio of the paper's remark on batches.
ALPHA = 3.0
# Budgets in labels per weight: multiples of the largest batch, N/4.
BUDGETS = (0.5, 1.0)
# The k/N up to which the remark, that batches do not matter, is taken at its word.
SMALL = 0.05


def _run(workspace: Workspace) -> Section:
    features, seeds = workspace.sizes(2000)
    shares = (0.0025, 0.01, 0.025, 0.05, 0.125, 0.25)
    sizes = [1, *(max(1, round(share * features)) for share in shares)]
    spec = Spec([StrategySpec("agnostic")], [features], [ALPHA], [1.0], list(dict.fromkeys(sizes)), seeds)
    frame = workspace.part(0.0, 0.9).bench([spec])
    found = compare(frame, BUDGETS, workspace.part(0.9, 1.0).progress)
    halving = found.bounds[found.bounds["bound"] == "halving"].set_index("budget")["log_volume"]
    table = found.curves.assign(halving=found.curves["budget"].map(halving))
    return Section(
        name=RECIPE.name,
        title=RECIPE.title,
        text=(
            "Agnostic AL-AMP asks for the k most uncertain rows at once, without seeing what the first of them would "
            "have told about the others; the first batch is random in any case. The gap to one bit a label is what "
            "that costs."
        ),
        figures=(
            Figure(
                batch_chart(table, f"Distance to halving against the batch size, α = {ALPHA:g}, N = {features}"),
                "Gap of agnostic AL-AMP to one bit a label against the batch size k: "
                + "; ".join(
                    f"k = {row.batch_size}, n = {row.budget:g}: {row.gap_to_halving:.4f}" for row in table.itertuples()
                ),
            ),
        ),
        verdicts=(*(_verdict(found, budget, features) for budget in BUDGETS), settled(frame)),
        table=table,
        provenance=f"{len(table)} means over seeds.",
        origin=origin(frame),
    )


def _verdict(found: Comparison, budget: float, features: int) -> Verdict:
    rows = [row for row in found.summary.rows if row["budget"] == budget]
    volume: dict[int, float] = {
        row["batch_size"]: row["log_volume"] for row in sorted(rows, key=lambda row: row["batch_size"])
    }
    small = [size for size in volume if size <= SMALL * features]
    dearest, cheapest = max(small, key=volume.__getitem__), min(small, key=volume.__getitem__)
    spread = volume[dearest] - volume[cheapest]
    errors = {row["batch_size"]: row["log_volume_stderr"] for row in rows}
    error = float(np.hypot(errors[dearest] or np.nan, errors[cheapest] or np.nan))  # no less than of the same pools
    return Verdict(
        spread < BARELY,
        f'at n = {budget:g} batches from 1 to {small[-1]} differ by {spread:.4f} in ln v ("hardly", here: less than '
        f"{BARELY:g}); k = {max(volume)} costs {volume[max(volume)] - volume[1]:.4f}",
        against([(spread - BARELY, error)], found.seeds),
        found.seeds,
    )


RECIPE = Recipe("batch", "Does the batch size matter?", _run)
