"""Priors without a closed form: the conjugates are unknowns beside the overlaps.

At given overlaps and β the entropic part of Φ is extr_ĥ G, G = coupling + average over weights, and
∂G/∂ĥ = 0 joins the equations of the overlaps in one Newton iteration. A prior of fixed norm (binary
weights) has no A = r̂ + Q̂: r̂ multiplies r − r⁰ only, so the function is defined on r = r⁰ and the
equation of dilation is replaced by that.

The average over weights exists for β(Q̂−q̂) < A + a only, where a is the precision of the prior's
tails (0 for Laplace, ρ for Gauss–Bernoulli): the field of a weight is Gaussian, and ψ_X grows with
its square over 2(A+a). Beyond that edge a few weights would grow without bound. So the conjugates
are carried as

    k = (ln m̂, ln q̂, ln Δ, ln E),   Δ = Q̂ − q̂,   E = A + a − max(β, 0) Δ,

in which every k is allowed (arsinh A in place of ln E where weights are bounded and there is no
edge).
"""

from __future__ import annotations

import math

import numpy as np

from gardner.errors import ConvergenceError
from gardner.theory.formula.free_entropy import to_theta
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.taylor import Floats


def to_k(pair: Pair, beta: float, conjugates: tuple[float, ...]) -> Floats:
    """K of (m̂, q̂, Q̂ − q̂, A); an A beyond the edge is put back to where it is at β = 0."""
    m, q, apart, A = conjugates
    logs = np.log([m, q, apart])
    if pair.fixed_norm:
        return logs
    if math.isinf(pair.tail_precision):
        return np.append(logs, np.arcsinh(A))
    room = A + pair.tail_precision
    return np.append(logs, np.log(room - max(beta, 0.0) * apart if room > max(beta, 0.0) * apart else room))


def check_domain(z: Floats) -> None:
    """A point the free entropy can be evaluated at."""
    theta = to_theta(z)
    if not np.all(np.isfinite(theta)) or not np.all(np.isfinite(z)) or theta[:4].min() <= 0.0:
        raise ConvergenceError("the iteration left the domain of the free entropy")
