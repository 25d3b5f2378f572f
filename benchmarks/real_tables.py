"""``gardner query`` on real tables, beside random choice and logistic margin sampling.

    python -m benchmarks.pools fetch
    nice python -m benchmarks.real_tables run --seeds 20 --workers 2    # goes on where it stopped
    python -m benchmarks.real_tables table

A task is a table, a strategy and a seed. 40 % of the rows are held out; all strategies of a seed
start with the same ten random labels, redrawn until there are two classes, and ask for ten rows a
round. ``first`` is the query that chooses its first ten as well. What is measured is the accuracy
of one fixed logistic regression (standardised columns, C = 1) trained on what was chosen, and that
of Gardner's own predictor. Tables are cut to 5000 rows, by a fixed seed. Each task is a file of
out/real_tables, so that a run can be stopped and goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import pools
from numpy.typing import NDArray

from gardner.errors import GardnerError
from gardner.records.encoding import learn_encoding
from gardner.records.files import write_file
from gardner.table.propose import Proposals, propose

Floats = NDArray[np.float64]

FOLDER = Path(__file__).resolve().parents[1] / "out" / "real_tables"
POOLS = (
    *("breast-cancer", "digits-3-8", "digits-odd", "mnist-4-9", "mnist-3-5", "spambase", "magic", "twonorm"),
    *("chess", "german", "ionosphere", "sonar", "letter-halves", "phoneme"),
    *("digits-8-rare", "mnist-8-rare", "yeast-rare", "vowel-rare"),
)
STRATEGIES = ("query", "margin", "random", "first")
MARKS = (20, 30, 50, 100, 200)
_MOST_ROWS = 5000
_FIRST, _BATCH, _HELD_OUT = 10, 10, 0.4


@dataclass(frozen=True)
class Task:
    """A table, a strategy and a seed."""

    pool: str
    strategy: str
    seed: int

    @property
    def path(self) -> Path:
        """Of its result."""
        return FOLDER / self.pool / f"{self.strategy}-{self.seed}.json"


@dataclass(frozen=True, eq=False)
class Data:
    """Rows of the pool and rows held out, with labels −1 and +1, the rarer class +1."""

    features: Floats
    labels: Floats
    test_features: Floats
    test_labels: Floats

    @property
    def standardised(self) -> tuple[Floats, Floats]:
        """Both tables, by mean and deviation of the pool's columns."""
        mean, spread = self.features.mean(axis=0), self.features.std(axis=0)
        spread = np.where(spread > 0.0, spread, 1.0)
        return (self.features - mean) / spread, (self.test_features - mean) / spread


def load(name: str, rng: np.random.Generator) -> Data:
    """A table cut in two."""
    frame, labels, _ = pools.load(name)
    if len(frame) > _MOST_ROWS:
        some = np.random.default_rng(0).choice(len(frame), _MOST_ROWS, replace=False)
        frame, labels = frame.iloc[some], labels.iloc[some]
    frame.columns = frame.columns.astype(str)
    features = learn_encoding(frame, list(frame.columns)).matrix(frame)
    rare = labels.value_counts().idxmin()
    signs = np.where(labels == rare, 1.0, -1.0)
    order = rng.permutation(len(signs))
    out = int(_HELD_OUT * len(signs))
    return Data(features[order[out:]], signs[order[out:]], features[order[:out]], signs[order[:out]])


def first_labels(labels: Floats, rng: np.random.Generator) -> list[int]:
    """Ten rows at random, among which there are two classes."""
    while True:
        rows = rng.choice(labels.size, _FIRST, replace=False)
        if len(set(labels[rows])) == 2:
            return [int(row) for row in rows]


def asked(data: Data, known: list[int], batch: int = _BATCH) -> Proposals:
    """What Gardner proposes."""
    labels = np.full(data.labels.size, np.nan)
    labels[known] = data.labels[known]
    return propose(data.features, labels, batch)


def judge(train: Floats, labels: Floats, test: Floats) -> tuple[Any, Floats]:
    """The fixed logistic regression, and its probabilities."""
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=1.0, max_iter=500).fit(train, labels)
    return fitted, np.asarray(fitted.predict_proba(test)[:, 1])


def own_probabilities(found: Proposals, features: Floats) -> Floats:
    """Of the class +1, by Gardner's own model."""
    omega, V = found.fit.fields(features)
    return np.asarray(np.exp(found.model.channel.log_partition(np.ones_like(omega), omega, V)))


