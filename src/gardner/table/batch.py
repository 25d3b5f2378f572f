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

All rows are scored once, in blocks, roughly: in single precision and by a part of the targets. The
best of them are kept for the choice: more than can change their order. For a large batch the best
thousand of those kept are in play; after every hundred choices all are scored anew, and others may
come in. So time goes as rows × columns, plus the size of the batch times the rows kept, of which
there are a few thousand, or twice the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dger

from gardner.model import Channel
from gardner.model.arrays import Floats
from gardner.table import shortlist
from gardner.table.scaling import Places, blocks
from gardner.table.score import entropy, latent, pair_information, sharpness, signs_information
from gardner.table.shortlist import Marks, mean_over_others
from gardner.table.weights import Design, Weights

# Targets at most, a sample of the rows without a label: batches have 0.985 of the bits
# that all rows as targets give (docs/real-tables.md).
TARGETS = 400
# Rows that are in play at a time where more than ``shortlist.LEAST`` are kept: ten times the
# choices of a stage.
_IN_PLAY = 1_000
# Choices after which the rows in play are found anew.
_STAGE = 100
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

    def part(self, places: Places) -> Rows:
        """Some of the rows."""
        return Rows(self.rows[places], self.omega[places], self.V[places], self.projections[places])

    @classmethod
    def of(cls, features: Floats, design: Design, weights: Weights) -> Rows:
        """The rows of some features."""
        return cls.at(features, np.arange(len(features)), design, weights)

    @classmethod
    def at(cls, features: Floats, places: Places, design: Design, weights: Weights) -> Rows:
        """Of some rows of a table, block by block: fresh memory for all of them takes longer than
        the numbers.
        """
        rows = np.empty((len(places), design.columns))
        for block in blocks(len(places), design.columns):
            rows[block] = design.rows(features[places[block]])
        return cls(rows, *weights.fields(rows))


