"""Normal weights: the scalar terms of the prior in closed form, averaged over the variances.

A spectrum gives every weight a variance c of its own. Two students or a teacher and a student share
the directions, so a mode is a direction with the student's variance c, the variance of the teacher
in units of its mean, τ, and the share of the weights it stands for. Weights of one variance are one
mode. With the posterior variance v = c/(1 + cA) of a weight at the field b = m̂x⁰ + √Q̂ ξ,

    ∫Dξ Z⁰_X ψ_X = mean[−½ ln(1+cA) + ½ v (Q̂ + m̂²τ)],    m = m̂ mean[vτ],    V = mean[v],
    S = Q − m² = Q̂ mean[v²] + m̂² mean[τ(v − mean[vτ])²]          (no differences: mean τ = 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gardner.theory.formula.taylor import Floats


@dataclass(frozen=True)
class Modes:
    """Directions of weights that are alike: their shares, the student's variances c, the teacher's
    τ of mean 1.
    """

    share: Floats
    c: Floats
    tau: Floats

    @staticmethod
    def of(student: Floats, teacher: Floats) -> Modes:
        """From E[x²] weight by weight, or for all weights; what is there twice is counted, not
        kept.
        """
        c, tau = np.broadcast_arrays(student, teacher / np.mean(teacher))
        different, counts = np.unique(np.stack([c, tau]), axis=1, return_counts=True)
        return Modes(counts / counts.sum(), *different)

    def posterior_variances(self, A: float) -> Floats:
        """v = c/(1 + cA), mode by mode."""
        return self.c / (1.0 + self.c * A)

    def domain(self, A: float) -> bool:
        """Whether every weight's integral exists."""
        return bool(1.0 + self.c.max() * A > 0.0)

    def variance(self, A: float) -> float:
        """V = mean[c/(1 + cA)]."""
        return float(self.share @ self.posterior_variances(A))

    def log_determinant(self, A: float) -> float:
        """mean ln(1 + cA)."""
        return float(self.share @ np.log1p(self.c * A))

    def potential(self, A: float, m_hat: float, Q_hat: float) -> float:
        """∫Dξ Z⁰_X ψ_X."""
        v = self.posterior_variances(A)
        return 0.5 * (float(self.share @ (v * (Q_hat + m_hat**2 * self.tau))) - self.log_determinant(A))

    def overlap(self, A: float, m_hat: float) -> float:
        """m = m̂ mean[vτ]."""
        return m_hat * float(self.share @ (self.posterior_variances(A) * self.tau))

    def spread(self, A: float, m_hat: float, Q_hat: float) -> float:
        """S = Q − m²."""
        v, teacher_share = self.posterior_variances(A), self.share * self.tau
        return Q_hat * float(self.share @ v**2) + m_hat**2 * float(teacher_share @ (v - teacher_share @ v) ** 2)

    def odds(self, q_hat: float) -> float:
        """ln Q/V of a matched pair at q̂: mean[c²q̂/(1 + cq̂)] over mean[c/(1 + cq̂)]."""
        v = self.posterior_variances(q_hat)
        return math.log(q_hat * float(self.share @ (self.c * v))) - math.log(float(self.share @ v))

    def rate(self, share: float) -> float:
        """Bits a weight needed to know all weights up to this share of their variance.

        The rate–distortion function of independent normal numbers, by reverse water-filling
        [cover2006, §10.3.3]: ½ mean log₂⁺(c/θ), where mean min(c, θ) is the share of ρ left open.
        """
        order = np.argsort(self.c)
        c, weights = self.c[order], self.share[order]
        left = share * float(self.share @ self.c)
        below = np.concatenate([[0.0], np.cumsum(weights * c)])[:-1]  # of the variances up to each
        above = 1.0 - np.concatenate([[0.0], np.cumsum(weights)])[:-1]
        filled = below + c * above  # mean min(c, θ) at θ equal to each variance
        first = min(int(np.searchsorted(filled, left)), len(c) - 1)
        level = (left - below[first]) / above[first]
        return 0.5 * float(weights[first:] @ np.log2(np.maximum(c[first:] / level, 1.0)))

    def matched_entropy(self, q_hat: float, V: float) -> float:
        """Ψ_X(q̂) − ½q̂Q at Q = ρ − V: ½(q̂V − mean ln(1 + cq̂))."""
        return 0.5 * (q_hat * V - self.log_determinant(q_hat))
