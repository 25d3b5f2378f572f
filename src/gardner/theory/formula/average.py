"""The inner average of both sides, L = ln ∫Dz exp(β ψ(c + √s z, τ)), with its derivatives in (c, s,
τ, β).

For a row ψ is the channel's log-partition, c its cavity field, s = D and τ = V; for a weight it is
the prior's, with s = Q̂ − q̂ and τ = A. With a = βψ at fixed nodes z and ⟨…⟩ the average tilted by
e^a,

    L_i = ⟨a_i⟩,   L_ij = ⟨a_ij⟩ + ⟨a_i; a_j⟩.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.theory.formula.expansion import Psi
from gardner.theory.formula.quadrature import DROP, Peak, Window, peak, window, window_rule
from gardner.theory.formula.taylor import Floats

# Gauss–Legendre nodes on each side of the inner peak; how good they are is estimated with
# CHECK_ORDER for every point.
INNER_ORDER = 28
# The same for that estimate: what it differs by is part of the stated quadrature error.
CHECK_ORDER = 40
# The same where panels of the outer integral are looked for: good to 10⁻⁸.
MESH_ORDER = 16
# Outer nodes at a time: arrays of 256 × 56 doubles are 115 kB, and stay in the processor's cache.
BLOCK = 256

# The C library returns freed memory to the system and asks for it again at every call, which takes
# a third of the time of an evaluation. Once it has seen a block of this size freed, it keeps as
# much (glibc's dynamic threshold).
np.empty(2**21)


@dataclass(frozen=True)
class Inner:
    """An average to be taken: ψ at its τ, the weight β and the Gaussian of centres c and variance
    s.

    ``tail`` is 1/(A + a) where ψ grows like the square of the field over 2(A + a): for β > 0 that
    may be a second peak. ``turns`` says that ψ may turn sharply where the field is zero.
    """

    psi: Psi
    beta: float
    centre: Floats
    spread: float
    tail: float = 0.0
    turns: bool = False

    def locate(self, single: bool, drop: float = DROP, start: Peak | Window | None = None) -> Peak | Window:
        """Where the integrands live; ``single`` if they have one peak each, which ``start`` may be
        close to.
        """
        root, beta, centre = math.sqrt(self.spread), self.beta, self.centre

        def slopes(z: Floats) -> tuple[Floats, Floats, Floats]:
            value, first, second = self.psi.slopes(centre + root * z)
            return beta * value, beta * root * first, beta * self.spread * second

        def value(z: Floats) -> Floats:
            return beta * self.psi.value(centre + root * z)

        if single:
            near = start if isinstance(start, Peak) and len(start.mode) == len(centre) else None
            found = peak(value, slopes, len(centre), drop, near)
            return found._replace(turn=-centre / root) if self.turns else found
        places = [(-centre / root, 1.0)]  # where the field is zero
        room = 1.0 - beta * self.spread * self.tail
        if beta * self.tail > 0.0 and room > 0.0:
            places.append((beta * root * self.tail / room * centre, 1.0 / math.sqrt(room)))
        return window(value, len(centre), drop, places)

    def log_average(self, at: Peak | Window, order: int = INNER_ORDER) -> Floats:
        """L at each centre."""
        z, log_weights = window_rule(at, order)
        terms = self.beta * self.psi.value(self.centre[:, None] + math.sqrt(self.spread) * z) + log_weights
        top = terms.max(axis=1)
        value: Floats = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
        return value

    def tilted(self, at: Peak | Window, order: int = INNER_ORDER) -> Tilted:
        """L and its derivatives."""
        return Tilted.of(self, *window_rule(at, order))


@dataclass(frozen=True)
class Tilted:
    """L (n,), its gradient (4, n) and Hessian (4, 4, n) in (c, s, τ, β), and ⟨ψ''²⟩ with ⟨ψ''⟩."""

    value: Floats
    first: Floats
    second: Floats
    curvatures: tuple[Floats, Floats]

    @staticmethod
    def of(inner: Inner, z: Floats, log_weights: Floats) -> Tilted:
        """By sums over the nodes, a block of rows at a time."""
        parts = []
        for start in range(0, len(z), BLOCK):
            some = slice(start, start + BLOCK)
            parts.append(_tilted(inner, inner.centre[some], z[some], log_weights[some]))
        value, first, second, curvatures = zip(*parts, strict=True)
        joined = np.concatenate(curvatures, axis=1)
        return Tilted(
            np.concatenate(value), np.concatenate(first, axis=1), np.concatenate(second, axis=2), (joined[0], joined[1])
        )


def _tilted(inner: Inner, centre: Floats, z: Floats, log_weights: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    beta, spread = inner.beta, inner.spread
    root = math.sqrt(spread)
    psi, first, turn, second, mixed, twice = inner.psi.full(centre[:, None] + root * z)
    weights = beta * psi
    weights += log_weights
    top = weights.max(axis=1)
    weights -= top[:, None]
    np.exp(weights, out=weights)
    total = weights.sum(axis=1)
    weights /= total[:, None]

    def mean(part: Floats) -> Floats:
        value: Floats = np.einsum("nm,nm->n", weights, part)
        return value

    half = z * (0.5 / root)
    along = first * half
    slopes = [mean(part) for part in (first, along, turn, psi)]
    bent = second * half
    curves = np.zeros((4, 4, len(z)))
    squared = mean(second)
    curves[0, 0] = beta * squared
    curves[0, 1] = beta * mean(bent)
    curves[0, 2] = beta * mean(mixed)
    curves[0, 3] = slopes[0]
    curves[1, 1] = beta * (mean(bent * half) - slopes[1] * (0.5 / spread))
    curves[1, 2] = beta * mean(mixed * half)
    curves[1, 3] = slopes[1]
    curves[2, 2] = beta * mean(twice)
    curves[2, 3] = slopes[2]
    scales = (beta, beta, beta, 1.0)
    deviations = [part - average[:, None] for part, average in zip((first, along, turn, psi), slopes, strict=True)]
    for i in range(4):
        weighted = weights * deviations[i]
        for j in range(i, 4):
            covariance = np.einsum("nm,nm->n", weighted, deviations[j])
            curves[i, j] += scales[i] * scales[j] * covariance
            curves[j, i] = curves[i, j]
    slope = np.stack([beta * slopes[0], beta * slopes[1], beta * slopes[2], slopes[3]])
    return top + np.log(total), slope, curves, np.stack([squared, mean(second * second)])
