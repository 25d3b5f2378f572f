"""The witness of one step of replica symmetry breaking: Φ₁ as it is written, by plain sums, and its
differences.

The engine (:mod:`gardner.theory.breaking`) has hand-written equations, windows that follow peaks,
and the Gaussian part of unexpected rows in closed form. Here is none of this: three nested sums
with fixed steps, and derivatives by differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr

from gardner.theory.breaking.free_entropy import Place
from gardner.theory.formula.taylor import Floats

# Steps and reaches of the sums over ζ, over the fields h of a cluster, and over rows, the last two
# in the units of their Gaussians.
ZETA_STEP, ZETA_REACH = 0.11, (-70.0, 14.0)  # unexpected rows push ζ far down
FIELD_STEP, ROW_STEP, REACH = 0.13, 0.07, 8.5


def inner(h: Floats, D: float, V: float, beta: float) -> Floats:
    """L(h) = ln ∫Dζ Φ((h + √D ζ)/√V)^β."""
    zeta = np.arange(*ZETA_REACH, ZETA_STEP)
    weights = -0.5 * zeta**2 + math.log(ZETA_STEP / math.sqrt(2.0 * math.pi))
    terms = beta * log_ndtr((h[:, None] + math.sqrt(D) * zeta) / math.sqrt(V)) + weights
    found: Floats = logsumexp(terms, axis=1)
    return found


def free_entropy(alpha: float, at: Place, step: float = 0.02) -> float:
    """Φ₁ at any place; ``step`` is that of the table of L, which is interpolated by cubics where
    rows ask for it.
    """
    m, t, d, D, V, x, phi, beta = at
    W, U, q0 = at.W, at.U, at.q0
    logs = (beta - 1.0) * math.log(V) + (1.0 - 1.0 / x) * math.log(W) + math.log(U) / x
    entropic = 0.5 * (logs + beta * t / U + beta * (1.0 - at.r))
    pull = max(0.0, -x * beta * d / U) if beta < 0.0 else 0.0
    widen = math.sqrt(max(W / U, 1.0))
    low, high, wide = REACH * math.sqrt(t), REACH * math.sqrt(q0), REACH * math.sqrt(d)
    step = min(step, FIELD_STEP * math.sqrt(d))
    h = np.arange(-low * (1.0 + pull) - wide * widen, high + wide, step)
    F = np.logaddexp(0.0, phi + inner(h, D, V, beta))
    rows = np.arange(-low, high, ROW_STEP * math.sqrt(min(t, max(d, 0.2 * t))))
    spacing = rows[1] - rows[0]
    kernel = -0.5 * (h - rows[:, None]) ** 2 / d + math.log(step / math.sqrt(2.0 * math.pi * d))
    G = logsumexp(x * F + kernel, axis=1) / x
    density = np.exp(-0.5 * rows**2 / q0) / math.sqrt(2.0 * math.pi * q0)
    seen = spacing * density * 2.0 * ndtr(m * rows / math.sqrt(q0 * t))
    return entropic + alpha * float(seen @ G)


def slope(function: Callable[[Place], float], at: Place, name: str, share: float = 2e-3) -> float:
    """∂/∂name by five points; ``share`` is the step relative to the value."""
    value: float = getattr(at, name)
    step = share * abs(value)
    ahead, behind, far, back = (function(at._replace(**{name: value + k * step})) for k in (1.0, -1.0, 2.0, -2.0))
    return float((8.0 * (ahead - behind) - (far - back)) / (12.0 * step))
