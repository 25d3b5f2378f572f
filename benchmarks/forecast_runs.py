"""Runs that forecasts are held against: real rows, labels of random linear teachers or real ones.

Some rows are held out. The others are a pool, from which labels are asked for at random or, batch
by batch, where the student is least certain. The student knows the teacher's model; expectation
propagation, which is right for correlated rows, gives its posterior. On real labels the student is
a logistic regression, its penalty chosen by cross-validation. Imported by forecast.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from gardner.inference.ep import expectation_propagation
from gardner.inference.posterior import Posterior
from gardner.model import GLM, Gaussian, Probit
from gardner.model.arrays import Floats

Places = NDArray[np.intp]

HELD_OUT, MOST_HELD_OUT, MOST_POOL = 0.3, 2000, 4000
NOISELESS = 1e-6  # noise that no label shows; a channel without any would be proved separable first
_TOLERANCE = 1e-4
_PENALTIES = (0.1, 1.0, 10.0, 100.0)  # C; rows have length one


@dataclass(frozen=True, eq=False)
class Split:
    """A pool in random order and held-out rows, with the labels of both."""

    pool: Floats
    pool_labels: Floats
    test: Floats
    test_labels: Floats

    def accuracy(self, weights: Floats) -> float:
        """On the rows held out."""
        fields = self.test @ weights
        return float(np.mean(np.where(fields < 0.0, -1.0, 1.0) == self.test_labels))


def pool_size(rows: int) -> int:
    """Rows of the pool that a table of so many is split into."""
    return min(MOST_POOL, rows - min(round(HELD_OUT * rows), MOST_HELD_OUT))


def split(rows: Floats, labels: Floats, rng: np.random.Generator) -> Split:
    """Held-out rows and a pool, drawn anew."""
    order = rng.permutation(len(rows))
    cut = min(round(HELD_OUT * len(rows)), MOST_HELD_OUT)
    test, pool = order[:cut], order[cut : cut + MOST_POOL]
    return Split(rows[pool], labels[pool], rows[test], labels[test])


def linear_labels(rows: Floats, rng: np.random.Generator) -> Floats:
    """Signs of a random linear rule without a preferred direction."""
    return np.where(rows @ rng.standard_normal(rows.shape[1]) < 0.0, -1.0, 1.0)


def with_teacher(data: Split, budgets: Sequence[int], batch: int, *, active: bool) -> list[float]:
    """Accuracy on held-out rows at every budget, in rising order, chosen at random or where least
    certain.
    """
    model = GLM(Gaussian(), Probit(NOISELESS))

    def fit(chosen: Places) -> Posterior:
        return expectation_propagation(data.pool[chosen], data.pool_labels[chosen], model, tolerance=_TOLERANCE)

    def margin(posterior: Posterior) -> Floats:
        omega, V = (np.asarray(part) for part in posterior.fields(data.pool))
        return np.asarray(np.abs(omega) / np.sqrt(np.maximum(V, 1e-300)))

    chosen, found = np.arange(batch), list[float]()
    for budget in budgets:
        chosen = chosen if active else np.arange(budget)
        while chosen.size < budget:
            chosen = _more(chosen, margin(fit(chosen)), min(batch, budget - chosen.size))
        found.append(data.accuracy(np.asarray(fit(chosen).mean)))
    return found


def with_real_labels(data: Split, start: int, budgets: Sequence[int], batch: int, *, active: bool) -> list[float]:
    """The same for labels as they are, from ``start`` random ones on; the student is a logistic
    regression.
    """
    chosen, found = np.arange(start), list[float]()
    penalty = _penalty(data, chosen)
    for budget in budgets:
        chosen = chosen if active else np.arange(budget)
        while chosen.size < budget:
            rows, labels = data.pool[chosen], data.pool_labels[chosen]
            student = LogisticRegression(C=penalty, max_iter=1000).fit(rows, labels)
            chosen = _more(chosen, np.abs(student.decision_function(data.pool)), min(batch, budget - chosen.size))
        student = LogisticRegression(C=_penalty(data, chosen), max_iter=1000)
        student.fit(data.pool[chosen], data.pool_labels[chosen])
        found.append(float(student.score(data.test, data.test_labels)))
    return found


def _penalty(data: Split, chosen: Places) -> float:
    # two folds: a rare class may have two labels only
    grid = GridSearchCV(LogisticRegression(max_iter=1000), {"C": _PENALTIES}, cv=StratifiedKFold(2))
    return float(grid.fit(data.pool[chosen], data.pool_labels[chosen]).best_params_["C"])


def _more(chosen: Places, margin: Floats, count: int) -> Places:
    margin[chosen] = np.inf
    return np.concatenate([chosen, np.argsort(margin, kind="stable")[:count]])
