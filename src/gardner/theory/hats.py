"""Priors without a closed form: the hats are unknowns beside the overlaps.

At given overlaps and β the entropic part of Φ is extr_ĥ G, G = coupling + average over weights, and ∂G/∂ĥ = 0 joins the
equations of the overlaps in one Newton iteration. The hats are carried as k = (ln m̂, ln q̂, ln(Q̂−q̂), A), A = r̂ + Q̂. A
prior of fixed norm (binary weights) has no A: r̂ multiplies r − r⁰ only, so the function is defined on r = r⁰ and the
equation of dilation is replaced by that.

The average over weights exists for β(Q̂−q̂) < A + a only, where a is the precision of the prior's tails (0 for Laplace,
ρ for Gauss–Bernoulli): the field of a weight is Gaussian, and ψ_X grows with its square over 2(A+a). Beyond that edge a
few weights would grow without bound. Laplace weights come near it on the upper branch (docs/theory.md, section 8).
"""

from __future__ import annotations

import math

import numpy as np

from gardner.errors import ConvergenceError
from gardner.theory.free_entropy import Hats, to_theta
from gardner.theory.pair import Pair
from gardner.theory.taylor import Floats


class EdgeError(ConvergenceError):
    """The hats would leave the domain in which the average over weights exists."""


def to_k(pair: Pair, hats: tuple[float, ...]) -> Floats:
    """K of (m̂, q̂, Q̂ − q̂, A)."""
    m, q, gap, A = hats
    k = np.array([np.log(m), np.log(q), np.log(gap), A])
    return k[:3] if pair.fixed_norm else k


def hats_of(k: Floats) -> Hats:
    """Hats of k; for a fixed norm A stands for nothing and is zero."""
    m, q, gap = np.exp(k[:3])
    A = k[3] if len(k) > 3 else 0.0
    return Hats(float(m), float(q), float(q + gap), float(A - q - gap))


def edge(pair: Pair, z: Floats) -> float:
    """β(Q̂−q̂)/(A+a): the average over weights exists below 1."""
    if len(z) < 10 or z[5] <= 0.0 or math.isinf(pair.tail_precision):
        return 0.0
    return float(np.sinh(z[5]) * np.exp(z[8]) / max(z[9] + pair.tail_precision, 1e-300))


def check_domain(pair: Pair, z: Floats) -> None:
    """A point the free entropy can be evaluated at."""
    theta = to_theta(z)
    if not np.all(np.isfinite(theta)) or not np.all(np.isfinite(z)) or theta[:4].min() <= 0.0:
        raise ConvergenceError("the iteration left the domain of the free entropy")
    if edge(pair, z) >= 1.0:
        raise EdgeError("the hats left their domain, where heavy tails of the prior make averages diverge")
    if len(z) == 10 and z[9] + pair.tail_precision <= 0.0:
        raise ConvergenceError("the iteration left the domain of the free entropy")
