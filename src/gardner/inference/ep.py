"""Expectation propagation with the full covariance: right also where rows are correlated, as those
of real data are.

Each label's factor P_out(y_μ|h_μ) of the field h_μ = F_μ·x is replaced by a Gaussian site exp(−τ_μ
h²/2 + ν_μ h), so that with a Gaussian prior the posterior is Gaussian [minka2001; rasmussen2006,
sec. 3.6]:

    Σ = (I + Fᵀ diag(τ) F)⁻¹,   x̂ = Σ Fᵀν,   a_μ = F_μ·x̂,   s_μ = F_μ·ΣF_μ.

Leaving one site out gives the cavity of its field, 1/V = 1/s − τ and ω = V(a/s − ν). The site is
then chosen anew so that mean and variance of the field agree with those of cavity times true
factor, ω + V g and V(1 − V S) with S = −g':

    τ = S/(1 − V S),   ν = (g + ωS)/(1 − V S).

All sites move at once, one factorisation an iteration. The step shrinks by itself where sites that
share a direction overshoot together. With fewer rows than features everything happens in the span
of the rows, F = G Q with orthonormal rows Q and a triangle G in the place of F. (The kernel form of
[rasmussen2006, sec. 3.6.3] takes s as a difference, which leaves no digits in thin cones; it is the
twin that a test compares with.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.lapack import dpotrf, dtrtrs

from gardner.errors import InvalidInputError
from gardner.inference.inputs import check_settings, check_training, deviations
from gardner.inference.posterior import Posterior, Status
from gardner.inference.separable import VersionSpace, separate
from gardner.inference.trust import SAMPLE, judged, neglected_by_ep, sampled
from gardner.model import GLM, PERCEPTRON, Channel

Floats = NDArray[np.float64]

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
class _State:
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
class _Run:
    """How an iteration ended."""

    state: _State
    status: Status
    iterations: int
    damping: float


def expectation_propagation(
    rows: ArrayLike,
    labels: ArrayLike,
    model: GLM = PERCEPTRON,
    *,
    tolerance: float = 1e-8,
    max_iterations: int = MAX_ITERATIONS,
    damping: float = 0.0,
    judge: bool = True,
    progress: Callable[[float], None] | None = None,
) -> Posterior:
    """Posterior and log-evidence by expectation propagation [minka2001], for a Gaussian prior and
    any channel.

    ``tolerance`` bounds the root mean square, over rows, of what moment matching leaves: the
    difference of the field's two means in units of its standard deviation, and that of the
    logarithms of its two variances. ``damping`` is the least share of the old sites kept in each
    update; more is kept where it is needed. ``progress`` is told a fraction, by the logarithm of
    the residual. Time goes as M N² an iteration, or as M³ if that is less. The result is in NumPy
    and double precision whatever the rows were.

    The log-evidence is exact for one row and for rows at right angles; it counts repeated rows as
    partly independent. How much that and all else beyond variances matters is estimated
    (:mod:`gardner.inference.trust`); above 3 % of the log-evidence the status is DOUBTFUL.
    ``judge=False`` leaves the estimate out: a search compares many models.

    >>> posterior = expectation_propagation([[1.0, 0.0], [0.0, 2.0]], [1.0, -1.0])
    >>> posterior.status.value, round(posterior.log_evidence / math.log(2.0), 9)
    ('converged', -2.0)
    """
    _check_prior(model)
    check_settings(tolerance, max_iterations, damping)
    rows, labels = check_training(rows, labels, model)
    # rows times the prior's standard deviations: from here on the prior is standard normal
    F, y = np.asarray(rows, dtype=np.float64) * deviations(model), np.asarray(labels, dtype=np.float64)
    if F.shape[0] == 0:
        return _without_rows(F.shape[1], y, model, Status.CONVERGED)
    verdict = separate(F, y).verdict if model.channel.noiseless else VersionSpace.OPEN
    if verdict is VersionSpace.EMPTY:
        return _without_rows(F.shape[1], y, model, Status.EMPTY)
    basis: Floats | None = None
    if F.shape[0] < F.shape[1]:
        columns, triangle = scipy.linalg.qr(F.T, mode="economic", check_finite=False)
        F, basis = np.ascontiguousarray(triangle.T), np.asarray(columns.T, dtype=np.float64)
    run = _settle(F, y, model.channel, tolerance, max_iterations, damping, progress or (lambda _: None))
    if verdict is VersionSpace.UNDECIDED and run.status is Status.CONVERGED:
        run = _Run(run.state, Status.UNDECIDED, run.iterations, run.damping)
    posterior = _posterior(run, y, model, basis)
    if run.status is not Status.CONVERGED or not judge:
        return posterior
    some = sampled(y.size, max(SAMPLE, F.shape[1]))  # the cost of one or two more iterations
    spread = scipy.linalg.solve_triangular(run.state.cholesky, F[some].T, lower=True, check_finite=False)
    cavity = run.state.omega[some], run.state.V[some]
    second = _second_moment(posterior, model.prior.second_moments)
    relative_entropy = 0.5 * (second - posterior.features) + float(np.sum(np.log(np.diag(run.state.cholesky))))
    return judged(posterior, neglected_by_ep(spread, y[some], model.channel, *cavity, y.size), relative_entropy)


def ep_evidence(
    rows: Floats, labels: Floats, model: GLM, *, tolerance: float, start: Sites | None = None
) -> tuple[float, Sites | None]:
    """The log-evidence alone, −∞ where the iteration does not settle, and the sites, to start from
    with a like model.

    For searches over models: nothing is judged. Where sites may turn negative, and so end
    elsewhere, they start anew.
    """
    if model.channel.noiseless or not len(rows):
        posterior = expectation_propagation(rows, labels, model, tolerance=tolerance, judge=False)
        return (posterior.log_evidence if posterior.settled else -math.inf), None
    _check_prior(model)
    F, channel = rows * deviations(model), model.channel
    run = _settle(F, labels, channel, tolerance, MAX_ITERATIONS, 0.0, lambda _: None, start)
    if run.status is not Status.CONVERGED:
        return -math.inf, None
    return _log_evidence(run.state, labels, channel), Sites(run.state.tau, run.state.nu)


def _second_moment(posterior: Posterior, variances: Floats) -> float:
    """Σ E[x²] under the posterior, in units of the prior's; a weight that does not vary stays as it
    was.
    """
    squares = np.asarray(posterior.mean) ** 2 + np.asarray(posterior.variance)
    return float(np.sum(np.divide(squares, variances, out=np.ones_like(squares), where=variances > 0.0)))


def _check_prior(model: GLM) -> None:
    if not model.prior.gaussian:
        raise InvalidInputError(
            "model.prior", model.prior, "expectation propagation here needs a Gaussian prior", hint="try method='amp'"
        )


def _settle(
    F: Floats, y: Floats, channel: Channel, tolerance: float, most: int, damping: float,
    progress: Callable[[float], None], start: Sites | None = None,
) -> _Run:  # fmt: skip
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
) -> _Run:
    """Move all sites towards their targets until moments match; the last state that was sound is
    returned.
    """
    longest = 1.0 - damping
    step = longest
    state = _evaluate(F, y, channel, start.tau, start.nu) if start is not None else None
    state = state or _evaluate(F, y, channel, np.zeros(y.size), np.zeros(y.size))
    if state is None:
        raise InvalidInputError("rows", "their scale", "their squares overflow or vanish", hint="rescale them")
    last_update: Floats | None = None
    best, waited = math.inf, 0
    for iteration in range(max_iterations):
        progress(min(max(math.log(max(state.residual, tolerance)) / math.log(tolerance), 0.0), 1.0))
        if state.residual <= tolerance:
            return _Run(state, Status.CONVERGED, iteration, 1.0 - step)
        best, waited = (state.residual, 0) if state.residual < 0.99 * best else (best, waited + 1)
        if waited >= _PATIENCE and float(np.min(state.target_tau)) < 0.0:  # sites that take turns in changing sides
            longest, best, waited = max(0.5 * longest, 1.0 - _RUNGS[-1]), math.inf, 0
        update = state.update
        if last_update is not None:
            step = min(longest, step * _stretch(update, last_update))
        moved = _evaluate(
            F, y, channel,
            state.tau + step * (state.target_tau - state.tau),
            state.nu + step * (state.target_nu - state.nu),
        )  # fmt: skip
        if moved is None:
            step *= 0.5
            last_update = None
            if step < _SMALLEST_STEP:
                return _Run(state, Status.DIVERGED, iteration + 1, 1.0 - step)
            continue
        state, last_update = moved, update
    status = Status.CONVERGED if state.residual <= tolerance else Status.UNCONVERGED
    return _Run(state, status, max_iterations, 1.0 - step)


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
def _evaluate(F: Floats, y: Floats, channel: Channel, tau: Floats, nu: Floats) -> _State | None:
    """Marginals, cavities and new sites; nothing where rounding or too long a step left no proper
    cavity.
    """
    cholesky = _factor(F, tau)
    if cholesky is None:
        return None
    # s as a sum of squares: from Σ itself, thin directions would be the difference of large numbers
    # by LAPACK itself: SciPy's own functions take longer to check a matrix of a hundred rows than
    # to solve with it
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
    return _State(tau, nu, cholesky, whitened, a, s, omega, V, g, target_tau, target_nu, residual)


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


def _log_evidence(state: _State, y: Floats, channel: Channel) -> float:
    """ln Z = Σ_μ [ψ_Y(y, ω, V) − L_μ] − ½ ln det(I + Fᵀ diag(τ) F) + ½ ν·a, L_μ = ln ∫ N(h; ω, V)
    e^{−τh²/2+νh} dh.

    Since L = ½ ln(s/V) + ½(a²/s − ω²/V) and a/s = ω/V + ν, the large terms cancel by hand:

        ln Z = Σ_μ [ψ_Y(y, ω, V) + ½ ln(V/s) − ½ ω(a − ω)/V] − ½ ln det(I + Fᵀ diag(τ) F).
    """
    sites = 0.5 * np.log(state.V / state.s) - 0.5 * state.omega * (state.a - state.omega) / state.V
    factors = channel.log_partition(y, state.omega, state.V)
    return float(np.sum(factors + sites) - np.sum(np.log(np.diag(state.cholesky))))


def _posterior(run: _Run, y: Floats, model: GLM, basis: Floats | None) -> Posterior:
    """The result in the space of all features; outside the span of the rows it is the prior."""
    state = run.state
    identity = np.eye(state.cholesky.shape[0])
    mean = scipy.linalg.solve_triangular(state.cholesky, state.whitened, lower=True, trans="T", check_finite=False)
    covariance = scipy.linalg.cho_solve((state.cholesky, True), identity, check_finite=False)
    if basis is not None:
        mean = basis.T @ mean
        covariance = np.eye(basis.shape[1]) + basis.T @ ((covariance - identity) @ basis)
    deviation = deviations(model)
    mean, covariance = deviation * mean, deviation[:, None] * covariance * deviation
    return Posterior(
        method="ep", model=model, status=run.status, mean=mean, variance=np.diag(covariance).copy(),
        omega=state.omega, V=state.V, g=state.g, labels=y, log_evidence=_log_evidence(state, y, model.channel),
        iterations=run.iterations, residual=state.residual, damping=run.damping, covariance=covariance,
    )  # fmt: skip


def _without_rows(features: int, y: Floats, model: GLM, status: Status) -> Posterior:
    """The prior where there are no rows; zeros where no weights give the labels."""
    empty = status is Status.EMPTY
    zero = np.zeros(y.size)
    variance = np.zeros(features) if empty else np.broadcast_to(model.prior.second_moments, (features,)).copy()
    return Posterior(
        method="ep", model=model, status=status, mean=np.zeros(features), variance=variance,
        omega=zero, V=zero.copy(), g=zero.copy(), labels=y, log_evidence=-math.inf if empty else 0.0,
        iterations=0, residual=0.0, covariance=np.diag(variance),
    )  # fmt: skip
