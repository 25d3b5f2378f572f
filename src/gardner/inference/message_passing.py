"""Approximate message passing: posterior means and variances, and the Bethe log-volume [donoho2009,
rangan2011].

For rows F with independent entries of variance of order 1/N, one iteration is (μ: labelled rows, i:
weights)

    V_μ = Σ_i F_μi² Δ_i,   ω_μ = Σ_i F_μi x̂_i − V_μ g_μ,   g_μ, −g'_μ = derivatives of ψ_Y(y_μ, ω_μ, V_μ) in ω,
    A_i = Σ_μ F_μi² (−g'_μ),   b_i = A_i x̂_i + Σ_μ F_μi g_μ,   x̂_i, Δ_i = mean and variance under ψ_X(A_i, b_i),

and at the fixed point, where F x̂ − ω = V g,

    ln Z = Σ_i [ψ_X(A_i, b_i) − b_i x̂_i + A_i (x̂_i² + Δ_i)/2] + Σ_μ [ψ_Y(y_μ, ω_μ, V_μ) + V_μ g_μ²/2].

With scalar variances, V_μ = |F_μ|² mean(Δ) and A_i = (1/N) Σ_μ |F_μ|² (−g'_μ): exact for N → ∞ and
needs no F².

:func:`passage` is the readable pass over the rows, for arrays of any library;
:mod:`gardner.inference.kernel` is its fast twin. Everything else is shared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from gardner.errors import InvalidInputError
from gardner.inference.damping import Damper, NextStep
from gardner.inference.emptiness import decided
from gardner.inference.inputs import check_settings, check_training
from gardner.inference.posterior import Posterior, Status
from gardner.inference.trust import judged, neglected_by_amp
from gardner.model import GLM, PERCEPTRON, library_of
from gardner.model.arrays import ArrayObject, Namespace

Variances = Literal["vector", "scalar"]
Twin = Literal["auto", "kernel", "readable"]


@dataclass(frozen=True)
class Passage:
    """What one pass over the rows yields: cavity fields and g of each row, A and Σ_μ F_μi g_μ of
    each weight.
    """

    omega: ArrayObject
    V: ArrayObject
    g: ArrayObject
    precision: ArrayObject
    force: ArrayObject


@dataclass(frozen=True)
class Start:
    """Where to begin: weights' means and variances, and g of each row (0 for a row not seen
    before).
    """

    mean: ArrayObject
    variance: ArrayObject
    g: ArrayObject


def passage(rows: ArrayObject, labels: ArrayObject, start: Start, model: GLM, variances: Variances) -> Passage:
    """One pass over the rows, readable, on any array library."""
    library = library_of(rows)
    xp = library.xp
    squares = rows * rows
    if variances == "scalar":
        squares = xp.broadcast_to(xp.mean(squares, axis=1, keepdims=True), squares.shape)
    V = xp.matmul(squares, start.variance)
    omega = xp.matmul(rows, start.mean) - V * start.g
    g, minus_slope = (xp.asarray(part) for part in model.channel.derivatives(labels, omega, V, library))
    return Passage(omega, V, g, xp.matmul(squares.T, minus_slope), xp.matmul(rows.T, g))


def amp(
    rows: ArrayLike,
    labels: ArrayLike,
    model: GLM = PERCEPTRON,
    *,
    variances: Variances = "vector",
    start: Start | None = None,
    tolerance: float | None = None,
    max_iterations: int = 5000,
    damping: float = 0.0,
    twin: Twin = "auto",
    threads: int | None = None,
    decide_empty: bool = True,
    check_input: bool = True,
) -> Posterior:
    """The posterior by message passing.

    ``tolerance`` bounds the residual, the root mean square change of the means in units of a prior
    weight and of g in units of 1/√V, so it does not depend on N (default 1e-8, in float32 5e-6).
    ``damping`` is where the automatic damping begins. ``twin`` chooses the pass over the rows, by
    default the kernel wherever it can serve: NumPy arrays, any channel of the package.

    AMP is made for rows of independent entries. On others it converges as well, to something else:
    what it leaves out is estimated (:mod:`gardner.inference.trust`), and beyond 3 % of the
    log-evidence the status is DOUBTFUL. ``check_input=False`` saves this and a few passes over rows
    that were checked before, as in a loop that adds to them.

    Where there are several fixed points (a first-order transition, as with weights ±1; the lost
    sign of an absolute value, for which the prior itself is one), the prior and a ``start`` may
    each lead to their own.

    Labels without noise can contradict each other; AMP does not notice. Unless ``decide_empty`` is
    false, the posterior mean is tried as a witness, and where it fails :func:`separate` finds
    another one or proves that there is none.

    >>> from gardner.model import draw_instance
    >>> instance = draw_instance(features=500, pool_ratio=1.0, seed=1)
    >>> posterior = amp(instance.rows, instance.labels)
    >>> posterior.status.value, round(posterior.log_volume, 2)
    ('converged', -0.6)
    """
    F, y = cast("tuple[ArrayObject, ArrayObject]", (rows, labels))
    if check_input:
        F, y = check_training(rows, labels, model)
    library = library_of(F)
    if tolerance is None:
        tolerance = 5e-6 if F.dtype == library.xp.float32 else 1e-8
    check_settings(tolerance, max_iterations, damping)
    run = _passage_of(F, y, model, variances, twin, threads)
    cold = cold_start(F, model)
    damper = Damper(tolerance, damping)
    end = _iterate(run, cold if start is None else _check_start(start, cold), cold, model, damper, max_iterations)
    found, weights = end.found, end.weights
    posterior = Posterior(
        method="amp",
        model=model,
        status=end.status,
        mean=weights.mean,
        variance=weights.variance,
        omega=found.omega,
        V=found.V,
        g=found.g,
        labels=library.xp.asarray(y, copy=True),
        log_evidence=bethe(model, found, weights, y),
        iterations=end.iterations,
        residual=end.residual,
        damping=damper.value,
    )
    if decide_empty and model.channel.noiseless:
        posterior = decided(posterior, F)
    if not (check_input and posterior.converged and F.shape[0]):
        return posterior
    fields = found.omega, found.V, found.precision, weights.variance
    neglected = neglected_by_amp(F, y, model.channel, *fields, scalar=variances == "scalar")
    return judged(posterior, neglected, information=-_of_weights(model, found, weights))


@dataclass(frozen=True)
class Weights:
    """The local fields of the weights, and what the prior makes of them."""

    b: ArrayObject
    mean: ArrayObject
    variance: ArrayObject


@dataclass(frozen=True)
class _End:
    status: Status
    found: Passage
    weights: Weights
    iterations: int
    residual: float


@np.errstate(invalid="ignore", divide="ignore", over="ignore")  # what is not finite shows in the residual
def _iterate(
    run: Callable[[Start], Passage], state: Start, cold: Start, model: GLM, damper: Damper, max_iterations: int
) -> _End:
    library = library_of(cold.mean)
    xp = library.xp
    iterations = 0
    while True:
        found = run(state)
        b = found.precision * state.mean + found.force
        weights = Weights(b, *(xp.asarray(part) for part in model.prior.moments(found.precision, b, library)))
        residual = residual_of(weights, found, state, model)
        iterations += 1
        step = damper.judge(residual)
        if step is NextStep.CONVERGED:
            return _End(Status.CONVERGED, found, weights, iterations, residual)
        if step is NextStep.GIVE_UP:
            return _End(Status.DIVERGED, found, weights, iterations, residual)
        if iterations >= max_iterations:
            return _End(Status.UNCONVERGED, found, weights, iterations, residual)
        if step is NextStep.RESTART:
            state = cold
            continue
        state = _damped(state, weights, found.g, damper.value)


def _damped(state: Start, weights: Weights, g: ArrayObject, keep: float) -> Start:
    if keep == 0.0:
        return Start(weights.mean, weights.variance, g)
    return Start(
        weights.mean + keep * (state.mean - weights.mean),
        weights.variance + keep * (state.variance - weights.variance),
        g,
    )


@np.errstate(invalid="ignore")  # a state that did not converge may have none
def bethe(model: GLM, found: Passage, weights: Weights, labels: ArrayObject) -> float:
    """ln Z at a fixed point, summed in double precision."""
    library = library_of(weights.mean)
    of_rows = model.channel.log_partition(labels, found.omega, found.V, library) + 0.5 * found.V * found.g * found.g
    return _of_weights(model, found, weights) + float(library.xp.sum(of_rows, dtype=library.xp.float64))


def _of_weights(model: GLM, found: Passage, weights: Weights) -> float:
    """The weights' share of ln Z: less the relative entropy of their posteriors and the prior."""
    library = library_of(weights.mean)
    of_weights = (
        model.prior.log_partition(found.precision, weights.b, library)
        - weights.b * weights.mean
        + 0.5 * found.precision * (weights.mean * weights.mean + weights.variance)
    )
    return float(library.xp.sum(of_weights, dtype=library.xp.float64))


