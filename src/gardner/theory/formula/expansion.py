"""ψ with its derivatives: closed forms where a model gives them, a table where it does not.

Both log-partition functions obey a heat equation [∂_V e^{ψ_Y} = ½ ∂_ω² e^{ψ_Y}, and ∂_A e^{ψ_X} =
−½ ∂_b² e^{ψ_X}], so the derivatives in time (V or A) follow from those in the field, up to the
fourth:

    ψ_τ = ½(ψ'' + ψ'²),   ψ'_τ = ½(ψ''' + 2ψ'ψ''),   ψ_ττ = ½(ψ''_τ + 2ψ'ψ'_τ),   ψ''_τ = ½(ψ'''' +
    2ψ''² + 2ψ'ψ''').

A channel or prior of anybody's own gives ψ, ψ' and ψ''. They are tabulated in the field at the V or
A in use, each a polynomial on panels that are split until it is one; ψ''' and ψ'''' are the
derivatives of the table of ψ''. Only Hessians need those two, so what they lack in digits costs
Newton a step at most. The logistic channel, a sum of 62 terms, goes the same way.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from gardner.model import Channel, Prior
from gardner.model.arrays import Array
from gardner.model.integrals import gauss_legendre
from gardner.theory.formula.quadrature import panel_nodes
from gardner.theory.formula.taylor import Floats

Six = tuple[Floats, Floats, Floats, Floats, Floats, Floats]

# Nodes of a panel, and powers of its polynomial.
_ORDER = 16
_UNIT = gauss_legendre(_ORDER)[0]
_TO_POWERS = np.linalg.inv(np.vander(_UNIT, increasing=True))
# The size of the last two powers of a panel, relative to the function's, at which it is not split
# any more.
_TOLERANCE = 1e-11
# Panels of a cell at most: a function that wants more has a jump, and is taken as it is.
_MOST_PANELS = 500
# Panels of a cell to start with.
_FIRST_PANELS = 2
# Times a panel is halved at most: 2⁻³⁰ of a cell is finer than its fields are known.
_DEEPEST = 30
# What counts as rounding, relative to a function's largest value: what is left of one that has died
# away.
_ROUNDING = 1e-14


class Psi(Protocol):
    """A log-partition function at a given time (V or A), as a function of the field."""

    def value(self, fields: Floats) -> Floats:
        """Return ψ."""
        ...

    def slopes(self, fields: Floats) -> tuple[Floats, Floats, Floats]:
        """Return ψ, ψ' and ψ''."""
        ...

    def full(self, fields: Floats) -> Six:
        """Return ψ and its derivatives in field, time, field twice, both, time twice."""
        ...


@dataclass(frozen=True)
class Closed:
    """A closed form."""

    formula: Callable[[Floats], Sequence[Array]]
    plain: Callable[[Floats], Array] | None = None

    def value(self, fields: Floats) -> Floats:
        """Return ψ."""
        return np.asarray(self.plain(fields)) if self.plain else np.asarray(self.formula(fields)[0])

    def slopes(self, fields: Floats) -> tuple[Floats, Floats, Floats]:
        """Return ψ, ψ' and ψ''."""
        parts = [np.asarray(part) for part in self.formula(fields)]
        return parts[0], parts[1], parts[3]

    def full(self, fields: Floats) -> Six:
        """All six."""
        return cast(Six, self.formula(fields))


