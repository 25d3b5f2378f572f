"""Where to put the nodes: windows that follow a peak, panels that follow a kink.

Two integrals are nested in the free entropy. The inner one averages exp(β ψ) over a Gaussian; for β
< 0 near V + βD = 0 its peak is wide and far off-centre, so :func:`peak` finds the peak and the two
points where it has died away, and :func:`window_rule` puts Gauss–Legendre nodes on either side. The
outer one integrates ln(1 + e^{φ+L(η)}), which at large |β| is a kink: :func:`refine` splits panels
until the Legendre coefficients of the integrand have decayed on each. Nodes are constants to
differentiation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gardner.errors import ConvergenceError
from gardner.model.integrals import gauss_legendre
from gardner.theory.formula.taylor import Floats

# The fall at which a peak is cut: e^−38 = 3·10⁻¹⁷ of its height, below rounding.
DROP = 38.0
# Gauss–Legendre nodes of a panel.
PANEL_ORDER = 16
# Panels of an outer integral at most; one that wants more is called unresolved, and its point is
# not used.
MAX_PANELS = 160
# Panels of a window that need not hold a single peak.
WINDOW_PANELS = 8
# Left and right.
_SIDES = np.array([[-1.0], [1.0]])
# The fall at a cut-off that is accepted at most, in units of DROP: more would waste nodes.
_FURTHEST = 4.0 / 3.0
# The fall that is aimed at, between 1 and that.
_MIDDLING = 1.15
# Steps to the mode of a peak; halving alone needs fewer.
_MOST_STEPS = 80
# Points around each place where there may be a peak.
_SCAN = 21
_LOG_ROOT_2PI = 0.5 * np.log(2.0 * np.pi)

_NODES, _WEIGHTS = gauss_legendre(PANEL_ORDER)
_TO_LEGENDRE = ((2 * np.arange(PANEL_ORDER) + 1) / 2)[:, None] * (
    np.polynomial.legendre.legvander(_NODES, PANEL_ORDER - 1) * _WEIGHTS[:, None]
).T


class Peak(NamedTuple):
    """Where an integrand lives: its mode and the two points where it has died away, each an array.

    ``turn`` is where it may turn sharply, if such a place is known.
    """

    mode: Floats
    left: Floats
    right: Floats
    turn: Floats | None = None

    @property
    def cuts(self) -> list[Floats]:
        """The ends and the points between which the integrand is smooth, from left to right."""
        if self.turn is None:
            return [self.left, self.mode, self.right]
        turn = np.where((self.turn > self.left) & (self.turn < self.right), self.turn, self.mode)
        return [self.left, np.minimum(self.mode, turn), np.maximum(self.mode, turn), self.right]


Slopes = Callable[[Floats], tuple[Floats, Floats, Floats]]  # value, first and second derivative


def peak(
    value_of: Callable[[Floats], Floats],
    slopes_of: Slopes,
    count: int,
    drop: float = DROP,
    start: Peak | None = None,
) -> Peak:
    """Mode and cut-offs of ``count`` integrands exp(log_factor(z) − z²/2), log-concave in z,
    elementwise.

    Newton from z = 0 converges monotonically for the log-partition functions of most models (their
    slopes are convex or concave). A step out of the bracket known so far, or after one that hardly
    helped, is replaced by the bracket's middle. Each
    cut-off starts where a Gaussian would have fallen by ``drop``. ``start`` is the answer to a
    question close by: Newton starts from its mode, the cut-offs from its own.
    """
    mode = np.zeros(count) if start is None else start.mode
    low, high, steepest = np.full(count, -np.inf), np.full(count, np.inf), np.full(count, np.inf)
    for _ in range(_MOST_STEPS):
        value, slope, curvature = slopes_of(mode)
        slope, bend = slope - mode, curvature - 1.0
        step = slope / bend
        if not np.max(np.abs(step) * np.sqrt(-bend)) > 1e-3:
            break
        low, high = np.where(slope > 0.0, mode, low), np.where(slope < 0.0, mode, high)
        new = mode - step
        with np.errstate(invalid="ignore"):  # no bracket yet
            middle = 0.5 * (low + high)
        # without progress Newton may jump to and fro for ever, just inside the bracket
        good = (new >= low) & (new <= high) & (np.abs(slope) < 0.5 * steepest)
        steepest = np.abs(slope)
        mode = np.where(good | ~np.isfinite(middle), new, middle)
    else:
        raise ConvergenceError("the peak of an inner integral was not found")
    if start is None:
        guess = np.broadcast_to(np.sqrt(-2.0 * drop / bend), (2, count))
    else:
        guess = np.stack([start.mode - start.left, start.right - start.mode])
    left, right = _reach(value_of, mode, value - 0.5 * mode * mode, guess, drop)
    return Peak(mode, mode - left, mode + right)


def _reach(
    value_of: Callable[[Floats], Floats], mode: Floats, top: Floats, guess: Floats, drop: float
) -> tuple[Floats, Floats]:
    """How far to either side of its mode an integrand lives: until it has fallen by ``drop``, or up
    to a third more.

    If it falls like the square of the distance one step from the guess is exact. A step out of the
    bracket known so far is replaced by the bracket's middle.
    """
    distance, near, far = guess, np.zeros_like(guess), np.full_like(guess, np.inf)
    for _ in range(60):
        z = mode + _SIDES * distance
        fall = (top - value_of(z) + 0.5 * z * z) / drop
        alive = fall < 1.0
        near, far = np.where(alive, distance, near), np.where(alive, far, distance)
        wrong = alive | (fall > _FURTHEST)
        if not wrong.any():
            break
        better = distance * np.sqrt(_MIDDLING / np.clip(fall, 0.1, 10.0))
        middle = np.where(np.isinf(far), 2.0 * near, 0.5 * (near + far))
        distance = np.where(wrong, np.where((better > near) & (better < far), better, middle), distance)
    reached: Floats = np.where(np.isinf(far), distance, far)
    return reached[0], reached[1]


class Window(NamedTuple):
    """Where an integrand of any shape lives: outside [left, right] it has died away, and between
    the two stops.

    The stops are one point in the middle unless exactly one dead gap lies between two live parts
    (two peaks).
    """

    left: Floats
    stop: Floats
    restart: Floats
    right: Floats


def window(
    log_factor: Callable[[Floats], Floats],
    count: int,
    drop: float = DROP,
    places: Sequence[tuple[Floats, float]] = (),
) -> Window:
    """Cut-offs of ``count`` integrands exp(log_factor(z) − z²/2), which need not be log-concave:
    found by scanning.

    Scanned are the surroundings of zero and of other ``places`` (centres and widths) where there
    may be a peak: two peaks can lie so far apart that no search from the first would find the
    second. The range grows until both its ends lie ``drop`` below the largest value seen; the
    borders between dead and alive are then halved three times.
    """

    def exponent(z: Floats) -> Floats:
        value: Floats = log_factor(z) - 0.5 * z * z
        return value

    unit = np.linspace(-10.0, 10.0, _SCAN)[:, None]
    around = [unit * width + centre for centre, width in ((np.zeros(count), 1.0), *places)]
    z = np.sort(np.concatenate(around), axis=0)
    values = exponent(z)
    for _ in range(60):
        top = values.max(axis=0) - drop
        if (np.maximum(values[0], values[-1]) < top).all():
            break
        span = np.linspace(0.125, 1.0, 8)[:, None] * (z[-1] - z[0])
        before, after = z[0] - span[::-1], z[-1] + span
        z = np.concatenate([before, z, after])
        values = np.concatenate([exponent(before), values, exponent(after)])
    if len(z) > _SCAN * len(around):  # peaks beyond the places: look closer
        for _ in range(3):
            left, right = _living(z, values, drop)
            more = left + np.linspace(0.0, 1.0, _SCAN)[:, None] * (right - left)
            z, values = np.concatenate([z, more]), np.concatenate([values, exponent(more)])
            order = np.argsort(z, axis=0)
            z, values = np.take_along_axis(z, order, 0), np.take_along_axis(values, order, 0)
        top = values.max(axis=0) - drop
    alive = values > top
    points, each, place = len(z), np.arange(count), np.arange(len(z))[:, None]
    first, last = np.argmax(alive, axis=0), points - 1 - np.argmax(alive[::-1], axis=0)
    split = np.sum(alive[1:] != alive[:-1], axis=0) == 4
    stop = np.argmax(~alive & (place > first), axis=0)  # the first dead point after the first part
    restart = np.argmax(alive & (place > stop), axis=0)
    dead = np.stack([first - 1, stop, restart - 1, last + 1]).clip(0, points - 1)
    live = np.stack([first, stop - 1, restart, last]).clip(0, points - 1)
    outer, inner = z[dead, each], z[live, each]
    for _ in range(3):
        middle = 0.5 * (outer + inner)
        more = exponent(middle) > top
        outer, inner = np.where(more, outer, middle), np.where(more, middle, inner)
    left, stops, restarts, right = outer
    centre = 0.5 * (left + right)
    return Window(left, np.where(split, stops, centre), np.where(split, restarts, centre), right)


def _living(z: Floats, values: Floats, drop: float) -> tuple[Floats, Floats]:
    """The dead neighbours of the outermost living points."""
    alive, each, last = values > values.max(axis=0) - drop, np.arange(z.shape[1]), len(z) - 1
    first = np.maximum(np.argmax(alive, axis=0) - 1, 0)
    final = np.minimum(last - np.argmax(alive[::-1], axis=0) + 1, last)
    return z[first, each], z[final, each]


@functools.cache
def _half_lines(order: int) -> tuple[Floats, Floats]:
    """Nodes and weights on (0, 1)."""
    unit, weights = gauss_legendre(order)
    return 0.5 * (unit + 1.0), 0.5 * weights


@functools.cache
def _half_window(order: int) -> tuple[Floats, Floats]:
    """Nodes and weights on half of the panels of a window, scaled to (0, 1)."""
    unit, weights = _half_lines(order)
    half = WINDOW_PANELS // 2
    return ((np.arange(half)[:, None] + unit) / half).ravel(), np.tile(weights / half, half)


def window_rule(at: Peak | Window, order: int) -> tuple[Floats, Floats]:
    """Nodes z and log-weights ln(w e^{−z²/2}/√2π) for ∫Dz along a new last axis.

    ``order`` Gauss–Legendre nodes between two cuts of a peak, or order/2 on each of eight panels of
    a window.
    """
    if isinstance(at, Window):
        places, weights = _half_window(order // 2)
        starts, ends = [at.left, at.restart], [at.stop, at.right]
    else:
        places, weights = _half_lines(order)
        starts, ends = at.cuts[:-1], at.cuts[1:]
    lengths = [(end - start)[:, None] for start, end in zip(starts, ends, strict=True)]
    nodes = np.concatenate(
        [start[:, None] + length * places for start, length in zip(starts, lengths, strict=True)], axis=1
    )
    with np.errstate(divide="ignore"):
        sizes = np.concatenate([np.log(np.abs(length)) + np.log(weights) for length in lengths], axis=1)
    return nodes, sizes - 0.5 * nodes * nodes - _LOG_ROOT_2PI


@dataclass(frozen=True)
class Grid:
    """Nodes of the outer integral ∫Dη: panels in η, each with 16 Gauss–Legendre nodes."""

    edges: Floats  # (panels, 2)
    resolved: bool

    def bisected(self) -> Grid:
        """The same range with every panel halved: what the error estimate compares with."""
        left, right = self.edges.T
        middle = 0.5 * (left + right)
        return Grid(np.concatenate([np.stack([left, middle], 1), np.stack([middle, right], 1)]), self.resolved)

    def plain(self) -> tuple[Floats, Floats]:
        """Nodes η and Gauss–Legendre weights, without the Gaussian."""
        half = 0.5 * (self.edges[:, 1] - self.edges[:, 0])
        return panel_nodes(self.edges).ravel(), (half[:, None] * _WEIGHTS).ravel()

    def normal(self) -> tuple[Floats, Floats]:
        """Nodes η and weights w e^{−η²/2}/√2π."""
        eta, weights = self.plain()
        return eta, weights * np.exp(-0.5 * eta * eta - _LOG_ROOT_2PI)


def stretched_grid(scale: float, reach: float = 9.0, panels: int = 16) -> Grid:
    """Panels on [−reach, reach], narrow on ``scale`` around zero and widening geometrically
    outwards.
    """
    scale = min(scale, 1.0)
    edges = scale * np.sinh(np.linspace(-1.0, 1.0, panels + 1) * np.arcsinh(reach / scale))
    return Grid(np.stack([edges[:-1], edges[1:]], 1), resolved=True)


def narrowed(grid: Grid, widest: float) -> Grid:
    """The same range with every panel cut into equal parts no wider than ``widest``."""
    parts = []
    for left, right in grid.edges:
        cuts = np.linspace(left, right, 1 + max(1, int(np.ceil((right - left) / widest))))
        parts.append(np.stack([cuts[:-1], cuts[1:]], 1))
    return Grid(np.concatenate(parts), grid.resolved)


def panel_nodes(edges: Floats) -> Floats:
    """Gauss–Legendre nodes of each panel, shape (panels, 16)."""
    left, right = edges.T
    nodes: Floats = (0.5 * (left + right))[:, None] + (0.5 * (right - left))[:, None] * _NODES
    return nodes


def refine(
    integrands: Callable[[Floats], Floats],
    breakpoints: Floats,
    tolerance: float = 1e-7,
    floor: float = 1e-9,
    noise: Floats | float = 0.0,
) -> Grid:
    """Split panels until every integrand is a polynomial of degree 13 on each, to ``tolerance`` of
    its own integral.

    ``integrands`` maps nodes (n,) to values (k, n); the first one sets the scale below which
    (``floor``) the others count as rounding noise. ``noise`` is how far rounding moves the values
    of each: no panel is split for less. The neglected coefficients bound the error of
    interpolation; that of the integral is about their square.
    """
    todo = np.stack([breakpoints[:-1], breakpoints[1:]], 1)
    done: list[Floats] = []
    scale: Floats | None = None
    while len(todo):
        values = _on_panels(integrands, todo)
        half = 0.5 * (todo[:, 1] - todo[:, 0])
        if scale is None:
            totals = np.einsum("kpn,n,p->k", np.abs(values), _WEIGHTS, half)
            scale = np.maximum(totals, floor * totals[0])
        tails = np.abs(np.einsum("cn,kpn->kpc", _TO_LEGENDRE[-2:], values)).max(axis=2) * half
        split = (tails > tolerance * scale[:, None] + np.multiply.outer(noise, half)).any(axis=0)
        done.append(todo[~split])
        if not split.any():
            break
        rough = todo[split]
        if sum(map(len, done)) + 2 * len(rough) > MAX_PANELS:
            return Grid(np.concatenate([*done, rough]), resolved=False)
        middle = rough.mean(axis=1)
        todo = np.concatenate([np.stack([rough[:, 0], middle], 1), np.stack([middle, rough[:, 1]], 1)])
    return Grid(np.concatenate(done), resolved=True)


def _on_panels(integrands: Callable[[Floats], Floats], edges: Floats) -> Floats:
    """Values (k, panels, 16)."""
    values = integrands(panel_nodes(edges).ravel())
    return values.reshape(len(values), len(edges), PANEL_ORDER)