def cold_start(rows: ArrayObject, model: GLM) -> Start:
    """The prior, and no row seen."""
    library = library_of(rows)
    xp = library.xp
    zero = xp.zeros_like(rows[0, :]) if rows.shape[0] else xp.zeros((rows.shape[1],), dtype=rows.dtype)
    mean, variance = (xp.asarray(part) for part in model.prior.moments(zero, zero, library))
    return Start(mean, variance, xp.zeros_like(rows[:, 0]))


def warm_start(posterior: Posterior, keep: ArrayLike | None = None, added: int = 0) -> Start:
    """Begin from an earlier posterior: of its rows those in ``keep`` (all by default), then
    ``added`` new ones.

    >>> from gardner.model import draw_instance
    >>> instance = draw_instance(features=300, pool_ratio=1.0, seed=1)
    >>> before = amp(instance.rows[:200], instance.labels[:200])
    >>> after = amp(instance.rows[:210], instance.labels[:210], start=warm_start(before, added=10))
    >>> after.iterations < amp(instance.rows[:210], instance.labels[:210]).iterations
    True
    """
    xp = library_of(posterior.g).xp
    if added < 0:
        raise InvalidInputError("added", added, "it must not be negative")
    if keep is not None:
        keep = xp.asarray(keep)
        if not xp.isdtype(keep.dtype, "integral"):
            raise InvalidInputError("keep", f"dtype {keep.dtype}", "it must hold row indices", hint="nonzero(mask)[0]")
        count = posterior.g.shape[0]
        if keep.shape[0] and not (int(xp.min(keep)) >= 0 and int(xp.max(keep)) < count):
            raise InvalidInputError("keep", "an index", f"the posterior has rows 0 to {count - 1}")
    kept = posterior.g if keep is None else xp.take(posterior.g, keep, axis=0)
    new = xp.zeros((added,), dtype=kept.dtype)
    return Start(posterior.mean, posterior.variance, xp.concat([kept, new]))


