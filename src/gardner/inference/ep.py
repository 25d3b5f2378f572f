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

The iteration stands in :mod:`gardner.inference.sites`. With fewer rows than features everything
happens in the span of the rows, F = G Q with orthonormal rows Q and a triangle G in the place of F.
(The kernel form of [rasmussen2006, sec. 3.6.3] takes s as a difference, which leaves no digits in
thin cones; it is the twin that a test compares with.)
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from gardner.errors import InvalidInputError
from gardner.inference.inputs import check_settings, check_training, deviations
from gardner.inference.posterior import Posterior, Status
from gardner.inference.separable import VersionSpace, separate
from gardner.inference.sites import MAX_ITERATIONS, SiteRun, Sites, State, settle
from gardner.inference.trust import SAMPLE, judged, neglected_by_ep, sampled
from gardner.model import GLM, PERCEPTRON, Channel
from gardner.model.arrays import Floats


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
    run = settle(F, y, model.channel, tolerance, max_iterations, damping, progress or (lambda _: None))
    if verdict is VersionSpace.UNDECIDED and run.status is Status.CONVERGED:
        run = SiteRun(run.state, Status.UNDECIDED, run.iterations, run.damping)
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
    run = settle(F, labels, channel, tolerance, MAX_ITERATIONS, 0.0, lambda _: None, start)
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


def _log_evidence(state: State, y: Floats, channel: Channel) -> float:
    """ln Z = Σ_μ [ψ_Y(y, ω, V) − L_μ] − ½ ln det(I + Fᵀ diag(τ) F) + ½ ν·a, L_μ = ln ∫ N(h; ω, V)
    e^{−τh²/2+νh} dh.

    Since L = ½ ln(s/V) + ½(a²/s − ω²/V) and a/s = ω/V + ν, the large terms cancel by hand:

        ln Z = Σ_μ [ψ_Y(y, ω, V) + ½ ln(V/s) − ½ ω(a − ω)/V] − ½ ln det(I + Fᵀ diag(τ) F).
    """
    sites = 0.5 * np.log(state.V / state.s) - 0.5 * state.omega * (state.a - state.omega) / state.V
    factors = channel.log_partition(y, state.omega, state.V)
    return float(np.sum(factors + sites) - np.sum(np.log(np.diag(state.cholesky))))


def _posterior(run: SiteRun, y: Floats, model: GLM, basis: Floats | None) -> Posterior:
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
