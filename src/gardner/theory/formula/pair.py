"""Who learns from whom: a student's model and the teacher's, alike or not.

The formulas are written for a teacher of unit second moment: m stands for m/√r⁰, r⁰ = E[(x⁰)²], and
the teacher's own functions get the factor √r⁰ back. So q = m² + t whatever the teacher's scale, and
t = q − m²/r⁰ is never a difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gardner.model import GLM
from gardner.theory.formula.modes import Modes


@dataclass(frozen=True)
class Pair:
    """A student and its teacher."""

    student: GLM
    teacher: GLM

    @property
    def matched(self) -> bool:
        """Whether the student knows the teacher's model: then every random subset is a
        Bayes-optimal problem.
        """
        return self.student == self.teacher

    @property
    def teacher_scale(self) -> float:
        """√r⁰, the root mean square of a teacher's weight."""
        return math.sqrt(self.teacher.prior.second_moment)

    @property
    def gaussian(self) -> bool:
        """Whether the student's weights are normal: what they answer is then known in closed form
        (for any teacher).
        """
        return self.student.prior.gaussian

    @cached_property
    def conjugates_known(self) -> bool:
        """Whether the student's weights are normal and of one variance, so that the conjugates drop
        out in closed form.
        """
        return self.student.prior.one_normal_law

    @cached_property
    def modes(self) -> Modes:
        """The variances of normal weights, those of the student and of the teacher."""
        return Modes.of(self.student.prior.second_moments, self.teacher.prior.second_moments)

    @property
    def regression(self) -> bool:
        """Whether labels are real numbers."""
        return not self.student.channel.labels

    @cached_property
    def label_classes(self) -> tuple[tuple[float, float], ...]:
        """Labels to sum over, as pairs (label, number of labels it stands for); none if labels are
        real.

        Where both channels are odd, one label of each pair ±y stands for both.
        """
        labels = self.student.channel.labels
        if not (self.student.channel.odd and self.teacher.channel.odd):
            return tuple((label, 1.0) for label in labels)
        return tuple((label, 2.0 if label > 0.0 else 1.0) for label in labels if label >= 0.0)

    @cached_property
    def fixed_norm(self) -> bool:
        """Whether every weight of the student's prior has the same square: then r is no free
        parameter.
        """
        return self.student.prior.fixed_norm

    @cached_property
    def even(self) -> bool:
        """Whether no label tells the sign of a field: then a random subset may know nothing of the
        teacher.
        """
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
        """The a of ψ_X ≈ b²/2(A + a) at large fields b, for the student's prior; infinite if
        weights are bounded.
        """
        return self.student.prior.tail_precision


def pair_of(model: GLM, teacher: GLM | None = None) -> Pair:
    """A pair; without a teacher, teacher and student are alike."""
    return Pair(model, model if teacher is None else teacher)
