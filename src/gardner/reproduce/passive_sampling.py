"""The paper's check of Σ(n, v): volumes of ten million random subsets of one small pool, counted.

A pool of αN rows has C(αN, nN) subsets. If a random one has a volume in a small interval around ln
v with density p(ln v), then

    Σ(ln v) ≈ (1/N) [ln C(αN, nN) + ln p(ln v) − max ln p],

up to O(ln N/N): near its maximum p is the Gaussian that e^{NΣ} makes, and dividing by its height
removes the width of the interval and the Gaussian's norm. The far ends of Σ are out of reach: 10⁷
draws see no subset rarer than 10⁻⁷, a drop of Σ by 16/N.
"""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray

from gardner.experiment.question.task import canonical
from gardner.experiment.stored.sources import stamp
from gardner.inference.batched import random_subsets, subset_log_volumes
from gardner.model import PERCEPTRON, draw_instance
from gardner.records import Store
from gardner.report.measured import sampling_chart
from gardner.report.page import Figure, Section, Verdict, VerdictKind
from gardner.reproduce.recipe import Progress, Recipe, Workspace, certificate
from gardner.theory import complexity_curve

# The pool ratio of the paper's figure.
ALPHA = 3.0
# Its budgets, in labels per weight.
BUDGETS = (0.3, 0.6, 0.9, 2.7)
# The paper's N, and a second one that tells what is due to its being small.
SIZES = (20, 40)
# Draws at the second N at least, of which otherwise a tenth of the first's will do.
LEAST = 100_000
# The seed of the one pool that the paper's figure shows.
SEED = 0
# The width of a bin of ln v, as stored: far finer than what is shown.
WIDTH = 0.002
# Bins across the range met, as shown.
BINS = 40
# Subsets in a bin for its count to be taken as its probability: chance is a tenth of it, 0.005 of Σ
# at N = 20.
SEEN = 100
# Subsets in a stored part: seconds of work, which is what an interruption costs.
CHUNK = 500_000
COLUMNS = pa.schema({"bin": pa.int64(), "count": pa.int64()})
# Of Σ: the sizes of ½ ln(2π nN)/N and of the pool's own luck at N = 20 (docs/reproduction).
CLOSE = 0.15


@dataclass(frozen=True)
class Sample:
    """Counts of subsets in bins of ln v, ``WIDTH`` wide, numbered from ln v = 0 downwards."""

    features: int
    budget: float
    counts: pd.Series[int]
    unconverged: int
    seconds: float

    @property
    def drawn(self) -> int:
        """Subsets with a volume."""
        return int(self.counts.sum())


def draw_sample(workspace: Workspace, features: int, budget: float, draws: int) -> Sample:
    """Draw subsets chunk by chunk; chunks that are in the store are read."""
    store = Store(workspace.folder / "sampling")
    code = stamp("inference/*.py", "model/*.py", also=[Path(__file__)])  # bins and seeds are set here
    chunks = [min(CHUNK, draws - start) for start in range(0, draws, CHUNK)]
    tables, seconds = [], 0.0
    with store.writing():
        for index, count in enumerate(chunks):
            task = {
                "features": features,
                "alpha": ALPHA,
                "budget": budget,
                "seed": SEED,
                "chunk": index,
                "draws": count,
            }
            key = hashlib.sha256(f"sampling {canonical(task)} {code}".encode()).hexdigest()[:16]
            if not store.has(key):
                begin = time.perf_counter()
                table = _count(features, budget, index, count)
                store.write(key, table, {"seconds": time.perf_counter() - begin})
            tables.append(store.read(key, COLUMNS).to_pandas())
            seconds += store.read_timings(key).get("seconds", math.nan)
            workspace.progress((index + 1) / len(chunks))
    together = pd.concat(tables).groupby("bin")["count"].sum()
    return Sample(features, budget, together.drop(-1, errors="ignore"), int(together.get(-1, 0)), seconds)


def _count(features: int, budget: float, chunk: int, draws: int) -> pa.Table:
    """One chunk as (bin, count); bin −1 counts the subsets on which AMP did not converge."""
    instance = draw_instance(features, ALPHA, SEED)
    rng = np.random.default_rng([int.from_bytes(b"subsets", "big"), SEED, features, round(1000 * budget), chunk])
    subsets = random_subsets(draws, instance.labels.size, round(budget * features), rng)
    found = subset_log_volumes(instance.rows, instance.labels, subsets)
    bins = np.floor(-found.log_volume[found.converged] / WIDTH).astype(np.int64)
    numbers, counts = np.unique(bins, return_counts=True)
    numbers, counts = np.append(numbers, -1), np.append(counts, np.count_nonzero(~found.converged))
    return pa.table({"bin": numbers.astype(np.int64), "count": counts.astype(np.int64)}, schema=COLUMNS)


