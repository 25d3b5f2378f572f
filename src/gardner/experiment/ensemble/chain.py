"""One Markov chain over the subsets of a pool: a row out, a row in, and AMP follows.

The chain visits subsets S of K rows with weight

    w(S) = exp(β ln Z(S)),        ln Z(S) = N ln v(S), by AMP [cui2020].

A move exchanges a row μ of S for a row ν outside. Rows are not proposed at random. AMP knows what a
label that was not used would say: ψ_μ = ln Φ(y_μ ω_μ/√V_μ), with the cavity field of a row inside
and the posterior's field of a row outside, and ln Z(S − μ + ν) ≈ ln Z(S) + ψ_ν − ψ_μ. So the pair
is drawn with

    q(S → S') = e^{−τψ_μ}/Σ_{μ ∈ S} e^{−τψ_μ} · e^{τψ_ν}/Σ_{ν ∉ S} e^{τψ_ν},          τ = β/2,

and taken with the rule of Metropolis and Hastings,

    min{1, exp(β [ln Z(S') − ln Z(S)]) · q(S' → S)/q(S → S')}.

The approximation steers what is proposed and never what is true: with the correction every τ gives
the same ensemble (half of β is the choice that keeps the acceptance near one where the
approximation is good, [zanella2020]). It needs ψ of S', which AMP has found by then. AMP starts
from where it stood. A subset on which AMP does not converge, also from the start and damped, is
refused and counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gardner.inference.compiler import inlined, kept
from gardner.inference.scalars import exponential, mills, sign_derivatives
from gardner.model.arrays import Floats as Floats
from gardner.model.arrays import Whole as Whole

# The residual at which AMP stops, in units of a prior weight: ln Z, into which it enters squared,
# is then right to 10⁻⁵ (a test holds it), which at β = 1000 is an acceptance right to 1 %.
TOLERANCE = 1e-3
# Iterations from where AMP stood, undamped; nearly always 5 to 20 are enough after one exchange.
FOLLOWING = 60
# Damping and iterations from the start, tried where AMP could not follow.
SCHEDULE = np.array([[0.0, 100.0], [0.3, 150.0], [0.6, 300.0], [0.85, 600.0]])


# √(2π) and its logarithm.
ROOT_2PI = math.sqrt(2.0 * math.pi)
LOG_ROOT_2PI = math.log(ROOT_2PI)


@dataclass
class Walkers:
    """Chains on one pool: for each the pool's rows in an order (its subset first), and where AMP
    stands.
    """

    order: NDArray[np.int32]
    mean: Floats
    variance: Floats
    g: Floats
    psi: Floats
    log_evidence: Floats

    @classmethod
    def start(cls, order: NDArray[np.int32], features: int) -> Walkers:
        """Chains before AMP has looked at them."""
        count, rows = order.shape
        order = np.ascontiguousarray(order, dtype=np.int32)
        return cls(
            order.copy(), np.zeros((count, features)), np.ones((count, features)), np.zeros((count, rows)),
            np.zeros((count, rows)), np.full(count, np.nan),
        )  # fmt: skip

    @property
    def arrays(self) -> tuple[NDArray[np.int32], Floats, Floats, Floats, Floats, Floats]:
        """As the compiled functions take them."""
        return self.order, self.mean, self.variance, self.g, self.psi, self.log_evidence


@inlined
def _log_parts(u: float) -> tuple[float, float]:
    """ln Φ(u) as a sum a + ln b without a branch, to 10⁻¹⁵ absolute: ``scalars.log_ndtr`` for loops
    over rows.
    """
    x = abs(u)
    tail, _ = mills(-x)
    below = 1.0 if u < 0.0 else 0.0
    half = 0.5 * x * x
    above = 1.0 - exponential(-half) / (ROOT_2PI * tail)
    return -below * (half + LOG_ROOT_2PI), below / tail + (1.0 - below) * above


@kept(fast=True)
def _look(pool: Floats, order: Whole, count: int, mean: Floats, variance: Floats, g: Floats, fields: Floats) -> None:
    """Fields of the first rows in the order: ω = Fm − Vg and V = F²c (g is zero outside the
    subset).
    """
    for k in range(count):
        row = order[k]
        omega = 0.0
        V = 0.0
        for i in range(pool.shape[1]):
            entry = pool[row, i]
            omega += entry * mean[i]
            V += entry * entry * variance[i]
        fields[0, k] = omega - V * g[row]
        fields[1, k] = V


@kept(fast=True)
def _iterate(
    pool: Floats, labels: Floats, order: Whole, size: int, mean: Floats, variance: Floats, g: Floats, sums: Floats,
    fields: Floats, keep: float,
) -> float:  # fmt: skip
    """One iteration of AMP; the mean square change in units of the prior."""
    features = pool.shape[1]
    _look(pool, order, size, mean, variance, g, fields)
    for k in range(size):
        fields[2, k] = labels[order[k]]
    for k in range(size):  # nothing else in this loop, so that it is made of vector instructions
        fields[2, k], fields[3, k] = sign_derivatives(fields[2, k], fields[0, k], fields[1, k], 0.0)
    for i in range(features):
        sums[0, i] = 0.0
        sums[1, i] = 0.0
    change = 0.0
    for k in range(size):
        row = order[k]
        new = fields[2, k]
        slope = fields[3, k]
        change += (new - g[row]) ** 2 * fields[1, k]
        g[row] = new
        for i in range(features):
            entry = pool[row, i]
            sums[0, i] += entry * entry * slope
            sums[1, i] += entry * new
    change /= size
    moved = 0.0
    for i in range(features):
        narrow = 1.0 / (1.0 + sums[0, i])
        step = (sums[1, i] + sums[0, i] * mean[i]) * narrow - mean[i]
        moved += step * step
        mean[i] += (1.0 - keep) * step
        variance[i] += (1.0 - keep) * (narrow - variance[i])
    return float(change + moved / features)


@kept(fast=True)
def _fixed_point(
    pool: Floats, labels: Floats, order: Whole, size: int, mean: Floats, variance: Floats, g: Floats, sums: Floats,
    fields: Floats, tolerance: float, schedule: Floats, following: int,
) -> bool:  # fmt: skip
    """AMP from where it stands, and if it cannot follow, from the start."""
    for _ in range(following):
        if _iterate(pool, labels, order, size, mean, variance, g, sums, fields, 0.0) <= tolerance * tolerance:
            return True
    for attempt in range(schedule.shape[0]):
        mean[:] = 0.0
        variance[:] = 1.0
        g[:] = 0.0
        for _ in range(int(schedule[attempt, 1])):
            left = _iterate(pool, labels, order, size, mean, variance, g, sums, fields, schedule[attempt, 0])
            if left <= tolerance * tolerance:
                return True
    return False


@kept(fast=True)
def _read_off(
    pool: Floats, labels: Floats, order: Whole, size: int, mean: Floats, variance: Floats, g: Floats,
    fields: Floats, psi: Floats,
) -> float:  # fmt: skip
    """Bethe's ln Z, and ψ of all rows of the pool.

    ln Z = ½ Σ_i (1 + ln c_i − c_i − m_i²) + Σ_μ [ψ_Y(ω_μ, V_μ) + ½ V_μ g_μ²],    ω = Fm − Vg,    V = F²c,

    is stationary in mean m, variance c and g where AMP's equations hold [krzakala2014]. So what is
    left of the residual enters squared.
    """
    total = 0.0
    for i in range(pool.shape[1]):
        total += 0.5 * (1.0 - variance[i] - mean[i] * mean[i] + np.log(variance[i]))
    count = order.shape[0]
    _look(pool, order, count, mean, variance, g, fields)
    for k in range(count):
        fields[2, k] = labels[order[k]]
    for k in range(count):  # again made of vector instructions
        fields[2, k], fields[3, k] = _log_parts(fields[2, k] * fields[0, k] / np.sqrt(fields[1, k]))
    for k in range(count):
        fields[2, k] += np.log(fields[3, k])
        psi[order[k]] = fields[2, k]
    for k in range(size):
        total += fields[2, k] + 0.5 * fields[1, k] * g[order[k]] ** 2
    return float(total)


@kept(fast=True)
def _norms(tau: float, order: Whole, size: int, psi: Floats) -> tuple[float, float, float, float]:
    """Of the weights e^{−τψ} inside and e^{τψ} outside: the largest exponent and the sum relative
    to it, each.
    """
    out = -np.inf
    into = -np.inf
    for k in range(size):
        out = max(out, -tau * psi[order[k]])
    for k in range(size, order.shape[0]):
        into = max(into, tau * psi[order[k]])
    first = 0.0
    second = 0.0
    for k in range(size):
        first += exponential(-tau * psi[order[k]] - out)
    for k in range(size, order.shape[0]):
        second += exponential(tau * psi[order[k]] - into)
    return out, first, into, second


@kept()
def _draw(tau: float, order: Whole, start: int, stop: int, psi: Floats, largest: float, goal: float) -> int:
    """The place whose weight e^{τψ − largest} covers the goal, counted from the start."""
    seen = 0.0
    for k in range(start, stop):
        seen += exponential(tau * psi[order[k]] - largest)
        if seen >= goal:
            return k
    return stop - 1


@kept()
def log_acceptance(beta: float, gain: float, forth: float, back: float) -> float:
    """ln of Metropolis' and Hastings' ratio: β ΔlnZ + ln q(back) − ln q(forth)."""
    return beta * gain + back - forth


@kept()
def move(
    beta: float, rng: np.random.Generator, pool: Floats, labels: Floats, size: int, order: Whole,
    mean: Floats, variance: Floats, g: Floats, psi: Floats, log_evidence: float, trial: Floats, rows: Floats,
    sums: Floats, tolerance: float, schedule: Floats, following: int,
) -> tuple[int, float]:  # fmt: skip
    """Try one exchange: 1 taken, 0 refused, −1 refused since AMP did not converge; and ln Z of
    where the chain is.

    ``trial`` (2, N), ``rows`` (6, pool) and ``sums`` (2, N) are memory to work in.
    """
    tau = 0.5 * beta
    out, first, into, second = _norms(tau, order, size, psi)
    mine = _draw(-tau, order, 0, size, psi, out, rng.random() * first)
    theirs = _draw(tau, order, size, order.shape[0], psi, into, rng.random() * second)
    dropped, added = order[mine], order[theirs]
    forth = tau * (psi[added] - psi[dropped]) - out - into - np.log(first * second)
    trial[0], trial[1] = mean, variance
    rows[0] = g
    rows[0, dropped] = 0.0
    order[mine], order[theirs] = added, dropped
    found = _fixed_point(
        pool, labels, order, size, trial[0], trial[1], rows[0], sums, rows[2:], tolerance, schedule, following
    )
    if found:
        new = _read_off(pool, labels, order, size, trial[0], trial[1], rows[0], rows[2:], rows[1])
        out, first, into, second = _norms(tau, order, size, rows[1])
        back = tau * (rows[1, dropped] - rows[1, added]) - out - into - np.log(first * second)
        # written so that a NaN is refused
        if np.log(rng.random()) < log_acceptance(beta, new - log_evidence, forth, back):
            mean[:], variance[:] = trial[0], trial[1]
            g[:], psi[:] = rows[0], rows[1]
            return 1, new
    order[mine], order[theirs] = dropped, added
    return (0 if found else -1), log_evidence


@kept()
def settle(
    pool: Floats, labels: Floats, size: int, order: Whole, mean: Floats, variance: Floats, g: Floats, psi: Floats,
    tolerance: float, schedule: Floats,
) -> float:  # fmt: skip
    """AMP from the start on a chain's subset: ln Z, NaN where it does not converge."""
    fields, sums = np.empty((4, pool.shape[0])), np.empty((2, pool.shape[1]))
    if not _fixed_point(pool, labels, order, size, mean, variance, g, sums, fields, tolerance, schedule, 0):
        return np.nan
    return _read_off(pool, labels, order, size, mean, variance, g, fields, psi)
