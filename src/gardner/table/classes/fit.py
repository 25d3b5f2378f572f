"""The model of a table with three classes or more: a field a class, the label is the class of the
largest.

Every class is learned against the rest by expectation propagation, with one scaling and one noise
for all. These are chosen by the evidence of all of them together. Each class has an intercept of
its own, so that a rare class is predicted as rare. Taken together as independent fields, the
posteriors of the classes are too cautious on easy tables: there a prior that counts every direction
alike leaves too much open. So all means are multiplied by one factor, the *sharpness*. It is chosen
by the probability that each labelled row gives its own label when it is left out, which
expectation propagation knows without another fit (its cavities).

Two other ways were tried on the same labels: one joint posterior with K − 1 steps a label, and
fields of all classes at once, moment-matched to the label of the largest. Neither was better, and
both were slower (docs/real-tables.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.inference.ep import expectation_propagation
from gardner.inference.posterior import Posterior, Status
from gardner.inference.trust import sampled
from gardner.model import GLM, Channel
from gardner.model.arrays import Floats
from gardner.table.classes.largest import chances
from gardner.table.classes.weights import ClassWeights
from gardner.table.families import PROBIT, Candidate, fixed
from gardner.table.fit import ROUGH, Tried, settled_posterior
from gardner.table.scaling import SCALINGS, Places, Spread, make_scaling
from gardner.table.score import latent
from gardner.table.weights import Design, Span

# Numbers at most in the covariances of all classes together: 400 MB; 2,200 labels or columns with
# ten classes.
MOST_ENTRIES = 50_000_000
# Labels at most that the search looks at: enough to tell noise from none.
_MOST_SEARCHED = 300
# Evaluations of the evidence at most, for one scaling: golden sections narrow a span of 14 to 0.2
# in nine.
_EVALUATIONS = 9
# Width of the normal prior of the logarithm of the squared sharpness, about zero: a few labels move
# it little.
_SHARPNESS_WIDTH = 1.0
# Where the search of that logarithm ends: fields twelve times as sharp, or a third.
_SHARPNESS_BOUNDS = (-2.0, 5.0)


@dataclass(frozen=True, eq=False)
class ClassFit:
    """A model with what it knows: rows as it sees them, a posterior a class, and what was tried on
    the way.

    ``weights`` have the means times ``sharpness``. ``channel`` is that of one class against the
    rest.
    """

    design: Design
    posteriors: tuple[Posterior, ...]
    weights: ClassWeights
    sharpness: float
    tried: tuple[Tried, ...]
    notes: tuple[str, ...]

    @property
    def model(self) -> GLM:
        """Prior of the weights and channel of the labels, of each class against the rest."""
        return self.posteriors[0].model

    @property
    def posterior(self) -> Posterior:
        """The one to trust least, with the log-evidence of all."""
        order = [Status.CONVERGED, Status.DOUBTFUL]
        rank = [order.index(one.status) if one.status in order else len(order) for one in self.posteriors]
        worst = self.posteriors[int(np.argmax(rank))]
        return replace(worst, log_evidence=sum(one.log_evidence for one in self.posteriors))

    def fields(self, features: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the fields of rows, rows × classes."""
        rows = self.design.rows(features)
        return self.weights.fields(rows, self.weights.inner(rows))

    def noisy(self, omega: Floats, V: Floats) -> tuple[Floats, Floats]:
        """Means and variances of the fields with their noise, of which the largest gives the label."""
        return with_noise(self.model.channel, omega, V)


def with_noise(channel: Channel, omega: Floats, V: Floats) -> tuple[Floats, Floats]:
    """Fields as the channel sees them: noise before a sign, of the same probability and the same
    sharpness.
    """
    noise = channel.noise_in_front
    if noise is not None:
        return omega, V + noise
    u, T = latent(channel, omega, V)
    return u * np.sqrt(T), T


