"""When to stop: the accuracy to expect now, and after the next batch.

If the probabilities of the labels are right, the most probable label of a row is right with
probability max_y P(y), and the mean over the rows without a label is the accuracy to expect there.
A batch moves the mean of a field, ω → m, and leaves the variance V' instead of V. The law of total
variance gives m ~ N(ω, V − V'), so the accuracy to expect afterwards is E_m[max_y P(y | m, V')],
which is at least that of now.

A real table is not drawn from the model. The labelled rows tell how far to believe it, whichever
they are: each is predicted without its own label (EP's cavity has that for free), and is wrong more
or less often than expected. The share of wrong labels to expect is multiplied by that ratio, drawn
towards one. ``gardner forecast`` does the same.

What the batch adds is more than the model says: it knows of the rows it asks for, and not that
labels also tell its noise, its scaling and its faults. So the gain is multiplied by what batches
added on real tables over what was expected. How right both are there,
``python -m benchmarks.expected_accuracy`` measures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gardner.inference.posterior import Posterior
from gardner.model import Channel
from gardner.model.arrays import Floats
from gardner.table.batch import Batch

# Wrong labels added to those found and to those expected: with ten of each, what is found counts
# half. With 3 to 20 the mean error of the expected accuracy moves by less than 0.007.
_TRUST = 10.0
# What batches of ten added on real tables over what the model alone expects, at 10, 20 and 50
# labels together: what benchmarks/expected_accuracy.py found (docs/real-tables.md).
_MODEST = 1.3
# The same with three classes or more.
_MODEST_OF_MANY = 2.4
# By how much the expected accuracy was off on real tables in nine of ten cases, by the number of
# labels: what benchmarks/expected_accuracy.py printed (docs/real-tables.md).
_NINE_IN_TEN = ((10.0, 0.23), (20.0, 0.15), (50.0, 0.11), (100.0, 0.09))
# The same with three classes or more.
_NINE_IN_TEN_OF_MANY = ((10.0, 0.25), (20.0, 0.21), (50.0, 0.14), (100.0, 0.11))
# The same of what a batch of ten was expected to add.
_GAIN_NINE_IN_TEN = ((10.0, 0.12), (20.0, 0.05), (50.0, 0.01))
# The same with three classes or more.
_GAIN_NINE_IN_TEN_OF_MANY = ((10.0, 0.17), (20.0, 0.1), (50.0, 0.02))

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True)
class Outlook:
    """The accuracy to expect on the rows without a label, and what the batch is expected to add to
    it.

    ``gain`` is none where the batch was chosen for what it tells about the weights. ``within`` is
    what the accuracy was off by at most, in nine of ten cases, on the tables of
    docs/real-tables.md, and ``gain_within`` is that of the gain; none where it was not measured.
    """

    accuracy: float
    gain: float | None
    within: float | None = None
    gain_within: float | None = None

    def reached(self, until: float) -> bool:
        """Whether the accuracy is as good as wanted."""
        return self.accuracy >= until


def likeliest(channel: Channel, omega: Floats, V: Floats) -> Floats:
    """max_y P(y) of rows with these fields."""
    logarithms = [
        np.asarray(channel.log_partition(np.full_like(omega, label), omega, V), dtype=np.float64)
        for label in channel.labels
    ]
    return np.asarray(np.exp(np.max(logarithms, axis=0)), dtype=np.float64)


def surprise(posterior: Posterior) -> float:
    """Wrong labels among those known, each predicted without itself, over those expected; drawn
    towards one.
    """
    channel, y = posterior.model.channel, np.asarray(posterior.labels)
    if not y.size:
        return 1.0
    omega, V = np.asarray(posterior.omega), np.asarray(posterior.V)
    right = likeliest(channel, omega, V)
    wrong = np.exp(np.asarray(channel.log_partition(y, omega, V))) < right
    return float((_TRUST + np.sum(wrong)) / (_TRUST + np.sum(1.0 - right)))


def off_by(labels: int, *, many: bool = False) -> float | None:
    """By how much the accuracy was off in nine of ten cases; ``many`` are three classes or more."""
    return _between(labels, _NINE_IN_TEN_OF_MANY if many else _NINE_IN_TEN)


def gain_off_by(labels: int, *, many: bool = False) -> float | None:
    """By how much the gain was off in nine of ten cases."""
    return _between(labels, _GAIN_NINE_IN_TEN_OF_MANY if many else _GAIN_NINE_IN_TEN)


def _between(labels: int, measured: tuple[tuple[float, float], ...]) -> float | None:
    """Between and beyond the numbers of labels that were measured; none without a label."""
    counts, errors = zip(*measured, strict=True)
    return float(np.interp(np.log(labels), np.log(counts), errors)) if labels else None


def added(gain: float, accuracy: float, *, many: bool = False) -> float:
    """What a batch is expected to add, from what the model expects: at most what is missing."""
    return min(max((_MODEST_OF_MANY if many else _MODEST) * gain, 0.0), 1.0 - accuracy)


def expected_accuracy(posterior: Posterior, batch: Batch) -> Outlook:
    """Of a model with classes; no better than a guess is the least."""
    channel, labels = posterior.model.channel, int(np.asarray(posterior.labels).size)
    ratio = surprise(posterior)
    wrong = 1.0 - float(np.mean(likeliest(channel, batch.omega, batch.V)))
    now = max(1.0 - ratio * wrong, 1.0 / len(channel.labels))
    if batch.after is None:
        return Outlook(now, None, off_by(labels))
    omega, before, after = batch.after
    moved = np.sqrt(np.maximum(before - after, 0.0))
    later = sum(
        weight * likeliest(channel, omega + node * moved, after)
        for node, weight in zip(_NODES.tolist(), _WEIGHTS.tolist(), strict=True)
    )
    gain = ratio * float(np.mean(later - likeliest(channel, omega, before)))
    return Outlook(now, added(gain, now), off_by(labels), gain_off_by(labels))
