"""What to label next in a real table: the rows whose labels would tell the most, given those that are known.

Columns are standardised over all rows, an intercept is added, and entries are divided by √N, so that a standard normal
prior of the weights gives fields of order one. Real labels are not separable: the channel has noise, a Gaussian one
before the sign (``Probit``) or flips of labels (``Flip``), of the kind and size with the largest evidence. EP (rows of
real tables are correlated) gives the posterior and its covariance Σ.

A row f is worth I(y; h), the mutual information of its label with its field h ~ N(f·x̂, f·Σf) [houlsby2011]. The batch
is chosen one by one. By the law of total variance, and E[g²] = E[−g'], the label of a chosen row leaves on average

    Σ − s Σf (Σf)ᵀ,    s = E_y[−g'(y, ω, V)],

so rows that ask the same thing twice are not chosen twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.inference.ep import expectation_propagation
from gardner.inference.posterior import Posterior
from gardner.model import GLM, Channel, Flip, Gaussian, Linear, Probit, describe

Floats = NDArray[np.float64]

# Noise variances that are tried first, in units of a field's variance: half a decade apart, then the best is refined.
NOISES = tuple(10.0**k for k in np.arange(-2.0, 2.1, 0.5))
# Chances of a flipped label that are tried first; the best is refined.
FLIPS = (0.01, 0.03, 0.1, 0.2)
# The chance of a flip at most, while it is refined: at one half labels would mean nothing.
_MOST_FLIPS = 0.45
# Variances of a weight that are tried where labels are real, in units of the labels' variance: half a decade apart.
SCALES = tuple(10.0**k for k in np.arange(-1.0, 2.1, 0.5))
# Features at most: their covariance has 200 MB, and EP needs several of them.
_MOST_FEATURES = 5_000
# The spread, relative to the largest entry, up to which numbers are the same but for rounding.
_CONSTANT = 1e-12


@dataclass(frozen=True)
class Proposal:
    """A row to label: its place in the table, the bits its label is expected to give, and the label's prediction.

    ``mean`` is the expected label (for two classes 2p − 1, p the probability of +1) and ``deviation`` its spread.
    """

    row: int
    bits: float
    mean: float
    deviation: float

    @property
    def probability(self) -> float:
        """Of the label +1."""
        return 0.5 * (1.0 + self.mean)


@dataclass(frozen=True)
class Proposals:
    """Rows in the order they should be asked for, and what the choice rests on."""

    rows: tuple[Proposal, ...]
    posterior: Posterior
    tried: tuple[tuple[GLM, float], ...]
    dropped: int

    @property
    def model(self) -> GLM:
        """The model of the largest evidence."""
        return self.posterior.model


def propose(
    features: Floats,
    labels: Floats,
    batch: int = 10,
    *,
    model: GLM | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> Proposals:
    """Choose ``batch`` of the rows whose label is NaN; labels are −1 and +1, or any numbers for a regression.

    A ``model`` of one's own has a channel with labels −1 and +1 for the former and a linear one, of labels standardised
    to variance one, for the latter.

    >>> rng = np.random.default_rng(0)
    >>> table = rng.standard_normal((60, 3))
    >>> labels = np.where(np.arange(60) < 20, np.sign(table[:, 0]), np.nan)
    >>> found = propose(table, labels, batch=2)
    >>> all(20 <= one.row < 60 and 0.0 < one.bits <= 1.0 for one in found.rows)
    True
    """
    features, labels = _numbers("features", features), _numbers("labels", labels)
    known = ~np.isnan(labels)
    _check(features, labels, known, batch)
    real = not np.isin(labels[known], (-1.0, 1.0)).all()
    if model is not None:
        _check_channel(model.channel, real, bool(known.any()))
    rows, dropped = standardised(features)
    values, shift, unit = _targets(labels[known]) if real else (labels[known], 0.0, 1.0)
    candidates = [_Candidate.fixed(model)] if model is not None else _candidates(real)
    posterior, tried = _fit(rows[known], values, candidates, refine=model is None, progress=progress)
    places = np.flatnonzero(~known)
    chosen = _choose(rows[places], posterior, min(batch, places.size))
    told = tuple(
        Proposal(int(places[index]), bits, shift + unit * mean, unit * deviation)
        for index, bits, mean, deviation in chosen
    )
    return Proposals(told, posterior, tried, dropped)


def standardised(features: Floats) -> tuple[Floats, int]:
    """Columns of mean zero and variance one with an intercept, over √N; how many constant columns were dropped."""
    scaled, _ = _scaled(features)
    spread = scaled.std(axis=0)
    useful = spread > _CONSTANT
    columns = (scaled[:, useful] - scaled[:, useful].mean(axis=0)) / spread[useful]
    rows = np.column_stack([columns, np.ones(len(features))])
    return rows / math.sqrt(rows.shape[1]), int((~useful).sum())


def _scaled(values: Floats) -> tuple[Floats, Floats]:
    """Values over the largest of their column, whose squares neither overflow nor vanish, and that largest."""
    largest = np.abs(values).max(axis=0)
    largest = np.where(largest > 0.0, largest, 1.0)
    return values / largest, largest


def _numbers(name: str, values: ArrayLike) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        hint = "texts of few kinds become columns of zeros and ones" if name == "features" else "classes are -1 and +1"
        raise InvalidInputError(name, type(values).__name__, f"they must be numbers ({error})", hint=hint) from None


def _check(features: Floats, labels: Floats, known: NDArray[np.bool_], batch: object) -> None:
    if features.ndim != 2 or labels.shape != features.shape[:1]:
        shapes = f"shapes {features.shape} and {labels.shape}"
        raise InvalidInputError("table", shapes, "features are rows × columns, and each row has a label or NaN")
    if not np.isfinite(features).all():
        raise InvalidInputError("features", "NaN or infinity", "they must be finite")
    if features.shape[1] > _MOST_FEATURES:
        raise InvalidInputError("features", features.shape[1], f"at most {_MOST_FEATURES} columns", hint="ignore some")
    if isinstance(batch, bool) or not isinstance(batch, Integral) or int(batch) < 1:
        raise InvalidInputError("batch", batch, "it must be a whole number of at least 1")
    if known.all():
        raise InvalidInputError("labels", f"{known.size} of {known.size}", "every row has a label: none is left to ask")
    if np.isinf(labels).any():
        row = int(np.isinf(labels).argmax())
        raise InvalidInputError(
            "labels", float(labels[row]), f"row {row}: a label is a finite number", hint="NaN or an empty cell is none"
        )


def _check_channel(channel: Channel, real: bool, labelled: bool) -> None:
    """Whether the labels can be those of the channel; without labels it may be either kind."""
    classes, linear = set(channel.labels) == {-1.0, 1.0}, channel.linear_noise is not None
    if real and not linear:
        rule, hint = "labels that are numbers need a linear channel", "linear:0.1; two classes are coded -1 and +1"
    elif labelled and not real and not classes:
        rule, hint = "two classes need a channel whose labels are -1 and +1", "probit:0.1 or flip:0.05"
    elif not classes and not linear:
        rule, hint = "its labels must be -1 and +1, or it must be linear", "probit:0.1, flip:0.05 or linear:0.1"
    else:
        return
    raise InvalidInputError("channel", describe(channel), rule, hint=f"try {hint}")


def _targets(labels: Floats) -> tuple[Floats, float, float]:
    """Numbers of a regression standardised, with their mean and standard deviation."""
    scaled, largest = _scaled(labels)
    mean, spread = float(scaled.mean()), float(scaled.std())
    if spread <= _CONSTANT:
        raise InvalidInputError("labels", float(labels[0]), "all are the same number", hint="label a few more rows")
    return (scaled - mean) / spread, float(largest) * mean, float(largest) * spread


@dataclass(frozen=True)
class _Candidate:
    """A model to try: a family with one parameter, the size of its noise, and a value of that."""

    family: Callable[[float], GLM]
    noise: float

    @classmethod
    def fixed(cls, model: GLM) -> _Candidate:
        """A model as it is."""
        return cls(lambda _: model, math.nan)

    @property
    def model(self) -> GLM:
        """With that noise."""
        return self.family(self.noise)


def _regression(scale: float) -> Callable[[float], GLM]:
    return lambda noise: GLM(Gaussian(scale), Linear(noise))


def _probit(noise: float) -> GLM:
    return GLM(Gaussian(), Probit(noise))


def _flips(rho: float) -> GLM:
    return GLM(Gaussian(), Flip(min(rho, _MOST_FLIPS)))


def _candidates(real: bool) -> list[_Candidate]:
    if real:
        return [_Candidate(_regression(scale), noise) for scale in SCALES for noise in NOISES]
    return [_Candidate(_probit, noise) for noise in NOISES] + [_Candidate(_flips, rho) for rho in FLIPS]


def _fit(
    rows: Floats, labels: Floats, candidates: list[_Candidate], *, refine: bool, progress: Callable[[float], None]
) -> tuple[Posterior, tuple[tuple[GLM, float], ...]]:
    """The posterior of the largest evidence. Without labels all are one: noise as strong as the field is assumed."""
    if not len(labels) and refine:
        candidates = [_Candidate(_probit, 1.0)]
    found: list[Posterior] = []
    for index, candidate in enumerate(candidates):
        found.append(expectation_propagation(rows, labels, candidate.model))
        progress((index + 1) / (len(candidates) + 1))
    if not refine and not found[0].settled:
        found[0].checked()  # whoever gave the one model is told what became of it
    settled = [pair for pair in zip(found, candidates, strict=True) if pair[0].settled]
    if not settled:
        raise ConvergenceError(
            f"expectation propagation settled for none of {len(candidates)} models", hint="give one with --channel"
        )
    best, chosen = max(settled, key=lambda pair: pair[0].log_evidence)
    if refine and len(labels):
        best = _refined(rows, labels, best, chosen)
    progress(1.0)
    return best, tuple((posterior.model, posterior.log_evidence) for posterior, _ in settled)


def _refined(rows: Floats, labels: Floats, best: Posterior, chosen: _Candidate) -> Posterior:
    """The same family, its noise moved to the top of the evidence between the neighbours on the grid."""
    start = math.log(chosen.noise)
    made: list[Posterior] = [best]

    def loss(logarithm: float) -> float:
        posterior = expectation_propagation(rows, labels, chosen.family(math.exp(logarithm)))
        if posterior.settled:
            made.append(posterior)
        return -posterior.log_evidence if posterior.settled else 1e3 - best.log_evidence  # finite: it is fitted to

    minimize_scalar(loss, bounds=(start - 1.2, start + 1.2), method="bounded", options={"xatol": 0.05, "maxiter": 12})
    return max(made, key=lambda posterior: posterior.log_evidence)


def _choose(rows: Floats, posterior: Posterior, count: int) -> list[tuple[int, float, float, float]]:
    """Greedily by information, each choice allowed for in what the next would tell."""
    channel = posterior.model.channel
    covariance = np.asarray(posterior.covariance if posterior.covariance is not None else np.diag(posterior.variance))
    omega = rows @ np.asarray(posterior.mean)
    V = np.maximum(np.einsum("ij,jk,ik->i", rows, covariance, rows, optimize=True), 1e-300)
    prediction = [np.asarray(part) for part in channel.predictive(omega, V)]
    free = np.ones(len(rows), dtype=bool)
    chosen: list[tuple[int, float, float, float]] = []
    for _ in range(count):
        information = np.where(free, channel.information(omega, V), -np.inf)
        index = int(information.argmax())
        free[index] = False
        mean, variance = (float(part[index]) for part in prediction)
        chosen.append((index, float(information[index]) / math.log(2.0), mean, math.sqrt(variance)))
        gain = covariance @ rows[index]
        share = _expected_slope(channel, omega[index], V[index])
        covariance = covariance - share * np.outer(gain, gain)
        V = np.maximum(V - share * (rows @ gain) ** 2, 1e-300)
    return chosen


def _expected_slope(channel: Channel, omega: float, V: float) -> float:
    """E_y[−g'] at a row; of a regression, whose channel is linear, −g' is the same for every y."""
    labels = channel.labels or (0.0,)
    total = 0.0
    for y in labels:
        slope = float(np.asarray(channel.derivatives(y, np.float64(omega), np.float64(V))[1]))
        weight = math.exp(float(channel.log_partition(y, np.float64(omega), np.float64(V)))) if channel.labels else 1.0
        total += weight * slope
    return total
