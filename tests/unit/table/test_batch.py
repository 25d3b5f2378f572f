"""The choice of a batch: a short list loses nothing, and a long batch has a bounded one."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.table import batch
from gardner.table.propose import propose


@pytest.mark.parametrize("about", ["predictions", "weights"])
def test_the_rows_kept_hold_the_best(about: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    table = rng.standard_normal((400, 5))
    labels = np.where(np.arange(400) < 30, np.sign(table[:, 0] + 0.3 * rng.standard_normal(400)), np.nan)
    whole = propose(table, labels, 4, about=about).rows
    monkeypatch.setattr(batch, "_SHORTLIST", 60)
    assert propose(table, labels, 4, about=about).rows == whole


def test_a_long_batch_keeps_a_bounded_list() -> None:
    kept = [batch._rows_kept(count, 10**9) for count in (1, 10, 400, 500, 1000, 2500, 5000)]
    assert kept == [2000, 2000, 2000, 2500, 5000, 5000, 10_000]
    assert batch._rows_kept(1000, 1200) == 1200
