"""``forecast``: how much would active learning help on this table?

Without labels it is assumed that they follow a linear rule of no preferred direction, without
noise. With labels, alignment and noise are averaged over by their evidence, and the theory's share
of wrong predictions is multiplied by one factor, so that it agrees with what the posterior expects
of this table by now (:mod:`gardner.table.forecast.labelled`):

    error(n) = error_theory(n) · error_now/error_theory(labels so far).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gardner.inference.threads import one_blas_thread
from gardner.model.arrays import Floats
from gardner.table.forecast.curves import QUIET, Question, at_random, by_rule, of_best_subset
from gardner.table.forecast.estimate import TableSpectrum, table_spectrum
from gardner.table.forecast.inputs import Asked, check_question
from gardner.table.forecast.labelled import Likely, likely_models
from gardner.table.forecast.results import Forecast, ForecastPoint, LabelModel, Needed, needed_labels, spaced

# How far |ln(share wrong/share wrong measured)| was off at most in nine of ten forecasts made
# before any label, for random linear labels on real rows; printed by `python -m
# benchmarks.forecast`.
SPREAD_LINEAR = 0.21
# The same for real labels, from 50 of them on, rounded up; printed by `python -m
# benchmarks.forecast`.
SPREAD_REAL = 0.50
# Rounds of a learning curve: with more labels than that times the batch, rounds are longer, which
# costs little.
MOST_ROUNDS = 200
# Points of a forecast: a smooth curve in a figure.
_POINTS = 24
# Rounds of a forecast at least, so that there is a curve to see.
_FEWEST = 10
# Labels shown, relative to those that random choice needs at the low end of its interval.
_BEYOND = 1.1
# Share of the weight of the models that is left out on either side of an interval: it holds nine in
# ten.
_TAIL = 0.05
# By how much agnostic choice may seem more accurate than the best subset: accuracies of learning
# curves are that good.
_AS_GOOD = 1e-3
# Effective rank below which forecasts for ten or twenty labels were seen to be too low by 0.02 to
# 0.07.
_FEW_DIRECTIONS = 5.0
_NOWHERE = Needed(math.nan, math.nan, math.nan)

Report = Callable[[float], None]


@dataclass(frozen=True)
class _Curves:
    """Shares of wrong predictions against labels, by one model, and its weight."""

    weight: float
    random: Floats
    agnostic: Floats
    pool: float  # with a label for every row
    known_to: float  # labels up to which the agnostic curve is known


def forecast(
    features: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    accuracy: float = 0.95,
    batch_size: int = 10,
    most_labels: int | None = None,
    scaling: str = "standardised",
    best: bool = True,
    seed: int = 0,
    names: Sequence[str] = (),
    progress: Report | None = None,
) -> Forecast:
    """Accuracy against the number of labels, for a table of numbers, before or after the first
    labels.

    ``labels`` has two kinds, and NaN where there is none yet. ``accuracy`` is the one wanted,
    ``batch_size`` how many rows are asked for at a time, ``most_labels`` where the forecast ends
    (by default a little beyond what random choice needs). ``best`` also asks for the best subset.
    ``names`` are those of the columns, for what is noticed about them.

    >>> rng = np.random.default_rng(0)
    >>> table = rng.standard_normal((500, 40)) / np.arange(1, 41)
    >>> found = forecast(table, accuracy=0.9, scaling="common", best=False)
    >>> found.columns, found.needed["agnostic"].labels < found.needed["random"].labels
    (40, True)
    """
    report = progress or (lambda _: None)
    asked = check_question(features, labels, accuracy, batch_size, most_labels, scaling, names)
    known = ~np.isnan(asked.labels)
    spectrum = table_spectrum(asked.features, scaling=scaling, keep=known if asked.usable else None, seed=seed)
    report(0.1)
    with one_blas_thread():  # matrices are small from here on
        models = _models(spectrum, asked, seed)
        report(0.4)
        variances = tuple(_at_least_two(spectrum.variances).tolist())
        rows, start = len(asked.features), int(known.sum()) if asked.usable else 0
        questions = [Question(variances, rows, one.alignment, one.noise) for one in models]
        counts, step = _counts(questions[0], asked, start)
        errors = []
        for index, (question, likely) in enumerate(zip(questions, models, strict=True)):
            errors.append(_errors(question, likely, counts, step, start))
            report(0.4 + 0.4 * (index + 1) / len(models))
        relative = np.full(len(counts), np.nan)
        if best:
            places = spaced(len(counts))
            relative[places] = of_best_subset(questions[0], counts[places])
    report(1.0)
    spread = SPREAD_REAL if asked.usable else SPREAD_LINEAR
    return _answer(asked, spectrum, models, errors, counts, relative, spread, start)


def _models(spectrum: TableSpectrum, asked: Asked, seed: int) -> tuple[Likely, ...]:
    if not asked.usable:
        return (Likely(0.0, 0.0, 1.0, 0.0, math.nan, 1.0),)
    return likely_models(spectrum, asked.features, asked.labels, seed=seed)


def _at_least_two(variances: Floats) -> Floats:
    """A single column and one that never varies: the theory wants two weights or more."""
    return variances if variances.size > 1 else np.append(variances, 0.0)


def _counts(question: Question, asked: Asked, start: int) -> tuple[Floats, float]:
    """Numbers of labels to forecast for, in whole rounds, and the size of a round in the theory."""
    rows, batch = question.rows, asked.batch_size
    most = asked.most_labels or min(rows, max(_enough(question, asked.accuracy, start), start + _FEWEST * batch))
    most = min(max(most, start + 1), rows)
    rounds = max(1, math.ceil((most - start) / batch))
    shown = sorted({round(k * rounds / min(_POINTS, rounds)) for k in range(1, min(_POINTS, rounds) + 1)})
    counts = [min(start + k * batch, most) for k in shown]
    if start:
        counts = [start, *counts]
    return np.array(counts, dtype=np.float64), max(batch, (most - start) / MOST_ROUNDS)


def _enough(question: Question, accuracy: float, start: int) -> int:
    """A little more than random choice needs; all rows where these are not enough, or a few for
    each column.
    """
    accuracy = 1.0 - (1.0 - accuracy) * math.exp(-SPREAD_LINEAR)
    low, high = math.log(max(start, 1)), math.log(question.rows)
    if at_random(question, np.array([question.rows]))[0] < accuracy:
        return min(question.rows, max(start * 4, 4 * question.columns))
    for _ in range(14):
        middle = 0.5 * (low + high)
        reached = at_random(question, np.array([math.exp(middle)]))[0] >= accuracy
        low, high = (low, middle) if reached else (middle, high)
    return min(question.rows, math.ceil(_BEYOND * math.exp(high)))


def _errors(question: Question, likely: Likely, counts: Floats, step: float, start: int) -> _Curves:
    random = 1.0 - at_random(question, np.append(counts, question.rows))
    chosen, factor = by_rule(question, counts, step, start), _factor(question, likely, start)
    random, agnostic = _capped(factor * random), _capped(factor * (1.0 - chosen.accuracy))
    return _Curves(likely.weight, random[:-1], agnostic, float(random[-1]), chosen.known_to)


def _factor(question: Question, likely: Likely, start: int) -> float:
    """By which factor the theory's error is off for this table, judged by the labels so far."""
    if not start:
        return 1.0
    theory = 1.0 - float(at_random(question, np.array([float(start)]))[0])
    return likely.surprise * (1.0 - likely.expected) / max(theory, 1e-12)