@dataclass(frozen=True)
class Choice:
    """A place in the table, and the information its label is expected to give, in nats."""

    place: int
    nats: float


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows to ask for, best first, and the fields of all rows that could have been: mean and
    variance.

    ``scores`` is what those rows were ordered by before the first choice. ``after`` has mean,
    variance, and the variance that the batch is expected to leave, of the fields of the targets.
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
    """``count`` of the rows at ``places``; ``targets`` are places in the table, features, or none
    for the weights.
    """
    inside, wanted = shortlist.located(features, targets)
    about = Rows.of(wanted, design, weights) if len(wanted) else None
    keep = shortlist.rows_kept(count, max(_MOST_ENTRIES // design.columns, count))
    if len(places) > keep:
        scores, omega, V = _rough_scores(features, places, inside, about, design, weights, channel, progress)
        short = np.sort(np.argsort(-scores, kind="stable")[:keep])
    else:
        scores, omega, V = np.zeros(len(places)), np.empty(len(places)), np.empty(len(places))
        short = np.arange(len(places))
    kept = places[short]
    some = Rows.at(features, kept, design, weights)
    omega[short], V[short] = some.omega, some.V
    own = kept[:, None] == inside
    remaining = _Remaining(some, about, own, weights, channel, count)
    choices: list[Choice] = []
    while len(choices) < min(count, len(kept)):
        at, ahead = remaining.in_play()
        for _ in range(min(_STAGE, count - len(choices), int(ahead.free.sum()))):
            score = ahead.score()
            best = int(np.where(ahead.free, score * ahead.entropy_left, -np.inf).argmax())
            choices.append(Choice(int(kept[at[best]]), max(float(score[best]), 0.0)))
            ahead.take(best)
        remaining.follow(ahead, at)
        progress(0.8 + 0.2 * len(choices) / count)
    progress(1.0)
    return Batch(tuple(choices), omega, V, scores, None if about is None else (about.omega, about.V, remaining.other_V))


def _rough_scores(
    features: Floats,
    places: Places,
    inside: Places,
    about: Rows | None,
    design: Design,
    weights: Weights,
    channel: Channel,
    progress: Callable[[float], None],
) -> tuple[Floats, Floats, Floats]:
    """What the order of rows goes by before any is chosen, by a part of the targets; mean and
    variance of fields.
    """
    scores, omega, V = np.empty(len(places)), np.empty(len(places)), np.empty(len(places))
    part = shortlist.some_targets(len(inside))
    operator = weights.operator(np.empty((0, design.columns)) if about is None else about.rows[part])
    # large blocks, since what goes by rows and targets takes longer in small ones
    for large in blocks(len(places), shortlist.ROUGH_TARGETS):
        here = places[large]
        covariance = np.empty((len(here), len(inside[part])))
        for block in blocks(len(here), design.columns):
            rows, at = design.rows(features[here[block]]), slice(large.start + block.start, large.start + block.stop)
            omega[at], V[at], covariance[block] = weights.rough_fields(rows, operator)
            if about is None:
                scores[at] = channel.information(omega[at], V[at])
        if about is not None:
            own = here[:, None] == inside[part]
            information = _mean(channel, omega[large], V[large], covariance, about.omega[part], about.V[part], own)
            scores[large] = information * _own_entropy(channel, omega[large], V[large])
        progress(0.8 * (large.stop / len(places)))
    return scores, omega, V


def _mean(
    channel: Channel, omega: Floats, V: Floats, covariance: Floats, other_omega: Floats, other_V: Floats, own: Marks
) -> Floats:
    """The mean information about the targets that are not the row itself."""
    sharp, other_sharp = sharpness(channel, omega, V), sharpness(channel, other_omega, other_V)
    entropy_here, entropy_there = entropy(channel, omega, V), entropy(channel, other_omega, other_V)
    mean = np.empty_like(omega)
    step = max(_CACHED // max(own.shape[1], 1), 1)
    for start in range(0, len(omega), step):
        here = slice(start, start + step)
        information = pair_information(covariance[here], sharp[here], other_sharp, entropy_here[here], entropy_there)
        mean[here] = mean_over_others(information, own[here])
    return mean


def _own_entropy(channel: Channel, omega: Floats, V: Floats) -> Floats:
    """The entropy of a row's own label; of a number, of which there is no end, one."""
    return entropy(channel, omega, V) if channel.labels else np.ones_like(omega)


class _Remaining:
    """What is open about the rows kept, and about the targets, while rows are chosen."""

    def __init__(
        self, some: Rows, about: Rows | None, own: Marks, weights: Weights, channel: Channel, count: int
    ) -> None:
        """What is open before the first choice."""
        self.some, self.about, self.own, self.weights, self.channel = some, about, own, weights, channel
        self.V = some.V.copy()
        self.free = np.ones(len(some.rows), dtype=bool)
        self.gains, self.shares = np.empty((count, some.rows.shape[1])), np.empty(count)
        self.taken = 0
        # u and T of each row taken (see latent), and the targets that are such rows
        self.signs: list[tuple[float, float]] = []
        self.asked = np.zeros(own.shape[1], dtype=bool)
        if about is not None:
            self.covariance = weights.covariance(some.rows, some.projections, about.rows, about.projections)
            self.other_V = about.V.copy()
        # what is open about a row's own label; the weights' score counts it by itself
        self.own_entropy = np.ones(len(some.rows)) if about is None else _own_entropy(channel, some.omega, some.V)
        self.entropy_left = self.own_entropy.copy()

    def score(self) -> Floats:
        """Of every row, in nats: of what its label could tell, the share that is still open about
        the label itself.
        """
        if self.about is None:
            score = np.asarray(self.channel.information(self.some.omega, self.V), dtype=np.float64)
        else:
            score = _mean(
                self.channel, self.some.omega, self.V, self.covariance, self.about.omega, self.other_V, self.own
            )
        return score * self.entropy_left / np.maximum(self.own_entropy, 1e-300)

    def in_play(self) -> tuple[Places, _Remaining]:
        """The places of rows to choose from for a while, and what is open about them: of many the
        best by now.
        """
        every = np.arange(len(self.V))
        if len(every) <= shortlist.LEAST:
            return every, self
        order = np.argsort(np.where(self.free, -self.score() * self.entropy_left, np.inf), kind="stable")
        at = np.sort(order[: min(_IN_PLAY, int(self.free.sum()))])
        ahead = copy(self)
        ahead.some, ahead.signs = self.some.part(at), []
        ahead.V, ahead.free = self.V[at], self.free[at]
        ahead.own_entropy, ahead.entropy_left = self.own_entropy[at], self.entropy_left[at]
        ahead.own = self.own[at]
        if self.about is not None:
            ahead.covariance = self.covariance[at]
        return at, ahead

    def follow(self, ahead: _Remaining, at: Places) -> None:
        """Allow for all that was taken of the rows in play."""
        if ahead is self:
            return
        new = slice(self.taken, ahead.taken)
        gains, shares = self.gains[new], self.shares[new]
        with_rows = self.some.rows @ gains.T
        behind = np.setdiff1d(np.arange(len(self.V)), at)
        for index, share in enumerate(shares.tolist()):
            with_row, V = with_rows[behind, index], self.V[behind]
            if ahead.signs:
                u, T = latent(self.channel, self.some.omega[behind], V)
                its_u, its_T = ahead.signs[index]
                information = signs_information(u, np.asarray(its_u), with_row / np.sqrt(T * its_T), quick=True)
                self.entropy_left[behind] = np.maximum(self.entropy_left[behind] - information, 0.0)
            self.V[behind] = np.maximum(V - share * with_row**2, 1e-300)
        self.V[at], self.entropy_left[at], self.free[at] = ahead.V, ahead.entropy_left, ahead.free
        self.taken = ahead.taken
        if self.about is not None:
            self.other_V = ahead.other_V
            self.own |= ahead.asked
            self.covariance -= (with_rows * shares) @ (self.about.rows @ gains.T).T

    def take(self, best: int) -> None:
        """Allow for the label of a row: it is not asked again, is no target, and leaves less open."""
        self.free[best] = False
        row, here = self.some.rows[best], slice(best, best + 1)
        share = float(sharpness(self.channel, self.some.omega[here], self.V[here])[0])
        before = self.gains[: self.taken]
        gain = self.weights.gain(row) - (self.shares[: self.taken] * (before @ row)) @ before
        with_row = self.some.rows @ gain
        if self.about is not None:
            self.entropy_left = np.maximum(self.entropy_left - self._information_about_others(best, with_row), 0.0)
        self.V = np.maximum(self.V - share * with_row**2, 1e-300)
        if self.about is not None:
            with_target = self.about.rows @ gain
            self.other_V = np.maximum(self.other_V - share * with_target**2, 1e-300)
            # in place: a product of its own would be as large as the covariance
            dger(-share, with_target, with_row, a=self.covariance.T, overwrite_a=1)
            self.asked = self.asked | self.own[best]
            self.own |= self.asked
        self.gains[self.taken], self.shares[self.taken] = gain, share
        self.taken += 1

    def _information_about_others(self, best: int, with_row: Floats) -> Floats:
        """What the label of a row tells about that of every other."""
        if not self.channel.labels:
            return np.zeros_like(with_row)
        u, T = latent(self.channel, self.some.omega, self.V)
        self.signs.append((float(u[best]), float(T[best])))
        return signs_information(u, u[best], with_row / np.sqrt(T * T[best]))
