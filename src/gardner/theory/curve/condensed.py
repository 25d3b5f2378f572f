"""Weights of heavy tails can condense: one weight decides all labels, and no volume is lost.

Let the tails of the student's prior fall more slowly than any Gaussian's (Laplace). Give one weight
the size X√N. That costs e^{−O(X√N)} of the prior's mass, which is nothing on the scale e^{−O(N)} of
volumes. If X is large, the label of every row is the sign of that row's entry of this one weight.
For half of the pool, these signs are the teacher's labels, because no single entry tells anything
about the teacher. So every subset of that half leaves

    ln v = n ln sup_h P_out(y|h),

and no subset leaves more. For n ≤ α/2 this is the largest volume (0 without noise). There are
e^{NΣ} such subsets with Σ = −n ln(2n/α) − (α/2 − n) ln(1 − 2n/α), and their students know nothing:
accuracy ½. The replica-symmetric branch leads there: its overlaps grow without bound as ln v → 0,
and Σ tends to that value (docs/theory.md, section 8). The branch is followed as far as its
integrals are resolved.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gardner.theory.curve.equations import Problem, State
from gardner.theory.curve.point import Point, whole_pool_point
from gardner.theory.formula.free_entropy import EDGE
from gardner.theory.formula.pair import Pair
from gardner.theory.random_subset.typical import typical_of

REASON = "one large weight decides all labels of such a subset"
# The precision of the tails, in units of the prior's, below which they are heavier than any
# Gaussian's: Laplace has 0.
_HEAVY = 1e-9
# ln E, the distance to the edge of the conjugates' domain, from which nothing new is seen.
_CLOSE = -4.0


def condenses(problem: Problem) -> bool:
    """Whether the largest volume is that of a student with one large weight."""
    pair = problem.pair
    odd = pair.student.channel.labels == (-1.0, 1.0) and pair.label_classes == ((1.0, 2.0),)
    heavy = pair.tail_precision * pair.student.prior.second_moment < _HEAVY
    return odd and heavy and problem.budget <= 0.5 * problem.pool_ratio


def stop(problem: Problem) -> Callable[[State], bool]:
    """Says of a point of the upper branch that it is close enough to the edge."""
    if not condenses(problem):
        return lambda _: False
    return lambda state: state.z[EDGE] < _CLOSE or not state.mesh.resolved


def condensed_point(problem: Problem) -> Point:
    """The end itself; overlaps grow without bound there, so they, β, φ and the stability ratios are
    NaN.
    """
    pair, n, half = problem.pair, problem.budget, 0.5 * problem.pool_ratio
    known = typical_of(pair, n)
    log_volume = n * _most_likely(pair)
    rest = (half - n) * math.log1p(-n / half) if n < half else 0.0
    return replace(
        whole_pool_point(problem),
        log_volume=log_volume,
        complexity=-n * math.log(n / half) - rest,
        accuracy=0.5,
        subset_averaged_accuracy=0.5,
        residual=0.0,
        quadrature_error=0.0,
        accuracy_error=0.0,
        relative_error=0.0,
        information=known.information + known.log_volume - log_volume,  # such rows are random to the teacher
        m=math.nan,
        q=math.nan,
        Q=math.nan,
        r=math.nan,
    )


def _most_likely(pair: Pair) -> float:
    """ln sup_h P_out(1|h)."""
    far = 1e9 * math.sqrt(pair.student.prior.second_moment)
    channel = pair.student.channel
    values = np.asarray(channel.log_partition(1.0, np.array([far]), pair.student.prior.second_moment))
    return min(float(values[0]), 0.0) + 0.0  # no negative zero
