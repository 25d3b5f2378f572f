"""Rows chosen among several classes: nothing is asked twice, and short cuts change nothing."""

from __future__ import annotations

import numpy as np
import pytest

from gardner.model import GLM, Gaussian, Probit
from gardner.table import shortlist
from gardner.table.classes import batch as module
from gardner.table.classes.batch import choose_rows
from gardner.table.classes.fit import ClassFit, fit_classes
from gardner.table.classes.largest import entropy
from gardner.table.classes.score import Labels
from gardner.table.scaling import spread_of

LABELLED = 30


def problem(columns: int = 3, count: int = 150) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    table = rng.standard_normal((count, columns))
    return table, (table @ rng.standard_normal((columns, 4))).argmax(axis=1)


def fitted(table: np.ndarray, codes: np.ndarray, noise: float = 0.02) -> ClassFit:
    model = GLM(Gaussian(), Probit(noise))
    return fit_classes(table[:LABELLED], codes[:LABELLED], 4, spread_of(table), model=model, scaling="standardised")


@pytest.mark.parametrize("columns", [3, 50])
def test_counting_all_again_gives_the_same_rows(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table, codes = problem(columns)
    fit, places = fitted(table, codes), np.arange(LABELLED, 150)
    first = choose_rows(table, places, 8, fit=fit, targets=places[::2])
    monkeypatch.setattr(module, "_AGAIN", 1000)
    second = choose_rows(table, places, 8, fit=fit, targets=places[::2])
    assert [one.place for one in first.choices] == [one.place for one in second.choices]
    assert [one.nats for one in first.choices] == pytest.approx([one.nats for one in second.choices])


def test_the_variance_left_is_that_of_one_more_label_after_another() -> None:
    """V − s C² for the first row, and no more than before for the next."""
    table, codes = problem()
    fit, places = fitted(table, codes), np.arange(LABELLED, 150)
    targets = places[:20]
    one, two = (choose_rows(table, places, count, fit=fit, targets=targets) for count in (1, 2))
    assert (one.after[2] <= one.after[1]).all()
    assert (two.after[2] <= one.after[2] + 1e-12).all()
    best = one.choices[0].place
    rows = fit.design.rows(table)
    inner = fit.weights.inner(rows)
    covariance = fit.weights.covariance(rows[[best]], inner[[best]], rows[targets], inner[targets])[:, 0]
    narrowing = Labels.of(*fit.noisy(*fit.fields(table[[best]]))).narrowing[0]
    wanted = one.after[1].T - narrowing[:, None] * covariance**2
    assert one.after[2] == pytest.approx(wanted.T)


def test_one_question_is_not_asked_twice() -> None:
    table, codes = problem()
    places = np.arange(LABELLED, 150)
    best = choose_rows(table, places, 1, fit=fitted(table, codes, 1e-4), targets=places).choices[0].place
    table[[40, 45, 50]] = table[best]
    found = choose_rows(table, places, 5, fit=fitted(table, codes, 1e-4), targets=places)
    assert len({best, 40, 45, 50} & {one.place for one in found.choices}) == 1


def test_a_row_is_not_its_own_target() -> None:
    table, codes = problem()
    fit = fitted(table, codes)
    alone = choose_rows(table, np.array([60]), 1, fit=fit, targets=np.array([60]))
    assert alone.choices[0].nats == 0.0
    assert choose_rows(table, np.array([60]), 1, fit=fit, targets=table[[60]]).choices[0].nats > 0.0


def test_bits_are_at_most_the_entropy_of_the_label() -> None:
    table, codes = problem()
    table[60:80] = table[60]
    places = np.arange(LABELLED, 150)
    found = choose_rows(table, places, 40, fit=fitted(table, codes), targets=places)
    most = entropy(found.chances)[np.searchsorted(places, [one.place for one in found.choices])]
    assert all(0.0 <= one.nats <= limit + 1e-12 for one, limit in zip(found.choices, most, strict=True))


def test_a_short_list_has_the_best_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    table, codes = problem(count=400)
    fit, places = fitted(table, codes), np.arange(LABELLED, 400)
    whole = choose_rows(table, places, 3, fit=fit, targets=places)
    monkeypatch.setattr(shortlist, "LEAST", 60)
    short = choose_rows(table, places, 3, fit=fit, targets=places)
    assert short.choices == whole.choices


def test_chances_that_are_counted_seldom_change_little(monkeypatch: pytest.MonkeyPatch) -> None:
    table, codes = problem(count=400)
    fit, places = fitted(table, codes), np.arange(LABELLED, 400)
    whole = choose_rows(table, places, 60, fit=fit, targets=places[::2])
    monkeypatch.setattr(module, "_RENEWALS", 6)  # after ten choices, as in a batch of a thousand
    seldom = choose_rows(table, places, 60, fit=fit, targets=places[::2])
    assert len({one.place for one in seldom.choices}) == 60
    nats, fewer = (sum(one.nats for one in batch.choices) for batch in (whole, seldom))
    assert fewer == pytest.approx(nats, rel=0.05)
    told = [np.sum(np.log(batch.after[2])) for batch in (whole, seldom)]
    assert told[1] == pytest.approx(told[0], rel=0.01)
