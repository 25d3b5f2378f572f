"""``learning_curve``: the exact learning curve of a rule for large N, by a state evolution in the
number of labels.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.model import GLM, PERCEPTRON
from gardner.rules import Rule, make_registered_rule
from gardner.theory.formula.pair import Pair
from gardner.theory.formula.regression import is_linear
from gardner.theory.inputs import (
    check_batch_ratio,
    check_budget,
    check_count,
    check_number,
    check_pair,
    check_pool_ratio,
)
from gardner.theory.learning_curves.limit import LEAST_RUNS, LIMIT_POINTS, MOST_RUNS, extrapolated
from gardner.theory.learning_curves.results import JUDGED, LearningCurve, LearningPoint, PointStatus, nats_to_bits
from gardner.theory.learning_curves.rounds import Batch, State, batches, evolve
from gardner.theory.random_subset.typical import accuracies, typical_of

# Cells to start with; they are doubled until the tolerance holds.
CELLS = 4096
# Cells at most; a point that wants more is imprecise, and says so.
MOST_CELLS = 65536
# The discretisation error of ln v and of information that is asked for, in nats per weight; it is
# estimated by halving.
TOLERANCE = 1e-5
# Rounds at most: a batch ratio that is too small by mistake is refused, and 0 is its limit.
MOST_ROUNDS = 100_000
# Cells at least: 18 in a standard deviation of a field that is known.
FEWEST_CELLS = 256

Report = Callable[[float], None]


@dataclass(frozen=True)
class Question:
    """What is asked, checked."""

    pair: Pair
    rule: Rule
    pool_ratio: float
    budget: float
    batch_ratio: float
    tolerance: float
    cells: int | None
    progress: Report | None
    labelled: float = 0.0

    @classmethod
    def checked(
        cls,
        rule: Rule | str,
        model: GLM,
        *,
        pool_ratio: float,
        budget: float,
        batch_ratio: float,
        labelled: float = 0.0,
        teacher: GLM | None = None,
        tolerance: float,
        cells: int | None,
        progress: Report | None = None,
    ) -> Question:
        """A question as it comes in; what cannot be answered is refused."""
        pair = check_followed(check_pair(model, teacher))
        alpha = check_pool_ratio(pool_ratio)
        total = check_budget(budget, alpha)
        return cls(
            batch_ratio=_check_batch(batch_ratio, total),
            rule=make_registered_rule(rule, {}) if isinstance(rule, str) else _check_rule(rule),
            pair=pair,
            pool_ratio=alpha,
            budget=total,
            tolerance=_check_tolerance(tolerance),
            cells=_check_cells(cells),
            progress=progress,
            labelled=_check_labelled(labelled),
        )

    def plan(self, batch_ratio: float) -> list[Batch]:
        """The rounds, of this size."""
        return batches(self.rule, self.budget, batch_ratio, self.labelled)


def learning_curve(
    rule: Rule | str,
    model: GLM = PERCEPTRON,
    *,
    pool_ratio: float,
    budget: float,
    batch_ratio: float,
    labelled: float = 0.0,
    teacher: GLM | None = None,
    tolerance: float = TOLERANCE,
    cells: int | None = None,
    progress: Report | None = None,
) -> LearningCurve:
    """What a rule reaches, round by round, for N → ∞; no pool is drawn.

    ``batch_ratio`` is κ, the labels per weight that a round asks for; 0 is the limit of small
    rounds. ``labelled`` are labels per weight, of rows chosen at random, that are there before the
    first round: the first point of the curve. The grid is made finer until ``tolerance`` holds, or
    kept at ``cells``.

    >>> curve = learning_curve("agnostic", pool_ratio=3.0, budget=0.6, batch_ratio=0.05)
    >>> round(curve.points[-1].log_volume, 4), curve.points[-1].status.value
    (-0.4125, 'solved')
    """
    asked = Question.checked(
        rule,
        model,
        pool_ratio=pool_ratio,
        budget=budget,
        batch_ratio=batch_ratio,
        labelled=labelled,
        teacher=teacher,
        tolerance=tolerance,
        cells=cells,
        progress=progress,
    )
    pair, kappa = asked.pair, asked.batch_ratio
    if is_linear(pair):
        points = _linear(asked)
    elif kappa > 0.0:
        points, _ = refined(asked, asked.plan(kappa), progress or _silent, cells or CELLS)
    else:
        points = limit_points(asked)
    answer = functools.partial(LearningCurve, asked.rule, pair.student, asked.pool_ratio, asked.budget, kappa)
    return answer(tuple(points), asked.labelled)


def refined(
    asked: Question, plan: list[Batch], report: Report, count: int, every: int | None = None
) -> tuple[list[LearningPoint], int]:
    """The points of a plan, on cells that are halved until half as many would give the same; and
    how many these are.

    Cells that do not resolve what is left to learn may not settle at all; then more are tried.
    """

    def tried(cells: int, begin: float, end: float) -> list[LearningPoint] | ConvergenceError:
        try:
            return _figures(asked, plan, cells, lambda done: report(begin + (end - begin) * done), every)
        except ConvergenceError as error:
            return error

    coarse = tried(count // 2, 0.0, 1.0 / 3.0)
    while True:
        fine, last = tried(count, 1.0 / 3.0, 1.0), asked.cells is not None or count >= MOST_CELLS
        failed = next((one for one in (fine, coarse) if isinstance(one, ConvergenceError)), None)
        if failed is not None and last:
            raise failed
        if isinstance(fine, list) and isinstance(coarse, list):
            points = [_with_error(asked, *pair) for pair in zip(fine, coarse, strict=True)]
            worst = max(point.discretisation_error for point in points)
            if worst <= asked.tolerance or last:
                return points, count
        coarse, count = fine, 2 * count


def _silent(done: float) -> None:
    del done


def _figures(asked: Question, plan: list[Batch], cells: int, report: Report, every: int | None) -> list[LearningPoint]:
    """The points on one grid, their errors not known yet; of a run that stands for small rounds,
    every so many.
    """
    points, before, labels = list[LearningPoint](), 0.0, 0.0
    gradual, given = every is not None, 1 if asked.labelled else 0  # labels that are there are a point of their own
    for index, state in enumerate(evolve(asked.pair, asked.pool_ratio, plan, cells, report, gradual=gradual), 1):
        if (index - given) % (every or 1) and index < len(plan):
            continue
        points.append(_point(asked.pair, state, (before - state.solved.log_volume) / (state.budget - labels)))
        before, labels = state.solved.log_volume, state.budget
    return points


@np.errstate(all="ignore")  # what is not finite is looked for where it matters
def _point(pair: Pair, state: State, nats_per_label: float) -> LearningPoint:
    """A state as it is reported; ``nats_per_label`` is by how much ln v fell, per label."""
    r0, V = pair.student.prior.second_moment, state.solved.V
    known = math.isinf(state.solved.q_hat)
    Q = r0 if known else r0 - V
    accuracy, gibbs = accuracies(pair, Q / pair.teacher_scale, 0.0 if known else Q * V / r0, 0.0 if known else V)
    best = state.best
    jumped = best.log_volume > state.solved.log_volume
    return LearningPoint(
        budget=state.budget,
        log_volume=state.solved.log_volume,
        information=-state.solved.log_volume - state.noise,
        bits_per_label=nats_to_bits(nats_per_label),
        overlap=Q,
        accuracy=accuracy,
        gibbs_accuracy=gibbs,
        threshold=state.threshold,
        asked_bits=nats_to_bits(state.asked),
        posterior_log_volume=best.log_volume,
        posterior_overlap=r0 if math.isinf(best.q_hat) else r0 - best.V,
        status=PointStatus.KNOWN if known else PointStatus.JUMPED if jumped else PointStatus.SOLVED,
        residual=state.solved.residual,
        discretisation_error=math.nan,
        left=state.left,
    )


def _with_error(asked: Question, fine: LearningPoint, coarse: LearningPoint) -> LearningPoint:
    """A point with its error: what half the cells would change.

    Cells that a choice cuts make an error of order h², which leaves a third of the change; the rest
    is caution.
    """
    error = max(abs(getattr(fine, name) - getattr(coarse, name)) for name in JUDGED)
    imprecise = not error <= asked.tolerance
    status = PointStatus.IMPRECISE if imprecise else fine.status
    return replace(fine, discretisation_error=error, status=status)


def limit_points(asked: Question) -> list[LearningPoint]:
    """Rounds of no size: what runs with smaller and smaller rounds tend to."""
    report, runs = asked.progress or _silent, list[list[LearningPoint]]()
    base, count = (asked.budget - asked.labelled) / LIMIT_POINTS, asked.cells or CELLS
    if asked.rule.first > 0.0:  # whole rounds in the random part, so that all runs have points at the same budgets
        base = asked.rule.first / math.ceil(asked.rule.first / base)
    points = list[LearningPoint]()
    for halvings in range(MOST_RUNS):
        likely = max(LEAST_RUNS, halvings + 1)
        done, share = ((2.0**number - 1.0) / (2.0**likely - 1.0) for number in (halvings, halvings + 1))

        def part(fraction: float, done: float = done, share: float = share) -> None:
            report(done + (share - done) * fraction)

        points, count = refined(asked, asked.plan(base / 2.0**halvings), part, count, 2**halvings)
        runs.append(points)
        if len(runs) >= LEAST_RUNS:
            points = extrapolated(runs, asked.tolerance)
            if all(point.status != PointStatus.IMPRECISE for point in points):
                break
    return points


def _linear(asked: Question) -> list[LearningPoint]:
    """Linear labels: V and E g² are the same for every row, so that every rule gives the random
    curve.
    """
    pair = asked.pair
    step = asked.batch_ratio or asked.budget / LIMIT_POINTS
    points, before = list[LearningPoint](), 0.0
    for batch in asked.plan(step):
        at = typical_of(pair, batch.budget)
        bits_per_label = nats_to_bits((before - at.log_volume) / batch.size)
        error = at.quadrature_error
        status = PointStatus.SOLVED if error <= asked.tolerance else PointStatus.IMPRECISE
        points.append(
            LearningPoint(
                batch.budget,
                at.log_volume,
                at.information,
                bits_per_label,
                at.overlap,
                at.accuracy,
                at.gibbs_accuracy,
                math.nan,
                math.nan,
                at.log_volume,
                at.overlap,
                status,
                at.residual,
                error,
            )
        )
        before = at.log_volume
    return points


def check_followed(pair: Pair) -> Pair:
    """A pair whose learning curves follow from one overlap."""
    if not pair.matched:
        raise InvalidInputError(
            "teacher", pair.teacher,
            "learning curves of rules are known for a student who knows the teacher's model: for another, what was "
            "chosen biases what is learned",
            hint="simulate it, with gardner bench",
        )  # fmt: skip
    if pair.mute:
        raise InvalidInputError("model", pair.student.channel, "its labels hardly depend on the weights")
    if pair.even:
        raise InvalidInputError(
            "model", pair.student.channel,
            "no label of an even channel tells the sign of a field, so that no overlap ever starts to grow",
            hint="typical and pool answer for it",
        )  # fmt: skip
    if pair.regression and not is_linear(pair):
        problem = "with real labels, only linear channels have learning curves here"
        raise InvalidInputError("model", pair.student.channel, problem, hint="typical and pool answer for others")
    return pair


def _check_batch(batch_ratio: float, budget: float) -> float:
    kappa = check_batch_ratio(batch_ratio, budget, "the budget")
    if kappa > 0.0 and budget / kappa > MOST_ROUNDS:
        problem = f"the budget {budget:g} would take more than {MOST_ROUNDS} rounds"
        raise InvalidInputError("batch_ratio", batch_ratio, problem, hint="0 is the limit of small rounds")
    return kappa


def _check_labelled(labelled: float) -> float:
    number = check_number("labelled", labelled)
    if number < 0.0:
        raise InvalidInputError("labelled", labelled, "it must not be negative")
    return number


def _check_rule(rule: object) -> Rule:
    if not isinstance(rule, Rule):
        problem = "it must be a rule or the name of one"
        raise InvalidInputError("rule", rule, problem, hint="derive from gardner.rules.Rule, or use as_rule")
    return rule


def _check_tolerance(tolerance: float) -> float:
    number = check_number("tolerance", tolerance)
    if number <= 0.0:
        raise InvalidInputError("tolerance", tolerance, "it must be positive")
    return number


def _check_cells(cells: int | None) -> int | None:
    if cells is not None:
        check_count("cells", cells, FEWEST_CELLS, MOST_CELLS)
        if cells % 4:
            raise InvalidInputError("cells", cells, "it must be a multiple of 4: half as many are tried as well")
    return cells
