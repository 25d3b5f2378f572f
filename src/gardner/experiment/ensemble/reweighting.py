"""Samples at many β as one: multi-histogram reweighting.

Subsets sampled at β_1 … β_T, n_t of each, say together how many subsets there are of which ln Z:
[ferrenberg1989], without bins [shirts2008]. With F_t = ln Ξ(β_t), Ξ(β) = Σ_S e^{β ln Z(S)}, one
sample E of ln Z stands for

    1/D(E) subsets,    D(E) = Σ_t n_t exp(β_t E − F_t),

and the F_t follow from Ξ(β) = Σ_samples e^{βE}/D(E) at the β_t themselves. These equations are the
stationarity of

    Σ_samples ln D(E) + Σ_t n_t F_t,

which is convex, so Newton's method finds the one solution up to a constant; and that is known: Ξ(0)
is the number of subsets, C(pool, K).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.experiment.ensemble.chain import Floats
from gardner.experiment.ensemble.tempering import SamplingError

# The largest share of samples by which a rung may be off when the equations count as solved.
SOLVED = 1e-9
# Newton's steps at most; ten are usual.
STEPS = 100


@dataclass(frozen=True)
class Reweighting:
    """Samples of ln Z with the logarithm of the number of subsets each stands for; ``rungs`` is ln
    Ξ at their β.
    """

    log_evidence: Floats
    log_weight: Floats
    rungs: Floats
    iterations: int
    residual: float

    def log_partition(self, betas: Floats) -> tuple[Floats, Floats, Floats]:
        """ln Ξ, the mean of ln Z and its variance at any β inside the ladder."""
        sums, means, variances = [], [], []
        for beta in np.atleast_1d(betas):
            exponent = beta * self.log_evidence + self.log_weight
            top = exponent.max()
            weight = np.exp(exponent - top)
            total = weight.sum()
            mean = float(weight @ self.log_evidence / total)
            sums.append(top + math.log(total))
            means.append(mean)
            variances.append(float(weight @ (self.log_evidence - mean) ** 2 / total))
        return np.array(sums), np.array(means), np.array(variances)

    def histogram(self, edges: Floats) -> Floats:
        """ln of the number of subsets with ln Z between edges; −∞ where no sample is."""
        index = np.digitize(self.log_evidence, edges) - 1
        found = np.full(edges.size - 1, -np.inf)
        for bin_ in range(found.size):
            inside = self.log_weight[index == bin_]
            if inside.size:
                found[bin_] = inside.max() + math.log(np.exp(inside - inside.max()).sum())
        return found


def log_subsets(pool_size: int, size: int) -> float:
    """ln C(pool, K), exactly.

    >>> round(math.exp(log_subsets(5, 2)))
    10
    """
    return math.lgamma(pool_size + 1) - math.lgamma(size + 1) - math.lgamma(pool_size - size + 1)


def reweight(betas: Floats, samples: Floats, log_count: float, start: Floats | None = None) -> Reweighting:
    """Put samples together: one line a sample, one column a β; ``log_count`` is ln Ξ(0), and one of
    the β is 0.

    ``start`` is ln Ξ at the β of other samples of the same: then two or three steps are enough.

    >>> rng = np.random.default_rng(0)
    >>> energies = np.array([0.0, 1.0, 2.0])  # three subsets
    >>> betas = np.array([-1.0, 0.0, 1.0])
    >>> chance = np.exp(betas[:, None] * energies); chance /= chance.sum(axis=1, keepdims=True)
    >>> drawn = np.stack([rng.choice(energies, size=20000, p=row) for row in chance], axis=1)
    >>> found = reweight(betas, drawn, math.log(3.0)).log_partition(np.array([1.0]))[0][0]
    >>> bool(abs(found - math.log(1.0 + math.e + math.e**2)) < 0.02)
    True
    """
    zero = np.flatnonzero(betas == 0.0)
    if zero.size != 1:
        raise SamplingError("one rung of the ladder must be at β = 0, where all subsets count alike")
    rounds, rungs = samples.shape
    energies = samples.ravel()
    share = np.full(rungs, 1.0 / rungs)
    reduced = betas[:, None] * energies  # (rung, sample)
    F = np.append(0.0, np.cumsum(0.5 * np.diff(betas) * (samples[:, 1:] + samples[:, :-1]).mean(axis=0)))
    F = F if start is None else start - start[0]
    value, chance = _objective(F, reduced, share)
    iterations = 0
    while True:
        gradient = share - chance.mean(axis=1)
        residual = float(np.abs(gradient).max())
        if residual < SOLVED or iterations == STEPS:
            break
        iterations += 1
        hessian = np.diag(chance.mean(axis=1)) - chance @ chance.T / energies.size
        step = np.zeros(rungs)
        step[1:] = np.linalg.lstsq(hessian[1:, 1:], gradient[1:], rcond=None)[0]
        scale = 1.0
        while True:  # Newton's step, halved while it does not go down
            trial, new = _objective(F - scale * step, reduced, share)
            if trial <= value + 1e-12 * abs(value) or scale < 1e-6:
                break
            scale *= 0.5
        F, value, chance = F - scale * step, trial, new
    F = F + log_count - F[zero[0]]
    exponent = reduced - F[:, None]
    top = exponent.max(axis=0)
    log_weight = -(top + np.log(np.exp(exponent - top).sum(axis=0)) + math.log(rounds))
    shift = log_count - _log_sum(log_weight)  # at β = 0 exactly, whatever is left of the residual
    return Reweighting(energies, log_weight + shift, F, iterations, residual)


def _objective(F: Floats, reduced: Floats, share: Floats) -> tuple[float, Floats]:
    """The convex function a sample, and the chance that a sample is of each rung."""
    exponent = reduced - F[:, None] + np.log(share)[:, None]
    top = exponent.max(axis=0)
    weight = np.exp(exponent - top)
    total = weight.sum(axis=0)
    return float((top + np.log(total)).mean() + share @ F), weight / total


def _log_sum(exponents: Floats) -> float:
    top = exponents.max()
    return float(top + math.log(np.exp(exponents - top).sum()))
