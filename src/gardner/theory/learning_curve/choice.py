"""Which rows a rule takes: the share of each cell that moves from the pool to the labelled rows.

Rows of the best level go first, all of a level with equal chances. A score makes every value of it
a level; a rule with chances spreads each cell over its levels.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gardner.model import Channel
from gardner.model.arrays import Floats
from gardner.rules import Rule, checked_levels, checked_scores
from gardner.theory.learning_curve.grid import Grid
from gardner.theory.roots import root_between

# Places within √V at which a smooth score is asked for, and joined by cubics: their error is of order 8⁻⁴.
_PER_WIDTH = 8
# The share of the range of scores below which cells have one score: less is rounding.
_FLAT = 1e-12


class Taken(NamedTuple):
    """Masses that are taken from the cells, and the score (or the number of the level) of the last of them."""

    masses: Floats
    threshold: float


def take(rule: Rule, pool: Floats, grid: Grid, V: float, channel: Channel, mass: float) -> Taken:
    """The best ``mass`` of the pool's rows, a share of it at random if the rule says so."""
    chosen = mass * (1.0 - rule.random_share)
    rows, threshold = best(rule, pool, grid, V, channel, chosen)
    if rule.random_share > 0.0:
        left = pool - rows
        rows = rows + left * (mass - chosen) / left.sum()
    return Taken(rows, threshold)


def best(rule: Rule, pool: Floats, grid: Grid, V: float, channel: Channel, mass: float) -> Taken:
    """The best ``mass`` of the pool's rows by what the rule sees of them."""
    if rule.blind or mass <= 0.0:
        return Taken(pool * (mass / pool.sum()), math.nan)
    chances = checked_levels(rule, grid.omega, np.full_like(grid.omega, V), channel)
    if chances is None:
        return best_by_score(pool, _scores(rule, grid, V, channel), mass)
    taken = np.zeros_like(pool)
    for level, chance in enumerate(chances):
        rows = pool * chance
        total = float(rows.sum())
        if total >= mass:
            return Taken(taken + rows * (mass / total), float(level))
        taken, mass = taken + rows, mass - total
    return Taken(taken, float(len(chances) - 1))  # rounding: all rows were asked for


def _scores(rule: Rule, grid: Grid, V: float, channel: Channel) -> Floats:
    """Scores at the edges of the cells; smooth ones at fewer places, which a spline joins."""
    places = grid.edges
    count = math.ceil((places[-1] - places[0]) * _PER_WIDTH / math.sqrt(V))
    if not rule.smooth(channel) or count > places.size:
        return checked_scores(rule, places, np.full_like(places, V), channel)
    from scipy.interpolate import CubicSpline  # here: most rules do without it

    few = np.linspace(places[0], places[-1], count)
    return np.asarray(CubicSpline(few, checked_scores(rule, few, np.full_like(few, V), channel))(places))


def best_by_score(pool: Floats, scores: Floats, mass: float) -> Taken:
    """The ``mass`` of largest score, the scores given at the edges of the cells.

    Within a cell the score runs from edge to edge, so that the threshold cuts a share off it. Cells
    of one and the same score have equal chances.

    >>> best_by_score(np.array([1.0, 2.0]), np.array([3.0, 2.0, 1.0]), 2.0)
    Taken(masses=array([1., 1.]), threshold=1.5)
    """
    scores = _finite(scores)
    high, low = np.maximum(scores[1:], scores[:-1]), np.minimum(scores[1:], scores[:-1])
    scale = 1.0 / np.maximum(high - low, _FLAT * max(float(np.ptp(scores)), _FLAT))
    top, bottom = float(high.max()), float(low.min())

    def shares(threshold: float) -> Floats:
        return np.asarray(np.clip((high - threshold) * scale, 0.0, 1.0))

    def excess(threshold: float) -> float:
        return float(pool @ shares(threshold)) - mass

    edge = bottom
    if top > bottom and excess(bottom) > 0.0:
        edge = root_between(excess, bottom, top, what="threshold of the choice", absolute=1e-13 * (top - bottom))
    share = shares(edge)
    whole = np.where(share >= 1.0, pool, 0.0)
    cut = pool * np.where(share < 1.0, share, 0.0) if top > bottom else pool
    whole = whole if top > bottom else 0.0 * pool
    held = float(cut.sum())
    return Taken(whole + cut * ((mass - float(whole.sum())) / held if held > 0.0 else 0.0), edge)


def _finite(scores: Floats) -> Floats:
    """Scores with −∞ and ∞ moved to where they still are the last and the first."""
    real = scores[np.isfinite(scores)]
    if real.size == scores.size:
        return scores
    low, high = (float(real.min()), float(real.max())) if real.size else (0.0, 0.0)
    reach = high - low + 1.0
    return np.clip(scores, low - reach, high + reach)
