"""What all channels with real labels and normal noise share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


class RealLabels:
    """Labels are real numbers; a channel adds ψ_Y, its derivatives, the information and the predictive moments."""

    noise: float

    @property
    def label_classes(self) -> tuple[tuple[float, float], ...]:
        """None: labels are real."""
        return ()

    @property
    def labels(self) -> tuple[float, ...]:
        """None: labels are real."""
        return ()

    @property
    def noiseless(self) -> bool:
        """No label excludes weights."""
        return False

    def noisy(self, values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """Values with the channel's noise, in their own precision."""
        noise = math.sqrt(self.noise) * rng.standard_normal(values.shape)
        return np.asarray(values + noise.astype(values.dtype))
