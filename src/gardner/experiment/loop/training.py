"""A growing training set: its rows kept contiguous, its posterior warm-started."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gardner.inference.message_passing import Start, Variances, amp
from gardner.inference.posterior import Posterior, Status
from gardner.model import GLM, Instance
from gardner.model.arrays import Integers


class Training:
    """The rows asked for so far, in buffers that hold the whole budget, and what AMP makes of them."""

    def __init__(
        self, instance: Instance, capacity: int, model: GLM, variances: Variances, tolerance: float, threads: int | None
    ) -> None:
        """Nothing asked for yet."""
        self.instance, self.model = instance, model
        self.options: dict[str, Any] = {
            "variances": variances,
            "tolerance": tolerance,
            "threads": threads,
            "decide_empty": False,  # labels come from a teacher: there is one
            "check_input": False,
        }
        self._rows = np.empty((capacity, instance.rows.shape[1]), dtype=instance.rows.dtype)
        self._labels = np.empty(capacity, dtype=instance.rows.dtype)
        self._indices = np.empty(capacity, dtype=np.int64)
        self._g = np.zeros(capacity, dtype=instance.rows.dtype)
        self.count = 0
        self.last: Posterior | None = None
        self.fresh = False

    @property
    def indices(self) -> Integers:
        """Rows of the pool, in the order of the buffers."""
        return self._indices[: self.count]

    @property
    def labels(self) -> NDArray[Any]:
        """Their labels."""
        return self._labels[: self.count]

    def change(self, added: Integers, dropped: Integers | None = None) -> None:
        """Add rows; those dropped make room for the first of them, so that the buffers stay without
        gaps.
        """
        free = (
            np.flatnonzero(np.isin(self.indices, dropped)) if dropped is not None and len(dropped) else np.empty(0, int)
        )
        places = np.concatenate([free, np.arange(self.count, self.count + len(added) - free.size)]).astype(np.int64)
        self._rows[places] = self.instance.rows[added]
        self._labels[places] = self.instance.labels[added]
        self._indices[places] = added
        self._g[places] = 0.0
        self.count += len(added) - free.size
        self.fresh = False

    def posterior(self) -> Posterior:
        """AMP from where it stood before the last change; from the prior if that fails."""
        if self.fresh and self.last is not None:
            return self.last
        rows, labels = self._rows[: self.count], self.labels
        start = None
        if self.last is not None and self.last.status is Status.CONVERGED:
            start = Start(self.last.mean, self.last.variance, self._g[: self.count])
        posterior = amp(rows, labels, self.model, start=start, **self.options)
        if start is not None and not posterior.converged:
            lost = posterior.iterations
            posterior = amp(rows, labels, self.model, **self.options)
            posterior = replace(posterior, iterations=lost + posterior.iterations)
        self._g[: self.count] = posterior.g
        self.last, self.fresh = posterior, True
        return posterior
