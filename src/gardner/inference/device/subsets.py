"""Log-volumes of very many small subsets of one pool, many at a time, on any array library.

The iteration of :mod:`gardner.inference.message_passing` with vector variances, for a whole stack
of subsets: their rows are an array (subsets × rows × weights). :mod:`gardner.inference.batched`
does the same on the cores of a CPU, one subset after the other, and a kernel on a GPU.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gardner.errors import InvalidInputError
from gardner.inference.device import fused
from gardner.inference.inputs import check_settings
from gardner.model import GLM, PERCEPTRON, Library, library_of
from gardner.model.arrays import ArrayObject

# Entries of the rows of a stack: 64 MB in single precision, of which a step reads and writes a
# dozen times as much.
STACK = 1 << 24
# Damping and number of iterations, tried one after the other on what is left.
SCHEDULE = ((0.0, 64), (0.3, 152), (0.6, 304), (0.85, 600))
# Iterations between two looks at what has come to rest: a look waits for the device.
_LOOK = 8


@dataclass(frozen=True, eq=False)
class StackedVolumes:
    """ln v (per weight) of each subset, and whether its iteration converged."""

    log_volume: ArrayObject
    converged: ArrayObject


def stacked_log_volumes(
    rows: ArrayObject,
    labels: ArrayObject,
    subsets: ArrayObject,
    model: GLM = PERCEPTRON,
    *,
    tolerance: float | None = None,
    stack: int = STACK,
) -> StackedVolumes:
    """Bethe log-volume of each subset of a pool's rows; ``subsets`` holds row indices, one subset a
    line.

    Everything happens in the library, the precision and on the device of ``rows``. ``tolerance`` is
    10⁻⁷ in double and 10⁻⁵ in single precision unless given.

    >>> import gardner, numpy as np
    >>> from gardner.inference import random_subsets
    >>> problem = gardner.draw_instance(features=20, pool_ratio=3.0, seed=0)
    >>> chosen = random_subsets(1000, pool_size=60, size=12, rng=np.random.default_rng(0))
    >>> bool(stacked_log_volumes(problem.rows, problem.labels, chosen).converged.all())
    True
    """
    library = library_of(rows)
    xp = library.xp
    if tolerance is None:
        tolerance = 1e-7 if rows.dtype == xp.float64 else 1e-5
    check_settings(tolerance, 1, 0.0)
    if subsets.ndim != 2 or subsets.shape[1] == 0 or not xp.isdtype(subsets.dtype, "integral"):
        given = f"{subsets.dtype} of shape {tuple(subsets.shape)}"
        raise InvalidInputError("subsets", given, "it must hold whole numbers, one subset a line")
    if subsets.shape[0] and not 0 <= int(xp.min(subsets)) <= int(xp.max(subsets)) < rows.shape[0]:
        raise InvalidInputError("subsets", "an index", f"row indices lie between 0 and {rows.shape[0] - 1}")
    count, size, features = int(subsets.shape[0]), int(subsets.shape[1]), int(rows.shape[1])
    warps = fused.serves_subsets(rows, size, model) if count else 0
    if warps:
        return StackedVolumes(*fused.subset_volumes(rows, labels, subsets, model, tolerance, warps))
    piece = max(1, stack // (size * features))
    parts = [
        _volumes(rows, labels, subsets[start : min(start + piece, count), :], model, library, tolerance)
        for start in range(0, count, piece)
    ]
    if not parts:
        return StackedVolumes(rows[:0, 0], rows[:0, 0] == 0.0)
    volumes, converged = zip(*parts, strict=True)
    return StackedVolumes(xp.concat(list(volumes)), xp.concat(list(converged)))


def _volumes(
    rows: ArrayObject, labels: ArrayObject, subsets: ArrayObject, model: GLM, library: Library, tolerance: float
) -> tuple[ArrayObject, ArrayObject]:
    """Of one stack: all subsets at first, then with damping those that did not come to rest."""
    xp = library.xp
    converged: Any
    volume, converged = _iterate(rows, labels, subsets, model, library, tolerance, *SCHEDULE[0])
    for damping, most in SCHEDULE[1:]:
        left = xp.nonzero(~converged)[0]
        if int(left.shape[0]) == 0:
            break
        again, now = _iterate(rows, labels, xp.take(subsets, left, axis=0), model, library, tolerance, damping, most)
        place = xp.cumulative_sum(xp.astype(~converged, xp.int64)) - 1
        place = xp.where(converged, xp.zeros_like(place), place)
        volume = xp.where(converged, volume, xp.take(again, place, axis=0))
        converged = xp.where(converged, converged, xp.take(now, place, axis=0))
    return volume, converged


def _iterate(
    rows: ArrayObject, labels: ArrayObject, subsets: ArrayObject, model: GLM, library: Library,
    tolerance: float, damping: float, most: int,
) -> tuple[ArrayObject, ArrayObject]:  # fmt: skip
    """From the prior until all are at rest, or for so many iterations."""
    xp = library.xp
    F: Any = _gather(xp, rows, subsets)
    S, FT = F * F, xp.permute_dims(F, (0, 2, 1))
    ST, y = xp.permute_dims(S, (0, 2, 1)), _gather(xp, labels, subsets)
    zero = xp.zeros_like(F[:, 0, :])
    mean, variance = (xp.asarray(part) + zero for part in model.prior.moments(zero, zero, library))
    g, moment, limit = xp.zeros_like(y), model.prior.second_moment, tolerance**2
    for turn in range(1, most + 1):
        V = _product(xp, S, variance)
        omega = _product(xp, F, mean) - V * g
        new, slope = (xp.asarray(part) for part in model.channel.derivatives(y, omega, V, library))
        A = _product(xp, ST, slope)
        b = A * mean + _product(xp, FT, new)
        new_mean, new_variance = (xp.asarray(part) for part in model.prior.moments(A, b, library))
        change: Any = xp.mean((new_mean - mean) ** 2, axis=1) / moment + xp.mean((new - g) ** 2 * V, axis=1)
        if not model.channel.labels:  # of a symmetric channel, as the absolute value, g may rest at zero from the start
            change = change + xp.mean((new_variance - variance) ** 2, axis=1) / moment**2
        mean, variance = new_mean + damping * (mean - new_mean), new_variance + damping * (variance - new_variance)
        g = new
        if turn % _LOOK == 0 and bool(xp.all(change <= limit)):
            break
    of_weights = model.prior.log_partition(A, b, library) - b * new_mean + 0.5 * A * (new_mean**2 + new_variance)
    of_rows = xp.asarray(model.channel.log_partition(y, omega, V, library)) + 0.5 * V * new**2
    total = xp.sum(xp.asarray(of_weights), axis=1) + xp.sum(of_rows, axis=1)
    return total / int(F.shape[2]), change <= limit


def _gather(xp: Any, values: ArrayObject, subsets: ArrayObject) -> ArrayObject:
    """Rows (or labels) of each subset."""
    flat = xp.take(values, xp.reshape(subsets, (-1,)), axis=0)
    return xp.reshape(flat, (*subsets.shape, *values.shape[1:]))  # type: ignore[no-any-return]


def _product(xp: Any, matrices: ArrayObject, vectors: ArrayObject) -> ArrayObject:
    """A matrix times a vector, for each of a stack."""
    return xp.matmul(matrices, vectors[..., None])[..., 0]  # type: ignore[no-any-return]
