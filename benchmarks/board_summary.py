"""The board in Markdown, as docs/board.md has it: ranks, gaps to bound and theory, tables,
failures, costs.
"""

from __future__ import annotations

import json
import math
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks import board
from numpy.typing import NDArray
from scipy.stats import t as student

from gardner.experiment.results.ranking import complete, rank_strategies
from gardner.experiment.results.summary import summarise
from gardner.experiment.stored.reading import read_results

GROUPS = {"all": "all pools", "gaussian": "Gaussian", "two": "two classes", "many": "many classes"}
OURS, RANDOM = "query", "random"
# Areas under the budget curve of ariapoy's active-learning-benchmark (results/README.md): uniform
# and uncertainty.
PUBLISHED = {"sonar": (0.7463, 0.7762), "spambase": (0.9103, 0.9205)}
# Letters of a reason that are shown: the first sentence of most.
_REASON = 110


def short(name: str) -> str:
    """A strategy with its library and its own name."""
    home, _, last = name.rpartition(".")
    return f"{home.partition('.')[0]} {last}" if home else name


def line(*cells: object) -> None:
    """A row of a table."""
    print(f"| {' | '.join(map(str, cells))} |")


def head(*cells: str) -> None:
    """The head of a table."""
    line(*cells)
    print("|" + "---|" * len(cells))


def say(*texts: str, indent: str = "") -> None:
    """Sentences, in lines that can be read in a file."""
    print(textwrap.fill(" ".join(texts), 99, subsequent_indent=indent, break_on_hyphens=False))


def interval(low: float, high: float, digits: int = 1) -> str:
    """Two ends."""
    return f"{low:.{digits}f} to {high:.{digits}f}"


def print_board(folder: Path, group: str) -> None:
    """All of it, of pools and seeds that are complete."""
    every = board.runs(folder)
    known = complete(every)
    if group != "all":
        known = known[known["group"] == group]
    if not len(known):
        raise SystemExit("no pool has a row of every strategy yet: let the run go on")
    print_seeds(known)
    print_ranks(known)
    if "gaussian" in set(known["group"]):
        print_gaussian(folder, known)
    print_tables(known[known["group"] != "gaussian"])
    print_published(known)
    print_failures(known)
    print_cost(every, board.SEEDS)
    found = json.loads((folder / "versions.json").read_text())
    print("\n## Versions")
    say(", ".join(f"{name} {number}" for name, number in found.items()) + ".")


def print_seeds(known: pd.DataFrame) -> None:
    """How many seeds every pool has."""
    counts: Any = known.groupby(["group", "pool"])["seed"].nunique()
    print(f"## Seeds\n{known['strategy'].nunique()} strategies. Seeds of each pool that are complete:\n")
    for name, word in GROUPS.items():
        if name in counts.index.get_level_values(0):
            say(f"- *{word}*:", ", ".join(f"{pool} {count}" for pool, count in counts[name].items()) + ".", indent="  ")


def print_ranks(known: pd.DataFrame) -> None:
    """Ranks with their intervals, over all pools and by group."""
    parts = {name: known if name == "all" else known[known["group"] == name] for name in GROUPS}
    found: dict[str, Any] = {
        name: rank_strategies(part, np.random.default_rng(0)).set_index("strategy")
        for name, part in parts.items()
        if len(part)
    }
    print("\n## Ranks")
    for name, table in found.items():
        row = table.loc[OURS]
        say(
            f"- Our `{OURS}`, {GROUPS[name]}: place {_place(row)} of {len(table)}, mean rank {row['rank']:.1f}",
            f"({interval(row['rank_low'], row['rank_high'])}), {row['pools']:.0f} pools,",
            f"{row['runs']:.0f} pools × seeds.",
            indent="  ",
        )
    print()
    head("strategy", "place", *(f"mean rank, {GROUPS[name]}" for name in found), "failed", "too slow", "s", "MB")
    late = known["reason"].str.startswith(board.TOO_LONG)
    for strategy, row in found["all"].iterrows():
        own = known[known["strategy"] == strategy]
        ranks = [table.loc[strategy] for table in found.values()]
        slow = int((late & (known["strategy"] == strategy)).sum())
        line(
            short(str(strategy)),
            _place(row),
            *(f"{one['rank']:.1f} ({interval(one['rank_low'], one['rank_high'])})" for one in ranks),
            f"{row['failed'] - slow:.0f}",
            slow,
            f"{own['seconds'].median():.2f}",
            f"{own['megabytes'].median():.0f}",
        )


def _place(row: Any) -> str:
    return f"{row['place']:.0f} ({row['place_low']:.0f} to {row['place_high']:.0f})"


def print_gaussian(folder: Path, known: pd.DataFrame) -> None:
    """Gaps to the bound of strategies that see labels only after asking, and to theory where there
    is one.
    """
    frame = read_results(folder)
    frame = frame[frame["data"].astype(str) == ""]
    places = set(zip(known["pool"], known["seed"], strict=True))
    kept = [(board.pool_of(row), row["seed"]) in places for row in frame.to_dict("records")]
    rows = pd.DataFrame(summarise(frame[kept], at=[1.0]).rows)
    rows["pool"] = [board.pool_of({**row, "data": ""}) for row in rows.to_dict("records")]
    pools = sorted(rows["pool"].unique())
    wide = rows.pivot(index="strategy", columns="pool", values="gap_to_halving")
    print("\n## Gaussian pools\nln v at n = 1, less the bound of strategies that see a label after asking for it.")
    say(
        "± is half of a 95 % interval over seeds (Student's t), and the number of seeds stands in brackets; one seed",
        "has no interval. Intervals are of one strategy on one pool each, not of the best of many.",
    )
    print()
    head("strategy", *pools)
    for strategy in wide.mean(axis=1).sort_values().index:
        own = rows[rows["strategy"] == strategy].set_index("pool")
        line(short(str(strategy)), *(_gap(own, pool, "gap_to_halving", "log_volume_stderr") for pool in pools))
    theory = rows[rows["gap_to_theory"].notna()]
    print("\nThe same, less what theory says of the strategy for many weights:\n")
    head("strategy", *pools)
    for strategy, own in theory.groupby("strategy"):
        by_pool = own.set_index("pool")
        line(short(str(strategy)), *(_gap(by_pool, pool, "gap_to_theory", "gap_to_theory_stderr") for pool in pools))


