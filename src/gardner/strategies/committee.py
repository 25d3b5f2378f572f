"""Query by committee: ask where students who agree with all labels disagree with each other
[seung1992].
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gardner.errors import InvalidInputError
from gardner.inference.billiard import Walls, fly
from gardner.model.arrays import Floating
from gardner.strategies.base import Choice, View, check_binary, choose, register
from gardner.strategies.students import EPOCHS, School, check_epochs


@register("committee")
@dataclass
class Committee:
    """Query by committee: the rows on which students trained from random starts split most evenly.

    ``members`` students begin at standard normal weights and are trained by stochastic gradient
    descent (the perceptron rule with step ``rate``, at most ``epochs`` passes) whenever labels come
    in; with ``restart`` they begin anew in every round. With ``walk`` > 0 each then takes that many
    exact Hamiltonian trajectories through the version space (``gardner.inference.billiard``), of
    which one already forgets the start: a committee drawn from the posterior, as the method
    supposes. Criterion: argmin |Σ_k sign(F·x_k)| [cui2020, Table 1].
    """

    members: int = 15
    rate: float = 1.0
    walk: int = 0
    restart: bool = False
    epochs: int = EPOCHS
    _students: Floating | None = field(default=None, init=False, repr=False)
    _school: School | None = field(default=None, init=False, repr=False)
    informed = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        if self.members < 2:
            raise InvalidInputError("committee.members", self.members, "a committee has at least two members")
        if not self.rate > 0.0:
            raise InvalidInputError("committee.rate", self.rate, "it must be positive")
        if self.walk < 0:
            raise InvalidInputError("committee.walk", self.walk, "it must not be negative")
        check_epochs("committee", self.epochs)

    def query(self, view: View) -> Choice:
        """Most evenly split first; ties are many in a small committee, and chance decides them."""
        check_binary(view, "committee")
        if self._school is None:
            self._school = School(self.epochs, self.rate)
        students = self._students
        if students is None or self.restart:
            students = view.rng.standard_normal((self.members, view.pool.shape[1])).astype(view.pool.dtype)
        self._school.teach(view, students)
        if self.walk:
            students = self._walked(view.pool[view.queried], view.labels, students, view.rng)
        self._students = students
        votes = np.sign((view.pool @ students.T)[view.unlabelled]).sum(axis=1)
        return choose(view, -np.abs(votes))

    def _walked(self, rows: Floating, labels: Floating, students: Floating, rng: np.random.Generator) -> Floating:
        signed = rows.astype(np.float64) * labels[:, None].astype(np.float64)
        walls = Walls.of(signed / np.linalg.norm(signed, axis=1, keepdims=True))
        tally = np.zeros(labels.size, dtype=np.int64)
        for student in students:
            position = student.astype(np.float64)
            position *= np.sqrt(position.size) / np.linalg.norm(position)
            fly(walls, 0.0, self.walk, position, rng, tally)
            student[:] = position
        return students
