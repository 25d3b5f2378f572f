"""Heavy tails: the largest volume is that of a student with one large weight."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gardner.model import GLM, Channel, Flip, Gaussian, Laplace, Logistic, Prior, Probit, Rademacher, Sign
from gardner.theory import bounds
from gardner.theory.curve.branch import follow
from gardner.theory.curve.condensed import condensed_point, condenses
from gardner.theory.curve.ends import EndStatus, Side
from gardner.theory.curve.equations import Problem


@pytest.mark.parametrize(
    ("prior", "channel", "budget", "expected"),
    [
        (Laplace(), Sign(), 0.6, True),
        (Laplace(30.0), Logistic(), 1.5, True),
        (Laplace(), Probit(0.3), 1.51, False),
        (Gaussian(), Sign(), 0.6, False),
        (Rademacher(), Sign(), 0.6, False),
    ],
)
def test_who_condenses(prior: Prior, channel: Channel, budget: float, expected: bool) -> None:
    assert condenses(Problem(GLM(prior, channel), 3.0, budget)) is expected


@pytest.mark.parametrize(("channel", "most"), [(Sign(), 0.0), (Flip(0.05), math.log(0.95))], ids=str)
def test_the_largest_volume(channel: Channel, most: float) -> None:
    found = bounds(GLM(Laplace(), channel), pool_ratio=3.0, budget=0.6)
    assert found.maximum.status is EndStatus.CONDENSED
    assert found.maximum.log_volume == pytest.approx(0.6 * most, abs=1e-12)
    assert found.maximum.point is not None
    assert found.maximum.point.accuracy == 0.5
    assert found.maximum.doubting is not None
    assert found.typical.log_volume < found.maximum.doubting.log_volume < found.maximum.log_volume


def test_the_branch_leads_there() -> None:
    """Along the branch the tangent of Σ, taken to ln v = 0, comes down to the number of condensed
    subsets.
    """
    problem = Problem(GLM(Laplace(), Sign()), 3.0, 0.6)
    states = follow(problem, Side.MAX, lambda state: state.z[9] < -7.0).states
    end = condensed_point(problem).complexity
    missed = np.array([state.complexity + state.theta.beta * state.log_volume - end for state in states])
    assert missed[0] > 0.3
    assert missed.min() == pytest.approx(-0.08, abs=0.02)  # β falls again beyond its largest value
    assert -0.6 * 0.08 < missed[-1] < 0.0
    assert states[-1].theta.r > 2.0  # the large weight's square


def test_a_student_with_one_large_weight_makes_no_errors() -> None:
    """The construction itself, drawn: half of the pool agrees with one entry, and one large weight
    gives its labels.
    """
    rng = np.random.default_rng(5)
    count, alpha = 400, 3.0
    rows = rng.standard_normal((int(alpha * count), count)) / math.sqrt(count)
    teacher, student = rng.laplace(0.0, math.sqrt(0.5), (2, count))
    labels = np.where(rows @ teacher < 0.0, -1.0, 1.0)
    entry = rows[:, 0] * labels
    chosen = np.argsort(-entry)[: int(0.4 * alpha * count)]  # n = 0.4 α, of the half that agrees
    assert (entry[chosen] > 0.0).all()
    student[0] = 60.0 * math.sqrt(count)
    assert (labels[chosen] * (rows[chosen] @ student) > 0.0).mean() > 0.99
