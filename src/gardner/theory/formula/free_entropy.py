"""THE formula: the replica-symmetric free entropy Φ(β, φ) of a teacher–student GLM [cui2020, eq.
(10) and App. B–C].

The order parameters are carried as θ = (m, t, D, V, φ, β) with

    q = m² + t,   Q = q + D,   r = Q + V,   W = V + βD,

so that the small differences the problem lives on (t = q − m², D = Q − q, V = r − Q) are never
formed by subtraction; m is in units of √r⁰ (:mod:`gardner.theory.formula.pair`). Solvers work in
the coordinates

    z = (ln m, ln t, ln e, ln V, arsinh φ, arsinh β),   e = D/W for β < 0 and D/V for β ≥ 0,

in which every z is allowed, followed by the k of :mod:`gardner.theory.formula.conjugates` for a
student's prior whose conjugates have no closed form. :class:`Parameters` writes what the integrals
need as Taylor numbers of (z, k).

Where a label is not expected and β < 0, a row's exponent βψ − ζ²/2 is a difference of numbers V/W
times larger than itself. So for the sign and for probit labels the Gaussian part of ψ_Y = −ω²/2V' +
χ (V' = V + noise) is integrated by hand, with W' = V' + βD:

    L(h) = ½ ln(V'/W') − βh²/2W' + ln ∫Dζ exp(β χ(hV'/W' + √(DV'/W') ζ)).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gardner.theory.formula import regression
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.taylor import Floats, Taylor, unknowns

# positions in z, and in the conjugates that may follow
LN_M, LN_T, LN_E, LN_V, PHI, BETA = range(6)
LN_M_HAT, LN_Q_HAT, LN_GAP_HAT, EDGE = range(6, 10)


class Theta(NamedTuple):
    """A point (m, t, D, V, φ, β)."""

    m: float
    t: float
    D: float
    V: float
    phi: float
    beta: float

    @property
    def q(self) -> float:
        """Overlap of two students trained on different subsets."""
        return self.m * self.m + self.t

    @property
    def Q(self) -> float:
        """Overlap of two students trained on the same subset."""
        return self.q + self.D

    @property
    def r(self) -> float:
        """Squared norm of a student."""
        return self.Q + self.V

    @property
    def W(self) -> float:
        """V + βD, positive wherever the inner integral exists."""
        return self.V + self.beta * self.D


class Rows(NamedTuple):
    """The parameters of a family of rows: those of :mod:`gardner.theory.formula.sums` but φ, M and
    T.
    """

    c: Taylor
    s: Taylor
    tau: Taylor
    constant: Taylor
    square: Taylor


def to_coordinates(theta: Floats) -> Floats:
    """The coordinates z of θ."""
    m, t, D, V, phi, beta = theta
    return np.array(
        [np.log(m), np.log(t), np.log(D / (V + min(beta, 0.0) * D)), np.log(V), np.arcsinh(phi), np.arcsinh(beta)]
    )


def to_theta(z: Floats) -> Floats:
    """The inverse: for β < 0, D = Ve/(1+|β|e) with e = D/W keeps W = V + βD positive."""
    ratio, V, beta = np.exp(z[LN_E]), np.exp(z[LN_V]), np.sinh(z[BETA])
    D = ratio * V / (1.0 + max(-beta, 0.0) * ratio)
    return np.array([np.exp(z[LN_M]), np.exp(z[LN_T]), D, V, np.sinh(z[PHI]), beta])


def gap(z: Floats) -> float:
    """W = V + βD without subtraction."""
    ratio, V, beta = math.exp(z[LN_E]), math.exp(z[LN_V]), math.sinh(z[BETA])
    return V / (1.0 - beta * ratio) if beta < 0.0 else V * (1.0 + beta * ratio)


class Parameters:
    """What the integrals at a point are made of, with derivatives in the point's coordinates."""

    def __init__(self, pair: Pair, z: Floats) -> None:
        """Write the formulas."""
        self.pair = pair
        logs = unknowns(z)
        self.conjugates = logs[LN_M_HAT:]
        self.m, self.t, e, self.V = (part.exp() for part in logs[:PHI])
        self.phi, self.beta = logs[PHI].sinh(), logs[BETA].sinh()
        if self.beta.value < 0.0:
            self.W = self.V / (1.0 - self.beta * e)
            self.D = e * self.W
        else:
            self.D = e * self.V
            self.W = self.V + self.beta * self.D
        self.q = self.m * self.m + self.t
        self.none = 0.0 * self.m

    @cached_property
    def plain_rows(self) -> Rows:
        """Rows as they stand."""
        return Rows(self.q.sqrt(), self.D, self.V, self.none, self.none)

    @cached_property
    def turned_rows(self) -> Rows:
        """Rows whose labels are not expected, the Gaussian part of ψ_Y taken out."""
        noise = self.pair.student.channel.noise_in_front or 0.0
        wide, narrow = self.V + noise, (self.W + noise).inverse()
        growth = wide * narrow
        square = -0.5 * (self.beta * self.q * narrow)
        return Rows(self.q.sqrt() * growth, self.D * growth, self.V, 0.5 * growth.log(), square)

    @cached_property
    def linear_rows(self) -> Rows:
        """Real labels: L(u) = −½β ln 2πs − ½ ln(1 + βD/s) − βu²/2(s + βD) at u = √E η, s = V + Δ."""
        known, assumed = regression.noise_of(self.pair)
        error = (self.pair.teacher_scale - self.m) * (self.pair.teacher_scale - self.m) + self.t + known
        s, narrow = self.V + assumed, self.W + assumed
        constant = -0.5 * (self.beta * (2.0 * math.pi * s).log() + (narrow / s).log())
        return Rows(self.none, self.none + 1.0, self.V, constant, -0.5 * (self.beta * error / narrow))

    @cached_property
    def teacher(self) -> tuple[Taylor, Taylor]:
        """M and T of Z⁰_Y(y, η) = ∫Dh P̄_out(y | √(r⁰ − m²/q) h + (m/√q) η)."""
        return self.pair.teacher_scale * (self.m / self.q.sqrt()), self.pair.teacher.prior.second_moment * (
            self.t / self.q
        )

    @property
    def turned(self) -> bool:
        """Whether unexpected labels are treated apart."""
        return self.beta.value < 0.0 and self.pair.student.channel.noise_in_front is not None

    def entropic(self) -> Taylor:
        """½[(β−1) ln V + ln W + βt/W + β(1 − r/σ² − ln σ²)]: Gaussian weights of variance σ²,
        conjugates eliminated.

        The teacher's prior enters by its second moment only (through m): the weights' field is
        Gaussian given x⁰, and its logarithm is quadratic.
        """
        variance = self.pair.student.prior.second_moment
        free = 1.0 - math.log(variance) - (self.q + self.D + self.V) / variance
        log_ratio = (self.W / self.V).log()
        return 0.5 * (log_ratio + self.beta * (self.V.log() + self.t / self.W + free))

    def coupling(self) -> Taylor:
        """(β/2) r r̂ − β m m̂ − (β(β−1)/2) Q Q̂ + (β²/2) q q̂, in V and D where these are
        differences.

        With A = r̂ + Q̂ and Δ = Q̂ − q̂ it is β[½rA − m m̂ − ½q̂W − ½Δ(V + βQ)]. A prior of fixed
        norm has no A: there r = r⁰ whatever V.
        """
        m_hat, q_hat, apart = (part.exp() for part in self.conjugates[:3])
        Q = self.q + self.D
        inside = -1.0 * (self.m * m_hat) - 0.5 * (q_hat * self.W) - 0.5 * (apart * (self.V + self.beta * Q))
        if self.pair.fixed_norm:
            excess = self.pair.student.prior.second_moment - (Q + self.V)
            return self.beta * (inside - 0.5 * ((q_hat + apart) * excess))
        return self.beta * (inside + 0.5 * ((Q + self.V) * self.precision))

    @cached_property
    def precision(self) -> Taylor:
        """A = r̂ + Q̂ (:mod:`gardner.theory.formula.conjugates`)."""
        if self.pair.fixed_norm:
            return self.none
        if math.isinf(self.pair.tail_precision):
            return self.conjugates[3].sinh()
        beyond = self.conjugates[3].exp() - self.pair.tail_precision
        return beyond + self.beta * self.conjugates[2].exp() if self.beta.value > 0.0 else beyond

    @cached_property
    def weights(self) -> tuple[list[Taylor], tuple[float, ...]]:
        """The nine parameters of the average over weights (:mod:`gardner.theory.formula.sums`), and
        their values.
        """
        signal = (self.conjugates[0] - 0.5 * self.conjugates[1]).exp() / self.pair.teacher_scale
        of = [
            (0.5 * self.conjugates[1]).exp(),
            self.conjugates[2].exp(),
            self.precision,
            self.beta,
            self.none,
            self.none,
            self.none,
        ]
        of += [signal, signal * signal]
        return of, tuple(x.value for x in of)
