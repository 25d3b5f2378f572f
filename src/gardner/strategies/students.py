"""Students trained by the perceptron rule: weight vectors that give all labels seen so far
[rosenblatt1958].

The rule adds multiples of rows to the weights w, so a student needs not look at the rows: it keeps
its fields h = F w, which a step on row i moves by a multiple of row i of the Gram matrix F Fᵀ. A
visit costs one comparison, and a mistake one row of the Gram matrix; mistakes are few once the
earlier labels are known. What was added up with rounding errors is checked with the weights
themselves before a student leaves. Where the Gram matrix would not fit, fields are formed at every
visit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.inference.compiler import kept
from gardner.model.arrays import Floating, Integers
from gardner.strategies.base import View

# Passes over the labels before a student gives up: labels of a teacher are learned in tens of them.
EPOCHS = 10_000
# Entries of a Gram matrix that is kept: 1 GB in single precision, 16,000 labels.
LARGEST = 1 << 28


@kept(fast=True)
def _epoch(gram: Floating, labels: Floating, order: Integers, fields: Floating, steps: Floating, rate: float) -> int:
    """One pass of stochastic gradient descent on Σ max(0, −y F·w); returns how many rows were wrong
    when visited.
    """
    wrong = 0
    for i in order:
        if fields[i] * labels[i] <= 0.0:
            wrong += 1
            step = fields.dtype.type(rate * labels[i])
            steps[i] += step
            for j in range(fields.shape[0]):
                fields[j] += step * gram[i, j]
    return wrong


@kept(fast=True)
def _direct_epoch(rows: Floating, labels: Floating, order: Integers, weights: Floating, rate: float) -> int:
    """One pass of :func:`_epoch` without a Gram matrix."""
    features = weights.shape[0]
    wrong = 0
    for i in order:
        field = weights.dtype.type(0)
        for j in range(features):
            field += rows[i, j] * weights[j]
        if field * labels[i] <= 0.0:
            wrong += 1
            step = weights.dtype.type(rate * labels[i])
            for j in range(features):
                weights[j] += step * rows[i, j]
    return wrong


class School:
    """The rows asked for so far, their labels and Gram matrix: kept from round to round, and added
    to.
    """

    def __init__(self, epochs: int = EPOCHS, rate: float = 1.0, largest: int = LARGEST) -> None:
        """Without a row yet. A student may pass over the labels ``epochs`` times; ``rate`` is the
        step of the rule.
        """
        self.epochs, self.rate, self.largest = epochs, rate, largest
        self._indices: Integers = np.empty(0, dtype=np.int64)
        self._labels: Floating = np.empty(0)
        self._noiseless = True
        self._rows: Floating = np.empty((0, 0))
        self._gram: Floating = np.empty((0, 0))

    def teach(self, view: View, students: Floating) -> None:
        """Train all students, one a row, in place until every label of the view is right; rows in
        random order.
        """
        self._admit(view)
        count = self._indices.size
        rows, labels = self._rows[:count], self._labels
        if count * count > self.largest:
            for student in students:
                self._repeat(lambda order, one=student: _direct_epoch(rows, labels, order, one, self.rate), view.rng)
            return
        for _ in range(self.epochs):  # once, and again for students whose last label was right by a rounding error
            fields = students @ rows.T
            learning = np.flatnonzero((fields * labels <= 0.0).any(axis=1))
            if not learning.size:
                return
            steps = np.zeros((learning.size, count), dtype=rows.dtype)
            for own, heard in zip(steps, fields[learning], strict=True):
                self._repeat(
                    lambda order, own=own, heard=heard: _epoch(self._gram, labels, order, heard, own, self.rate),
                    view.rng,
                )
            students[learning] += steps @ rows
        raise self._lost()

    def _repeat(self, epoch: Any, rng: np.random.Generator) -> None:
        for _ in range(self.epochs):
            if epoch(rng.permutation(self._indices.size)) == 0:
                return
        raise self._lost()

    def _lost(self) -> ConvergenceError:
        more = f"set the strategy's epochs to {10 * self.epochs}"
        hint = more if self._noiseless else "labels with noise contradict each other: use agnostic or logistic"
        return ConvergenceError(f"a student got labels wrong after {self.epochs} epochs", hint=hint)

    def _admit(self, view: View) -> None:
        """Add the rows that are new; begin anew if others than the last are."""
        old, new = self._indices.size, view.queried.size
        if not np.array_equal(view.queried[:old], self._indices):
            old = 0
        with_gram = new * new <= self.largest
        if new > self._rows.shape[0]:
            size = max(new, min(2 * old, view.pool.shape[0]))
            self._rows = _grown(self._rows, old, (size, view.pool.shape[1]), view.pool.dtype)
        if with_gram and new > self._gram.shape[0]:
            size = min(self._rows.shape[0], int(self.largest**0.5))
            self._gram = _grown(self._gram, old, (size, size), view.pool.dtype)
        self._noiseless = view.model.channel.noiseless
        self._indices, self._labels = view.queried.copy(), view.labels.copy()
        self._rows[old:new] = view.pool[view.queried[old:]]
        if with_gram:
            products = self._rows[old:new] @ self._rows[:new].T
            self._gram[old:new, :new] = products
            self._gram[:old, old:new] = products[:, :old].T


def _grown(array: Floating, count: int, shape: tuple[int, int], dtype: DTypeLike) -> Floating:
    larger = np.empty(shape, dtype=dtype)
    kept_columns = min(array.shape[1], shape[1])
    larger[:count, :kept_columns] = array[:count, :kept_columns]
    return larger


def check_epochs(name: str, epochs: int) -> None:
    """Refuse a parameter that lets nobody learn."""
    if epochs < 1:
        raise InvalidInputError(f"{name}.epochs", epochs, "students pass over the labels at least once")
