"""Numbers in the text of docs/, where a second of theory can tell them: as printed there, to the
digits shown.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gardner import bounds, complexity_at, typical
from gardner.model import GLM, parse_channel, parse_prior
from gardner.theory.answers.results import Bounds

DOCS = Path(__file__).parents[2] / "docs"


@functools.cache
def text_of(page: str) -> str:
    """The text of a page in one line, minus signs as a program writes them."""
    return " ".join((DOCS / page).read_text("utf-8").replace("−", "-").split())


@functools.cache
def found(pool_ratio: float, budget: float, channel: str = "sign") -> Bounds:
    return bounds(GLM(channel=parse_channel(channel)), pool_ratio=pool_ratio, budget=budget)


def power(value: float, digits: int) -> str:
    """As 2.6·10⁵ is written."""
    exponent = math.floor(math.log10(abs(value)))
    raised = str(exponent).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
    return f"{value / 10.0**exponent:.{digits}f}·10{raised}"


def breaking() -> str:
    """Where the stability ratio R stands at the ends, section 7."""
    low, high = found(3.0, 0.3), found(3.0, 0.6)
    ratios = [one.minimum.point.stability for one in (low, high) if one.minimum.point]
    ratios += [one.maximum.point.stability for one in (low, high) if one.maximum.point]
    return "R = {:.2f} and {:.2f} at the lower ends, {:.2f} and {:.2f} at the upper ones".format(*ratios)


def crossing() -> str:
    """A lower end far out, section 6."""
    end = found(3.0, 2.0).minimum
    assert end.status.value == "zero"
    assert end.point is not None
    return f"at β ≈ {power(end.point.beta, 1)}"


def turning() -> str:
    """An upper branch that turns back in ln v, section 6."""
    end = found(29.0847, 0.1524).maximum
    assert end.point is not None
    return f"reaches Σ = 0 at ln v = {end.log_volume:.7f} (β = {end.point.beta:.1f})"


def error_of_a_large_pool() -> str:
    """The stated error where exponents cancel, section 5."""
    end = found(2000.0, 0.8).minimum
    assert end.point is not None
    assert end.point.quadrature_error < 5e-7  # it is rounding, and moves with every bit
    return "now says less than 5·10⁻⁷ of ln v"


def smallest_evidence() -> str:
    """With noise, the smallest evidence, section 8."""
    end = found(3.0, 0.6, "flip:0.05").minimum
    assert end.point is not None
    shown = f"{end.log_volume:.4f}) has information {end.point.information:.4f} and accuracy {end.point.accuracy:.4f}"
    return f"the smallest evidence (ln v = {shown}"


def best_points() -> str:
    """… and the points of most information and of the best accuracy."""
    known = found(3.0, 0.6, "flip:0.05")
    most, best = known.extremes.most_information, known.extremes.most_accurate
    return (
        f"the most information is {most.information:.4f} at ln v = {most.log_volume:.4f}, the best accuracy "
        f"{best.accuracy:.4f} at ln v = {best.log_volume:.4f}, where the random subset has {known.typical.accuracy:.4f}"
    )


def wall() -> str:
    """Σ|β| tends to a constant on a wall, section 6."""
    end = found(3.0, 2.7).minimum
    assert end.point is not None
    assert end.point.beta < -1e5
    near = complexity_at(pool_ratio=3.0, budget=2.7, log_volume=end.log_volume + 1e-9)
    assert near.complexity * abs(near.beta) == pytest.approx(end.point.complexity * abs(end.point.beta), rel=0.05)
    return f"about {power(end.point.complexity * abs(end.point.beta), 1)} at β"


PHRASES = {
    "theory.md": (breaking, crossing, turning, error_of_a_large_pool, smallest_evidence, best_points, wall),
}


@pytest.mark.parametrize(
    ("page", "phrase"),
    [(page, one) for page, all_of in PHRASES.items() for one in all_of],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_the_text_says_what_the_theory_says(page: str, phrase: Callable[[], str]) -> None:
    wanted = phrase()
    assert wanted in text_of(page), wanted


def rows(page: str, heading: str) -> list[list[str]]:
    """The rows of the table that begins with a heading."""
    _, _, rest = (DOCS / page).read_text("utf-8").partition(heading)
    lines = re.match(r"[^\n]*\n\|[-|]+\n((?:\|.*\n)+)", rest)
    assert lines is not None, heading
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1].splitlines()]


@pytest.mark.slow
def test_theory_beside_amp() -> None:
    """Ln v and m of random subsets in the table of docs/models.md."""
    for prior, channel, budget, volume, _, overlap, *_ in rows("models.md", "| prior | channel | n | ln v theory"):
        at = typical(GLM(parse_prior(prior), parse_channel(channel)), budget=float(budget))
        assert (f"{at.log_volume:.4f}", f"{at.overlap:.4f}") == (volume, overlap), (prior, channel)


def test_theory_beside_active_learning() -> None:
    """Typical volumes and bounds in the table of docs/models.md, at α = 3."""
    for channel, budget, volume, _, _, bound, *_ in rows("models.md", "| channel | n | typical ln v"):
        at = typical(GLM(channel=parse_channel(channel)), budget=float(budget))
        assert f"{at.log_volume:.4f}" == volume, (channel, budget)
        if channel in ("sign", "flip:0.05"):
            assert f"{found(3.0, float(budget), channel).halving:.4f}" == bound, (channel, budget)


def measured(name: str, pool_ratio: float) -> Iterator[pd.Series[Any]]:
    """Rows of a table of the reproduction, which is printed by `gardner reproduce --full`."""
    frame = pd.read_csv(DOCS / "reproduction" / "tables" / f"{name}.csv")
    assert set(frame["pool_ratio"]) == {pool_ratio}
    return (row for _, row in frame.iterrows())


def shown(row: pd.Series[Any], name: str) -> str:
    return f"{row[name]:.4f} ± {row[f'{name}_stderr']:.4f}"


def test_strategies_between_the_bounds_are_those_of_the_reproduction() -> None:
    known = {(row["strategy"], row["budget"]): row for row in measured("bounds", 3.0)}
    table = rows("active-learning.md", "| n | strategy | seeds | ln v |")
    assert len(table) == 16
    for n, strategy, seeds, log_volume, accuracy, bits, to_halving, to_minimum in table:
        row = known[strategy.removesuffix(r" \*"), float(n)]
        assert [seeds, log_volume, accuracy] == [str(row["seeds"]), shown(row, "log_volume"), shown(row, "accuracy")]
        assert bits == f"{row['bits_per_label']:.3f}"
        assert [to_halving, to_minimum] == [f"{row['gap_to_halving']:.4f}", f"{row['gap_to_minimum']:.4f}"]
    front = rows("../README.md", "| strategy | ln v at n = 0.6 | bits/label |")
    assert len(front) == 3
    for strategy, log_volume, bits, to_halving, to_minimum in front:
        row = known[strategy.partition(" ")[0], 0.6]
        assert [log_volume, bits] == [shown(row, "log_volume"), f"{row['bits_per_label']:.3f}"]
        assert [to_halving, to_minimum] == [f"{row['gap_to_halving']:.4f}", f"{row['gap_to_minimum']:.4f}"]


def test_heuristics_are_those_of_the_reproduction() -> None:
    known = {(row["strategy"], row["budget"]): row for row in measured("heuristics", 10.0)}
    names = {"agnostic AL-AMP": "agnostic", "logistic margin": "logistic", "perceptron margin": "perceptron"}
    names |= {"committee, K = 45": "committee(members=45)", "committee, K = 15": "committee", "random": "random"}
    names["committee, K = 3"] = "committee(members=3)"
    (_, *halving), *table = rows("active-learning.md", "| strategy | n = 0.6 |")
    budgets = (0.6, 1.0, 2.0, 3.0)
    assert halving == [f"{-n * math.log(2.0):.4f}".replace("-", "−") for n in budgets]
    assert {strategy for strategy, *_ in table} == set(names)
    for strategy, *cells in table:
        expected = [shown(known[names[strategy], n], "log_volume").replace("-", "−") for n in budgets]
        assert cells == expected, strategy
