"""Accuracy against the number of labels, for one model of the labels: at random, by the best rule,
of the best subset.

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
from gardner.theory import LearningCurve, bounds, learning_curve, typical

# Cells of a learning curve, as many as it takes: 1024 have overlaps right to 1e-4, and where a few
# columns are learned to many digits 65536 went on for as long as there was anything to learn (two
# columns, 10,000 rows), in seconds.
_CELLS = (1024, 4096, 16384, 65536)
# Wrong predictions, relative to those with a label for every row, at which a subset tells all there
# is to know.
_ALL_THERE_IS = 1.001
# Error of ln v a weight above which more cells are taken: the share of wrong predictions is then
# off by about 1 %.
_ROUGH = 0.01
# With two classes the smallest margin has the most information, and is quick to compute.
_LEAST_CERTAIN = TargetMargin(0.0)
# Noise, of a field of variance one, below which the subset of least volume is taken for the best
# one.
QUIET = 1e-2


@dataclass(frozen=True)
class Question:
    """A table and a model of its labels, as the theory sees them."""

    variances: tuple[float, ...]
    rows: int
    alignment: float = 0.0
    noise: float = 0.0

    @property
    def columns(self) -> int:
        """N, the number of columns."""
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


@dataclass(frozen=True, eq=False)
class Chosen:
    """Accuracies by a rule, and the labels up to which they are known; beyond, the last is kept."""

    accuracy: Floats
    known_to: float


def by_rule(question: Question, labels: Floats, batch: float, labelled: float) -> Chosen:
    """Accuracy after so many labels if each batch asks for the least certain rows, from
    ``labelled`` random ones on.
    """
    random, most = at_random(question, labels), float(labels[-1])
    first = max(labelled, batch)
    if most <= first:  # there is nothing to choose yet
        return Chosen(random, most)
    curve = _curve(question, most, batch, labelled, _CELLS) or _longest(question, most, batch, labelled)
    if curve is None:
        return Chosen(random, first)
    places = np.array([point.budget for point in curve.points]) * question.columns
    found = np.array([question.accuracy(point.overlap) for point in curve.points])
    chosen = np.interp(labels, places, found)
    kept = np.where(labels > places[-1], np.maximum(chosen, random), chosen)
    return Chosen(np.where(labels < places[0], random, kept), float(places[-1]))


def _curve(
    question: Question, most: float, batch: float, labelled: float, cells: tuple[int, ...]
) -> LearningCurve | None:
    """The learning curve on the fewest of these cells that are enough, or on the most; none if it
    does not settle.
    """
    columns, curve = question.columns, None
    for count in cells:
        try:
            curve = learning_curve(
                _LEAST_CERTAIN, question.model, pool_ratio=question.rows / columns, budget=most / columns,
                batch_ratio=batch / columns, labelled=labelled / columns, cells=count,
            )  # fmt: skip
        except ConvergenceError:
            continue
        if max(point.discretisation_error for point in curve.points) <= _ROUGH:
            break
    return curve


def _longest(question: Question, most: float, batch: float, labelled: float) -> LearningCurve | None:
    """The curve as far as it settles, found by halving the number of rounds."""
    first, found = max(labelled, batch), None
    fewest, rounds = 0, math.ceil((most - first) / batch)
    while rounds - fewest > 1:
        middle = (fewest + rounds) // 2
        curve = _curve(question, first + middle * batch, batch, labelled, _CELLS[-1:])
        fewest, rounds = (fewest, middle) if curve is None else (middle, rounds)
        found = curve or found
    return found


def of_best_subset(question: Question, labels: Floats) -> Floats:
    """Wrong predictions of the best subset, relative to those with a label for every row.

    It is the most accurate one on the curve of volumes. ``labels`` rise. NaN where the curve's end
    is not known, or labels are noisy: the best subset would be rich in wrong ones. Where rows vary
    much more in some directions than in others, that of least volume is not the most accurate: it
    also learns directions that hardly count.
    """
    found = np.full(len(labels), np.nan)
    if question.noise > QUIET:
        return found
    quiet = Question(question.variances, question.rows, question.alignment)
    whole = 1.0 - float(at_random(quiet, np.array([float(quiet.rows)]))[0])
    ratio = quiet.rows / quiet.columns
    for index, count in enumerate(labels):
        if index and found[index - 1] <= _ALL_THERE_IS:  # with more labels it tells no less
            found[index] = 1.0
            continue
        try:
            result = bounds(quiet.model, pool_ratio=ratio, budget=min(float(count) / quiet.columns, ratio))
        except (ConvergenceError, InvalidInputError):  # not resolved, or not known of such a spectrum
            continue
        if result.minimum.found is not None:
            found[index] = (1.0 - result.extremes.most_accurate.accuracy) / whole
    return found
