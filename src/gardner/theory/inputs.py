"""What the theory accepts, checked at the door with errors that say what to try."""

from __future__ import annotations

import math
from typing import cast

from gardner.errors import InvalidInputError
from gardner.model import GLM
from gardner.theory.formula.pair import Pair, pair_of
from gardner.theory.formula.regression import is_linear

# The least α and n: the typical volume differs from 1 by about n, of which seven digits are left
# there.
SMALLEST = 1e-9
# The largest α and n: what double precision carries through (V/r⁰ falls like their square).
LARGEST = 1e7
# The mean square of a weight, at least and at most: products of its powers must stay far from
# overflow.
UNITS = (1e-12, 1e12)


def check_number(name: str, value: float) -> float:
    """A finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidInputError(name, value, "it must be a number") from None
    if not math.isfinite(number):
        raise InvalidInputError(name, value, "it must be finite")
    return number


def _check_positive(name: str, value: float, hint: str) -> float:
    number = check_number(name, value)
    if number <= 0.0:
        raise InvalidInputError(name, value, "it must be positive", hint=hint)
    if not SMALLEST <= number <= LARGEST:
        raise InvalidInputError(name, value, f"it must lie between {SMALLEST:g} and {LARGEST:g}", hint=hint)
    return number


def check_pool_ratio(pool_ratio: float) -> float:
    """α = (pool rows)/N, positive."""
    return _check_positive("pool_ratio (alpha)", pool_ratio, "alpha is the number of pool rows per weight, such as 3")


def check_budget(budget: float, pool_ratio: float | None = None) -> float:
    """n = (labels)/N, positive and at most the pool."""
    number = _check_positive("budget", budget, "the budget is the number of labels per weight, such as 0.6")
    if pool_ratio is not None and number > pool_ratio:
        raise InvalidInputError(
            "budget",
            budget,
            f"a pool of ratio {pool_ratio:g} has no more than {pool_ratio:g} labels per weight",
            hint="lower the budget or enlarge the pool",
        )
    return number


def check_count(name: str, value: object, least: int, most: int) -> None:
    """A whole number in a range."""
    if not isinstance(value, int) or not least <= value <= most:
        raise InvalidInputError(name, value, f"it must be a whole number from {least} to {most}")


def check_inputs(pool_ratio: float, *budgets: float) -> None:
    """A pool and budgets that fit in it."""
    alpha = check_pool_ratio(pool_ratio)
    for budget in budgets:
        check_budget(budget, alpha)


def check_batch_ratio(batch_ratio: float, most: float, who: str) -> float:
    """Labels per weight in a round: 0, for the limit of small rounds, up to ``most``, which is what
    ``who`` says.
    """
    kappa = check_number("batch_ratio", batch_ratio)
    if kappa < 0.0:
        raise InvalidInputError("batch_ratio", batch_ratio, "it must be positive, or 0 for the limit of small rounds")
    if kappa > most:
        raise InvalidInputError("batch_ratio", batch_ratio, f"a round asks for more labels than {who}: {most:g}")
    return kappa


def check_target(pool_ratio: float, log_volume: float | None, accuracy: float | None) -> None:
    """A pool and exactly one goal, a log-volume of at most −10⁻⁶ or an accuracy between 0.501 and
    1.
    """
    check_pool_ratio(pool_ratio)
    if (log_volume is None) == (accuracy is None):
        given = "neither" if accuracy is None else "both"
        raise InvalidInputError("goal", given, "exactly one of log_volume and accuracy must be given")
    if log_volume is not None and check_number("log_volume", log_volume) > -1e-6:
        raise InvalidInputError("log_volume", log_volume, "it must be negative, at most -1e-6 (no label gives 0)")
    if accuracy is not None and not 0.501 <= check_number("accuracy", accuracy) < 1.0:
        raise InvalidInputError("accuracy", accuracy, "it must lie between 0.501 (guessing gives 0.5) and 1")


def check_pair(model: object, teacher: object = None) -> Pair:
    """A student and a teacher whose labels mean the same; without a teacher, the student's own
    model.
    """
    for name, glm in (("model", model), ("teacher", model if teacher is None else teacher)):
        if not isinstance(glm, GLM):
            raise InvalidInputError(name, glm, "it must be a GLM, a prior and a channel", hint="use PERCEPTRON")
    pair = pair_of(cast(GLM, model), cast("GLM | None", teacher))
    for glm in (pair.student, pair.teacher):
        _check_units(glm)
    student, other = pair.student.channel, pair.teacher.channel
    if student.labels != other.labels:
        raise InvalidInputError("teacher", other, f"its labels are not those of the student's channel {student!r}")
    if (student.linear_noise is None) != (other.linear_noise is None):
        raise InvalidInputError("teacher", other, f"of it and the student's channel {student!r} only one is linear")
    _check_directions(pair)
    return pair


def _check_directions(pair: Pair) -> None:
    """Weights of different variances: teacher and student mean the same directions by them."""
    teacher, student = (len(glm.prior.second_moments) for glm in (pair.teacher, pair.student))
    if teacher > 1 and student > 1 and teacher != student:
        problem = f"its spectrum has {teacher} weights and the student's {student}: they share their directions"
        raise InvalidInputError("teacher", pair.teacher.prior, problem, hint="give both the same eigenvalues")
    if teacher > 1 and not pair.gaussian:
        problem = f"a student of prior {pair.student.prior!r} does not learn from a spectrum here, only normal ones do"
        raise InvalidInputError("teacher", pair.teacher.prior, problem, hint="use a Gaussian prior or a spectrum")


def _check_units(model: GLM) -> None:
    """Weights of a size that double precision carries through; their unit is the user's choice."""
    size = float(model.prior.second_moment)
    if not UNITS[0] <= size <= UNITS[1]:
        raise InvalidInputError(
            "prior",
            model.prior,
            f"the mean square of a weight must lie between {UNITS[0]:g} and {UNITS[1]:g}",
            hint="measure weights in another unit: variance 1, and the noise divided by the old variance",
        )


def check_model(model: object, teacher: object = None) -> Pair:
    """A pair whose complexity curve can be followed."""
    pair = check_pair(model, teacher)
    if pair.mute:
        raise InvalidInputError(
            "model",
            pair.teacher.channel,
            "its labels hardly depend on the weights: less than double precision can tell from not at all",
            hint="use less noise, or a larger scale of the weights",
        )
    if pair.even:
        raise InvalidInputError(
            "model",
            pair.student.channel,
            "the complexity curve of an even channel has no start: a random subset below the threshold has no overlap "
            "with the teacher (m = q = 0), where the order parameters are singular",
            hint="typical and pool answer for it",
        )
    if pair.regression and not is_linear(pair):
        raise InvalidInputError(
            "model",
            pair.student.channel,
            "with real labels, only linear channels have a complexity curve here, teacher's and student's",
            hint="typical and pool answer for others",
        )
    return pair
