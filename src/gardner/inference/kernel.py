"""The fast twin of AMP's pass over the rows: F is read from memory once an iteration.

While a group of rows is in cache, both dot products are taken, g follows, and both accumulations
are made. For vector variances the accumulations of one group share the loop with the dot products
of the next, so that memory is never idle. Rows are cut into blocks by their shape alone, each with
accumulators of its own that are added up in order: the result does not depend on the number of
threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from gardner.inference.compiler import kept, specialised
from gardner.inference.noisy_scalars import CHANNELS
from gardner.inference.scalars import SIGN
from gardner.inference.threads import run_all, thread_count
from gardner.model import Compiled
from gardner.model.arrays import Floating

# Entries of F in a block, at least: 4 MB of doubles, which take far longer than handing out a
# block.
BLOCK = 1 << 19
# Blocks at most: each has accumulators of its own, and more would spend time on adding them up.
MOST_BLOCKS = 64
# Entries of F below which a second thread costs more than it brings: a pass takes some tens of
# microseconds there, and so does waking a thread.
SMALL = 1 << 17


_derivatives = SIGN.derivatives  # a channel's own, and its answer, take these places in `_compiled`


def _answer(
    first: int,
    last: int,
    parameter: float,
    labels: Floating,
    g: Floating,
    omega: Floating,
    V: Floating,
    slope: Floating,
) -> None:
    """Turn the plain dot products in ω and V into fields, g and −g' of the rows from ``first`` to
    ``last``.
    """
    # The scalar mathematics is always done in double precision. Two loops: with more arrays in one,
    # the compiler would have to rule out too many overlaps of memory and would not vectorise.
    for i in range(first, last):
        omega[i] = np.float64(omega[i]) - np.float64(V[i]) * np.float64(g[i])
    for i in range(first, last):
        g[i], slope[i] = _derivatives(np.float64(labels[i]), np.float64(omega[i]), np.float64(V[i]), parameter)


def _vector_pass(
    parameter: float, rows: Floating, labels: Floating, mean: Floating, variance: Floating,
    g: Floating, omega: Floating, V: Floating, slope: Floating, precision: Floating, force: Floating,
) -> None:  # fmt: skip
    """Vector variances, four rows at a time: eight sums and eight factors fit the registers."""
    count, features = rows.shape
    zero = rows.dtype.type(0)
    precision[:] = zero
    force[:] = zero
    whole = count - count % 4
    p = 0  # the group before
    g0 = g1 = g2 = g3 = h0 = h1 = h2 = h3 = zero
    for i in range(0, whole, 4):
        s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = zero
        for j in range(features):
            x = mean[j]
            d = variance[j]
            a, b, c, e = rows[i, j], rows[i + 1, j], rows[i + 2, j], rows[i + 3, j]
            s0 += a * x
            s1 += b * x
            s2 += c * x
            s3 += e * x
            t0 += a * a * d
            t1 += b * b * d
            t2 += c * c * d
            t3 += e * e * d
            # the group before, still in cache
            a, b, c, e = rows[p, j], rows[p + 1, j], rows[p + 2, j], rows[p + 3, j]
            force[j] += g0 * a + g1 * b + g2 * c + g3 * e
            precision[j] += h0 * a * a + h1 * b * b + h2 * c * c + h3 * e * e
        omega[i], omega[i + 1], omega[i + 2], omega[i + 3] = s0, s1, s2, s3
        V[i], V[i + 1], V[i + 2], V[i + 3] = t0, t1, t2, t3
        _answer(i, i + 4, parameter, labels, g, omega, V, slope)
        g0, g1, g2, g3 = g[i], g[i + 1], g[i + 2], g[i + 3]
        h0, h1, h2, h3 = slope[i], slope[i + 1], slope[i + 2], slope[i + 3]
        p = i
    if whole:
        for j in range(features):
            a, b, c, e = rows[p, j], rows[p + 1, j], rows[p + 2, j], rows[p + 3, j]
            force[j] += g0 * a + g1 * b + g2 * c + g3 * e
            precision[j] += h0 * a * a + h1 * b * b + h2 * c * c + h3 * e * e
    for i in range(whole, count):
        s0 = t0 = zero
        for j in range(features):
            a = rows[i, j]
            s0 += a * mean[j]
            t0 += a * a * variance[j]
        omega[i] = s0
        V[i] = t0
        _answer(i, i + 1, parameter, labels, g, omega, V, slope)
        g0 = g[i]
        h0 = slope[i]
        for j in range(features):
            a = rows[i, j]
            force[j] += g0 * a
            precision[j] += h0 * a * a


def _scalar_pass(
    parameter: float, rows: Floating, labels: Floating, mean: Floating,
    g: Floating, omega: Floating, V: Floating, slope: Floating, force: Floating,
) -> None:  # fmt: skip
    """Scalar variances: products row by row, the stream memory likes best, then eight rows at a
    time from cache.
    """
    count, features = rows.shape
    zero = rows.dtype.type(0)
    force[:] = zero
    whole = count - count % 8
    for i in range(0, whole, 8):
        for k in range(i, i + 8):
            total = zero
            for j in range(features):
                total += rows[k, j] * mean[j]
            omega[k] = total
        _answer(i, i + 8, parameter, labels, g, omega, V, slope)
        g0, g1, g2, g3 = g[i], g[i + 1], g[i + 2], g[i + 3]
        g4, g5, g6, g7 = g[i + 4], g[i + 5], g[i + 6], g[i + 7]
        for j in range(features):
            force[j] += (
                g0 * rows[i, j]
                + g1 * rows[i + 1, j]
                + g2 * rows[i + 2, j]
                + g3 * rows[i + 3, j]
                + g4 * rows[i + 4, j]
                + g5 * rows[i + 5, j]
                + g6 * rows[i + 6, j]
                + g7 * rows[i + 7, j]
            )
    for i in range(whole, count):
        total = zero
        for j in range(features):
            total += rows[i, j] * mean[j]
        omega[i] = total
        _answer(i, i + 1, parameter, labels, g, omega, V, slope)
        g0 = g[i]
        for j in range(features):
            force[j] += g0 * rows[i, j]


@lru_cache
def _compiled(name: str) -> tuple[Callable[..., None], Callable[..., None]]:
    """The two passes over a block of rows for one channel: with vector and with scalar variances."""
    answer = specialised(_answer, name, fast=True, _derivatives=CHANNELS[name].derivatives)
    vector = specialised(_vector_pass, name, fast=True, _answer=answer)
    return vector, specialised(_scalar_pass, name, fast=True, _answer=answer)


@kept(fast=True)
def _squared_norms(rows: Floating, norms: Floating) -> None:
    count, features = rows.shape
    for i in range(count):
        total = rows.dtype.type(0)
        for j in range(features):
            total += rows[i, j] * rows[i, j]
        norms[i] = total


@kept(fast=True)
def _fields(rows: Floating, mean: Floating, variance: Floating, omega: Floating, V: Floating) -> None:
    count, features = rows.shape
    for i in range(count):
        s = t = rows.dtype.type(0)
        for j in range(features):
            a = rows[i, j]
            s += a * mean[j]
            t += a * a * variance[j]
        omega[i] = s
        V[i] = t


def pool_fields(
    rows: Floating, mean: Floating, variance: Floating, threads: int | None = None
) -> tuple[Floating, Floating]:
    """F x̂ and F² Δ of every row, in one pass and without F²."""
    rows = np.ascontiguousarray(rows)
    mean, variance = (np.ascontiguousarray(part, dtype=rows.dtype) for part in (mean, variance))
    omega, V = (np.empty(rows.shape[0], rows.dtype) for _ in range(2))
    tasks = [(rows[a:b], mean, variance, omega[a:b], V[a:b]) for a, b in block_bounds(*rows.shape)]
    wanted = thread_count(threads)
    run_all(_fields, tasks, 1 if rows.size < SMALL else wanted)
    return omega, V


def block_bounds(count: int, features: int) -> list[tuple[int, int]]:
    """First and last row of each block: a function of the shape alone."""
    size = max(BLOCK // max(features, 1), -(-count // MOST_BLOCKS), 1)
    size += -size % 8
    return [(start, min(start + size, count)) for start in range(0, count, size)]


class Sweeper:
    """Passes over one set of rows. ω and V returned are its own buffers, overwritten by the next
    call.
    """

    def __init__(
        self, rows: Floating, labels: Floating, channel: Compiled, *, scalar: bool, threads: int | None = None
    ) -> None:
        """Prepare buffers and tasks (and, for scalar variances, the rows' squared norms, in one
        pass).
        """
        rows, labels = np.ascontiguousarray(rows), np.ascontiguousarray(labels)
        count, features = rows.shape
        bounds = block_bounds(count, features)
        wanted = thread_count(threads)
        self.scalar, self.threads = scalar, 1 if rows.size < SMALL else wanted
        self.mean, self.variance = (np.empty(features, rows.dtype) for _ in range(2))
        self.g, self.omega, self.V, self.slope = (np.empty(count, rows.dtype) for _ in range(4))
        self.precision, self.force = (np.empty((len(bounds), features), rows.dtype) for _ in range(2))
        vector_pass, scalar_pass = _compiled(channel.name)
        self.function = scalar_pass if scalar else vector_pass
        weights = (self.mean,) if scalar else (self.mean, self.variance)
        sums = (self.force,) if scalar else (self.precision, self.force)
        self.tasks = [
            (
                channel.parameter, rows[a:b], labels[a:b], *weights,
                self.g[a:b], self.omega[a:b], self.V[a:b], self.slope[a:b], *(part[k] for part in sums),
            )
            for k, (a, b) in enumerate(bounds)
        ]  # fmt: skip
        self.norms = np.empty(count if scalar else 0, rows.dtype)
        if scalar:
            run_all(_squared_norms, [(rows[a:b], self.norms[a:b]) for a, b in bounds], self.threads)

    def __call__(
        self, mean: Floating, variance: Floating, g: Floating
    ) -> tuple[Floating, Floating, Floating, Floating, Floating]:
        """ω, V, g of the rows; A and Σ_μ F_μi g_μ of the weights."""
        self.mean[:], self.g[:] = mean, g
        if self.scalar:
            np.multiply(self.norms, variance.mean(dtype=self.norms.dtype), out=self.V)
        else:
            self.variance[:] = variance
        run_all(self.function, self.tasks, self.threads)
        if self.scalar:
            precision = np.full_like(self.mean, np.dot(self.norms, self.slope) / self.mean.size)
        else:
            precision = self.precision.sum(axis=0)
        # g is compared with the one before, so it must not be the buffer that the next call
        # overwrites
        return self.omega, self.V, self.g.copy(), precision, self.force.sum(axis=0)
