"""The free entropy evaluated: panels made for a point, then value, gradient and Hessian in its
coordinates (z, k).

Derivatives are those of the sums themselves: nodes are found first and held fixed. A test compares
them with automatic differentiation of the formula.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gardner.theory.formula import regression
from gardner.theory.formula.average import CHECK_ORDER, INNER_ORDER, MESH_ORDER, Inner, Tilted
from gardner.theory.formula.expansion import Psi, Six, channel_psi, channel_remainder, prior_psi
from gardner.theory.formula.free_entropy import Parameters, Rows, Theta, to_theta
from gardner.theory.formula.logistic import sigmoid, softplus
from gardner.theory.formula.mode_average import mode_average, mode_responses
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.quadrature import Grid, Peak, Window, refine
from gardner.theory.formula.sums import Fields, total
from gardner.theory.formula.taylor import Floats, Taylor, composed
from gardner.theory.formula.weights import weight_grid

# The fall of the teacher's weight at which the outer range ends: e^−45 = 3·10⁻²⁰ of its largest
# value. Half of it would cost 5·10⁻¹¹ of ln v (benchmarks/tolerances.py).
RANGE_DROP = 45.0
# Nodes on each side of the peak in the average over weights; ψ_X is convex, so for β < 0 there is
# one.
_WEIGHT_ORDER = 28
# How well panels over weights represent the integrands, relative to their integrals; integrals are
# off by its square.
_WEIGHT_TOLERANCE = 1e-8
# What rounding leaves open of L, L'² and L'' of a weight, in units of 1, |β| and β² (measured from
# |β| = 10⁴ to 10⁷).
_WEIGHT_ROUNDING = np.array([1e-14, 1e-14, 1e-17])
_LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)


class Orders(NamedTuple):
    """How many nodes the inner integrals have on each side of a peak: those over rows and those
    over weights.
    """

    rows: int
    weights: int


COARSE = Orders(MESH_ORDER, MESH_ORDER)  # good to 10⁻⁸: for points that are only passed
FINE = Orders(INNER_ORDER, _WEIGHT_ORDER)
CHECK = Orders(CHECK_ORDER, CHECK_ORDER)


@dataclass(frozen=True)
class Derivatives:
    """Φ at a point with its gradient and Hessian in the coordinates (z, k)."""

    value: float
    gradient: Floats
    hessian: Floats


@dataclass(frozen=True)
class Mesh:
    """Panels of the two outer integrals: over rows, and over weights where the prior has no closed
    form.
    """

    rows: Grid
    weights: Grid | None = None

    @property
    def resolved(self) -> bool:
        """Whether both integrals are resolved."""
        return self.rows.resolved and (self.weights is None or self.weights.resolved)

    def bisected(self) -> Mesh:
        """The same with every panel halved."""
        return Mesh(self.rows.bisected(), None if self.weights is None else self.weights.bisected())


class Peaks:
    """A walker's memory, on one mesh: where the inner integrands had their peaks last time.

    At a place nearby they are found from there. Whoever looks at one place only needs none.
    """

    def __init__(self) -> None:
        """Nothing was found yet."""
        self._found: dict[object, Peak | Window] = {}

    def locate(self, name: object, inner: Inner, single: bool) -> Peak | Window:
        """Where the integrands of that name are now."""
        self._found[name] = inner.locate(single, start=self._found.get(name))
        return self._found[name]


@dataclass(frozen=True)
class RowGroup:
    """Rows of one label class that are treated alike, at some of the outer nodes."""

    y: float
    chosen: NDArray[np.bool_]  # of the outer nodes
    eta: Floats
    weights: Floats
    rows: Rows
    psi: Psi | None  # none where L is known in closed form
    turned: bool  # whether the Gaussian part of ψ was taken out
    single: bool
    beta: float

    @property
    def inner(self) -> Inner:
        """The inner average."""
        if self.psi is None:
            raise TypeError("real labels have no inner average")
        return Inner(self.psi, self.beta, self.rows.c.value * self.eta, self.rows.s.value)

    def tilted(self, order: int = INNER_ORDER, peaks: Peaks | None = None) -> Tilted | None:
        """L with its derivatives, but for the closed part; ``peaks`` are kept for the next time."""
        if self.psi is None:
            return None
        at = (peaks or Peaks()).locate((self.y, self.turned), self.inner, self.single)
        return self.inner.tilted(at, order)

    def field(self, order: int = INNER_ORDER) -> Floats:
        """L at each node."""
        value = self.rows.constant.value + self.rows.square.value * self.eta**2
        if self.psi is None:
            return value
        return value + self.inner.log_average(self.inner.locate(self.single), order)


def row_groups(at: Parameters, eta: Floats, weights: Floats) -> Iterator[RowGroup]:
    """The groups of rows at the nodes η; weights include the number of labels a class stands for."""
    channel, beta, V = at.pair.student.channel, at.beta.value, at.V.value
    if at.pair.regression:
        yield RowGroup(math.nan, np.ones(len(eta), bool), eta, weights, at.linear_rows, None, False, True, beta)
        return
    for y, count in at.pair.label_classes:
        behind = (y * eta < 0.0) & at.turned
        for chosen, turned in ((~behind, False), (behind, True)):
            if not chosen.any():
                continue
            rows = at.turned_rows if turned else at.plain_rows
            psi = (channel_remainder if turned else channel_psi)(channel, y, V)
            yield RowGroup(
                y, chosen, eta[chosen], count * weights[chosen], rows, psi, turned, channel.log_concave, beta
            )


def teacher_weight(at: Parameters, group: RowGroup) -> Six | None:
    """Ln Z⁰_Y at the nodes of a group, with derivatives in the teacher's mean and spread."""
    if at.pair.regression:
        return None
    mean, spread = at.teacher
    return channel_psi(at.pair.teacher.channel, group.y, spread.value).full(mean.value * group.eta)


