"""The equations of broken symmetry against differences of the formula as it is written, and their
limits.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import pytest
from tests.broken_formula import free_entropy, slope

from gardner.model import PERCEPTRON
from gardner.theory import Side
from gardner.theory.answers.problem import branch, checked_problem
from gardner.theory.breaking.free_entropy import Evaluation, Place, evaluate, to_coordinates, to_place
from gardner.theory.breaking.points import steps_at

ALPHA, BUDGET = 3.0, 0.6
PROBLEM = checked_problem(PERCEPTRON, ALPHA, BUDGET)
PLACES = {
    "below": Place(m=0.62, t=0.1, d=0.02, D=0.025, V=0.46, x=0.4, phi=-4.0, beta=-9.0),
    "above": Place(m=0.16, t=0.13, d=0.03, D=0.01, V=0.8, x=0.3, phi=9.0, beta=60.0),
    "x above 1": Place(m=0.6, t=0.1, d=0.01, D=0.04, V=0.48, x=1.3, phi=-3.0, beta=-6.0),
}


def at(place: Place) -> Evaluation:
    u = to_coordinates(place)
    return evaluate(PROBLEM, u, steps_at(PROBLEM, u))


@dataclass(frozen=True)
class Slopes:
    """Derivatives of the formula in all its variables, by differences."""

    place: Place

    @functools.cache  # noqa: B019 - a few places of one test
    def of(self, name: str) -> float:
        return slope(functools.partial(free_entropy, ALPHA), self.place, name)


@pytest.mark.parametrize("name", PLACES)
def test_the_equations_are_derivatives_of_the_formula(name: str) -> None:
    """At places that solve nothing: each condition, times its own size, is a combination of
    derivatives.
    """
    place = PLACES[name]
    found, by = at(place), Slopes(place).of
    m, t, d, D, V, x, _, beta = place
    W, U = place.W, place.U
    outer, apart, edge, inner, norm, labels, last = found.equations
    excess, gap = outer * beta**2 * t / U**2, apart * beta**2 / (U * W)
    assert found.complexity == pytest.approx(
        free_entropy(ALPHA, place) - beta * found.log_volume - place.phi * by("phi"), abs=1e-7
    )
    assert by("t") - by("d") == pytest.approx(-0.5 * x * excess, abs=2e-6)
    assert by("d") - by("D") == pytest.approx(0.5 * (x - 1.0) * (d * gap + excess), abs=2e-6)
    assert by("m") - 2.0 * m * by("t") == pytest.approx(beta * m / U * edge, abs=2e-6)
    size = D / (V * W) + d / (U * W) + t / U**2
    assert by("D") - by("V") == pytest.approx(0.5 * beta * (beta - 1.0) * size * inner, rel=1e-6, abs=2e-6)
    dilation = m * by("m") + 2.0 * sum(getattr(place, part) * by(part) for part in ("t", "d", "D", "V"))
    assert dilation == pytest.approx(-beta * norm, abs=2e-6)
    assert by("phi") == pytest.approx(BUDGET * (1.0 + labels), abs=1e-7)
    assert by("beta") == pytest.approx(found.log_volume, abs=1e-7)
    assert by("x") == pytest.approx(d * d * found.split + 0.5 * d * excess, abs=1e-7)
    assert found.split == pytest.approx(0.25 * gap + last * d * abs(beta / W) ** 3, rel=1e-9)


def divided(side: Side, share: float, x: float) -> tuple[Evaluation, float]:
    """The end of the symmetric theory with clusters that take a share of D; and what Φ₁ differs by."""
    state = branch(PROBLEM, side).states[-1]
    theta = state.theta
    d = share * theta.D
    found = at(Place(theta.m, theta.t, d, theta.D - d, theta.V, x, theta.phi, theta.beta))
    labels = BUDGET * (1.0 + found.equations[5])
    change = found.complexity + theta.beta * found.log_volume + theta.phi * labels
    change -= state.complexity + theta.beta * state.log_volume + theta.phi * BUDGET
    return found, change


@pytest.mark.parametrize("side", list(Side))
@pytest.mark.parametrize("share", [0.5, 0.05])
def test_at_x_one_it_is_the_symmetric_theory(side: Side, share: float) -> None:
    """Whatever d."""
    state = branch(PROBLEM, side).states[-1]
    found, change = divided(side, share, 1.0)
    assert change == pytest.approx(0.0, abs=1e-9)
    assert found.log_volume == pytest.approx(state.log_volume, abs=1e-9)
    assert found.complexity == pytest.approx(state.complexity, abs=1e-8)
    assert np.abs(found.equations[[0, 2, 3, 4, 5]]).max() < 1e-6


@pytest.mark.parametrize("side", list(Side))
def test_without_clusters_it_is_the_symmetric_theory(side: Side) -> None:
    """For d → 0 at any x: Φ₁ differs by a term in d²."""
    small, large = (divided(side, share, 0.6)[1] for share in (0.005, 0.01))
    assert abs(large) < 1e-3
    assert large / small == pytest.approx(4.0, rel=0.2)


def test_coordinates_go_there_and_back() -> None:
    for place in PLACES.values():
        assert to_place(to_coordinates(place)) == pytest.approx(place, rel=1e-12)
