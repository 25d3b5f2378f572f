"""Which rows to ask for, with several classes: one by one, each choice allowed for in what the next
would tell.

As for two classes (:mod:`gardner.table.batch`), a row is worth the mean information that its label
has about the labels of target rows, and rows are ordered by that times what is still open about
their own label. The label of a chosen row f leaves on average, of class k, the covariance

    Σ_k − s_k Σ_k f (Σ_k f)ᵀ,    s_k = E_y[g_k²].

All rows are scored once, in blocks and by a part of the targets; the best are kept, and scored by
all targets. After each choice what is open about the rows' own labels is counted anew for all rows
kept. What they tell about targets falls from choice to choice, so it is counted anew only for rows
that can still be the best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gardner.model.arrays import Floats
from gardner.table import shortlist
from gardner.table.batch import Choice
from gardner.table.classes.fit import ClassFit
from gardner.table.classes.score import Labels, information_of_one, pair_information
from gardner.table.scaling import Places, blocks
from gardner.table.shortlist import Marks, mean_over_others

# Numbers at most that are kept of each pair of classes of these rows, 80 MB: a thousand rows with a
# hundred classes.
_MOST_ENTRIES = 10_000_000
# Rows at once that are scored anew after a choice.
_AGAIN = 32
# Times that the chances of the classes in all rows kept are counted anew, at most: after each
# choice of a usual batch.
_RENEWALS = 100


@dataclass(frozen=True, eq=False)
class ClassBatch:
    """Rows to ask for, best first; the chances of all rows that could have been; and the targets'
    fields.

    ``after`` has mean, variance, and the variance that the batch is expected to leave, targets ×
    classes.
    """

    choices: tuple[Choice, ...]
    chances: Floats
    after: tuple[Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows as the model sees them, their coordinates in the span, and mean and variance of their
    fields.
    """

    rows: Floats
    inner: Floats
    omega: Floats
    V: Floats

    @classmethod
    def of(cls, features: Floats, fit: ClassFit) -> _Rows:
        rows = fit.design.rows(features)
        inner = fit.weights.inner(rows)
        return cls(rows, inner, *fit.weights.fields(rows, inner))

    def labels(self, fit: ClassFit, V: Floats | None = None) -> Labels:
        return Labels.of(*fit.noisy(self.omega, self.V if V is None else V))

    def part(self, places: Places | slice) -> _Rows:
        return _Rows(self.rows[places], self.inner[places], self.omega[places], self.V[places])


