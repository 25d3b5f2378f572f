"""The log-volume by counting bounces: no approximation, and an error bar that says how far to
believe it.

The version space {x : f_μ·x ≥ 0 for all μ}, f_μ = y_μ F_μ/|F_μ|, is the innermost of the domains {x
: f_μ·x ≥ −c}. Their Gaussian volume Z(c) grows from what is wanted at c = 0 to 1, at the rate at
which the walls sweep up mass,

    d ln Z/dc = Σ_μ (density of the cut Gaussian on wall μ) = √(2π) · (bounces per unit time)

in the billiard of :mod:`gardner.inference.billiard`: the speed v normal to a wall is Gaussian and
E[max(v, 0)] is 1/√(2π). So bounces are counted on a ladder of offsets and integrated
[kirkwood1935],

    ln Z = ln Z(c_max) − √(2π) ∫₀^{c_max} (bounces per unit time at c) dc,   ln Z(c_max) ≈ −M Φ(−c_max).

The estimate is linear in the counts, hence free of bias as far as the quadrature goes. A thin cone
of slacks ~ δ has an integrand ~ N/(c + δ) up to c ~ 1 and a Gaussian tail beyond; in s with c =
ln((1 + eˢ)/(1 + δ)), logarithmic first and linear later, both are smooth, and the rule of Clenshaw
and Curtis [clenshaw1960] converges exponentially. Every second rung makes a rule of half the order
from the same counts: where that is off by ε|ln Z|, the full one is by ~ ε²|ln Z|.

Rows that lie in one plane need none of this: see :mod:`gardner.inference.wedge`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.inference.billiard import (
    CHAINS,
    Bounces,
    Counts,
    OutOfTimeError,
    Seed,
    Walkers,
    Walls,
    check_seed,
    generators,
)
from gardner.inference.inputs import check_training, deviations
from gardner.inference.ladder import TOP, Ladder
from gardner.inference.posterior import Posterior, Status
from gardner.inference.separable import TIME_LIMIT as SEPARATION_LIMIT
from gardner.inference.separable import VersionSpace, separate
from gardner.inference.wedge import Wedge
from gardner.model import GLM, PERCEPTRON
from gardner.model.arrays import Floats

Progress = Callable[[float], None]

# Bounces before a measurement ends with the error it has: about a minute of one core for 200 rows.
MOST_BOUNCES = 100_000_000
# Seconds before a measurement ends with the error it has.
TIME_LIMIT = 60.0
# Trajectories a chain to measure with, even on a rung that hardly matters: one has no spread.
_LEAST = 2
# The share of the wanted standard error left to chance; the quadrature may have √(1 − 0.9²) = 0.44
# of it.
_AIM = 0.9
# Parts of a round, so that progress can be told.
_SLICES = 8


@dataclass(frozen=True)
class Estimate:
    """ln Z, its standard error by chance and the likely error of the quadrature."""

    log_evidence: float
    chance: float
    quadrature: float


def _estimate(ladder: Ladder, bounces: Bounces) -> Estimate:
    """Integrate the counts; of two standard errors, chain by chain and rung by rung, the larger
    counts.

    The first sees correlations between the rungs of a chain, the second has more degrees of
    freedom; both see those between the trajectories of a chain. And no count is known better than
    to one bounce, even if none was seen.
    """
    by_rung = bounces.sums / bounces.trajectories[:, None]
    by_chain = ladder.weights @ by_rung
    total = float(np.mean(by_chain))
    seen = CHAINS * bounces.trajectories
    spread = np.maximum(np.var(by_rung, axis=1, ddof=1) / CHAINS, _least_variance(ladder, seen) / seen)
    variance = max(float(np.var(by_chain, ddof=1)) / CHAINS, float(ladder.weights**2 @ spread))
    halved = float((ladder.weights - ladder.coarse) @ bounces.mean)
    return Estimate(-TOP - total, math.sqrt(variance), halved * halved / total)


def _least_variance(ladder: Ladder, seen: Counts) -> Floats:
    """Of bounces a trajectory: one bounce in all those seen, or less where it is known to be less."""
    return np.minimum(1.0 / seen, ladder.faintest)


def _plan(ladder: Ladder, pilot: Bounces, features: int, chance: float) -> Counts:
    """Trajectories a chain on each rung that give the wanted standard error at the least cost
    [neyman1934].
    """
    variance = np.maximum(pilot.variance, _least_variance(ladder, CHAINS * pilot.trajectories))
    cost = pilot.mean + 0.4 * features + 1.0  # fields anew at the start of a trajectory: 2N products with columns
    wish = ladder.weights * np.sqrt(variance / cost)
    scale = float(ladder.weights @ np.sqrt(variance * cost)) / (CHAINS * chance**2)
    return np.asarray(np.ceil(scale * wish), dtype=np.int64)


def _integrate(walkers: Walkers, chance: float, most_bounces: int, report: Progress) -> Estimate:
    """Round after round until chance is tamed or the bounces are spent.

    Counts that decided how long to measure are not part of the result, save that a round which did
    not suffice is added to: it stops by the spread of the chains, not by their mean. Where the time
    is spent, what is counted must do.
    """
    ladder = Ladder.of(walkers.thinnest_slack(), walkers.walls.rows.shape[0])
    report(0.1)
    pilot = walkers.climb(ladder.offsets)
    more, to_do = _plan(ladder, pilot, walkers.places.shape[2], chance), 0.7
    nothing = np.zeros_like(pilot.sums)
    bounces = Bounces(np.zeros_like(pilot.trajectories), nothing, nothing)
    while True:
        left = (most_bounces - walkers.bounces) / max(CHAINS * float(more @ pilot.mean), 1.0)
        more = np.maximum((min(max(left, 0.0), 1.0) * more).astype(np.int64), _LEAST)
        try:
            for part in range(_SLICES):
                report(1.0 - to_do)
                bounces += walkers.visit(ladder.offsets, more * (part + 1) // _SLICES - more * part // _SLICES)
                to_do *= 1.0 - 1.0 / (_SLICES + 1 - part)
        except OutOfTimeError:  # the first look has counts on every rung
            return _estimate(ladder, bounces if np.all(bounces.trajectories > 0) else pilot)
        estimate = _estimate(ladder, bounces)
        if estimate.chance <= chance or walkers.bounces >= most_bounces:
            return estimate
        lacking = 1.1 * (estimate.chance / chance) ** 2 - 1.0
        more = np.ceil(lacking * bounces.trajectories).astype(np.int64)


def monte_carlo(
    rows: ArrayLike, labels: ArrayLike, model: GLM = PERCEPTRON, *, stderr: float = 0.002, seed: Seed = 0,
    samples: int = 200, guess: ArrayLike | None = None, threads: int | None = None, most_bounces: int = MOST_BOUNCES,
    time_limit: float = TIME_LIMIT, progress: Progress | None = None,
) -> Posterior:  # fmt: skip
    """ln Z of a perceptron to a wanted standard error (of ln v = ln Z/N), and samples of its
    version space.

    ``guess`` may name weights that are likely to satisfy all labels. Beyond ``most_bounces`` no
    more is measured than the least, and after ``time_limit`` seconds nothing more: the status is
    then UNCONVERGED and ``stderr`` is the error that was reached. The same seed gives the same
    bytes whatever the number of threads, unless the time limit is hit; then samples may also
    repeat, and where not even a first look was possible ``log_evidence`` is NaN.

    Mean and variance are those of the samples. Cavities are not to be had from samples: ``omega``
    and ``V`` are mean and variance of the rows' fields with all labels in, and ``g`` is zero. Where
    it is not known whether any weights give the labels (UNDECIDED), or the cone is too thin for
    billiards (UNCONVERGED), ``log_evidence`` is NaN, its standard error infinite and the moments
    are the prior's.

    >>> posterior = monte_carlo(np.eye(20), np.ones(20))
    >>> abs(posterior.log_volume + math.log(2.0)) < 4 * posterior.stderr < 0.008
    True
    """
    if not 1e-7 <= stderr < math.inf:
        raise InvalidInputError(
            "stderr", stderr, "it must be at least 1e-7", hint="0.002 takes seconds, 0.0001 minutes"
        )
    if samples < 2:
        raise InvalidInputError("samples", samples, "it must be at least 2", hint="mean and variance come from them")
    deadline = _deadline(time_limit)
    rows, labels, walls = _training(rows, labels, model)
    prior = _prior(rows, labels, model)
    if labels.size == 0:
        points = np.random.default_rng(check_seed(seed)).standard_normal((samples, rows.shape[1]))
        return replace(prior, samples=points * deviations(model))
    separation = separate(walls, np.ones_like(labels), _standard(guess, model), min(time_limit, SEPARATION_LIMIT))
    if separation.verdict is VersionSpace.EMPTY:
        return prior.emptied()
    unknown = replace(prior, log_evidence=math.nan, residual=math.inf, stderr=math.inf)
    if separation.witness is None:
        return replace(unknown, status=Status.UNDECIDED)
    report = progress or (lambda _: None)
    try:
        found = _measure(
            walls, separation.witness, samples, _Effort(seed, stderr, threads, most_bounces, deadline), report
        )
    except ConvergenceError:
        return replace(unknown, status=Status.UNCONVERGED)
    report(1.0)
    error = math.hypot(found.estimate.chance, found.estimate.quadrature) / rows.shape[1]
    status = Status.CONVERGED if error <= stderr and found.whole else Status.UNCONVERGED
    fields, points = found.points @ rows.T, found.points * deviations(model)
    return replace(
        prior, status=status, log_evidence=found.estimate.log_evidence, mean=np.mean(points, axis=0),
        variance=np.var(points, axis=0), omega=np.mean(fields, axis=0), V=np.var(fields, axis=0),
        iterations=found.trajectories, residual=error, stderr=error, samples=points,
    )  # fmt: skip


@dataclass(frozen=True)
class _Found:
    """An estimate, points of the version space, and whether there was time for all that was asked."""

    estimate: Estimate
    points: Floats
    trajectories: int
    whole: bool


@dataclass(frozen=True)
class _Effort:
    """How well to measure, and how long at most."""

    seed: Seed
    stderr: float
    threads: int | None
    most_bounces: int
    deadline: float


def _measure(walls: Floats, witness: Floats, samples: int, effort: _Effort, report: Progress) -> _Found:
    """In closed form where the rows lie in a plane, else by billiards."""
    wedge = Wedge.of(walls, witness)
    if wedge is not None:
        points = wedge.draw(samples, generators(effort.seed, 1)[0])
        return _Found(Estimate(wedge.log_evidence, wedge.error, 0.0), points, 0, whole=True)
    walkers = Walkers(Walls.of(walls), witness, effort.seed, effort.threads, effort.deadline)
    estimate = _integrate(walkers, _AIM * effort.stderr * walls.shape[1], effort.most_bounces, report)
    try:
        points = walkers.draw(samples)
    except OutOfTimeError:  # where the chains are, again and again
        points = np.resize(walkers.places[0], (samples, walls.shape[1]))
    return _Found(estimate, points, walkers.trajectories, not walkers.stopped)


def sample_version_space(
    rows: ArrayLike, labels: ArrayLike, count: int, seed: Seed, model: GLM = PERCEPTRON, *,
    guess: ArrayLike | None = None, threads: int | None = None, time_limit: float = TIME_LIMIT,
) -> Floats:  # fmt: skip
    """Weights that give all labels, drawn from the posterior: an array (count, N) of nearly
    independent draws.

    What takes longer than ``time_limit`` seconds is a :class:`gardner.errors.ConvergenceError`.

    >>> points = sample_version_space(np.array([[1.0, 1.0]]), [-1.0], 50, seed=0)
    >>> points.shape, float(points.sum(axis=1).max()) < 0.0
    ((50, 2), True)
    """
    if count < 1:
        raise InvalidInputError("count", count, "it must be at least 1")
    deadline = _deadline(time_limit)
    rows, labels, walls = _training(rows, labels, model)
    if labels.size == 0:
        return np.random.default_rng(check_seed(seed)).standard_normal((count, rows.shape[1])) * deviations(model)
    separation = separate(walls, np.ones_like(labels), _standard(guess, model), min(time_limit, SEPARATION_LIMIT))
    if separation.witness is None:
        what = (
            "no weights give"
            if separation.verdict is VersionSpace.EMPTY
            else "it is not known whether any weights give"
        )
        raise ConvergenceError(f"{what} these labels, so there is nothing to sample", hint="drop contradicting rows")
    wedge = Wedge.of(walls, separation.witness)
    if wedge is not None:
        return wedge.draw(count, generators(seed, 1)[0]) * deviations(model)
    walkers = Walkers(Walls.of(walls), separation.witness, seed, threads, deadline)
    return walkers.draw(count) * deviations(model)


def _deadline(time_limit: float) -> float:
    """When to stop, by ``time.monotonic()``."""
    if not time_limit > 0.0:
        raise InvalidInputError("time_limit", time_limit, "it must be positive", hint="seconds; math.inf for none")
    return time.monotonic() + time_limit


def _training(rows: ArrayLike, labels: ArrayLike, model: GLM) -> tuple[Floats, Floats, Floats]:
    """Rows in units in which weights are standard normal, labels, and the walls f_μ = y_μ F_μ/|F_μ|
    they make.
    """
    if not (model.prior.gaussian and model.channel.noiseless):
        raise InvalidInputError(
            "model", model, "Monte Carlo knows normal weights with the sign channel only", hint="try method='ep'"
        )
    rows, labels = (np.asarray(array, dtype=np.float64) for array in check_training(rows, labels, model))
    rows = rows * deviations(model)
    # first by the largest entry: squares of entries neither overflow nor vanish
    walls = labels[:, None] * (rows / np.max(np.abs(rows), axis=1, keepdims=True))
    return rows, labels, walls / np.linalg.norm(walls, axis=1, keepdims=True)


def _standard(guess: ArrayLike | None, model: GLM) -> Floats | None:
    """A guess in the units in which weights are standard normal."""
    if guess is None:
        return None
    weights, scale = np.asarray(guess, dtype=np.float64), deviations(model)
    return np.divide(weights, scale, out=np.zeros_like(weights), where=scale > 0.0)


def _prior(rows: Floats, labels: Floats, model: GLM) -> Posterior:
    """What is known before any label is looked at."""
    features, fields = rows.shape[1], np.zeros(labels.size)
    variance = np.broadcast_to(model.prior.second_moments, (features,)).copy()
    return Posterior(
        method="mc", model=model, status=Status.CONVERGED, mean=np.zeros(features), variance=variance,
        omega=fields, V=np.sum(rows * rows, axis=1), g=fields.copy(), labels=labels.copy(),
        log_evidence=0.0, iterations=0, residual=0.0, stderr=0.0,
    )  # fmt: skip
