"""The 1RSB free entropy of the perceptron and its equations [parisi1980, gardner1988].

Subsets of one volume fall into clusters. Two students of subsets of one cluster have the overlap q₁
= q₀ + d, of two clusters q₀; x is Parisi's breaking point. With D = Q − q₁, V = r − Q, t = q₀ − m²,
W = V + βD, U = W + βxd and F(h) = ln(1 + e^{φ + L(h)}),

    Φ₁ = ½[(β−1) ln V + (1−1/x) ln W + (1/x) ln U + βt/U + β(1−r)]
         + α E G(h₀),    G(h₀) = (1/x) ln ∫Dz e^{xF(h₀ + √d z)},

where h₀ is the field of a row whose label is +1: of density 2N(h₀; 0, q₀)Φ(mh₀/√(q₀t)). With ⟨…⟩
the average over z tilted by e^{xF}, and ⟨ψ'²⟩ that over ζ, the conditions of stationarity are

    α E⟨F'⟩² = β²t/U²,     α E[⟨F'²⟩ − ⟨F'⟩²] = β²d/(UW),     α √(2/π) ∫N(h₀; 0, t)⟨F'⟩ = βm/U,
    α E⟨p ⟨ψ'²⟩⟩ = D/(VW) + d/(UW) + t/U²,     r = 1,     ∂Φ₁/∂x = 0,

p = 1/(1 + e^{−φ−L}). The second and the last vanish with d: they are divided by d, and by d³ after
what the second says of the last is taken out, so that the point where the branch leaves the
symmetric one is a solution like any other (docs/theory.md, section 11).

All averages are sums on uniform grids, of h for those over z and of h₀ for those over rows: the
integrands are smooth and die away, so that halving the spacings changes nothing to many digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from gardner.errors import ConvergenceError
from gardner.theory.breaking.rows import Fields, tabulate
from gardner.theory.curve.equations import Problem
from gardner.theory.formula.average import CHECK_ORDER, INNER_ORDER
from gardner.theory.formula.logistic import sigmoid, softplus
from gardner.theory.formula.taylor import Floats

LN_M, LN_T, LN_GAP, LN_D, LN_V, LN_X, PHI, BETA = range(8)
# Standard deviations of a field or of z that are summed over: e^−40 lies beyond.
REACH = 9.0
# The same for the estimate of errors.
CHECK_REACH = 10.0
# Pairs of a row and a node: 12 million take 0.2 s and 100 MB. With 6 million the minimum of α = 30,
# n = 0.6 stays open.
_MOST_PAIRS = 12_000_000


class Place(NamedTuple):
    """The order parameters of one step of breaking, and the fields φ and β."""

    m: float
    t: float
    d: float
    D: float
    V: float
    x: float
    phi: float
    beta: float

    @property
    def q0(self) -> float:
        """Overlap of students of two clusters."""
        return self.m * self.m + self.t

    @property
    def Q(self) -> float:
        """Overlap of two students of the same subset."""
        return self.q0 + self.d + self.D

    @property
    def r(self) -> float:
        """Squared norm of a student; 1 for the sign."""
        return self.Q + self.V

    @property
    def W(self) -> float:
        """V + βD."""
        return self.V + self.beta * self.D

    @property
    def U(self) -> float:
        """W + βxd."""
        return self.W + self.beta * self.x * self.d


def to_place(u: Floats) -> Place:
    """The order parameters at the coordinates u: ln m, ln t, ln d, ln D, ln V, ln x, arsinh φ and
    arsinh β.

    For β < 0 those of d and D are ln(xd/U) and ln(D/W), so that W and U are positive everywhere.
    """
    m, t, d, D, V, x = (float(one) for one in np.exp(u[:PHI]))
    phi, beta = (float(one) for one in np.sinh(u[PHI:]))
    if beta < 0.0:
        W = V / (1.0 - beta * D)
        d, D = d * W / (1.0 - beta * d) / x, D * W
    return Place(m, t, d, D, V, x, phi, beta)


def to_coordinates(place: Place) -> Floats:
    """The inverse of :func:`to_place`."""
    values = np.array(place)
    if place.beta < 0.0:
        values[LN_GAP], values[LN_D] = place.x * place.d / place.U, place.D / place.W
    return np.append(np.log(values[:PHI]), np.arcsinh(values[PHI:]))


class Steps(NamedTuple):
    """The spacings of the nodes h and of the rows' fields h₀."""

    nodes: float
    rows: float