def _gap(own: Any, pool: str, value: str, error: str) -> str:
    if pool not in own.index or pd.isna(own.loc[pool, value]):
        return "–"
    known = own.loc[pool]
    seeds = int(known["seeds"])
    spread = "" if pd.isna(known[error]) else f" ± {float(student.ppf(0.975, seeds - 1)) * known[error]:.3f}"
    return f"{known[value]:+.3f}{spread} ({seeds})"


def print_tables(known: pd.DataFrame) -> None:
    """Areas under the curve of accuracy: the best, ours, random choice, and ours less random
    choice.
    """
    if not len(known):
        return
    print("\n## Tables\nThe area under accuracy against labels; ± is half of a 95 % interval over seeds (Student's t).")
    print("The best is the best of this run: with few seeds it is so by luck too.\n")
    head("table", "seeds", "best", "its area", "query", "random", "query − random")
    for pool, group in known.groupby("pool"):
        wide = group.pivot(index="seed", columns="strategy", values="score")
        means = wide.dropna(axis=1).mean()
        areas = {name: f"{mean:.4f}{_spread(wide[name].to_numpy(float))}" for name, mean in means.items()}
        difference = (wide[OURS] - wide[RANDOM]).to_numpy(float)
        best = str(means.idxmax())
        shown = f"{difference.mean():+.4f}{_spread(difference)}"
        line(pool, len(wide), short(best), *(areas[name] for name in (best, OURS, RANDOM)), shown)


def _spread(values: NDArray[np.float64]) -> str:
    """Half the width of a 95 % interval; none of one value."""
    if len(values) < 2:
        return ""
    half = float(student.ppf(0.975, len(values) - 1)) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return f" ± {half:.4f}"


def print_published(known: pd.DataFrame) -> None:
    """Next to published areas, where a table is in both."""
    print("\n## Next to the public re-benchmark\n")
    head("table", "seeds", "random, here", "uniform, there", "uncertainty, here", "uncertainty, there")
    for pool, (uniform, uncertain) in PUBLISHED.items():
        wide = known[known["pool"] == pool].pivot(index="seed", columns="strategy", values="score")
        if len(wide):
            parts = (wide[name].to_numpy(float) for name in (RANDOM, "skactiveml.pool.UncertaintySampling"))
            own = (f"{part.mean():.4f}{_spread(part)}" for part in parts)
            line(pool, len(wide), next(own), f"{uniform:.4f}", next(own), f"{uncertain:.4f}")


def print_failures(known: pd.DataFrame) -> None:
    """Why runs failed, by strategy and group."""
    lost = known[known["reason"] != ""]
    print(f"\n## Failures\n{len(lost)} of {len(known)} runs failed or took too long.\n")
    head("strategy", "pools", "runs", "reason")
    reasons = lost["reason"].where(
        ~lost["reason"].str.startswith(board.TOO_LONG), f"took longer than {board.TIME_LIMIT:g} s"
    )
    for (strategy, reason), group in lost.assign(reason=reasons.str[:_REASON]).groupby(["strategy", "reason"]):
        pools = sorted(group["pool"].unique())
        line(short(str(strategy)), ", ".join(pools), len(group), str(reason).replace("|", "/"))


def print_cost(every: pd.DataFrame, seeds: int) -> None:
    """Core-seconds of a seed, by pool, and what a whole run takes."""
    tried = ~every["reason"].str.contains("not run, as")
    late = every["reason"].str.startswith(board.TOO_LONG) & tried
    spent = every["seconds"].fillna(0.0).where(~late, board.TIME_LIMIT)
    known = every.assign(spent=spent, waste=late * board.TIME_LIMIT)
    known = known[known["seed"].isin(range(board.PATIENCE))]
    by_pool = known.groupby("pool")[["spent", "waste"]].sum().div(known.groupby("pool")["seed"].nunique(), axis=0)
    first, later = by_pool["spent"].sum(), (by_pool["spent"] - by_pool["waste"]).sum()
    print("\n## Costs\nCore-seconds of one of the first seeds, and of them those of tasks that took too long,")
    print(f"each counted as {board.TIME_LIMIT:g}, though one that is stopped early takes less:\n")
    head("pool", "core-seconds", "too slow")
    for pool, row in by_pool.iterrows():
        line(pool, f"{row['spent']:.0f}", f"{row['waste']:.0f}")
    whole = board.PATIENCE * first + max(seeds - board.PATIENCE, 0) * later
    print(
        f"\nTogether {first:.0f} for each of the first {board.PATIENCE} seeds and about {later:.0f} for each later one."
    )
    print(
        f"So {seeds} seeds of these pools take about {whole / 7200:.2f} hours on two cores.",
    )
