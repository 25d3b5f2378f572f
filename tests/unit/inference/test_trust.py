"""AMP and EP say where they are not to be trusted, and by how much they are off."""

from __future__ import annotations

import math
from typing import Any

import array_api_strict
import numpy as np
import pytest
from numpy.typing import NDArray

from gardner.errors import ConvergenceError
from gardner.inference import Posterior, Status, amp, expectation_propagation, infer, monte_carlo
from gardner.inference.trust import sampled
from gardner.model import GLM, Flip, Gaussian, Linear, draw_instance

Floats = NDArray[Any]
RNG = np.random.default_rng(0)
NOISE = RNG.standard_normal((100, 80)) / math.sqrt(80)
TEACHER = RNG.standard_normal(80)


def turned(rows: Floats, features: int = 100) -> Floats:
    """The same cone in a space of more dimensions, no axis of which it favours."""
    return np.asarray(rows @ np.linalg.qr(np.random.default_rng(1).standard_normal((features, rows.shape[1])))[0].T)


def pair(degrees: float) -> Floats:
    angle = math.radians(degrees)
    return turned(np.array([[1.0, 0.0], [math.cos(angle), math.sin(angle)]]))


def breast_cancer(count: int) -> tuple[Floats, Floats]:
    """As ``gardner query`` would standardise it."""
    datasets = pytest.importorskip("sklearn.datasets")
    from gardner.table.scaling import standardised

    data = datasets.load_breast_cancer()
    return standardised(data.data)[:count], 2.0 * data.target[:count] - 1.0


def test_copies_of_a_row_are_not_converged() -> None:
    rows = np.tile(NOISE[:1], (24, 1))
    for method in ("amp", "ep"):
        posterior = infer(rows, np.ones(24), method=method)
        assert posterior.log_evidence < -1.1  # the truth is −ln 2
        assert posterior.status is Status.DOUBTFUL
        assert not posterior.converged
        assert posterior.settled
        assert posterior.correction is not None
        assert posterior.correction > 0.3
        with pytest.raises(ConvergenceError, match="doubtful"):
            posterior.checked()


def test_a_real_table_is_for_ep_and_not_for_amp() -> None:
    rows, labels = breast_cancer(40)
    truth = monte_carlo(rows, labels, stderr=0.002)
    by_amp, by_ep = (infer(rows, labels, method=method) for method in ("amp", "ep"))
    assert abs(by_amp.log_evidence / truth.log_evidence - 1.0) > 0.2
    assert by_amp.status is Status.DOUBTFUL
    assert by_ep.converged
    assert by_ep.log_evidence + (by_ep.correction or 0.0) == pytest.approx(truth.log_evidence, abs=0.2)


@pytest.mark.parametrize("degrees", [30, 45, 60, 90, 120, 150])
def test_the_estimate_is_the_error_of_ep(degrees: int) -> None:
    """Third and fourth order, against the exact volume of a wedge."""
    posterior = expectation_propagation(pair(degrees), np.ones(2))
    error = math.log((180 - degrees) / 360) - posterior.log_evidence
    assert posterior.correction == pytest.approx(error, rel=0.15, abs=1e-8)


@pytest.mark.parametrize("count", [5, 20, 50])
def test_the_estimate_is_the_error_of_amp(count: int) -> None:
    """Rows at right angles: ln Z = −M ln 2; the estimate is of second order in M/N."""
    posterior = amp(turned(np.eye(count), 200), np.ones(count))
    error = -count * math.log(2.0) - posterior.log_evidence
    assert posterior.correction == pytest.approx(error, rel=1.5 * count / 200)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("a mean", NOISE + 0.1),
        ("zeros and ones", (RNG.random((100, 80)) < 0.5).astype(np.float64)),
        ("low rank", RNG.standard_normal((100, 12)) @ RNG.standard_normal((12, 80))),
        ("images", np.maximum(RNG.standard_normal((100, 12)) @ RNG.standard_normal((12, 80)), 0.0)),
        ("heavy tails", RNG.standard_cauchy((100, 80))),
        ("right angles", np.linalg.qr(RNG.standard_normal((80, 80)))[0]),
        ("axes", np.eye(80)),
        ("every row twice", np.repeat(NOISE[:50], 2, axis=0)),
    ],
)
def test_amp_doubts_rows_it_is_not_made_for(name: str, rows: Floats) -> None:
    labels = np.sign(rows @ TEACHER)
    posterior, better = amp(rows, labels), expectation_propagation(rows, labels)
    error = better.log_evidence - posterior.log_evidence
    assert abs(error) > 0.03 * abs(posterior.log_evidence), name
    assert posterior.status is Status.DOUBTFUL
    assert math.copysign(1.0, posterior.correction or 0.0) == math.copysign(1.0, error)


