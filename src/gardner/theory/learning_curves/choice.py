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
from gardner.theory.learning_curves.grid import Grid
from gardner.theory.roots import root_between

# Places within √V at which a smooth score is asked for, and joined by cubics: their error is of
# order 8⁻⁴.
_PER_WIDTH = 8
# The share of the range of scores below which cells have one score: less is rounding.
_FLAT = 1e-12


class Taken(NamedTuple):
    """Masses that are taken from the cells, and the score (or the number of the level) of the last
    of them.
    """

    masses: Floats
    threshold: float


@np.errstate(all="ignore")  # a row may have no chance, or one that is no double
def take(
    rule: Rule, pool: Floats, grid: Grid, V: float, channel: Channel, mass: float, *, gradual: bool = False
) -> Taken:
    """The best ``mass`` of the pool's rows, a share of it at random if the rule says so.

    ``gradual``: a round stands for very many small ones, in each of which chances are drawn afresh.
    """
    chosen = mass * (1.0 - rule.random_share)
    redrawn = _redrawn(rule, pool, grid, V, channel, chosen) if gradual and not rule.blind else None
    rows, threshold = redrawn or best(rule, pool, grid, V, channel, chosen)
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


def _redrawn(rule: Rule, pool: Floats, grid: Grid, V: float, channel: Channel, mass: float) -> Taken | None:
    """What very many small rounds take by a rule with levels; None for one that scores.

    A small round finds enough rows in the best level, whatever their chance c of it, so that rows
    go at rates c: the share 1 − e^{−sc} of each cell is taken, s such that it is ``mass`` in all.
    Rows without any chance are left to what follows.
    """
    log_chance = rule.log_best(grid.omega, np.full_like(grid.omega, V), channel)
    if log_chance is None or mass <= 0.0:
        return None
    there = np.where(np.isfinite(log_chance), np.maximum(pool, 0.0), 0.0)
    if float(there.sum()) <= mass * (1.0 + 1e-12):
        return None

    def shares(log_rounds: float) -> Floats:
        return np.asarray(-np.expm1(-np.exp(log_rounds + log_chance)))

    def excess(log_rounds: float) -> float:
        return float(there @ shares(log_rounds)) - mass

    low = -float(np.max(log_chance)) + math.log(mass / float(there.sum())) - 1e-9
    high, stride = low + 1.0, 1.0
    while excess(high) < 0.0:
        low, high, stride = high, high + 2.0 * stride, 2.0 * stride
    edge = root_between(excess, low, high, what="rate of the choice", absolute=1e-12, relative=0.0)
    taken = there * shares(edge)
    return Taken(taken * (mass / float(taken.sum())), 0.0)


def _scores(rule: Rule, grid: Grid, V: float, channel: Channel) -> Floats:
    """Scores at edges and centres of the cells; smooth ones at fewer places, which a spline joins."""
    places = grid.places
    count = math.ceil((places[-1] - places[0]) * _PER_WIDTH / math.sqrt(V))
    if not rule.smooth(channel) or count > places.size:
        return checked_scores(rule, places, np.full_like(places, V), channel)
    from scipy.interpolate import CubicSpline  # here: most rules do without it

    few = np.linspace(places[0], places[-1], count)
    return np.asarray(CubicSpline(few, checked_scores(rule, few, np.full_like(few, V), channel))(places))


def best_by_score(pool: Floats, scores: Floats, mass: float) -> Taken:
    """The ``mass`` of largest score, the scores given at edges and centres of the cells.

    Within a cell the score runs from its largest to its smallest, so that the threshold cuts a
    share off it. Cells of one and the same score have equal chances.

    >>> best_by_score(np.array([1.0, 2.0]), np.array([3.0, 2.5, 2.0, 1.5, 1.0]), 2.0)
    Taken(masses=array([1., 1.]), threshold=1.5)
    """
    scores = _finite(scores)
    first, centre, last = scores[:-1:2], scores[1::2], scores[2::2]
    high, low = (of(centre, of(first, last)) for of in (np.maximum, np.minimum))
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
    cut = cut * ((mass - float(whole.sum())) / held if held > 0.0 else 0.0)
    peaked = np.where((centre > first) & (centre > last), cut * share**2, 0.0)
    return Taken(whole + _widened(cut, peaked / 24.0), edge)


def _widened(masses: Floats, moved: Floats) -> Floats:
    """Masses of which so much was moved to either neighbour.

    The share s that is cut out of the middle of a cell has the variance s²h²/12, which a mass at
    its centre has not: s²/24 of it at either neighbour makes up for that.
    """
    wider = masses - 2.0 * moved
    wider[1:] += moved[:-1]
    wider[:-1] += moved[1:]
    return wider


def _finite(scores: Floats) -> Floats:
    """Scores with −∞ and ∞ moved to where they still are the last and the first."""
    real = scores[np.isfinite(scores)]
    if real.size == scores.size:
        return scores
    low, high = (float(real.min()), float(real.max())) if real.size else (0.0, 0.0)
    reach = high - low + 1.0
    return np.clip(scores, low - reach, high + reach)
