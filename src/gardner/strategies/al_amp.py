"""AL-AMP and what the paper derives from it: choices by the field ω and its variance V under AMP's
posterior.

The predicted magnetisation of a label is erf(ω/√(2V)) [cui2020, Table 1]. For a scale-free channel,
as the sign flipped or not, all criteria sort by u = ω/√V, of which it is a monotone function. Other
channels are asked for their own predictive distribution: the information I(y; h) of a label with
its field h ~ N(ω, V) (in regression it grows with the predictive variance V + noise), and the
surprise −ψ_Y(y, ω, V) of a label that is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gardner.errors import InvalidInputError
from gardner.model.arrays import Floating
from gardner.rules import known
from gardner.strategies.base import Choice, View, choose, register
from gardner.strategies.by_rule import ByRule


def margins(view: View) -> Floating:
    """ω/√V of the unlabelled rows."""
    omega, V = view.fields
    return np.asarray(omega[view.unlabelled] / np.sqrt(V[view.unlabelled]))


def surprises(view: View) -> Floating:
    """−ψ_Y(y, ω, V), or −yω/√V in its place: how surprising the true label of each unlabelled row
    would be.
    """
    y = view.hidden_labels[view.unlabelled]
    if view.model.channel.scale_free:  # then ψ_Y is a function of yω/√V, and the margin itself never underflows
        return -y * margins(view)
    return np.asarray(-view.model.channel.log_partition(y, *_unlabelled_fields(view)))


def _unlabelled_fields(view: View) -> tuple[Floating, Floating]:
    omega, V = view.fields
    return omega[view.unlabelled], V[view.unlabelled]


@register("agnostic")
@dataclass(frozen=True)
class Agnostic(known.Agnostic, ByRule):
    """Agnostic AL-AMP: the rows whose label tells most; for the sign the least certain, argmin
    |ω|/√V.
    """


@register("informed")
@dataclass(frozen=True)
class Informed:
    """Informed AL-AMP: the rows whose true label is most surprising (reads hidden labels)."""

    informed = True

    def query(self, view: View) -> Choice:
        """Most surprising first."""
        return choose(view, surprises(view))


@register("least-informative")
@dataclass(frozen=True)
class LeastInformative:
    """Informed AL-AMP reversed: the rows whose true label is least surprising (reads hidden
    labels).
    """

    informed = True

    def query(self, view: View) -> Choice:
        """Least surprising first."""
        return choose(view, -surprises(view))


@register("mixture")
@dataclass(frozen=True)
class Mixture:
    """A fraction of each batch most informative, the rest random or least informative (reads hidden
    labels).

    ``rest`` is ``random`` or ``reversed``. The paper checks m against ln v with such subsets.
    """

    fraction: float = 0.5
    rest: str = "random"
    informed = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        if not 0.0 <= self.fraction <= 1.0:
            raise InvalidInputError("mixture.fraction", self.fraction, "it must lie between 0 and 1")
        if self.rest not in ("random", "reversed"):
            raise InvalidInputError("mixture.rest", self.rest, "it must be random or reversed")

    def query(self, view: View) -> Choice:
        """The fraction is rounded up or down by chance, so that it holds on average for every batch
        size.
        """
        score = surprises(view)
        size = min(view.batch_size, score.size)
        informative = int(np.floor(self.fraction * size + view.rng.random()))
        order = np.argsort(-score, kind="stable")
        head, tail = order[:informative], order[informative:]
        rest = tail[::-1] if self.rest == "reversed" else view.rng.permutation(tail)
        return Choice(view.unlabelled[np.concatenate([head, rest[: size - informative]])], score)
