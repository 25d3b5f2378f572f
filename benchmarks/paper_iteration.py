"""The paper's own way of computing the curve: its saddle-point equations, iterated to a fixed
point.

The baseline of ``benchmarks/theory.py``, which says what it may do. The equations are those of
[cui2020, App. C, (SP1)–(SP2), corrected as in docs/theory.md], iterated at a given (n, β).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import logsumexp

from gardner.errors import ConvergenceError
from gardner.model import PERCEPTRON, library_of
from gardner.theory.curve.ends import Side
from gardner.theory.curve.equations import TOLERANCE
from gardner.theory.formula.average import INNER_ORDER, Inner
from gardner.theory.formula.evaluation import outer_grid
from gardner.theory.formula.expansion import channel_psi
from gardner.theory.formula.free_entropy import Theta, to_coordinates
from gardner.theory.formula.pair import pair_of
from gardner.theory.formula.quadrature import Peak
from gardner.theory.formula.taylor import Floats
from gardner.theory.random_subset.typical import typical_theta

PAIR = pair_of(PERCEPTRON)
ALPHA = 3.0
AGREEMENT = 1e-7  # relative, of m, q, Q and φ
MAX_SWEEPS = 5000
REGRID = 0.35  # movement (in the product's coordinates) after which the product makes new panels; the same here
RELOCATE = 0.05  # movement of ln(conjugates) after which the inner windows are located anew
CHUNK = 256  # outer nodes per compiled shape
BURST = 200  # sweeps between two looks at the clock
ADAPTATION = 0.3  # how fast the damping follows the sign of the dominant eigenvalue
FIRST_DAMPINGS = (1.0, 0.3, 0.1)  # after a divergence the point is started again, with less


@dataclass
class Point:
    """A point the product solved, and what the baseline made of it."""

    budget: float
    side: str
    theta: list[float]
    residual: float
    iterations: int
    outcome: str = "not attempted"  # then: solved, other solution, not converged
    sweeps: int = 0
    difference: float | None = None

    @property
    def beta(self) -> float:
        return self.theta[5]


@dataclass(frozen=True)
class Rules:
    """What the baseline may do."""

    relaxation: float  # the largest factor on a step
    fixed: bool  # … which then is the only one
    seconds_per_point: float
    seconds: float


@dataclass
class Run:
    """One contestant's points and its seconds per budget."""

    points: list[Point] = field(default_factory=list)
    seconds: dict[float, float] = field(default_factory=dict)


# The unknowns are x = (m̂, q̂, Δ = Q̂ − q̂, A = 1 + r̂ + Q̂): the paper's four conjugates, combined
# so that t = q − m², D = Q − q and V = r − Q come without subtraction (its rounding would cost a
# fifth more sweeps).


def overlaps(x: Any, beta: Any) -> tuple[Any, Any, Any, Any]:
    """(m, t, D, V) from the conjugates: the first half of a sweep, m = m̂/S, q = (q̂+m̂²)/S², Q − q
    = (1/S − 1/A)/β, …
    """
    m_hat, q_hat, delta, A = x
    S = A - beta * delta  # the paper's 1 + r̂ − (β−1)Q̂ + βq̂
    return m_hat / S, q_hat / S**2, delta / (A * S), 1.0 / A


def to_conjugates(theta: tuple[float, ...]) -> Floats:
    """The inverse."""
    p = Theta(*theta)
    return np.array([p.m / p.W, p.t / p.W**2, p.D / (p.V * p.W), 1.0 / p.V])


def window_rule(at: Peak, order: int) -> tuple[Any, Any]:
    """The product's nodes on either side of a peak, over JAX."""
    unit, weights = np.polynomial.legendre.leggauss(order)
    unit, weights = 0.5 * (unit + 1.0), 0.5 * weights
    mode, left, right = (part[:, None] for part in (at.mode, at.left, at.right))
    nodes = jnp.concatenate([mode + (left - mode) * unit, mode + (right - mode) * unit], axis=1)
    sizes = jnp.concatenate([jnp.log((mode - left) * weights), jnp.log((right - mode) * weights)], axis=1)
    return nodes, sizes - 0.5 * nodes * nodes - 0.5 * np.log(2.0 * np.pi)


def solve_phi(L: Any, measure: Any, phi: Any, n: Any) -> Any:
    """The φ of budget n at given L(η): Newton from the last φ inside a bracket; L does not depend
    on φ, so cheap.
    """

    def step(state: tuple[Any, ...]) -> tuple[Any, ...]:
        low, high, f, _, count = state
        s, s0 = jax.nn.sigmoid(f + L), jax.nn.sigmoid(f)
        excess = ALPHA * (s0 + jnp.sum(measure * (s - s0))) - n  # the product's form: uninformative rows taken out
        slope = ALPHA * (s0 * (1.0 - s0) + jnp.sum(measure * (s * (1.0 - s) - s0 * (1.0 - s0))))
        low, high = jnp.where(excess < 0.0, f, low), jnp.where(excess < 0.0, high, f)
        new, error = f - excess / slope, jnp.abs(excess) / n
        # at the level of rounding the sign of the excess, and with it the bracket, cannot be
        # trusted
        safe = (error < 1e-9) | ((new >= low) & (new <= high))
        return low, high, jnp.where(safe, new, 0.5 * (low + high)), error, count + 1

    bracket = (-60.0 - jnp.maximum(jnp.max(L), 0.0), 60.0 - jnp.minimum(jnp.min(L), 0.0))
    start = (*bracket, phi, jnp.array(jnp.inf), 0)
    return jax.lax.while_loop(lambda state: (state[3] > 1e-12) & (state[4] < 60), step, start)[2]