@dataclass
class Table:
    """A function given by value and two derivatives, tabulated as far out as it is asked for.

    Panels belong to cells [0, u], [u, 2u], [2u, 4u], … of the field and their mirror images, with u
    the ``unit``. A cell's panels depend on nothing but the function, so a field gets the same bits
    whatever was asked for before.
    """

    formula: Callable[[Floats], tuple[Floats, Floats, Floats]]
    heat: float  # +1 if time spreads e^ψ (channels), −1 if it sharpens it (priors)
    unit: float
    edges: Floats = field(init=False)
    powers: Floats = field(init=False)
    _largest: Floats = field(init=False)  # of each function, next to zero
    _cells: list[int] = field(init=False)  # how many to either side

    def __post_init__(self) -> None:
        """The two cells next to zero."""
        near = np.array([[-self.unit, 0.0], [0.0, self.unit]])
        self._largest = np.abs(np.stack(self.formula(panel_nodes(near)), 1)).max(axis=(0, 2))
        self._cells = [1, 1]
        parts = [self._panels(*cell) for cell in near]
        self.edges, self.powers = (np.concatenate([part[k] for part in parts]) for k in (0, 1))

    def _cover(self, fields: Floats) -> None:
        """Have panels for all of these fields."""
        low, high = float(fields.min()), float(fields.max())
        if not (np.isfinite(low) and np.isfinite(high)):
            raise FloatingPointError("a field is not finite")
        for side, furthest in enumerate((-low, high)):
            while furthest > self.unit * 2.0 ** (self._cells[side] - 1):
                self._add(side)

    def _add(self, side: int) -> None:
        """One more cell to the left (0) or to the right (1)."""
        near = self.unit * 2.0 ** (self._cells[side] - 1)
        edges, powers = self._panels(near, 2.0 * near) if side else self._panels(-2.0 * near, -near)
        self._cells[side] += 1
        first, last = ((self.edges, self.powers), (edges, powers))[:: 1 if side else -1]
        self.edges, self.powers = (np.concatenate([first[k], last[k]]) for k in (0, 1))

    def _panels(self, low: float, high: float) -> tuple[Floats, Floats]:
        """Panels of a cell, split until the last powers of all three functions have died away."""
        cuts = np.linspace(low, high, _FIRST_PANELS + 1)
        todo = np.stack([cuts[:-1], cuts[1:]], 1)
        edges: list[Floats] = []
        powers: list[Floats] = []
        count = 0
        for _ in range(_DEEPEST):
            half = 0.5 * (todo[:, 1] - todo[:, 0])
            values = np.stack(self.formula(panel_nodes(todo)), 1)  # (panels, 3, nodes)
            found = values @ _TO_POWERS.T
            each = np.abs(values).max(axis=2)
            size = each + 1e-3 * each[:, :1] / half[:, None]
            allowed = _TOLERANCE * size + _ROUNDING * self._largest
            rough = (np.abs(found[:, :, -2:]).max(axis=2) * 2.0**-14 > allowed).any(axis=1)
            count += len(todo) - rough.sum()
            if count + 2 * rough.sum() > _MOST_PANELS:
                rough[:] = False
            edges.append(todo[~rough])
            powers.append(found[~rough])
            if not rough.any():
                break
            left, right = todo[rough].T
            middle = 0.5 * (left + right)
            todo = np.concatenate([np.stack([left, middle], 1), np.stack([middle, right], 1)])
        joined = np.concatenate(edges)
        order = np.argsort(joined[:, 0])
        return joined[order], np.concatenate(powers)[order]

    def _places(self, fields: Floats) -> tuple[NDArray[np.intp], Floats, Floats]:
        """The panel of each field, the place in it from −1 to 1, and 2/width."""
        self._cover(fields)
        panel = np.searchsorted(self.edges[1:, 0], fields, side="right")
        left, right = self.edges[:, 0][panel], self.edges[:, 1][panel]
        scale = 2.0 / (right - left)
        return panel, (fields - left) * scale - 1.0, scale

    def value(self, fields: Floats) -> Floats:
        """Return ψ."""
        panel, x, _ = self._places(fields)
        return _horner(self.powers[:, 0], panel, x)

    def slopes(self, fields: Floats) -> tuple[Floats, Floats, Floats]:
        """Return ψ, ψ' and ψ''."""
        panel, x, _ = self._places(fields)
        first, second, third = (_horner(self.powers[:, k], panel, x) for k in range(3))
        return first, second, third

    def full(self, fields: Floats) -> Six:
        """All six."""
        panel, x, scale = self._places(fields)
        psi, first = (_horner(self.powers[:, k], panel, x) for k in range(2))
        second, third, fourth = _horner_twice(self.powers[:, 2], panel, x)
        third, fourth = third * scale, fourth * scale * scale
        turn = 0.5 * self.heat * (second + first * first)
        mixed = 0.5 * self.heat * (third + 2.0 * first * second)
        twice = 0.5 * self.heat * (fourth + 2.0 * second * second + 2.0 * first * third)
        return psi, first, turn, second, mixed, 0.5 * self.heat * (twice + 2.0 * first * mixed)


def _horner(powers: Floats, panel: NDArray[np.intp], x: Floats) -> Floats:
    total: Floats = powers[:, -1][panel]
    for column in powers.T[-2::-1]:
        total = total * x + column[panel]
    return total


def _horner_twice(powers: Floats, panel: NDArray[np.intp], x: Floats) -> tuple[Floats, Floats, Floats]:
    """A polynomial and its two derivatives."""
    total = powers[:, -1][panel]
    first, second = np.zeros_like(total), np.zeros_like(total)
    for column in powers.T[-2::-1]:
        second = second * x + first
        first = first * x + total
        total = total * x + column[panel]
    return total, first, 2.0 * second


@functools.lru_cache(maxsize=8)
def channel_psi(channel: Channel, y: float, V: float) -> Psi:
    """ψ_Y(y, ω, V) as a function of ω; a table is kept for the next question at this V."""
    if channel.closed_form:
        return Closed(lambda omega: channel.expansion(y, omega, V), lambda omega: channel.log_partition(y, omega, V))

    def formula(omega: Floats) -> tuple[Floats, Floats, Floats]:
        value, g, minus = (np.asarray(part) for part in channel.slopes(y, omega, V))
        return value, g, -minus

    return Table(formula, 1.0, math.sqrt(V))


def channel_remainder(channel: Channel, y: float, V: float) -> Psi:
    """ψ_Y + ω²/2(V + δ) of a channel that has it."""
    return Closed(lambda omega: channel.remainder(y, omega, V))


@functools.lru_cache(maxsize=8)
def prior_psi(prior: Prior, A: float) -> Psi:
    """ψ_X(A, b) as a function of b; a table is kept for the next question at this A."""
    if prior.closed_form:
        return Closed(lambda b: prior.expansion(b, A), lambda b: prior.log_partition(A, b))
    return Table(lambda b: prior.slopes(b, A), -1.0, 1.0 / math.sqrt(prior.second_moment))
