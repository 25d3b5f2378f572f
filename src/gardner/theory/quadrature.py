"""Where to put the nodes: windows that follow a peak, panels that follow a kink.

Two integrals are nested in the free entropy. The inner one averages exp(β ψ) over a Gaussian; for β < 0 near V + βD =
0 its peak is wide and far off-centre, so :func:`peak` finds the peak and the two points where it has died away, and
:func:`window_rule` puts Gauss–Legendre nodes on either side. The outer one integrates ln(1 + e^{φ+L(η)}), which at
large |β| is a kink: :func:`refine` splits panels until the Legendre coefficients of the integrand have decayed on
each. Nodes are constants to automatic differentiation; the formulas in :mod:`gardner.theory.free_entropy` never move
them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DROP = 38.0  # a peak is cut where it has fallen by e^−38 ≈ 3·10⁻¹⁷
PANEL_ORDER = 16
CHUNK_PANELS = 16
CHUNK = PANEL_ORDER * CHUNK_PANELS  # outer nodes per compiled call: one shape, one compilation
MAX_PANELS = 160
WINDOW_PANELS = 8  # of a window that need not hold a single peak

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(PANEL_ORDER)
_TO_LEGENDRE = ((2 * np.arange(PANEL_ORDER) + 1) / 2)[:, None] * (
    np.polynomial.legendre.legvander(_NODES, PANEL_ORDER - 1) * _WEIGHTS[:, None]
).T


def slope_and_curvature(function: Callable[[Any], Any], x: Any) -> tuple[Any, Any]:
    """First and second derivative of an elementwise function, forward over forward (the cheapest to compile)."""
    one = jnp.ones_like(x)
    derivatives: tuple[Any, Any] = jax.jvp(lambda u: jax.jvp(function, (u,), (one,))[1], (x,), (one,))
    return derivatives


class Peak(NamedTuple):
    """Where an integrand lives: its mode and the two points where it has died away, each an array."""

    mode: Any
    left: Any
    right: Any


def peak(log_factor: Callable[[Any], Any], shape: tuple[int, ...], drop: Any = DROP) -> Peak:
    """Mode and cut-offs of exp(log_factor(z) − z²/2), log-concave in z, for each entry of an elementwise function.

    Newton from z = 0 converges monotonically for the log-partition functions of the models (their slopes are convex or
    concave); each cut-off doubles its distance until the function has fallen by ``drop`` and is then bisected.
    """

    def exponent(z: Any) -> Any:
        return log_factor(z) - 0.5 * z * z

    def newton(state: tuple[Any, ...]) -> tuple[Any, ...]:
        z, _, _, count = state
        slope, curvature = slope_and_curvature(exponent, z)
        step = slope / curvature
        return z - step, jnp.max(jnp.abs(step) * jnp.sqrt(-curvature)), curvature, count + 1

    mode, _, curvature, _ = jax.lax.while_loop(
        lambda state: (state[1] > 1e-3) & (state[3] < 80),
        newton,
        (jnp.zeros(shape), jnp.array(jnp.inf), -jnp.ones(shape), 0),
    )
    floor = exponent(mode) - drop
    side = jnp.array([-1.0, 1.0]).reshape(2, *(1 for _ in shape))

    def outside(distance: Any) -> Any:
        return exponent(mode + side * distance) < floor

    def double(state: tuple[Any, ...]) -> tuple[Any, ...]:
        distance, _, count = state
        out = outside(distance)
        return jnp.where(out, distance, 2.0 * distance), jnp.all(out), count + 1

    def halve(_: int, bracket: tuple[Any, Any]) -> tuple[Any, Any]:
        inner, outer = bracket
        middle = 0.5 * (inner + outer)
        out = outside(middle)
        return jnp.where(out, inner, middle), jnp.where(out, middle, outer)

    width = jnp.broadcast_to(jnp.sqrt(-2.0 * drop / curvature), (2, *shape))
    far, _, _ = jax.lax.while_loop(lambda state: ~state[1] & (state[2] < 60), double, (width, jnp.array(False), 0))
    _, distance = jax.lax.fori_loop(0, 8, halve, (jnp.zeros((2, *shape)), far))
    return Peak(mode, mode - distance[0], mode + distance[1])


class Window(NamedTuple):
    """Where an integrand of any shape lives: outside [left, right] it has died away, and between the two stops.

    The stops are one point in the middle unless exactly one dead gap lies between two live parts (two peaks).
    """

    left: Any
    stop: Any
    restart: Any
    right: Any


def window(log_factor: Callable[[Any], Any], shape: tuple[int, ...], drop: Any = DROP) -> Window:
    """Cut-offs of exp(log_factor(z) − z²/2), which need not be log-concave: found by scanning, not by Newton.

    The range doubles until both its ends lie ``drop`` below the largest value seen, then it closes in three times on
    the outermost points that are alive; two separate peaks stay inside one window.
    """

    def scan(low: Any, high: Any, points: int) -> tuple[Any, Any]:
        steps = jnp.linspace(0.0, 1.0, points).reshape(points, *(1 for _ in shape))
        z = low + steps * (high - low)
        return z, log_factor(z) - 0.5 * z * z

    def widen(state: tuple[Any, ...]) -> tuple[Any, ...]:
        reach, _, count = state
        _, values = scan(-reach, reach, 33)
        ends = jnp.maximum(values[0], values[-1])
        out = ends < values.max(axis=0) - drop
        return jnp.where(out, reach, 2.0 * reach), jnp.all(out), count + 1

    start = (jnp.full(shape, 10.0), jnp.array(False), 0)
    reach, _, _ = jax.lax.while_loop(lambda state: ~state[1] & (state[2] < 40), widen, start)

    def close(_: int, at: tuple[Any, Any]) -> tuple[Any, Any]:
        z, values = scan(*at, 65)
        alive = values > values.max(axis=0) - drop
        first = jnp.maximum(jnp.argmax(alive, axis=0) - 1, 0)
        last = jnp.minimum(65 - jnp.argmax(alive[::-1], axis=0), 64)
        take = functools.partial(jnp.take_along_axis, z, axis=0)
        return take(first[None])[0], take(last[None])[0]

    left, right = jax.lax.fori_loop(0, 3, close, (-reach, reach))
    z, values = scan(left, right, 65)
    alive = values > values.max(axis=0) - drop
    place = jnp.arange(65).reshape(65, *(1 for _ in shape))
    borders = jnp.sum(alive[1:] != alive[:-1], axis=0) - (~alive[0]).astype(int) - (~alive[-1]).astype(int)
    stop = jnp.argmax(~alive & (place > jnp.argmax(alive, axis=0)), axis=0)  # the first dead point after the first part
    restart = jnp.maximum(jnp.argmax(alive & (place > stop), axis=0) - 1, 0)
    take = functools.partial(jnp.take_along_axis, z, axis=0)
    split, middle = borders == 2, 0.5 * (left + right)
    return Window(
        left, jnp.where(split, take(stop[None])[0], middle), jnp.where(split, take(restart[None])[0], middle), right
    )


def window_rule(at: Peak | Window, order: int) -> tuple[Any, Any]:
    """Nodes z and log-weights ln(w e^{−z²/2}/√2π) for ∫Dz along a new last axis.

    ``order`` Gauss–Legendre nodes on each side of a mode, or order/2 on each of eight panels of a window.
    """
    if isinstance(at, Window):
        return _panelled(at, order // 2)
    unit, weights = np.polynomial.legendre.leggauss(order)
    unit, weights = 0.5 * (unit + 1.0), 0.5 * weights
    mode, left, right = (jnp.asarray(part)[..., None] for part in at)
    nodes = jnp.concatenate([mode + (left - mode) * unit, mode + (right - mode) * unit], axis=-1)
    log_weights = jnp.concatenate([jnp.log((mode - left) * weights), jnp.log((right - mode) * weights)], axis=-1)
    return nodes, log_weights - 0.5 * nodes * nodes - 0.5 * np.log(2.0 * np.pi)


def _panelled(at: Window, order: int) -> tuple[Any, Any]:
    """Half of the panels before the stop, half after the restart."""
    unit, weights = np.polynomial.legendre.leggauss(order)
    half = WINDOW_PANELS // 2
    places = ((np.arange(half)[:, None] + 0.5 * (unit + 1.0)) / half).ravel()
    shares = np.log(np.tile(0.5 * weights / half, half))
    left, stop, restart, right = (jnp.asarray(part)[..., None] for part in at)
    nodes = jnp.concatenate([left + (stop - left) * places, restart + (right - restart) * places], axis=-1)
    log_weights = jnp.concatenate([jnp.log(stop - left) + shares, jnp.log(right - restart) + shares], axis=-1)
    return nodes, log_weights - 0.5 * nodes * nodes - 0.5 * np.log(2.0 * np.pi)


@dataclass(frozen=True)
class Grid:
    """Nodes of the outer integral ∫Dη: panels in η, each with 16 Gauss–Legendre nodes, padded to whole chunks."""

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

    def chunks(self) -> list[tuple[Floats, Floats]]:
        """Nodes η and weights w e^{−η²/2}/√2π, in chunks of one shape (padding has weight zero)."""
        eta, weights = self.plain()
        weights = weights * np.exp(-0.5 * eta * eta) / np.sqrt(2.0 * np.pi)
        padding = -len(eta) % CHUNK
        eta = np.pad(eta, (0, padding), mode="edge")
        weights = np.pad(weights, (0, padding))
        return list(zip(eta.reshape(-1, CHUNK), weights.reshape(-1, CHUNK), strict=True))


def stretched_grid(scale: float, reach: float = 9.0, panels: int = CHUNK_PANELS) -> Grid:
    """Panels (one chunk) on [−reach, reach], narrow on ``scale`` around zero and widening geometrically outwards."""
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
    integrands: Callable[[Floats], Floats], breakpoints: Floats, tolerance: float = 1e-7, floor: float = 1e-9
) -> Grid:
    """Split panels until every integrand is a polynomial of degree 13 on each, to ``tolerance`` of its own integral.

    ``integrands`` maps nodes (CHUNK,) to values (k, CHUNK); the first one sets the scale below which (``floor``) the
    others count as rounding noise. The neglected coefficients bound the error of interpolation; that of the integral
    is about their square.
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
        split = (tails > tolerance * scale[:, None]).any(axis=0)
        done.append(todo[~split])
        rough = todo[split]
        if sum(map(len, done)) + 2 * len(rough) > MAX_PANELS:
            return Grid(np.concatenate([*done, rough]), resolved=False)
        middle = rough.mean(axis=1)
        todo = np.concatenate([np.stack([rough[:, 0], middle], 1), np.stack([middle, rough[:, 1]], 1)])
    return Grid(np.concatenate(done), resolved=True)


def _on_panels(integrands: Callable[[Floats], Floats], edges: Floats) -> Floats:
    """Values (k, panels, 16), computed chunk by chunk."""
    parts = []
    for start in range(0, len(edges), CHUNK_PANELS):
        chunk = edges[start : start + CHUNK_PANELS]
        padded = np.pad(chunk, ((0, CHUNK_PANELS - len(chunk)), (0, 0)), mode="edge")
        values = integrands(panel_nodes(padded).ravel())
        parts.append(values.reshape(len(values), CHUNK_PANELS, PANEL_ORDER)[:, : len(chunk)])
    return np.concatenate(parts, axis=1)