@dataclass(frozen=True)
class Grid:
    """The nodes h at which F is known, and the fields h₀ of the rows, whose averages over z run
    over the nodes.
    """

    h: Floats
    rows: Floats
    steps: Steps


def reached(at: Place, reach: float = REACH) -> tuple[float, float, float, float]:
    """How far rows' fields go down and up, and how far z goes beyond them.

    Rows whose label was not expected have |h₀| below a few √(q₀t/(t+m²)). For β < 0 they pull z
    away from them, by −xβdh₀/U, and widen it by √(W/U).
    """
    low, high = reach * math.sqrt(at.t), reach * math.sqrt(at.q0)
    wide = pulled = reach * math.sqrt(at.d)
    if at.beta < 0.0:
        pulled = wide * math.sqrt(at.W / at.U) - at.x * at.beta * at.d * low / at.U
    return low, high, pulled, wide


def make_grid(at: Place, steps: Steps, checking: bool = False) -> Grid:
    """Nodes and rows that cover what is reached; ``checking`` makes finer ones that reach further."""
    if checking:
        steps = Steps(0.5 * steps.nodes, 0.5 * steps.rows)
    low, high, pulled, wide = reached(at, CHECK_REACH if checking else REACH)
    first, last = -math.ceil((low + pulled) / steps.nodes), math.ceil((high + wide) / steps.nodes)
    bottom, top = -math.ceil(low / steps.rows), math.ceil(high / steps.rows)
    nodes, rows = last - first + 1, top - bottom + 1
    if nodes * rows > (8 if checking else 1) * _MOST_PAIRS:
        raise ConvergenceError("the fields of broken symmetry need too fine a grid")
    h = steps.nodes * np.arange(first, last + 1, dtype=np.float64)
    return Grid(h, steps.rows * np.arange(bottom, top + 1, dtype=np.float64), steps)


@dataclass(frozen=True)
class Evaluation:
    """What the formula says at a place.

    ``equations`` are the seven conditions, relative to their own terms: stationarity, and n labels.
    ``split`` is ∂Φ₁/∂x over d², less what vanishes with the first condition. ``stability`` and
    ``cluster_stability`` are the ratios of a further step of breaking, within clusters and between
    them: above 1, one step is not enough.
    """

    place: Place
    grid: Grid
    fields: Fields
    equations: Floats
    split: float
    log_volume: float
    complexity: float
    stability: float
    cluster_stability: float


def evaluate(
    problem: Problem, u: Floats, steps: Steps, known: Evaluation | None = None, *, checking: bool = False
) -> Evaluation:
    """The equations at u; ``known`` are those of a place of the same D, V and β, whose fields will
    do.

    ``checking`` takes more nodes of every kind.
    """
    at = to_place(u)
    if not (at.W > 0.0 and at.U > 0.0):
        raise ConvergenceError("the average over students does not exist there")
    grid = make_grid(at, steps, checking)
    if known is not None and np.array_equal(known.grid.h, grid.h):
        fields = known.fields
    else:
        order = CHECK_ORDER if checking else INNER_ORDER
        fields = tabulate(problem.pair.student.channel, grid.h, at.D, at.V, at.beta, order)
    return _evaluated(problem, at, grid, fields)


