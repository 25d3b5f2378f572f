"""The iteration of expectation propagation: from sites to marginals and cavities, and to new sites.

All sites move at once, one factorisation an iteration. The step shrinks by itself where sites that
share a direction overshoot together. The equations are in :mod:`gardner.inference.ep`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.linalg.lapack import dpotrf, dtrtrs

from gardner.errors import InvalidInputError
from gardner.inference.posterior import Status
from gardner.model import Channel
from gardner.model.arrays import Floats

# The ratio of the factor's largest to smallest diagonal beyond which QR takes the place of the
# normal equations. They cost its square, so six of sixteen digits are lost at most.
_THIN = 1e3
# The share of an update below which a run that still breaks is called diverging; it was halved a
# dozen times by then.
_SMALLEST_STEP = 1e-4
# The projection of an update on the one before (1: the same again) below which the step was too
# long.
_OVERSHOT = -0.2
# The same projection above which the step is too short; between the two it stays.
_CRAWLING = 0.3
# The factor by which a step shrinks at most at once.
_SHORTEN = 0.25
# The factor by which a step grows at most at once: growing is tried every iteration, so it may be
# slow.
_LENGTHEN = 1.3
# Damping tried from the start where a channel that is not log-concave diverged.
_RUNGS = (0.7, 0.9, 0.97)
# Iterations at most: those that settle take ten to fifty.
MAX_ITERATIONS = 500
# Iterations without progress after which a channel that is not log-concave gets shorter steps for
# good.
_PATIENCE = 15


@dataclass(frozen=True)
class Sites:
    """The normal functions in the places of the labels: precisions τ and precisions times means ν."""

    tau: Floats
    nu: Floats


@dataclass(frozen=True)
class State:
    """Sites and all that follows from them."""

    tau: Floats
    nu: Floats
    cholesky: Floats  # L, with L Lᵀ = I + Fᵀ diag(τ) F
    whitened: Floats  # L⁻¹ Fᵀ ν, so that x̂ = L⁻ᵀ of it
    a: Floats
    s: Floats
    omega: Floats
    V: Floats
    g: Floats
    target_tau: Floats
    target_nu: Floats
    residual: float

    @property
    def update(self) -> Floats:
        """What the sites would change by, in units of the width of their fields."""
        return np.concatenate([self.s * (self.target_tau - self.tau), np.sqrt(self.s) * (self.target_nu - self.nu)])


@dataclass(frozen=True)
class SiteRun:
    """How an iteration ended."""

    state: State
    status: Status
    iterations: int
    damping: float


def settle(
    F: Floats, y: Floats, channel: Channel, tolerance: float, most: int, damping: float,
    progress: Callable[[float], None], start: Sites | None = None,
) -> SiteRun:  # fmt: skip
    """From the start given, if that fails from none, and where sites may turn negative with more
    and more damping.
    """
    from_sites = [(damping, start)] if start is not None and channel.log_concave else []
    for least, sites in (*from_sites, *((rung, None) for rung in (damping, *_RUNGS) if rung >= damping)):
        run = _iterate(F, y, channel, tolerance, most, least, progress, sites)
        turned = run.status is Status.DIVERGED and float(np.min(run.state.target_tau)) < 0.0
        if run.status is Status.CONVERGED or (sites is None and not turned):
            break
    return run


def _iterate(
    F: Floats,
    y: Floats,
    channel: Channel,
    tolerance: float,
    max_iterations: int,
    damping: float,
    progress: Callable[[float], None],
    start: Sites | None = None,
) -> SiteRun:
    """Move all sites towards their targets until moments match; the last state that was sound is
    returned.
    """
    longest = 1.0 - damping
    step = longest
    state = evaluate(F, y, channel, start.tau, start.nu) if start is not None else None
    state = state or evaluate(F, y, channel, np.zeros(y.size), np.zeros(y.size))
    if state is None:
        raise InvalidInputError("rows", "their scale", "their squares overflow or vanish", hint="rescale them")
    last_update: Floats | None = None
    best, waited = math.inf, 0
    for iteration in range(max_iterations):
        progress(min(max(math.log(max(state.residual, tolerance)) / math.log(tolerance), 0.0), 1.0))
        if state.residual <= tolerance:
            return SiteRun(state, Status.CONVERGED, iteration, 1.0 - step)
        best, waited = (state.residual, 0) if state.residual < 0.99 * best else (best, waited + 1)
        if waited >= _PATIENCE and float(np.min(state.target_tau)) < 0.0:  # sites that take turns in changing sides
            longest, best, waited = max(0.5 * longest, 1.0 - _RUNGS[-1]), math.inf, 0
        update = state.update
        if last_update is not None:
            step = min(longest, step * _stretch(update, last_update))
        moved = evaluate(
            F, y, channel,
            state.tau + step * (state.target_tau - state.tau),
            state.nu + step * (state.target_nu - state.nu),
        )  # fmt: skip
        if moved is None:
            step *= 0.5
            last_update = None
            if step < _SMALLEST_STEP:
                return SiteRun(state, Status.DIVERGED, iteration + 1, 1.0 - step)
            continue
        state, last_update = moved, update
    status = Status.CONVERGED if state.residual <= tolerance else Status.UNCONVERGED
    return SiteRun(state, status, max_iterations, 1.0 - step)


def _stretch(update: Floats, last_update: Floats) -> float:
    """The factor by which to change the step.

    Along an eigenvector of the iteration the update is multiplied by c = 1 − step·k from one
    iteration to the next. Where c < 0 the step overshot, and step/(1 − c) = 1/k would have hit;
    where c is well above 0 it crawled.
    """
    scale = float(last_update @ last_update)
    ratio = float(update @ last_update) / scale if scale > 0.0 else 0.0  # nothing moves below a tolerance out of reach
    if ratio < _OVERSHOT:
        return max(1.0 / (1.0 - ratio), _SHORTEN)
    return _LENGTHEN if ratio > _CRAWLING else 1.0


@np.errstate(over="ignore", divide="ignore", invalid="ignore")  # what overflows is not finite, and the guards see it
def evaluate(F: Floats, y: Floats, channel: Channel, tau: Floats, nu: Floats) -> State | None:
    """Marginals, cavities and new sites; nothing where rounding or too long a step left no proper
    cavity.
    """
    cholesky = _factor(F, tau)
    if cholesky is None:
        return None
    # s is a sum of squares: from Σ itself, thin directions would be the difference of large numbers.
    # LAPACK is called itself: SciPy's own functions take longer to check a matrix of a hundred rows
    # than to solve with it.
    spread, whitened = (dtrtrs(cholesky, right, lower=1)[0] for right in (F.T, F.T @ nu))
    a, s = spread.T @ whitened, np.einsum("ij,ij->j", spread, spread)
    share = 1.0 - s * tau  # s/V
    if not (np.all(share > 0.0) and np.all(s > 0.0) and np.all(np.isfinite(a))):
        return None
    V, omega = s / share, (a - s * nu) / share
    g, S = (np.asarray(part) for part in channel.derivatives(y, omega, V))
    # For the sign channel 1 − V S falls as 1/u² with the depth u of a surprise, and so loses u²
    # units of rounding: at u = −1000, far beyond what a fixed point shows, ten digits of the site
    # are left.
    shrink = 1.0 - V * S
    if not np.all(shrink > 0.0):
        return None
    target_tau, target_nu = S / shrink, (g + omega * S) / shrink
    if not (np.all(np.isfinite(target_tau)) and np.all(np.isfinite(target_nu))):
        return None
    mismatch = (omega + V * g - a) ** 2 / s + np.log(shrink / share) ** 2
    residual = math.sqrt(float(np.mean(mismatch)))
    return State(tau, nu, cholesky, whitened, a, s, omega, V, g, target_tau, target_nu, residual)


def _factor(F: Floats, tau: Floats) -> Floats | None:
    """L with L Lᵀ = I + Fᵀ diag(τ) F; none where sites of negative τ, as a likely flip has,
    outweigh all others.
    """
    features = F.shape[1]
    if float(np.min(tau)) < 0.0:
        try:
            return np.asarray(scipy.linalg.cholesky(np.eye(features) + (F.T * tau) @ F, lower=True, check_finite=False))
        except scipy.linalg.LinAlgError:
            return None
    weighted = np.sqrt(tau)[:, None] * F
    precision = weighted.T @ weighted
    precision.flat[:: features + 1] += 1.0
    cholesky, failed = dpotrf(precision.T, lower=1, overwrite_a=1)  # symmetric, and the transpose needs no copy
    if not failed and float(np.max(np.diag(cholesky))) < _THIN * float(np.min(np.diag(cholesky))):
        return np.asarray(cholesky)
    # AᵀA squares the condition number, QR of A does not; rows by falling size keep it stable
    # whatever their scale
    stacked = np.vstack([weighted, np.eye(features)])
    stacked = stacked[np.argsort(-np.max(np.abs(stacked), axis=1), kind="stable")]
    (triangle,) = scipy.linalg.qr(stacked, mode="r", overwrite_a=True, check_finite=False)
    upper = np.asarray(triangle[:features], dtype=np.float64)
    return np.ascontiguousarray(upper.T * np.sign(np.diag(upper)))
