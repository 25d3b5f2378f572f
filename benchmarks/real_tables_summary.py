"""The tables of :mod:`benchmarks.real_tables`: means, paired intervals and what holds.

A cell is a table at a number of labels. The difference to random choice is paired by seed and
tested by Student's t, one-sided, with Holm's correction over all cells. The area under the curve is
the mean accuracy over 20, 30, 50, 100 and 200 labels. Numbers of labels above half the pool do not
count. Intervals are over seeds: the tables are what they are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

MARKS = (20, 30, 50, 100, 200)
RARE = ("digits-8-rare", "mnist-8-rare", "yeast-rare", "vowel-rare")


def read(folder: Path, pools: Sequence[str]) -> pd.DataFrame:
    """One row for each round of each task that is there."""
    rows = []
    for pool in pools:
        for path in sorted((folder / pool).glob("*.json")):
            strategy, seed = path.stem.rsplit("-", 1)
            answer = json.loads(path.read_text("utf-8"))
            for one in answer["rounds"]:
                if one["labels"] <= answer["rows"] / 2:
                    rows.append({"pool": pool, "strategy": strategy, "seed": int(seed), **one})
    return pd.DataFrame(rows)


def paired(frame: pd.DataFrame, pool: str, labels: int, value: str, other: str, one: str = "query") -> np.ndarray:
    """Differences of two strategies by seed."""
    some = frame[(frame.pool == pool) & (frame.labels == labels)]
    table = some.pivot_table(index="seed", columns="strategy", values=value)
    if one not in table or other not in table:
        return np.zeros(0)
    return (table[one] - table[other]).dropna().to_numpy()


def interval(values: np.ndarray) -> tuple[float, float, float]:
    """Mean and 95 % interval by Student's t."""
    if len(values) < 2:
        return (float(values.mean()) if len(values) else math.nan), math.nan, math.nan
    half = float(stats.t.ppf(0.975, len(values) - 1)) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return float(values.mean()), float(values.mean()) - half, float(values.mean()) + half


def holm(chances: Iterable[tuple[str, float]], level: float = 0.05) -> list[str]:
    """Names of the cells that are rejected at a level over all of them."""
    ordered = sorted(chances, key=lambda pair: pair[1])
    rejected = []
    for index, (name, chance) in enumerate(ordered):
        if chance > level / (len(ordered) - index):
            break
        rejected.append(name)
    return rejected


def behind(frame: pd.DataFrame, value: str, pools: Sequence[str], marks: Sequence[int]) -> tuple[int, list[str]]:
    """How many cells there are, and those in which the query is behind random choice."""
    chances = []
    for pool in pools:
        for labels in marks:
            values = paired(frame, pool, labels, value, "random")
            if len(values) >= 3 and values.std() > 0.0:
                test = stats.ttest_1samp(values, 0.0, alternative="less")
                chances.append((f"{pool} at {labels}", float(test.pvalue)))
    return len(chances), holm(chances)


def areas(frame: pd.DataFrame, value: str, one: str, other: str) -> tuple[pd.Series, pd.Series]:
    """The difference of two strategies' areas, by pool and by seed; seeds that a table lacks do not
    count.
    """
    marked = frame[frame.labels.isin(MARKS)]
    area = marked.groupby(["pool", "seed", "strategy"])[value].mean().unstack("strategy")
    difference = (area[one] - area[other]).dropna()
    tables = difference.groupby("seed").size()
    whole = tables[tables == difference.index.get_level_values("pool").nunique()].index
    difference = difference[difference.index.get_level_values("seed").isin(whole)]
    return difference.groupby("pool").mean(), difference.groupby("seed").mean()


def print_means(frame: pd.DataFrame, value: str, pools: Sequence[str]) -> None:
    """Means of every strategy in every cell."""
    strategies = [name for name in ("query", "margin", "random", "first") if name in set(frame.strategy)]
    print(f"| {value} | seeds | strategy | " + " | ".join(map(str, MARKS)) + " |")
    print("|---|---|---|" + "---|" * len(MARKS))
    for pool in pools:
        for strategy in strategies:
            some = frame[(frame.pool == pool) & (frame.strategy == strategy)]
            if some.empty:
                continue
            means = [some[some.labels == labels][value] for labels in MARKS]
            cells = [f"{one.mean():.3f}" if len(one) else "–" for one in means]
            print(f"| {pool} | {some.seed.nunique()} | {strategy} | " + " | ".join(cells) + " |")


def print_tables(folder: Path, pools: Sequence[str]) -> None:
    """Everything that docs/real-tables.md says."""
    frame = read(folder, pools)
    if frame.empty:
        raise SystemExit("nothing was run yet: python -m benchmarks.real_tables run")
    print_means(frame, "accuracy", pools)
    rare = [pool for pool in pools if pool in RARE]
    print_means(frame, "precision", rare)
    for value, some, marks in (("accuracy", pools, MARKS), ("precision", rare, (50, 100))):
        count, found = behind(frame, value, some, marks)
        print(f"{value}: behind random in {len(found)} of {count} cells (Holm, 5 %): {', '.join(found) or 'none'}")
    print_pools(frame, pools)
    print_areas(frame, "accuracy")
    print_areas(frame, "own_accuracy")
    if rare:
        print_areas(frame[frame.pool.isin(rare) & frame.labels.isin((50, 100))], "precision")
    print_calibration(frame)
    print_curve(frame)


