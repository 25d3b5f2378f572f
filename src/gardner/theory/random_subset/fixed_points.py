"""Fixed points of state evolution: all stable ones, since first-order transitions have two
[barbier2019].

A matched pair has one overlap Q, carried as logit(Q/r⁰): the whole range is scanned for sign
changes of (what the weights answer) − (what was put in), from the *uninformed* end Q = 0 to the
*informed* end Q = r⁰, both ends included (discrete weights and noiseless labels are learned
perfectly at a finite budget). A mismatched pair is iterated from an uninformed and from an informed
start and polished by Newton.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from gardner.errors import ConvergenceError
from gardner.theory.formula import regression
from gardner.theory.formula.logistic import sigmoid
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.taylor import Floats
from gardner.theory.random_subset.state_evolution import (
    CERTAIN,
    NothingLeftError,
    WeightConjugates,
    label_energy,
    label_sums,
    weight_entropy,
    weight_moments,
)
from gardner.theory.roots import root_between

# Where the scan of logit(Q/r⁰) starts: an overlap of 10⁻⁷, as good as nothing learned.
_LOWEST = -16.0
# Where it ends: 1 − Q/r⁰ = 10⁻¹⁴, as good as all.
_HIGHEST = 32.0
# The logit that stands for nothing and for everything: e^−60 is far below rounding.
_LIMIT = 60.0
# Places of the scan, half a unit of the logit apart; two fixed points closer than that would both
# be missed.
_SCAN = 97
# The logits between which the one fixed point lies, where there is but one: budgets from 10⁻⁹ to
# 10⁷ stay inside.
_RANGE = (-45.0, 40.0)
# r⁰Q̂ below which labels tell nothing that double precision could show.
_LEAST = 1e-20
# Rounds of damped iteration before Newton takes over.
_SWEEPS = 400
# The share of the old overlaps that a round keeps.
_DAMPING = 0.3
# The change of logarithms at which Newton takes over: it doubles the digits from there.
_CLOSE = 1e-4
# The mismatch of logarithms that Newton is asked for.
_TOLERANCE = 1e-13
# The mismatch of logarithms at which a fixed point counts as found: ln v is stationary there, and
# off by its square.
_ACCEPTABLE = 1e-8
# Two starts that end this close, in logarithms, found one fixed point.
_SAME = 1e-6


class FixedPoint(NamedTuple):
    """A random subset: overlaps (m in units of √r⁰, S = Q − m², V = r − Q), conjugates, log-volume,
    and their proof.
    """

    name: str
    m: float
    S: float
    V: float
    conjugates: WeightConjugates
    log_volume: float
    residual: float
    quadrature_error: float


@functools.lru_cache(maxsize=256)
def fixed_points(pair: Pair, budget: float) -> tuple[FixedPoint, ...]:
    """Stable fixed points, the one of the largest free entropy first."""
    found = _matched(pair, budget) if pair.matched else _mismatched(pair, budget)
    return tuple(sorted(found, key=lambda point: -point.log_volume))


def _energy(pair: Pair, logit: float, bisect: bool = False) -> tuple[float, float]:
    """Return e(Q) = Σ_y ∫Dη e^ψ ψ and its slope in the logit.

    It is minus the entropy of a label given the field of overlap Q.

    By the heat equation the slope is de/dQ = ½ Σ_y ∫Dη e^ψ g², of positive terms.
    """
    r0 = pair.teacher.prior.second_moment
    Q, V = r0 * sigmoid(logit), r0 * sigmoid(-logit)
    if regression.is_linear(pair):
        value, slopes = regression.linear_energy(pair, Q / pair.teacher_scale, Q * V / r0, V)
        direction = np.array([1.0 / pair.teacher_scale, 1.0 - 2.0 * Q / r0, -1.0])
        return value, float(slopes @ direction) * Q * V / r0
    value = slope = 0.0
    # the label turns certain on the scale √(V/Q)
    for y, eta, weights in label_sums(pair, math.sqrt(Q), V, math.exp(-0.5 * logit), bisect):
        channel, omega = pair.student.channel, math.sqrt(Q) * eta
        psi = np.asarray(channel.log_partition(y, omega, V))
        seen = weights * np.exp(psi)
        value += float(np.sum(seen * psi))
        slope += 0.5 * float(np.sum(seen * np.asarray(channel.derivatives(y, omega, V)[0]) ** 2))
    return value, slope * Q * V / r0


def _Q_hat(pair: Pair, budget: float, logit: float, slope: float) -> float:
    """Q̂ = 2n de/dQ.

    It is kept within what double precision can tell apart: no smaller than ``_LEAST``/r⁰ and, for
    weights of known size, no larger than ``CERTAIN``/r⁰. A fixed point at the lower limit is
    refused by :func:`_at`; the upper limit stands for weights that are known.
    """
    r0 = pair.teacher.prior.second_moment
    Q_hat = max(2.0 * budget * slope / (r0 * sigmoid(logit) * sigmoid(-logit)), _LEAST / r0)
    return min(Q_hat, CERTAIN / r0) if pair.fixed_norm else Q_hat


def _mismatch(pair: Pair, budget: float, logit: float) -> float:
    """What the weights answer less what was put in, as logits."""
    slope = _energy(pair, logit)[1]
    if pair.gaussian:
        return pair.modes.odds(_Q_hat(pair, budget, logit, slope)) - logit
    conjugates = _matched_conjugates(pair, _Q_hat(pair, budget, logit, slope))
    moments = weight_moments(pair, conjugates)
    return math.log(moments.Q) - math.log(max(moments.V, 1e-300)) - logit


def _matched_conjugates(pair: Pair, Q_hat: float) -> WeightConjugates:
    return WeightConjugates(pair.teacher_scale * Q_hat, Q_hat, Q_hat)


def _matched(pair: Pair, budget: float) -> list[FixedPoint]:
    if pair.gaussian and not pair.regression and not pair.even:  # one fixed point only
        logit = root_between(lambda x: _mismatch(pair, budget, x), *_RANGE, what="overlap with the teacher")
        return [_at(pair, budget, logit, "unique")]
    places = np.linspace(_LOWEST, _HIGHEST, _SCAN)
    values = np.array([_mismatch(pair, budget, x) for x in places])
    found = []
    if values[0] < 0.0:
        found.append((-_LIMIT, _nothing(pair, budget)))
    for left, right, here, there in zip(places, places[1:], values, values[1:], strict=False):
        if here > 0.0 >= there:
            x = root_between(lambda x: _mismatch(pair, budget, x), left, right, what="overlap with the teacher")
            found.append((x, _at(pair, budget, x, "")))
    if values[-1] > 0.0:
        found.append((_LIMIT, _everything(pair, budget)))
    names = ["unique"] if len(found) == 1 else ["uninformed", *["metastable"] * (len(found) - 2), "informed"]
    return [point._replace(name=name) for name, (_, point) in zip(names, found, strict=True)]


def _at(pair: Pair, budget: float, logit: float, name: str) -> FixedPoint:
    """The fixed point at a root of the mismatch."""
    r0 = pair.teacher.prior.second_moment
    Q, V = r0 * sigmoid(logit), r0 * sigmoid(-logit)
    (coarse, slope), (fine, _) = (_energy(pair, logit, bisect) for bisect in (False, True))
    Q_hat = _Q_hat(pair, budget, logit, slope)
    if r0 * Q_hat <= _LEAST:
        raise ConvergenceError(
            "such labels tell less about the weights than double precision can tell from nothing",
            hint="use less noise, or a larger budget",
        )
    conjugates = _matched_conjugates(pair, Q_hat)
    error = budget * abs(fine - coarse)
    if pair.gaussian:
        weights = pair.modes.matched_entropy(Q_hat, V)
    else:
        once, twice = (weight_moments(pair, conjugates, bisect) for bisect in (False, True))
        weights, error = once.value - 0.5 * Q * conjugates.Q, error + abs(twice.value - once.value) + once.rounding
    residual = abs(_mismatch(pair, budget, logit))
    volume = weights + budget * coarse
    return FixedPoint(name, Q / pair.teacher_scale, Q * V / r0, V, conjugates, volume, residual, error)


def _nothing(pair: Pair, budget: float) -> FixedPoint:
    """Q = 0: no label tells a sign (an even channel below its threshold)."""
    energy = _energy(pair, -_LIMIT)[0]
    r0 = pair.teacher.prior.second_moment
    return FixedPoint("", 0.0, 0.0, r0, WeightConjugates(0.0, 0.0, 0.0), budget * energy, 0.0, 0.0)


def _everything(pair: Pair, budget: float) -> FixedPoint:
    """Q = r⁰: the weights are known; ∫Dξ Z⁰_X ψ_X − ½r⁰Q̂ tends to minus their entropy."""
    if not math.isfinite(weight_entropy(pair)):
        raise ConvergenceError(
            "such labels tell the weights to more digits than double precision holds",
            hint="use a prior or a channel with less extreme parameters, or a smaller budget",
        )
    conjugates = _matched_conjugates(pair, CERTAIN / pair.teacher.prior.second_moment)
    r0 = pair.teacher.prior.second_moment
    weights = weight_moments(pair, conjugates).value - 0.5 * r0 * conjugates.Q
    sure = WeightConjugates(math.inf, math.inf, math.inf)
    return FixedPoint("", pair.teacher_scale, 0.0, 0.0, sure, weights + budget * _energy(pair, _LIMIT)[0], 0.0, 0.0)


def _sweep(pair: Pair, budget: float, logs: Floats) -> Floats:
    """One round of state evolution in (ln m, ln S, ln V)."""
    m, S, V = (float(x) for x in np.exp(logs))
    conjugates, _ = label_energy(pair, m, S, V).conjugates(budget, m)
    answer = weight_moments(pair, conjugates)
    return np.log(np.maximum([answer.m, answer.S, answer.V], 1e-300))


def _mismatched(pair: Pair, budget: float) -> list[FixedPoint]:
    r, r0 = pair.student.prior.second_moment, pair.teacher.prior.second_moment
    starts = {"uninformed": [0.1 * math.sqrt(r), 0.1 * r, r], "informed": [0.99 * math.sqrt(r0), 0.01 * r0, 0.01 * r]}
    found: list[FixedPoint] = []
    failure, hint = "", ""
    for name, start in starts.items():
        try:
            point = _iterate(pair, budget, np.log(start), name)
        except ConvergenceError as error:
            failure, hint = error.what, error.hint
            continue
        if not found or np.abs(np.log(point[1:4]) - np.log(found[0][1:4])).max() > _SAME:
            found.append(point)
    if not found:
        raise ConvergenceError(f"state evolution of the mismatched pair found no fixed point ({failure})", hint=hint)
    return [found[0]._replace(name="unique")] if len(found) == 1 else found


def _iterate(pair: Pair, budget: float, logs: Floats, name: str) -> FixedPoint:
    """Damped iteration, then Newton; a start that ends nowhere says so."""
    for _ in range(_SWEEPS):
        change = _sweep(pair, budget, logs) - logs
        if not np.all(np.isfinite(change)):
            raise ConvergenceError(f"state evolution left its domain from the {name} start")
        logs = logs + (1.0 - _DAMPING) * np.clip(change, -2.0, 2.0)
        if np.abs(change).max() < _CLOSE:
            break

    def change_at(x: Floats) -> Floats:
        return _sweep(pair, budget, x) - x

    from scipy.optimize import root  # here: the rest of the theory starts without it

    answer = root(change_at, logs, tol=_TOLERANCE)
    residual = float(np.abs(_sweep(pair, budget, answer.x) - answer.x).max())
    if not residual < _ACCEPTABLE and change[2] < 0.0 and pair.student.channel.noiseless:
        raise NothingLeftError  # the volume shrinks on and on
    if not residual < _ACCEPTABLE:
        raise ConvergenceError(f"state evolution does not converge from the {name} start (residual {residual:.1e})")
    m, S, V = (float(x) for x in np.exp(answer.x))
    volumes, rounding = [], 0.0
    for bisect in (False, True):
        energy = label_energy(pair, m, S, V, bisect)
        conjugates, r_hat = energy.conjugates(budget, m)
        Q = m * m + S
        coupling = 0.5 * (Q + V) * r_hat - m * conjugates.m + 0.5 * Q * conjugates.Q
        weights = weight_moments(pair, conjugates, bisect)
        volumes.append(coupling + weights.value + budget * energy.value)
        rounding = max(rounding, weights.rounding)
    return FixedPoint(name, m, S, V, conjugates, volumes[0], residual, abs(volumes[1] - volumes[0]) + rounding)