@pytest.mark.parametrize(
    "rows",
    [
        NOISE * np.where(np.arange(100) == 0, 100.0, 1.0)[:, None],
        NOISE * np.exp(RNG.standard_normal((100, 1))),
        np.column_stack([NOISE[:, 1:], np.full(100, 1.0 / math.sqrt(80))]),
        NOISE * np.exp(0.5 * RNG.standard_normal(80)),
    ],
    ids=["one large row", "rows of all sizes", "a constant column", "columns of all sizes"],
)
def test_what_only_looks_strange_is_not_doubted(rows: Floats) -> None:
    """Negative control: the sign of a field feels neither its row's size nor a column's, and AMP is
    right.
    """
    labels = np.sign(rows @ TEACHER)
    posterior, better = amp(rows, labels), expectation_propagation(rows, labels)
    assert posterior.log_evidence == pytest.approx(better.log_evidence, rel=0.01)
    assert posterior.converged
    assert better.converged


def test_scalar_variances_need_columns_of_one_size() -> None:
    rows = NOISE * np.exp(RNG.standard_normal(80))
    labels = np.sign(rows @ TEACHER)
    assert amp(rows, labels).converged
    assert amp(rows, labels, variances="scalar").status is Status.DOUBTFUL


@pytest.mark.parametrize("features", [50, 100])
@pytest.mark.parametrize("ratio", [0.2, 1.0, 3.0, 10.0])
def test_gaussian_pools_raise_no_alarm(features: int, ratio: float) -> None:
    """A small version of ``benchmarks/trust.py``; the largest estimate there is 1.7 %, of 3 %
    allowed.
    """
    for seed in range(5):
        problem = draw_instance(features, ratio, seed)
        for method in ("amp", "ep"):
            assert infer(problem.rows, problem.labels, method=method).converged, (seed, method)


def test_rows_are_sampled_where_there_are_many() -> None:
    assert sampled(200).tolist() == list(range(200))
    assert np.unique(sampled(5000)).size == 200
    np.testing.assert_array_equal(sampled(5000), sampled(5000))
    problem = draw_instance(60, 10.0, 0)
    assert amp(problem.rows, problem.labels).converged
    rows = problem.rows[:, :20] @ np.random.default_rng(0).standard_normal((20, 60))
    assert amp(rows, np.sign(rows @ problem.teacher)).status is Status.DOUBTFUL


def test_any_library_and_precision() -> None:
    rows = NOISE + 0.1
    labels = np.sign(rows @ TEACHER)
    double, single = amp(rows, labels), amp(rows.astype(np.float32), labels.astype(np.float32))
    strict = amp(array_api_strict.asarray(rows), array_api_strict.asarray(labels))
    for posterior in (single, strict):
        assert posterior.status is Status.DOUBTFUL
        assert posterior.correction == pytest.approx(double.correction, rel=1e-3)


def test_loops_that_checked_before_do_not_pay() -> None:
    """``check_input=False``: neither the estimate nor the alarm."""
    posterior = amp(NOISE + 0.1, np.sign((NOISE + 0.1) @ TEACHER), check_input=False)
    assert (posterior.status, posterior.correction, posterior.doubt) == (Status.CONVERGED, None, None)


def test_noisy_labels_and_real_ones() -> None:
    """Copies with independent noise are no copies, but no independent rows either; EP is exact for
    Gaussian noise.
    """
    rows = np.tile(NOISE[:1], (24, 1))
    assert amp(rows, np.ones(24), GLM(Gaussian(), Flip(0.1))).status is Status.DOUBTFUL
    regression = GLM(Gaussian(), Linear(0.1))
    assert amp(rows, np.ones(24), regression).status is Status.DOUBTFUL
    exact = expectation_propagation(rows, np.ones(24), regression)
    assert exact.converged
    assert exact.correction == pytest.approx(0.0, abs=1e-9)
    problem = draw_instance(100, 1.0, 0, regression)
    assert amp(problem.rows, problem.labels, regression).converged


def test_nothing_to_doubt_without_rows_or_without_a_posterior() -> None:
    nothing: Posterior = amp(np.empty((0, 7)), np.empty(0))
    assert nothing.converged
    contradiction = amp(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([1.0, -1.0]))
    assert contradiction.status is Status.EMPTY
    assert contradiction.doubt is None