def complexity_of(sample: Sample) -> pd.DataFrame:
    """Σ in about ``BINS`` bins across the range met, those with enough subsets; two standard errors
    of counting.
    """
    volumes = -(sample.counts.index.to_numpy(dtype=float) + 0.5) * WIDTH
    merged = max(1, round(np.ptp(volumes) / WIDTH / BINS))
    frame = pd.DataFrame({"bin": sample.counts.index // merged, "count": sample.counts.to_numpy(), "volume": volumes})
    frame["weighted"] = frame["count"] * frame["volume"]
    bins = frame.groupby("bin")[["count", "weighted"]].sum().reset_index()
    rows = round(sample.budget * sample.features)
    pool = round(ALPHA * sample.features)
    # ln of the number of subsets there are, exactly
    top = math.lgamma(pool + 1) - math.lgamma(rows + 1) - math.lgamma(pool - rows + 1)
    enough = bins[bins["count"] >= SEEN]
    log_ratio = np.log(enough["count"] / bins["count"].max())
    error = 2.0 / np.sqrt(enough["count"])
    return pd.DataFrame(
        {
            "budget": sample.budget,
            "features": sample.features,
            "log_volume": enough["weighted"] / enough["count"],
            "complexity": (top + log_ratio) / sample.features,
            "complexity_low": (top + log_ratio - error) / sample.features,
            "complexity_high": (top + log_ratio + error) / sample.features,
            "subsets": enough["count"],
        }
    ).sort_values("log_volume", ignore_index=True)


def _run(workspace: Workspace) -> Section:
    draws = {SIZES[0]: workspace.scale.draws, SIZES[1]: max(workspace.scale.draws // 10, LEAST)}
    cases = [(features, budget) for features in SIZES for budget in BUDGETS]
    samples = []
    for index, (features, budget) in enumerate(cases):
        share = workspace.part(0.9 * index / len(cases), 0.9 * (index + 1) / len(cases))
        samples.append(draw_sample(share, features, budget, draws[features]))
    curve = _theory(workspace.part(0.9, 1.0).progress)
    dots = pd.concat([complexity_of(one) for one in samples], ignore_index=True)
    dots["complexity_theory"] = _on_curve(dots, curve)
    rates = ", ".join(
        f"N = {one.features}, n = {one.budget:g}: {one.drawn / one.seconds:,.0f} a second" for one in samples
    )
    lost = sum(one.unconverged for one in samples)
    return Section(
        name=RECIPE.name,
        title=RECIPE.title,
        text=(
            f"{draws[SIZES[0]]:,} random subsets of one pool at each budget (N = {SIZES[1]}: {draws[SIZES[1]]:,}), "
            "their volumes by AMP, the histogram turned into Σ. "
            "At such small N three things shift the dots: the pool's own luck (order 1/√N, the same for all subsets), "
            "the counting of subsets (½ ln(2πnN)/N) and AMP itself. The larger N tells how fast they fade."
        ),
        figures=(
            Figure(
                sampling_chart(curve, dots, f"Complexity by counting, α = {ALPHA:g}"),
                f"Complexity Σ from counted subsets on the theory's curves, budgets {', '.join(map(str, BUDGETS))}, "
                f"N = {' and '.join(map(str, SIZES))}.",
            ),
        ),
        verdicts=_verdicts(dots),
        table=dots,
        provenance=certificate(curve),
        origin={
            "subsets": f"{sum(one.drawn for one in samples)}, and {lost} on which AMP did not converge",
            "pool": f"seed {SEED}",
            "rate": rates,
        },
        tables={"passive-sampling-theory": curve},
    )


def _theory(progress: Progress) -> pd.DataFrame:
    frames = []
    for index, budget in enumerate(BUDGETS):
        frames.append(complexity_curve(PERCEPTRON, pool_ratio=ALPHA, budget=budget, points=81).to_frame())
        progress((index + 1) / len(BUDGETS))
    return pd.concat(frames, ignore_index=True)


def _on_curve(dots: pd.DataFrame, curve: pd.DataFrame) -> NDArray[np.float64]:
    found = np.full(len(dots), np.nan)
    for budget, line in curve.sort_values("log_volume").groupby("budget"):
        here = (dots["budget"] == budget).to_numpy()
        found[here] = np.interp(
            dots["log_volume"][here], line["log_volume"], line["complexity"], left=np.nan, right=np.nan
        )
    return found


def _verdicts(dots: pd.DataFrame) -> tuple[Verdict, ...]:
    rows = [row for row in dots.to_dict("records") if not math.isnan(row["complexity_theory"])]
    gaps = {
        size: [row["complexity"] - row["complexity_theory"] for row in rows if row["features"] == size]
        for size in SIZES
    }
    small, large = (math.sqrt(sum(gap**2 for gap in gaps[size]) / len(gaps[size])) for size in SIZES)
    return (
        Verdict(
            small <= CLOSE,
            f"counted subsets lie on the theory's Σ at N = {SIZES[0]}: root mean square distance {small:.3f} "
            f"(tolerance {CLOSE:g}; {len(rows)} of {len(dots)} dots lie in the curves' range)",
            VerdictKind.FINDING,
            1,
        ),
        Verdict(
            large < small,
            f"the distance falls with N: {small:.3f} at N = {SIZES[0]}, {large:.3f} at N = {SIZES[1]}",
            VerdictKind.OPEN,
            1,
            beyond=True,
        ),
    )


RECIPE = Recipe("passive-sampling", "Complexity by counting random subsets", _run)
