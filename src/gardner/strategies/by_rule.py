"""Rules as strategies: what the theory of learning curves computes, run on a pool.

Every rule of :mod:`gardner.rules` is a strategy of the same name. Theory and simulation of it are
one word apart: ``gardner learning-curve NAME …`` and ``gardner bench NAME …``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np

from gardner.inference.message_passing import amp
from gardner.model.arrays import Floating, Floats
from gardner.rules import RULES, Rule, RuleError
from gardner.strategies.base import (
    Choice,
    Strategy,
    StrategyError,
    View,
    choose,
    register,
    registered_strategies,
)


class ByRule:
    """A rule with this beside it is a strategy."""

    informed = False

    def query(self, view: View) -> Choice:
        """What the rule says of the fields of the unlabelled rows."""
        return choose_by(cast(Rule, self), view)


@dataclass(frozen=True)
class RuleStrategy:
    """A rule of anybody's own as a strategy."""

    rule: Rule
    informed = False

    @property
    def name(self) -> str:
        """The name of the class of the rule."""
        return type(self.rule).__name__

    def query(self, view: View) -> Choice:
        """What the rule says of the fields of the unlabelled rows."""
        return choose_by(self.rule, view)


def choose_by(rule: Rule, view: View) -> Choice:
    """The rows that a rule asks for next."""
    first = round(rule.first * view.pool.shape[1])
    if view.queried.size < first:
        return choose(view, view.rng.random(view.unlabelled.size))
    mean, variance = (cast(Floats, part) for part in _fields(rule, view, first))  # rules take either precision
    try:
        scores = rule.draw(mean, variance, view.model.channel, view.rng)
    except RuleError as error:
        raise StrategyError(error.what, hint=error.hint) from None
    return choose(view, scores) if rule.random_share == 0.0 else _partly(view, scores, rule.random_share)


def _fields(rule: Rule, view: View, first: int) -> tuple[Floating, Floating]:
    """Mean and variance of the fields of unlabelled rows; after one choice of all, as that choice
    saw them.
    """
    if rule.blind:
        return np.zeros(view.unlabelled.size), np.ones(view.unlabelled.size)
    if first == 0:
        mean, variance = view.fields
        return mean[view.unlabelled], variance[view.unlabelled]
    probe = amp(view.pool[view.queried[:first]], view.labels[:first], view.model, decide_empty=False, check_input=False)
    mean, variance = (np.asarray(part) for part in probe.fields(view.pool[view.unlabelled]))
    return mean, variance


def _partly(view: View, scores: Floating, share: float) -> Choice:
    """The best rows but for a share at random; the share is rounded by chance, so that it holds on
    average.
    """
    size = min(view.batch_size, scores.size)
    best = int(np.floor((1.0 - share) * size + view.rng.random()))
    order = np.lexsort((view.rng.random(scores.size), -scores))  # ties by chance
    rest = view.rng.permutation(order[best:])[: size - best]
    return Choice(view.unlabelled[np.concatenate([order[:best], rest])], scores)


def register_rules() -> None:
    """Make strategies of the rules that have no class of their own among them."""
    for name, kind in RULES.items():
        if name not in registered_strategies():
            made = type(kind.__name__, (kind, ByRule), {"__doc__": kind.__doc__, "__module__": __name__})
            register(name)(cast("Callable[..., Strategy]", made))
