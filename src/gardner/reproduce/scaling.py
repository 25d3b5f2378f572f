"""The paper's scaling claims: v(α)·α tends to a constant, so halving meets the pool at a budget
that grows like ln α.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from gardner.model import PERCEPTRON
from gardner.report.figures import scaling_chart
from gardner.report.page import Figure, Section, Verdict, VerdictKind
from gardner.reproduce.recipe import Progress, Recipe, Workspace, certificate
from gardner.theory import LN2, pool

# Pool ratios from 1 to 10⁴, six in a decade: the law is read off the last of them.
POOLS = tuple(float(alpha) for alpha in np.round(np.logspace(0, 4, 25), 4))


def table(progress: Progress) -> pd.DataFrame:
    """Volume of the whole pool, its product with α, and the budget at which one bit a label would
    reach it.
    """
    rows = []
    for index, alpha in enumerate(POOLS):
        whole = pool(PERCEPTRON, pool_ratio=alpha)
        rows.append(
            {
                "pool_ratio": alpha,
                "log_volume": whole.log_volume,
                "scaled_volume": alpha * math.exp(whole.log_volume),
                "meeting_budget": -whole.log_volume / LN2,
                "accuracy": whole.accuracy,
                "scaled_error": alpha * (1.0 - whole.accuracy),
                "residual": whole.residual,
                "quadrature_error": whole.quadrature_error,
            }
        )
        progress((index + 1) / len(POOLS))
    return pd.DataFrame(rows)


def _run(workspace: Workspace) -> Section:
    frame = table(workspace.progress)
    last, decade = frame.iloc[-1], frame.iloc[(frame["pool_ratio"] - POOLS[-1] / 10).abs().argmin()]
    drift = abs(last["scaled_volume"] / decade["scaled_volume"] - 1.0)
    slope = (last["meeting_budget"] - decade["meeting_budget"]) / math.log(last["pool_ratio"] / decade["pool_ratio"])
    return Section(
        name=RECIPE.name,
        title=RECIPE.title,
        text=(
            "For large pools the volume of the whole pool falls like 1/α. At one bit a label it is reached with a "
            "number of labels that grows only like the logarithm of the pool: the exponential gain of active learning."
        ),
        figures=(
            Figure(
                scaling_chart(frame, "scaled_volume", "α·v(α)", "Volume of the pool times its ratio"),
                f"α·v(α) against α rises to {last['scaled_volume']:.4f}.",
            ),
            Figure(
                scaling_chart(frame, "meeting_budget", "budget n", "Budget at which halving meets the pool"),
                f"−log₂ v(α) against α on a logarithmic axis is a line of slope {slope:.3f} per unit of ln α.",
            ),
        ),
        verdicts=(
            Verdict(
                drift < 0.01,
                f"v(α)·α tends to a constant: {last['scaled_volume']:.5f} at α = {last['pool_ratio']:g}, "
                f"{100 * drift:.2f} % from its value at α = {decade['pool_ratio']:g} (tolerance 1 %)",
                VerdictKind.FINDING,
            ),
            Verdict(
                abs(slope * LN2 - 1.0) < 0.01,
                f"the budget where halving meets the pool grows like ln α / ln 2: slope {slope:.4f} against "
                f"{1 / LN2:.4f} over the last decade (tolerance 1 %)",
                VerdictKind.FINDING,
            ),
        ),
        table=frame,
        provenance=certificate(frame),
    )


RECIPE = Recipe("scaling", "Scaling with the pool", _run)
