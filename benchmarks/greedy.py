"""Is greedy choice optimal among rules that read no hidden label? Three ways to find out that it is
not.

    python -m benchmarks.greedy [--quick]

1. map: the derivative of the final information (accuracy) by rows moved from one field to another
   in one round, for all rounds and fields. Greedy is improvable if a row that is left is worth more
   than one that is taken.
2. states: the same after rounds of arbitrary rules, greedy from there on. If rows are worth less
   the larger |ω| in every state, no choice of one round is better than greedy's, and so none of
   all.
3. search: rules with a target |ω|/√V and a share of random rows that change in time, by Nelder and
   Mead from several starts. A gain counts if it exceeds ten times the discretisation error.

A control has labels that are coin flips near the boundary, so that what a label tells does not fall
with |ω|: there most informative first need not be best. There is no noise: the numbers are those of
the theory for N → ∞. The last line is the verdict.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from scipy.optimize import fmin

from gardner import GLM, NumericChannel, label_value
from gardner.model import parse_channel
from gardner.model.arrays import Array, Floats
from gardner.model.special import NUMPY, Library
from gardner.rules import Rule
from gardner.rules.known import Agnostic, PartlyRandom, PosteriorCommittee, Random, TargetMargin
from gardner.theory.learning_curves.curve import Question
from gardner.theory.learning_curves.rounds import Batch, batches, evolve
from gardner.theory.learning_curves.value import Objective, values_of

OBJECTIVES: tuple[Objective, ...] = ("information", "accuracy")
PLACES = ((1.5, 1.2), (3.0, 1.2), (3.0, 1.6), (3.0, 2.0), (3.0, 2.5), (10.0, 2.0), (10.0, 3.5), (30.0, 5.0))
CHANNELS = ("flip:0.05", "flip:0.2", "probit:0.1", "probit:1")
SEARCHED = (("sign", 3.0, 1.2), ("sign", 3.0, 2.0), ("sign", 10.0, 3.5), ("flip:0.2", 3.0, 2.0), ("probit:1", 3.0, 2.0))
ROUNDING = 1e-9  # bits: best moves of greedy are differences of equal numbers


@dataclass(frozen=True)
class TargetAndChance(TargetMargin):
    """Rows closest to a margin, but for a share of the batch at random."""

    share: float = 0.0

    @property
    def random_share(self) -> float:
        """As given."""
        return self.share


@dataclass(frozen=True)
class CoinNearZero(NumericChannel):
    """Labels of which those near the boundary tell nothing: P(y|h) = 1/(1 + e^{−3 y h³})."""

    @property
    def labels(self) -> tuple[float, ...]:
        """−1 and +1."""
        return (-1.0, 1.0)

    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        """ln P_out(y|h)."""
        return -library.xp.logaddexp(0.0 * h, -3.0 * y * h**3)


def row(*cells: object) -> None:
    print(" | ".join(str(cell) for cell in cells), flush=True)


def model_of(channel: str) -> GLM:
    return GLM(channel=parse_channel(channel))


def asked_of(channel: str, alpha: float, budget: float, kappa: float, cells: int) -> Question:
    """The question about greedy choice."""
    return Question.checked(
        "agnostic", model_of(channel), pool_ratio=alpha, budget=budget, batch_ratio=kappa, tolerance=1e-5, cells=cells
    )


def first_order(quick: bool) -> float:
    """1. Along greedy itself."""
    row("map", "channel", "alpha", "n", "kappa", "objective", "best move", "falls with |omega|", "range", "error")
    worst = 0.0
    places = [("sign", *place) for place in PLACES] + [(channel, 3.0, 2.0) for channel in CHANNELS]
    for channel, alpha, budget in places[:: 4 if quick else 1]:
        kappa = budget / (20 if quick else 100)
        for objective in OBJECTIVES:
            found = label_value(
                "agnostic", model_of(channel), pool_ratio=alpha, budget=budget, batch_ratio=kappa, objective=objective
            )
            span = max(float(np.ptp(one.value)) for one in found.rounds)
            falls = "yes" if found.monotone else "no"
            numbers = f"{found.best_move:.1e}", falls, f"{span:.3g}", f"{found.error:.1e}"
            row("map", channel, alpha, budget, f"{kappa:g}", objective, *numbers)
            worst = max(worst, found.best_move)
    return worst


def whole_map(budget: float = 2.0, kappa: float = 0.02) -> None:
    """What labels are worth along greedy, α = 3: bits, less those of the row at the threshold."""
    found = label_value("agnostic", pool_ratio=3.0, budget=budget, batch_ratio=kappa, cells=8192)
    margins = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
    row("values", "labels so far", "threshold |omega|/sqrt(V)", *(f"at {margin:g}" for margin in margins))
    for index in (4, 24, 49, 74, 84, 94, 98):
        one = found.rounds[index]
        places = np.array(margins) * np.sqrt(one.variance)
        known = [f"{x:+.4f}" for x in np.interp(places, one.mean, one.value) - one.marginal]
        told = [text if place < one.mean[-1] else "no rows" for text, place in zip(known, places, strict=True)]
        row("values", f"{one.budget - kappa:.2f}", f"{-one.threshold:.3f}", *told)


def control() -> None:
    """Where the argument does not hold, the map says so."""
    for objective in OBJECTIVES:
        found = label_value(
            "agnostic", GLM(channel=CoinNearZero()), pool_ratio=3.0, budget=1.0, batch_ratio=0.2, objective=objective,
            cells=1024,
        )  # fmt: skip
        numbers = f"best move {found.best_move:.1e}, error {found.error:.1e}"
        row("control", "coin flips near the boundary", 3.0, 1.0, 0.2, objective, numbers)


def from_any_state(count: int) -> int:
    """2. After arbitrary rounds: how many states order rows otherwise than by |ω|."""
    rng = np.random.default_rng(0)
    against = seen = 0
    for _ in range(count):
        channel = ("sign", "sign", *CHANNELS)[int(rng.integers(6))]
        alpha, rounds = float(np.exp(rng.uniform(0.0, 2.5))), int(rng.integers(4, 12))
        budget, switch = float(rng.uniform(0.2, 0.9)) * min(alpha, 5.0), int(rng.integers(1, rounds))
        plan = [
            one._replace(rule=_arbitrary(rng) if index <= switch else Agnostic())
            for index, one in enumerate(batches(Agnostic(), budget, budget / rounds))
        ]
        asked = asked_of(channel, alpha, budget, budget / rounds, 2048)
        for objective in OBJECTIVES:
            states = values_of(asked, plan, objective, 2048)[switch - 1 :]
            seen += len(states)
            against += sum(not one.monotone for one in states)
    runs = f"{seen} states of {count} runs of arbitrary rules"
    row("states", runs, f"{against} in which rows do not fall with |omega|")
    return against


def _arbitrary(rng: np.random.Generator) -> Rule:
    kinds: tuple[Rule, ...] = (
        Random(),
        TargetMargin(float(rng.uniform(0.0, 3.0))),
        PosteriorCommittee(int(rng.integers(2, 12))),
        PartlyRandom(float(rng.uniform(0.0, 1.0))),
    )
    return kinds[int(rng.integers(len(kinds)))]


@dataclass(frozen=True)
class Search:
    """A place to search at; a rule is three targets and three shares, joined by straight lines in
    time.
    """

    channel: str
    alpha: float
    budget: float
    objective: Objective
    rounds: int

    def plan(self, numbers: Floats) -> list[Batch]:
        targets, shares = np.abs(numbers[:3]), np.clip(np.abs(numbers[3:]), 0.0, 1.0)
        knots = np.linspace(0.0, self.budget, 3)
        plan = []
        for index, one in enumerate(batches(Agnostic(), self.budget, self.budget / self.rounds)):
            target, share = (float(np.interp(one.budget, knots, values)) for values in (targets, shares))
            plan.append(one._replace(rule=TargetAndChance(target, share)) if index else one)
        return plan

    def reached(self, numbers: Floats, cells: int) -> float:
        """The final information in nats, or 1 − V."""
        pair = asked_of(self.channel, self.alpha, self.budget, self.budget / self.rounds, cells).pair
        *_, last = evolve(pair, self.alpha, self.plan(numbers), cells)
        return 1.0 - last.solved.V if self.objective == "accuracy" else -last.solved.log_volume - last.noise

    def missed(self, numbers: Floats) -> float:
        """What is to be small."""
        return -self.reached(numbers, 2048)


def searched(one: Search, starts: tuple[tuple[float, ...], ...], steps: int) -> tuple[float, float]:
    """3. The best gain over greedy that was found, and the discretisation error of greedy."""
    none = np.zeros(6)
    greedy = one.reached(none, 2048)
    error = abs(one.reached(none, 4096) - greedy)
    best, where = -np.inf, none
    for start in starts:
        found = fmin(one.missed, start, xtol=1e-4, ftol=1e-9, maxfun=steps, disp=False)
        gain = one.reached(found, 2048) - greedy
        if gain > best:
            best, where = gain, np.abs(found)
    rule = "targets " + " ".join(f"{x:.3f}" for x in where[:3]) + ", shares " + " ".join(f"{x:.3f}" for x in where[3:])
    cells = (f"{greedy:.5f}", f"{best:+.1e}", f"{error:.1e}", rule)
    row("search", one.channel, one.alpha, one.budget, one.objective, *cells)
    return best, error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a minute instead of ten")
    quick = parser.parse_args().quick
    move = first_order(quick)
    whole_map()
    control()
    against = from_any_state(5 if quick else 60)
    starts = ((0.3, 0.3, 0.3, 0.1, 0.1, 0.1), (0.0, 0.0, 0.5, 0.0, 0.0, 0.0))
    row("search", "channel", "alpha", "n", "objective", "greedy", "best gain found", "error", "of")
    counted = 0
    for channel, alpha, budget in SEARCHED[:: 4 if quick else 1]:
        for objective in OBJECTIVES:
            place = Search(channel, alpha, budget, objective, 10 if quick else 20)
            gain, error = searched(place, starts[:1] if quick else starts, 60 if quick else 120)
            counted += gain > 10.0 * error
    beaten = move > ROUNDING or against or counted
    print(
        f"verdict: greedy is {'beaten' if beaten else 'not beaten'}: best move {move:.1e} (rounding {ROUNDING:g}), "
        f"{against} states against it, {counted} gains above ten times the error"
    )


if __name__ == "__main__":
    main()