def _capped(errors: Floats) -> Floats:
    return np.minimum(errors, 0.5)


def _quantiles(errors: list[_Curves], name: str) -> tuple[Floats, Floats, Floats]:
    """Mean, lower and upper quantile over the models, at every count."""
    weights = np.array([one.weight for one in errors])
    weights = weights / weights.sum()
    values = np.array([getattr(one, name) for one in errors])
    order = np.argsort(values, axis=0)
    ranked = np.take_along_axis(values, order, axis=0)
    reached = np.cumsum(weights[order], axis=0)
    ends = [
        np.take_along_axis(ranked, np.argmax(reached >= level, axis=0)[None], axis=0)[0]
        for level in (_TAIL, 1.0 - _TAIL - 1e-12)
    ]
    return weights @ values, ends[0], ends[1]


def _answer(
    asked: Asked, spectrum: TableSpectrum, models: tuple[Likely, ...], errors: list[_Curves],
    counts: Floats, relative: Floats, spread: float, start: int,
) -> Forecast:  # fmt: skip
    curves: dict[str, tuple[Floats, Floats, Floats]] = {}
    for name in ("random", "agnostic"):
        mean, low, high = _quantiles(errors, name)
        wider = (low * math.exp(-spread), _capped(high * math.exp(spread)))
        curves[name] = 1.0 - mean, 1.0 - wider[0], 1.0 - wider[1]
    weights = np.array([one.weight for one in models])
    weights /= weights.sum()
    whole = float(weights @ [one.pool for one in errors])
    top = 1.0 - _capped(relative * whole)
    behind = top < curves["agnostic"][0] - _AS_GOOD
    notes = (*asked.notes, *_notes(asked, spectrum), *_notes_on_curves(models, errors, counts, behind))
    seen, at_least = ~np.isnan(top), np.fmax(top, curves["agnostic"][0])  # what agnostic choice picks is a subset too
    top = np.where(behind, np.nan, top)
    points = tuple(
        ForecastPoint(int(counts[k]), *_three(curves["random"], k), *_three(curves["agnostic"], k), float(top[k]))
        for k in range(len(counts))
    )
    needed = {name: needed_labels(counts, three, asked.accuracy) for name, three in curves.items()}
    needed["best"] = needed_labels(counts[seen], (at_least[seen],) * 3, asked.accuracy) if seen.any() else _NOWHERE
    now = np.array([1.0 - one.surprise * (1.0 - one.expected) for one in models])
    return Forecast(
        rows=len(asked.features), columns=spectrum.columns, labelled=start, effective_rank=spectrum.effective_rank,
        batch_size=asked.batch_size, accuracy=asked.accuracy, now=float(now @ weights), pool=1.0 - whole, spread=spread,
        models=tuple(LabelModel(one.alignment, one.noise, one.weight) for one in models), points=points,
        needed=needed, notes=notes,
    )  # fmt: skip


