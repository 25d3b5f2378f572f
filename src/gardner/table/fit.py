"""The model of a partly labelled table: scaling, noise and weights, all by evidence.

Expectation propagation (:mod:`gardner.inference.ep`) runs in the span of the labelled rows, so that
its time goes by the number of labels, however many columns there are. For each scaling of the
columns the parameters of the noise are moved to the top of the evidence; the largest is taken. The
search looks at no more than a sample of the labels, the fit that follows at all of them. That fit
may be done by message passing instead (:mod:`gardner.inference.message_passing`), where rows allow
it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.inference.ep import ep_evidence, expectation_propagation
from gardner.inference.message_passing import amp
from gardner.inference.posterior import Posterior
from gardner.inference.sites import Sites
from gardner.inference.trust import sampled
from gardner.model import GLM
from gardner.model.arrays import Floats
from gardner.table.families import FLIP, PROBIT, REGRESSION, Candidate, Family, fixed
from gardner.table.scaling import SCALINGS, Spread, make_scaling
from gardner.table.weights import Design, Span, Weights

# Labelled rows or columns at most, whichever are fewer: their covariance has 200 MB, and EP needs
# several.
MOST_SPANNED = 5_000
# Labels at most that the search looks at: enough to tell noise from none, in about a second.
_MOST_SEARCHED = 400
# Labels up to which flips are not tried: in an early trial on real tables with so few they were
# never chosen, and the search for them took two thirds of the time at 200. The runs of
# docs/real-tables.md do not try them either.
_TOO_FEW_FOR_FLIPS = 200
# Tolerance of expectation propagation during the search, where evidence to 0.01 will do: its error
# goes as the square, and the choices of the query on Gaussian pools are those of a tolerance ten
# times smaller.
ROUGH = 1e-3
# Its tolerance for the fit that is used.
_FINE = 1e-8
METHODS = ("auto", "ep", "amp")
# Labelled rows or columns, whichever are fewer, up to which ``auto`` does not ask whether message
# passing will do: EP takes one or two seconds there, and is never the worse of the two.
_QUICK = 1_000


@dataclass(frozen=True)
class Tried:
    """A scaling with the best model found for it, and the logarithm of its evidence."""

    scaling: str
    model: GLM
    log_evidence: float


@dataclass(frozen=True, eq=False)
class Fit:
    """A model with what it knows: rows as it sees them, its posterior and what was tried on the
    way.
    """

    design: Design
    posterior: Posterior
    weights: Weights
    tried: tuple[Tried, ...]
    notes: tuple[str, ...]

    @property
    def model(self) -> GLM:
        """Prior of the weights and channel of the labels."""
        return self.posterior.model

    def fields(self, features: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the fields of rows."""
        omega, V, _ = self.weights.fields(self.design.rows(features))
        return omega, V


def fit(
    features: Floats,
    labels: Floats,
    spread: Spread,
    *,
    real: bool = False,
    model: GLM | None = None,
    scaling: str | None = None,
    method: str = "ep",
    progress: Callable[[float], None] = lambda _: None,
) -> Fit:
    """Fit the labelled rows, of which there may be none; ``spread`` is that of all rows.

    ``model`` and ``scaling`` are what is not to be searched for. The search is by expectation
    propagation, and the fit by ``method``: ``ep``, ``amp``, or ``auto``, which takes message
    passing for large tables where it vouches for its answer, and expectation propagation for all
    others.
    """
    if method not in METHODS:
        raise InvalidInputError("method", method, f"it must be one of {', '.join(METHODS)}")
    if scaling is not None and scaling not in SCALINGS:
        raise InvalidInputError("scaling", scaling, f"it must be one of {', '.join(SCALINGS)}")
    if method == "ep":
        _check_size(len(labels), spread.kept.size)
    scalings = (scaling,) if scaling else SCALINGS
    if not len(labels):
        family = REGRESSION if real else PROBIT
        candidate = fixed(model) if model else family.make(*family.start)
        return _finish(features, labels, spread, scalings[0], candidate, (), method)
    families = (REGRESSION,) if real else (PROBIT, FLIP) if len(labels) > _TOO_FEW_FOR_FLIPS else (PROBIT,)
    some = sampled(len(labels), _MOST_SEARCHED)
    attempts = _search(features[some], labels[some], spread, scalings, families, model, progress)
    settled = [one for one in attempts if one.value > -np.inf]
    if not settled and model is None:
        raise ConvergenceError("expectation propagation settled for no model", hint="name a channel yourself")
    best = max(settled or attempts, key=lambda one: one.value)
    tried = tuple(Tried(one.scaling, one.candidate.model, one.log_evidence) for one in settled)
    finished = _finish(features, labels, spread, best.scaling, best.candidate, tried, method)
    progress(1.0)
    return replace(finished, notes=tuple(best.notes))


