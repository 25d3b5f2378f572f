"""What all channels with real labels and normal noise share."""

from __future__ import annotations

import math

import numpy as np

from gardner.model.arrays import Floating
from gardner.model.channel import WIDTHS, Channel


class RealLabels(Channel):
    """Labels are real numbers, a function of the field with normal noise; a channel adds that
    function.
    """

    noise: float

    @property
    def labels(self) -> tuple[float, ...]:
        """No classes: labels are real numbers."""
        return ()

    @property
    def margin(self) -> float:
        """How far the noise carries a label."""
        return WIDTHS * math.sqrt(self.noise)

    def noisy(self, values: Floating, rng: np.random.Generator) -> Floating:
        """Values with the channel's noise, in their own precision."""
        noise = math.sqrt(self.noise) * rng.standard_normal(values.shape)
        return np.asarray(values + noise.astype(values.dtype))