def _evaluated(problem: Problem, at: Place, grid: Grid, fields: Fields) -> Evaluation:
    alpha, beta, d, x, W, U = problem.pool_ratio, at.beta, at.d, at.x, at.W, at.U
    taken = sigmoid(at.phi + fields.value)
    F, slope = softplus(at.phi + fields.value), taken * fields.slope
    bend = taken * (fields.curve + (1.0 - taken) * fields.slope**2)
    tilt = _Tilt(grid, F, d, x)
    rows, unsure = _row_weights(at, grid)
    squares = 2.0 * (fields.by_D - fields.by_V) / (beta * (beta - 1.0))  # ⟨ψ'²⟩
    mean, mean_slope, mean_square, mean_taken, students, volumes, curve, curves = tilt(
        F, slope, slope * slope, taken, taken * squares, taken * fields.by_beta, bend, bend * bend
    )
    varied = np.maximum(mean_square - mean_slope**2, 0.0)
    outer = alpha * float(rows @ mean_slope**2)
    apart = alpha * float(rows @ varied) / d - beta**2 / (U * W)
    labels = alpha * float(rows @ mean_taken)
    split = alpha * float(rows @ ((mean - tilt.value) / x)) - 0.5 * d * outer
    split = (split + 0.5 / x**2 * (beta * x * d / U - math.log(U / W))) / d**2
    size = at.D / (at.V * W) + d / (U * W) + at.t / U**2
    conditions = [
        outer * U**2 / (beta**2 * at.t) - 1.0,
        apart * U * W / beta**2,
        alpha * math.sqrt(2.0 / math.pi) * float(unsure @ mean_slope) * U / (beta * at.m) - 1.0,
        alpha * float(rows @ students) / size - 1.0,
        at.r - 1.0,
        labels / problem.budget - 1.0,
        (split - 0.25 * apart) / d * W**3 / abs(beta) ** 3,
    ]
    volume = _entropic_slope(at) + alpha * float(rows @ volumes)
    value = _entropic(at) + alpha * float(rows @ tilt.value)
    spread = curve + x * varied
    return Evaluation(
        place=at,
        grid=grid,
        fields=fields,
        equations=np.array(conditions),
        split=split,
        log_volume=volume,
        complexity=value - beta * volume - labels * at.phi,
        stability=alpha * float(rows @ curves) * (W / beta) ** 2,
        cluster_stability=alpha * float(rows @ spread**2) * (U / beta) ** 2,
    )


class _Tilt:
    """⟨…⟩ at every h₀, and G(h₀)."""

    def __init__(self, grid: Grid, F: Floats, d: float, x: float) -> None:
        exponents = np.subtract.outer(grid.rows, grid.h)
        np.multiply(exponents, exponents, out=exponents)
        exponents *= -0.5 / d
        exponents += x * F
        top = exponents.max(axis=1)
        exponents -= top[:, None]
        self._chances = np.exp(exponents, out=exponents)
        total = self._chances.sum(axis=1)
        self._chances /= total[:, None]
        scale = math.log(grid.steps.nodes / math.sqrt(2.0 * math.pi * d))
        self.value: Floats = (top + np.log(total) + scale) / x

    def __call__(self, *values: Floats) -> Floats:
        """The averages of what is known at the nodes, a line for each."""
        # no matrix product: its threads would wait for each other where cores are shared
        found: Floats = np.einsum("kj,ij->ki", np.stack(values), self._chances)
        return found


def _row_weights(at: Place, grid: Grid) -> tuple[Floats, Floats]:
    """The density of h₀, and that of rows on the edge of the teacher's label, both times the rows'
    spacing.
    """
    h, q0 = grid.rows, at.q0
    root = grid.steps.rows / math.sqrt(2.0 * math.pi)
    rows = root / math.sqrt(q0) * np.exp(-0.5 * h * h / q0) * 2.0 * ndtr(at.m * h / math.sqrt(q0 * at.t))
    return rows, root / math.sqrt(at.t) * np.exp(-0.5 * h * h / at.t)


def _entropic(at: Place) -> float:
    inverse = 1.0 / at.x
    logs = (at.beta - 1.0) * math.log(at.V) + (1.0 - inverse) * math.log(at.W) + inverse * math.log(at.U)
    return 0.5 * (logs + at.beta * (at.t / at.U + 1.0 - at.r))


def _entropic_slope(at: Place) -> float:
    """∂/∂β of it."""
    move = at.D + at.x * at.d  # ∂U/∂β
    logs = math.log(at.V) + (1.0 - 1.0 / at.x) * at.D / at.W + move / (at.x * at.U)
    return 0.5 * (logs + at.t / at.U - at.beta * at.t * move / at.U**2 + 1.0 - at.r)
