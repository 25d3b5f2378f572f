"""A posterior that follows the rows as they are labelled, on the device that has them."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from gardner.errors import InvalidInputError
from gardner.inference.damping import Damper, NextStep
from gardner.inference.device import fused
from gardner.inference.device.iteration import Iteration, PlainIteration
from gardner.inference.device.stored import StoredRows, device_of
from gardner.inference.inputs import check_settings
from gardner.inference.message_passing import Variances, bethe
from gardner.inference.posterior import Posterior, Status
from gardner.model import GLM
from gardner.model.arrays import ArrayObject, Integers

# Iterations between two looks at the residuals; those after the last one needed cost nothing.
GROUP = fused.GROUP


class Follower:
    """AMP on the labelled rows of a stored pool, each time from where it stood before the last
    change.

    ``order`` has all rows of the pool, those that are labelled first. With ``twin="auto"`` the
    kernel is taken wherever it can serve: on a GPU, for normal weights, two classes and scalar
    variances.
    """

    def __init__(
        self,
        rows: StoredRows,
        labels: ArrayObject,
        model: GLM,
        *,
        tolerance: float,
        max_iterations: int = 5000,
        variances: Variances = "scalar",
        twin: Literal["auto", "kernel", "readable"] = "auto",
    ) -> None:
        """Nothing is labelled yet."""
        check_settings(tolerance, max_iterations, 0.0)
        able = variances == "scalar" and fused.serves(rows, model)
        if twin == "kernel" and not able:
            problem = "the kernel needs rows on a GPU of compute capability 9 or more, and a model that it knows"
            raise InvalidInputError("twin", twin, problem, hint="try 'auto'")
        self.rows, self.model, self.labels = rows, model, labels
        self.tolerance, self.max_iterations = tolerance, max_iterations
        self.kernel = able and twin != "readable"
        self.iteration: Iteration = (
            fused.FusedIteration(rows, labels, model)
            if self.kernel
            else PlainIteration(rows, labels, model, scalar=variances == "scalar")
        )
        self.order: Integers = np.arange(rows.count)
        self.count = 0
        self.last: Posterior | None = None
        self._on_device = self._upload(self.order)

    def label(self, order: Integers, count: int, fresh: slice | Integers | None = None) -> None:
        """All rows in a new order, the first ``count`` of them labelled.

        A row that stays labelled stays in its place; ``fresh`` has the places of new ones, by
        default those at the end.
        """
        places = slice(self.count, count) if fresh is None else fresh
        self.order, self.count = order, count
        self._on_device = self._upload(self.order)
        self.iteration.label(self._on_device, count, places)

    def posterior(self, *, most: int | None = None, fresh: bool = False) -> Posterior:
        """What the labels say; from the prior again where the last posterior leads nowhere, or if
        ``fresh``.

        Where it only has to follow, ``most`` iterations suffice: the status then says what was
        reached, and there is no log-evidence.
        """
        if fresh:
            self.iteration.reset()
        damper = Damper(self.tolerance, 0.0)
        status, iterations, residual = self._settle(damper, most or self.max_iterations)
        if status is not Status.CONVERGED and most is None and not fresh and self.last is not None:
            self.iteration.reset()
            damper = Damper(self.tolerance, 0.0)
            status, more, residual = self._settle(damper, self.max_iterations)
            iterations += more
        found, weights = self.iteration.found()
        labels = self.rows.xp.take(self.labels, self.labelled, axis=0)
        self.last = Posterior(
            method="amp", model=self.model, status=status, mean=weights.mean, variance=weights.variance,
            omega=found.omega, V=found.V, g=found.g, labels=labels,
            log_evidence=bethe(self.model, found, weights, labels) if most is None else math.nan,
            iterations=iterations, residual=residual, damping=damper.value,
        )  # fmt: skip
        return self.last

    def _settle(self, damper: Damper, most: int) -> tuple[Status, int, float]:
        iterations, residual = 0, float("inf")
        while True:
            step = NextStep.CONTINUE
            for residual in self.iteration.advance(damper.value, self.tolerance, min(GROUP, most - iterations)):
                iterations += 1
                step = damper.judge(residual)
                if step is not NextStep.CONTINUE:
                    break
            if step is NextStep.CONVERGED:
                return Status.CONVERGED, iterations, residual
            if step is NextStep.GIVE_UP:
                return Status.DIVERGED, iterations, residual
            if iterations >= most:
                return Status.UNCONVERGED, iterations, residual
            if step is NextStep.RESTART:
                self.iteration.reset()

    @property
    def labelled(self) -> ArrayObject:
        """Places of the labelled rows."""
        return self._on_device[: self.count]

    @property
    def unlabelled(self) -> ArrayObject:
        """Places of all others."""
        return self._on_device[self.count :]

    def fields(self, begin: int, end: int) -> tuple[ArrayObject, ArrayObject]:
        """Mean and variance of the fields of some rows of the order, under the last posterior."""
        mean = self.iteration.dots(self._on_device, begin, end)
        return mean, self.iteration.spread(self._on_device[begin:end])

    def fields_of(self, places: Integers) -> tuple[ArrayObject, ArrayObject, ArrayObject]:
        """The same of any rows of the pool, with their labels."""
        there = self._upload(places)
        mean = self.iteration.dots(there, 0, places.size)
        return mean, self.iteration.spread(there), self.rows.xp.take(self.labels, there, axis=0)

    def _upload(self, places: Integers) -> ArrayObject:
        kind = np.int32 if self.kernel else np.int64
        return self.rows.xp.asarray(places.astype(kind), device=device_of(self.rows.norms))
