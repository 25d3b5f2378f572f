"""The paper's check of m(v): mixtures of informative and other samples against the theory's curve,
α = 10, n = 1.5.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

from gardner.experiment import Spec, StrategySpec
from gardner.experiment.question.task import default_parameters, label
from gardner.model import PERCEPTRON
from gardner.report.measured import mixture_chart
from gardner.report.page import Figure, Section, Verdict
from gardner.reproduce.deciding import against
from gardner.reproduce.recipe import Recipe, Workspace, certificate, origin, settled
from gardner.theory import complexity_curve

# The pool ratio of the paper's figure.
ALPHA = 10.0
# Its budget, in labels per weight.
BUDGET = 1.5
# The shares of the budget that the strategy chooses.
FRACTIONS = (0.0, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0)
# Of the overlap m: what the eye would let pass in the paper's figure.
CLOSE = 0.05


def _strategies() -> list[StrategySpec]:
    """Informative rows mixed with random ones (the paper's caption) and with uninformative ones
    (its text).
    """
    mixed = [StrategySpec("mixture", {"fraction": part, "rest": rest}) for rest in REST for part in FRACTIONS]
    return [one.without_defaults() for one in mixed if one.parameters != {"fraction": 1.0, "rest": "reversed"}]


REST = ("random", "reversed")


def _run(workspace: Workspace) -> Section:
    features, seeds = workspace.sizes(1000)
    spec = Spec(_strategies(), [features], [ALPHA], [BUDGET], [max(1, features // 100)], seeds)
    frame = workspace.part(0.0, 0.8).bench([spec])
    curve = complexity_curve(PERCEPTRON, pool_ratio=ALPHA, budget=BUDGET, points=61).to_frame()
    workspace.progress(1.0)
    dots = _dots(frame, curve)
    mixed = dots[dots["rest"] == "random"]
    return Section(
        name=RECIPE.name,
        title=RECIPE.title,
        text=(
            "Each dot is a set of 1.5 N rows of which a share was chosen by informed AL-AMP and the rest at random or "
            "by the reversed criterion. The line is the overlap of typical subsets of that volume. A mixture is not a "
            "typical subset of its volume: how far it may stray is what this figure tells."
        ),
        figures=(
            Figure(
                mixture_chart(curve, dots, f"Overlap against volume, α = {ALPHA:g}, n = {BUDGET:g}, N = {features}"),
                f"Overlap m against ln v for {len(dots)} mixtures, between ln v = {dots['log_volume'].min():.2f} and "
                f"{dots['log_volume'].max():.2f}, on the theory's curve.",
            ),
        ),
        verdicts=(
            _verdict(mixed, "informative and random samples"),
            _verdict(dots[dots["rest"] == "reversed"], "informative and uninformative samples"),
            settled(frame),
        ),
        table=dots,
        provenance=certificate(curve),
        origin=origin(frame),
        tables={"magnetization-theory": curve},
    )


def _dots(frame: pd.DataFrame, curve: pd.DataFrame) -> pd.DataFrame:
    """The last round of each run, averaged over seeds, with the theory's m at that volume."""
    last = frame.sort_values("round").drop_duplicates("key", keep="last")
    read = [{**default_parameters("mixture"), **json.loads(text)} for text in last["parameters"]]
    last = last.assign(**{name: [one[name] for one in read] for name in ("fraction", "rest")})
    rows = []
    groups: Any = last.groupby(["rest", "fraction"], sort=True)
    for (rest, fraction), group in groups:
        count = len(group) ** 0.5
        rows.append(
            {
                "strategy": label("mixture", {"fraction": fraction, "rest": rest}),
                "rest": rest,
                "fraction": fraction,
                "features": group["features"].iloc[0],
                "seeds": len(group),
                "converged": (group["status"] == "converged").mean(),
                "log_volume": group["log_volume"].mean(),
                "log_volume_stderr": group["log_volume"].std() / count,
                "m": group["overlap"].mean(),
                "m_stderr": group["overlap"].std() / count,
            }
        )
    dots = pd.DataFrame(rows)
    line = curve.sort_values("log_volume")
    theory = np.interp(dots["log_volume"], line["log_volume"], line["m"], left=np.nan, right=np.nan)
    return dots.assign(m_theory=theory, m_gap=dots["m"] - theory)


def _verdict(dots: pd.DataFrame, what: str) -> Verdict:
    rows: list[Any] = dots.dropna(subset=["m_gap"]).to_dict("records")
    worst = max(rows, key=lambda row: abs(row["m_gap"]))
    return Verdict(
        abs(worst["m_gap"]) <= CLOSE and len(rows) == len(dots),
        f"mixtures of {what} lie on the theory's m(ln v) within {CLOSE:g}: furthest {worst['strategy']}, "
        f"{worst['m_gap']:+.4f} ± {worst['m_stderr']:.4f} at ln v = {worst['log_volume']:.3f}, on average "
        f"{sum(row['m_gap'] for row in rows) / len(rows):+.4f} "
        f"({len(rows)} of {len(dots)} inside the curve's range)",
        against(((abs(row["m_gap"]) - CLOSE, row["m_stderr"]) for row in rows), int(dots["seeds"].min())),
        int(dots["seeds"].min()),
    )


RECIPE = Recipe("magnetization", "Overlap against volume for mixtures, α = 10", _run)
