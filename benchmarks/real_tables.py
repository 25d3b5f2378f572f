"""``gardner query`` on real tables, beside random choice and logistic margin sampling.

    python -m benchmarks.pools fetch
    nice python -m benchmarks.real_tables run --seeds 20 --workers 2    # goes on where it stopped
    nice python -m benchmarks.real_tables run --strategies first --pools wine vehicle digits
    python -m benchmarks.real_tables table    # of all tables; --group two or many: of those alone

A task is a table, a strategy and a seed. 40 % of the rows are held out; all strategies of a seed
start with the same ten random labels, redrawn until there are two classes, and ask for ten rows a
round. ``first`` is the query that chooses its first ten as well. What is measured is the accuracy
of one fixed logistic regression (standardised columns, C = 1, multinomial for many classes) trained
on what was chosen, and at those numbers of labels that of Gardner's own predictor. Seeds are gone
through in order, all tables of one before the next, so that wherever a run stops, tables have about
the same seeds. ``targets-100`` is the query with a sample
of 100 target rows instead of 400. Tables are cut to 5000 rows, by a fixed
seed. Each task is a file of out/real_tables (or --out), so that a run can be stopped and goes on.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait for each other

import argparse
import json
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from benchmarks import pools
from numpy.typing import NDArray

from gardner.errors import GardnerError
from gardner.records.encoding import learn_encoding
from gardner.records.files import write_file
from gardner.table import propose as query
from gardner.table.batch import TARGETS
from gardner.table.classes import largest
from gardner.table.classes.fit import ClassFit
from gardner.table.propose import Proposals, propose

Floats = NDArray[np.float64]

FOLDER = Path(__file__).resolve().parents[1] / "out" / "real_tables"
TWO_CLASSES = (
    *("breast-cancer", "digits-3-8", "digits-odd", "mnist-4-9", "mnist-3-5", "spambase", "magic", "twonorm"),
    *("chess", "german", "ionosphere", "sonar", "letter-halves", "phoneme"),
    *("digits-8-rare", "mnist-8-rare", "yeast-rare", "vowel-rare"),
)
MANY_CLASSES = ("wine", "splice", "vehicle", "satimage", "segment", "digits", "optdigits", "letter-a-j", "mnist")
GROUPS = {"all": (*TWO_CLASSES, *MANY_CLASSES), "two": TWO_CLASSES, "many": MANY_CLASSES}
STRATEGIES = ("query", "margin", "random", "first")
MARKS = (20, 30, 50, 100, 200)
_MOST_ROWS = 5000
_FIRST, _BATCH, _HELD_OUT = 10, 10, 0.4
# Bins of a calibration curve, of equal width, by the probability of the likeliest class.
_BINS = 20


@dataclass(frozen=True)
class Task:
    """A table, a strategy and a seed, and the folder of results."""

    pool: str
    strategy: str
    seed: int
    folder: Path

    @property
    def path(self) -> Path:
        """Of its result."""
        return self.folder / self.pool / f"{self.strategy}-{self.seed}.json"


@dataclass(frozen=True, eq=False)
class Data:
    """Rows of the pool and rows held out; labels are 0, 1, …, the rarest class last."""

    features: Floats
    labels: Floats
    test_features: Floats
    test_labels: Floats

    @property
    def classes(self) -> int:
        """How many there are."""
        return int(max(self.labels.max(), self.test_labels.max())) + 1

    @property
    def standardised(self) -> tuple[Floats, Floats]:
        """Both tables, by mean and deviation of the pool's columns."""
        return pools.standardised(self.features, self.test_features)


def load(name: str, rng: np.random.Generator) -> Data:
    """A table cut in two."""
    frame, labels, _ = pools.load(name)
    if len(frame) > _MOST_ROWS:
        some = np.random.default_rng(0).choice(len(frame), _MOST_ROWS, replace=False)
        frame, labels = frame.iloc[some], labels.iloc[some]
    frame.columns = frame.columns.astype(str)
    features = learn_encoding(frame, list(frame.columns)).matrix(frame)
    counts = labels.value_counts()
    rarest = str(counts.idxmin())
    kinds = [*sorted(str(kind) for kind in counts.index if str(kind) != rarest), rarest]
    coded = np.array([kinds.index(kind) for kind in labels], dtype=np.float64)
    order = rng.permutation(len(coded))
    out = int(_HELD_OUT * len(coded))
    return Data(features[order[out:]], coded[order[out:]], features[order[:out]], coded[order[:out]])


