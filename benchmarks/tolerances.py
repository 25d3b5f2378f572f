"""What the tolerances of the theory decide: each is halved and doubled, and the ends of curves are
solved again.

    python -m benchmarks.tolerances [NAME ...]

prints for each constant the largest change of ln v at both ends over a few questions, in units of
nats per weight, and the ends whose status changed. A constant whose factor of two moves nothing
beyond the stated errors is one of convenience: it buys speed or patience, not digits. Constants
that are defaults of arguments, or from which other numbers are made at import, are not listed.
"""

from __future__ import annotations

import argparse
import functools
import gc
import math
import sys
from types import ModuleType

from gardner.model import GLM, parse_channel, parse_prior
from gardner.theory import bounds
from gardner.theory.answers.results import Bounds

QUESTIONS = (
    ("gaussian", "sign", 3.0, 0.6),
    ("gaussian", "sign", 100.0, 1.0),
    ("gaussian", "probit:0.1", 3.0, 1.0),
    ("rademacher", "sign", 3.0, 0.5),
    ("gauss-bernoulli:0.2", "sign", 3.0, 0.6),
)
CONSTANTS = {
    "gardner.theory.curve.branch": (
        "BRACKETED", "_GOOD_ENOUGH", "_NOISE", "_TIGHT", "_WALL", "_TURN", "_WALKING", "_FIRST_STEP",
        "_LONGEST_STEP", "_SHORTEST_STEP", "_MOST_BEND", "_STRAIGHT",
    ),
    "gardner.theory.curve.equations": ("TOLERANCE",),
    "gardner.theory.curve.stationary": ("ACCEPTABLE", "_LONGEST_STEP", "_MAX_ITERATIONS", "_REGRID"),
    "gardner.theory.curve.stability": ("_SMALLEST_BETA",),
    "gardner.theory.answers.extremes": ("_FINE", "_SHORT"),
    "gardner.theory.formula.evaluation": ("RANGE_DROP", "_WEIGHT_TOLERANCE"),
    "gardner.theory.formula.quadrature": ("MAX_PANELS",),
    "gardner.theory.formula.weights": ("_PANELS", "_RANGE_DROP", "_PANELS_PER_E", "_WIDEST"),
    "gardner.theory.random_subset.fixed_points": ("_SCAN",),
}  # fmt: skip


def forget() -> None:
    """Empty every memory, so that the next answer is made with the constants of now."""
    for one in gc.get_objects():
        if type(one) is functools._lru_cache_wrapper and str(getattr(one, "__module__", "")).startswith("gardner."):
            one.cache_clear()


def answers() -> list[Bounds]:
    """All questions."""
    forget()
    return [
        bounds(GLM(parse_prior(prior), parse_channel(channel)), pool_ratio=alpha, budget=budget)
        for prior, channel, alpha, budget in QUESTIONS
    ]


def homes(module: ModuleType, name: str) -> list[ModuleType]:
    """The module of a constant, and those that import it."""
    value = getattr(module, name)
    known = [one for place, one in sys.modules.items() if place.startswith("gardner.theory")]
    return [one for one in known if one is module or (not name.startswith("_") and getattr(one, name, None) is value)]


def compared(usual: list[Bounds], other: list[Bounds]) -> tuple[float, float, int]:
    """The largest change of ln v and of accuracy at an end of the same status, and how many
    statuses changed.
    """
    volume, accuracy, changed = 0.0, 0.0, 0
    for one, two in zip(usual, other, strict=True):
        for end, again in ((one.minimum, two.minimum), (one.maximum, two.maximum)):
            changed += end.status is not again.status
            if end.found is not None and again.found is not None and not math.isnan(end.log_volume):
                volume = max(volume, abs(end.log_volume - again.log_volume))
                accuracy = max(accuracy, abs(end.found.accuracy - again.found.accuracy))
    return volume, accuracy, changed


def main() -> None:
    """Print a line a constant and factor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="constants; without names, all")
    wanted = parser.parse_args().names
    usual = answers()
    for place, names in CONSTANTS.items():
        module = sys.modules[place]
        for name in names:
            if wanted and name not in wanted:
                continue
            value = getattr(module, name)
            for factor in (0.5, 2.0):
                scaled = type(value)(factor * value)
                modules = homes(module, name)
                for one in modules:
                    setattr(one, name, scaled)
                volume, accuracy, changed = compared(usual, answers())
                for one in modules:
                    setattr(one, name, value)
                where = f"{place.removeprefix('gardner.theory.')}.{name}"
                print(f"{where} = {scaled:g}: ln v {volume:.0e}, accuracy {accuracy:.0e}, {changed} other status")
    forget()


if __name__ == "__main__":
    main()
