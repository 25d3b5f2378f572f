"""Sampled curves of several numbers of weights, and what they say of N → ∞.

For pools of N weights

    ⟨ln Ξ(β)⟩/N = Φ(β) − ½ ln(N)/N + b/N + c/N²,

where b and c depend on β. The first correction is known: subsets of fixed size are a Gaussian cut
out of those of any size; at β = 0 it is Stirling's. Σ has the same; ln v, the derivative in β, has
none. The others are fitted.

Pools differ: at N = 20 the smallest ln v varies by 0.1 from pool to pool. But pools whose end is
low are low nearer to β = 0 too, where replica symmetry holds and Φ is known. So where the ends are
asked for, Φ of each pool at some such β (less what it is for many weights) enters the fit as well:
``paired``. It asks whether the ends are true given that the middle is, and errors are twenty times
smaller.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gardner.experiment.ensemble.answer import Ensemble

# The fewest pools of a size that is fitted: an error of the mean of two is worth nothing.
FEWEST = 3
# The least error of a mean, in nats: at β = 0 the number of subsets is known.
LEAST = 1e-9


class Limit(NamedTuple):
    """A value at N → ∞ with its standard error; χ² a degree of freedom of the fit, NaN where none
    is left.
    """

    value: float
    error: float
    chi: float


def limit(answers: Mapping[int, Ensemble], name: str, beta: float) -> Limit:
    """``log_partition``, ``log_volume`` or ``complexity`` at β for N → ∞, from answers by number of
    weights.
    """
    sizes = np.array([N for N, one in answers.items() if len(one.mixing) >= FEWEST], dtype=float)
    if sizes.size < 2:
        return Limit(math.nan, math.nan, math.nan)
    values = np.array([value_at(answers[int(N)], name, beta) for N in sizes])
    errors = np.maximum([value_at(answers[int(N)], f"{name}_stderr", beta) for N in sizes], LEAST)
    if name != "log_volume":
        values = values + 0.5 * np.log(sizes) / sizes
    terms = 3 if sizes.size > 3 else 2
    scaled = np.stack([np.ones(sizes.size), 1.0 / sizes, 1.0 / sizes**2], axis=1)[:, :terms] / errors[:, None]
    fit = np.linalg.lstsq(scaled, values / errors, rcond=None)[0]
    error = math.sqrt(np.linalg.inv(scaled.T @ scaled)[0, 0])
    left = sizes.size - terms
    chi = float(((values / errors - scaled @ fit) ** 2).sum() / left) if left else math.nan
    return Limit(float(fit[0]), error, chi)


def paired(answers: Mapping[int, Ensemble], name: str, beta: float, known: Mapping[float, float]) -> Limit:
    """``log_partition`` or ``log_volume`` at β for N → ∞, from all pools, given Φ of many weights
    at other β.

    Weighted least squares for a + b/N + c/N² + Σ_j k_j [Φ_p(β_j) − Φ(β_j)], a variance of 1/N, its
    size from what is left; χ² a degree of freedom is that of the means of what is left at each N.
    """
    values, others, sizes = list[float](), list[list[float]](), list[int]()
    for N, answer in answers.items():
        if len(answer.mixing) < FEWEST:
            continue
        shift = 0.5 * math.log(N) / N
        for _, curve in answer.pools.groupby("pool"):
            value, *near = (
                float(np.interp(at, curve["beta"], curve[column]))
                for at, column in [(beta, name), *((at, "log_partition") for at in known)]
            )
            values.append(value + (0.0 if name == "log_volume" else shift))
            others.append([one + shift - wanted for one, wanted in zip(near, known.values(), strict=True)])
            sizes.append(N)
    features = np.array(sizes, dtype=float)
    kinds = np.unique(features)
    terms = min(3, kinds.size - 1) if kinds.size > 2 else kinds.size
    powers = np.stack([features**-power for power in range(terms)], axis=1)
    weights = np.sqrt(features)
    scaled, wanted = np.concatenate([powers, np.array(others)], axis=1) * weights[:, None], np.array(values) * weights
    left = features.size - scaled.shape[1]
    if left < 1 or terms < 2:
        return Limit(math.nan, math.nan, math.nan)
    fit = np.linalg.lstsq(scaled, wanted, rcond=None)[0]
    rest = wanted - scaled @ fit
    variance = float(rest @ rest) / left
    error = math.sqrt(variance * np.linalg.pinv(scaled.T @ scaled)[0, 0])
    means = [(rest[features == size].mean(), np.count_nonzero(features == size)) for size in kinds]
    free = len(means) - terms
    chi = sum(count * mean**2 for mean, count in means) / variance / free if free else math.nan
    return Limit(float(fit[0]), error, float(chi))


def value_at(answer: Ensemble, name: str, beta: float) -> float:
    """A column of the curve at a β, between its points."""
    return float(np.interp(beta, answer.curve["beta"], answer.curve[name]))


def drawn_range(answer: Ensemble, draws: float) -> tuple[float, float]:
    """Mean ln v where so many random draws leave one: Σ = Σ(0) − ln(draws)/N on both sides."""
    curve = answer.curve
    level = float(curve["complexity"].max()) - math.log(draws) / answer.question.features
    inside = curve[curve["complexity"] >= level]["log_volume"]
    return float(inside.min()), float(inside.max())