def log_loss(probabilities: Floats, labels: Floats) -> float:
    """In nats a row."""
    right = np.where(labels > 0.0, probabilities, 1.0 - probabilities)
    return float(-np.mean(np.log(np.maximum(right, 1e-12))))


def cross_validated(train: Floats, labels: Floats, test: Floats) -> Floats | None:
    """Logistic regression with C by five-fold cross-validation of the log-loss; none where a class is too rare."""
    from sklearn.linear_model import LogisticRegressionCV

    if min(np.sum(labels > 0.0), np.sum(labels < 0.0)) < 5:
        return None
    fitted = LogisticRegressionCV(Cs=np.logspace(-4, 2, 7), cv=5, scoring="neg_log_loss", max_iter=300)
    return np.asarray(fitted.fit(train, labels).predict_proba(test)[:, 1])


def run(task: Task) -> None:
    """Label round by round and write what was measured."""
    rng = np.random.default_rng([task.seed, 17])
    data = load(task.pool, rng)
    train, test = data.standardised
    known = first_labels(data.labels, rng)
    if task.strategy == "first":
        known = [one.row for one in asked(data, [], _FIRST).rows]
    rounds = []
    started = time.process_time()
    while True:
        one_class = len(set(data.labels[known])) < 2
        fitted: Any = None
        chances = np.full(len(test), 0.5)
        if not one_class:
            fitted, chances = judge(train[known], data.labels[known], test)
        found = asked(data, known)
        if len(known) in (_FIRST, *MARKS):
            rounds.append(measured(task, data, known, chances, found, train, test))
        if len(known) >= min(MARKS[-1], data.labels.size // 2):
            break
        free = np.setdiff1d(np.arange(data.labels.size), known)
        if task.strategy == "random":
            known += [int(row) for row in rng.choice(free, _BATCH, replace=False)]
        elif task.strategy == "margin":
            closest = np.argsort(np.abs(fitted.decision_function(train[free])), kind="stable")[:_BATCH]
            known += [int(row) for row in free[closest]]
        else:
            known += [one.row for one in found.rows]
    answer = {"rounds": rounds, "rows": data.labels.size, "seconds": time.process_time() - started}
    write_file(task.path, json.dumps(answer).encode())


def measured(
    task: Task, data: Data, known: list[int], chances: Floats, found: Proposals, train: Floats, test: Floats
) -> dict[str, Any]:
    """One round in numbers."""
    from sklearn.metrics import average_precision_score

    own, truth = own_probabilities(found, data.test_features), data.test_labels
    rest = np.setdiff1d(np.arange(data.labels.size), known)
    on_rest = own_probabilities(found, data.features[rest])
    row = {
        "labels": len(known),
        "positives": int(np.sum(data.labels[known] > 0.0)),
        "accuracy": float(np.mean((chances > 0.5) == (truth > 0.0))),
        "precision": float(average_precision_score(truth > 0.0, chances)),
        "own_accuracy": float(np.mean((own > 0.5) == (truth > 0.0))),
        "own_precision": float(average_precision_score(truth > 0.0, own)),
        "own_log_loss": log_loss(own, truth),
        "expected_accuracy": found.outlook.accuracy if found.outlook else None,
        "rest_accuracy": float(np.mean((on_rest > 0.5) == (data.labels[rest] > 0.0))),
        "scaling": found.scaling,
    }
    if task.strategy == "random" and len(known) in (50, 100, 200):
        tuned = cross_validated(train[known], data.labels[known], test)
        row["tuned_log_loss"] = None if tuned is None else log_loss(tuned, truth)
    return row


def _run(task: Task) -> str:
    warnings.filterwarnings("ignore")
    try:
        run(task)
    except GardnerError as error:
        return f"{task.pool} {task.strategy} {task.seed} FAILED: {error}"
    return f"{task.pool} {task.strategy} {task.seed}"


def main() -> None:
    """Run what is missing, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--pools", nargs="*", default=POOLS)
    parser.add_argument("--strategies", nargs="*", default=STRATEGIES)
    given = parser.parse_args()
    if given.what == "table":
        from benchmarks.real_tables_summary import print_tables

        return print_tables(FOLDER, given.pools)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    tasks = [
        Task(pool, strategy, seed)
        for seed in range(given.seeds)
        for pool in given.pools
        for strategy in given.strategies
    ]
    left = [task for task in tasks if not task.path.exists()]
    print(f"{len(left)} of {len(tasks)} tasks are left", flush=True)
    with ProcessPoolExecutor(given.workers) as executor:
        for done in executor.map(_run, left):  # a task that fails says why, and the others go on
            print(done, flush=True)
    return None


if __name__ == "__main__":
    main()
