"""Who learns from whom: a student's model and the teacher's, alike or not.

The formulas are written for a teacher of unit second moment: m stands for m/√r⁰, r⁰ = E[(x⁰)²], and the teacher's own
functions get the factor √r⁰ back. So q = m² + t whatever the teacher's scale, and t = q − m²/r⁰ is never a difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from gardner.model import GLM, Channel, Gaussian, Prior

_FAR_FIELD = 1e4  # a field so strong that only the tails of a prior are left


@dataclass(frozen=True)
class Pair:
    """A student and its teacher."""

    student: GLM
    teacher: GLM

    @property
    def matched(self) -> bool:
        """Whether the student knows the teacher's model: then every random subset is a Bayes-optimal problem."""
        return self.student == self.teacher

    @property
    def teacher_scale(self) -> float:
        """√r⁰, the root mean square of a teacher's weight."""
        return math.sqrt(self.teacher.prior.second_moment)

    @property
    def gaussian(self) -> bool:
        """Whether the student's prior is Gaussian, so that the hats drop out in closed form (for any teacher)."""
        return isinstance(self.student.prior, Gaussian)

    @property
    def regression(self) -> bool:
        """Whether labels are real numbers."""
        return not self.student.channel.labels

    @cached_property
    def fixed_norm(self) -> bool:
        """Whether every weight of the student's prior has the same square: then r is no free parameter."""
        return _fixed_norm(self.student.prior)

    @cached_property
    def even(self) -> bool:
        """Whether no label tells the sign of a field: then a random subset may know nothing of the teacher."""
        channel, scale = self.teacher.channel, self.teacher_scale
        omega, V = scale * np.array([0.3, 1.1, 2.7]), 0.5 * scale**2
        return all(
            np.allclose(channel.log_partition(y, omega, V), channel.log_partition(y, -omega, V), rtol=0.0, atol=1e-12)
            for y in channel.labels or (0.4 * scale,)
        )

    @cached_property
    def mute(self) -> bool:
        """Whether labels do not depend on the field, as far as double precision shows."""
        channel, scale = self.teacher.channel, self.teacher_scale
        omega, V = scale * np.array([0.0, 0.3, 1.1, 2.7]), 0.5 * scale**2
        return all(
            np.ptp(np.asarray(channel.log_partition(y, omega, V))) < 1e-12 for y in channel.labels or (0.4 * scale,)
        )

    @cached_property
    def tail_precision(self) -> float:
        """The a of ψ_X ≈ b²/2(A + a) at large fields b, for the student's prior; infinite if weights are bounded."""
        variance = float(np.asarray(self.student.prior.moments(np.float64(1.0), np.float64(_FAR_FIELD))[1]))
        return 1.0 / variance - 1.0 if variance > 1.0 / _FAR_FIELD else math.inf


@dataclass(frozen=True)
class EachLabel:
    """A channel whose labels are each counted for themselves, though its symmetry would let one stand for both."""

    channel: Channel

    @property
    def label_classes(self) -> tuple[tuple[float, float], ...]:
        """Every label once."""
        return tuple((label, 1.0) for label in self.channel.labels)

    def __getattr__(self, name: str) -> Any:
        """Everything else is the channel's own.

        Python's own questions (``__deepcopy__`` and the like) are not handed on: while a copy is
        being made it has no channel yet, and asking for that would ask again without end.
        """
        if name == "channel" or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        return getattr(self.channel, name)


def pair_of(model: GLM, teacher: GLM | None = None) -> Pair:
    """A pair; without a teacher, teacher and student are alike. Symmetries of labels count if both have them."""
    if teacher is None or model.channel.label_classes == teacher.channel.label_classes:
        return Pair(model, model if teacher is None else teacher)
    student, other = (GLM(glm.prior, cast(Channel, EachLabel(glm.channel))) for glm in (model, teacher))
    return Pair(student, other)


def _fixed_norm(prior: Prior) -> bool:
    """Whether ψ_X(A, b) + A r⁰/2 does not depend on A: x² = r⁰ with certainty."""
    b = np.array([0.0, 0.7, -2.3])
    change = np.asarray(prior.log_partition(1.3, b)) - np.asarray(prior.log_partition(0.2, b))
    return bool(np.all(np.abs(change + 0.5 * 1.1 * prior.second_moment) < 1e-12))
