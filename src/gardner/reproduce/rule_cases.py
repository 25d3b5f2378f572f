"""Rules next to themselves: the learning curve that theory computes, and what runs of the same rule
reach.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from gardner.experiment import Spec, StrategySpec, Task
from gardner.experiment.question.task import canonical
from gardner.model import GLM, parse_channel, parse_prior
from gardner.report.page import Verdict, VerdictKind
from gardner.reproduce.recipe import Workspace
from gardner.rules import make_registered_rule
from gardner.theory import LearningCurve, learning_curve
from gardner.theory.parallel import answers

# Over N: what ln v of a finite pool may differ by.
ALLOWANCE = 5.0
# The level at which agreement is rejected.
LEVEL = 0.01


@dataclass(frozen=True)
class Case:
    """A rule at one place: its name in a figure, and what is asked."""

    series: str
    rule: StrategySpec
    alpha: float
    budget: float
    batch_ratio: float
    prior: str = "gaussian"
    channel: str = "sign"
    shown: tuple[float, ...] = ()  # budgets at which runs are shown
    shrink: int = field(default=1)  # of the number of weights: large pools are long

    def spec(self, workspace: Workspace, features: int) -> Spec:
        """The runs of the case for which the full size has so many features."""
        count, seeds = workspace.sizes(features)
        count = count // self.shrink
        batch = max(1, round(self.batch_ratio * count))
        sizes = ([count], [self.alpha], [self.budget], [batch], seeds)
        return Spec([self.rule], *sizes, prior=self.prior, channel=self.channel)


def theory_of(case: Case) -> LearningCurve:
    """The learning curve of a case, as several processes can be asked for it."""
    rule = make_registered_rule(case.rule.name, dict(case.rule.parameters))
    model = GLM(parse_prior(case.prior), parse_channel(case.channel))
    return learning_curve(
        rule, model, pool_ratio=case.alpha, budget=case.budget, batch_ratio=case.batch_ratio, tolerance=1e-4
    )


def computed(cases: Sequence[Case], workspace: Workspace) -> pd.DataFrame:
    """A row a round of every case: its ``series`` and the columns of a learning curve."""
    found = answers(theory_of, list(cases), workspace.workers, workspace.progress)
    frames = [curve.to_frame().assign(series=case.series) for case, curve in zip(cases, found, strict=True)]
    return pd.concat(frames, ignore_index=True)


def measured(cases: Sequence[Case], features: int, workspace: Workspace) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All rounds of the runs; and means over seeds with their errors, at the budgets a case shows."""
    specs = [case.spec(workspace, features) for case in cases]
    frame = workspace.bench(specs)
    rows = []
    for case, spec in zip(cases, specs, strict=True):
        runs = _of(frame, spec.tasks()[0])
        for budget in case.shown:
            here = runs[np.isclose(runs["budget"], budget, rtol=0.0, atol=0.5 / runs["features"].iloc[0])]
            if len(here):
                rows.append({"series": case.series, "budget": budget, **_means(here)})
    return frame, pd.DataFrame(rows)


def _of(frame: pd.DataFrame, task: Task) -> pd.DataFrame:
    """The rows of a task and of its other seeds."""
    same = {name: getattr(task, name) for name in ("features", "pool_ratio", "batch_size", "prior", "channel")}
    same |= {"strategy": task.strategy.name, "run_budget": task.budget}
    same |= {"parameters": canonical(task.strategy.parameters)}
    return frame[(frame[list(same)] == pd.Series(same)).all(axis=1)]


def _means(here: pd.DataFrame) -> dict[str, float]:
    """Mean and standard error of what seeds measured, and what they share."""
    found: dict[str, float] = {"features": float(here["features"].iloc[0]), "seeds": float(len(here))}
    found["batch_ratio"] = float(here["batch_size"].iloc[0]) / found["features"]
    for name in ("log_volume", "accuracy"):
        found[name] = float(here[name].mean())
        found[f"{name}_stderr"] = float(here[name].std(ddof=1)) / math.sqrt(len(here))
    return found


def agreement(lines: pd.DataFrame, dots: pd.DataFrame) -> tuple[pd.DataFrame, Verdict]:
    """Theory against runs in every cell that has both: Student's t after an allowance of 5/N, Holm
    over all cells.
    """
    from scipy import stats  # here: most recipes do without it

    known = lines.assign(at=lines["budget"].round(6), theory=lines["log_volume"])[["series", "at", "theory"]]
    table = dots.assign(at=dots["budget"].round(6)).merge(known, on=["series", "at"]).drop(columns="at")
    table = table.drop_duplicates(["log_volume", "theory"])  # some runs stand in more than one figure
    beyond = (table["log_volume"] - table["theory"]).abs() - ALLOWANCE / table["features"]
    errors = np.maximum(beyond, 0.0) / table["log_volume_stderr"]
    table = table.assign(p_value=2.0 * stats.t.sf(errors, table["seeds"] - 1.0))
    ordered = np.sort(table["p_value"].to_numpy())
    passed = ordered * np.arange(len(ordered), 0, -1) >= LEVEL  # Holm: the smallest against all of them
    rejected = int(np.argmax(passed)) if passed.any() else len(ordered)
    worst = table.sort_values("p_value", kind="stable").iloc[0]
    text = (
        f"runs agree with theory in ln v, after {ALLOWANCE:g}/N, at {100 * LEVEL:g} % over {len(table)} cells: "
        f"{rejected} rejected; least likely {worst['series']} at n = {worst['budget']:g}: "
        f"{worst['log_volume']:.4f} ± {worst['log_volume_stderr']:.4f} against {worst['theory']:.4f}"
    )
    return table, Verdict(rejected == 0, text, VerdictKind.FINDING, int(table["seeds"].min()), beyond=True)
