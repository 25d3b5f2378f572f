"""Proposals for real tables: worth what they say, not redundant, right where the answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.experiment import propose as module
from gardner.experiment.propose import propose, standardised
from gardner.inference.ep import expectation_propagation
from gardner.model import GLM, NUMPY, Absolute, Channel, Flip, Gaussian, Library, Linear, Probit, Sign
from gardner.model.arrays import Array
from gardner.model.numeric import NumericChannel


def problem(rows: int, columns: int, labelled: int, noise: float, seed: int = 0) -> tuple[NDArray[np.float64], ...]:
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((rows, columns)) * rng.uniform(0.1, 10.0, columns) + rng.uniform(-5.0, 5.0, columns)
    weights = rng.standard_normal(columns + 1)
    fields = standardised(table)[0] @ weights
    truth = np.where(fields + math.sqrt(noise) * rng.standard_normal(rows) > 0.0, 1.0, -1.0)
    labels = np.where(np.arange(rows) < labelled, truth, np.nan)
    return table, labels, truth


def test_standardised_rows_have_unit_variance_and_an_intercept() -> None:
    table, *_ = problem(50, 4, 0, 0.1)
    rows, dropped = standardised(np.column_stack([table, np.full(50, 3.0)]))
    assert dropped == 1
    assert rows.shape == (50, 5)
    assert np.allclose((rows[:, :-1] * math.sqrt(5)).std(axis=0), 1.0)
    assert np.allclose(rows[:, -1], 1.0 / math.sqrt(5))


def test_scale_and_shift_of_columns_do_not_matter() -> None:
    table, labels, _ = problem(80, 4, 30, 0.1)
    model = GLM(Gaussian(), Probit(0.1))
    first = propose(table, labels, 5, model=model)
    second = propose(table * [2.0, -1.0, 30.0, 1e-3] + 7.0, labels, 5, model=model)
    assert [one.row for one in first.rows] == [one.row for one in second.rows]
    assert [one.bits for one in first.rows] == pytest.approx([one.bits for one in second.rows])


@pytest.mark.parametrize("size", [1e-320, 1e-30, 1e-13, 1e200, 1e308])
def test_units_of_any_size_are_standardised(size: float) -> None:
    """Columns in tiny or huge units count; those that differ by rounding only do not, whatever their size."""
    table = np.random.default_rng(0).uniform(-0.5, 0.5, (50, 2))
    rows, dropped = standardised(np.column_stack([table[:, 0], size * table[:, 1], np.full(50, size)]))
    assert dropped == 1
    assert np.allclose(rows, standardised(table)[0], atol=1e-3 if size < 1e-300 else 1e-12)
    rounding = size * (1.0 + 1e-15 * np.arange(50))
    assert standardised(np.column_stack([table, rounding]))[1] == 1


def test_labels_of_any_size_are_standardised() -> None:
    table, labels, _ = problem(30, 2, 15, 0.1)
    labels = labels + table[:, 0]
    model = GLM(Gaussian(), Linear(0.1))
    first, second = (propose(table, unit * labels, 2, model=model).rows for unit in (1.0, 1e200))
    assert [one.row for one in first] == [one.row for one in second]
    assert [1e200 * one.mean for one in first] == pytest.approx([one.mean for one in second])
    with pytest.raises(InvalidInputError, match=r"labels = 0.1 .*all are the same number"):
        propose(table, np.where(np.arange(30) < 15, 0.1, np.nan))


def test_noise_is_found_by_evidence() -> None:
    table, labels, _ = problem(1200, 4, 1000, 0.3)
    channel = propose(table, labels, 1).model.channel
    assert isinstance(channel, Probit)
    assert 0.1 < channel.noise < 0.9


def test_flips_are_told_from_noise() -> None:
    table, labels, truth = problem(1500, 4, 1200, 0.0)
    flipped = np.random.default_rng(1).random(1500) < 0.1
    channel = propose(table, np.where(flipped, -labels, labels), 1).model.channel
    assert isinstance(channel, Flip)
    assert channel.rho == pytest.approx(0.1, abs=0.04)
    assert truth.size == 1500


def test_one_question_is_not_asked_twice() -> None:
    """Of identical rows, one label tells what the others would."""
    table, labels, _ = problem(60, 3, 30, 0.05)
    model = GLM(Gaussian(), Probit(0.05))
    best = propose(table, labels, 1, model=model).rows[0].row
    table[[40, 45, 50]] = table[best]
    rows = [one.row for one in propose(table, labels, 4, model=model).rows]
    assert len({best, 40, 45, 50} & set(rows[:2])) == 1


def test_a_prediction_is_the_ratio_of_evidences() -> None:
    """P(y) of a proposed row is what its label would do to the evidence."""
    table, labels, _ = problem(40, 3, 25, 0.2)
    model = GLM(Gaussian(), Probit(0.2))
    found = propose(table, labels, 1, model=model)
    rows, _ = standardised(table)
    known = ~np.isnan(labels)
    with_it = np.vstack([rows[known], rows[found.rows[0].row]])
    chances = [
        math.exp(
            expectation_propagation(with_it, np.append(labels[known], y), model).log_evidence
            - found.posterior.log_evidence
        )
        for y in (-1.0, 1.0)
    ]
    assert found.rows[0].probability == pytest.approx(chances[1], abs=5e-3)
    assert sum(chances) == pytest.approx(1.0, abs=5e-3)


def test_regression_asks_where_it_knows_least() -> None:
    rng = np.random.default_rng(0)
    table = rng.standard_normal((80, 2))
    table[70] = (9.0, -9.0)
    truth = table @ [2.0, -1.0] + 4.0 + 0.1 * rng.standard_normal(80)
    labels = np.where(np.arange(80) < 30, truth, np.nan)
    found = propose(table, labels, 3)
    assert isinstance(found.model.channel, Linear)
    assert found.rows[0].row == 70
    assert abs(found.rows[0].mean - truth[70]) < 4.0 * found.rows[0].deviation


def test_without_labels_and_with_one_class() -> None:
    table, labels, truth = problem(40, 3, 0, 0.1)
    assert len(propose(table, labels, 3).rows) == 3
    one = np.where(truth == 1.0, truth, np.nan)
    one[np.flatnonzero(truth == 1.0)[3:]] = np.nan
    assert all(0.0 < found.bits <= 1.0 for found in propose(table, one, 3).rows)
    assert len(propose(table, np.where(np.arange(40) < 38, truth, np.nan), 10).rows) == 2


def test_what_is_refused() -> None:
    table, labels, truth = problem(20, 3, 10, 0.1)
    with pytest.raises(InvalidInputError, match="every row has a label"):
        propose(table, truth)
    with pytest.raises(InvalidInputError, match="each row has a label or NaN"):
        propose(table, labels[:-1])
    with pytest.raises(InvalidInputError, match="finite"):
        propose(np.where(table == table[0, 0], np.inf, table), labels)
    for batch in (0, 2.5, 2.0, True, "two"):
        with pytest.raises(InvalidInputError, match=r"batch = .* whole number of at least 1"):
            propose(table, labels, batch)  # type: ignore[arg-type]
    assert len(propose(table, labels, np.int64(2), model=GLM(channel=Probit(0.1))).rows) == 2  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match=r"features = 'list' .* must be numbers .*'red'.*zeros and ones"):
        propose([["red"], ["blue"]], [1.0, np.nan])  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match=r"labels = 'list' .* must be numbers .*'yes'"):
        propose(table, ["yes"] * 20)  # type: ignore[arg-type]
    unlabelled_first = np.where(np.arange(20) < 3, np.nan, np.where(np.arange(20) == 7, np.inf, truth))
    with pytest.raises(InvalidInputError, match=r"labels = inf is not valid: row 7"):
        propose(table, unlabelled_first)
    with pytest.raises(InvalidInputError, match="all are the same number"):
        propose(table, np.where(np.arange(20) < 5, 3.0, np.nan))


def test_most_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    table, labels, _ = problem(20, 3, 10, 0.1)
    monkeypatch.setattr(module, "_MOST_FEATURES", 3)
    assert propose(table, labels, 1, model=GLM(channel=Probit(0.1))).rows
    with pytest.raises(InvalidInputError, match="features = 4 is not valid: at most 3 columns"):
        propose(np.column_stack([table, table[:, 0]]), labels)


class Grades(NumericChannel):
    """Three labels."""

    @property
    def labels(self) -> tuple[float, ...]:
        return (-1.0, 0.0, 1.0)

    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        return -library.xp.logaddexp(0.0 * h, 1.0 - y * h)


class Cubic(NumericChannel):
    """Real labels, but not linear in the field."""

    @property
    def labels(self) -> tuple[float, ...]:
        return ()

    def log_probability(self, y: Array, h: Array, library: Library = NUMPY) -> Array:
        del library
        return -0.5 * (y - h**3) ** 2 - 0.5 * math.log(2.0 * math.pi)


@pytest.mark.parametrize(
    ("kind", "channel", "message"),
    [
        ("classes", Linear(0.1), "channel = 'linear:0.1' .* two classes need a channel .* try probit"),
        ("classes", Grades(), "two classes need a channel whose labels are -1 and [+]1"),
        ("classes", Absolute(0.1), "two classes need a channel .* try probit"),
        ("numbers", Probit(1.0), "channel = 'probit:1.0' .* numbers need a linear channel; try linear"),
        ("numbers", Cubic(), "numbers need a linear channel"),
        (
            "numbers",
            Absolute(0.1),
            "channel = 'absolute:0.1' .* numbers need a linear channel; try linear",
        ),
        ("none", Absolute(0.1), "labels must be -1 and [+]1, or it must be linear"),
        ("none", Grades(), "labels must be -1 and [+]1, or it must be linear"),
    ],
)
def test_a_channel_that_does_not_fit_the_labels(kind: str, channel: Channel, message: str) -> None:
    table, labels, _ = problem(20, 3, 10, 0.1)
    given = {"classes": labels, "numbers": labels * np.arange(1.0, 21.0), "none": np.full(20, np.nan)}[kind]
    with pytest.raises(InvalidInputError, match=message):
        propose(table, given, model=GLM(channel=channel))


def test_without_labels_either_kind_of_channel_will_do() -> None:
    table, labels, _ = problem(20, 3, 0, 0.1)
    for channel in (Linear(0.1), Probit(0.1), Sign()):
        assert len(propose(table, labels, 2, model=GLM(channel=channel)).rows) == 2


def test_a_model_that_was_given_and_fails_says_why() -> None:
    table, labels, _ = problem(40, 1, 30, 5.0)
    with pytest.raises(ConvergenceError, match=r"ep is empty: no weights give these labels; use a channel with noise"):
        propose(table, labels, model=GLM(channel=Sign()))


@pytest.mark.slow
def test_proposals_beat_chance_on_real_data() -> None:
    """Breast cancer: with 30 more labels proposed in batches of 5, fewer mistakes than with 30 random ones."""
    data = load_breast_cancer()
    truth = np.where(data.target == 1, 1.0, -1.0)
    rows, _ = standardised(data.data)
    errors: dict[str, list[float]] = {"proposed": [], "random": []}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        order = rng.permutation(truth.size)
        for how, mistakes in errors.items():
            labels = np.full(truth.size, np.nan)
            labels[order[:10]] = truth[order[:10]]
            for _ in range(6):
                free = np.flatnonzero(np.isnan(labels))
                chosen = [one.row for one in propose(data.data, labels, 5).rows]
                chosen = chosen if how == "proposed" else list(rng.choice(free, 5, replace=False))
                labels[chosen] = truth[chosen]
            posterior = propose(data.data, labels, 1).posterior
            mistakes.append(float(np.mean(np.sign(rows @ posterior.mean) != truth)))
    assert np.mean(errors["proposed"]) < np.mean(errors["random"])
