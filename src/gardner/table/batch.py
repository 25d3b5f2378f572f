"""Which rows to ask for: one by one, each choice allowed for in what the next would tell.

A row is worth the mean information that its label has about the labels of *target* rows
(:mod:`gardner.table.score`), by default a sample of the unlabelled rows themselves; a row is not
its own target. Or, if asked for, what it tells about the weights, I(y; h) of its own field h
[houlsby2011]. By the law of total variance, and E[g²] = E[−g'], the label of a chosen row f leaves
on average the covariance

    Σ − s Σf (Σf)ᵀ,    s = E_y[−g'(y, ω, V)],

so rows that ask the same thing twice are not chosen twice. Rows are ordered by their information
times the entropy of their own label, less what the labels chosen before tell about it. The first
factor alone prefers rows in the middle of a large class, whose label is nearly known and would
tell a lot if it were a surprise; on tables with a rare class that is where it loses
(docs/real-tables.md). The second keeps near copies out of a batch.

All rows are scored once, in blocks. The best of them are kept for the choice: more than can change
their order. So time goes as rows × columns, plus the size of the batch times the rows kept, of which
there are a few thousand, or twice the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dger

from gardner.model import Channel
from gardner.table.scaling import Floats, Places, blocks
from gardner.table.score import entropy, latent, pair_information, sharpness, signs_information
from gardner.table.weights import Design, Weights

Marks = NDArray[np.bool_]

# Rows at most about whose labels a label should tell, a sample: batches have 0.985 of the bits that all rows as targets
# give (docs/real-tables.md).
TARGETS = 400
# Rows that are kept for the choice of a batch, at least: many times a usual batch, and quick to go through.
_SHORTLIST = 2_000
# The same, in batches: of a table of 20,000 letters, twice as many give a batch of 1000 0.3 % more bits, and two fifths
# 2 % fewer.
_TIMES_BATCH = 5
# Rows kept at most, as long as twice the batch is fewer: a batch of 1000 to 2500 takes time linear in its size.
_LONGEST = 5_000
# Entries of a table of pairs that is worked on at a time: one that stays in the processor's cache.
_CACHED = 50_000
# Entries at most of the rows that are kept: 400 MB.
_MOST_ENTRIES = 50_000_000


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of the table by their places, with what is known of their fields."""

    rows: Floats
    omega: Floats
    V: Floats
    projections: Floats

    @classmethod
    def of(cls, features: Floats, design: Design, weights: Weights) -> Rows:
        """Of some features."""
        rows = design.rows(features)
        return cls(rows, *weights.fields(rows))


@dataclass(frozen=True)
class Choice:
    """A place in the table, and the information its label is expected to give, in nats."""

    place: int
    nats: float


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows to ask for, best first, and the fields of all rows that could have been: mean and variance.

    ``scores`` is what those rows were ordered by before the first choice.
    ``after`` has mean, variance, and the variance that the batch is expected to leave, of the fields of the targets.
    """

    choices: tuple[Choice, ...]
    omega: Floats
    V: Floats
    scores: Floats
    after: tuple[Floats, Floats, Floats] | None


def choose_rows(
    features: Floats,
    places: Places,
    count: int,
    *,
    design: Design,
    weights: Weights,
    channel: Channel,
    targets: Places | Floats,
    progress: Callable[[float], None] = lambda _: None,
) -> Batch:
    """``count`` of the rows at ``places``; ``targets`` are places in the table, features, or none for the weights."""
    inside, wanted = _wanted(features, targets)
    about = Rows.of(wanted, design, weights) if len(wanted) else None
    keep = _rows_kept(count, max(_MOST_ENTRIES // design.columns, count))
    scores, omega, V = np.zeros(len(places)), np.empty(len(places)), np.empty(len(places))
    for block in blocks(len(places), design.columns):
        some = Rows.of(features[places[block]], design, weights)
        omega[block], V[block] = some.omega, some.V
        if len(places) > keep:
            scores[block] = _rough_score(some, about, places[block][:, None] == inside, weights, channel)
        progress(0.8 * (block.stop / len(places)))
    short = np.sort(np.argsort(-scores, kind="stable")[:keep])
    kept = places[short]
    own = kept[:, None] == inside
    still = _Open(Rows.of(features[kept], design, weights), about, own, weights, channel, count)
    found: list[Choice] = []
    for _ in range(min(count, len(kept))):
        score = still.score()
        best = int(np.where(still.free, score * still.left, -np.inf).argmax())
        found.append(Choice(int(kept[best]), max(float(score[best]), 0.0)))
        still.take(best)
    progress(1.0)
    return Batch(tuple(found), omega, V, scores, None if about is None else (about.omega, about.V, still.other_V))


def _rough_score(some: Rows, about: Rows | None, own: Marks, weights: Weights, channel: Channel) -> Floats:
    """What the order of rows goes by, before any is chosen, to six digits."""
    if about is None:
        return np.asarray(channel.information(some.omega, some.V), dtype=np.float64)
    others, projections = about.rows.astype(np.float32), about.projections.astype(np.float32)
    covariance = weights.rough_covariance(some.rows, some.projections, others, projections)
    told = _mean(channel, some.omega, some.V, covariance, about.omega, about.V, own)
    return told * _open(channel, some.omega, some.V)


def _rows_kept(count: int, most: int) -> int:
    """How many rows are kept for the choice of ``count`` of them."""
    return min(max(_SHORTLIST, min(_TIMES_BATCH * count, _LONGEST), 2 * count), most)


def _wanted(features: Floats, targets: Places | Floats) -> tuple[Places, Floats]:
    """The places of the targets in the table, −1 where they are none, and their features."""
    if targets.ndim == 1:
        places = np.asarray(targets, dtype=np.intp)
        return places, features[places]
    return np.full(len(targets), -1, dtype=np.intp), np.asarray(targets, dtype=np.float64)


def _mean(
    channel: Channel, omega: Floats, V: Floats, covariance: Floats, other_omega: Floats, other_V: Floats, own: Marks
) -> Floats:
    """The mean information about the targets that are not the row itself."""
    sharp, other_sharp = sharpness(channel, omega, V), sharpness(channel, other_omega, other_V)
    open_here, open_there = entropy(channel, omega, V), entropy(channel, other_omega, other_V)
    total = np.empty_like(omega)
    step = max(_CACHED // max(own.shape[1], 1), 1)
    for start in range(0, len(omega), step):
        here = slice(start, start + step)
        told = pair_information(covariance[here], sharp[here], other_sharp, open_here[here], open_there)
        told[own[here]] = 0.0
        total[here] = told.sum(axis=1)
    return np.asarray(total / np.maximum(own.shape[1] - own.sum(axis=1), 1))


def _open(channel: Channel, omega: Floats, V: Floats) -> Floats:
    """The entropy of a row's own label; of a number, of which there is no end, one."""
    return entropy(channel, omega, V) if channel.labels else np.ones_like(omega)


