"""Three classes or more: probabilities beside cross-validated logistic regression, choices beside
random and margin.

    python -m benchmarks.pools fetch
    python -m benchmarks.many_classes loss --seeds 5      # log-loss and accuracy on random labels
    python -m benchmarks.many_classes choose --seeds 5    # accuracy with rows chosen in three ways

40 % of the rows are held out; tables are cut to 5000 rows. ``loss`` takes random labels and
measures held-out rows of the classes among them. ``choose`` starts with the same ten random labels
for all, redrawn until there are three classes, and asks for ten rows a round: by Gardner, at
random, or where the two likeliest classes of a logistic regression are closest. What counts is the
accuracy of one fixed multinomial logistic regression (standardised columns, C = 1) trained on what
was chosen, and that of Gardner's own predictor. An interval is of the paired differences of the
areas under the curves, over seeds and tables.
"""

from __future__ import annotations

import argparse
import math
import warnings
from dataclasses import dataclass

import numpy as np
from benchmarks import pools
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import KFold, StratifiedKFold

from gardner.records.encoding import learn_encoding
from gardner.table.classes.fit import ClassFit
from gardner.table.classes.largest import chances
from gardner.table.propose import Proposals, propose

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

POOLS = ("wine", "digits", "optdigits", "satimage", "segment", "vehicle", "letter-a-j", "mnist")
MARKS = (20, 50, 100, 200)
_MOST_ROWS, _HELD_OUT, _FIRST, _BATCH = 5000, 0.4, 10, 10


@dataclass(frozen=True, eq=False)
class Data:
    """Rows of the pool, and rows held out, with the places of their classes."""

    features: Floats
    labels: Codes
    test_features: Floats
    test_labels: Codes

    @property
    def standardised(self) -> tuple[Floats, Floats]:
        """Both tables, by mean and deviation of the pool's columns."""
        return pools.standardised(self.features, self.test_features)


def load(name: str, rng: np.random.Generator) -> Data:
    """A table cut in two."""
    frame, labels, _ = pools.load(name)
    frame.columns = frame.columns.astype(str)
    features = learn_encoding(frame, list(frame.columns)).matrix(frame)
    codes = np.unique(labels.to_numpy(dtype=str), return_inverse=True)[1]
    order = rng.permutation(codes.size)[:_MOST_ROWS]
    out = int(_HELD_OUT * order.size)
    return Data(features[order[out:]], codes[order[out:]], features[order[:out]], codes[order[:out]])


def asked(data: Data, known: list[int], batch: int = _BATCH) -> Proposals:
    """What Gardner proposes; classes are named by their places, in two digits so that they keep
    their order.
    """
    labels = np.full(data.labels.size, "", dtype=object)
    labels[known] = [f"class {code:02d}" for code in data.labels[known]]
    return propose(data.features, labels, batch)


def own_chances(found: Proposals, features: Floats) -> Floats:
    """Of the classes seen, by Gardner's own model."""
    fit = found.fit
    omega, V = fit.fields(features)
    if isinstance(fit, ClassFit):
        return chances(*fit.noisy(omega, V))
    columns = [np.exp(found.model.channel.log_partition(np.full_like(omega, y), omega, V)) for y in (-1.0, 1.0)]
    return np.asarray(np.stack([np.asarray(column) for column in columns], axis=1))


def log_loss(probability: Floats, labels: Codes) -> float:
    """In nats a row."""
    return float(-np.mean(np.log(np.maximum(probability[np.arange(labels.size), labels], 1e-9))))


def cross_validated(train: Floats, labels: Codes, test: Floats) -> Floats:
    """Logistic regression with C by five-fold cross-validation of the log-loss."""
    enough = np.bincount(labels).min() >= 5
    folds = StratifiedKFold(5) if enough else KFold(5, shuffle=True, random_state=0)
    found = LogisticRegressionCV(Cs=np.logspace(-4, 2, 7), cv=folds, scoring="neg_log_loss", max_iter=300)
    return np.asarray(found.fit(train, labels).predict_proba(test))


