"""Log-volumes of very many small subsets of one pool, by AMP on all cores.

The same iteration as :mod:`gardner.inference.message_passing`, arranged for problems that fit the
first-level cache: a subset's rows are copied once, transposed, so that every loop runs over rows
and becomes vector instructions, the functions g and −g' included. A test holds the result equal to
the readable version.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gardner.errors import InvalidInputError
from gardner.inference.compiler import kept, specialised
from gardner.inference.inputs import check_settings, check_training
from gardner.inference.noisy_scalars import (
    CHANNELS,
    PRIORS,
    gaussian_moments,
    gaussian_potential,
)
from gardner.inference.scalars import SIGN
from gardner.inference.threads import run_all, thread_count
from gardner.model import GLM, PERCEPTRON, Compiled
from gardner.model.arrays import Floats, Whole

# Rows of a subset are padded to a multiple of this: eight doubles are the widest vector register
# there is.
LANES = 8
# Subsets in a piece of work for a thread: tens of milliseconds, so that threads end together and
# start seldom.
PIECE = 4096
# Damping and number of iterations, tried one after the other. The first serves almost every subset,
# and on the 44 million of docs/reproduction none was left that did not converge.
SCHEDULE = np.array([[0.0, 60.0], [0.3, 150.0], [0.6, 300.0], [0.85, 600.0]])


@dataclass(frozen=True)
class SubsetVolumes:
    """ln v (per weight) of each subset, and whether its iteration converged."""

    log_volume: Floats
    converged: NDArray[np.bool_]
    iterations: NDArray[np.int32]

    @property
    def fraction_converged(self) -> float:
        """Share of the subsets whose value may be used."""
        return float(np.mean(self.converged)) if self.converged.size else 1.0


# a model's own functions, and what is compiled with them, take these places in `_solver`
_derivatives, _log_partition = SIGN.derivatives, SIGN.log_partition
_moments, _potential = gaussian_moments, gaussian_potential


@kept(fast=True)
def _fields(F: Floats, S: Floats, mean: Floats, variance: Floats, g: Floats, omega: Floats, V: Floats) -> None:
    features, rows = F.shape
    for k in range(rows):
        omega[k] = 0.0
        V[k] = 0.0
    for i in range(features):
        x = mean[i]
        d = variance[i]
        for k in range(rows):
            omega[k] += F[i, k] * x
            V[k] += S[i, k] * d
    for k in range(rows):
        omega[k] -= V[k] * g[k]


def _answer(noise: float, y: Floats, omega: Floats, V: Floats, real: Floats, g: Floats, slope: Floats) -> None:
    """New g and −g' of the rows, zero for those of padding."""
    for k in range(y.shape[0]):
        one, two = _derivatives(y[k], omega[k], V[k], noise)
        g[k] = one * real[k]
        slope[k] = two * real[k]


@kept(fast=True)
def _moved(before: Floats, g: Floats, V: Floats, size: int) -> float:
    """Mean square change of g in units of 1/√V; ``before`` becomes g."""
    change = 0.0
    for k in range(g.shape[0]):
        step = g[k] - before[k]
        change += step * step * V[k]  # padding has g = 0 throughout
        before[k] = g[k]
    return float(change / size)


_may_rest = False  # true for real labels, in `_solver`: of a symmetric channel g may rest at zero from the start


def _update(
    shape: float, moment: float, F: Floats, S: Floats, g: Floats, slope: Floats,
    mean: Floats, variance: Floats, A: Floats, b: Floats, keep: float,
) -> float:  # fmt: skip
    """New A, b, means and variances; mean square change of the means, in units of the prior's
    second moment.
    """
    features, rows = F.shape
    change = 0.0
    for i in range(features):
        force = 0.0
        precision = 0.0
        for k in range(rows):
            force += F[i, k] * g[k]
            precision += S[i, k] * slope[k]
        A[i] = precision
        b[i] = precision * mean[i] + force
        new_mean, new_variance = _moments(precision, b[i], shape)
        step = new_mean - mean[i]
        change += step * step
        mean[i] += (1.0 - keep) * step
        step = new_variance - variance[i]
        if _may_rest:
            change += step * step / moment
        variance[i] += (1.0 - keep) * step
    return float(change / (features * moment))


