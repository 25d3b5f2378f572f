"""Learning curves that need no runs, next to runs: pools, batches, committees, pruning, noise and
sparsity.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from gardner.experiment import StrategySpec
from gardner.report.learning import Axis, curves_chart
from gardner.report.page import Figure, Section, Verdict, VerdictKind
from gardner.report.style import VOLUME
from gardner.reproduce.pruning import error_figure, error_lines, error_verdicts
from gardner.reproduce.recipe import Recipe, Workspace, origin, settled
from gardner.reproduce.rule_cases import Case, agreement, computed, measured
from gardner.theory import LN2

# Weights N of the full version.
FEATURES = 1000
# κ of most curves, labels per weight in a round.
STEP = 0.05
AGNOSTIC, RANDOM = StrategySpec("agnostic"), StrategySpec("random")
BUDGET = Axis("budget", "budget n (labels per weight)")
# Members K of the committees that are drawn.
MEMBERS = (1, 3, 5, 15, 45)
# κ at which the price of batches is measured; one row a round comes on top.
BATCHES = (0.002, 0.01, 0.05, 0.125, 0.25, 0.5)
LEARNERS = (
    ("gaussian", "sign"),
    ("gaussian", "flip:0.05"),
    ("gaussian", "probit:0.1"),
    ("gauss-bernoulli:0.3", "sign"),
)


def _pools() -> list[Case]:
    places = ((3.0, 2.5, 1), (10.0, 4.0, 1), (100.0, 5.0, 5))  # pool ratio, budget, how much smaller N is
    return [
        Case(f"{rule.name}, α = {alpha:g}", rule, alpha, budget, STEP, shown=_spaced(budget, 0.5), shrink=shrink)
        for alpha, budget, shrink in places
        for rule in (AGNOSTIC, RANDOM)
        if rule is AGNOSTIC or alpha == 10.0  # random choice is the same for every pool
    ]


def _spaced(budget: float, step: float) -> tuple[float, ...]:
    return tuple(float(n) for n in np.round(np.arange(step, budget + 1e-9, step), 6))


def _batches(features: int) -> list[Case]:
    """κ as whole rows of a pool, from one row a round."""
    sizes = dict.fromkeys([1, *(max(1, round(kappa * features)) for kappa in BATCHES)])
    return [Case(f"κ = {size / features:g}", AGNOSTIC, 3.0, 1.0, size / features, shown=(0.5, 1.0)) for size in sizes]


def _committees() -> list[Case]:
    shown = (0.5, 1.0, 1.5, 2.0)
    some = [
        Case(
            f"K = {members}", StrategySpec("posterior-committee", {"members": members}).without_defaults(),
            3.0, 2.0, STEP, shown=shown,
        )
        for members in MEMBERS
    ]  # fmt: skip
    return [*some, Case("K = ∞ (agnostic)", AGNOSTIC, 3.0, 2.0, STEP, shown=shown)]


def _learners() -> list[Case]:
    return [
        Case(f"{rule.name}, {_called(prior, channel)}", rule, 3.0, 2.0, STEP, prior, channel, _spaced(2.0, 0.5))
        for prior, channel in LEARNERS
        for rule in (AGNOSTIC, RANDOM)
    ]


def _called(prior: str, channel: str) -> str:
    """By the prior, where it is not that of the first of them; else by the channel."""
    return channel if prior == LEARNERS[0][0] else prior


def _run(workspace: Workspace) -> Section:
    features, _ = workspace.sizes(FEATURES)
    groups = {"pools": _pools(), "batches": _batches(features), "committees": _committees(), "noise": _learners()}
    cases = [case for group in groups.values() for case in group]
    lines = computed(cases, workspace.part(0.0, 0.3))
    runs, dots = measured(cases, FEATURES, workspace.part(0.3, 0.9))
    parts = {name: _only(lines, group) for name, group in groups.items()}
    points = {name: _only(dots, group) for name, group in groups.items()}
    errors = error_lines(workspace.part(0.9, 1.0))
    table, agree = agreement(lines.drop_duplicates(["series", "budget"]), dots)
    return Section(
        name=RECIPE.name,
        title=RECIPE.title,
        text=(
            "A rule that chooses rows by what the student predicts for them has a learning curve that can be computed "
            "for many weights. Lines: theory. Dots: runs of the same rule, with one standard error. The price of "
            "batches and of small committees, what noise and sparsity change, and why choosing beats the power law of "
            "random data."
        ),
        figures=(
            *(_pool_figure(parts["pools"], points["pools"], y) for y in (Axis("log_volume", VOLUME), _ACCURACY)),
            _batch_figure(parts["batches"], points["batches"]),
            _committee_figure(parts["committees"], points["committees"]),
            error_figure(errors),
            _noise_figure(parts["noise"], points["noise"]),
        ),
        verdicts=(
            agree,
            _price(parts["batches"]),
            _committee_order(parts["committees"]),
            *error_verdicts(errors),
            _gain(parts["noise"]),
            settled(runs),
        ),
        table=table,
        provenance=f"{len(lines)} computed points, worst error of cells {lines['discretisation_error'].max():.1e}.",
        origin=origin(runs),
        tables={f"{RECIPE.name}-theory": lines, f"{RECIPE.name}-errors": errors},
    )


_ACCURACY = Axis("accuracy", "accuracy of the posterior mean")


def _only(frame: pd.DataFrame, cases: list[Case]) -> pd.DataFrame:
    return frame[frame["series"].isin([case.series for case in cases])].drop_duplicates(["series", "budget"])


def _pool_figure(lines: pd.DataFrame, dots: pd.DataFrame, y: Axis) -> Figure:
    title = f"{'Accuracy' if y is _ACCURACY else 'Log-volume'} against labels, rounds of {STEP:g}"
    return Figure(curves_chart(lines, dots, BUDGET, y, title), f"{title}. {_last(lines, y.field)}")


def _last(lines: pd.DataFrame, column: str) -> str:
    ends = lines.sort_values("budget").groupby("series", sort=False).last()
    return "; ".join(f"{name}: {row[column]:.4f} at n = {row['budget']:g}" for name, row in ends.iterrows())


def _gaps(frame: pd.DataFrame) -> pd.DataFrame:
    """ln v above one bit a label, with its error where the frame has one: theory has none."""
    above = frame.assign(gap=frame["log_volume"] + LN2 * frame["budget"])
    known = "log_volume_stderr" in frame
    return above.assign(gap_stderr=frame["log_volume_stderr"]) if known else above


def _batch_figure(lines: pd.DataFrame, dots: pd.DataFrame) -> Figure:
    names = {n: f"n = {n:g}" for n in (0.5, 1.0)}
    both = [
        _gaps(frame[frame["budget"].round(9).isin(names)]).assign(series=lambda one: one["budget"].round(9).map(names))
        for frame in (lines, dots)
    ]
    x, y = Axis("batch_ratio", "batch κ (labels per weight in a round)", True), Axis("gap", "ln v − halving", True)
    chart = curves_chart(both[0].sort_values("batch_ratio"), both[1], x, y, "The price of batches, α = 3")
    last = both[0][both[0]["series"] == names[1.0]].sort_values("batch_ratio")
    costs = "; ".join(f"κ = {row.batch_ratio:g}: {row.gap:.4f}" for row in last.itertuples())
    return Figure(chart, f"ln v above one bit a label at n = 1, α = 3. {costs}")


def _committee_figure(lines: pd.DataFrame, dots: pd.DataFrame) -> Figure:
    title = f"Committees of K members, α = 3, rounds of {STEP:g}"
    chart = curves_chart(_gaps(lines), _gaps(dots), BUDGET, Axis("gap", "ln v − halving"), title)
    return Figure(chart, f"ln v above one bit a label. {_last(_gaps(lines), 'gap')}")


def _noise_figure(lines: pd.DataFrame, dots: pd.DataFrame) -> Figure:
    title = f"Noise and sparse weights, α = 3, rounds of {STEP:g}"
    return Figure(curves_chart(lines, dots, BUDGET, _ACCURACY, title), f"{title}. {_last(lines, 'accuracy')}")


def _price(lines: pd.DataFrame) -> Verdict:
    """A first-order cost: the gap is in proportion to κ while κ is small, and a quarter of N is
    dear.
    """
    ends = lines[np.isclose(lines["budget"], 1.0)].sort_values("batch_ratio")
    gaps = ends["log_volume"].to_numpy() + LN2
    small = ends["batch_ratio"].to_numpy() <= 0.0501
    slope = float(np.polyfit(np.log(ends["batch_ratio"].to_numpy()[small]), np.log(gaps[small]), 1)[0])
    costs = ", ".join(f"{kappa:g}: {gap:.4f}" for kappa, gap in zip(ends["batch_ratio"], gaps, strict=True))
    return Verdict(
        0.8 < slope < 1.2 and bool(np.all(np.diff(gaps) > 0.0)),
        f"the price of batches at n = 1 grows like κ to the power {slope:.2f} up to κ = 0.05 (from 0.8 to 1.2), and "
        f"never falls: {costs}",
        VerdictKind.FINDING,
        beyond=True,
    )


def _committee_order(lines: pd.DataFrame) -> Verdict:
    ends = lines.sort_values("budget").groupby("series", sort=False)["log_volume"].last()
    names = [*(f"K = {members}" for members in MEMBERS), "K = ∞ (agnostic)"]
    values = [float(ends[name]) for name in names]
    listed = ", ".join(f"{name}: {value:.4f}" for name, value in zip(names, values, strict=True))
    text = f"larger committees are better, ln v at n = 2: {listed}"
    return Verdict(values == sorted(values, reverse=True), text, VerdictKind.FINDING, beyond=True)


def _gain(lines: pd.DataFrame) -> Verdict:
    """By how many labels choosing is ahead: random labels that would tell as much as n = 1 chosen
    ones.
    """
    gains = {}
    for name in (_called(*one) for one in LEARNERS):
        rules = ("agnostic", "random")
        chosen, blind = (lines[lines["series"] == f"{rule}, {name}"].sort_values("budget") for rule in rules)
        at_one = float(np.interp(1.0, chosen["budget"], chosen["accuracy"]))
        gains[name] = float(np.interp(at_one, blind["accuracy"], blind["budget"]))
    listed = ", ".join(f"{name}: {labels:.2f}" for name, labels in gains.items())
    return Verdict(
        all(labels > 1.0 for labels in gains.values()) and not math.isnan(sum(gains.values())),
        f"choosing is ahead of random labels for every model; random labels as good as 1 chosen label: {listed}",
        VerdictKind.FINDING,
        beyond=True,
    )


RECIPE = Recipe("learning-curves", "Learning curves of rules: theory and runs", _run)