def loss(name: str, seed: int, count: int) -> tuple[float, ...] | None:
    """Log-loss and accuracy of Gardner and of logistic regression, and the accuracy that Gardner
    expects.
    """
    rng = np.random.default_rng([seed, 17])
    data = load(name, rng)
    if count > data.labels.size // 2:
        return None
    known = [int(row) for row in rng.choice(data.labels.size, count, replace=False)]
    seen, codes = np.unique(data.labels[known], return_inverse=True)
    if seen.size < 3:
        return None
    kept = np.isin(data.test_labels, seen)
    truth = np.searchsorted(seen, data.test_labels[kept])
    found = asked(data, known, 1)
    own = own_chances(found, data.test_features[kept])
    train, test = data.standardised
    try:
        other = cross_validated(train[known], codes, test[kept])
    except ValueError:  # a fold without one of the classes
        return None
    expected = float(own.max(axis=1).mean())
    right, other_right = (float(np.mean(one.argmax(axis=1) == truth)) for one in (own, other))
    return log_loss(own, truth), log_loss(other, truth), right, other_right, expected


def choose(name: str, strategy: str, seed: int) -> dict[int, tuple[float, float]]:
    """Accuracy of the fixed logistic regression and of Gardner's own predictor, at numbers of
    labels.
    """
    rng = np.random.default_rng([seed, 17])
    data = load(name, rng)
    train, test = data.standardised
    known: list[int] = []
    while len(set(data.labels[known])) < 3:
        known = [int(row) for row in rng.choice(data.labels.size, _FIRST, replace=False)]
    most = min(MARKS[-1], data.labels.size // 2)
    curve = {}
    while True:
        fitted = LogisticRegression(C=1.0, max_iter=500).fit(train[known], data.labels[known])
        found = asked(data, known) if strategy == "query" or len(known) in MARKS else None
        if len(known) in MARKS and found is not None:
            seen = np.unique(data.labels[known])
            own = seen[own_chances(found, data.test_features).argmax(axis=1)]
            curve[len(known)] = (
                float(np.mean(fitted.predict(test) == data.test_labels)),
                float(np.mean(own == data.test_labels)),
            )
        if len(known) + _BATCH > most:
            return curve
        free = np.setdiff1d(np.arange(data.labels.size), known)
        if strategy == "query" and found is not None:
            known += [one.row for one in found.rows]
        elif strategy == "margin":
            two = np.sort(fitted.predict_proba(train[free]), axis=1)[:, -2:]
            known += [int(row) for row in free[np.argsort(two[:, 1] - two[:, 0], kind="stable")[:_BATCH]]]
        else:
            known += [int(row) for row in rng.choice(free, _BATCH, replace=False)]


def print_loss(names: list[str], seeds: int) -> None:
    """A line for each table and number of labels; the last has the mean over all."""
    print("log-loss of Gardner and of cross-validated logistic regression, accuracy of both, accuracy expected")
    every = []
    for name in names:
        for count in MARKS:
            found = [one for one in (loss(name, seed, count) for seed in range(seeds)) if one is not None]
            if found:
                every.append(np.mean(found, axis=0))
                print(f"{name:11s} {count:4d}  " + "  ".join(f"{value:.3f}" for value in every[-1]), flush=True)
    print(f"{'mean':16s}  " + "  ".join(f"{value:.3f}" for value in np.mean(every, axis=0)))


def print_choices(names: list[str], seeds: int) -> None:
    """A line for each table and strategy, then the differences of the areas."""
    strategies = ("query", "margin", "random")
    areas: dict[str, list[float]] = {strategy: [] for strategy in strategies}
    print("accuracy of a fixed logistic regression (in brackets: of Gardner's own predictor) at labels", MARKS)
    for name in names:
        for strategy in strategies:
            curves = [choose(name, strategy, seed) for seed in range(seeds)]
            areas[strategy] += [float(np.mean([one for one, _ in curve.values()])) for curve in curves]
            cells = []
            for mark in curves[0]:
                judged, own = np.mean([curve[mark] for curve in curves], axis=0)
                cells.append(f"{judged:.3f} ({own:.3f})")
            print(f"{name:11s} {strategy:7s} " + "  ".join(cells), flush=True)
    for other in strategies[1:]:
        difference = np.subtract(areas["query"], areas[other])
        error = student.ppf(0.975, difference.size - 1) * difference.std(ddof=1) / math.sqrt(difference.size)
        print(f"area, query less {other}: {difference.mean():+.4f} ± {error:.4f}")


def main() -> None:
    """Print one of the two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["loss", "choose"])
    parser.add_argument("--pools", nargs="+", default=list(POOLS))
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", FutureWarning)
        (print_loss if given.what == "loss" else print_choices)(given.pools, given.seeds)


if __name__ == "__main__":
    main()
