"""One round of the state evolution of a rule: what new labels do to the overlap and to every row.

A matched student's overlap Q is that with the teacher and with itself, and V = ρ − Q, ρ = E[x²].
The labelled rows have the density ℓ(ω), spread by N(0, Q − Q_before) since the last round. Q solves

    q̂ = ∫dω ℓ_Q(ω) Σ_y e^ψ g²,      Q = the prior's overlap at q̂,      ψ = ψ_Y(y, ω, ρ − Q), g = ∂ψ/∂ω,
    ln v = Ψ_X(q̂) − ½ q̂ Q + ∫dω ℓ_Q(ω) Σ_y e^ψ ψ      [barbier2019, for random rows].

It is carried as x = ln(V_before/V) ≥ 0, and written x = G(x), what the weights answer. G rises, so
iterating it from x = 0 never passes the first solution: that is the branch from below, which
message passing follows [donoho2009].
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gardner.errors import ConvergenceError
from gardner.model import Channel
from gardner.model.arrays import Floats
from gardner.theory.formula.expansion import channel_psi
from gardner.theory.formula.pair import Pair
from gardner.theory.learning_curves.grid import Grid, mirrored
from gardner.theory.random_subset.state_evolution import CERTAIN, WeightConjugates, weight_entropy, weight_moments
from gardner.theory.roots import root_between

# Sweeps of x = G(x) before it is said not to settle; Brent's method takes over after a few of them.
_SWEEPS = 2000
# How well x is known; ln v is stationary in it, and off by its square.
_TOLERANCE = 1e-10
# The least ρq̂: below it double precision cannot show what labels say about the weights.
_LEAST = 1e-20
# ln(ρ/V) from where weights count as known: V is below rounding.
KNOWN = 40.0
# Places at which a second solution is looked for, in equal steps of ln V.
_SCAN = 12
# Steps of the secant method that are tried before a bracket is searched; it takes three or four.
_SECANTS = 6


class Solved(NamedTuple):
    """An overlap that solves the equations: V = ρ − Q, q̂, ln v, and by how much x misses G(x)."""

    V: float
    q_hat: float
    log_volume: float
    residual: float


class Labelled(NamedTuple):
    """The labelled rows of a round, before the overlap has answered: masses in Fourier space, at V.

    Before the first round all rows are at ω = 0, which no cell resolves: ``unspread`` is their mass
    then, and what they spread to is written down as it is, a normal density.
    """

    pair: Pair
    grid: Grid
    waves: Floats
    V: float
    unspread: float = 0.0

    @property
    def second_moment(self) -> float:
        """ρ."""
        return self.pair.student.prior.second_moment

    def spread(self, x: float) -> Floats:
        """ℓ when V has fallen by the factor e^−x."""
        step = -self.V * math.expm1(-x)
        if self.unspread > 0.0:
            return self.unspread * self.grid.normal(max(step, 0.25 * self.grid.width**2))
        return self.grid.spread(self.waves, step)

    def q_hat_per_label(self, x: float) -> Floats:
        """Σ_y e^ψ g² there: what a label of each cell adds to q̂."""
        V, channel = self.V * math.exp(-x), self.pair.student.channel

        def term(y: float) -> Floats:
            psi, g = _psi_and_slope(channel, y, self.grid.omega, V)
            return np.asarray(np.exp(psi) * g**2)

        return sum_over_labels(self.pair, term)

    def q_hat(self, x: float) -> float:
        """q̂ there."""
        return float(self.spread(x) @ self.q_hat_per_label(x))

    def energy(self, x: float) -> float:
        """∫ ℓ_Q Σ_y e^ψ ψ: minus the entropy of the labels, given ω."""
        return -float(self.spread(x) @ label_entropies(self.pair, self.grid.omega, self.V * math.exp(-x)))

    def gain(self, x: float) -> float:
        """G(x) = ln(V_before/V) as the weights answer it."""
        return self.answer(self.q_hat(x))

    def answer(self, q_hat: float) -> float:
        """What the weights answer to q̂, as ln(V_before/V)."""
        return math.log(self.V / prior_variance(self.pair, q_hat))


def _psi_and_slope(channel: Channel, y: float, omega: Floats, V: float) -> tuple[Floats, Floats]:
    """ψ_Y and g on the cells; a channel without a closed form is tabulated."""
    if channel.closed_form:
        psi, g, _ = channel.slopes(y, omega, V)
        return np.asarray(psi), np.asarray(g)
    return channel_psi(channel, y, V).slopes(omega)[:2]


def label_entropies(pair: Pair, omega: Floats, V: float) -> Floats:
    """−Σ_y e^ψ ψ of the cells at variance V, in nats."""

    def entropy(y: float) -> Floats:
        channel = pair.student.channel
        closed = channel.closed_form
        psi = np.asarray(channel.log_partition(y, omega, V)) if closed else _psi_and_slope(channel, y, omega, V)[0]
        return np.asarray(np.where(psi > -700.0, -np.exp(psi) * psi, 0.0))

    return sum_over_labels(pair, entropy)


def noise_entropies(channel: Channel, grid: Grid) -> Floats:
    """−Σ_y P ln P of the label of a known field h, in nats, on the cells.

    A channel may have a step at h = 0, the centre of a cell: there both sides count by half.
    """

    def at(h: Floats) -> Floats:
        known = [np.asarray(channel.log_probability(y, h)) for y in channel.labels]
        return np.asarray(-sum(np.where(one > -700.0, np.exp(one) * one, 0.0) for one in known))

    if channel.noiseless:
        return np.zeros_like(grid.omega)
    total = at(grid.omega)
    total[grid.count // 2] = np.mean(at(np.array([-1e-3, 1e-3]) * grid.width))
    return total


def sum_over_labels(pair: Pair, term: Callable[[float], Floats]) -> Floats:
    """Σ_y of something on the cells; for an odd channel the term of −y is that of y mirrored."""
    total: Floats | None = None
    for y, count in pair.label_classes:
        here = term(y)
        here = here + mirrored(here) if count == 2.0 else here
        total = here if total is None else total + here
    if total is None:
        raise ConvergenceError("the channel has no labels")
    return total


def prior_variance(pair: Pair, q_hat: float) -> float:
    """V as the weights answer it to q̂; normal weights have mean[c/(1 + cq̂)]."""
    if pair.gaussian:
        return pair.modes.variance(q_hat)
    r0 = pair.student.prior.second_moment
    q_hat = max(q_hat, _LEAST / r0)  # cells that do not resolve g² may see nothing of it
    if r0 * q_hat >= CERTAIN and discrete(pair):
        return r0 * math.exp(-2.0 * KNOWN)
    return max(weight_moments(pair, _conjugates(pair, q_hat)).V, r0 * math.exp(-2.0 * KNOWN))


def _conjugates(pair: Pair, q_hat: float) -> WeightConjugates:
    return WeightConjugates(pair.teacher_scale * q_hat, q_hat, q_hat)


def first_solution(rows: Labelled) -> Solved:
    """The solution closest to what was known before."""
    if _known(rows, 1e-9):
        return everything(rows)
    q_hat = functools.cache(rows.q_hat)

    def gain(x: float) -> float:
        return rows.answer(q_hat(x))

    before, low = 0.0, gain(0.0)  # G rises, so that the first solution lies beyond
    if not math.isfinite(low):
        raise ConvergenceError("the overlap of this rule left its domain")
    if low <= 0.0:  # nothing was learned that double precision shows
        return solution_at(rows, 0.0, q_hat(0.0))
    for _ in range(_SWEEPS):
        if low > _resolved(rows) and discrete(rows.pair):
            return everything(rows)
        answer = gain(low)
        if abs(answer - low) <= _TOLERANCE:
            return solution_at(rows, low, q_hat(low))
        slope = (answer - low) / (low - before)
        if 0.0 < slope < 0.9:  # G is straight enough: its line meets x near this
            x = _straight(gain, low, slope, _resolved(rows))
            if x is not None:
                return solution_at(rows, x, q_hat(x))
        before, low = low, answer
    raise ConvergenceError("the overlap of this rule does not settle", hint="use another batch ratio or budget")


def _straight(gain: Callable[[float], float], low: float, slope: float, farthest: float) -> float | None:
    """The solution of x = G(x) next to ``low``, where G has this slope: by secants; between
    brackets if they fail.
    """
    begin, short = low, gain(low) - low
    ahead = low + short / (1.0 - slope)
    for _ in range(_SECANTS):
        if not begin < ahead <= farthest:
            return None
        off = gain(ahead) - ahead
        if abs(off) <= _TOLERANCE:
            return ahead
        if off == short:
            break
        (low, short), ahead = (ahead, off), ahead - off * (ahead - low) / (off - short)
    high = low + 1.05 * short / (1.0 - slope)
    if not (short > 0.0 and gain(high) < high):
        return None
    return root_between(lambda x: gain(x) - x, low, high, what="overlap", absolute=_TOLERANCE, relative=0.0)


def _resolved(rows: Labelled) -> float:
    """The x up to which cells resolve √V; weights of a few values are known long before."""
    return math.log(rows.V / (2.0 * rows.grid.width) ** 2)


@functools.lru_cache(maxsize=64)
def discrete(pair: Pair) -> bool:
    """Whether weights have a few values only, so that they can be known."""
    return math.isfinite(weight_entropy(pair))


def _known(rows: Labelled, x: float) -> bool:
    """Whether V fell so far that the weights are known."""
    return math.log(rows.second_moment / rows.V) + x > KNOWN


def solution_at(rows: Labelled, x: float, q_hat: float) -> Solved:
    """The solution at x, where q̂ is ``q_hat``, with its log-volume."""
    V = rows.V * math.exp(-x)
    r0 = rows.second_moment
    Q = r0 - V
    if rows.pair.gaussian:
        weights = rows.pair.modes.matched_entropy(q_hat, V)
    else:
        weights = weight_moments(rows.pair, _conjugates(rows.pair, q_hat)).value - 0.5 * Q * q_hat
    residual = abs(rows.answer(q_hat) - x)
    return Solved(V, q_hat, weights + rows.energy(x), residual)


def everything(rows: Labelled) -> Solved:
    """Weights that are known: only discrete ones can be."""
    entropy = weight_entropy(rows.pair)
    if not math.isfinite(entropy):
        raise ConvergenceError(
            "the labels tell the weights to more digits than double precision holds", hint="use a smaller budget"
        )
    x = KNOWN - math.log(rows.second_moment / rows.V)
    noise = float(rows.spread(x) @ noise_entropies(rows.pair.student.channel, rows.grid))
    return Solved(rows.V * math.exp(-x), math.inf, -noise - entropy, 0.0)


@functools.lru_cache(maxsize=16)
def _table(pair: Pair) -> tuple[Floats, Floats]:
    """ln V of the prior against ln q̂."""
    q_hats = np.linspace(-12.0, math.log(CERTAIN) + 4.0, 64) - math.log(pair.student.prior.second_moment)
    return q_hats, np.array([math.log(prior_variance(pair, math.exp(q_hat))) for q_hat in q_hats])


def _roughly(rows: Labelled, x: float) -> float:
    """G(x) from a table of the prior: enough to see on which side of x it lies."""
    q_hat = max(rows.q_hat(x), _LEAST)
    return math.log(rows.V) - float(np.interp(math.log(q_hat), *_table(rows.pair)))


def best_solution(rows: Labelled, first: Solved) -> Solved:
    """The solution of the largest free entropy: where it is not the first, the posterior has jumped
    ahead of it.

    Looked for beyond the first one, on a scale of ln V, as far as the cells resolve √V. Gaussian
    weights have one solution. Discrete ones may be known, if they still gain at that end.
    """
    if rows.pair.gaussian or math.isinf(first.q_hat):
        return first
    start, end = math.log(rows.V / first.V), _resolved(rows)
    if end <= start:
        return first
    places = start + (end - start) * np.arange(1, _SCAN + 1) / _SCAN
    ahead = [_roughly(rows, x) > x for x in places]
    best = first
    for here, there, up, still in zip(places, places[1:], ahead, ahead[1:], strict=False):
        if up and not still and rows.gain(here) > here and rows.gain(there) < there:
            x = root_between(lambda x: rows.gain(x) - x, here, there, what="overlap", absolute=1e-10, relative=0.0)
            best = max(best, solution_at(rows, x, rows.q_hat(x)), key=lambda one: one.log_volume)
    if ahead[-1] and discrete(rows.pair):
        best = max(best, everything(rows), key=lambda one: one.log_volume)
    return best
