"""A problem: a teacher, a pool of rows and the labels the teacher gives them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gardner.errors import InvalidInputError
from gardner.model.glm import GLM, PERCEPTRON

_FAMILY = int.from_bytes(b"instance", "big")


@dataclass(frozen=True)
class Instance:
    """Rows F (pool × features, entries of variance 1/N), the teacher's weights and the labels it
    gives.
    """

    rows: NDArray[Any]
    teacher: NDArray[Any]
    labels: NDArray[Any]


def draw_instance(
    features: int, pool_ratio: float, seed: int, model: GLM = PERCEPTRON, dtype: DTypeLike = np.float64
) -> Instance:
    """A random problem that depends on the seed, N, α and the model only.

    Rows are drawn in float64 and rounded to ``dtype`` before they are labelled, so labels are true
    of the rows stored.

    >>> instance = draw_instance(features=50, pool_ratio=3.0, seed=0)
    >>> instance.rows.shape, sorted(set(instance.labels.tolist()))
    ((150, 50), [-1.0, 1.0])
    """
    if np.dtype(dtype).kind != "f":
        raise InvalidInputError("dtype", dtype, "it must be a floating type, such as numpy.float32")
    count = check_sizes(features, pool_ratio, seed)
    for_teacher, for_rows, for_labels = streams(seed)
    teacher = model.prior.sample(features, for_teacher)
    rows = np.empty((count, features), dtype=dtype)
    for start in range(0, count, 1024):  # in pieces: the float64 draws need not all be held at once
        piece = for_rows.standard_normal((min(1024, count - start), features)) / np.sqrt(features)
        rows[start : start + 1024] = piece
    fields = rows @ teacher.astype(rows.dtype)
    return Instance(rows, teacher, np.asarray(model.channel.sample(fields, for_labels), dtype=rows.dtype))


def check_sizes(features: int, pool_ratio: float, seed: int) -> int:
    """Rows of the pool, or an error that says what cannot be."""
    if features < 1:
        raise InvalidInputError("features", features, "it must be at least 1")
    if not math.isfinite(pool_ratio):
        raise InvalidInputError("pool_ratio", pool_ratio, "it must be finite")
    count = round(pool_ratio * features)
    if count < 1:
        raise InvalidInputError("pool_ratio", pool_ratio, f"with {features} features it gives an empty pool")
    if seed < 0:
        raise InvalidInputError("seed", seed, "it must not be negative")
    return count


def streams(seed: int) -> tuple[np.random.Generator, np.random.Generator, np.random.Generator]:
    """For the teacher, the rows and the noise of the labels.

    They are a family of their own: whoever else spawns generators from the same seed must not meet
    the rows again.
    """
    teacher, rows, labels = (np.random.default_rng([_FAMILY, seed, part]) for part in range(3))
    return teacher, rows, labels