def energetic(at: Parameters, grid: Grid, order: int = INNER_ORDER, peaks: Peaks | None = None) -> Taylor:
    """Σ_y ∫Dη Z⁰_Y(y, η) {ln[1 + e^{φ + L(y, √q η)}] − ln(1 + e^φ)}."""
    result = at.none
    for group in row_groups(at, *grid.normal()):
        rows = group.rows
        fields = Fields.of(group.eta, rows.constant.value, rows.square.value, group.tilted(order, peaks))
        sum_ = total(fields, group.weights, teacher_weight(at, group), at.phi.value)
        of = [rows.c, rows.s, rows.tau, at.beta, rows.constant, rows.square, at.phi, *at.teacher]
        result = result + composed(sum_.value, sum_.slope, sum_.curve, of)
    return result


def weight_average(at: Parameters, grid: Grid, order: int = _WEIGHT_ORDER, peaks: Peaks | None = None) -> Taylor:
    """∫Dξ Z⁰_X(ξ) ln ∫Dλ exp[β ψ_X(r̂+Q̂, √(Q̂−q̂) λ + √q̂ ξ)]."""
    of, values = at.weights
    xi, weights = grid.plain()
    inner = _weight_inner(at, xi)
    tilted = inner.tilted((peaks or Peaks()).locate("weights", inner, inner.beta < 0.0), order)
    fields = Fields.of(xi, 0.0, 0.0, tilted)
    sum_ = total(fields, weights, _weight_teacher(at, values, xi), None)
    return composed(sum_.value, sum_.slope, sum_.curve, of)


def _weight_inner(at: Parameters, xi: Floats) -> Inner:
    c, s, A, beta = at.weights[1][:4]
    a = at.pair.tail_precision
    tail = 1.0 / (A + a) if math.isfinite(a) and A + a > 0.0 else 0.0
    return Inner(prior_psi(at.pair.student.prior, A), beta, c * xi, s, tail, turns=True)


def _weight_teacher(at: Parameters, values: tuple[float, ...], xi: Floats) -> Six:
    """ln Z⁰_X with the Gaussian weight of ξ, whose product is finite where the factors are not, and
    derivatives.
    """
    value, *rest = prior_psi(at.pair.teacher.prior, values[8]).full(values[7] * xi)
    first, turn, second, mixed, twice = rest
    return value - 0.5 * xi * xi - _LOG_ROOT_2PI, first, turn, second, mixed, twice


def derivatives(
    pair: Pair, pool_ratio: float, z: Floats, mesh: Mesh, orders: Orders = FINE, peaks: Peaks | None = None
) -> Derivatives:
    """Value, gradient and Hessian of Φ at the coordinates (z, k); a walker hands in its ``peaks``."""
    at = Parameters(pair, z)
    whole = pool_ratio * (at.phi.softplus() + energetic(at, mesh.rows, orders.rows, peaks))
    if pair.conjugates_known:
        whole = whole + at.entropic()
    elif mesh.weights is None:
        whole = whole + at.coupling() + mode_average(at)
    else:
        whole = whole + at.coupling() + weight_average(at, mesh.weights, orders.weights, peaks)
    return Derivatives(whole.value, whole.slope, whole.curve)


def quadrature_shift(pair: Pair, pool_ratio: float, at: Derivatives, z: Floats, mesh: Mesh) -> tuple[float, Floats]:
    """How Φ and its gradient change when every panel is halved and the inner order raised from 28
    to 40.
    """
    fine = derivatives(pair, pool_ratio, z, mesh.bisected(), CHECK)
    return fine.value - at.value, fine.gradient - at.gradient


def make_mesh(pair: Pair, z: Floats) -> Mesh:
    """Panels for the point z."""
    return Mesh(outer_grid(pair, z), None if pair.gaussian else _weight_mesh(pair, z))


