"""The paper's first figure: complexity and overlap against log-volume, at α = 3 and (appendix) at α
= 10.
"""

from __future__ import annotations

import functools

import pandas as pd

from gardner.model import PERCEPTRON
from gardner.report.figures import complexity_chart, magnetization_chart
from gardner.report.page import Figure, Section, Verdict, VerdictKind
from gardner.reproduce.recipe import Recipe, Workspace, certificate
from gardner.theory import Curve, complexity_curve, pool
from gardner.theory.parallel import answers

# Points of a curve, equally spaced, beside those that the follower chose (which crowd where the
# curve bends).
_POINTS = 31


def _curve(case: tuple[float, float]) -> tuple[Curve, pd.DataFrame]:
    """The curve at (pool ratio, budget) with its frame: the follower's points and equally spaced
    ones together.
    """
    pool_ratio, budget = case
    followed = complexity_curve(PERCEPTRON, pool_ratio=pool_ratio, budget=budget)
    spaced = complexity_curve(PERCEPTRON, pool_ratio=pool_ratio, budget=budget, points=_POINTS)
    frame = pd.concat([followed.to_frame(), spaced.to_frame()]).drop_duplicates("log_volume")
    return followed, frame.sort_values("log_volume", ignore_index=True)


def _run(name: str, title: str, alpha: float, budgets: tuple[float, ...], workspace: Workspace) -> Section:
    curves = answers(_curve, [(alpha, budget) for budget in budgets], workspace.workers, workspace.progress)
    frame = pd.concat([frame for _, frame in curves], ignore_index=True)
    span = f"budgets n = {budgets[0]:g} to {budgets[-1]:g} at pool ratio α = {alpha:g}"
    return Section(
        name=name,
        title=title,
        text=(
            "exp(NΣ) subsets of nN rows have log-volume ln v. A curve tops out at the volume of a random subset and "
            "ends at the smallest and largest volumes any subset has. Dashed: replica symmetry is broken there, so the "
            "curve is the replica-symmetric approximation."
        ),
        figures=(
            Figure(
                complexity_chart(frame, f"Complexity, α = {alpha:g}"), f"Complexity Σ against log-volume for {span}."
            ),
            Figure(magnetization_chart(frame, f"Overlap, α = {alpha:g}"), f"Overlap m against log-volume for {span}."),
        ),
        verdicts=_verdicts(alpha, curves),
        table=frame,
        provenance=_ends(curves) + " " + certificate(frame),
    )


def _verdicts(alpha: float, curves: list[tuple[Curve, pd.DataFrame]]) -> tuple[Verdict, ...]:
    frames = [frame for _, frame in curves]
    tops = [frame["complexity"].argmax() == frame["beta"].abs().argmin() for frame in frames]
    monotone = all(frame["m"].diff().dropna().max() <= 1e-9 for frame in frames)
    whole, (longest, last) = pool(PERCEPTRON, pool_ratio=alpha).log_volume, curves[-1]
    excess = float(last["log_volume"].iloc[0]) - whole
    typical_excess = float(last["log_volume"].iloc[last["beta"].abs().argmin()]) - whole
    low = [float(frame["stability"].iloc[0]) for frame in frames]
    high = [float(frame["stability"].iloc[-1]) for frame in frames]
    return (
        Verdict(
            all(tops),
            f"every curve has its maximum at β = 0, the random subset ({len(curves)} curves)",
            VerdictKind.FAILURE,
        ),
        Verdict(monotone, "smaller volumes have larger overlap m along every curve", VerdictKind.FINDING),
        Verdict(
            0.0 <= excess < 0.1 * typical_excess,
            f"the smallest volume saturates at the pool's: at n = {longest.budget:g} it lies {excess:.2g} above "
            f"ln v(α) = {whole:.5f}, a random subset {typical_excess:.2g}",
            VerdictKind.FINDING,
        ),
        Verdict(
            max(low) <= 1.0,
            f"replica symmetry holds at the lower ends (the paper leaves it open): stability ratio {min(low):.2f} to "
            f"{max(low):.2f}, broken above 1",
            VerdictKind.FINDING,
        ),
        Verdict(
            max(high) <= 1.0,
            f"replica symmetry holds at the upper ends (likewise): stability ratio {min(high):.2f} to {max(high):.2f}",
            VerdictKind.FINDING,
        ),
    )


def _ends(curves: list[tuple[Curve, pd.DataFrame]]) -> str:
    statuses = pd.Series([end.status.value for curve, _ in curves for end in curve.ends.values()]).value_counts()
    return "Ends: " + ", ".join(f"{count} {status}" for status, count in statuses.sort_index().items()) + "."


_TITLE_3 = "Complexity of subsets, α = 3"
_TITLE_10 = "Complexity of subsets, α = 10"
# Budgets of the paper's first figure, in labels per weight.
_BUDGETS_3 = tuple(round(0.1 + 0.2 * k, 1) for k in range(14))
# Budgets at α = 10, in labels per weight.
_BUDGETS_10 = (0.1, 0.3, 0.6, 1.0, 1.5, 2.0)

ALPHA_3 = Recipe("complexity", _TITLE_3, functools.partial(_run, "complexity", _TITLE_3, 3.0, _BUDGETS_3))
ALPHA_10 = Recipe("complexity-10", _TITLE_10, functools.partial(_run, "complexity-10", _TITLE_10, 10.0, _BUDGETS_10))
