"""Students trained by the perceptron rule: single weight vectors that give all labels seen so far."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.inference.compiler import kept

Floats = NDArray[Any]
EPOCHS = 10_000  # passes over the labels before a student gives up


@kept(fast=True)
def _epoch(rows: Floats, labels: Floats, order: NDArray[np.int64], weights: Floats, rate: float) -> int:
    """One pass of stochastic gradient descent on Σ max(0, −y F·w); returns how many rows were wrong when visited."""
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


def train(
    rows: Floats, labels: Floats, weights: Floats, rng: np.random.Generator, rate: float = 1.0, epochs: int = EPOCHS
) -> None:
    """Train ``weights`` in place until every label is right [rosenblatt1958]; rows are visited in random order."""
    for _ in range(epochs):
        if _epoch(rows, labels, rng.permutation(labels.size), weights, rate) == 0:
            return
    raise ConvergenceError(
        f"a student got labels wrong after {epochs} epochs", hint=f"set the strategy's epochs to {10 * epochs}"
    )


def check_epochs(name: str, epochs: int) -> None:
    """Refuse a parameter that lets nobody learn."""
    if epochs < 1:
        raise InvalidInputError(f"{name}.epochs", epochs, "students pass over the labels at least once")
