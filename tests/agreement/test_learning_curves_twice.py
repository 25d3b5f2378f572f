"""Learning curves computed a second time, slowly: other cells, sums in real space, textbook
formulas, one root.

Nothing here is of the package but the numbers that are compared: densities live on cells with zero
at an edge, spread by a convolution with a normal density, and Q is the root of the plain equation.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import roots_hermitenorm, xlogy
from scipy.stats import binom, norm

from gardner.model import GLM, parse_channel, parse_prior
from gardner.rules import Rule
from gardner.rules.known import Agnostic, PartlyRandom, PosteriorCommittee, TargetMargin
from gardner.theory import learning_curve

Floats = NDArray[np.float64]
CELLS, REACH = 6000, 6.0
WIDTH = 2.0 * REACH / CELLS
OMEGA = (np.arange(CELLS) + 0.5) * WIDTH - REACH
NODES, WEIGHTS = roots_hermitenorm(80)
WEIGHTS = WEIGHTS / WEIGHTS.sum()

# P(y = +1 | ω, V) as u and slope du/dω of ε + (1 − 2ε) Φ(u): sign, flip:0.1, probit:0.2
CHANNELS: dict[str, tuple[float, float]] = {"sign": (0.0, 0.0), "flip:0.1": (0.1, 0.0), "probit:0.2": (0.0, 0.2)}


def spread(masses: Floats, step: float) -> Floats:
    reach = math.ceil(7.0 * math.sqrt(step) / WIDTH)
    kernel = norm.pdf(np.arange(-reach, reach + 1) * WIDTH, scale=math.sqrt(step))
    whole = np.convolve(masses, kernel / kernel.sum())
    return whole[reach : reach + masses.size]


def told_and_entropy(channel: str, V: float) -> tuple[Floats, Floats]:
    """Σ_y Z'²/Z and −Σ_y Z ln Z."""
    flips, noise = CHANNELS[channel]
    width = math.sqrt(V + noise)
    plus = flips + (1.0 - 2.0 * flips) * norm.cdf(OMEGA / width)
    minus = flips + (1.0 - 2.0 * flips) * norm.sf(OMEGA / width)
    slope = (1.0 - 2.0 * flips) * norm.pdf(OMEGA / width) / width
    return slope**2 / np.maximum(plus * minus, 1e-300), -xlogy(plus, plus) - xlogy(minus, minus)


def weights(prior: str, hat: float) -> tuple[float, float]:
    """Overlap Q and Ψ_X at q̂."""
    if prior == "gaussian":
        return hat / (1.0 + hat), 0.5 * (hat - math.log1p(hat))
    field = hat + math.sqrt(hat) * NODES  # rademacher, seen from the teacher
    return float(WEIGHTS @ np.tanh(field)), float(WEIGHTS @ np.logaddexp(field, -field)) - math.log(2.0) - 0.5 * hat


def cut(pool: Floats, order: Floats, mass: float) -> Floats:
    """The ``mass`` whose ``order`` is least, the last cells in part."""
    ranked = np.argsort(order, kind="stable")
    before = np.concatenate([[0.0], np.cumsum(pool[ranked])[:-1]])
    taken = np.empty_like(pool)
    taken[ranked] = np.clip(mass - before, 0.0, pool[ranked])
    return np.asarray(0.5 * (taken + taken[::-1]))  # cells at ω and −ω are equal, whichever came first


def by_margin(target: float, share: float = 0.0) -> Callable[[Floats, float, float], Floats]:
    def take(pool: Floats, V: float, mass: float) -> Floats:
        best = cut(pool, np.abs(np.abs(OMEGA) / math.sqrt(V) - target), (1.0 - share) * mass)
        return np.asarray(best + (pool - best) * (share * mass / (pool - best).sum()))

    return take


