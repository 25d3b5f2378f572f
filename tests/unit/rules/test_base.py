"""The contract of rules: levels are probabilities, draws follow them, and what breaks it is told in
one line.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, norm

from gardner.errors import GardnerError, InvalidInputError
from gardner.model import Channel, Linear, Sign
from gardner.model.arrays import Floats
from gardner.rules import RULES, Rule, RuleError, as_rule, checked_levels, load_rule
from gardner.rules.known import PosteriorCommittee

MEAN, VARIANCE = np.linspace(-3.0, 3.0, 13), np.linspace(0.2, 1.4, 13)


@pytest.mark.parametrize("name", sorted(RULES))
def test_registered_rules_draw_scores(name: str) -> None:
    rule = load_rule(name, {})
    scores = rule.draw(MEAN, VARIANCE, Sign(), np.random.default_rng(0))
    assert scores.shape == MEAN.shape
    assert np.isfinite(scores).all()
    assert not rule.informed


@pytest.mark.parametrize("members", [1, 2, 3, 6, 15])
def test_levels_of_a_committee_are_binomial(members: int) -> None:
    levels = PosteriorCommittee(members).levels(MEAN, VARIANCE, Sign())
    votes = np.arange(members + 1)
    chances = np.asarray(binom.pmf(votes[:, None], members, norm.cdf(MEAN / np.sqrt(VARIANCE))))
    split = np.abs(2 * votes - members)
    known = [chances[split == one].sum(axis=0) for one in np.unique(split)]
    np.testing.assert_allclose(levels, known, atol=1e-13)


def test_draws_have_the_chances_of_their_levels() -> None:
    rule, rng = PosteriorCommittee(6), np.random.default_rng(1)
    mean, variance = np.full(40_000, 0.4), np.full(40_000, 0.7)
    scores = -rule.draw(mean, variance, Sign(), rng)
    for level, chance in enumerate(rule.levels(mean[:1], variance[:1], Sign())[:, 0]):
        assert np.mean(scores == level) == pytest.approx(chance, abs=5.0 * np.sqrt(chance * (1.0 - chance) / 40_000))


def test_committees_need_binary_labels() -> None:
    with pytest.raises(RuleError, match=r"labels -1 and \+1"):
        PosteriorCommittee().levels(MEAN, VARIANCE, Linear(0.1))


class Odd(Rule):
    def __init__(self, answer: Floats) -> None:
        self.answer = answer

    def levels(self, mean: Floats, variance: Floats, channel: Channel) -> Floats:
        del mean, variance, channel
        return self.answer


@pytest.mark.parametrize("answer", [np.full((2, 13), 0.4), np.full((2, 3), 0.5), np.full((2, 13), np.nan)])
def test_levels_that_are_none_are_refused(answer: Floats) -> None:
    with pytest.raises(RuleError, match="levels"):
        checked_levels(Odd(answer), MEAN, VARIANCE, Sign())


OWN = """
import numpy as np
from dataclasses import dataclass
from gardner.rules import Rule

def sure(mean, variance, power=1.0):
    return np.abs(mean) ** power / variance

@dataclass(frozen=True)
class Wide(Rule):
    scale: float = 1.0
    def score(self, mean, variance, channel):
        return self.scale * variance

number = 3
"""


def test_own_rules_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN)
    function = load_rule(f"{file}:sure", {"power": 2.0})
    np.testing.assert_allclose(function.score(MEAN, VARIANCE, Sign()), MEAN**2 / VARIANCE)
    np.testing.assert_allclose(load_rule(f"{file}:Wide", {"scale": 2.0}).score(MEAN, VARIANCE, Sign()), 2.0 * VARIANCE)
    for name, parameters, says in (
        ("number", {}, "no rule"),
        ("sure", {"mean": 1.0}, "parameters of"),
        ("Wide", {"scala": 2.0}, "parameters of"),
        ("nothing", {}, "there is no nothing"),
    ):
        with pytest.raises(GardnerError, match=says):
            load_rule(f"{file}:{name}", dict(parameters))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("posterior-committee", {"members": 0}),
        ("posterior-committee", {"members": 2.5}),
        ("posterior-committee", {"member": 3}),
        ("partly-random", {"share": 1.5}),
        ("target-margin", {"margin": float("nan")}),
        ("pruning", {"first": 0.0}),
        ("pruning", {"keep": "all"}),
        ("nobody", {}),
    ],
)
def test_wrong_parameters_are_refused(name: str, parameters: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError):
        load_rule(name, parameters)


def test_a_made_rule_takes_no_parameters() -> None:
    assert as_rule(PosteriorCommittee(3), "mine", {}) == PosteriorCommittee(3)
    with pytest.raises(InvalidInputError, match="made already"):
        as_rule(PosteriorCommittee(3), "mine", {"members": 5})


def test_whole_numbers_of_numpy_are_written_down_as_others() -> None:
    rule = PosteriorCommittee(np.int64(5))  # type: ignore[arg-type]
    assert type(rule.members) is int
    assert rule == PosteriorCommittee(5)