def first_labels(labels: Floats, rng: np.random.Generator) -> list[int]:
    """Ten rows at random, among which there are two classes."""
    while True:
        rows = rng.choice(labels.size, _FIRST, replace=False)
        if len(set(labels[rows])) >= 2:
            return [int(row) for row in rows]


def asked(data: Data, known: list[int], batch: int) -> Proposals:
    """What Gardner proposes."""
    labels = np.full(data.labels.size, np.nan)
    labels[known] = data.labels[known]
    return propose(data.features, labels, batch, kind="classes")


def judge(train: Floats, labels: Floats, test: Floats, classes: int) -> tuple[Any, Floats]:
    """The fixed logistic regression, and its probabilities; a class that was not seen has none."""
    from sklearn.linear_model import LogisticRegression

    chances = np.zeros((len(test), classes))
    if len(set(labels)) == 1:
        chances[:, int(labels[0])] = 1.0
        return None, chances
    fitted = LogisticRegression(C=1.0, max_iter=500).fit(train, labels)
    chances[:, fitted.classes_.astype(int)] = fitted.predict_proba(test)
    return fitted, chances


def least_margin(fitted: Any, rows: Floats) -> Floats:
    """The difference of the two largest decisions of every row."""
    decisions = fitted.decision_function(rows)
    if decisions.ndim == 1:
        return np.asarray(np.abs(decisions))
    chances = np.sort(fitted.predict_proba(rows), axis=1)
    return np.asarray(chances[:, -1] - chances[:, -2])


def own_probabilities(found: Proposals, features: Floats, seen: Floats, classes: int) -> Floats:
    """Of the classes, by Gardner's own model; a class that was not seen has none."""
    chances = np.zeros((len(features), classes))
    if isinstance(found.fit, ClassFit):
        chances[:, seen.astype(int)] = largest.chances(*found.fit.noisy(*found.fit.fields(features)))
        return chances
    omega, V = found.fit.fields(features)
    channel = found.model.channel
    signs = zip(seen.astype(int), (-1.0, 1.0), strict=True) if seen.size == 2 else [(int(seen[0]), 1.0)]
    for kind, y in signs:
        chances[:, kind] = np.exp(np.asarray(channel.log_partition(np.full_like(omega, y), omega, V)))
    return chances


def log_loss(probabilities: Floats, labels: Floats, seen: Floats) -> float:
    """In nats a row, over the rows of classes that were seen."""
    kept = np.flatnonzero(np.isin(labels, seen))
    right = probabilities[kept, labels[kept].astype(int)]
    return float(-np.mean(np.log(np.maximum(right, 1e-12))))


def accuracy(probabilities: Floats, labels: Floats) -> float:
    """Of the likeliest class."""
    return float(np.mean(probabilities.argmax(axis=1) == labels))


def curve(probabilities: Floats, labels: Floats) -> list[list[float]]:
    """By the probability of the likeliest class: how many rows, the sum of it, and how many were
    right.
    """
    likeliest = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == labels
    place = np.minimum((likeliest * _BINS).astype(int), _BINS - 1)
    parts = [np.bincount(place, weights, _BINS) for weights in (np.ones(labels.size), likeliest, right)]
    return [[round(float(number), 6) for number in place] for place in np.stack(parts, axis=1)]


def cross_validated(train: Floats, labels: Floats, test: Floats, classes: int) -> Floats | None:
    """Logistic regression with C by five-fold cross-validation of the log-loss.

    Folds have shares of all classes where each has five labels. With three classes or more they are
    drawn at random where one is rarer; of two classes there is no answer then, and none where a
    fold lacks a class.
    """
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.model_selection import KFold, StratifiedKFold

    seen, counts = np.unique(labels, return_counts=True)
    if seen.size < 2 or (counts.min() < 5 and classes == 2):
        return None
    folds = StratifiedKFold(5) if counts.min() >= 5 else KFold(5, shuffle=True, random_state=0)
    fitted = LogisticRegressionCV(Cs=np.logspace(-4, 2, 7), cv=folds, scoring="neg_log_loss", max_iter=300)
    chances = np.zeros((len(test), classes))
    try:
        chances[:, seen.astype(int)] = fitted.fit(train, labels).predict_proba(test)
    except ValueError:  # a fold without one of the classes
        return None
    return chances


def run(task: Task) -> None:
    """Label round by round and write what was measured."""
    targets = int(task.strategy.removeprefix("targets-")) if task.strategy.startswith("targets-") else TARGETS
    with patch.object(query, "TARGETS", targets):
        write_file(task.path, json.dumps(labelled(task)).encode())


