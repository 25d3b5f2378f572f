"""Numerical integrals over fields, weights and labels, on any array library."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from gardner.model.arrays import ArrayObject
from gardner.model.special import Library


@functools.cache
def gauss_legendre(order: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights of Gauss–Legendre quadrature on (−1, 1)."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    return np.asarray(nodes), np.asarray(weights)


def panels(low: float, high: float, count: int, order: int = 16) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights of Gauss–Legendre quadrature on equal panels."""
    node, weight = gauss_legendre(order)
    edges = np.linspace(low, high, count + 1)
    half = 0.5 * (edges[1] - edges[0])
    centres = 0.5 * (edges[1:] + edges[:-1])
    return (centres[:, None] + half * node).ravel(), np.tile(half * weight, count)


NORMAL_NODES, _NORMAL_WEIGHTS = panels(-10.0, 10.0, 40)
LOG_NORMAL_WEIGHTS = np.log(_NORMAL_WEIGHTS) - 0.5 * math.log(2.0 * math.pi)  # without the factor e^{−t²/2}


def log_sum(terms: ArrayObject, library: Library) -> ArrayObject:
    """ln Σ e^terms over the last axis."""
    xp = library.xp
    largest = xp.max(terms, axis=-1)
    return largest + xp.log(xp.sum(xp.exp(terms - largest[..., None]), axis=-1))
