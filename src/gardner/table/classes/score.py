"""What the label of one row tells about the label of another, with several classes.

Fields of different classes are independent; those of class j in two rows have the covariance C_j.
With G_cj = ∂P(c)/∂m_j (:mod:`gardner.table.classes.largest`), to first order in C

    P(c, c') = P(c) P'(c') + Σ_j C_j G_cj G'_c'j,    so    I(y; y') = ½ R² + …,
    R² = Σ_jk C_j C_k S_jk S'_jk,    S_jk = Σ_c G_cj G_ck / P(c).

R² is the sum of the squares of the canonical correlations of the two labels, of which there are
K − 1. The information used is −½ ln(1 − R²), as for two classes, never above the entropy of either
label. With two classes S is s on the field h_1 − h_2, and all is as in :mod:`gardner.table.score`.

Within a batch, near copies must be seen for what they are, and there the first order is not enough.
The labels "class c or not" of two rows are taken as signs of two normal numbers [plackett1954] of
correlation r_c, whose information I_c is known exactly, and

    I(y; y') ≈ Σ_c [1 − ½P(c) − ½P'(c)] I_c,    r_c = Σ_j C_j G_cj G'_cj / (N_c N'_c),
    N_c² = Σ_j T_j G_cj².

This is exact for two classes, and where all classes are alike and C is small but for a factor near
one; copies without noise tell each other everything. Tests hold both against sampled labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from gardner.model.arrays import Floats
from gardner.table.classes.largest import LEAST, entropy, slopes
from gardner.table.score import signs_information

# The largest sum of squared correlations: beyond it the logarithm would only measure rounding.
_NEARLY_ONE = 1.0 - 1e-9


@dataclass(frozen=True, eq=False)
class Labels:
    """What is known of the labels of some rows: variances T of the fields with noise, P, ∂P/∂m, S,
    and the entropy.
    """

    T: Floats
    chances: Floats
    slopes: Floats
    sharpness: Floats
    entropy: Floats

    @classmethod
    def of(cls, mean: Floats, T: Floats) -> Labels:
        """Of rows whose fields have these means and variances, noise included."""
        probability, matrix = slopes(mean, T)
        sharpness = np.matmul(matrix.transpose(0, 2, 1) / probability[:, None, :], matrix)
        return cls(T, probability, matrix, sharpness, entropy(probability))

    @property
    def narrowing(self) -> Floats:
        """s_k = E_y[g_k²]: by how much a label is expected to narrow the field of class k, V → V −
        sV².
        """
        return np.asarray(np.einsum("ikk->ik", self.sharpness))


def pair_information(covariance: Floats, here: Labels, there: Labels) -> Floats:
    """I(y; y') in nats of every row here with every one there; covariance is classes × rows ×
    others.
    """
    kinds = len(covariance)
    square = np.zeros(covariance.shape[1:])
    for j in range(kinds):
        part = np.zeros_like(square)
        for k in range(j + 1):
            both = np.outer((2.0 if k < j else 1.0) * here.sharpness[:, j, k], there.sharpness[:, j, k])
            both *= covariance[k]
            part += both
        part *= covariance[j]
        square += part
    np.clip(square, 0.0, _NEARLY_ONE, out=square)
    np.negative(square, out=square)
    np.log1p(square, out=square)
    square *= -0.5
    np.minimum(square, there.entropy, out=square)
    return np.minimum(square, here.entropy[:, None], out=square)


def information_of_one(covariance: Floats, one: Labels, others: Labels) -> Floats:
    """What the label of one row tells about that of each other, in nats; covariance is others ×
    classes.
    """
    first = np.clip(one.chances[0], LEAST, 1.0 - LEAST)
    second = np.clip(others.chances, LEAST, 1.0 - LEAST)
    with_one = np.einsum("cj,icj,ij->ic", one.slopes[0], others.slopes, covariance)
    length = np.sqrt(np.sum(one.slopes[0] ** 2 * one.T[0], axis=1))
    other_length = np.sqrt(np.einsum("icj,ij->ic", others.slopes**2, others.T))
    correlation = with_one / np.maximum(length * other_length, 1e-300)
    each = signs_information(ndtri(second), ndtri(first)[None, :], correlation, quick=True)
    total = np.sum((1.0 - 0.5 * second - 0.5 * first) * each, axis=1)
    return np.asarray(np.minimum(np.minimum(total, others.entropy), one.entropy[0]))
