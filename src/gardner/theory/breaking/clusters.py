"""What clusters add at x = 1 to a symmetric state of β < 0, where a grid of rows × nodes is out of
reach.

Towards the pool's own volume |β| grows by decades. A row's chance to be taken then turns within
1/|β|, while the rows that are taken pull z away by many deviations. A uniform grid that is fine
enough for the first and wide enough for the second has too many points. But at x = 1 the weight
e^F = 1 + e^f, f = φ + L, has a part that is known,

    ∫Dz e^F = 1 + e^{f_D(h₀)},      ⟨F⟩ = p(h₀) ⟨k(f)⟩_B,      k(f) = (1 + e^{−f}) ln(1 + e^f),

with f_D the f of the whole D = D₁ + d, p = 1/(1 + e^{−f_D}) and B the law N(h; h₀, d) e^{f(h)}.
That law has one peak. k turns from 1 to f within a few units of f = 0, and is nearly a constant or
a line elsewhere. So a window that follows the peak will do, and where the turn lies in it, nodes h
= h_k + sinh(u)/|f'(h_k)|, which are dense at the turn and sparse away from it. The rows h₀ are
placed in the same way about the turn of p. Then

    S = α E[⟨F⟩ − ln(1 + e^{f_D})] + ½(βd/U − ln(U/W)) − ½ d α E[(p f_D')²],      U = W + βd.

To the right f falls to φ. Where that is positive, more than half of the rows that tell nothing are
taken too, and f never passes zero: then p and k turn where f leaves φ, about f = φ + 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ndtr

from gardner.errors import ConvergenceError
from gardner.model import Channel
from gardner.theory.breaking.free_entropy import REACH, Place
from gardner.theory.breaking.rows import tabulate, values
from gardner.theory.formula.logistic import sigmoid, softplus
from gardner.theory.formula.taylor import Floats
from gardner.theory.roots import root_between

# Knots of f in the width of its bend, W/√V, for |β| = 1. A cubic errs by |f| over the fourth power
# of their number, so more are taken for larger |β|, by its fourth root: S is then right to 10⁻⁹.
_KNOTS = 60.0
# The most knots in that width: for |β| beyond 10⁵ digits are lost, and a second look says so.
_MOST_KNOTS = 1000.0
# How far f bends, in units of W/√V below zero and √V above; beyond, it is nearly a parabola, or
# constant.
_BENT = 10.0
# Between knots beyond, as a share of the distance from zero.
_GROWTH = 0.01
# The spacing of u for the rows and, where the bend lies in the window, for the nodes: halving
# changes nothing to 10⁻⁹.
_ROWS, _NODES = 0.05, 0.02
# Rows and nodes at least, where a row's chance turns slowly.
_FEWEST = 300
# The spacing of nodes in a window without a turn, in units of the peak's width: exact for a peak.
_PLAIN = 0.2
# The f below which a row is not taken: p = e^−40.
_NEVER = -40.0
# Steps to the peak; Newton takes ten, halving alone sixty.
_MOST_STEPS = 80


def split_at_one(channel: Channel, pool_ratio: float, at: Place, fineness: float = 1.0) -> float:
    """S = ∂Φ₁/∂x at a place of x = 1 and β < 0; ``fineness`` divides all spacings."""
    f = _spline(channel, at, fineness)
    turn = _row_at_turn(channel, at)
    width = _width(float(f(turn, 1)))
    low, high = ((end - turn) / width for end in (-REACH * math.sqrt(at.t), REACH * math.sqrt(at.q0)))
    first, last = math.asinh(low), math.asinh(high)
    u = _even(first, last, min(_ROWS, (last - first) / _FEWEST) / fineness)
    rows = turn + width * np.sinh(u)
    density = np.exp(-0.5 * rows * rows / at.q0) / math.sqrt(2.0 * math.pi * at.q0)
    weights = 2.0 * density * ndtr(at.m * rows / math.sqrt(at.q0 * at.t)) * width * np.cosh(u) * (u[1] - u[0])
    fields = tabulate(channel, rows, at.D + at.d, at.V, at.beta)
    whole = at.phi + fields.value
    taken = sigmoid(whole)
    outer = pool_ratio * float(weights @ (taken * fields.slope) ** 2)
    some = whole > _NEVER
    gain = np.zeros_like(rows)
    gain[some] = taken[some] * _turned_mean(f, rows[some], at, fineness) - softplus(whole[some])
    closed = at.beta * at.d / at.U - math.log(at.U / at.W)
    return pool_ratio * float(weights @ gain) + 0.5 * (closed - at.d * outer)


def steepness(channel: Channel, at: Place) -> float:
    """|f_D'| where a row's chance to be taken turns."""
    turn = np.array([_row_at_turn(channel, at)])
    return 1.0 / _width(float(tabulate(channel, turn, at.D + at.d, at.V, at.beta).slope[0]))


def _row_at_turn(channel: Channel, at: Place) -> float:
    def f(h: float) -> float:
        return at.phi + float(values(channel, np.array([h]), at.D + at.d, at.V, at.beta)[0])

    return _turn(f, at.phi, -REACH * math.sqrt(at.t), REACH * math.sqrt(at.q0))


def _turn(f: Callable[[float], float], phi: float, low: float, high: float) -> float:
    """Where p and k turn: where f, which falls to φ, passes zero, or φ + 1 if that is more; or the
    low end.
    """
    level = max(0.0, phi + 1.0)
    if f(low) <= level:
        return low
    return root_between(lambda h: f(h) - level, low, high, what="turn of a row's chance")


def _width(slope: float) -> float:
    """Over which field a row's chance turns."""
    if not slope < 0.0:
        raise ConvergenceError("a row's chance does not turn")
    return -1.0 / slope