def fit_classes(
    features: Floats,
    codes: Places,
    kinds: int,
    spread: Spread,
    *,
    model: GLM | None = None,
    scaling: str | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> ClassFit:
    """Fit labelled rows whose classes are ``codes``, from 0 to ``kinds`` − 1; ``spread`` is that of
    all rows.
    """
    if scaling is not None and scaling not in SCALINGS:
        raise InvalidInputError("scaling", scaling, f"it must be one of {', '.join(SCALINGS)}")
    spanned = min(len(codes), spread.kept.size) + 1
    if kinds * spanned**2 > MOST_ENTRIES:
        rule = f"with {kinds} classes at most {math.isqrt(MOST_ENTRIES // kinds)} labels or columns are possible"
        raise InvalidInputError("table", f"{len(codes)} labels", rule, hint="ignore some columns")
    signs = np.where(codes[:, None] == np.arange(kinds), 1.0, -1.0)
    some = sampled(codes.size, _MOST_SEARCHED)
    attempts = []
    scalings = (scaling,) if scaling else SCALINGS
    for index, name in enumerate(scalings):
        span = Span.of(make_scaling(name, spread).rows(features[some]))
        attempts.append(_best(name, span, signs[some], model))
        progress(0.9 * (index + 1) / len(scalings))
    best = max(attempts, key=lambda one: one.value)
    if not math.isfinite(best.value) and model is None:
        raise ConvergenceError("expectation propagation settled for no model", hint="give a channel, such as probit:1")
    tried = tuple(
        Tried(one.scaling, one.candidate.model, one.log_evidence) for one in attempts if math.isfinite(one.value)
    )
    finished = _finish(features, codes, signs, spread, best, tried)
    progress(1.0)
    return finished


@dataclass(frozen=True, eq=False)
class _Attempt:
    scaling: str
    candidate: Candidate
    value: float
    log_evidence: float
    notes: Sequence[str] = ()


def _best(name: str, span: Span, signs: Floats, model: GLM | None) -> _Attempt:
    """The noise of the largest evidence, its prior counted; or the model that was given."""
    if model is not None:
        candidate = fixed(model)
        value = _evidence(span, signs, candidate)
        return _Attempt(name, candidate, value, value)
    made: dict[float, _Attempt] = {}

    def loss(logarithm: float) -> float:
        candidate = PROBIT.make(float(logarithm))
        evidence = _evidence(span, signs, candidate)
        made[float(logarithm)] = _Attempt(name, candidate, evidence + candidate.log_prior, evidence)
        return -made[float(logarithm)].value if evidence > -np.inf else 1e6

    loss(PROBIT.start[0])
    minimize_scalar(loss, bounds=PROBIT.bounds[0], method="bounded", options={"xatol": 0.2, "maxiter": _EVALUATIONS})
    place = max(made, key=lambda one: made[one].value)
    return replace(made[place], notes=PROBIT.at_edge((place,)))


def _evidence(span: Span, signs: Floats, candidate: Candidate) -> float:
    """Of the labels of all classes; −∞ where an iteration did not settle."""
    rows = span.rows(candidate.intercept / candidate.deviation)
    total = 0.0
    for column in signs.T:
        posterior = expectation_propagation(rows, column, candidate.model, tolerance=ROUGH, judge=False)
        if not posterior.settled:
            return -math.inf
        total += posterior.log_evidence
    return total


def _finish(
    features: Floats, codes: Places, signs: Floats, spread: Spread, best: _Attempt, tried: tuple[Tried, ...]
) -> ClassFit:
    """The fit to all labels."""
    scaling = make_scaling(best.scaling, spread)
    span = Span.of(scaling.rows(features))
    posteriors = [settled_posterior(span, column, best.candidate) for column in signs.T]
    sharper = _sharpness(posteriors, codes)
    weights = ClassWeights.of(span, posteriors, sharper)
    design = Design(scaling, best.candidate.deviation, best.candidate.intercept)
    return ClassFit(design, tuple(posteriors), weights, sharper, tried, tuple(best.notes))


def _sharpness(posteriors: Sequence[Posterior], codes: Places) -> float:
    """The factor of the fields with which left-out labels are most probable, its prior counted."""
    omega, V = (np.stack([np.asarray(getattr(one, part)) for one in posteriors], axis=1) for part in ("omega", "V"))
    mean, T = with_noise(posteriors[0].model.channel, omega, V)
    rows = np.arange(codes.size)

    def loss(logarithm: float) -> float:
        probability = chances(math.exp(0.5 * logarithm) * mean, T)[rows, codes]
        return float(-np.sum(np.log(probability))) + 0.5 * (logarithm / _SHARPNESS_WIDTH) ** 2

    least = minimize_scalar(loss, bounds=_SHARPNESS_BOUNDS, method="bounded", options={"xatol": 0.02})
    return math.exp(0.5 * float(least.x))
