"""A statement did not hold: are the data against it, or are the seeds too few to tell?"""

from __future__ import annotations

import math
from collections.abc import Iterable

from gardner.report.page import VerdictKind

# The chance at which data that agree with a statement would be called a finding against it.
LEVEL = 0.05


def against(excesses: Iterable[tuple[float, float]], seeds: int) -> VerdictKind:
    """A finding if one of several excesses is surely above zero; else the question stays open.

    ``excesses`` are (value, standard error) of what a statement says is not positive, each a mean
    over ``seeds``. Surely: by Student's t, at ``LEVEL`` over all of them (Holm's first step: the
    largest against all).

    >>> against([(0.1, 0.01), (-0.2, 0.01)], seeds=4).value, against([(0.1, 0.05)], seeds=4).value
    ('finding', 'undecided')
    """
    from scipy import stats

    found = [excess / error for excess, error in excesses if error > 0.0 and not math.isnan(excess / error)]
    if seeds < 2 or not found:
        return VerdictKind.OPEN
    limit = float(stats.t.isf(LEVEL / len(found), seeds - 1))
    return VerdictKind.FINDING if max(found) > limit else VerdictKind.OPEN