def _check_start(start: Start, cold: Start) -> Start:
    xp = library_of(cold.mean).xp
    start = Start(*(xp.asarray(getattr(start, name), dtype=cold.mean.dtype) for name in ("mean", "variance", "g")))
    for name in ("mean", "variance", "g"):
        given, wanted = getattr(start, name), getattr(cold, name)
        if tuple(given.shape) != tuple(wanted.shape):
            raise InvalidInputError(
                f"start.{name}", f"shape {tuple(given.shape)}", f"these rows need shape {tuple(wanted.shape)}",
                hint="warm_start(posterior, keep, added) makes a start for a changed set of rows",
            )  # fmt: skip
    return start


def average(xp: Namespace, vector: ArrayObject) -> float:
    """The mean, summed in the precision of the vector."""
    return float(xp.sum(vector)) / int(vector.shape[0])  # xp.mean takes twice the time


def residual_of(
    weights: Weights,
    found: Passage,
    state: Start,
    model: GLM,
    mean: Callable[[Namespace, ArrayObject], float] = average,
) -> float:
    """By how much an iteration moved from where it began, in units of a prior weight.

    Means alone would not do: where forces cancel they rest while g and the variances still move.
    """
    xp, second_moment = library_of(weights.mean).xp, model.prior.second_moment
    moved = weights.mean - state.mean
    total = mean(xp, moved * moved) / second_moment
    if found.g.shape[0]:
        moved = found.g - state.g
        total += mean(xp, moved * moved * found.V)
    if not model.channel.labels:  # of a symmetric channel, as the absolute value, g may rest at zero from the start
        moved = weights.variance - state.variance
        total += mean(xp, moved * moved) / second_moment**2
    return math.sqrt(total) if math.isfinite(total) else math.inf


def _passage_of(
    rows: ArrayObject, labels: ArrayObject, model: GLM, variances: Variances, twin: Twin, threads: int | None
) -> Callable[[Start], Passage]:
    """The kernel wherever it can serve, unless told otherwise."""
    if variances not in ("vector", "scalar"):
        raise InvalidInputError("variances", variances, "it must be 'vector' or 'scalar'")
    compiled = model.channel.compiled
    able = isinstance(rows, np.ndarray) and compiled is not None and _has_kernel(compiled.name)
    if twin not in ("auto", "kernel", "readable"):
        raise InvalidInputError("twin", twin, "it must be 'auto', 'kernel' or 'readable'")
    if twin == "kernel" and not able:
        raise InvalidInputError("twin", twin, "the kernel needs NumPy rows and a compiled channel", hint="try 'auto'")
    if twin == "readable" or compiled is None or not able:
        return lambda start: passage(rows, labels, start, model, variances)
    from gardner.inference.kernel import Sweeper

    sweeper = Sweeper(np.asarray(rows), np.asarray(labels), compiled, scalar=variances == "scalar", threads=threads)
    return lambda start: Passage(*sweeper(*(np.asarray(part) for part in (start.mean, start.variance, start.g))))


def _has_kernel(channel: str) -> bool:
    """Whether the fast pass is compiled for a channel; imported here: a machine with a GPU may have
    no Numba.
    """
    from gardner.inference.noisy_scalars import CHANNELS

    return channel in CHANNELS
