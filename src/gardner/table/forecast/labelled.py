"""What the labels known so far say: how aligned they are with the large directions, how noisy, how
accurate by now.

Labels are y = sign(w·u + b + √Δ z) for rows u of length one. Along a direction of variance c the
weights have variance c^s, so that the field's share of that direction goes as c^(1+s): s = 0 has no
preferred direction, s > 0 prefers those in which rows vary much. Fields have variance one, and the
intercept b a prior of that size. Expectation propagation gives the evidence of every s and Δ on a
grid, and these are averaged over by it.

Two numbers tie theory to this table. The posterior's own expected accuracy on rows without a label,

    E Φ(|ω|/√(V + Δ)),

holds whichever rows were chosen for labelling, and knows of clusters, of which a spectrum does not.
And the labelled rows, each predicted without its own label (EP's cavity does that for free), are
wrong more or less often than expected: the ratio, drawn towards one, says how far to believe it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from gardner.errors import ConvergenceError
from gardner.inference.ep import expectation_propagation
from gardner.inference.posterior import Posterior
from gardner.model import GLM, Gaussian, Probit
from gardner.model.arrays import Floats
from gardner.table.forecast.estimate import TableSpectrum

# Powers s of the variance that are tried: real labels had 0 to 2.5, a single direction looks like
# 3.
ALIGNMENTS = (-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
# Noises that are tried, of a field of variance one: from none that labels would show to nothing but
# noise.
NOISES = (1e-3, 1e-2, 0.1, 0.3, 1.0, 3.0, 10.0)
# Labelled rows by which alignment and noise are chosen: 49 fits of that many take a second or two.
MOST_FOR_CHOICE = 300
# Labelled rows of the last fits: one takes as long as all those of the choice.
MOST_FOR_FIT = 2000
# Rows without a label on which the accuracy is expected: its error by chance is then below 0.005.
MOST_ROWS = 2000
# Models of the labels that are averaged over; those behind have little weight, and each costs a
# learning curve.
MODELS = 8
# Weight below which a model is left out; of 49 the likeliest has twice as much.
_WORTH = 0.01
# Share of the largest variance below which others are taken as if they were of that size: noise of
# the sample.
_DIRECTIONS = 1e-6
# Wrong labels added to those found and to those expected: with ten of each, what is found counts
# half.
_TRUST = 10.0
# When EP is done, by its residual, and after how many iterations it is given up: evidences differ
# by far more.
_TOLERANCE, _ITERATIONS = 1e-4, 200


@dataclass(frozen=True)
class Likely:
    """A model of the labels: its weight by the evidence, and what it expects of unlabelled rows."""

    alignment: float
    noise: float
    weight: float
    log_evidence: float
    expected: float  # accuracy on rows without a label
    surprise: float  # wrong labels found over those expected, drawn towards one


@dataclass(frozen=True)
class _Rows:
    """Coordinates of the labelled rows and of some others, and the labels."""

    labelled: Floats
    others: Floats
    labels: Floats

    def scaled(self, shape: Floats, alignment: float) -> tuple[Floats, Floats]:
        """Rows as a standard normal prior sees them, with an intercept."""
        share = np.maximum(shape / shape.max(), _DIRECTIONS)
        factor = share ** (0.5 * alignment)
        labelled, others = self.labelled * factor, self.others * factor
        both = np.concatenate([labelled, others])
        size = np.sqrt(np.mean(np.einsum("ij,ij->i", both, both)))
        return _with_intercept(labelled / size), _with_intercept(others / size)


def likely_models(spectrum: TableSpectrum, features: Floats, labels: Floats, *, seed: int = 0) -> tuple[Likely, ...]:
    """Alignments and noises that the labels (NaN where there is none) leave open, the likeliest
    first.
    """
    known = np.flatnonzero(~np.isnan(labels))
    rng = np.random.default_rng([seed, labels.size])
    known = _balanced(known, labels, MOST_FOR_FIT, rng)
    others = rng.permutation(np.flatnonzero(np.isnan(labels)))[:MOST_ROWS]
    others = others if others.size else known
    rows = _Rows(spectrum.coordinates(features[known]), spectrum.coordinates(features[others]), labels[known])
    few = _Rows(rows.labelled[:MOST_FOR_CHOICE], rows.others, rows.labels[:MOST_FOR_CHOICE])
    shape = spectrum.sample_shape
    tried = [(s, noise, _fit(few, shape, s, noise)) for s in ALIGNMENTS for noise in NOISES]
    settled = [one for one in tried if one[2].settled]
    if not settled:
        raise ConvergenceError("no alignment and noise were settled for", hint="forecast without labels")
    evidence = np.array([posterior.log_evidence for _, _, posterior in settled])
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    kept = [int(index) for index in np.argsort(-weights, kind="stable")[:MODELS] if weights[index] >= _WORTH]
    share = weights / weights[kept].sum()
    return tuple(_likely(rows, few, shape, *settled[index], float(share[index])) for index in kept)


def _balanced(known: NDArray[np.intp], labels: Floats, most: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Labelled rows in a random order, the first of both classes in front: a sample has both."""
    order = rng.permutation(known)
    first = [int(np.argmax(labels[order] == y)) for y in (-1.0, 1.0) if (labels[order] == y).any()]
    rest = np.delete(np.arange(order.size), first)
    return np.asarray(order[np.concatenate([np.array(first, dtype=np.intp), rest])][:most])


def _with_intercept(rows: Floats) -> Floats:
    return np.column_stack([rows, np.ones(len(rows))])


def _fit(rows: _Rows, shape: Floats, alignment: float, noise: float) -> Posterior:
    labelled, _ = rows.scaled(shape, alignment)
    return expectation_propagation(
        labelled, rows.labels, GLM(Gaussian(), Probit(noise)), tolerance=_TOLERANCE, max_iterations=_ITERATIONS
    )


def _likely(
    rows: _Rows, few: _Rows, shape: Floats, alignment: float, noise: float, posterior: Posterior, weight: float
) -> Likely:
    evidence = posterior.log_evidence
    if len(rows.labels) > len(few.labels):
        whole = _fit(rows, shape, alignment, noise)
        posterior = whole if whole.settled else posterior
    omega, V = (np.asarray(part) for part in posterior.fields(rows.scaled(shape, alignment)[1]))
    expected = float(np.mean(ndtr(np.abs(omega) / np.sqrt(V + noise))))
    cavity, spread = np.asarray(posterior.omega), np.asarray(posterior.V)
    wrong = float(np.sum(cavity * np.asarray(posterior.labels) < 0.0))
    doubt = float(np.sum(ndtr(-np.abs(cavity) / np.sqrt(spread + noise))))
    return Likely(alignment, noise, weight, evidence, expected, (_TRUST + wrong) / (_TRUST + doubt))
