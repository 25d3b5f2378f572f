"""The contract of a rule: how a row is chosen from what the student predicts for it, and from
nothing else.

Under the posterior the field of a row is normal of mean ω and variance V. A rule sees these two
numbers and the channel. It either scores rows (the largest first, ties at random),

    def score(self, mean, variance, channel): ...     # one number a row

or sorts each into levels by chance (the best level first, at random within a level):

    def levels(self, mean, variance, channel): ...    # probabilities, of shape (levels, rows)

The theory of learning curves (:mod:`gardner.theory.learning_curves`) reads it as it is, and
:mod:`gardner.strategies.by_rule` runs it on a pool. The register here has those of the package.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from typing import ClassVar, TypeVar

import numpy as np

from gardner.errors import GardnerError, InvalidInputError
from gardner.model import Channel
from gardner.model.arrays import Floats

Parameters = dict[str, object]


class RuleError(GardnerError):
    """A rule gave what is no score, or cannot serve this channel."""


class Rule:
    """A rule derives from this and writes ``score`` or ``levels``."""

    informed: ClassVar[bool] = False  # a rule never sees a label that was not asked for

    @property
    def blind(self) -> bool:
        """Whether it looks at nothing: then no field need be computed."""
        return False

    @property
    def any_array(self) -> bool:
        """Whether the score is written over any array library: then it can be taken on a device."""
        return False

    @property
    def random_share(self) -> float:
        """The share of each batch that is chosen at random, whatever the score."""
        return 0.0

    @property
    def first(self) -> float:
        """Labels per weight that are asked for at random before one choice of all others; 0: choose
        every round.
        """
        return 0.0

    def smooth(self, channel: Channel) -> bool:
        """Whether the score is a smooth function of the mean, on the scale √V: then it may be
        interpolated.
        """
        del channel
        return False

    def score(self, mean: Floats, variance: Floats, channel: Channel) -> Floats:
        """How soon to ask for rows: larger is sooner."""
        raise NotImplementedError

    def levels(self, mean: Floats, variance: Floats, channel: Channel) -> Floats | None:
        """Chances of a row to be in each level, the best first; None for a rule that scores."""
        del mean, variance, channel
        return None

    def log_best(self, mean: Floats, variance: Floats, channel: Channel) -> Floats | None:
        """ln of the chance of the best level; None for a rule that scores. In the limit of small
        rounds nothing else counts, however small it is: a rule that can say it where it is no
        double should.
        """
        chances = checked_levels(self, mean, variance, channel)
        return None if chances is None else np.asarray(np.log(chances[0]))

    def draw(self, mean: Floats, variance: Floats, channel: Channel, rng: np.random.Generator) -> Floats:
        """Scores of the rows of a pool; levels are drawn afresh."""
        chances = checked_levels(self, mean, variance, channel)
        if chances is None:
            return checked_scores(self, mean, variance, channel)
        drawn = rng.random(mean.shape) * np.sum(chances, axis=0)
        return np.asarray(-1.0 * np.sum(drawn >= np.cumsum(chances, axis=0)[:-1], axis=0))


def checked_scores(rule: Rule, mean: Floats, variance: Floats, channel: Channel) -> Floats:
    """The scores of a rule, one a row and none NaN."""
    name = type(rule).__name__
    try:
        scores = np.asarray(rule.score(mean, variance, channel), dtype=float)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise RuleError(f"{name} gave no scores ({type(error).__name__}: {error})", hint=_WANTED) from None
    if scores.shape != mean.shape:
        raise RuleError(f"{name} gave scores of shape {scores.shape} for {mean.size} rows", hint=_WANTED)
    unknown = int(np.isnan(scores).sum())
    if unknown:
        raise RuleError(f"{unknown} of {scores.size} scores of {name} are NaN", hint="use -inf for rows to leave alone")
    return scores


def checked_levels(rule: Rule, mean: Floats, variance: Floats, channel: Channel) -> Floats | None:
    """The chances of levels, if the rule has some: no less than 0, of sum 1."""
    name = type(rule).__name__
    try:
        given = rule.levels(mean, variance, channel)
        chances = None if given is None else np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise RuleError(f"{name} gave no levels ({type(error).__name__}: {error})", hint=_WANTED) from None
    if chances is None:
        return None
    if chances.ndim != 2 or chances.shape[1:] != mean.shape:
        raise RuleError(f"{name} gave levels of shape {chances.shape} for {mean.size} rows", hint=_WANTED)
    if not (np.all(chances >= 0.0) and np.allclose(chances.sum(axis=0), 1.0, rtol=0.0, atol=1e-9)):
        raise RuleError(f"the levels of {name} are no probabilities", hint="for each row, numbers of sum 1")
    return chances


_WANTED = "score(mean, variance, channel) gives one number a row; levels gives an array (levels, rows)"

Kind = TypeVar("Kind", bound=type[Rule])
RULES: dict[str, type[Rule]] = {}


def register(name: str) -> Callable[[Kind], Kind]:
    """Decorator: make a rule known under a name."""

    def known(kind: Kind) -> Kind:
        RULES[name] = kind
        return kind

    return known


def make_registered_rule(name: str, parameters: Parameters) -> Rule:
    """A rule of the package by its name; no code is loaded."""
    if name not in RULES:
        near = difflib.get_close_matches(name, RULES, n=1)
        hint = f"did you mean {near[0]}?" if near else "your own is named FILE.py:CLASS or FILE.py:FUNCTION"
        raise InvalidInputError("rule", name, f"it must be one of {', '.join(sorted(RULES))}", hint=hint)
    return made(RULES[name], name, parameters)


def made(kind: Callable[..., Rule], name: str, parameters: Parameters) -> Rule:
    """A rule of its class and parameters."""
    accepted = list(inspect.signature(kind).parameters)
    for key, value in parameters.items():
        if key not in accepted:
            raise InvalidInputError(f"{name}.{key}", value, f"parameters of {name}: {', '.join(accepted) or 'none'}")
    try:
        return kind(**parameters)
    except (TypeError, ValueError) as error:
        raise InvalidInputError("rule", name, f"it cannot be made: {error}") from None
