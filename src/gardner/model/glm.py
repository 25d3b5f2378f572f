"""A generalised linear model is a prior and a channel."""

from __future__ import annotations

from dataclasses import dataclass, field

from gardner.model.channel import Channel, Sign
from gardner.model.prior import Gaussian, Prior


@dataclass(frozen=True)
class GLM:
    """A prior and a channel: what a teacher is, or a student believes; by default the perceptron of [cui2020]."""

    prior: Prior = field(default_factory=Gaussian)
    channel: Channel = field(default_factory=Sign)


PERCEPTRON = GLM()
