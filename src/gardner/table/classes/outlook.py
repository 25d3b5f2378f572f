"""When to stop, with several classes: the accuracy to expect now, and after the next batch.

As for two classes (:mod:`gardner.table.outlook`), the mean over rows of max_c P(c) is the accuracy
to expect. A batch moves the means of the fields by normal steps of variance V − V' and leaves V'.
The mean over these steps is taken by a fixed sample, in pairs of opposite sign.
"""

from __future__ import annotations

import numpy as np

from gardner.table.classes.batch import ClassBatch
from gardner.table.classes.fit import ClassFit
from gardner.table.classes.largest import chances
from gardner.table.outlook import Outlook, added, gain_off_by, off_by

# Pairs of steps that are drawn: few, since the mean over hundreds of targets averages over them as
# well.
_PAIRS = 16


def expected_accuracy(fit: ClassFit, batch: ClassBatch) -> Outlook:
    """On the rows without a label, and what the batch is expected to add."""
    omega, before, after = batch.after
    moved = np.sqrt(np.maximum(before - after, 0.0))
    steps = np.random.default_rng(0).standard_normal((_PAIRS, *omega.shape))
    later = np.zeros(len(omega))
    for step in (*steps, *-steps):
        later += chances(*fit.noisy(omega + moved * step, after)).max(axis=1)
    gain = float(np.mean(later / (2 * _PAIRS) - chances(*fit.noisy(omega, before)).max(axis=1)))
    now, labels = float(np.mean(batch.chances.max(axis=1))), int(np.asarray(fit.posteriors[0].labels).size)
    return Outlook(now, added(gain, now, many=True), off_by(labels, many=True), gain_off_by(labels, many=True))