def outer_grid(pair: Pair, z: Floats) -> Grid:
    """Panels for the outer integral at z, refined from a ladder of breakpoints.

    The finest scale is that of the labels' uncertainty, √V/√q, or of the teacher's, √t/m, in units
    of η; without rungs at 4, 16, … times that, the nodes of a first wide panel would step over what
    happens at its edge. (For the same reason the panels of a neighbouring point are no safe start:
    tried, and visibly wrong in large pools.)
    """
    at, point = Parameters(pair, z), Theta(*(float(x) for x in to_theta(z)))
    lower, upper = _teacher_range(pair, point)
    scale = min(np.sqrt(point.V / point.q), np.sqrt(point.t) / point.m)
    if pair.regression:
        scale = _kink_scale(pair, point, at.W.value)
    ladder = scale * 4.0 ** np.arange(np.ceil(np.log(upper / scale) / np.log(4.0)) + 1)
    inner = np.concatenate([-ladder, [0.0], ladder])
    breakpoints = np.concatenate([[lower], inner[(inner > 0.9 * lower) & (inner < 0.9 * upper)], [upper]])
    breakpoints.sort()
    return refine(lambda eta: _outer_integrands(at, eta), breakpoints)


def _kink_scale(pair: Pair, point: Theta, W: float) -> float:
    """The residual u = y − h, in units of its spread, over which the odds of selection change by e."""
    width = W + regression.noise_of(pair)[1]
    return float(min(1.0, np.sqrt(width / (1e-300 + abs(point.beta) * regression.error_variance(pair, *point[:2])))))


def _teacher_range(pair: Pair, point: Theta) -> tuple[float, float]:
    """Ends of the range of η outside which Z⁰_Y(y, η) e^{−η²/2} is negligible for every y.

    The teacher's weight is the inner integrand at β = 1; where it is not log-concave the Gaussian
    alone limits the range.
    """
    scale, channel = pair.teacher.prior.second_moment, pair.teacher.channel
    if pair.regression or not channel.log_concave:
        return -math.sqrt(2.0 * RANGE_DROP), math.sqrt(2.0 * RANGE_DROP)
    spread, variance = scale * point.m**2 / point.q, scale * point.t / point.q
    ends = []
    for y, _ in pair.label_classes:
        cut: Any = Inner(channel_psi(channel, y, variance), 1.0, np.zeros(1), spread).locate(True, RANGE_DROP)
        ends.append((float(cut.left[0]), float(cut.right[0])))
    return min(left for left, _ in ends), max(right for _, right in ends)


def _outer_integrands(at: Parameters, eta: Floats) -> Floats:
    """What the panels must resolve: the integrands of Φ, n and ∂n/∂φ less their constants, with the
    Gaussian weight.
    """
    phi = at.phi.value
    off = np.array(phi)
    classes: dict[float, Floats] = {}
    for group in row_groups(at, eta, np.exp(-0.5 * eta * eta)):
        f = phi + group.field(MESH_ORDER)
        teacher = teacher_weight(at, group)
        seen = group.weights if teacher is None else group.weights * np.exp(teacher[0])
        some = np.stack(
            [
                seen * (softplus(f) - softplus(off)),
                seen * (sigmoid(f) - sigmoid(off)),
                seen * (sigmoid(f) * sigmoid(-f) - sigmoid(off) * sigmoid(-off)),
            ]
        )
        whole = classes.setdefault(group.y, np.zeros((3, len(eta))))
        whole[:, group.chosen] = some
    return np.concatenate(list(classes.values()))


def _weight_mesh(pair: Pair, z: Floats) -> Grid:
    """Panels of ξ, refined where the weights' answer turns: at large β a weight jumps between two
    values.
    """
    at = Parameters(pair, z)
    _, values = at.weights
    start = weight_grid(pair, values[7] * values[0] * pair.teacher_scale, values[0] ** 2, fixed=True).edges
    breakpoints = np.append(start[:, 0], start[-1, 1])

    def integrands(xi: Floats) -> Floats:
        inner = _weight_inner(at, xi)
        tilted = inner.tilted(inner.locate(inner.beta < 0.0), _WEIGHT_ORDER)
        weight = np.exp(_weight_teacher(at, values, xi)[0])
        parts: Floats = weight * np.stack([tilted.value, tilted.first[0] ** 2, tilted.second[0, 0]])
        return parts

    rounding = _WEIGHT_ROUNDING * abs(values[3]) ** np.arange(3)
    return refine(integrands, breakpoints, tolerance=_WEIGHT_TOLERANCE, noise=rounding)


def weight_responses(pair: Pair, z: Floats, grid: Grid | None) -> tuple[float, float]:
    """E[(g_X''/β)²] and E⟨(ψ_X'')²⟩: what takes the place of W² and V² in the stability ratios."""
    at = Parameters(pair, z)
    if grid is None:
        return mode_responses(at)
    xi, weights = grid.plain()
    inner = _weight_inner(at, xi)
    tilted = inner.tilted(inner.locate(inner.beta < 0.0), CHECK_ORDER)
    seen = weights * np.exp(_weight_teacher(at, at.weights[1], xi)[0])
    return float(seen @ (tilted.second[0, 0] / at.beta.value) ** 2), float(seen @ tilted.curvatures[1])
