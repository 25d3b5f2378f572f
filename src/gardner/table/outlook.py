"""When to stop: the accuracy to expect now, and after the next batch.

If the probabilities of the labels are right, the most probable label of a row is right with
probability max_y P(y), and the mean over the rows without a label is the accuracy to expect there.
A batch moves the mean of a field, ω → m, and leaves the variance V' instead of V. The law of total
variance gives m ~ N(ω, V − V'), so the accuracy to expect afterwards is E_m[max_y P(y | m, V')],
which is at least that of now. How right the first of these is on real tables, docs/real-tables.md
measures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gardner.model import Channel
from gardner.table.batch import Batch
from gardner.table.scaling import Floats

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True)
class Outlook:
    """The accuracy to expect on the rows without a label, and what the batch is expected to add to it.

    ``gain`` is none where the batch was chosen for what it tells about the weights.
    """

    accuracy: float
    gain: float | None

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


def expected_accuracy(channel: Channel, batch: Batch) -> Outlook:
    """Of a model with classes."""
    now = float(np.mean(likeliest(channel, batch.omega, batch.V)))
    if batch.after is None:
        return Outlook(now, None)
    omega, before, after = batch.after
    moved = np.sqrt(np.maximum(before - after, 0.0))
    later = sum(
        weight * likeliest(channel, omega + node * moved, after)
        for node, weight in zip(_NODES.tolist(), _WEIGHTS.tolist(), strict=True)
    )
    return Outlook(now, max(float(np.mean(later - likeliest(channel, omega, before))), 0.0))