def sweep(x: Any, phi: Any, beta: Any, n: Any, eta: Any, weights: Any, window: Peak) -> tuple[Any, Any]:
    """Overlaps from conjugates, φ from the budget, new conjugates; ρ = φ/Φ is the paper's
    e^{−X²/2}/(√2π H(X)).
    """
    m, t, D, V = overlaps(x, beta)
    q = m * m + t
    zeta, log_weights = window_rule(window, INNER_ORDER)
    u = (jnp.sqrt(D) * zeta + jnp.sqrt(q) * eta[:, None]) / jnp.sqrt(V)  # the paper's −X
    library: Any = library_of(jnp.zeros(1))
    rho, excess = library.mills(u)
    log_terms = beta * library.log_ndtr(u) + log_weights
    L = logsumexp(log_terms, axis=-1)
    tilted = jnp.exp(log_terms - L[:, None])
    mean = jnp.sum(tilted * rho, axis=-1)
    variance = jnp.sum(tilted * (rho - mean[:, None]) ** 2, axis=-1)
    curvature = jnp.sum(tilted * rho * excess, axis=-1)
    measure = 2.0 * weights * jnp.exp(library.log_ndtr(m * eta / jnp.sqrt(t)))
    phi = solve_phi(L, measure, phi, n)
    s = jax.nn.sigmoid(phi + L)
    slope = 2.0 * weights * jnp.exp(-0.5 * (m * eta) ** 2 / t) / jnp.sqrt(2.0 * jnp.pi * t / q)
    m_hat = ALPHA / jnp.sqrt(V) * jnp.sum(slope * s * mean)
    q_hat = ALPHA / V * jnp.sum(measure * (s * mean) ** 2)
    delta = ALPHA / V * jnp.sum(measure * s * ((1.0 - s) * mean**2 + variance))
    A = 1.0 + ALPHA / V * jnp.sum(measure * s * curvature)
    return jnp.stack([m_hat, q_hat, delta, A]), phi


def sizes(x: Any, beta: Any, n: Any) -> Any:
    """What a mismatch of the conjugates is compared with: the conjugates m̂, q̂, Q̂ and A
    themselves.

    These are the sizes of ``stationary.State.equations`` (there every residual is a relative
    mismatch of a conjugate parameter), with its allowances for rounding, so 10⁻¹¹ asks the same of
    both contestants.
    """
    m_hat, q_hat, delta, A = x
    rounding = np.finfo(float).eps / TOLERANCE
    S, t = A - beta * delta, overlaps(x, beta)[1]
    q_size = q_hat + 2.0 * rounding * (S + 0.01 * n / t) / jnp.abs(beta)
    return jnp.stack([m_hat, q_size, q_hat + delta + 2.0 * rounding * S / jnp.abs(beta - 1.0), A])


@jax.jit
def burst(x: Any, phi: Any, damping: Any, last: Any, fixed: Any, eta: Any, weights: Any, window: Peak) -> Any:
    """Damped sweeps on given nodes until convergence, or until the conjugates have moved too far
    for these nodes.

    Damping: the mismatch of one sweep is μ times that of the last, μ = 1 − damping·(1 − λ) with λ
    the dominant eigenvalue. μ < 0 (an oscillation) wants more damping, μ > 0 (a creep) less;
    following μ balances both ends of the spectrum, and a sweep that oscillates apart corrects
    itself within a few.
    """
    start = x
    beta, n, tolerance, strongest, adaptation = fixed

    def unfinished(state: tuple[Any, ...]) -> Any:
        x, _, _, _, mismatch, count = state
        near = jnp.max(jnp.abs(jnp.log(x / start))) < RELOCATE
        return (mismatch > tolerance) & (count < BURST) & near

    def step(state: tuple[Any, ...]) -> tuple[Any, ...]:
        x, phi, damping, last, _, count = state
        new, phi = sweep(x, phi, beta, n, eta, weights, window)
        relative = (new - x) / sizes(x, beta, n)
        mismatch = jnp.max(jnp.abs(relative))
        mu = jnp.sum(relative * last) / jnp.maximum(jnp.sum(last * last), 1e-300)
        damping = jnp.clip(damping * (1.0 + adaptation * jnp.clip(mu, -1.0, 1.0)), 0.02, strongest)
        moved = jnp.where(mismatch > tolerance, x + damping * (new - x), x)
        return moved, phi, damping, relative, mismatch, count + 1

    return jax.lax.while_loop(unfinished, step, (x, phi, damping, last, jnp.array(jnp.inf), 0))