def _spline(channel: Channel, at: Place, fineness: float) -> CubicSpline:
    """f = φ + L of D₁ wherever windows reach."""
    pulled = REACH * (math.sqrt(at.t) * at.W / at.U + math.sqrt(at.d * at.W / at.U))
    bend = at.W / math.sqrt(at.V)  # less than √V, since β < 0
    left, right = _BENT * bend, _BENT * math.sqrt(at.V)
    knots = fineness * min(_KNOTS * max(-at.beta, 1.0) ** 0.25, _MOST_KNOTS)

    def beyond(start: float, reach: float) -> Floats:
        growth = math.log1p(_GROWTH * _KNOTS / knots)
        return start * np.exp(_even(0.0, math.log(max(reach / start, 2.0)), growth))[1:]

    # windows reach nine of their widths beyond the rows, and beyond what pulls them
    below, above = beyond(left, 2.2 * pulled), beyond(right, REACH * (math.sqrt(at.q0) + math.sqrt(at.d)))
    h = np.concatenate([-below[::-1], _even(-left, right, bend / knots), above])
    value = at.phi + values(channel, h, at.D, at.V, at.beta)
    if not np.all(np.isfinite(value)):
        raise ConvergenceError("the fields of clusters overflow")
    return CubicSpline(h, value)


def _turned_mean(f: CubicSpline, rows: Floats, at: Place, fineness: float) -> Floats:
    """⟨k(f)⟩_B of every row."""
    peaks, widths = _peaks(f, rows, at.d)
    # a peak where f is flat may have a tail to the left where f is a parabola, and B as wide as it
    # can be
    wide = np.maximum(widths, math.sqrt(at.d * at.W / at.U))
    ends = np.stack([peaks - REACH * wide, peaks + REACH * widths])
    turn = _turn(lambda h: float(f(h)), at.phi, float(f.x[0]), float(f.x[-1]))
    near = (ends[0] < turn) & (turn < ends[1])
    mean = np.empty_like(rows)
    if not near.all():
        plain, (first, last) = ~near, ends[:, ~near]
        share = _even(0.0, 1.0, _PLAIN / fineness * float(np.min(widths[plain] / (last - first))))
        mean[plain] = _averages(f, first[:, None] + (last - first)[:, None] * share, rows[plain], at.d, 0.0)
    if near.any():
        width = _width(float(f(turn, 1)))
        first, last = np.arcsinh((ends[:, near] - turn) / width)
        share = _even(0.0, 1.0, min(_NODES / float(np.max(last - first)), 1.0 / _FEWEST) / fineness)
        u = first[:, None] + (last - first)[:, None] * share
        mean[near] = _averages(f, turn + width * np.sinh(u), rows[near], at.d, np.log(np.cosh(u)))
    return mean


def _peaks(f: CubicSpline, rows: Floats, d: float) -> tuple[Floats, Floats]:
    """Where N(h; h₀, d) e^{f(h)} is largest, left of h₀ since f falls, and how wide that peak is."""
    low, high = np.full_like(rows, f.x[0]), rows.copy()
    h = rows.copy()
    for _ in range(_MOST_STEPS):
        slope = (h - rows) / d - f(h, 1)
        low, high = np.where(slope < 0.0, h, low), np.where(slope > 0.0, h, high)
        new = h - slope / (1.0 / d - f(h, 2))
        new = np.where((new >= low) & (new <= high), new, 0.5 * (low + high))
        moved = np.abs(new - h)
        h = new
        if not np.max(moved / math.sqrt(d)) > 1e-6:
            break
    else:
        raise ConvergenceError("the peak of a cluster's row was not found")
    bend = 1.0 / d - f(h, 2)
    if not np.all(bend > 0.0):
        raise ConvergenceError("the law of a cluster's row has no peak")
    return h, 1.0 / np.sqrt(bend)


def _averages(f: CubicSpline, h: Floats, rows: Floats, d: float, log_steps: Floats | float) -> Floats:
    """⟨k(f)⟩ over nodes h, a line a row."""
    value = f(h)
    exponents = value - (h - rows[:, None]) ** 2 / (2.0 * d) + log_steps
    chances = np.exp(exponents - exponents.max(axis=1)[:, None])
    # (1 + e^−f) ln(1 + e^f) is 1 + ½e^f where f is very negative
    bent = np.where(value > -30.0, (1.0 + np.exp(-np.maximum(value, -30.0))) * softplus(value), 1.0)
    mean: Floats = (chances * bent).sum(axis=1) / chances.sum(axis=1)
    return mean


def _even(first: float, last: float, step: float) -> Floats:
    """Points from one number to another, at most a step apart."""
    points: Floats = np.linspace(first, last, max(math.ceil((last - first) / step), 1) + 1)
    return points