def _three(curves: tuple[Floats, Floats, Floats], index: int) -> tuple[float, float, float]:
    """The forecast, then the low and the high end."""
    middle, high, low = curves
    return float(middle[index]), float(low[index]), float(high[index])


def _notes(asked: Asked, spectrum: TableSpectrum) -> list[str]:
    """What was done to the table, and where the theory is on thin ice."""
    rows, columns = len(asked.features), spectrum.columns
    notes = []
    if spectrum.dropped:
        few = "1 column" if spectrum.dropped == 1 else f"{spectrum.dropped} columns"
        notes.append(f"{few} left out: every row has the same value")
    if rows <= columns:
        notes.append(f"{rows} rows and {columns} columns: the spectrum is inferred from fewer rows than columns")
    if spectrum.effective_rank < _FEW_DIRECTIONS:
        finding = f"the rows vary in about {spectrum.effective_rank:.1f} directions"
        notes.append(f"{finding}: the theory is for many, and too low for the first 20 labels or so")
    return notes


def _notes_on_curves(
    models: tuple[Likely, ...], errors: list[_Curves], counts: Floats, behind: NDArray[np.bool_]
) -> list[str]:
    """Where a curve ends early, and why there is no best subset."""
    notes, known_to = [], min(one.known_to for one in errors)
    if known_to < counts[-1]:
        finding = f"agnostic choice is known up to {known_to:.0f} labels"
        notes.append(
            f"{finding}: its integrals do not settle beyond, the last accuracy is kept, and what is reached is more"
        )
    if models[0].noise > QUIET:
        notes.append(
            "no best subset: these labels are noisy, and the most informative subset would be rich in wrong ones"
        )
    if behind.any():
        places = ", ".join(f"{count:.0f}" for count in counts[behind])
        finding = f"no best subset at {places} labels: that of least volume is less accurate there than agnostic choice"
        notes.append(f"{finding}, since it also learns directions in which rows hardly vary")
    return notes
