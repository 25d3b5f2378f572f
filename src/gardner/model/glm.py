"""A generalised linear model is a prior and a channel."""

from __future__ import annotations

from dataclasses import dataclass, field

from gardner.errors import InvalidInputError
from gardner.model.channel import Channel
from gardner.model.gaussian import Gaussian
from gardner.model.prior import Prior
from gardner.model.sign import Sign


@dataclass(frozen=True)
class GLM:
    """A prior and a channel: what a teacher is, or a student believes; by default the perceptron of
    [cui2020].
    """

    prior: Prior = field(default_factory=Gaussian)
    channel: Channel = field(default_factory=Sign)

    def __post_init__(self) -> None:
        """Check that both say what they can do."""
        for name, part, kind in (("prior", self.prior, Prior), ("channel", self.channel, Channel)):
            if not isinstance(part, kind):
                rule = f"its class does not derive from gardner.model.{kind.__name__}"
                raise InvalidInputError(f"model.{name}", part, rule)

    def of_size(self, count: int) -> GLM:
        """The model of so many weights: a spectrum is stretched to them, all else stays as it is."""
        prior = self.prior.of_size(count)
        return self if prior is self.prior else GLM(prior, self.channel)

    @property
    def standard(self) -> bool:
        """Whether it is the perceptron of [cui2020], which goes without saying."""
        return self == PERCEPTRON


PERCEPTRON = GLM()
