"""Which rows are labelled next, on the device that has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gardner.errors import GardnerError
from gardner.inference.device.follower import Follower
from gardner.inference.inputs import host
from gardner.model import library_of
from gardner.model.arrays import ArrayObject, Integers
from gardner.rules import RULES, Rule, make_registered_rule


class Chooser(Protocol):
    """A strategy on a device: it gives all rows a new order, those to be labelled next behind those
    that are.
    """

    informed: bool

    def grow(self, follower: Follower, size: int, rng: np.random.Generator) -> Integers:
        """The new order, with ``size`` more labelled rows at its front."""
        ...


def make_chooser(name: str, parameters: Mapping[str, Any] | None = None) -> Chooser:
    """A strategy by its name: a rule, or one of the informed ones."""
    given = dict(parameters or {})
    if name in RULES:
        rule = make_registered_rule(name, given)
        if _by_scores_alone(rule):
            return ByRule(rule)
    if name in _INFORMED and not given:
        return BySurprise(_INFORMED[name])
    if name == "swap":
        from gardner.experiment.device.swap import Swap

        return Swap(**given)
    rules = [one for one in RULES if _by_scores_alone(make_registered_rule(one, {}))]
    known = sorted({*_INFORMED, "swap", *rules})
    raise GardnerError(
        f"{name} does not run on a device", hint=f"device 'cpu' runs it; on a device: {', '.join(known)}"
    )


def _by_scores_alone(rule: Rule) -> bool:
    """Whether every batch has the rows of the best scores: no share of it at random, and no single
    choice of all rows.
    """
    return rule.first == 0.0 and rule.random_share == 0.0


@dataclass(frozen=True)
class ByRule:
    """The rows that a rule asks for."""

    rule: Rule
    informed = False

    def grow(self, follower: Follower, size: int, rng: np.random.Generator) -> Integers:
        """Scores on the device where the rule is written over any array library, else on the host."""
        begin, end = follower.count, follower.rows.count
        if self.rule.blind:
            return front(follower, np.argsort(-rng.random(end - begin), kind="stable")[:size])
        mean, variance = follower.fields(begin, end)
        if self.rule.any_array:
            return front(follower, best(self.rule.score(mean, variance, follower.model.channel), size))  # type: ignore[arg-type]
        scores = self.rule.draw(host(mean), host(variance), follower.model.channel, rng)
        return front(follower, np.lexsort((rng.random(scores.size), -scores))[:size])


@dataclass(frozen=True)
class BySurprise:
    """The rows whose true label is the most surprising, or the least (reads hidden labels)."""

    sign: float
    informed = True

    def grow(self, follower: Follower, size: int, rng: np.random.Generator) -> Integers:
        """By −ψ_Y of the label."""
        del rng
        return front(follower, best(self.sign * surprises(follower), size))


_INFORMED = {"informed": 1.0, "least-informative": -1.0}


def surprises(follower: Follower) -> ArrayObject:
    """−ψ_Y(y, ω, V) of each unlabelled row, or −yω/√V, which sorts alike and never underflows."""
    mean, variance = follower.fields(follower.count, follower.rows.count)
    library = library_of(mean)
    labels = library.xp.take(follower.labels, follower.unlabelled, axis=0)
    if follower.model.channel.scale_free:
        return -labels * mean / library.xp.sqrt(variance)
    return -library.xp.asarray(follower.model.channel.log_partition(labels, mean, variance, library))


def best(scores: ArrayObject, size: int) -> Integers:
    """Places of the largest scores; among equals the first."""
    xp = library_of(scores).xp
    return host(xp.argsort(-scores, stable=True)[:size]).astype(np.int64)


def front(follower: Follower, chosen: Integers) -> Integers:
    """The order with some unlabelled rows, by their places among those, behind the labelled ones."""
    rest = follower.order[follower.count :]
    return np.concatenate([follower.order[: follower.count], rest[chosen], np.delete(rest, chosen)])
