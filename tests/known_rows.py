"""Rows whose version space has a known volume."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def rotation(features: int, seed: int = 0) -> Floats:
    """Rows at right angles, in any direction: each halves the volume."""
    return np.asarray(np.linalg.qr(np.random.default_rng(seed).standard_normal((features, features)))[0])


def wedges(opening: float, planes: int = 1) -> Floats:
    """Two rows a plane, at an angle π − opening: they leave a wedge, Z = (opening/2π)^planes."""
    pair = np.array([[0.0, 1.0], [math.sin(opening), -math.cos(opening)]])
    return np.kron(np.eye(planes), pair)


def equicorrelated(count: int, correlation: float) -> Floats:
    """Rows of which any two have the same correlation; at ½ they leave Z = 1/(count + 1)."""
    return np.asarray(np.linalg.cholesky((1.0 - correlation) * np.eye(count) + correlation), dtype=np.float64)
