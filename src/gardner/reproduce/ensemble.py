"""Complexity of finite pools by Markov chains, from the smallest volume to the largest, against
both theories.

Random draws never meet the ends of Σ. Chains do (:mod:`gardner.experiment.ensemble`), so the ends
can be asked whether they are true: where replica symmetry is broken, and what one step of breaking
adds.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy.interpolate import CubicHermiteSpline

from gardner.experiment.ensemble.answer import Ensemble
from gardner.experiment.ensemble.limit import drawn_range, limit, paired
from gardner.experiment.ensemble.sampling import sample_ensemble
from gardner.report.measured import ensemble_chart
from gardner.report.page import Figure, Section, Verdict, VerdictKind
from gardner.reproduce import bounds, passive_sampling
from gardner.reproduce.recipe import FULL, Recipe, Workspace
from gardner.theory import complexity_curve

# The pool ratio and the budget of the ensemble: those of the paper's check at N = 20.
ALPHA, BUDGET = 3.0, 0.6
# Pools and rounds at each number of weights: pools differ more than chains err, so small sizes have
# many pools.
PLAN = {20: (60, 1000), 30: (30, 1000), 50: (16, 1000), 100: (4, 1000), 200: (2, 100)}
# The same in seconds.
QUICK_PLAN = {20: (12, 250), 30: (8, 250), 40: (4, 250)}
# The β at which curves are extrapolated: symmetry breaks at −8.5 and 25.6.
BETAS = (-20.0, -12.0, -8.0, -4.0, -2.0, -1.0, 0.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0, 100.0)
# Random draws of the paper, which is what the chains are held against.
DRAWN = 1e7
# The β on either side at which symmetry holds and Φ is taken as known when the ends are asked for.
KNOWN = {-1.0: (-6.0, -3.0), 1.0: (8.0, 20.0)}
# By how much extrapolated ends may be off in ln v, and their error: what the third power of 1/N at
# N = 20 may add.
CLOSE = 0.01
# Points of the symmetric curve, equally spaced in ln v, beside those that the follower chose.
POINTS = 121
# A share of the range of ln v that counts as all of it: the mean ln v at the last β is not yet its
# end.
WHOLE = 0.9
# By how much ln v of the best subset may vary from pool to pool, in standard errors.
SURE = 3.0

_SYMMETRIC, _STEP, _LIMIT, _DRAWN = "replica symmetry", "one step", "chains, N → ∞", "random draws, N = 20"


def theory_curves() -> dict[str, CubicHermiteSpline]:
    """Φ(β) of both theories; its slope is ln v. Beyond its ends Φ = β ln v: only the best subsets
    count.
    """
    frame = complexity_curve(pool_ratio=ALPHA, budget=BUDGET, rsb=1).to_frame()
    spaced = complexity_curve(pool_ratio=ALPHA, budget=BUDGET, points=POINTS).to_frame()
    symmetric = pd.concat([frame[frame["branch"] == "symmetric"], spaced]).sort_values("beta")
    step = frame[frame["branch"] == "one step"].sort_values("beta")
    low, high = step[step["beta"] < 0.0], step[step["beta"] > 0.0]
    inside = symmetric[(symmetric["beta"] > low["beta"].max()) & (symmetric["beta"] < high["beta"].min())]
    return {_SYMMETRIC: _spline(symmetric), _STEP: _spline(pd.concat([low, inside, high]))}


def _spline(points: pd.DataFrame) -> CubicHermiteSpline:
    points = points.drop_duplicates("beta")
    beta, volume = points["beta"].to_numpy(), points["log_volume"].to_numpy()
    phi = points["complexity"].to_numpy() + beta * volume
    first, last = 2.0 * beta[0], 2.0 * beta[-1] + 100.0
    beta = np.concatenate([[first], beta, [last]])
    phi = np.concatenate([[phi[0] + volume[0] * (first - beta[1])], phi, [phi[-1] + volume[-1] * (last - beta[-2])]])
    return CubicHermiteSpline(beta, phi, np.concatenate([volume[:1], volume, volume[-1:]]))


def predicted(curve: CubicHermiteSpline, name: str, beta: float) -> float:
    """Φ, ln v = dΦ/dβ, or Σ = Φ − β ln v."""
    volume, phi = float(curve.derivative()(beta)), float(curve(beta))
    return {"log_partition": phi, "log_volume": volume, "complexity": phi - beta * volume}[name]


def known_at(curves: dict[str, CubicHermiteSpline], beta: float) -> dict[float, float]:
    """Φ where symmetry holds, on the side of a β."""
    return {at: predicted(curves[_SYMMETRIC], "log_partition", at) for at in KNOWN[math.copysign(1.0, beta)]}


def beyond(beta: float) -> bool:
    """Whether a β lies outside those at which Φ is taken as known."""
    return not KNOWN[-1.0][0] <= beta <= KNOWN[1.0][1]


def range_of(curve: CubicHermiteSpline) -> tuple[float, float]:
    """Both ends of ln v."""
    low, high = curve.derivative()([-1e3, 1e3])
    return float(low), float(high)


def _run(workspace: Workspace) -> Section:
    plan = PLAN if workspace.scale is FULL else QUICK_PLAN
    answers: dict[int, Ensemble] = {}
    for index, (features, (pools, rounds)) in enumerate(plan.items()):
        share = workspace.part(0.6 * index / len(plan), 0.6 * (index + 1) / len(plan))
        answers[features] = sample_ensemble(
            features, ALPHA, BUDGET, pools=pools, rounds=rounds, out=workspace.folder / "ensemble" / str(features),
            threads=workspace.workers, progress=share.progress,
        )  # fmt: skip
    curves = theory_curves()
    draws = passive_sampling.draw_sample(workspace.part(0.7, 0.8), 20, BUDGET, workspace.scale.draws)
    runs_of_swap = workspace.part(0.8, 1.0).bench(bounds.specs(workspace)[1:])
    swap = runs_of_swap[(runs_of_swap["budget"] - BUDGET).abs() < 1e-9]
    table = _limits(answers, curves)
    dots = passive_sampling.complexity_of(draws)
    lines = _lines(answers, curves)
    points = _points(table, dots)
    ends = pd.DataFrame({"series": f"swap, N = {swap['features'].iloc[0]}", "log_volume": [swap["log_volume"].mean()]})
    bad = sum(bool(one.troubles) for answer in answers.values() for one in answer.mixing)
    return Section(
        name=RECIPE.name,
        title=RECIPE.title,
        text=(
            "Markov chains exchange rows of a subset and prefer small volumes, or large ones; chains of many strengths "
            "trade their subsets, and together they count the subsets of each volume, from end to end. Random draws "
            "see the middle only. Volumes are AMP's. The dots are what the curves of several N say of N without end."
        ),
        figures=(
            Figure(
                ensemble_chart(lines, points, ends, f"Complexity by Markov chains, α = {ALPHA:g}, n = {BUDGET:g}"),
                f"Complexity Σ against ln v: two theories, chains at N = {', '.join(map(str, plan))}, their limit, "
                "random draws, and the end that swap reaches.",
            ),
        ),
        verdicts=_verdicts(answers, curves, table, swap),
        table=table,
        provenance=f"{sum(len(answer.mixing) for answer in answers.values())} pools, {bad} of them not mixed.",
        origin={
            "pools and rounds": "; ".join(f"N = {N}: {pools}, {rounds}" for N, (pools, rounds) in plan.items()),
            "seconds of the processor": f"{sum(answer.seconds for answer in answers.values()):.0f}",
        },
        tables={"ensemble-curves": lines},
    )


def _limits(answers: dict[int, Ensemble], curves: dict[str, CubicHermiteSpline]) -> pd.DataFrame:
    """Φ, Σ and ln v at N → ∞, and those of the theories."""
    rows = []
    for beta in BETAS:
        sigma, volume = limit(answers, "complexity", beta), limit(answers, "log_volume", beta)
        phi = limit(answers, "log_partition", beta)
        ends = paired(answers, "log_partition", beta, known_at(curves, beta))
        rows.append(
            {
                "beta": beta,
                "log_volume": volume.value,
                "log_volume_stderr": volume.error,
                "complexity": sigma.value,
                "complexity_stderr": sigma.error,
                "log_partition": phi.value,
                "log_partition_stderr": phi.error,
                "chi_square": phi.chi,
                "log_partition_paired": ends.value,
                "log_partition_paired_stderr": ends.error,
                "chi_square_paired": ends.chi,
                **{
                    f"{part}_{theory}": predicted(curves[name], part, beta)
                    for name, theory in ((_SYMMETRIC, "symmetric"), (_STEP, "one_step"))
                    for part in ("log_partition", "log_volume", "complexity")
                },
            }
        )
    return pd.DataFrame(rows)


def _lines(answers: dict[int, Ensemble], curves: dict[str, CubicHermiteSpline]) -> pd.DataFrame:
    betas = np.unique(np.concatenate([one.curve["beta"] for one in answers.values()]))
    frames = []
    for name, curve in curves.items():
        volume, sigma = ([predicted(curve, part, beta) for beta in betas] for part in ("log_volume", "complexity"))
        frames.append(pd.DataFrame({"series": name, "beta": betas, "log_volume": volume, "complexity": sigma}))
    for features, answer in answers.items():
        frames.append(answer.curve[["beta", "log_volume", "complexity"]].assign(series=f"chains, N = {features}"))
    return pd.concat(frames, ignore_index=True)


def _points(table: pd.DataFrame, dots: pd.DataFrame) -> pd.DataFrame:
    limits = table[["log_volume", "complexity", "complexity_stderr"]].assign(series=_LIMIT)
    drawn = dots[["log_volume", "complexity"]].assign(series=_DRAWN, complexity_stderr=math.nan)
    return pd.concat([limits, drawn], ignore_index=True)


def _verdicts(
    answers: dict[int, Ensemble], curves: dict[str, CubicHermiteSpline], table: pd.DataFrame, swap: pd.DataFrame
) -> tuple[Verdict, ...]:
    largest = max(answers)
    low, high = range_of(curves[_STEP])
    spans = (answers[largest].range, drawn_range(answers[largest], DRAWN))
    chains, random = ((end - begin) / (high - low) for begin, end in spans)
    pools = sum(len(answer.mixing) for answer in answers.values())
    middle, ends = (_distance(table, part, column) for part, column in _PARTS)
    least = len(answers[largest].mixing)
    volumes = swap["log_volume"]
    error = float(volumes.std(ddof=1) / math.sqrt(len(volumes))) if len(volumes) > 1 else math.nan
    gap = float(volumes.mean()) - low
    return (
        Verdict(
            chains >= WHOLE,
            f"chains see {chains:.0%} of the range of ln v at N = {largest}; ten million random draws see {random:.0%}",
            VerdictKind.OPEN,
            least,
        ),
        Verdict(
            middle[0] <= SURE * middle[1] and middle[1] <= 5.0 * CLOSE,
            f"extrapolated to N without end, chains agree with theory where symmetry holds: off by {middle[0]:.4f} in "
            f"ln v at most, with a standard error of {middle[1]:.4f} there",
            VerdictKind.FINDING if middle[0] > SURE * middle[1] else VerdictKind.OPEN,
            pools,
        ),
        Verdict(
            ends[0] <= CLOSE and ends[1] <= CLOSE,
            f"given that, they agree with one step of breaking near the ends: off by {ends[0]:.4f} in ln v at most, "
            f"with a standard error of {ends[1]:.4f} there (tolerance of both {CLOSE:g})",
            VerdictKind.FINDING if ends[0] > CLOSE + SURE * ends[1] else VerdictKind.OPEN,
            pools,
        ),
        Verdict(
            not gap < -SURE * error,
            f"no search passes the minimum with one step of breaking: swap lies {gap:+.4f} ± {error:.4f} above it at "
            f"N = {swap['features'].iloc[0]}",
            VerdictKind.FINDING,
            len(volumes),
        ),
        _resolved(table, pools),
    )


# Which β, and which column: the middle as it is, the ends given the middle.
_PARTS = ((False, "log_partition"), (True, "log_partition_paired"))


def _distance(table: pd.DataFrame, outside: bool, column: str) -> tuple[float, float]:
    """The largest difference of Φ from theory, in its errors, and its error; both over |β|, as a
    shift of ln v.

    To first order that is how far apart two curves of Σ are, measured along ln v.
    """
    here = table[[beyond(beta) is outside and beta != 0.0 for beta in BETAS]]
    scale = np.maximum(1.0, here["beta"].abs().to_numpy(dtype=float))
    gaps = np.abs((here[column] - here["log_partition_one_step"]).to_numpy(dtype=float)) / scale
    errors = here[f"{column}_stderr"].to_numpy(dtype=float) / scale
    worst = int(np.argmax(gaps if outside else gaps / errors))
    return float(gaps[worst]), float(errors[worst])


def _resolved(table: pd.DataFrame, pools: int) -> Verdict:
    """Where Σ of both theories differs most, in errors of the extrapolation: are the chains good
    enough to tell?
    """
    symmetric, step, seen, errors = (
        table[name].to_numpy(dtype=float)
        for name in ("complexity_symmetric", "complexity_one_step", "complexity", "complexity_stderr")
    )
    place = int(np.argmax(np.abs(step - symmetric) / errors))
    apart, error = step[place] - symmetric[place], errors[place]
    return Verdict(
        bool(abs(apart) >= SURE * error and abs(seen[place] - step[place]) <= SURE * error),
        f"the chains tell one step of breaking from replica symmetry: at β = {BETAS[place]:g} it adds {apart:+.4f} to "
        f"Σ; measured {seen[place] - symmetric[place]:+.4f} ± {error:.4f}",
        VerdictKind.OPEN,
        pools,
        beyond=True,
    )


RECIPE = Recipe("ensemble", "Are the bounds true? Complexity by Markov chains, from end to end", _run)
