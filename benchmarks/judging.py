"""Judging many comparisons at once: Student's t for each, Holm's method for all. Imported by other
scripts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student


def distance_p_value(values: ArrayLike, expected: float, allowance: float = 0.0) -> float:
    """How unlikely the mean of runs is if it should be ``expected``, up to ``allowance`` (two-sided
    Student's t).

    >>> round(distance_p_value([1.0, 2.0, 3.0], 0.0), 3), distance_p_value([1.0, 2.0, 3.0], 0.0, allowance=2.0)
    (0.074, 1.0)
    """
    found = np.asarray(values, dtype=float)
    error = float(found.std(ddof=1)) / math.sqrt(found.size)
    beyond = max(0.0, abs(float(found.mean()) - expected) - allowance)
    return 2.0 * float(student.sf(beyond / error, found.size - 1)) if beyond > 0.0 else 1.0


def holm(p_values: Sequence[float], level: float) -> list[bool]:
    """Which hypotheses Holm's method rejects at a level for all of them together.

    >>> holm([0.001, 0.2, 0.006], 0.01)
    [True, False, False]
    """
    rejected = [False] * len(p_values)
    for rank, index in enumerate(np.argsort(p_values)):
        if p_values[index] > level / (len(p_values) - rank):
            break
        rejected[int(index)] = True
    return rejected
