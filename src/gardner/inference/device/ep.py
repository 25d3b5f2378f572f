"""Expectation propagation in its covariance form, on any array library: single precision first,
then double.

The equations are those of :mod:`gardner.inference.ep`. An iteration is one product of matrices and
one inverse of the size of the columns. Most iterations are made in single precision, which a GPU
does many times as fast; the last ones, in double precision, refine what they found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from gardner.errors import InvalidInputError
from gardner.inference.device.stored import device_of
from gardner.inference.inputs import check_settings, check_variances
from gardner.inference.posterior import Posterior, Status
from gardner.model import GLM, Library, library_of
from gardner.model.arrays import ArrayObject

# The residual at which single precision has done what it can, in units of a field's width.
ROUGH = 1e-3
# The share of an update below which an iteration that still breaks is given up.
_SMALLEST_STEP = 1e-3
# The factor by which a step grows after one that helped, and shrinks after one that did not.
_LENGTHEN, _SHORTEN = 1.3, 0.5


@dataclass(frozen=True, eq=False)
class _State:
    """Sites and what follows from them; the residual is infinite where they give no proper cavity."""

    tau: ArrayObject
    nu: ArrayObject
    mean: ArrayObject
    covariance: ArrayObject
    log_determinant: float
    a: ArrayObject
    s: ArrayObject
    omega: ArrayObject
    V: ArrayObject
    g: ArrayObject
    target_tau: ArrayObject
    target_nu: ArrayObject
    residual: float


def expectation_propagation_on(
    rows: ArrayObject,
    labels: ArrayObject,
    model: GLM,
    *,
    tolerance: float = 1e-8,
    max_iterations: int = 500,
    refine: bool = True,
) -> Posterior:
    """The posterior by expectation propagation, in the library and on the device of ``rows``.

    For normal weights of one variance and a log-concave channel with noise, as the models of a real
    table are. ``refine=False`` stays in single precision, and stops at 10⁻³.

    >>> import gardner
    >>> from gardner.model import GLM, Gaussian, Probit
    >>> problem = gardner.draw_instance(features=20, pool_ratio=3.0, seed=0)
    >>> found = expectation_propagation_on(problem.rows, problem.labels, GLM(Gaussian(), Probit(0.1)))
    >>> found.status.value, found.log_evidence < 0.0
    ('converged', True)
    """
    check_settings(tolerance, max_iterations, 0.0)
    channel = model.channel
    if not model.prior.one_normal_law or channel.noiseless or not channel.log_concave:
        rule = "on a device it is for normal weights of one variance and log-concave channels with noise"
        raise InvalidInputError("model", model, rule, hint="gardner.inference.expectation_propagation has no limits")
    xp = library_of(rows).xp
    check_variances(rows, model, xp)
    deviation = math.sqrt(model.prior.second_moment)
    state, iterations = None, 0
    for kind, wanted in ((xp.float32, max(tolerance, ROUGH)), (xp.float64, tolerance)):
        if kind is xp.float64 and not refine:
            break
        F = xp.astype(rows, kind) * deviation
        y = xp.astype(labels, kind)
        tau, nu = (0.0 * y, 0.0 * y) if state is None else (xp.astype(state.tau, kind), xp.astype(state.nu, kind))
        state, used = _iterate(F, y, model, tau, nu, wanted, max_iterations)
        iterations += used
    assert state is not None  # noqa: S101 (the loop ran)
    status = Status.CONVERGED if state.residual <= wanted or not refine else Status.UNCONVERGED
    if not refine and state.residual > ROUGH:
        status = Status.UNCONVERGED
    return Posterior(
        method="ep", model=model, status=status, mean=deviation * state.mean,
        variance=deviation**2 * xp.linalg.diagonal(state.covariance),  # type: ignore[attr-defined]
        omega=state.omega, V=state.V, g=state.g, labels=y, log_evidence=_log_evidence(state, y, model),
        iterations=iterations, residual=state.residual, covariance=deviation**2 * state.covariance,
    )  # fmt: skip


def _iterate(
    F: ArrayObject, y: ArrayObject, model: GLM, tau: ArrayObject, nu: ArrayObject, wanted: float, most: int
) -> tuple[_State, int]:
    """All sites at once, by a share that grows while it helps."""
    library = library_of(F)
    state, step, used = _settle(F, y, model, tau, nu, library), 1.0, 1
    while state.residual > wanted and used < most and step >= _SMALLEST_STEP:
        new_tau = state.tau + step * (state.target_tau - state.tau)
        new_nu = state.nu + step * (state.target_nu - state.nu)
        tried, used = _settle(F, y, model, new_tau, new_nu, library), used + 1
        if tried.residual < 1.5 * state.residual:  # a little worse may be the way to better
            step = min(1.0, step * (_LENGTHEN if tried.residual < state.residual else _SHORTEN))
            state = tried
        else:
            step *= _SHORTEN
    return state, used


def _settle(F: ArrayObject, y: ArrayObject, model: GLM, tau: ArrayObject, nu: ArrayObject, library: Library) -> _State:
    """Posterior, cavities and new sites."""
    xp = library.xp
    eye = xp.eye(int(F.shape[1]), dtype=F.dtype, device=device_of(F))
    precision = xp.matmul(F.T, tau[:, None] * F) + eye
    factor = xp.linalg.cholesky(precision)  # type: ignore[attr-defined]
    covariance = xp.linalg.inv(precision)  # type: ignore[attr-defined]
    determinant = 2.0 * float(xp.sum(xp.log(xp.linalg.diagonal(factor)), dtype=xp.float64))  # type: ignore[attr-defined]
    spread = xp.matmul(F, covariance)
    mean = xp.matmul(covariance, xp.matmul(F.T, nu))
    a, s = xp.matmul(F, mean), xp.sum(spread * F, axis=1)
    share = 1.0 - s * tau
    V = s / share
    omega = (a - s * nu) / share
    proper = bool(xp.all((share > 0.0) & (s > 0.0)))
    if not proper:
        return _State(tau, nu, mean, covariance, determinant, a, s, omega, V, nu, tau, nu, math.inf)
    g, slope = (xp.asarray(part) for part in model.channel.derivatives(y, omega, V, library))
    shrink = 1.0 - V * slope
    target_tau, target_nu = slope / shrink, (g + omega * slope) / shrink
    mismatch = (omega + V * g - a) ** 2 / s + xp.log(shrink / share) ** 2
    residual = math.sqrt(float(xp.mean(mismatch)))
    settled = _State(tau, nu, mean, covariance, determinant, a, s, omega, V, g, target_tau, target_nu, residual)
    return settled if math.isfinite(residual) else replace(settled, residual=math.inf)


def _log_evidence(state: _State, y: ArrayObject, model: GLM) -> float:
    """ln Z, with the large terms cancelled by hand (gardner.inference.ep)."""
    library = library_of(y)
    xp = library.xp
    sites = 0.5 * xp.log(state.V / state.s) - 0.5 * state.omega * (state.a - state.omega) / state.V
    factors = xp.asarray(model.channel.log_partition(y, state.omega, state.V, library))
    return float(xp.sum(factors + sites, dtype=xp.float64)) - 0.5 * state.log_determinant