def print_pools(frame: pd.DataFrame, pools: Sequence[str]) -> None:
    """The area of each strategy in each table, and the query's differences with 95 % intervals over
    the seeds.
    """
    marked = frame[frame.labels.isin(MARKS)]
    area = marked.groupby(["pool", "seed", "strategy"])["accuracy"].mean().unstack("strategy")
    print("| table | seeds | query | margin | random | query − margin | query − random |")
    print("|---|---|---|---|---|---|---|")
    for pool in pools:
        some = area.loc[[pool]].dropna(subset=["query", "margin", "random"])
        cells = [f"{some[name].mean():.3f}" for name in ("query", "margin", "random")]
        for other in ("margin", "random"):
            mean, low, _ = interval((some["query"] - some[other]).to_numpy())
            cells.append(f"{mean:+.3f} ± {mean - low:.3f}")
        print(f"| {pool} | {len(some)} | " + " | ".join(cells) + " |")


def print_areas(frame: pd.DataFrame, value: str) -> None:
    """Differences of the mean over the numbers of labels, with intervals."""
    pairs = (("query", "margin"), ("query", "random"), ("first", "query"), ("first", "margin"), ("first", "random"))
    for one, other in pairs:
        if {one, other} <= set(frame.strategy):
            by_pool, by_seed = areas(frame, value, one, other)
            if by_pool.empty:  # the own predictor is not measured on margin's rows of three classes or more
                continue
            mean, low, high = interval(by_seed.to_numpy())
            worst, best = by_pool.idxmin(), by_pool.idxmax()
            print(
                f"area of {value}, {one} − {other}: {mean:+.4f} [{low:+.4f}, {high:+.4f}] "
                f"over {len(by_pool)} tables and {len(by_seed)} seeds that all of them have; "
                f"least {by_pool.min():+.4f} ({worst}), most {by_pool.max():+.4f} ({best})"
            )


def print_calibration(frame: pd.DataFrame) -> None:
    """Log-loss on random labels beside cross-validation, and how right the expected accuracy is."""
    if "tuned_log_loss" in frame:
        both = frame.dropna(subset=["tuned_log_loss"])
        ratio = both.own_log_loss.mean() / both.tuned_log_loss.mean()
        print(
            f"log-loss on random labels: {both.own_log_loss.mean():.4f}, cross-validated logistic regression "
            f"{both.tuned_log_loss.mean():.4f}, ratio {ratio:.3f} ({len(both)} fits)"
        )
        for pool, some in both.groupby("pool"):
            print(f"  {pool}: {some.own_log_loss.mean() / some.tuned_log_loss.mean():.3f} ({len(some)} fits)")
    batches = frame[frame.bits.notna()]
    share = batches.bits / batches.entropy
    print(f"bits of a batch over the entropies of its labels: {share.max():.3f} at most ({len(batches)} batches)")
    chosen = frame[(frame.strategy == "query") & frame.expected_accuracy.notna()]
    print("| labels | expected accuracy on the rest | true | mean absolute difference | nine in ten are within |")
    print("|---|---|---|---|---|")
    for labels, some in chosen.groupby("labels"):
        off = (some.expected_accuracy - some.rest_accuracy).abs()
        numbers = (some.expected_accuracy.mean(), some.rest_accuracy.mean(), off.mean(), off.quantile(0.9))
        print(f"| {labels} | " + " | ".join(f"{number:.3f}" for number in numbers) + " |")
    print_gains(chosen)


def print_gains(chosen: pd.DataFrame) -> None:
    """What a batch was expected to add, and what it added, where the next number of labels is a
    batch away.
    """
    table = chosen.set_index(["pool", "seed", "labels"])
    for labels, following in ((10, 20), (20, 30)):
        now, later = (table.xs(count, level="labels") for count in (labels, following))
        gain = (later.rest_accuracy - now.rest_accuracy).dropna()
        expected = now.expected_gain.loc[gain.index].mean()
        print(f"a batch at {labels} labels: expected to add {expected:.3f}, added {gain.mean():.3f}")


def print_curve(frame: pd.DataFrame) -> None:
    """How often the likeliest class was right, by its probability: the calibration curve of the own
    predictor.
    """
    print("| strategy | labels | " + "probability: right | " * 6)
    print("|---|---|" + "---|" * 6)
    for strategy in ("random", "query"):
        for labels in (20, 50, 200):
            some = frame[(frame.strategy == strategy) & (frame.labels == labels)]
            if some.empty:
                continue
            total = np.sum([np.array(one) for one in some.own_curve], axis=0)
            ends = (0.0, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
            places = np.arange(len(total)) / len(total)
            cells = []
            for low, high in pairwise(ends):
                count, chance, right = total[(places > low - 1e-9) & (places < high - 1e-9)].sum(axis=0)
                cells.append(f"{chance / count:.3f}: {right / count:.3f}" if count else "–")
            print(f"| {strategy} | {labels} | " + " | ".join(cells) + " |")