def _bethe(
    shape: float, noise: float, y: Floats, omega: Floats, V: Floats, g: Floats, A: Floats, b: Floats, size: int
) -> float:
    total = 0.0
    for i in range(A.shape[0]):
        total += _potential(A[i], b[i], shape)
    for k in range(size):
        total += _log_partition(y[k], omega[k], V[k], noise) + 0.5 * V[k] * g[k] * g[k]
    return float(total / A.shape[0])


def _solve(
    shape: float, noise: float, moment: float,
    pool: Floats, labels: Floats, subsets: Whole, tolerance: float, schedule: Floats,
    log_volume: Floats, converged: NDArray[np.bool_], iterations: NDArray[np.int32],
) -> None:  # fmt: skip
    count, size = subsets.shape
    features = pool.shape[1]
    padded = size + -size % LANES
    F, S = np.zeros((features, padded)), np.zeros((features, padded))
    mean, variance, A, b = np.empty(features), np.empty(features), np.empty(features), np.empty(features)
    g, slope, omega, V = np.empty(padded), np.empty(padded), np.empty(padded), np.empty(padded)
    y, real, before = np.ones(padded), np.ones(padded), np.empty(padded)
    real[size:] = 0.0  # rows of padding: harmless numbers whose answers are struck out
    S[:, size:] = 1.0
    for s in range(count):
        for k in range(size):
            row = subsets[s, k]
            y[k] = labels[row]
            for i in range(features):
                F[i, k] = pool[row, i]
                S[i, k] = pool[row, i] * pool[row, i]
        iterations[s] = 0
        for attempt in range(schedule.shape[0]):
            mean[:] = 0.0
            variance[:] = moment
            g[:] = 0.0
            before[:] = 0.0
            change = np.inf
            for _ in range(int(schedule[attempt, 1])):
                _fields(F, S, mean, variance, g, omega, V)
                _answer(noise, y, omega, V, real, g, slope)
                change = _moved(before, g, V, size)
                change += _update(shape, moment, F, S, g, slope, mean, variance, A, b, schedule[attempt, 0])
                iterations[s] += 1
                if not change > tolerance * tolerance:
                    break
            converged[s] = change <= tolerance * tolerance
            if converged[s]:
                break
        log_volume[s] = _bethe(shape, noise, y, omega, V, g, A, b, size)


@lru_cache
def _solver(prior: str, channel: str, real: bool) -> Callable[..., None]:
    """``_solve`` for a kind of prior and a kind of channel; their parameters are arguments."""
    name = f"{prior.replace('-', '_')}_{channel}"
    of_weights, of_rows = PRIORS[prior], CHANNELS[channel]
    return specialised(
        _solve,
        name,
        _answer=specialised(_answer, name, fast=True, _derivatives=of_rows.derivatives),
        _update=specialised(_update, name, fast=True, _moments=of_weights.moments, _may_rest=real),
        _bethe=specialised(_bethe, name, _potential=of_weights.potential, _log_partition=of_rows.log_partition),
    )


@kept()
def _shuffle(rng: np.random.Generator, subsets: Whole, deck: Whole) -> None:
    """Partial Fisher–Yates: the first cards of a deck that is never put back in order."""
    count, size = subsets.shape
    for s in range(count):
        for k in range(size):
            other = k + int(rng.random() * (deck.shape[0] - k))
            deck[k], deck[other] = deck[other], deck[k]
            subsets[s, k] = deck[k]


