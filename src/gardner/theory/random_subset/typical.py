"""The typical subset (β = 0): what random choice reaches, and where every branch starts.

A random subset of ratio n is an ordinary learning problem
(:mod:`gardner.theory.random_subset.fixed_points`); for a Gaussian prior its overlap Q extremises

    ln v = extr_Q { ½[ln(1−Q) + Q] + n Σ_y ∫Dη e^{ψ_Y(y, √Q η, 1−Q)} ψ_Y(y, √Q η, 1−Q) }
    [barbier2019].

The overlap q = m² + t of two *different* random subsets appears first at order β² of Φ: with p =
n/α and K(t) = Σ_y ∫Dη Z⁰_Y(y, η) [∫Dζ ψ_Y(y, √q η + √D ζ, V)]² at fixed m, Q and V, its hat is q̂ =
α p² dK/dt, and the weights answer q = ∫Dξ Z⁰_X(ξ) [∫Dλ x̂(A, √q̂ ξ + √(Q̂−q̂) λ)]², that is t = V²
q̂ for Gaussian weights of one variance.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gardner.errors import ConvergenceError
from gardner.model import GLM, PERCEPTRON
from gardner.theory.as_json import (
    Plain,
    Record,
    from_record,
    model_columns,
    model_from,
    model_record,
    or_nan,
    or_null,
    record_of,
    section,
)
from gardner.theory.formula import regression
from gardner.theory.formula.expansion import Psi, channel_psi
from gardner.theory.formula.information import mean_log_likelihood
from gardner.theory.formula.logistic import sigmoid
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.quadrature import stretched_grid
from gardner.theory.formula.weights import weight_grid
from gardner.theory.inputs import check_budget, check_pair, check_pool_ratio
from gardner.theory.random_subset.fixed_points import FixedPoint, fixed_points
from gardner.theory.roots import root_of_falling

if TYPE_CHECKING:
    import pandas as pd

# Ln v of discrete labels is never above zero: more than this, in nats per weight, is no rounding.
_POSSIBLE = 1e-6
# Gauss–Hermite nodes of an average over Gaussian noise of a smooth function: 80 of them are exact
# to degree 159.
_HERMITE = np.polynomial.hermite_e.hermegauss(80)


@dataclass(frozen=True)
class Solution:
    """One stable fixed point of state evolution: ``unique``, or ``uninformed`` and ``informed``
    where there are two.

    The free entropy of a random subset is its log-volume; the fixed point where it is largest is
    the true one.
    """

    name: str
    log_volume: float
    overlap: float


_NUMBERS = (
    "budget",
    "log_volume",
    "overlap",
    "accuracy",
    "gibbs_accuracy",
    "residual",
    "quadrature_error",
    "self_overlap",
    "squared_norm",
    "information",
)


@dataclass(frozen=True)
class Typical:
    """A random subset of ``budget``·N rows: log-volume per weight, overlaps, accuracies,
    information, and their proof.

    ``overlap`` is m, that of teacher and student (a matched pair has m = Q), ``self_overlap`` Q,
    ``squared_norm`` r, a weight's mean square. ``accuracy`` is that of the posterior mean (Bayes),
    ``gibbs_accuracy`` that of one student drawn from the posterior; for real labels both are the
    share of the field's variance that is explained. ``information`` (per weight, nats) is defined
    in :mod:`gardner.theory.formula.information`. ``branches`` are the stable fixed points, the
    largest free entropy first.
    """

    student: GLM
    teacher: GLM
    budget: float
    log_volume: float
    overlap: float
    accuracy: float
    gibbs_accuracy: float
    residual: float
    quadrature_error: float
    self_overlap: float
    squared_norm: float
    information: float
    branches: tuple[Solution, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """One row."""
        import pandas as pd  # here, so that the solver starts without it

        numbers = {name: getattr(self, name) for name in _NUMBERS}
        return pd.DataFrame([{**model_columns(self.student, self.teacher), **numbers}])

    def to_json(self) -> Record:
        """Plain data for JSON: models by their texts, NaN as null."""
        return {
            "model": model_record(self.student),
            "teacher": model_record(self.teacher),
            **{name: or_null(getattr(self, name)) for name in _NUMBERS},
            "branches": [record_of(branch) for branch in self.branches],
        }

    @staticmethod
    def from_json(record: Plain) -> Typical:
        """The inverse of :meth:`to_json`."""
        found = section(record, "a random subset")
        if "norm" in found:  # its name in records of before
            found.setdefault("squared_norm", found["norm"])
        listed = found["branches"]
        branches = tuple(from_record(Solution, one) for one in listed) if isinstance(listed, list) else ()
        numbers = {name: or_nan(found[name]) for name in _NUMBERS}
        return Typical(model_from(found["model"]), model_from(found["teacher"]), **numbers, branches=branches)


@np.errstate(all="ignore")  # overflow and NaN are looked for where they matter
def typical(model: GLM = PERCEPTRON, *, budget: float, teacher: GLM | None = None) -> Typical:
    """What a random subset of ratio ``budget`` reaches; it does not depend on the pool.

    >>> round(typical(budget=2.0).log_volume, 6)
    -1.031038
    """
    return typical_of(check_pair(model, teacher), check_budget(budget))


@np.errstate(all="ignore")  # overflow and NaN are looked for where they matter
def pool(model: GLM = PERCEPTRON, *, pool_ratio: float, teacher: GLM | None = None) -> Typical:
    """What all labels of a pool of ratio ``pool_ratio`` together give.

    >>> whole = pool(pool_ratio=3.0)
    >>> round(whole.log_volume, 6), round(whole.accuracy, 6)
    (-1.355888, 0.870145)
    """
    return typical_of(check_pair(model, teacher), check_pool_ratio(pool_ratio))


@functools.lru_cache(maxsize=256)
def typical_of(pair: Pair, budget: float) -> Typical:
    """:func:`typical` for a checked pair."""
    branches = fixed_points(pair, budget)
    best = branches[0]
    _check_possible(pair, best, budget)
    accuracy, gibbs = accuracies(pair, best.m, best.S, best.V)
    return Typical(
        student=pair.student,
        teacher=pair.teacher,
        budget=budget,
        log_volume=best.log_volume,
        overlap=pair.teacher_scale * best.m,
        accuracy=accuracy,
        gibbs_accuracy=gibbs,
        residual=best.residual,
        quadrature_error=best.quadrature_error,
        self_overlap=best.m**2 + best.S,
        squared_norm=best.m**2 + best.S + best.V,
        information=-best.log_volume + budget * mean_log_likelihood(pair),
        branches=tuple(Solution(x.name, x.log_volume, pair.teacher_scale * x.m) for x in branches),
    )


def _check_possible(pair: Pair, at: FixedPoint, budget: float) -> None:
    """Refuse what is not resolved: known to a tenth only, or impossible.

    Labels of K kinds carry between nothing and n ln K.
    """
    possible = at.quadrature_error < _POSSIBLE + 0.1 * abs(at.log_volume)
    if not pair.regression and pair.matched:
        slack = 1e-9 + 10.0 * at.quadrature_error
        least = -budget * math.log(len(pair.student.channel.labels)) - slack
        possible = possible and least <= at.log_volume <= min(slack, _POSSIBLE)
    if not possible:
        raise ConvergenceError(
            f"the integrals of this prior and channel are not resolved (ln v = {at.log_volume:.3g} for a random "
            f"subset, quadrature error {at.quadrature_error:.0e})",
            hint="use a prior or a channel with less extreme parameters",
        )


def accuracies(pair: Pair, m: float, S: float, V: float) -> tuple[float, float]:
    """Accuracy of the mean and of a sample: 1 − angle/π, or for real labels the explained share of
    variance.
    """
    if pair.regression:
        r0 = pair.teacher.prior.second_moment
        missed = (pair.teacher_scale - m) ** 2 + S
        return 1.0 - missed / r0, 1.0 - (missed + V) / r0
    if m == 0.0:  # nothing is known of the teacher: a guess
        return 0.5, 0.5
    return 1.0 - math.atan2(math.sqrt(S), m) / math.pi, 1.0 - math.atan2(math.sqrt(S + V), m) / math.pi


@functools.lru_cache(maxsize=256)
def typical_theta(pair: Pair, pool_ratio: float, budget: float) -> tuple[float, ...]:
    """θ at β = 0, including the overlap q of two different subsets."""
    best = _doubting(pair, budget)
    fraction = budget / pool_ratio
    phi = math.log(fraction) - math.log1p(-fraction)
    amplitude = pool_ratio * fraction**2

    classes = _classes(pair, best.V)

    def mismatch(s: float) -> float:
        t, D = best.S * sigmoid(s), best.S * sigmoid(-s)
        q_hat = amplitude * _correlation_slope(pair, best.m, t, D, best.V, classes)
        answer = weight_correlation(pair, best, q_hat) if q_hat > 0.0 else 0.0
        if not answer > 0.0:
            raise ConvergenceError(
                "the overlap of two different subsets is lost to rounding", hint="use a larger budget, or less noise"
            )
        return math.log(answer) - math.log(t)

    s = root_of_falling(mismatch, start=phi, what="overlap of two random subsets")
    return best.m, best.S * sigmoid(s), best.S * sigmoid(-s), best.V, phi, 0.0


def _doubting(pair: Pair, budget: float) -> FixedPoint:
    """The best fixed point where something is known and not all: only there can a branch start."""
    for point in fixed_points(pair, budget):
        if point.V > 0.0 and point.m > 0.0:
            return point
    known = "every weight" if fixed_points(pair, budget)[0].V == 0.0 else "nothing"
    raise ConvergenceError(f"a random subset of that budget tells {known} already, the curve has no inner start")


@functools.lru_cache(maxsize=256)
def typical_conjugates(pair: Pair, pool_ratio: float, budget: float) -> tuple[float, ...]:
    """(m̂, q̂, Q̂ − q̂, A) at β = 0, where the conjugates of other priors start from."""
    best = _doubting(pair, budget)
    m, t, D, V, _, _ = typical_theta(pair, pool_ratio, budget)
    q_hat = pool_ratio * (budget / pool_ratio) ** 2 * _correlation_slope(pair, m, t, D, V, _classes(pair, V))
    return best.conjugates.m, q_hat, best.conjugates.Q - q_hat, best.conjugates.A


def weight_correlation(pair: Pair, best: FixedPoint, q_hat: float) -> float:
    """Return t = q − m² as the weights answer it to q̂."""
    if pair.gaussian:
        return pair.modes.spread(best.conjugates.A, best.conjugates.m, q_hat)
    q_hat = min(q_hat, (1.0 - 1e-9) * best.conjugates.Q)  # a trial beyond that is too large by its sign
    xi, weights = weight_grid(pair, best.conjugates.m, q_hat).plain()
    signal = best.conjugates.m / math.sqrt(q_hat) / pair.teacher_scale
    density = pair.teacher.prior.slopes(signal * xi, signal**2)[0] - 0.5 * xi * xi
    weights = weights * np.exp(density) / math.sqrt(2.0 * math.pi)
    noise, noise_weights = _HERMITE
    b = math.sqrt(q_hat) * xi[:, None] + math.sqrt(best.conjugates.Q - q_hat) * noise
    mean = pair.student.prior.slopes(b, best.conjugates.A)[1] @ noise_weights / math.sqrt(2.0 * math.pi)
    return float(weights @ mean**2) - best.m**2


def _classes(pair: Pair, V: float) -> list[tuple[float, float, Psi]]:
    """The classes of labels, how many labels each stands for, and ψ_Y of the student."""
    return [(y, count, channel_psi(pair.student.channel, y, V)) for y, count in pair.label_classes]


def _correlation_slope(
    pair: Pair, m: float, t: float, D: float, V: float, classes: list[tuple[float, float, Psi]]
) -> float:
    """The derivative dK/dt at fixed m, Q and V (see the module's docstring)."""
    if pair.regression:
        return regression.subset_correlation_slope(pair, m, t, V)
    q, r0 = m * m + t, pair.teacher.prior.second_moment
    root = math.sqrt(q)
    eta, weights = stretched_grid(min(math.sqrt(V / q), math.sqrt(t) / m)).normal()
    scale, spread = pair.teacher_scale * m / root, r0 * t / q
    zeta, zeta_weights = _HERMITE[0], _HERMITE[1] / math.sqrt(2.0 * math.pi)
    total = 0.0
    for y, count, known in classes:
        psi, first, second = known.slopes(root * eta[:, None] + math.sqrt(D) * zeta)
        seen, in_mean, in_spread = channel_psi(pair.teacher.channel, y, spread).full(scale * eta)[:3]
        mean = psi @ zeta_weights
        # dt moves √q η by η/2√q and, with D = Q − q, spreads ζ less: −½ψ'' by Stein's lemma
        mean_slope = 0.5 / root * eta * (first @ zeta_weights) - 0.5 * (second @ zeta_weights)
        log_slope = -0.5 * scale / q * eta * in_mean + r0 * m * m / q**2 * in_spread
        total += count * float(np.sum(weights * np.exp(seen) * mean * (mean * log_slope + 2.0 * mean_slope)))
    return total
