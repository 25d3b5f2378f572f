"""Proposals for real tables: worth what they say, not redundant, right where the answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from threadpoolctl import threadpool_limits

from gardner.errors import ConvergenceError, InvalidInputError
from gardner.inference.ep import expectation_propagation
from gardner.model import GLM, NUMPY, Absolute, Channel, Flip, Gaussian, Library, Linear, Probit, Sign
from gardner.model.arrays import Array
from gardner.model.numeric import NumericChannel
from gardner.table.propose import propose
from gardner.table.scaling import standardised


def problem(rows: int, columns: int, labelled: int, noise: float, seed: int = 0) -> tuple[NDArray[np.float64], ...]:
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((rows, columns)) * rng.uniform(0.1, 10.0, columns) + rng.uniform(-5.0, 5.0, columns)
    weights = rng.standard_normal(columns + 1)
    fields = standardised(table) @ weights
    truth = np.where(fields + math.sqrt(noise) * rng.standard_normal(rows) > 0.0, 1.0, -1.0)
    labels = np.where(np.arange(rows) < labelled, truth, np.nan)
    return table, labels, truth


def test_scale_and_shift_of_columns_do_not_matter() -> None:
    table, labels, _ = problem(80, 4, 30, 0.1)
    model = GLM(Gaussian(), Probit(0.1))
    first = propose(table, labels, 5, model=model, scaling="standardised")
    second = propose(table * [2.0, -1.0, 30.0, 1e-3] + 7.0, labels, 5, model=model, scaling="standardised")
    assert [one.row for one in first.rows] == [one.row for one in second.rows]
    assert [one.bits for one in first.rows] == pytest.approx([one.bits for one in second.rows])


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
    """Of identical rows, one label tells most of what the others would."""
    table, labels, _ = problem(200, 3, 30, 0.05)
    model = GLM(Gaussian(), Probit(1e-4))
    best = propose(table, labels, 1, model=model).rows[0].row
    table[[40, 45, 50]] = table[best]
    found = propose(table, labels, 5, model=model).rows
    assert found[0].row in {best, 40, 45, 50}
    assert len({best, 40, 45, 50} & {one.row for one in found}) == 1


def test_a_prediction_is_the_ratio_of_evidences() -> None:
    """P(y) of a proposed row is what its label would do to the evidence."""
    table, labels, _ = problem(40, 3, 25, 0.2)
    model = GLM(Gaussian(), Probit(0.2))
    found = propose(table, labels, 1, model=model)
    rows = found.fit.design.rows(table)
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
    for argument in ({"about": "nothing"}, {"scaling": "none"}, {"target": table[:, :2]}, {"target": table[:0]}):
        with pytest.raises(InvalidInputError, match=f"{next(iter(argument))} = "):
            propose(table, labels, **argument)
    with pytest.raises(InvalidInputError, match="only predictions have a target"):
        propose(table, labels, about="weights", target=table)
    with pytest.raises(InvalidInputError, match=r"finite$"):
        propose(np.where(table == table[0, 0], np.inf, table), labels)
    with pytest.raises(InvalidInputError, match=r"finite; fill gaps, such as with table.fillna"):
        propose(np.where(table == table[0, 0], np.nan, table), labels)
    for batch in (0, 2.5, 2.0, True, "two"):
        with pytest.raises(InvalidInputError, match=r"batch_size = .* whole number of at least 1"):
            propose(table, labels, batch)  # type: ignore[arg-type]
    assert len(propose(table, labels, np.int64(2), model=GLM(channel=Probit(0.1))).rows) == 2  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match=r"features = 'list' .* must be numbers .*'red'.*get_dummies"):
        propose([["red"], ["blue"]], [1.0, np.nan])
    with pytest.raises(InvalidInputError, match=r"labels = 'list' .* must be numbers .*'yes'"):
        propose(table, ["yes"] * 20)
    unlabelled_first = np.where(np.arange(20) < 3, np.nan, np.where(np.arange(20) == 7, np.inf, truth))
    with pytest.raises(InvalidInputError, match=r"labels = inf is not valid: row 7"):
        propose(table, unlabelled_first)
    with pytest.raises(InvalidInputError, match="all are the same number"):
        propose(table, np.where(np.arange(20) < 5, 3.5, np.nan))


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
    given = {"classes": labels, "numbers": labels * np.arange(1.5, 21.5), "none": np.full(20, np.nan)}[kind]
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


def test_classes_may_be_written_as_zero_and_one() -> None:
    table, labels, _ = problem(60, 3, 30, 0.1)
    signs = propose(table, labels, 3)
    for low, high in ((0.0, 1.0), (3.0, 7.0)):
        found = propose(table, np.where(labels == 1.0, high, np.where(np.isnan(labels), np.nan, low)), 3)
        assert found.rows == signs.rows


def test_few_whole_numbers_are_classes_or_a_regression_and_the_user_says_which() -> None:
    table, labels, _ = problem(40, 2, 20, 0.1)
    grades = np.where(np.isnan(labels), np.nan, np.arange(40) % 3)
    with pytest.raises(InvalidInputError, match=r"labels = '0, 1, 2' .* 3 different whole numbers .* kind='classes'"):
        propose(table, grades)
    found = propose(table, grades, kind="classes")
    assert found.classes == ("0", "1", "2")
    assert all(sum(one.probabilities) == pytest.approx(1.0) for one in found.rows)
    with pytest.raises(InvalidInputError, match="whole numbers or texts"):
        propose(table, grades + 0.5, kind="classes")
    with pytest.raises(InvalidInputError, match="these are texts"):
        propose(table, np.where(np.isnan(grades), "", "grade"), kind="regression")
    assert isinstance(propose(table, grades, kind="regression").model.channel, Linear)
    assert isinstance(propose(table, grades, model=GLM(channel=Linear(0.1))).model.channel, Linear)
    assert isinstance(propose(table, np.full(40, np.nan), kind="regression").model.channel, Linear)
    assert isinstance(propose(table, labels, kind="regression").model.channel, Linear)
    halves = np.where(labels > 0.0, 0.5, np.where(np.isnan(labels), np.nan, 1.5))
    with pytest.raises(InvalidInputError, match="two different numbers can be classes or a regression"):
        propose(table, halves)
    assert propose(table, halves, kind="classes").model.channel.labels
    with pytest.raises(InvalidInputError, match=r"kind = 'ranks' .* must be one of classes, regression"):
        propose(table, labels, kind="ranks")


def test_the_number_of_threads_changes_no_bit() -> None:
    table, labels, _ = problem(600, 40, 100, 0.3)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(propose(table, labels, 20).rows)
    assert found[0] == found[1]


def test_a_target_of_ones_own_is_asked_about() -> None:
    """Rows to be predicted that have only one column: labels of rows that have only the other tell
    nothing.
    """
    rng = np.random.default_rng(0)
    table = np.zeros((60, 2))
    table[::2, 0], table[1::2, 1] = rng.standard_normal(30), rng.standard_normal(30)
    labels = np.where(np.arange(60) < 20, np.sign(table.sum(axis=1)), np.nan)
    for column in (0, 1):
        target = np.zeros((8, 2))
        target[:, column] = [-5.0, 5.0] * 4
        first = propose(table, labels, 1, target=target, model=GLM(channel=Probit(0.1))).rows[0]
        assert first.row % 2 == column


def test_bits_of_a_batch_are_at_most_the_entropies_of_its_labels() -> None:
    table, labels, _ = problem(50, 2, 20, 0.01)
    table[30:40] = table[30]
    for about in ("predictions", "weights"):
        found = propose(table, labels, 20, about=about).rows
        chances = np.array([one.probability for one in found])
        entropies = -chances * np.log2(chances) - (1.0 - chances) * np.log2(1.0 - chances)
        assert all(0.0 <= one.bits <= most + 1e-9 for one, most in zip(found, entropies, strict=True))


def test_accuracy_to_expect() -> None:
    table, labels, truth = problem(300, 3, 40, 0.05)
    found = propose(table, labels, 10)
    assert found.outlook is not None
    assert found.outlook.gain is not None
    known = ~np.isnan(labels)
    omega, _ = found.fit.fields(table[~known])
    assert found.outlook.accuracy == pytest.approx(np.mean(np.sign(omega) == truth[~known]), abs=0.05)
    assert 0.0 < found.outlook.gain < 1.0 - found.outlook.accuracy
    weights = propose(table, labels, 1, about="weights")
    assert weights.outlook is not None
    assert weights.outlook.gain is None
    assert weights.outlook.reached(0.5)
    assert not weights.outlook.reached(0.9999)


@pytest.mark.slow
def test_proposals_beat_chance_on_real_data() -> None:
    """Breast cancer: with 30 more labels proposed in batches of 5, fewer mistakes than with 30
    random ones.
    """
    data = load_breast_cancer()
    truth = np.where(data.target == 1, 1.0, -1.0)
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
            omega, _ = propose(data.data, labels, 1).fit.fields(data.data)
            mistakes.append(float(np.mean(np.sign(omega) != truth)))
    assert np.mean(errors["proposed"]) < np.mean(errors["random"])
