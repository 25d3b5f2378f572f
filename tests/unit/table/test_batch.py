"""The choice of a batch: a short list loses nothing, and a long batch has a bounded one."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.table import batch, shortlist
from gardner.table.propose import propose


@pytest.mark.parametrize("about", ["predictions", "weights"])
def test_the_rows_kept_hold_the_best(about: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    table = rng.standard_normal((400, 5))
    labels = np.where(np.arange(400) < 30, np.sign(table[:, 0] + 0.3 * rng.standard_normal(400)), np.nan)
    whole = propose(table, labels, 4, about=about).rows
    monkeypatch.setattr(shortlist, "LEAST", 60)
    assert propose(table, labels, 4, about=about).rows == whole


@pytest.mark.parametrize("kind", ["classes", "weights", "regression"])
def test_a_batch_in_stages_is_that_of_all_rows_at_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    table = rng.standard_normal((500, 6))
    field = table[:, 0] + 0.3 * rng.standard_normal(500)
    truth = field if kind == "regression" else np.sign(field)
    labels = np.where(np.arange(500) < 30, truth, np.nan)
    about = "weights" if kind == "weights" else "predictions"
    whole = propose(table, labels, 40, about=about)
    monkeypatch.setattr(shortlist, "LEAST", 400)
    monkeypatch.setattr(batch, "_IN_PLAY", 470)  # all rows, found anew three times
    monkeypatch.setattr(shortlist, "TIMES_BATCH", 12)
    monkeypatch.setattr(batch, "_STAGE", 12)
    staged = propose(table, labels, 40, about=about)
    assert [one.row for one in staged.rows] == [one.row for one in whole.rows]
    assert [one.bits for one in staged.rows] == pytest.approx([one.bits for one in whole.rows], rel=1e-6)
    monkeypatch.setattr(batch, "_IN_PLAY", 150)
    fewer = propose(table, labels, 40, about=about)
    assert len({one.row for one in fewer.rows}) == 40
    assert sum(one.bits for one in fewer.rows) > 0.99 * sum(one.bits for one in whole.rows)


@pytest.mark.parametrize("count", [3, 60])
@pytest.mark.parametrize("kinds", [2, 4])
def test_bits_of_a_batch_are_not_above_its_entropies(count: int, kinds: int) -> None:
    rng = np.random.default_rng(2)
    table = np.repeat(rng.standard_normal((100, 3)), 2, axis=0)  # every row twice
    names = np.array(["a", "b", "c", "d"])[np.argmax(table @ rng.standard_normal((3, kinds)), axis=1)]
    labels = np.where(np.arange(200) < 40, names, "").astype(object)
    found = propose(table, labels, count)
    half = np.array([one.probability for one in found.rows])
    chances = (
        np.stack([half, 1.0 - half], axis=1) if kinds == 2 else np.array([one.probabilities for one in found.rows])
    )
    entropies = -np.sum(chances * np.log2(np.maximum(chances, 1e-300)), axis=1)
    assert all(one.bits <= entropy + 1e-9 for one, entropy in zip(found.rows, entropies, strict=True))
    assert sum(one.bits for one in found.rows) > 0.0


def test_a_row_is_not_its_own_target() -> None:
    """The only row without a label tells nothing about others; about a copy that is a target it
    does.
    """
    rng = np.random.default_rng(3)
    table = rng.standard_normal((21, 2))
    labels = np.where(np.arange(21) < 20, np.sign(table[:, 0] + 0.5 * rng.standard_normal(21)), np.nan)
    assert propose(table, labels, 1).rows[0].bits == 0.0
    assert propose(table, labels, 1, target=table[20:]).rows[0].bits > 0.0