class _Open:
    """What is open about the rows kept, and about the targets, while rows are chosen."""

    def __init__(
        self, some: Rows, about: Rows | None, own: Marks, weights: Weights, channel: Channel, count: int
    ) -> None:
        """Before the first choice."""
        self.some, self.about, self.own, self.weights, self.channel = some, about, own, weights, channel
        self.V = some.V.copy()
        self.free = np.ones(len(some.rows), dtype=bool)
        self.gains, self.shares = np.empty((count, some.rows.shape[1])), np.empty(count)
        self.taken = 0
        if about is not None:
            self.covariance = weights.covariance(some.rows, some.projections, about.rows, about.projections)
            self.other_V = about.V.copy()
        # what is open about a row's own label; the weights' score counts it by itself
        self.all = np.ones(len(some.rows)) if about is None else _open(channel, some.omega, some.V)
        self.left = self.all.copy()

    def score(self) -> Floats:
        """Of every row, in nats: of what its label could tell, the share that is still open about the label itself."""
        if self.about is None:
            score = np.asarray(self.channel.information(self.some.omega, self.V), dtype=np.float64)
        else:
            score = _mean(
                self.channel, self.some.omega, self.V, self.covariance, self.about.omega, self.other_V, self.own
            )
        return score * self.left / np.maximum(self.all, 1e-300)

    def take(self, best: int) -> None:
        """Allow for the label of a row: it is not asked again, is no target, and leaves less open."""
        self.free[best] = False
        row, here = self.some.rows[best], slice(best, best + 1)
        share = float(sharpness(self.channel, self.some.omega[here], self.V[here])[0])
        before = self.gains[: self.taken]
        gain = self.weights.gain(row) - (self.shares[: self.taken] * (before @ row)) @ before
        with_row = self.some.rows @ gain
        if self.about is not None:
            self.left = np.maximum(self.left - self._told_by(best, with_row), 0.0)
        self.V = np.maximum(self.V - share * with_row**2, 1e-300)
        if self.about is not None:
            with_target = self.about.rows @ gain
            self.other_V = np.maximum(self.other_V - share * with_target**2, 1e-300)
            # in place: a product of its own would be as large as the covariance
            dger(-share, with_target, with_row, a=self.covariance.T, overwrite_a=1)
            self.own |= self.own[best]
        self.gains[self.taken], self.shares[self.taken] = gain, share
        self.taken += 1

    def _told_by(self, best: int, with_row: Floats) -> Floats:
        """What the label of a row tells about that of every other."""
        if not self.channel.labels:
            return np.zeros_like(with_row)
        u, T = latent(self.channel, self.some.omega, self.V)
        return signs_information(u, u[best], with_row / np.sqrt(T * T[best]))