def choose_rows(
    features: Floats,
    places: Places,
    count: int,
    *,
    fit: ClassFit,
    targets: Places | Floats,
    progress: Callable[[float], None] = lambda _: None,
) -> ClassBatch:
    """``count`` of the rows at ``places``; ``targets`` are places in the table, or features."""
    inside, wanted = shortlist.located(features, targets)
    about = _Rows.of(wanted, fit)
    kept_most = shortlist.rows_kept(count, max(_MOST_ENTRIES // fit.weights.classes**2, count))
    rough = shortlist.some_targets(len(inside))
    some, some_labels = about.part(rough), about.part(rough).labels(fit)
    scores, chances = np.zeros(len(places)), np.empty((len(places), fit.weights.classes))
    for block in blocks(len(places), max(fit.design.columns, len(some.rows) * (fit.weights.classes + 3))):
        here = _Rows.of(features[places[block]], fit)
        labels = here.labels(fit)
        chances[block] = labels.chances
        if len(places) > kept_most:
            covariance = fit.weights.covariance(here.rows, here.inner, some.rows, some.inner)
            information = pair_information(covariance, labels, some_labels)
            scores[block] = mean_over_others(information, places[block][:, None] == inside[rough]) * labels.entropy
        progress(0.8 * block.stop / len(places))
    short = np.sort(np.argsort(-scores, kind="stable")[:kept_most])
    kept = places[short]
    count = min(count, len(kept))
    remaining = _Remaining(_Rows.of(features[kept], fit), about, kept[:, None] == inside, fit, count)
    choices = []
    for number in range(count):
        best, nats = remaining.best()
        choices.append(Choice(int(kept[best]), nats))
        remaining.take(best)
        progress(0.8 + 0.2 * (number + 1) / count)
    return ClassBatch(tuple(choices), chances, (about.omega, about.V, remaining.other_V))


class _Remaining:
    """What is open about the rows kept, and about the targets, while rows are chosen."""

    def __init__(self, some: _Rows, about: _Rows, own: Marks, fit: ClassFit, count: int) -> None:
        """What is open before the first choice."""
        self.some, self.about, self.own, self.fit = some, about, own, fit
        self.V, self.other_V = some.V.copy(), about.V.copy()
        self.labels, self.other_labels = some.labels(fit), about.labels(fit)
        self.own_entropy, self.entropy_left = self.labels.entropy, self.labels.entropy.copy()
        self.free = np.ones(len(some.rows), dtype=bool)
        kinds = fit.weights.classes
        self.taken = 0
        # of each row taken: Σ_k f when it was taken, the covariance of its fields with those of the
        # targets, and s_k
        self.gains = np.empty((count, kinds, fit.design.columns))
        self.with_targets = np.empty((count, kinds, len(about.rows)))
        self.shares = np.empty((count, kinds))
        self.information = np.empty(len(some.rows))
        self.stride = max(count // _RENEWALS, 1)
        self._count_again(np.arange(len(some.rows)))

    def best(self) -> tuple[int, float]:
        """The row to ask for, and its information in nats: of what it could tell, the share that is
        open.
        """
        fresh = np.zeros(len(self.information), dtype=bool)
        while True:
            worth = self.information * self.entropy_left**2 / np.maximum(self.own_entropy, 1e-300)
            order = np.where(self.free, worth, -np.inf)
            best = int(order.argmax())
            if fresh[best] or not self.taken:
                share = self.entropy_left[best] / max(float(self.own_entropy[best]), 1e-300)
                return best, float(max(self.information[best] * share, 0.0))
            stale = np.where(fresh, -np.inf, order)
            again = np.argsort(-stale, kind="stable")[:_AGAIN]
            again = again[np.isfinite(stale[again])]
            self._count_again(again)
            fresh[again] = True

    def take(self, best: int) -> None:
        """Allow for the label of a row: it is not asked again, is no target, and leaves less open."""
        self.free[best] = False
        weights, row = self.fit.weights, self.some.rows[best]
        one = self.some.part(slice(best, best + 1)).labels(self.fit, self.V[best : best + 1])
        share, gains = one.narrowing[0], self.gains[: self.taken]
        gain = weights.gain(row) - np.einsum("ik,ikd->kd", self.shares[: self.taken] * (gains @ row), gains)
        with_row, with_target = self.some.rows @ gain.T, self.about.rows @ gain.T
        if self.taken % self.stride == 0:
            self.labels = self.some.labels(self.fit, self.V)
        self.entropy_left = np.maximum(self.entropy_left - information_of_one(with_row, one, self.labels), 0.0)
        self.V = np.maximum(self.V - share * with_row**2, 1e-300)
        self.other_V = np.maximum(self.other_V - share * with_target**2, 1e-300)
        self.other_labels = self.about.labels(self.fit, self.other_V)
        self.own |= self.own[best]
        self.gains[self.taken], self.with_targets[self.taken], self.shares[self.taken] = gain, with_target.T, share
        self.taken += 1

    def _count_again(self, places: Places) -> None:
        """What the labels of some rows kept tell about the targets."""
        for block in blocks(len(places), len(self.about.rows) * (self.fit.weights.classes + 3)):
            at = places[block]
            here = self.some.part(at)
            covariance = self.fit.weights.covariance(here.rows, here.inner, self.about.rows, self.about.inner)
            for index in range(self.fit.weights.classes):
                with_rows = here.rows @ self.gains[: self.taken, index].T
                covariance[index] -= (with_rows * self.shares[: self.taken, index]) @ self.with_targets[
                    : self.taken, index
                ]
            labels = here.labels(self.fit, self.V[at])
            information = pair_information(covariance, labels, self.other_labels)
            self.information[at] = mean_over_others(information, self.own[at])