def labelled(task: Task) -> dict[str, Any]:
    """Round by round, in numbers."""
    rng = np.random.default_rng([task.seed, 17])
    data = load(task.pool, rng)
    train, test = data.standardised
    known = first_labels(data.labels, rng)
    if task.strategy == "first":
        known = [one.row for one in asked(data, [], _FIRST).rows]
    rounds = []
    started = time.process_time()
    while True:
        counts = len(known) in (_FIRST, *MARKS)
        last = len(known) >= min(MARKS[-1], data.labels.size // 2)
        fitted, chances = None, np.zeros((0, data.classes))
        if counts or task.strategy == "margin":
            fitted, chances = judge(train[known], data.labels[known], test, data.classes)
        found = None
        if task.strategy not in ("random", "margin"):
            found = asked(data, known, _BATCH)
        elif counts and (data.classes == 2 or task.strategy == "random"):
            found = asked(data, known, 1)
        if counts:
            row = measured(task, data, known, chances, train, test)
            rounds.append(row if found is None else row | own_measured(data, known, found))
        if last:
            break
        free = np.setdiff1d(np.arange(data.labels.size), known)
        if task.strategy == "random":
            known += [int(row) for row in rng.choice(free, _BATCH, replace=False)]
        elif task.strategy == "margin":
            closest = np.argsort(least_margin(fitted, train[free]), kind="stable")[:_BATCH]
            known += [int(row) for row in free[closest]]
        else:
            known += [one.row for one in found.rows] if found else []
    return {"rounds": rounds, "rows": data.labels.size, "seconds": time.process_time() - started}


def measured(task: Task, data: Data, known: list[int], chances: Floats, train: Floats, test: Floats) -> dict[str, Any]:
    """One round in numbers: the fixed logistic regression, and beside random labels one with a
    tuned penalty.
    """
    from sklearn.metrics import average_precision_score

    truth = data.test_labels
    row: dict[str, Any] = {
        "labels": len(known),
        "rarest": int(np.sum(data.labels[known] == data.classes - 1)),
        "accuracy": accuracy(chances, truth),
    }
    if data.classes == 2:
        row["precision"] = float(average_precision_score(truth, chances[:, 1]))
    if task.strategy == "random" and len(known) in (50, 100, 200):
        tuned = cross_validated(train[known], data.labels[known], test, data.classes)
        row["tuned_log_loss"] = None if tuned is None else log_loss(tuned, truth, data.labels[known])
    return row


def own_measured(data: Data, known: list[int], found: Proposals) -> dict[str, Any]:
    """One round in numbers: Gardner's own predictor, and what it expected."""
    seen, truth = np.unique(data.labels[known]), data.test_labels
    own = own_probabilities(found, data.test_features, seen, data.classes)
    rest = np.setdiff1d(np.arange(data.labels.size), known)
    on_rest = own_probabilities(found, data.features[rest], seen, data.classes)
    asked_for = on_rest[np.searchsorted(rest, [one.row for one in found.rows])]
    return {
        "own_accuracy": accuracy(own, truth),
        "own_log_loss": log_loss(own, truth, seen),
        "own_curve": curve(own, truth),
        "bits": sum(one.bits for one in found.rows),
        "entropy": float(-np.sum(asked_for * np.log2(np.maximum(asked_for, 1e-300)))),
        "expected_accuracy": found.outlook.accuracy if found.outlook else None,
        "expected_gain": found.outlook.gain if found.outlook else None,
        "rest_accuracy": accuracy(on_rest, data.labels[rest]),
        "scaling": found.scaling,
        "channel": type(found.model.channel).__name__,
    }


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
    parser.add_argument("--pools", nargs="*")
    parser.add_argument("--group", choices=list(GROUPS), default="all", help="where no pools are named")
    parser.add_argument("--strategies", nargs="*", help="all by default, but first for two classes only: it is costly")
    parser.add_argument("--out", type=Path, default=FOLDER)
    given = parser.parse_args()
    given.pools = given.pools or GROUPS[given.group]
    if given.what == "table":
        from benchmarks.real_tables_summary import print_tables

        return print_tables(given.out, given.pools)
    tasks = [
        Task(pool, strategy, seed, given.out)
        for seed in range(given.seeds)
        for pool in given.pools
        for strategy in given.strategies or (STRATEGIES if pool in TWO_CLASSES else STRATEGIES[:3])
    ]
    left = [task for task in tasks if not task.path.exists()]
    print(f"{len(left)} of {len(tasks)} tasks are left", flush=True)
    with ProcessPoolExecutor(given.workers) as executor:
        for done in executor.map(_run, left):  # a task that fails says why, and the others go on
            print(done, flush=True)
    return None


if __name__ == "__main__":
    main()
