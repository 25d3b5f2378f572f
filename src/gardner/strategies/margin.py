"""Uncertainty by the margin of a single trained model: ask for the rows closest to its decision
boundary.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gardner.errors import InvalidInputError
from gardner.model.arrays import Floating
from gardner.strategies.base import Choice, View, check_binary, choose, register
from gardner.strategies.students import EPOCHS, School, check_epochs


@register("logistic")
@dataclass
class Logistic:
    """Logistic regression: the rows with the smallest |F·x| (scikit-learn, warm-started).

    ``C`` is scikit-learn's inverse regularisation. 1 is a standard normal prior of the weights, too
    strong for a logistic model of labels without noise; large C tends to the maximal margin; 10 did
    best in between.
    """

    C: float = 10.0
    _model: Any = field(default=None, init=False, repr=False)
    informed = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        if not self.C > 0.0:
            raise InvalidInputError("logistic.C", self.C, "it must be positive")

    def query(self, view: View) -> Choice:
        """Smallest margin first; at random until both labels have been seen."""
        check_binary(view, "logistic")
        if np.unique(view.labels).size < 2:
            return choose(view, view.rng.random(view.unlabelled.size))
        if self._model is None:
            from sklearn.linear_model import LogisticRegression

            self._model = LogisticRegression(C=self.C, fit_intercept=False, warm_start=True, max_iter=1000)
        self._model.fit(view.pool[view.queried], view.labels)
        weights = self._model.coef_[0].astype(view.pool.dtype)
        return choose(view, -np.abs((view.pool @ weights)[view.unlabelled]))


@register("perceptron")
@dataclass
class Perceptron:
    """Perceptron learning: the rows with the smallest |F·x| for a student trained until all labels
    are right.

    ``epochs`` is how often it may pass over the labels in a round. It begins at zero weights, so
    the step of the perceptron rule only sets their scale, which no choice depends on.
    """

    epochs: int = EPOCHS
    _weights: Floating | None = field(default=None, init=False, repr=False)
    _school: School | None = field(default=None, init=False, repr=False)
    informed = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_epochs("perceptron", self.epochs)

    def query(self, view: View) -> Choice:
        """Smallest margin first; training goes on from the last round's weights, zero at first."""
        check_binary(view, "perceptron")
        if self._weights is None or self._school is None:
            self._weights, self._school = np.zeros(view.pool.shape[1], dtype=view.pool.dtype), School(self.epochs)
        self._school.teach(view, self._weights[None, :])
        return choose(view, -np.abs((view.pool @ self._weights)[view.unlabelled]))
