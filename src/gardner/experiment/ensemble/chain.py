"""One Markov chain over the subsets of a pool: a row out, a row in, and AMP follows.

The chain visits subsets S of K rows with weight

    w(S) = exp(β ln Z(S)),        ln Z(S) = N ln v(S), by AMP [cui2020].

A move exchanges a row μ of S for a row ν outside. Rows are not proposed at random. AMP knows what a label that was not
used would say: ψ_μ = ln Φ(y_μ ω_μ/√V_μ), with the cavity field of a row inside and the posterior's field of a row
outside, and ln Z(S − μ + ν) ≈ ln Z(S) + ψ_ν − ψ_μ. So the pair is drawn with

    q(S → S') = e^{−τψ_μ}/Σ_{μ ∈ S} e^{−τψ_μ} · e^{τψ_ν}/Σ_{ν ∉ S} e^{τψ_ν},          τ = β/2,

and taken with the rule of Metropolis and Hastings,

    min{1, exp(β [ln Z(S') − ln Z(S)]) · q(S' → S)/q(S → S')}.

The approximation steers what is proposed and never what is true: with the correction every τ gives the same ensemble
(half of β is the choice that keeps the acceptance near one where the approximation is good, [zanella2020]). It needs ψ
of S', which AMP has found by then. AMP starts from where it stood. A subset on which AMP does not converge, also from
the start and damped, is refused and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gardner.inference.compiler import kept
from gardner.inference.noisy_scalars import gaussian_potential
from gardner.inference.scalars import exponential, sign_derivatives, sign_log_partition

Floats = NDArray[np.float64]
Integers = NDArray[np.integer[Any]]

# The residual at which AMP stops, in units of a prior weight: ln Z is then right to 10⁻⁴ (a test holds it), which at
# β = 80 is an acceptance right to 1 %.
TOLERANCE = 1e-6
# Iterations from where AMP stood, undamped; nearly always 5 to 15 are enough after one exchange.
FOLLOWING = 60
# Damping and iterations from the start, tried where AMP could not follow.
SCHEDULE = np.array([[0.0, 100.0], [0.3, 150.0], [0.6, 300.0], [0.85, 600.0]])


@dataclass
class Walkers:
    """Chains on one pool: for each the pool's rows in an order (its subset first), and where AMP stands."""

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


@kept(fast=True)
def _iterate(
    pool: Floats, labels: Floats, order: Integers, size: int, mean: Floats, variance: Floats, g: Floats,
    fields: Floats, sums: Floats, keep: float,
) -> float:  # fmt: skip
    """One iteration of AMP in one pass over the rows; the mean square change in units of the prior."""
    features = pool.shape[1]
    for i in range(features):
        sums[0, i] = 0.0
        sums[1, i] = 0.0
    change = 0.0
    for k in range(size):
        row = order[k]
        omega = 0.0
        V = 0.0
        for i in range(features):
            entry = pool[row, i]
            omega += entry * mean[i]
            V += entry * entry * variance[i]
        omega -= V * g[row]
        new, slope = sign_derivatives(labels[row], omega, V, 0.0)
        change += (new - g[row]) ** 2 * V
        g[row] = new
        fields[0, row] = omega
        fields[1, row] = V
        for i in range(features):
            entry = pool[row, i]
            sums[0, i] += entry * entry * slope
            sums[1, i] += entry * new
    change /= size
    moved = 0.0
    for i in range(features):
        sums[1, i] += sums[0, i] * mean[i]
        narrow = 1.0 / (1.0 + sums[0, i])
        step = sums[1, i] * narrow - mean[i]
        moved += step * step
        mean[i] += (1.0 - keep) * step
        variance[i] += (1.0 - keep) * (narrow - variance[i])
    return float(change + moved / features)


@kept(fast=True)
def _fixed_point(
    pool: Floats, labels: Floats, order: Integers, size: int, mean: Floats, variance: Floats, g: Floats,
    fields: Floats, sums: Floats, tolerance: float, schedule: Floats, following: int,
) -> bool:  # fmt: skip
    """AMP from where it stands, and if it cannot follow, from the start."""
    for _ in range(following):
        if _iterate(pool, labels, order, size, mean, variance, g, fields, sums, 0.0) <= tolerance * tolerance:
            return True
    for attempt in range(schedule.shape[0]):
        mean[:] = 0.0
        variance[:] = 1.0
        g[:] = 0.0
        for _ in range(int(schedule[attempt, 1])):
            left = _iterate(pool, labels, order, size, mean, variance, g, fields, sums, schedule[attempt, 0])
            if left <= tolerance * tolerance:
                return True
    return False


@kept(fast=True)
def _read_off(
    pool: Floats, labels: Floats, order: Integers, size: int, mean: Floats, variance: Floats, g: Floats,
    fields: Floats, sums: Floats, psi: Floats,
) -> float:  # fmt: skip
    """Bethe's ln Z, and ψ of all rows of the pool."""
    total = 0.0
    features = pool.shape[1]
    for i in range(features):
        total += gaussian_potential(sums[0, i], sums[1, i], 1.0)
    for k in range(order.shape[0]):
        row = order[k]
        if k < size:
            omega = fields[0, row]
            V = fields[1, row]
        else:
            omega = 0.0
            V = 0.0
            for i in range(features):
                entry = pool[row, i]
                omega += entry * mean[i]
                V += entry * entry * variance[i]
        psi[row] = sign_log_partition(labels[row], omega, V, 0.0)
        if k < size:
            total += psi[row] + 0.5 * V * g[row] * g[row]
    return float(total)


@kept(fast=True)
def _norms(tau: float, order: Integers, size: int, psi: Floats) -> tuple[float, float, float, float]:
    """Of the weights e^{−τψ} inside and e^{τψ} outside: the largest exponent and the sum relative to it, each."""
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
def _draw(tau: float, order: Integers, start: int, stop: int, psi: Floats, largest: float, goal: float) -> int:
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
    beta: float, rng: np.random.Generator, pool: Floats, labels: Floats, size: int, order: Integers,
    mean: Floats, variance: Floats, g: Floats, psi: Floats, log_evidence: float, trial: Floats, rows: Floats,
    sums: Floats, tolerance: float, schedule: Floats, following: int,
) -> tuple[int, float]:  # fmt: skip
    """Try one exchange: 1 taken, 0 refused, −1 refused since AMP did not converge; and ln Z of where the chain is.

    ``trial`` (2, N), ``rows`` (4, pool) and ``sums`` (2, N) are memory to work in.
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
        pool, labels, order, size, trial[0], trial[1], rows[0], rows[2:], sums, tolerance, schedule, following
    )
    if found:
        new = _read_off(pool, labels, order, size, trial[0], trial[1], rows[0], rows[2:], sums, rows[1])
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
    pool: Floats, labels: Floats, size: int, order: Integers, mean: Floats, variance: Floats, g: Floats, psi: Floats,
    tolerance: float, schedule: Floats,
) -> float:  # fmt: skip
    """AMP from the start on a chain's subset: ln Z, NaN where it does not converge."""
    fields, sums = np.empty((2, pool.shape[0])), np.empty((2, pool.shape[1]))
    if not _fixed_point(pool, labels, order, size, mean, variance, g, fields, sums, tolerance, schedule, 0):
        return np.nan
    return _read_off(pool, labels, order, size, mean, variance, g, fields, sums, psi)
