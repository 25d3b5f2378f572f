"""Learning curves of rules against runs of them: every rule, pool, batch, channel and prior, with
one verdict.

    python -m benchmarks.learning_curves [--features 2000] [--seeds 10] [--out FOLDER] [--workers 2]
    python -m benchmarks.learning_curves --batch-ratios 0.25    # every rule and model, large batches alone
    python -m benchmarks.learning_curves --channels sign --priors gaussian --pool-ratios 3

Runs are kept in the folder, so a command that was stopped goes on (an hour and a half on two
cores for all). A cell is the mean ln v of the seeds at the first round at or beyond a budget, against the
theory of the same rule. After an allowance of 5/N for the finite size, Student's t gives each cell
a p-value, and Holm's method judges all cells together at 1 %. The last line is the negative
control: ``informed`` reads labels, and must not follow the theory of ``agnostic``.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks.judging import distance_p_value, holm

from gardner.experiment import Progress, Spec, StrategySpec, Task, read_results, run_tasks
from gardner.model import GLM, parse_channel, parse_prior
from gardner.rules import load_rule
from gardner.theory import learning_curve

Rules = tuple[tuple[str, dict[str, object]], ...]
RULES: Rules = (
    ("agnostic", {}),
    ("posterior-committee", {}),
    ("random", {}),
    ("partly-random", {}),
    ("target-margin", {}),
    ("pruning", {}),
    ("pruning", {"keep": "easy"}),
)
CHANNELS, PRIORS = ("sign", "flip:0.05", "probit:0.1"), ("gaussian", "gauss-bernoulli:0.3")
POOL_RATIOS, BATCH_RATIOS, BUDGETS = (3.0, 10.0), (0.01, 0.25), (0.3, 0.6, 1.2, 2.0)
LEVEL, ALLOWANCE = 0.01, 5.0


@dataclass(frozen=True)
class Setting:
    """What is the same for all rules of a block of the table."""

    channel: str
    prior: str
    pool_ratio: float
    batch_ratio: float

    @property
    def model(self) -> GLM:
        return GLM(parse_prior(self.prior), parse_channel(self.channel))

    def tasks(self, features: int, seeds: int, rules: Rules) -> list[Task]:
        spec = Spec(
            [StrategySpec(name, parameters) for name, parameters in rules],
            features=features,
            pool_ratio=self.pool_ratio,
            budget=BUDGETS[-1],
            batch_size=round(self.batch_ratio * features),
            seeds=seeds,
            channel=self.channel,
            prior=self.prior,
        )
        return spec.tasks()


@dataclass(frozen=True)
class Cell:
    """One comparison: theory, mean and standard error of the runs, and how unlikely the distance
    is.
    """

    setting: Setting
    rule: str
    budget: float
    theory: float
    mean: float
    error: float
    p_value: float


def settings(given: argparse.Namespace) -> Iterator[Setting]:
    for batch_ratio in sorted(given.batch_ratios, reverse=True):  # the quick ones first
        for channel in given.channels:
            for prior in given.priors:
                for pool_ratio in given.pool_ratios:
                    yield Setting(channel, prior, pool_ratio, batch_ratio)


def theory_at(setting: Setting, name: str, parameters: dict[str, object], budgets: list[float]) -> dict[float, float]:
    """ln v of a rule at the budgets; pruning is one choice for each budget beyond its random part."""
    rule = load_rule(name, parameters)
    found: dict[float, float] = {}
    for total in [one for one in budgets if one > rule.first] if rule.first else budgets[-1:]:
        curve = learning_curve(
            rule, setting.model, pool_ratio=setting.pool_ratio, budget=total, batch_ratio=setting.batch_ratio
        )
        found |= {round(point.budget, 6): point.log_volume for point in curve.points}
    return found


def cells(setting: Setting, frame: pd.DataFrame, features: int, name: str, parameters: dict[str, object]) -> list[Cell]:
    """The comparisons of one rule in one setting."""
    step = setting.batch_ratio
    budgets = sorted({round(math.ceil(budget / step - 1e-9) * step, 6) for budget in BUDGETS})
    known = theory_at(setting, name, parameters, budgets)
    found = []
    for budget in budgets:
        volumes = frame.loc[np.isclose(frame["budget"], budget, rtol=0.0, atol=1e-6), "log_volume"].to_numpy(float)
        error = float(volumes.std(ddof=1)) / math.sqrt(volumes.size)
        p_value = distance_p_value(volumes, known[budget], ALLOWANCE / features)
        label = StrategySpec(name, parameters).label
        found.append(Cell(setting, label, budget, known[budget], float(volumes.mean()), error, p_value))
    return found


def rows_of(
    frame: pd.DataFrame, setting: Setting, features: int, name: str, parameters: dict[str, object]
) -> pd.DataFrame:
    spec = StrategySpec(name, parameters).without_defaults()
    wanted = {
        "strategy": name,
        "parameters": spec.identity[1],
        "channel": setting.channel,
        "prior": setting.prior,
        "pool_ratio": setting.pool_ratio,
        "batch_size": round(setting.batch_ratio * features),
    }
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    return frame


def show(progress: Progress) -> None:
    if progress.done % 50 == 0 or progress.done == progress.total:
        print(f"{progress.done} of {progress.total} runs, {progress.failed} failed", file=sys.stderr, flush=True)


def compared(frame: pd.DataFrame, setting: Setting, features: int, rules: Rules, theory_of: str = "") -> list[Cell]:
    """All cells of a setting; ``theory_of`` names another rule to hold the runs against."""
    found = []
    for name, parameters in rules:
        rows = rows_of(frame, setting, features, name, parameters)
        found += cells(setting, rows, features, theory_of or name, parameters)
    return found


def print_table(found: list[Cell]) -> int:
    """A line a cell; how many are rejected."""
    verdicts = holm([cell.p_value for cell in found], LEVEL)
    print("| channel | prior | α | κ | rule | n | theory | runs | p |\n|---|---|---|---|---|---|---|---|---|")
    for cell, rejected in zip(found, verdicts, strict=True):
        one = cell.setting
        numbers = f"{one.pool_ratio:g} | {one.batch_ratio:g} | {cell.rule} | {cell.budget:g}"
        verdict = f"{cell.p_value:.2g}{' rejected' if rejected else ''}"
        runs = f"{cell.theory:.4f} | {cell.mean:.4f} ± {cell.error:.4f}"
        print(f"| {one.channel} | {one.prior} | {numbers} | {runs} | {verdict} |")
    return sum(verdicts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--channels", nargs="+", default=CHANNELS)
    parser.add_argument("--priors", nargs="+", default=PRIORS)
    parser.add_argument("--pool-ratios", type=float, nargs="+", default=POOL_RATIOS)
    parser.add_argument("--batch-ratios", type=float, nargs="+", default=BATCH_RATIOS)
    parser.add_argument("--features", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, default=Path("out/learning-curves"))
    parser.add_argument("--workers", type=int, default=None)
    given = parser.parse_args()
    control, informed = Setting("sign", "gaussian", 3.0, 0.01), (("informed", dict[str, object]()),)
    tasks = control.tasks(given.features, given.seeds, informed)
    for setting in settings(given):
        tasks += setting.tasks(given.features, given.seeds, RULES)
    run_tasks(tasks, given.out, workers=given.workers, progress=show)
    frame = read_results(given.out)
    frame = frame[frame["features"] == given.features]
    chosen = list(settings(given))
    found = [cell for setting in chosen for cell in compared(frame, setting, given.features, RULES)]
    rejected = print_table(found)
    smallest = min(cell.p_value for cell in found)
    print(f"{rejected} of {len(found)} cells rejected at {LEVEL:.0%} (Holm); smallest p {smallest:.2g}")
    runs = pd.concat([rows_of(frame, setting, given.features, *rule) for setting in chosen for rule in RULES])
    unconverged = int((runs["status"] != "converged").sum())
    print(f"rounds without a converged posterior: {unconverged} of {len(runs)}")
    wrong = compared(frame, control, given.features, informed, theory_of="agnostic")
    print(f"negative control, informed: {sum(holm([cell.p_value for cell in wrong], LEVEL))} of {len(wrong)} rejected")


if __name__ == "__main__":
    main()
