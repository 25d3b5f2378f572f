"""What the student knows after training: the result of every inference method."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from gardner.errors import ConvergenceError, GardnerError, InvalidInputError
from gardner.inference.inputs import as_array, check_finite
from gardner.model import GLM, library_of
from gardner.model.arrays import ArrayObject

# The variance that stands for none, in units of the field's square: any field is certain then, and
# its root is a number of either precision.
_TINY = 1e-30


class Status(Enum):
    """How far to believe a result."""

    CONVERGED = "converged"  # the tolerance (for Monte Carlo: the wanted standard error) was reached
    UNCONVERGED = "unconverged"  # it was not, within the iterations or trajectories allowed
    DIVERGED = "diverged"  # the iteration ran away even when strongly damped
    EMPTY = "empty"  # no weights give these labels by a margin that double precision can tell from none
    UNDECIDED = "undecided"  # converged, but whether any weights give these labels could not be decided
    DOUBTFUL = "doubtful"  # converged, but the rows are not what the method assumes, and the log-evidence is off


@dataclass(frozen=True, eq=False)
class Posterior:
    """Means, variances, fields and log-evidence, with what proves them.

    ``omega`` and ``V`` are the cavity mean and variance of each training row's field (its own label
    left out) and ``g`` is ∂ψ_Y/∂ω there, so that the mean of the field with the label in is ω + V g
    (Monte Carlo knows only the latter: there ``omega`` and ``V`` have all labels in, and ``g`` is
    zero). ``stderr`` is the standard error of ``log_volume`` where the method has one;
    ``correction`` is what the first term that AMP or EP leaves out would add to ``log_evidence``,
    an estimate of its error. Where it is large ``status`` is DOUBTFUL, and ``doubt`` says why.
    Where ``status`` is EMPTY there is no posterior: the arrays are zero.
    """

    method: str
    model: GLM
    status: Status
    mean: ArrayObject
    variance: ArrayObject
    omega: ArrayObject
    V: ArrayObject
    g: ArrayObject
    labels: ArrayObject
    log_evidence: float
    iterations: int
    residual: float
    damping: float = 0.0
    stderr: float | None = None
    covariance: ArrayObject | None = None
    samples: ArrayObject | None = None
    correction: float | None = None
    doubt: str | None = None

    @property
    def features(self) -> int:
        """N, the number of weights."""
        return int(self.mean.shape[0])

    @property
    def log_volume(self) -> float:
        """ln v = (1/N) ln Z."""
        return self.log_evidence / self.features

    @property
    def converged(self) -> bool:
        """Whether the result may be used without a second thought."""
        return self.status is Status.CONVERGED

    @property
    def cavity_margin(self) -> ArrayObject:
        """y ω/√V of each training row: large where the other rows knew its label, negative where it
        surprised them.
        """
        if self.status is Status.EMPTY:
            self.checked()
        if self.method == "mc":
            raise GardnerError("Monte Carlo knows no cavity fields", hint="use method='amp' or 'ep'")
        xp = library_of(self.omega).xp
        return self.labels * self.omega / xp.sqrt(self.V)

    def checked(self) -> Posterior:
        """This posterior, or a :class:`ConvergenceError` where it did not converge or is doubtful."""
        if self.converged:
            return self
        reasons = {
            Status.EMPTY: ("no weights give these labels", "use a channel with noise, or drop the contradicting rows"),
            Status.UNDECIDED: (
                "it is not known whether any weights give these labels",
                "the cone is thin beyond rounding",
            ),
            Status.DOUBTFUL: (
                str(self.doubt),
                "try method='ep'" if self.method == "amp" else "try method='mc', or drop rows that repeat others",
            ),
        }
        unconverged = f"residual {self.residual:.1e} after {self.iterations} iterations"
        remedies = {"amp": "try method='ep'", "ep": "allow more", "mc": "raise stderr, most_bounces or time_limit"}
        what, hint = reasons.get(self.status, (unconverged, remedies[self.method]))
        raise ConvergenceError(f"{self.method} is {self.status.value}: {what}", hint=hint)

    @property
    def settled(self) -> bool:
        """Whether the iteration reached its end, be the result doubtful or not."""
        return self.status in (Status.CONVERGED, Status.DOUBTFUL)

    def emptied(self) -> Posterior:
        """The statement that there is no posterior: log-evidence −∞ and arrays of zeros."""
        xp = library_of(self.mean).xp
        mean, variance, omega, V, g = map(xp.zeros_like, (self.mean, self.variance, self.omega, self.V, self.g))
        gone = replace(self, mean=mean, variance=variance, omega=omega, V=V, g=g, covariance=None, samples=None)
        return replace(gone, status=Status.EMPTY, log_evidence=-math.inf)

    def fields(self, rows: ArrayLike) -> tuple[ArrayObject, ArrayObject]:
        """Mean and variance of the field h = F·x of new rows."""
        rows = self._check_rows(rows)
        if isinstance(rows, np.ndarray) and self.covariance is None:
            from gardner.inference.kernel import pool_fields  # Numba, which a machine with a GPU may not have

            return pool_fields(rows, np.asarray(self.mean), np.asarray(self.variance))
        xp = library_of(rows).xp
        mean = xp.matmul(rows, self.mean)
        if self.covariance is None:
            return mean, xp.matmul(rows * rows, self.variance)
        return mean, xp.sum(xp.matmul(rows, self.covariance) * rows, axis=1)

    def predict_proba(self, rows: ArrayLike) -> ArrayObject:
        """Probability of each label for new rows, one column a label, in the order of
        ``model.channel.labels``.

        A row of zeros has a field of exactly zero, and each label the same chance.
        """
        if not self.model.channel.labels:
            raise GardnerError("labels of this channel are real numbers", hint="predict gives their mean and variance")
        rows = self._check_rows(rows)
        check_finite(rows)
        library = library_of(rows)
        xp = library.xp
        if self.samples is not None:
            votes = xp.sign(xp.matmul(rows, self.samples.T))
            columns = [0.5 + 0.5 * xp.mean(y * votes, axis=1) for y in self.model.channel.labels]
        else:
            omega, V = self.fields(rows)
            V = xp.where(V > 0.0, V, xp.full_like(V, _TINY))  # zero rows; rounding, in thin cones that did not converge
            columns = [
                xp.exp(self.model.channel.log_partition(y, omega, V, library)) for y in self.model.channel.labels
            ]
        return xp.stack(columns, axis=1)

    def predict(self, rows: ArrayLike) -> tuple[ArrayObject, ArrayObject]:
        """Mean and variance of the label of new rows, noise included."""
        omega, V = self.fields(rows)
        library = library_of(omega)
        V = library.xp.where(V > 0.0, V, library.xp.full_like(V, _TINY))
        mean, variance = (library.xp.asarray(part) for part in self.model.channel.predictive(omega, V, library))
        return mean, variance

    def _check_rows(self, rows: ArrayLike) -> ArrayObject:
        """Rows in the library and precision of the posterior."""
        if self.status is Status.EMPTY:
            self.checked()
        rows = as_array("rows", rows)
        if type(rows) is not type(self.mean) or rows.dtype != self.mean.dtype:
            rows = library_of(self.mean).xp.asarray(rows, dtype=self.mean.dtype)
        if rows.ndim != 2 or rows.shape[1] != self.features:
            raise InvalidInputError(
                "rows", f"shape {tuple(rows.shape)}", f"new rows must have shape (count, {self.features})"
            )
        return rows
