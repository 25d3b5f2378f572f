"""Accuracy against the number of labels, for one model of the labels: at random, by the best rule, of the best subset.

The theory counts labels per weight, n = labels/N and α = rows/N. Columns that do not vary change
nothing: they add weights of variance zero, and lower n and α alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.model import GLM, Probit, Sign, Spectrum
from gardner.model.arrays import Floats
from gardner.rules.known import TargetMargin
from gardner.theory import bounds, learning_curve, typical

# Cells of a learning curve: overlaps were right to 1e-4, and accuracies are printed to three digits.
_CELLS = 1024
# With two classes the smallest margin has the most information, and is told at once.
_LEAST_CERTAIN = TargetMargin(0.0)
# Noise, of a field of variance one, below which the subset of least volume is taken for the best one.
_QUIET = 1e-2
# By which a run is cut that learns the weights to more digits than double precision holds.
_SHORTER = 0.5
# How often it is cut: from thousands of labels down to one.
_TRIES = 12


@dataclass(frozen=True)
class Question:
    """A table and a model of its labels, as the theory sees them."""

    variances: tuple[float, ...]
    rows: int
    alignment: float = 0.0
    noise: float = 0.0

    @property
    def columns(self) -> int:
        """N."""
        return len(self.variances)

    @cached_property
    def model(self) -> GLM:
        """A prior of these variances, and the channel of the noise."""
        return GLM(Spectrum(self.variances, self.alignment), Probit(self.noise) if self.noise > 0.0 else Sign())

    def accuracy(self, overlap: float) -> float:
        """The share of labels, noise included, that a student with this overlap gets right."""
        known = overlap / (self.model.prior.second_moment + self.noise)
        return 1.0 - math.acos(math.sqrt(min(max(known, 0.0), 1.0))) / math.pi


def at_random(question: Question, labels: Floats) -> Floats:
    """Accuracy after so many labels of rows chosen at random."""
    model, columns = question.model, question.columns
    return np.array([question.accuracy(typical(model, budget=float(n) / columns).overlap) for n in labels])


def by_rule(question: Question, labels: Floats, batch: float, labelled: float) -> Floats:
    """Accuracy after so many labels if each batch asks for the least certain rows, from ``labelled`` random ones on.

    Past the point where double precision ends the last accuracy is kept: what is reached is more.
    """
    columns, most = question.columns, float(labels[-1])
    for _ in range(_TRIES):
        if most <= max(labelled, batch):
            break
        try:
            curve = learning_curve(
                _LEAST_CERTAIN,
                question.model,
                pool_ratio=question.rows / columns,
                budget=most / columns,
                batch_ratio=min(batch, most) / columns,
                labelled=labelled / columns,
                cells=_CELLS,
            )
        except ConvergenceError:
            most *= _SHORTER
            continue
        places = np.array([point.budget for point in curve.points]) * columns
        found = np.array([question.accuracy(point.overlap) for point in curve.points])
        random = at_random(question, labels)
        chosen = np.interp(labels, places, found)
        return np.where(labels < places[0], random, np.where(labels > places[-1], np.maximum(chosen, random), chosen))
    return at_random(question, labels)


def of_best_subset(question: Question, labels: Floats) -> Floats:
    """Accuracy of the subset of least volume; NaN where the theory does not resolve it, or labels are noisy."""
    found = np.full(len(labels), np.nan)
    if question.noise > _QUIET:  # it would be rich in wrong labels
        return found
    quiet = Question(question.variances, question.rows, question.alignment)
    for index, count in enumerate(labels):
        budget, ratio = float(count) / quiet.columns, quiet.rows / quiet.columns
        if budget >= ratio:
            continue
        try:
            end = bounds(quiet.model, pool_ratio=ratio, budget=budget).minimum.found
        except (ConvergenceError, InvalidInputError):  # not resolved, or not known of such a spectrum
            continue
        found[index] = math.nan if end is None else end.accuracy
    return found
