"""How long one query takes, and how much memory: beside threads, batch sizes and scikit-activeml,
in one run.

    python -m benchmarks.query_speed

Every measurement is a process of its own, so that memory is its own: the largest resident size
above that with the table. Tables are normal numbers with a linear rule and noise. Times are those
of the processor; the wall clock stands beside, and says little on a busy machine. Each query for
ten rows is asked twice: a process pays for fresh memory the first time, which weighs more on a
short query.

- 50,000 × 784, 200 labels: at most 10 s and 1 GB above the table.
- The same with 1 and with 2 threads of BLAS: two are not slower.
- The same with batches of 10, 100 and 1000: time linear in the size of the batch.
- 20,000 × 50 with three classes and with ten, batches of 10, 100 and 1000: the same.
- 20,000 × 2,000, 200 labels, against uncertainty sampling of scikit-activeml with a logistic
  regression: at most 5 times the time, in less memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Query = Callable[[NDArray[np.float64], NDArray[np.float64], int], None]

LABELS = 200
# Rows up to which a query is asked a second time.
_AGAIN = 10


@dataclass(frozen=True)
class Cost:
    """Seconds of the processor, those of the same query asked again (if it was), of the wall;
    megabytes of memory.
    """

    cpu: float
    again: float
    wall: float
    memory: float

    def __str__(self) -> str:
        """In a line."""
        again = f", {self.again:.2f} s when asked again" if self.again else ""
        return f"{self.cpu:.2f} s of processor{again}, {self.wall:.2f} s of wall, {self.memory:.0f} MB above the table"


def table(rows: int, columns: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Features and labels, NaN where there is none; nothing larger than the features is made."""
    rng = np.random.default_rng(0)
    features = rng.standard_normal((rows, columns))
    signs = np.sign(features[:LABELS] @ rng.standard_normal(columns) + 0.3 * np.sqrt(columns))
    return features, np.concatenate([signs, np.full(rows - LABELS, np.nan)])


def classes_query(kinds: int) -> Query:
    """One query on the same features with other labels: the largest of so many linear rules."""

    def ask(features: NDArray[np.float64], labels: NDArray[np.float64], batch: int) -> None:
        from gardner import propose

        rng = np.random.default_rng(1)
        fields = features[:LABELS] @ rng.standard_normal((features.shape[1], kinds))
        names = np.full(len(labels), "", dtype=object)
        names[:LABELS] = [f"class {code}" for code in fields.argmax(axis=1)]
        propose(features, names, batch)

    return ask


def gardner_query(features: NDArray[np.float64], labels: NDArray[np.float64], batch: int) -> None:
    """One query."""
    from gardner import propose

    propose(features, labels, batch)


def activeml_query(features: NDArray[np.float64], labels: NDArray[np.float64], batch: int) -> None:
    """Uncertainty sampling with a logistic regression, fitted in the query as scikit-activeml does
    it.
    """
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.pool import UncertaintySampling
    from sklearn.linear_model import LogisticRegression

    model = SklearnClassifier(LogisticRegression(), classes=[-1.0, 1.0])
    UncertaintySampling(method="margin_sampling", random_state=0).query(features, labels, model, batch_size=batch)


QUERIES: dict[str, Query] = {
    "gardner": gardner_query,
    "3 classes": classes_query(3),
    "10 classes": classes_query(10),
    "scikit-activeml": activeml_query,
}


def measure_here(which: str, rows: int, columns: int, batch: int) -> Cost:
    """In this process: a small query first, so that imports and compilation do not count."""
    QUERIES[which](*table(2 * LABELS, 12), 1)
    features, labels = table(rows, columns)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cpu, wall = time.process_time(), time.perf_counter()
    QUERIES[which](features, labels, batch)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    again = time.process_time()
    if batch <= _AGAIN:
        QUERIES[which](features, labels, batch)
        return Cost(cpu, time.process_time() - again, wall, memory)
    return Cost(cpu, 0.0, wall, memory)


def measure(which: str, rows: int, columns: int, batch: int, threads: int = 1) -> Cost:
    """In a process of its own."""
    limits = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), str(threads))
    command = [sys.executable, "-m", "benchmarks.query_speed", "--one", which, *map(str, (rows, columns, batch))]
    ran = subprocess.run(command, env={**os.environ, **limits}, check=True, capture_output=True, text=True)  # noqa: S603
    return Cost(**json.loads(ran.stdout.splitlines()[-1]))


def batches() -> None:
    """Threads, and sizes of a batch."""
    one = measure("gardner", 50_000, 784, 10)
    print(f"50,000 × 784, 200 labels: {one} (wanted: 10 s, 1000 MB)", flush=True)
    two = measure("gardner", 50_000, 784, 10, threads=2)
    print(f"two threads of BLAS: {two}; processor time two/one {two.cpu / one.cpu:.2f}", flush=True)
    hundred = measure("gardner", 50_000, 784, 100)
    thousand = measure("gardner", 50_000, 784, 1000)
    print(f"batch of 100: {hundred}\nbatch of 1000: {thousand}")
    print_rows(one, hundred, thousand)


def print_rows(ten: Cost, hundred: Cost, thousand: Cost) -> None:
    """What a further row of a batch costs."""
    a_row = (hundred.cpu - ten.cpu) / 90, (thousand.cpu - hundred.cpu) / 900
    print(f"a further row: {a_row[0]:.4f} s up to 100, {a_row[1]:.4f} s up to 1000, ratio {a_row[1] / a_row[0]:.2f}")


def many_classes() -> None:
    """Sizes of a batch, with three classes or more."""
    for kinds in ("3 classes", "10 classes"):
        costs = [measure(kinds, 20_000, 50, batch) for batch in (10, 100, 1000)]
        for batch, cost in zip((10, 100, 1000), costs, strict=True):
            print(f"20,000 × 50, {kinds}, batch of {batch}: {cost}", flush=True)
        print_rows(*costs)


def beside_activeml() -> None:
    """The same table for both libraries."""
    ours, theirs = (measure(which, 20_000, 2_000, 10) for which in ("gardner", "scikit-activeml"))
    print(f"20,000 × 2,000, gardner: {ours}\n20,000 × 2,000, scikit-activeml: {theirs}")
    print(
        f"gardner/scikit-activeml: processor time {ours.cpu / theirs.cpu:.2f}, asked again "
        f"{ours.again / theirs.again:.2f} (wanted: 5), memory {ours.memory / max(theirs.memory, 1.0):.2f} "
        "(wanted: below 1)"
    )


PARTS = {"batches": batches, "classes": many_classes, "scikit-activeml": beside_activeml}


def main() -> None:
    """Everything, or one measurement for the process above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", nargs=4, metavar=("WHICH", "ROWS", "COLUMNS", "BATCH"))
    parser.add_argument("--parts", nargs="*", choices=list(PARTS), default=list(PARTS))
    given = parser.parse_args()
    if given.one:
        print(json.dumps(vars(measure_here(given.one[0], *map(int, given.one[1:])))))
        return
    for part in given.parts:
        PARTS[part]()


if __name__ == "__main__":
    main()