def windows_at(theta: Floats, eta: Floats) -> Peak:
    """Inner windows at all outer nodes, by the product's finder (one label class: the channel is
    even).
    """
    m, t, D, V, _, beta = theta
    inner = Inner(channel_psi(PERCEPTRON.channel, 1.0, V), beta, np.sqrt(m * m + t) * eta, D)
    return cast(Peak, inner.locate(True))


def padded(eta: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Whole chunks of nodes, padding of weight zero: few shapes, few compilations."""
    padding = -len(eta) % CHUNK
    return np.pad(eta, (0, padding), mode="edge"), np.pad(weights, (0, padding))


@dataclass
class Iterate:
    """Where the iteration stands."""

    x: Floats
    phi: float
    damping: float = 1.0
    mismatch: float = math.inf
    sweeps: int = 0

    def theta(self, beta: float) -> Floats:
        return np.array([*overlaps(self.x, beta), self.phi, beta])


def iterate(start: Iterate, fixed: Floats, deadline: float) -> Iterate:
    """Sweeps from a start, with panels and windows renewed as the product would, to the end or to a
    limit.
    """
    beta, _, tolerance, *_ = fixed
    now, last, made_at = start, np.zeros(4), None
    while now.sweeps < MAX_SWEEPS and time.perf_counter() < deadline:
        theta = now.theta(beta)
        with np.errstate(invalid="ignore", divide="ignore"):
            z = to_coordinates(theta)
        if not np.all(np.isfinite(z)):
            return Iterate(now.x, now.phi, now.damping, math.nan, now.sweeps)
        if made_at is None or np.abs(z - made_at).max() > REGRID:
            eta, weights = padded(*outer_grid(PAIR, z).normal())
            made_at = z
        arguments = (now.x, np.float64(now.phi), np.float64(now.damping), last, fixed)
        try:
            windows = windows_at(theta, eta)
        except ConvergenceError:  # an iterate so far off that its integrand has no peak
            return Iterate(now.x, now.phi, now.damping, math.nan, now.sweeps)
        x, phi, damping, last, mismatch, count = burst(*arguments, eta, weights, windows)
        now = Iterate(np.asarray(x), float(phi), float(damping), float(mismatch), now.sweeps + int(count))
        if not now.mismatch > tolerance:  # converged, or NaN
            break
    return now


def extrapolated(history: list[tuple[float, Iterate]], beta: float) -> Iterate:
    """The start at β: a straight line through the last two converged points, in ln(conjugates),
    asinh φ and asinh β.
    """
    b1, one = history[-1]
    if len(history) == 1:
        return Iterate(one.x, one.phi)
    b0, zero = history[-2]
    f = (math.asinh(beta) - math.asinh(b1)) / (math.asinh(b1) - math.asinh(b0))
    phi = math.sinh(math.asinh(one.phi) + f * (math.asinh(one.phi) - math.asinh(zero.phi)))
    return Iterate(one.x * (one.x / zero.x) ** f, phi, one.damping)


def attempt(point: Point, history: list[tuple[float, Iterate]], rules: Rules) -> None:
    """Solve one point, compare it, and remember it as a start for the next one if it is right."""
    beta, nearest = point.beta, history[-1][1]
    tolerance = max(TOLERANCE, point.residual)  # where rounding stopped the product earlier, so may the baseline
    deadline = time.perf_counter() + rules.seconds_per_point
    for damping in FIRST_DAMPINGS[: 1 if rules.fixed else None]:
        start = extrapolated(history, beta) if damping == 1.0 else Iterate(nearest.x, nearest.phi, damping)
        adaptation = 0.0 if rules.fixed else ADAPTATION
        fixed = np.array([beta, point.budget, tolerance, rules.relaxation * damping, adaptation])
        end = iterate(start, fixed, deadline)
        point.sweeps += end.sweeps
        if end.mismatch <= tolerance:
            break
    else:
        point.outcome = "not converged"
        return
    got, want = Theta(*end.theta(beta)), Theta(*point.theta)
    pairs = [(got.m, want.m), (got.q, want.q), (got.Q, want.Q)]
    distances = [abs(a / b - 1.0) for a, b in pairs] + [abs(got.phi - want.phi) / max(1.0, abs(want.phi))]
    point.difference = float(max(distances))
    point.outcome = "solved" if point.difference < AGREEMENT else "other solution"
    if point.outcome == "solved":
        history.append((beta, end))


def run_baseline(points: list[Point], rules: Rules) -> Run:
    jax.config.update("jax_enable_x64", True)  # type: ignore[no-untyped-call]
    run = Run(points)
    began = time.perf_counter()
    for n in dict.fromkeys(point.budget for point in points):
        start = time.perf_counter()
        for side in Side:
            typical = typical_theta(PAIR, ALPHA, n)
            history = [(0.0, Iterate(to_conjugates(typical), typical[4]))]
            for point in points:
                if (point.budget, point.side) == (n, side.value) and time.perf_counter() - began < rules.seconds:
                    attempt(point, history, rules)
        run.seconds[n] = time.perf_counter() - start
    return run