@dataclass(frozen=True, eq=False)
class _Attempt:
    scaling: str
    candidate: Candidate
    value: float
    log_evidence: float
    sites: Sites | None = None
    notes: Sequence[str] = ()


def _search(
    features: Floats,
    labels: Floats,
    spread: Spread,
    scalings: Sequence[str],
    families: Sequence[Family],
    model: GLM | None,
    progress: Callable[[float], None],
) -> list[_Attempt]:
    """The best of each scaling; further families only with the scaling that is best for the first."""
    spans = {name: Span.of(make_scaling(name, spread).rows(features)) for name in scalings}
    if model is not None:
        candidate = fixed(model)
        evidence = {name: _evidence(spans[name], labels, candidate) for name in scalings}
        return [_Attempt(name, candidate, value, value, sites) for name, (value, sites) in evidence.items()]
    attempts: list[_Attempt] = []
    for index, name in enumerate(scalings):
        start = attempts[-1].sites if attempts else None  # labels are the same, and fields much alike
        attempts.append(_best(name, spans[name], labels, families[0], start))
        progress((index + 1) / (len(scalings) + 2))
    best = max(attempts, key=lambda one: one.value)
    return attempts + [_best(best.scaling, spans[best.scaling], labels, family, None) for family in families[1:]]


def _best(name: str, span: Span, labels: Floats, family: Family, start: Sites | None) -> _Attempt:
    """The parameters of the largest evidence, their prior counted."""
    made: dict[tuple[float, ...], _Attempt] = {}
    sites = start

    def loss(logarithms: Floats) -> float:
        nonlocal sites
        place = tuple(float(value) for value in logarithms)
        if place not in made:  # the simplex comes back to some
            candidate = family.make(*place)
            evidence, found_sites = _evidence(span, labels, candidate, sites)
            sites = found_sites or sites
            made[place] = _Attempt(name, candidate, evidence + candidate.log_prior, evidence, found_sites)
        return -made[place].value if made[place].value > -np.inf else 1e6

    first = np.asarray(family.start)
    simplex = np.vstack([first, first + np.eye(first.size)])
    minimize(
        loss, first, method="Nelder-Mead", bounds=family.bounds,
        options={"initial_simplex": simplex, "xatol": 0.1, "fatol": 0.02, "maxfev": 20 * first.size},
    )  # fmt: skip
    place = max(made, key=lambda one: made[one].value)
    return replace(made[place], notes=family.at_edge(place))


def _evidence(
    span: Span, labels: Floats, candidate: Candidate, start: Sites | None = None
) -> tuple[float, Sites | None]:
    """Of the labels, −∞ where the iteration did not settle; and its sites, for the next one to
    start from.
    """
    rows = span.rows(candidate.intercept / candidate.deviation)
    return ep_evidence(rows, labels, candidate.model, tolerance=ROUGH, start=start)


def settled_posterior(span: Span, labels: Floats, candidate: Candidate) -> Posterior:
    """By expectation propagation on all labels, or a ConvergenceError where it does not settle.

    Starts from scratch, so the result does not depend on the models tried before: neither do its
    last digits, nor which of two like rows comes first.
    """
    rows = span.rows(candidate.intercept / candidate.deviation)
    posterior = expectation_propagation(rows, labels, candidate.model, tolerance=_FINE)
    if not posterior.settled:  # where rows nearly repeat each other the last digits may be out of reach
        posterior = expectation_propagation(rows, labels, candidate.model, tolerance=ROUGH)
    return posterior if posterior.settled else posterior.checked()


def _finish(
    features: Floats,
    labels: Floats,
    spread: Spread,
    scaling: str,
    candidate: Candidate,
    tried: tuple[Tried, ...],
    method: str,
) -> Fit:
    """The fit to all labels."""
    scaled = make_scaling(scaling, spread)
    rows = scaled.rows(features)
    design = Design(scaled, candidate.deviation, candidate.intercept)
    if method == "amp" or (method == "auto" and min(rows.shape) > _QUICK):
        posterior = amp(Span(rows, None).rows(candidate.intercept / candidate.deviation), labels, candidate.model)
        if method == "amp" and not posterior.settled:
            posterior.checked()  # says why
        if method == "amp" or posterior.converged:
            return Fit(design, posterior, Weights.separate(posterior), tried, ())
    _check_size(*rows.shape)
    span = Span.of(rows)
    posterior = settled_posterior(span, labels, candidate)
    return Fit(design, posterior, span.weights(posterior, design.columns), tried, ())


def _check_size(labels: int, columns: int) -> None:
    """Whether the covariance of expectation propagation fits into memory."""
    if min(labels, columns) > MOST_SPANNED:
        rule = f"more than {MOST_SPANNED} labels and columns at once"
        raise InvalidInputError("table", f"{labels} labels", rule, hint="ignore some columns")