def by_committee(members: int) -> Callable[[Floats, float, float], Floats]:
    def take(pool: Floats, V: float, mass: float) -> Floats:
        votes = np.arange(members + 1)
        chances = binom.pmf(votes[:, None], members, norm.cdf(OMEGA / math.sqrt(V))[None, :])
        taken = np.zeros_like(pool)
        for split in sorted(set(np.abs(2 * votes - members))):
            rows = pool * chances[np.abs(2 * votes - members) == split].sum(axis=0)
            part = min(1.0, (mass - taken.sum()) / rows.sum())
            taken = taken + part * rows
            if part < 1.0:
                break
        return taken

    return take


def slow_curve(
    take: Callable[[Floats, float, float], Floats], prior: str, channel: str, question: tuple[float, float, int]
) -> list[tuple[float, float]]:
    """(ln v, Q) after each of so many equal rounds, the first at random."""
    alpha, kappa, rounds = question
    V, found = 1.0, list[tuple[float, float]]()
    pool = labelled = np.zeros(CELLS)
    for index in range(rounds):
        if index:
            taken = take(pool, V, kappa)
            pool, labelled = pool - taken, labelled + taken

        def rows(step: float, index: int = index, labelled: Floats = labelled) -> Floats:
            if index:
                return spread(labelled, step)
            density = norm.pdf(OMEGA, scale=math.sqrt(step))
            return np.asarray(kappa * density / density.sum())

        def missed(step: float, V: float = V, rows: Callable[[float], Floats] = rows) -> float:
            told, _ = told_and_entropy(channel, V - step)
            return weights(prior, float(rows(step) @ told))[0] - (1.0 - V + step)

        step = brentq(missed, 1e-3 * V, 0.9 * V, xtol=1e-12)
        labelled, pool = rows(step), spread(pool, step) if index else rows(step) * (alpha / kappa - 1.0)
        V -= step
        told, entropy = told_and_entropy(channel, V)
        hat = float(labelled @ told)
        found.append((weights(prior, hat)[1] - 0.5 * hat * (1.0 - V) - float(labelled @ entropy), 1.0 - V))
    return found


@pytest.mark.parametrize(
    ("rule", "take", "prior", "channel", "question"),
    [
        (Agnostic(), by_margin(0.0), "gaussian", "sign", (3.0, 0.2, 9)),
        (Agnostic(), by_margin(0.0), "gaussian", "flip:0.1", (2.0, 0.3, 6)),
        (Agnostic(), by_margin(0.0), "gaussian", "sign", (10.0, 0.25, 10)),
        (Agnostic(), by_margin(0.0), "rademacher", "sign", (3.0, 0.15, 6)),
        (TargetMargin(0.7), by_margin(0.7), "gaussian", "probit:0.2", (3.0, 0.25, 6)),
        (PartlyRandom(0.4), by_margin(0.0, 0.4), "gaussian", "sign", (1.5, 0.1, 12)),
        (PosteriorCommittee(5), by_committee(5), "gaussian", "sign", (3.0, 0.1, 10)),
        (PosteriorCommittee(8), by_committee(8), "gaussian", "flip:0.1", (2.0, 0.25, 7)),
    ],
)
def test_two_computations_agree(
    rule: Rule,
    take: Callable[[Floats, float, float], Floats],
    prior: str,
    channel: str,
    question: tuple[float, float, int],
) -> None:
    alpha, kappa, rounds = question
    # the band around a margin has two edges, which whole cells place to first order only
    tolerance = 1e-4 if isinstance(rule, TargetMargin) else 2e-5
    model = GLM(parse_prior(prior), parse_channel(channel))
    fast = learning_curve(rule, model, pool_ratio=alpha, budget=rounds * kappa, batch_ratio=kappa)
    slow = slow_curve(take, prior, channel, question)
    assert len(fast.points) == rounds
    for point, (log_volume, overlap) in zip(fast.points, slow, strict=True):
        assert point.log_volume == pytest.approx(log_volume, abs=tolerance)
        assert point.overlap == pytest.approx(overlap, abs=tolerance)
