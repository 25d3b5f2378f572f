"""The rules that come with the package, one class each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, log_ndtr

from gardner.checks import check_whole
from gardner.errors import InvalidInputError
from gardner.model import Channel, library_of
from gardner.model.arrays import Floats
from gardner.rules.base import Rule, RuleError, register

# Members of a posterior committee; their levels are an array of so many rows, and K → ∞ is
# `agnostic`.
_MOST_MEMBERS = 1000


@register("random")
@dataclass(frozen=True)
class Random(Rule):
    """Rows at random: typical subsets, what passive learning gets."""

    @property
    def blind(self) -> bool:
        """It looks at no field."""
        return True

    def score(self, mean: Floats, variance: Floats, channel: Channel) -> Floats:
        """The same number for every row."""
        del variance, channel
        return np.zeros_like(mean, dtype=float)

    def draw(self, mean: Floats, variance: Floats, channel: Channel, rng: np.random.Generator) -> Floats:
        """A number at random for every row."""
        del variance, channel
        return rng.random(mean.size)


class Useful(Rule):
    """What rules share that go by the information of a label."""

    def smooth(self, channel: Channel) -> bool:
        """Information is smooth in the field; the margin has a kink at zero."""
        return not channel.scale_free


def usefulness(mean: Floats, variance: Floats, channel: Channel) -> Floats:
    """How much the label of a row tells: −|ω|/√V where that sorts alike, else I(y; h) in nats.

    For a scale-free channel, as the sign flipped or not, the information is a falling function of
    |ω|/√V [cui2020, Table 1]; the margin itself never underflows.
    """
    library = library_of(mean)
    if channel.scale_free:
        scores: Floats = -library.xp.abs(mean / library.xp.sqrt(variance))  # type: ignore[assignment]
        return scores
    return library.xp.asarray(channel.information(mean, variance, library))  # type: ignore[return-value]


@register("agnostic")
@dataclass(frozen=True)
class Agnostic(Useful):
    """Agnostic AL-AMP: the rows whose label tells most; for the sign the least certain, argmin
    |ω|/√V.
    """

    @property
    def any_array(self) -> bool:
        """It is written over any array library."""
        return True

    def score(self, mean: Floats, variance: Floats, channel: Channel) -> Floats:
        """The rows whose label tells most come first."""
        return usefulness(mean, variance, channel)


@register("partly-random")
@dataclass(frozen=True)
class PartlyRandom(Useful):
    """Agnostic, but for a share of each batch that is chosen at random.

    ``share`` is that share: 0 is ``agnostic``, 1 is ``random``.
    """

    share: float = 0.5

    def __post_init__(self) -> None:
        """Check the parameter."""
        _check_number("partly-random.share", self.share, 0.0, 1.0)

    @property
    def random_share(self) -> float:
        """The share of each batch that is chosen at random."""
        return self.share

    def score(self, mean: Floats, variance: Floats, channel: Channel) -> Floats:
        """The rows whose label tells most come first."""
        return usefulness(mean, variance, channel)


@register("target-margin")
@dataclass(frozen=True)
class TargetMargin(Rule):
    """Rows of one degree of certainty: those whose |ω|/√V is closest to a margin.

    ``margin`` is that number; 0 is the least certain.
    """

    margin: float = 1.0

    def __post_init__(self) -> None:
        """Check the parameter."""
        _check_number("target-margin.margin", self.margin, 0.0, 100.0)

    def score(self, mean: Floats, variance: Floats, channel: Channel) -> Floats:
        """The rows closest to the margin come first."""
        del channel
        return np.asarray(-np.abs(np.abs(mean) / np.sqrt(variance) - self.margin))


@register("posterior-committee")
@dataclass(frozen=True)
class PosteriorCommittee(Rule):
    """Query by committee, drawn afresh from the posterior for every row: the most evenly split
    first.

    ``members`` is K. A member's field is N(ω, V), so k of K say +1 with the odds of a binomial of K
    and Φ(ω/√V) [seung1992]. Rows are taken level by level of |2k − K|, at random within a level. A
    committee that is trained, or kept between rounds, remembers: ``committee`` is that strategy,
    and it has no such theory.
    """

    members: int = 15

    def __post_init__(self) -> None:
        """Check the parameter."""
        members = check_whole("posterior-committee.members", self.members, 1, _MOST_MEMBERS)
        object.__setattr__(self, "members", members)  # Python's own, which can be written down

    def levels(self, mean: Floats, variance: Floats, channel: Channel) -> Floats:
        """Chances of |2k − K| = 0 or 1, then 2 more each."""
        smaller = np.arange(self.members // 2, -1, -1.0)
        return np.asarray(np.exp(self._log_chances(smaller[:, None], mean, variance, channel)))

    def log_best(self, mean: Floats, variance: Floats, channel: Channel) -> Floats:
        """ln of the chance of the most even split."""
        return self._log_chances(np.array(self.members // 2, dtype=float), mean, variance, channel)

    def _log_chances(self, smaller: Floats, mean: Floats, variance: Floats, channel: Channel) -> Floats:
        """ln of C(K, j) (p^j q^{K−j} + q^j p^{K−j}), j votes in the smaller party; where both have
        as many, half.
        """
        if channel.labels != (-1.0, 1.0):
            raise RuleError("posterior-committee needs labels -1 and +1", hint="agnostic serves every channel")
        larger = self.members - smaller
        count = gammaln(self.members + 1.0) - gammaln(smaller + 1.0) - gammaln(larger + 1.0)
        margin = np.abs(np.asarray(mean, dtype=float)) / np.sqrt(variance)  # a pool may be in single precision
        against, agreed = log_ndtr(-margin), log_ndtr(margin)
        one, other = smaller * against + larger * agreed, larger * against + smaller * agreed
        return np.asarray(count + np.where(smaller == larger, one, np.logaddexp(one, other)))


@register("pruning")
@dataclass(frozen=True)
class Pruning(Useful):
    """Data pruning: some labels at random, then all the rest in one choice of hard or of easy rows.

    ``first`` is how many at random, in labels per weight; ``keep`` is ``hard`` or ``easy``.
    The student of the first labels ranks the pool once, and is not asked again [sorscher2022].
    """

    first: float = 0.5
    keep: str = "hard"

    def __post_init__(self) -> None:
        """Check the parameters."""
        _check_number("pruning.first", self.first, 0.0, 1e7)
        if self.first == 0.0:
            raise InvalidInputError("pruning.first", self.first, "it must be positive: somebody has to rank the rows")
        if self.keep not in ("hard", "easy"):
            raise InvalidInputError("pruning.keep", self.keep, "it must be hard or easy")

    def score(self, mean: Floats, variance: Floats, channel: Channel) -> Floats:
        """The most or the least informative first."""
        useful = usefulness(mean, variance, channel)
        return useful if self.keep == "hard" else -useful


def _check_number(name: str, value: object, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InvalidInputError(name, value, f"it must be a number from {low:g} to {high:g}")