def random_subsets(count: int, pool_size: int, size: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Subsets of row indices, uniform, without repeats inside a subset.

    >>> random_subsets(3, pool_size=10, size=4, rng=np.random.default_rng(0)).tolist()
    [[6, 3, 2, 1], [8, 9, 0, 6], [5, 3, 1, 6]]
    """
    if not isinstance(rng, np.random.Generator):
        raise InvalidInputError(
            "rng", rng, "it must be a numpy.random.Generator", hint="numpy.random.default_rng(seed)"
        )
    if count < 0:
        raise InvalidInputError("count", count, "it must not be negative")
    if not 0 < size <= pool_size:
        raise InvalidInputError("size", size, f"a pool of {pool_size} rows has subsets of 1 to {pool_size} rows")
    subsets = np.empty((count, size), dtype=np.int32)
    _shuffle(rng, subsets, np.arange(pool_size, dtype=np.int32))
    return subsets


def subset_log_volumes(
    rows: ArrayLike,
    labels: ArrayLike,
    subsets: Whole,
    model: GLM = PERCEPTRON,
    *,
    tolerance: float = 1e-7,
    threads: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> SubsetVolumes:
    """Bethe log-volume of each subset of a pool's rows; ``subsets`` holds row indices, one subset a
    line.

    Labels are taken to come from some teacher: whether any weights give those of a subset is not
    decided here.

    >>> from gardner.model import draw_instance
    >>> instance = draw_instance(features=20, pool_ratio=3.0, seed=0)
    >>> subsets = random_subsets(1000, pool_size=60, size=12, rng=np.random.default_rng(0))
    >>> volumes = subset_log_volumes(instance.rows, instance.labels, subsets)
    >>> volumes.fraction_converged
    1.0
    """
    prior, channel = _compiled(model)
    check_settings(tolerance, 1, 0.0)
    pool, y = (np.ascontiguousarray(part, dtype=np.float64) for part in check_training(rows, labels, model))
    subsets = _check_subsets(subsets, pool.shape[0])
    count = subsets.shape[0]
    result = SubsetVolumes(np.empty(count), np.empty(count, dtype=np.bool_), np.zeros(count, dtype=np.int32))
    solve = _solver(prior.name, channel.name, real=not model.channel.labels)
    constants = (prior.parameter, channel.parameter, model.prior.second_moment)

    done: list[int] = []

    def piece(start: int) -> None:
        part = slice(start, start + PIECE)
        solve(
            *constants, pool, y, subsets[part], tolerance, SCHEDULE,
            result.log_volume[part], result.converged[part], result.iterations[part],
        )  # fmt: skip
        done.append(min(PIECE, count - start))
        if progress is not None:
            progress(sum(done) / count)

    run_all(piece, [(start,) for start in range(0, count, PIECE)], thread_count(threads))
    return result


def _compiled(model: GLM) -> tuple[Compiled, Compiled]:
    prior, channel = model.prior.compiled, model.channel.compiled
    if prior is not None and channel is not None and prior.name in PRIORS and channel.name in CHANNELS:
        return prior, channel
    known = (", ".join(register) for register in (PRIORS, CHANNELS))
    raise InvalidInputError(
        "model", model, "batched AMP is compiled for the priors {} and the channels {}".format(*known),
        hint="call amp for one subset after the other",
    )  # fmt: skip


def _check_subsets(given: Any, pool_size: int) -> Whole:
    subsets: Whole = np.ascontiguousarray(given)
    if subsets.ndim != 2 or subsets.dtype.kind not in "iu" or subsets.shape[1] == 0:
        raise InvalidInputError(
            "subsets", f"{subsets.dtype} of shape {subsets.shape}", "it must hold whole numbers, one subset a line"
        )
    if subsets.size and not 0 <= int(subsets.min()) <= int(subsets.max()) < pool_size:
        raise InvalidInputError("subsets", "an index", f"row indices lie between 0 and {pool_size - 1}")
    for start in range(0, subsets.shape[0], 1 << 16):  # in pieces: sorting makes a copy
        if (np.diff(np.sort(subsets[start : start + (1 << 16)], axis=1), axis=1) == 0).any():
            raise InvalidInputError("subsets", "a subset", "no row may be in a subset twice")
    return subsets
